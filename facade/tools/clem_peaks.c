/* What large copies reach at best: the fastest of some, each long enough that its call costs nothing beside it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/tools/clem_peaks.h"

#include <stdio.h>
#include <time.h>

#include "cuda_runtime_api.h"

enum { BYTES = 64 << 20, ROUNDS = 8 };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* 0: a copy failed. */
static double measure(void *target, const void *source)
{
    double best = 0;
    for (int i = 0; i < ROUNDS; i++) {
        const double start = seconds();
        if (cudaMemcpyAsync(target, source, BYTES, cudaMemcpyDefault, NULL) != cudaSuccess ||
            cudaStreamSynchronize(NULL) != cudaSuccess)
            return 0;
        const double taken = seconds() - start;
        if (taken > 0 && BYTES / taken > best)
            best = BYTES / taken;
    }
    return best;
}

int clem_peaks_print(void)
{
    void *host = NULL, *first = NULL, *second = NULL;
    double to_device = 0, to_host = 0, within = 0;
    if (cudaMallocHost(&host, BYTES) == cudaSuccess && cudaMalloc(&first, BYTES) == cudaSuccess &&
        cudaMalloc(&second, BYTES) == cudaSuccess && cudaMemset(first, 1, BYTES) == cudaSuccess) {
        to_device = measure(first, host);
        to_host = measure(host, first);
        within = measure(second, first);
    }
    (void)cudaFreeHost(host);
    (void)cudaFree(first);
    (void)cudaFree(second);
    printf("%.0f %.0f %.0f\n", to_device, to_host, within);
    return to_device > 0 && to_host > 0 && within > 0 ? 0 : 1;
}
