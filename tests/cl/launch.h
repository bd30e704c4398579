/* For the tests of programs and kernels: contexts, programs, memory and launches in one line each.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CL_LAUNCH_H
#define TESTS_CL_LAUNCH_H

#include <string.h>

#include "cl/memory.h"
#include "cl/program/kernel.h"
#include "cl/trace.h"
#include "cl/transfer.h"
#include "tests/test.h"

/* Context, queue and program of a test. */
struct bench {
    struct ocl_context *context;
    struct ocl_queue *queue;
    struct ocl_program *program;
};

static inline struct bench open_bench(const char *text, const char *options)
{
    struct bench bench = {NULL, NULL, NULL};
    char *log = NULL;

    if (ocl_device_count() == 0)
        TEST_SKIP("no OpenCL device");
    assert_int_equal(ocl_context_open(0, &bench.context), OCL_OK);
    bench.queue = ocl_queue_legacy(bench.context);
    if (text && ocl_program_build(bench.context, text, strlen(text), options, &bench.program,
                                  &log) != OCL_OK)
        fail_msg("does not build: %s", log);
    assert_null(log);
    return bench;
}

static inline void close_bench(struct bench *bench)
{
    assert_int_equal(ocl_queue_finish(bench->queue), OCL_OK);
    ocl_program_release(bench->program);
    ocl_context_close(bench->context);
}

static inline struct ocl_kernel *find_kernel(const struct bench *bench, const char *name)
{
    struct ocl_kernel *kernel = ocl_program_find_kernel(bench->program, name);

    assert_non_null(kernel);
    return kernel;
}

static inline uint64_t make_device(const struct bench *bench, size_t bytes)
{
    uint64_t address = 0;

    assert_int_equal(ocl_memory_allocate(bench->context, bytes, 0, &address), OCL_OK);
    return address;
}

static inline void free_device(uint64_t address)
{
    assert_int_equal(ocl_memory_free(OCL_MEMORY_DEVICE, (void *)(uintptr_t)address), OCL_OK);
}

static inline void copy_bytes(const struct bench *bench, uint64_t target, uint64_t source,
                              size_t bytes)
{
    const struct ocl_copy copy = {
        .source = {source, bytes, bytes},
        .target = {target, bytes, bytes},
        .width = bytes,
        .height = 1,
        .depth = 1,
    };

    assert_int_equal(ocl_transfer_copy(bench->queue, &copy, OCL_WAIT_ALL), OCL_OK);
}

static inline void write_device(const struct bench *bench, uint64_t target, const void *source,
                                size_t bytes)
{
    copy_bytes(bench, target, (uint64_t)(uintptr_t)source, bytes);
}

static inline void read_device(const struct bench *bench, void *target, uint64_t source,
                               size_t bytes)
{
    copy_bytes(bench, (uint64_t)(uintptr_t)target, source, bytes);
}

/* A launch in one dimension of groups x items work-items. */
static inline ocl_status launch_line(const struct bench *bench, struct ocl_kernel *kernel,
                                     size_t groups, size_t items, size_t local_bytes,
                                     void *const *arguments)
{
    const struct ocl_launch launch = {
        .groups = {groups, 1, 1},
        .items = {items, 1, 1},
        .local_bytes = local_bytes,
        .arguments = arguments,
    };

    return ocl_kernel_launch(kernel, bench->queue, &launch);
}

/* Everything that was logged since listen_to_logs(). */
static inline char *heard(void)
{
    static char text[65536];

    return text;
}

static inline void hear(bool is_error, const char *message)
{
    const size_t length = strlen(heard());

    (void)is_error;
    snprintf(heard() + length, 65536 - length, "%s\n", message);
}

static inline void listen_to_logs(void)
{
    heard()[0] = '\0';
    ocl_trace_listen(hear);
}

#endif
