/* clem-bench over NVIDIA's runtime: kernels are what nvcc made of kernels.cu; no raw OpenCL beside it.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "bench/runtime.h"

/* The fat binaries that the build made: of kernels.cu, and of each file of kernels/access/. */
#define PROGRAM(name, path)                                                                        \
    __asm__(".section .rodata\n"                                                                   \
            ".balign 16\n"                                                                         \
            "fatbin_" #name ":\n"                                                                  \
            ".incbin \"" path "\"\n"                                                               \
            ".byte 0\n"                                                                            \
            ".previous\n");                                                                        \
    extern const unsigned char fatbin_##name[];
#include "programs.def"
#undef PROGRAM

static const struct {
    const char *name;
    const unsigned char *image;
} programs[] = {
#define PROGRAM(name, path) {#name, fatbin_##name},
#include "programs.def"
#undef PROGRAM
};

static const unsigned char *program_of(const char *name)
{
    size_t i = 0;
    while (i + 1 < sizeof programs / sizeof programs[0] && strcmp(programs[i].name, name) != 0)
        i++;
    return programs[i].image;
}

const char *runtime_name(void)
{
    return "native";
}

const char *runtime_program(void)
{
    return "clem-bench-native";
}

const char *runtime_advice(void)
{
    return "No NVIDIA device was found. Is the driver installed?\n";
}

void runtime_describe(struct device_facts *facts)
{
    facts->has_sub_groups = true;
    facts->has_doubles = true;
}

const void *runtime_kernels(const struct device_facts *device, enum kernel_set set, void **owned)
{
    (void)device, (void)set;
    *owned = NULL;
    return fatbin_kernels;
}

/* All variants of a file are in one image: kernel_value_value. */
const void *runtime_shot_kernels(const struct device_facts *device, const struct shot *shot,
                                 char name[KERNEL_NAME_BYTES], void **owned)
{
    (void)device;
    *owned = NULL;
    snprintf(name, KERNEL_NAME_BYTES, "%s", shot->kernel);
    for (size_t i = 0; i < STUDY_DEFINES && shot->defines[i].name; i++) {
        size_t used = strlen(name);
        snprintf(name + used, KERNEL_NAME_BYTES - used, "_%s", shot->defines[i].value);
    }
    return program_of(shot->file);
}

bool runtime_translates(void)
{
    return false;
}

const void *runtime_translated_kernels(struct attempt *attempt, const struct shot *shot,
                                       char name[KERNEL_NAME_BYTES], void **owned)
{
    (void)shot, (void)name, (void)owned;
    attempt_fail(attempt, STATUS_UNSUPPORTED, "nothing is translated");
    return NULL;
}

const struct way *runtime_raw_way(const struct task *task)
{
    (void)task;
    return NULL;
}

void runtime_close_raw(void)
{
}
