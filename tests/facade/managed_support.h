/* What the tests of managed memory share: a block of it, and kernels that write patterns.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FACADE_MANAGED_SUPPORT_H
#define TESTS_FACADE_MANAGED_SUPPORT_H

#include "tests/facade/runtime_support.h"

/* add: p[i] += v for i < n. pattern: p[i] = i * 7 + v. total: out[0] = sum of all p[i]. */
static const char managed_kernels[] =
    "kernel void add(global int *p, int n, int v) {\n"
    "    int i = (int)get_global_id(0);\n"
    "    if (i < n) p[i] += v;\n"
    "}\n"
    "kernel void pattern(global int *p, int n, int v) {\n"
    "    int i = (int)get_global_id(0);\n"
    "    if (i < n) p[i] = i * 7 + v;\n"
    "}\n"
    "kernel void total(global const int *p, int n, global int *out) {\n"
    "    int sum = 0;\n"
    "    for (int i = 0; i < n; i++) sum += p[i];\n"
    "    out[0] = sum;\n"
    "}\n";

static inline int pattern_value(size_t index, int v)
{
    return (int)index * 7 + v;
}

/* Skips the test where there is no managed memory. */
static inline void *managed_block(size_t bytes)
{
    void *p = NULL;
    cudaError_t error = cudaMallocManaged(&p, bytes, cudaMemAttachGlobal);
    if (error == cudaErrorNotSupported)
        TEST_SKIP("this strategy has no managed memory");
    assert_int_equal(error, cudaSuccess);
    assert_non_null(p);
    return p;
}

static inline const void *managed_kernel(const char *name)
{
    static _Thread_local cudaLibrary_t library;
    if (library == NULL)
        library = load_text(managed_kernels);
    return find_kernel(library, name);
}

static inline void run_on(const char *name, int *p, int n, int v, cudaStream_t stream)
{
    enum { BLOCK = 64 };
    void *args[] = {&p, &n, &v};
    assert_success(launch_1d(managed_kernel(name), (unsigned)((n + BLOCK - 1) / BLOCK), BLOCK, args,
                             0, stream));
}

static inline struct cudaMemLocation on_device(void)
{
    return (struct cudaMemLocation){cudaMemLocationTypeDevice, 0};
}

static inline struct cudaMemLocation on_host(void)
{
    return (struct cudaMemLocation){cudaMemLocationTypeHost, 0};
}

#endif
