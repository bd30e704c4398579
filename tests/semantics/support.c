/* Fixtures that the semantics cases share: memory of every kind, clocks, contexts.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ORACLE_NATIVE
#include <clem.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "oracle.h"

enum { EXIT_SETUP = 70 };

void require(bool ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "oracle: set-up failed: %s (last error %s)\n", what,
                cudaGetErrorName(cudaPeekAtLastError()));
        fflush(NULL);
        _Exit(EXIT_SETUP);
    }
}

void *device_block(size_t bytes)
{
    void *p = NULL;
    REQUIRE(cudaMalloc(&p, bytes));
    REQUIRE(cudaMemset(p, 0, bytes));
    REQUIRE(cudaDeviceSynchronize());
    return p;
}

void *pinned_block(size_t bytes)
{
    void *p = NULL;
    REQUIRE(cudaMallocHost(&p, bytes));
    memset(p, 0, bytes);
    return p;
}

void make_runtime_context(void)
{
    REQUIRE(cudaFree(NULL));
}

void make_driver_context(void)
{
    CUcontext context = NULL;
    CUdevice device = 0;
    REQUIRE_DRIVER(cuInit(0));
    REQUIRE_DRIVER(cuDeviceGet(&device, 0));
    REQUIRE_DRIVER(cuDevicePrimaryCtxRetain(&context, device));
    REQUIRE_DRIVER(cuCtxSetCurrent(context));
}

int read_int(const void *from)
{
    int value = -1;
    REQUIRE(cudaMemcpy(&value, from, sizeof value, cudaMemcpyDefault));
    return value;
}

void write_int(void *to, int value)
{
    REQUIRE(cudaMemcpy(to, &value, sizeof value, cudaMemcpyDefault));
    REQUIRE(cudaDeviceSynchronize());
}

CUdeviceptr address_of(const void *p)
{
    return (CUdeviceptr)(uintptr_t)p;
}

void sleep_ms(unsigned ms)
{
    struct timespec duration = {ms / 1000, (long)(ms % 1000) * 1000000};
    nanosleep(&duration, NULL);
}

double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static char *registered_block(size_t bytes)
{
    char *p = aligned_alloc(4 * KIB, bytes);
    require(p != NULL, "aligned_alloc");
    memset(p, 0, bytes);
    REQUIRE(cudaHostRegister(p, bytes, cudaHostRegisterDefault));
    return p;
}

/* freed_block: an address that was device memory and is no more. */
static char *freed_block(size_t bytes)
{
    void *p = NULL;
    REQUIRE(cudaMalloc(&p, bytes));
    REQUIRE(cudaFree(p));
    return p;
}

const struct place *make_places(size_t *count)
{
    static struct place places[16];
    size_t bytes = 64 * KIB;
    char *pageable = calloc(1, bytes);
    require(pageable != NULL, "calloc");
    char *device = device_block(bytes);
    char *edge = device_block(bytes);
    char *neighbour_a = device_block(2 * MIB);
    char *neighbour_b = device_block(2 * MIB);
    char *lower = neighbour_a < neighbour_b ? neighbour_a : neighbour_b;
    char *freed_small = freed_block(bytes);
    char *freed_large = freed_block(256 * MIB);
    void *mapped = NULL;
    REQUIRE(cudaHostAlloc(&mapped, bytes, cudaHostAllocMapped | cudaHostAllocPortable));
    struct place list[] = {
        {"pageable", pageable, true, true},
        {"pinned", pinned_block(bytes), true, true},
        {"mapped", mapped, true, true},
        {"registered", registered_block(bytes), true, true},
        {"device", device, true, false},
        {"device+4096", device + 4096, true, false},
        {"device+1", device + 1, true, false},
        {"NULL", NULL, false, false},
        {"device end-2048", edge + bytes - 2048, false, false},
        {"device end", edge + bytes, false, false},
        {"straddle", lower + 2 * MIB - 2048, false, false},
        {"freed small", freed_small, false, false},
        {"freed large", freed_large, false, false},
    };
    *count = sizeof list / sizeof list[0];
    memcpy(places, list, sizeof list);
    return places;
}

bool device_follows_pointers(void)
{
#ifdef ORACLE_NATIVE
    return true;
#else
    clemDeviceInfo info;
    REQUIRE(clemGetDeviceInfo(&info, 0));
    return info.address != clemAddressHandle;
#endif
}
