/* The devices of this run and what is known about them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/device.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/runtime.h"

int device_count(void)
{
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) {
        cudaGetLastError();
        return 0;
    }
    return count;
}

static int attribute(int index, enum cudaDeviceAttr which)
{
    int value = 0;
    if (cudaDeviceGetAttribute(&value, which, index) != cudaSuccess) {
        cudaGetLastError();
        return 0;
    }
    return value;
}

/* A GPU whose driver does not tell is taken to have as much as the largest have today: buffers are then large enough, or
 * taken in turn, for memory to be what is measured. */
enum { UNTOLD_CACHE_BYTES = 64 << 20 };

bool device_describe(int index, struct device_facts *facts)
{
    struct cudaDeviceProp properties;
    int version = 0;
    memset(facts, 0, sizeof *facts);
    if (cudaGetDeviceProperties(&properties, index) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    facts->index = index;
    snprintf(facts->name, sizeof facts->name, "%s", properties.name);
    cudaDriverGetVersion(&version);
    snprintf(facts->driver, sizeof facts->driver, "CUDA %d.%d", version / 1000,
             version % 1000 / 10);
    facts->compute_units = properties.multiProcessorCount;
    facts->max_threads = properties.maxThreadsPerBlock;
    facts->ecc = properties.ECCEnabled != 0;
    facts->clock_khz = attribute(index, cudaDevAttrClockRate);
    facts->memory_clock_khz = attribute(index, cudaDevAttrMemoryClockRate);
    facts->memory_bus_bits = properties.memoryBusWidth;
    facts->memory_bytes = properties.totalGlobalMem;
    facts->cache_bytes = properties.l2CacheSize > 0 ? (size_t)properties.l2CacheSize : 0;
    runtime_describe(facts);
    if (facts->cache_bytes == 0 && !facts->is_cpu)
        facts->cache_bytes = UNTOLD_CACHE_BYTES;
    return true;
}

bool device_is_chosen(const struct device_facts *facts, const char *choice)
{
    char *end;
    if (!choice || strcmp(choice, "all") == 0)
        return true;
    long number = strtol(choice, &end, 10);
    if (*choice && !*end)
        return number == facts->index;
    return strcasestr(facts->name, choice) != NULL;
}
