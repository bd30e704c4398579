/* The kernels that clem-bench loads over clem: OpenCL C text with a variant's defines before it, or PTX, which may be made of the
 * same text as CUDA C++.
 * SPDX-License-Identifier: Apache-2.0 */
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/runtime.h"
#include "bench/study_run.h"
#include "kernels/kernels.h"

#include "opencl_c.cuh.inc"

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

static bool is_ptx(const char *text)
{
    return text[0] != '#';
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
    if (is_ptx(text)) { /* in which nothing is left to define */
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

/* ---- As CUDA C++ ---- */

bool runtime_translates(void)
{
    return true;
}

static char *copy_of(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

/* An OpenCL C text as CUDA C++; the caller frees it. NULL without memory. */
static char *cuda_text(const char *text)
{
    static const char before[] = "#include \"opencl_c.cuh\"\nnamespace opencl_c\n{\n";
    const size_t bytes = sizeof before + strlen(text) + sizeof "\n}\n";
    char *all = malloc(bytes);
    if (all)
        snprintf(all, bytes, "%s%s\n}\n", before, text);
    return all;
}

/* What the compiler said first, which tells what is missing where there is none. NULL. */
static char *fail_by_log(struct attempt *attempt, nvrtcProgram program)
{
    size_t bytes = 0;
    char *log = nvrtcGetProgramLogSize(program, &bytes) == NVRTC_SUCCESS ? malloc(bytes + 1) : NULL;
    if (log && nvrtcGetProgramLog(program, log) == NVRTC_SUCCESS) {
        const int length = (int)strcspn(log, "\n");
        attempt_fail(attempt, STATUS_UNSUPPORTED, "as CUDA: %.*s%s", length, log,
                     length > 0 ? "" : "the compiler failed without a word");
    } else {
        attempt_fail(attempt, STATUS_UNSUPPORTED, "no compiler for CUDA C++");
    }
    free(log);
    return NULL;
}

static char *ptx_of(struct attempt *attempt, nvrtcProgram program, const struct shot *shot)
{
    char options[STUDY_DEFINES][80];
    const char *list[STUDY_DEFINES];
    size_t count = 0, bytes = 0;
    for (; count < STUDY_DEFINES && shot->defines[count].name; count++) {
        snprintf(options[count], sizeof options[count], "-D%.40s=%s", shot->defines[count].name,
                 shot->defines[count].value);
        list[count] = options[count];
    }
    if (nvrtcCompileProgram(program, (int)count, list) != NVRTC_SUCCESS ||
        nvrtcGetPTXSize(program, &bytes) != NVRTC_SUCCESS)
        return fail_by_log(attempt, program);
    char *ptx = malloc(bytes);
    if (!ptx || nvrtcGetPTX(program, ptx) != NVRTC_SUCCESS) {
        free(ptx);
        attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
        return NULL;
    }
    return ptx;
}

static char *compile_as_cuda(struct attempt *attempt, const struct shot *shot, const char *text)
{
    const char *const header = (const char *)text_opencl_c, *const name = "opencl_c.cuh";
    char *cuda = cuda_text(text), *ptx = NULL;
    nvrtcProgram program = NULL;
    if (cuda && nvrtcCreateProgram(&program, cuda, shot->file, 1, &header, &name) == NVRTC_SUCCESS)
        ptx = ptx_of(attempt, program, shot);
    else
        attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    nvrtcDestroyProgram(&program);
    free(cuda);
    return ptx;
}

const void *runtime_translated_kernels(struct attempt *attempt, const struct shot *shot,
                                       char name[KERNEL_NAME_BYTES], void **owned)
{
    const char *text = text_in(access_sources, shot->file);
    snprintf(name, KERNEL_NAME_BYTES, "%s", shot->kernel);
    *owned = is_ptx(text) ? copy_of(text) : compile_as_cuda(attempt, shot, text);
    if (!*owned && is_ptx(text))
        attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    return *owned;
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
