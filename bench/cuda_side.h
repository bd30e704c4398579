/* Memory and kernels through the CUDA API, for the ways of each kind of work.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_BENCH_CUDA_SIDE_H
#define CLEM_BENCH_CUDA_SIDE_H

#include <cuda_runtime_api.h>

#include "bench/pattern.h"
#include "bench/runtime.h"

/* Memory of one kind. device is the address that kernels and copies use. */
struct span {
    enum place place;
    size_t bytes;
    void *pointer;
    void *device;
};

/* Success, or an attempt that failed with the call's name and the error's. */
bool cuda_ok(struct attempt *attempt, cudaError_t error, const char *call);

/* span_give accepts a zeroed or half-made span and zeroes it. */
bool span_take(struct attempt *attempt, struct span *span, enum place place, size_t bytes);
void span_give(struct span *span);
bool span_fill(struct attempt *attempt, struct span *span, enum pattern pattern);
bool span_poison(struct attempt *attempt, struct span *span);
/* Compares a task's target with what it must hold. */
bool span_check(struct attempt *attempt, const struct span *span, enum content content);
/* The sum of the 32-bit words in the span's first bytes, modulo 2^32. */
bool span_sum(struct attempt *attempt, const struct span *span, size_t bytes, uint32_t *sum);

enum kernel_form { FORM_ITEM, FORM_INTERLEAVED, FORM_CHUNKED, FORM_STREAMING, FORMS };

/* How many work-items a form has for so many 16-byte words. */
struct geometry {
    size_t groups, local, chunk;
};
struct geometry form_geometry(const struct device_facts *device, enum peak_detail what,
                              enum kernel_form form, size_t words);
/* Bytes that the kernel of any form may write: the array, or one sum for each of its items. */
size_t form_target_bytes(const struct device_facts *device, enum peak_detail what, size_t bytes);
bool form_suits(const struct device_facts *device, enum peak_detail what, enum kernel_form form);
const char *form_name(enum kernel_form form);
/* "peak_copy_item" and so on. */
void form_kernel_name(char name[64], enum peak_detail what, enum kernel_form form);

/* A loaded kernel of kernels/peak.cl with its arguments. */
struct peak_launch {
    cudaLibrary_t library;
    cudaKernel_t kernel;
    enum peak_detail what;
    enum kernel_form form;
    struct geometry geometry;
    void *target;
    const void *first, *second;
    unsigned value;
    float factor;
    unsigned long long words, chunk;
    void *arguments[6];
};

bool kernels_load(struct attempt *attempt, enum kernel_set set, cudaLibrary_t *library);
/* Fills the launch for target and sources; library, target, first, second must be set. */
bool peak_prepare(struct attempt *attempt, struct peak_launch *launch, enum peak_detail what,
                  enum kernel_form form, size_t bytes);
/* Launches count times and waits. */
bool peak_run(struct attempt *attempt, struct peak_launch *launch, size_t count);

#endif
