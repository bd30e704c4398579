/* clem-bench over clem: kernels are OpenCL C text, or PTX where they allocate, and raw OpenCL runs beside it.
 * SPDX-License-Identifier: Apache-2.0 */
#include <clem.h>
#include <stdio.h>
#include <string.h>

#include "bench/raw_opencl.h"
#include "bench/runtime.h"
#include "bench/study_run.h"

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
 * compiler takes the instruction that adds over one; so does AMD's in OpenCL C 1.2. */
static bool device_has_sub_groups(int index)
{
    const char *text = "#if !defined(__NV_CL_C_VERSION) && !defined(__AMDGCN__) && "
                       "!defined(cl_khr_subgroups) && !defined(cl_intel_subgroups)\n"
                       "#error no sub-groups\n#endif\n"
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

const struct way *runtime_raw_way(const struct task *task)
{
    static const struct way *const ways[WORKS] = {
        [WORK_TRANSFER] = &raw_transfer, [WORK_SET] = &raw_set,     [WORK_RECT] = &raw_rect,
        [WORK_PEAK] = &raw_peak,         [WORK_ALLOC] = &raw_alloc, [WORK_LAUNCH] = &raw_launch,
        [WORK_GRAPH] = &raw_graph,       [WORK_CALL] = &raw_call,   [WORK_TEXTURE] = &raw_texture};
    /* OpenCL has no question like cudaPointerGetAttributes. */
    if (task->row->work == WORK_STUDY)
        return task->raw_beside ? &raw_study : NULL;
    if (task->row->work == WORK_CALL && task->row->detail == CALL_POINTER)
        return NULL;
    /* Nor graphs, but a floor of their launches. */
    if (task->row->work == WORK_GRAPH && task->row->detail > GRAPH_NONE)
        return NULL;
    /* Nor flags for pinned memory, nor a way to take many of these kinds at once. */
    if (task->row->source == COMBINED || task->row->source == PORTABLE ||
        (task->row->work == WORK_ALLOC && task->row->detail > ALLOC_POOL))
        return NULL;
    return ways[task->row->work];
}
