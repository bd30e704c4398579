/* clem-bench over clem: kernels are OpenCL C text, or PTX where they allocate, and raw OpenCL runs beside it.
 * SPDX-License-Identifier: Apache-2.0 */
#include <clem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/raw_opencl.h"
#include "bench/runtime.h"
#include "bench/study_run.h"
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
    if (clemDeviceChoiceIsUnmet())
        return NULL;
    return "No OpenCL device was found. Install one: your GPU vendor's OpenCL driver, or PoCL for "
           "the CPU, on Debian and "
           "Ubuntu with\n    sudo apt-get install pocl-opencl-icd\n";
}

/* The conditions of kernels/access/reduce.cl. Not the extension string alone: what it names may want a
 * later OpenCL C than the one that programs are built as. NVIDIA's OpenCL has no sub-groups, but its
 * compiler takes the instruction that adds over one. */
static bool device_has_sub_groups(int index)
{
    const char *text = "#if !defined(__NV_CL_C_VERSION) && !defined(cl_khr_subgroups) && "
                       "!defined(cl_intel_subgroups)\n#error no sub-groups\n#endif\n"
                       "__kernel void nothing(void) {}\n";
    char extensions[16384] = "";
    cl_device_id device;
    cl_context context;
    cl_int error;
    if (clemDeviceGetOpenCL(index, NULL, &device, &context) != cudaSuccess ||
        clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions - 1, extensions, NULL) !=
            CL_SUCCESS ||
        (!strstr(extensions, "_subgroups") && !strstr(extensions, "cl_nv_")))
        return false;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    if (error != CL_SUCCESS)
        return false;
    error = clBuildProgram(program, 1, &device, "", NULL, NULL);
    clReleaseProgram(program);
    return error == CL_SUCCESS;
}

static bool device_has_doubles(int index)
{
    cl_device_id device;
    cl_device_fp_config config = 0;
    return clemDeviceGetOpenCL(index, NULL, &device, NULL) == cudaSuccess &&
           clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof config, &config, NULL) ==
               CL_SUCCESS &&
           config != 0;
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
    facts->has_sub_groups = device_has_sub_groups(facts->index);
    facts->has_doubles = device_has_doubles(facts->index);
    if (info.cacheBytes)
        facts->cache_bytes = info.cacheBytes;
    snprintf(facts->driver, sizeof facts->driver, "%s", info.driverVersion);
    snprintf(facts->opencl, sizeof facts->opencl, "%.120s, %.120s", info.platformName,
             info.deviceVersion);
    snprintf(facts->strategy, sizeof facts->strategy, "%s", clemAddressName(info.address));
    snprintf(facts->strategy_reason, sizeof facts->strategy_reason, "%s", info.addressReason);
}

static const char *text_in(const struct kernel_source *sources, const char *name)
{
    for (const struct kernel_source *source = sources; source->name; source++)
        if (strcmp(source->name, name) == 0)
            return source->text;
    return "";
}

static const char *text_of(const char *name)
{
    return text_in(kernel_sources, name);
}

/* The variant's defines before the file's text. */
const void *runtime_shot_kernels(const struct device_facts *device, const struct shot *shot,
                                 char name[KERNEL_NAME_BYTES], void **owned)
{
    const char *text = text_in(access_sources, shot->file);
    const size_t room = strlen(text) + STUDY_DEFINES * 80 + 64;
    char *all = malloc(room);
    *owned = all;
    snprintf(name, KERNEL_NAME_BYTES, "%s", shot->kernel);
    if (!all)
        return NULL;
    if (text[0] != '#') { /* PTX, in which nothing is left to define */
        memcpy(all, text, strlen(text) + 1);
        return all;
    }
    size_t used =
        (size_t)snprintf(all, room, "%s", device->is_cpu ? "#define CLEM_DEVICE_IS_CPU 1\n" : "");
    for (size_t i = 0; i < STUDY_DEFINES && shot->defines[i].name; i++)
        used += (size_t)snprintf(all + used, room - used, "#define %.40s %s\n",
                                 shot->defines[i].name, shot->defines[i].value);
    snprintf(all + used, room - used, "%s", text);
    return all;
}

const void *runtime_kernels(const struct device_facts *device, enum kernel_set set, void **owned)
{
    static const char *const names[][2] = {
        [KERNELS_PEAK] = {"peak", "touch"}, [KERNELS_SYMBOL] = {"symbol", ""}};
    static const char own[] =
        "\n__kernel void bench_empty(void) {}\n"
        "__kernel void bench_arguments(__global uint *a, __global uint *b, ulong n) {}\n"
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
    if (task->row->work == WORK_STUDY)
        return task->raw_beside ? &raw_study : NULL;
    if (task->row->work == WORK_CALL && task->row->detail == CALL_POINTER)
        return NULL;
    /* Nor flags for pinned memory, nor a way to take many of these kinds at once. */
    if (task->row->source == COMBINED || task->row->source == PORTABLE ||
        (task->row->work == WORK_ALLOC && task->row->detail > ALLOC_POOL))
        return NULL;
    return ways[task->row->work];
}
