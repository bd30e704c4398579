/* clem-bench over NVIDIA's runtime: kernels are what nvcc made of kernels.cu; no raw OpenCL beside it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/runtime.h"

/* BENCH_KERNELS is the path of the fat binary that the build made. */
__asm__(".section .rodata\n"
        ".balign 16\n"
        "bench_kernels:\n"
        ".incbin \"" BENCH_KERNELS "\"\n"
        ".byte 0\n"
        ".previous\n");
extern const unsigned char bench_kernels[];

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
    (void)facts;
}

const void *runtime_kernels(const struct device_facts *device, enum kernel_set set, void **owned)
{
    (void)device, (void)set;
    *owned = NULL;
    return bench_kernels;
}

const struct way *runtime_raw_way(const struct task *task)
{
    (void)task;
    return NULL;
}

void runtime_close_raw(void)
{
}
