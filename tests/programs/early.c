/* A library that uses the device while it is being opened: tests/programs/process.c opens it.
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime_api.h>

extern __attribute__((visibility("default"))) cudaError_t clem_test_early;
cudaError_t clem_test_early = cudaErrorUnknown;

__attribute__((constructor)) static void begin(void)
{
    int *memory = NULL, count = 0;
    clem_test_early = cudaGetDeviceCount(&count);
    if (clem_test_early == cudaSuccess)
        clem_test_early = cudaMalloc((void **)&memory, sizeof *memory);
    if (clem_test_early == cudaSuccess)
        clem_test_early = cudaFree(memory);
}
