/* The kernels that clem-bench loads over clem: OpenCL C text with a variant's defines before it, or PTX.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/runtime.h"
#include "bench/study_run.h"
#include "kernels/kernels.h"

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
