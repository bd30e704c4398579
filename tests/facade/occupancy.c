/* Tests of facade/code/occupancy.c: the estimates agree with each other and with the limits.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/runtime_support.h"

static const char *const text =
    "__kernel void plain(__global int *p) { p[get_global_id(0)] = 1; }\n"
    "__kernel void sharing(__global int *p, __local int *room)\n"
    "{\n"
    "    room[get_local_id(0)] = 1;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    p[get_global_id(0)] = room[0];\n"
    "}\n";

static int blocks_of(const void *kernel, int size, size_t shared)
{
    int blocks = -1;
    assert_success(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, size, shared));
    return blocks;
}

TEST_BODY(occupancy_stays_within_the_multiprocessor)
{
    cudaLibrary_t library = load_text(text);
    const void *kernel = find_kernel(library, "plain");
    struct cudaDeviceProp p;
    assert_success(cudaGetDeviceProperties(&p, 0));
    int last = INT32_MAX;
    for (int size = 1; size <= p.maxThreadsPerBlock; size += 31) {
        int blocks = blocks_of(kernel, size, 0), whole_warps = (size + 31) / 32 * 32;
        assert_true(blocks >= 1 && blocks <= last);
        assert_true(blocks * whole_warps <= p.maxThreadsPerMultiProcessor);
        assert_true(blocks <= p.maxBlocksPerMultiProcessor);
        last = blocks;
    }
    assert_int_equal(blocks_of(kernel, p.maxThreadsPerBlock + 1, 0), 0);
    assert_int_equal(blocks_of(kernel, 128, (size_t)1 << 40), 0);
    assert_success(cudaLibraryUnload(library));
}

/* More shared memory never means more blocks, and the blocks' shares fit together. */
TEST_BODY(occupancy_falls_with_shared_memory)
{
    cudaLibrary_t library = load_text(text);
    const void *kernel = find_kernel(library, "sharing");
    struct cudaDeviceProp p;
    assert_success(cudaGetDeviceProperties(&p, 0));
    int last = INT32_MAX;
    for (size_t shared = 0; shared <= p.sharedMemPerBlock; shared += p.sharedMemPerBlock / 16) {
        int blocks = blocks_of(kernel, 32, shared);
        assert_true(blocks <= last);
        assert_true((size_t)blocks * shared <= p.sharedMemPerMultiprocessor);
        last = blocks;
    }
    assert_success(cudaLibraryUnload(library));
}

/* As much shared memory as is said to be left can be had by that many blocks. */
TEST_BODY(occupancy_shared_memory_that_is_left)
{
    cudaLibrary_t library = load_text(text);
    const void *kernel = find_kernel(library, "sharing");
    int most = blocks_of(kernel, 32, 0);
    size_t before = SIZE_MAX;
    for (int blocks = 1; blocks <= most; blocks++) {
        size_t left = 0;
        assert_success(cudaOccupancyAvailableDynamicSMemPerBlock(&left, kernel, blocks, 32));
        assert_true(left <= before);
        assert_true(blocks_of(kernel, 32, left) >= blocks);
        before = left;
    }
    size_t left = 77;
    assert_fails(cudaErrorInvalidValue,
                 cudaOccupancyAvailableDynamicSMemPerBlock(&left, kernel, most + 1, 32));
    assert_fails(cudaErrorInvalidValue,
                 cudaOccupancyAvailableDynamicSMemPerBlock(&left, kernel, 0, 32));
    assert_fails(cudaErrorInvalidValue,
                 cudaOccupancyAvailableDynamicSMemPerBlock(&left, kernel, 1, 0));
    assert_fails(cudaErrorInvalidDeviceFunction,
                 cudaOccupancyAvailableDynamicSMemPerBlock(&left, NULL, 1, 32));
    assert_int_equal(left, 77);
    assert_success(cudaLibraryUnload(library));
}

TEST_BODY(occupancy_refuses_bad_arguments)
{
    static const char not_a_kernel = 0;
    cudaLibrary_t library = load_text(text);
    const void *kernel = find_kernel(library, "plain");
    int blocks = 77;
    assert_fails(cudaErrorInvalidValue,
                 cudaOccupancyMaxActiveBlocksPerMultiprocessor(NULL, kernel, 128, 0));
    assert_fails(cudaErrorInvalidDeviceFunction,
                 cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, NULL, 128, 0));
    assert_fails(cudaErrorInvalidResourceHandle,
                 cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &not_a_kernel, 128, 0));
    assert_fails(cudaErrorInvalidValue,
                 cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 0, 0));
    assert_fails(cudaErrorInvalidValue,
                 cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, -1, 0));
    assert_fails(cudaErrorInvalidValue, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
                                            &blocks, kernel, 128, 0, 2));
    assert_int_equal(blocks, 77);
    assert_success(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        &blocks, kernel, 128, 0, cudaOccupancyDisableCachingOverride));
    assert_int_equal(blocks, blocks_of(kernel, 128, 0));
    assert_success(cudaLibraryUnload(library));
}
