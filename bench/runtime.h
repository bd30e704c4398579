/* What differs between clem and NVIDIA's runtime: runtime_clem.c or native/runtime_native.c.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_BENCH_RUNTIME_H
#define CLEM_BENCH_RUNTIME_H

#include "bench/study.h"

/* "clem" or "native", and the name of the program. */
const char *runtime_name(void);
const char *runtime_program(void);

/* What to tell somebody who has no device; NULL where it is a choice of theirs that leaves none, which
 * they have been told of. */
const char *runtime_advice(void);

/* Adds what only this runtime knows: class, strategy, OpenCL's versions, the largest allocation. */
void runtime_describe(struct device_facts *facts);

/* Kernels that are loaded together: those of peak.cl and touch.cl; of symbol.cl. */
enum kernel_set { KERNELS_PEAK, KERNELS_SYMBOL };

/* The kernels, in the form that cudaLibraryLoadData takes here. Owns: the caller frees *owned,
 * which may be NULL. Returns NULL without memory. */
const void *runtime_kernels(const struct device_facts *device, enum kernel_set set, void **owned);

#define KERNEL_NAME_BYTES 128
/* The same for a study's kernel, and what it is called there. */
const void *runtime_shot_kernels(const struct device_facts *device, const struct shot *shot,
                                 char name[KERNEL_NAME_BYTES], void **owned);

/* Whether studies are measured as CUDA programs too, beside what this runtime takes best: clem does translate. */
bool runtime_translates(void);
/* As runtime_shot_kernels(), of the same source as CUDA C++, compiled to PTX. NULL after attempt_fail. */
const void *runtime_translated_kernels(struct attempt *attempt, const struct shot *shot,
                                       char name[KERNEL_NAME_BYTES], void **owned);

/* Raw OpenCL's way, or NULL where there is none. */
const struct way *runtime_raw_way(const struct task *task);

/* Gives back what raw OpenCL holds for a device. */
void runtime_close_raw(void);

#endif
