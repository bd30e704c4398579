/* For the tests of managed memory: kernels to use it, and what the stub device counted.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CL_MANAGED_H
#define TESTS_CL_MANAGED_H

#include <dlfcn.h>
#include <string.h>

#include "cl/managed/managed_private.h"
#include "tests/cl/launch.h"
#include "tests/stub/coarse.h"

enum { KIB = 1024, MIB = 1024 * 1024 };

static const char managed_text[] =
    "kernel void add(global uint *x, uint v, ulong n)\n"
    "{ size_t i = get_global_id(0); if (i < n) x[i] += v; }\n"
    "kernel void number(global uint *x, uint v, ulong n)\n"
    "{ size_t i = get_global_id(0); if (i < n) x[i] = (uint)i + v; }\n"
    "kernel void follow(global ulong *list, uint v)\n"
    "{ size_t i = get_global_id(0); global uint *x = (global uint *)list[i]; x[1] = x[0] + v; }\n"
    "kernel void spin(global uint *x, uint rounds)\n"
    "{ uint a = x[0]; for (uint i = 0; i < rounds; i++) a = a * 1664525u + 1013904223u; x[0] = a | "
    "1; }\n";

static inline struct bench open_managed(void)
{
    struct bench bench = open_bench(managed_text, "");

    if (ocl_managed_method(bench.context) == OCL_MANAGED_NONE)
        TEST_SKIP("no managed memory here");
    return bench;
}

static inline bool is_migrating(const struct bench *bench)
{
    return ocl_managed_method(bench->context) == OCL_MANAGED_MIGRATING;
}

static inline uint32_t *make_managed(const struct bench *bench, size_t bytes)
{
    void *pointer = NULL;

    assert_int_equal(ocl_managed_allocate(bench->context, bytes, 0, OCL_MANAGED_GLOBAL, &pointer),
                     OCL_OK);
    return pointer;
}

static inline void free_managed(const void *pointer)
{
    assert_int_equal(ocl_memory_free(OCL_MEMORY_MANAGED, pointer), OCL_OK);
}

/* Runs add or number over the first bytes of x, on a queue. */
static inline void run_on(const struct bench *bench, struct ocl_queue *queue, const char *name,
                          uint32_t *x, uint32_t v, size_t bytes)
{
    const uint64_t n = bytes / sizeof *x;
    void *const arguments[] = {&x, &v, (void *)(uintptr_t)&n};
    const struct ocl_launch launch = {
        .groups = {(n + 63) / 64, 1, 1}, .items = {64, 1, 1}, .arguments = arguments};

    assert_int_equal(ocl_kernel_launch(find_kernel(bench, name), queue, &launch), OCL_OK);
}

static inline void run(const struct bench *bench, const char *name, uint32_t *x, uint32_t v,
                       size_t bytes)
{
    run_on(bench, bench->queue, name, x, v, bytes);
}

static inline void finish(const struct bench *bench)
{
    assert_int_equal(ocl_queue_finish(bench->queue), OCL_OK);
}

/* Where pages move, the host's touches wait for kernels by themselves. */
static inline void finish_if_shared(const struct bench *bench)
{
    if (!is_migrating(bench))
        finish(bench);
}

/* Fails unless x[first .. end) holds its own numbers plus v. */
static inline void check_numbers(const uint32_t *x, size_t first, size_t end, uint32_t v)
{
    for (size_t i = first; i < end; i++)
        if (x[i] != (uint32_t)i + v)
            fail_msg("element %zu is %u and not %u", i, x[i], (uint32_t)i + v);
}

/* ---- The stub ---- */

typedef void stub_reader(struct clem_stub_counters *counters);

static inline stub_reader *find_stub(void)
{
    const char *path = getenv("OPENCL_LAYERS");
    void *library = path ? dlopen(path, RTLD_NOLOAD | RTLD_LAZY) : NULL;
    void *symbol = library ? dlsym(library, "clem_stub_read") : NULL;
    stub_reader *reader = NULL;

    memcpy(&reader, &symbol, sizeof reader);
    return reader;
}

/* Zeros without the stub. */
static inline struct clem_stub_counters read_stub(void)
{
    struct clem_stub_counters counters = {0};
    stub_reader *reader = find_stub();

    if (reader)
        reader(&counters);
    return counters;
}

/* What moved since open_counted(), by clem's count, which must be the stub's where there is one. */
struct moved {
    uint64_t maps, bytes_to_host, bytes_to_device;
};

static struct clem_stub_counters stub_at_start;

static inline struct moved read_moved(const struct bench *bench)
{
    struct ocl_migration *migration = atomic_load(&bench->context->migration);
    const struct clem_stub_counters stub = read_stub();
    struct moved moved = {0};

    if (migration)
        moved = (struct moved){atomic_load(&migration->counts.maps),
                               atomic_load(&migration->counts.bytes_to_host),
                               atomic_load(&migration->counts.bytes_to_device)};
    if (find_stub()) {
        assert_int_equal(moved.maps, stub.maps - stub_at_start.maps);
        assert_int_equal(moved.bytes_to_host, stub.bytes_to_host - stub_at_start.bytes_to_host);
        assert_int_equal(moved.bytes_to_device,
                         stub.bytes_to_device - stub_at_start.bytes_to_device);
    }
    return moved;
}

/* For tests that say how many bytes move. */
static inline struct bench open_counted(void)
{
    struct bench bench = open_managed();

    if (!is_migrating(&bench))
        TEST_SKIP("nothing migrates here");
    stub_at_start = read_stub();
    return bench;
}

/* Needs: nothing of the test is left. */
static inline void close_managed(struct bench *bench)
{
    close_bench(bench);
    const struct clem_stub_counters counters = read_stub();
    assert_int_equal(counters.overlapping_maps, 0);
    assert_int_equal(counters.stray_unmaps, 0);
    assert_int_equal(counters.launches_while_mapped, 0);
    assert_int_equal(counters.commands_while_mapped, 0);
    assert_int_equal(counters.host_pointers, 0);
    assert_int_equal(counters.frees_while_mapped, 0);
    assert_int_equal(counters.maps, counters.unmaps);
}

#endif
