/* clem-bench over clem: kernels are OpenCL C text, and raw OpenCL runs beside it.
 * SPDX-License-Identifier: Apache-2.0 */
#include <clem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/raw_opencl.h"
#include "bench/runtime.h"
#include "kernels/kernels.h"

const char *runtime_name(void)
{
    return "clem";
}

const char *runtime_program(void)
{
    return "clem-bench";
}

const char *runtime_advice(void)
{
    return "No OpenCL device was found. Install one: your GPU vendor's OpenCL driver, or PoCL for "
           "the CPU, on Debian and "
           "Ubuntu with\n    sudo apt-get install pocl-opencl-icd\n";
}

void runtime_describe(struct device_facts *facts)
{
    clemDeviceInfo info;
    if (clemGetDeviceInfo(&info, facts->index) != cudaSuccess) {
        cudaGetLastError();
        return;
    }
    facts->is_cpu = info.deviceClass == 2;
    facts->max_allocation = info.maxAllocationBytes;
    if (info.cacheBytes)
        facts->cache_bytes = info.cacheBytes;
    snprintf(facts->driver, sizeof facts->driver, "%s", info.driverVersion);
    snprintf(facts->opencl, sizeof facts->opencl, "%.120s, %.120s", info.platformName,
             info.deviceVersion);
    snprintf(facts->strategy, sizeof facts->strategy, "%s", clemAddressName(info.address));
    snprintf(facts->strategy_reason, sizeof facts->strategy_reason, "%s", info.addressReason);
}

static const char *text_of(const char *name)
{
    for (const struct kernel_source *source = kernel_sources; source->name; source++)
        if (strcmp(source->name, name) == 0)
            return source->text;
    return "";
}

const void *runtime_kernels(const struct device_facts *device, enum kernel_set set, void **owned)
{
    static const char *const names[][2] = {[KERNELS_PEAK] = {"peak", "touch"},
                                           [KERNELS_TEXTURE] = {"texture_walk", ""},
                                           [KERNELS_SYMBOL] = {"symbol", ""}};
    static const char own[] =
        "\n__kernel void bench_empty(void) {}\n"
        "__kernel void bench_address(__global uchar *memory, __global ulong *answer) {\n"
        "    answer[0] = (ulong)memory;\n"
        "}\n";
    const char *define = device->is_cpu ? "#define CLEM_DEVICE_IS_CPU 1\n" : "";
    const char *first = text_of(names[set][0]), *second = text_of(names[set][1]);
    const size_t bytes = strlen(define) + strlen(first) + strlen(second) + sizeof own;
    char *text = malloc(bytes);
    if (text)
        snprintf(text, bytes, "%s%s%s%s", define, first, second, own);
    *owned = text;
    return text;
}

const struct way *runtime_raw_way(const struct task *task)
{
    static const struct way *const ways[WORKS] = {
        [WORK_TRANSFER] = &raw_transfer, [WORK_SET] = &raw_set,        [WORK_RECT] = &raw_rect,
        [WORK_PEAK] = &raw_peak,         [WORK_ALLOC] = &raw_alloc,    [WORK_LAUNCH] = &raw_launch,
        [WORK_CALL] = &raw_call,         [WORK_TEXTURE] = &raw_texture};
    /* OpenCL has no question like cudaPointerGetAttributes. */
    if (task->row->work == WORK_CALL && task->row->detail == CALL_POINTER)
        return NULL;
    return ways[task->row->work];
}
