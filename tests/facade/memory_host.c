/* Tests of facade/memory/memory_host.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include <clem.h>

#include "tests/facade/memory_support.h"

TEST_BODY(memory_host_zero_bytes_gives_null)
{
    void *p = &p;
    assert_success(cudaMallocHost(&p, 0));
    assert_null(p);
    p = &p;
    assert_success(cudaHostAlloc(&p, 0, 0xff));
    assert_null(p);
    assert_success(cudaFreeHost(NULL));
}

TEST_BODY(memory_host_refuses_bad_arguments)
{
    void *p = NULL;
    assert_fails(cudaErrorInvalidValue, cudaMallocHost(NULL, 16));
    assert_fails(cudaErrorInvalidValue, cudaHostAlloc(NULL, 16, 0));
    assert_fails(cudaErrorInvalidValue, cudaHostAlloc(&p, 16, 0xff));
    assert_fails(cudaErrorInvalidValue, cudaHostAlloc(&p, 16, 0x80000000u));
    assert_fails(cudaErrorMemoryAllocation, cudaMallocHost(&p, (size_t)1 << 50));
    assert_fails(cudaErrorMemoryAllocation, cudaMallocHost(&p, SIZE_MAX));
}

/* All flags at once: each combination is usable from both sides. */
TEST_BODY(memory_host_every_flag_works)
{
    for (unsigned flags = 0; flags < 8; flags++) {
        unsigned char *p = NULL;
        void *device = NULL;
        unsigned told = 0;
        assert_success(cudaHostAlloc((void **)&p, 10000, flags));
        assert_success(cudaHostGetFlags(&told, p + 9999));
        assert_int_equal(told, flags | cudaHostAllocMapped);
        assert_int_equal((uintptr_t)p % 4096, 0);
        memset(p, 1, 10000);
        assert_success(cudaHostGetDevicePointer(&device, p, 0));
        assert_success(cudaMemset(device, 7, 5000));
        assert_success(cudaDeviceSynchronize());
        assert_int_equal(p[0], 7);
        assert_int_equal(p[4999], 7);
        assert_int_equal(p[5000], 1);
        assert_success(cudaFreeHost(p));
    }
}

TEST_BODY(memory_host_free_refuses_what_starts_nowhere)
{
    int on_stack = 0;
    struct block pinned = make_block(PINNED, 8192);
    struct block registered = make_block(REGISTERED, 8192);
    struct block device = make_block(DEVICE, 8192);
    unsigned char *freed = pinned.address;
    assert_fails(cudaErrorInvalidValue, cudaFreeHost(&on_stack));
    assert_fails(cudaErrorInvalidValue, cudaFreeHost(pinned.address + 16));
    assert_fails(cudaErrorInvalidValue, cudaFreeHost(device.address));
    assert_fails(cudaErrorInvalidValue, cudaFreeHost(registered.address));
    end_block(&pinned);
    assert_fails(cudaErrorInvalidValue, cudaFreeHost(freed));
    end_block(&registered);
    end_block(&device);
}

TEST_BODY(memory_host_device_pointer_of_inner_bytes)
{
    struct block blocks[] = {make_block(PINNED, 8192), make_block(REGISTERED, 8192)};
    for (size_t i = 0; i < 2; i++) {
        unsigned char *first = NULL, *inner = NULL;
        void *beyond = NULL;
        assert_success(cudaHostGetDevicePointer((void **)&first, blocks[i].address, 0));
        assert_success(cudaHostGetDevicePointer((void **)&inner, blocks[i].address + 100, 0));
        assert_ptr_equal(inner, first + 100);
        assert_fails(cudaErrorInvalidValue,
                     cudaHostGetDevicePointer(&beyond, blocks[i].address + 8192, 0));
        assert_fails(cudaErrorInvalidValue,
                     cudaHostGetDevicePointer(&beyond, blocks[i].address, 1));
        assert_fails(cudaErrorInvalidValue, cudaHostGetDevicePointer(NULL, blocks[i].address, 0));
        end_block(&blocks[i]);
    }
}

TEST_BODY(memory_host_queries_refuse_unknown_memory)
{
    struct block pageable = make_block(PAGEABLE, 4096);
    void *p = NULL;
    unsigned flags = 0;
    assert_fails(cudaErrorInvalidValue, cudaHostGetDevicePointer(&p, pageable.address, 0));
    assert_fails(cudaErrorInvalidValue, cudaHostGetDevicePointer(&p, NULL, 0));
    assert_fails(cudaErrorInvalidValue, cudaHostGetFlags(&flags, pageable.address));
    assert_fails(cudaErrorInvalidValue, cudaHostGetFlags(&flags, NULL));
    assert_fails(cudaErrorInvalidValue, cudaHostGetFlags(NULL, pageable.address));
    end_block(&pageable);
}

TEST_BODY(memory_host_register_refuses_bad_arguments)
{
    struct block pageable = make_block(PAGEABLE, 64 * KIB);
    struct block device = make_block(DEVICE, 4096), pinned = make_block(PINNED, 4096);
    assert_fails(cudaErrorInvalidValue, cudaHostRegister(NULL, 4096, 0));
    assert_fails(cudaErrorInvalidValue, cudaHostRegister(pageable.address, 0, 0));
    assert_fails(cudaErrorInvalidValue, cudaHostRegister(pageable.address, 4096, 0xff));
    assert_fails(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(pageable.address));
    assert_fails(cudaErrorInvalidValue, cudaHostRegister(pageable.address, SIZE_MAX, 0));
    assert_fails(cudaErrorInvalidValue,
                 cudaHostRegister(pageable.address, 4096, cudaHostRegisterIoMemory));
    assert_fails(cudaErrorInvalidValue, cudaHostRegister(device.address, 4096, 0));
    assert_fails(cudaErrorInvalidValue, cudaHostRegister(pinned.address, 4096, 0));
    assert_fails(cudaErrorInvalidValue, cudaHostUnregister(device.address));
    assert_fails(cudaErrorInvalidValue, cudaHostUnregister(pinned.address));
    assert_fails(cudaErrorInvalidValue, cudaHostUnregister(NULL));
    end_block(&pinned);
    end_block(&device);
    end_block(&pageable);
}

TEST_BODY(memory_host_register_once)
{
    struct block block = make_block(PAGEABLE, 64 * KIB);
    unsigned char *p = block.address;
    assert_success(cudaHostRegister(p, 16 * KIB, 0));
    assert_fails(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(p, 16 * KIB, 0));
    assert_fails(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(p + 4096, 4096, 0));
    assert_fails(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(p + 8 * KIB, 16 * KIB, 0));
    assert_success(cudaHostRegister(p + 16 * KIB, 4096, 0));
    assert_fails(cudaErrorInvalidValue, cudaHostUnregister(p + 4096));
    assert_success(cudaHostUnregister(p));
    assert_fails(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(p));
    assert_success(cudaHostUnregister(p + 16 * KIB));
    assert_success(cudaHostRegister(p, 64 * KIB, 0));
    assert_success(cudaHostUnregister(p));
    end_block(&block);
}

TEST_BODY(memory_host_register_every_flag)
{
    static const unsigned flags[] = {0, 1, 2, 3, 8, 9, 10, 11};
    struct block block = make_block(PAGEABLE, 4096);
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        unsigned told = 0;
        assert_success(cudaHostRegister(block.address, 4096, flags[i]));
        assert_success(cudaHostGetFlags(&told, block.address + 4095));
        assert_int_equal(told, (flags[i] & cudaHostRegisterPortable) | cudaHostRegisterMapped);
        assert_success(cudaHostUnregister(block.address));
    }
    end_block(&block);
}

/* The bytes around an odd range stay pageable and whole. */
TEST_BODY(memory_host_register_any_range)
{
    struct block block = make_block(PAGEABLE, 64 * KIB);
    struct cudaPointerAttributes attributes;
    unsigned char *device = NULL;
    memset(block.address, 3, 64 * KIB);
    assert_success(cudaHostRegister(block.address + 100, 10000, cudaHostRegisterMapped));
    assert_success(cudaHostGetDevicePointer((void **)&device, block.address + 100, 0));
    assert_success(cudaMemset(device + 50, 8, 9000));
    assert_success(cudaDeviceSynchronize());
    assert_int_equal(block.address[149], 3);
    assert_int_equal(block.address[150], 8);
    assert_int_equal(block.address[9149], 8);
    assert_int_equal(block.address[9150], 3);
    assert_success(cudaPointerGetAttributes(&attributes, block.address + 10099));
    assert_int_equal(attributes.type, cudaMemoryTypeHost);
    assert_success(cudaHostUnregister(block.address + 100));
    assert_success(cudaPointerGetAttributes(&attributes, block.address + 10099));
    assert_int_equal(attributes.type, cudaMemoryTypeUnregistered);
    end_block(&block);
}

/* Range i of those that share pages holds 10 + i in every byte, as kernels, copies and the host see it. */
static void fill_range(unsigned char *base, const size_t *ends, size_t i, void *scratch)
{
    unsigned char *host = base + ends[i], *device = NULL;
    const size_t bytes = ends[i + 1] - ends[i];
    assert_success(cudaHostGetDevicePointer((void **)&device, host, 0));
    assert_success(cudaMemset(device, 99, bytes));
    assert_success(cudaMemcpy(scratch, device, bytes, cudaMemcpyDeviceToDevice));
    assert_success(cudaMemset(scratch, 10 + (int)i, bytes));
    assert_success(cudaMemcpy(host, scratch, bytes, cudaMemcpyDeviceToHost));
    for (size_t k = 0; k < bytes; k++)
        assert_int_equal(host[k], 10 + i);
}

/* No byte in common, but pages: two at their ends, one within another's, one between two others. */
TEST_BODY(memory_host_registered_ranges_share_pages)
{
    static const size_t ends[] = {100, 5000, 5010, 13000, 13100, 40000};
    enum { RANGES = sizeof ends / sizeof *ends - 1 };
    static const int registered[RANGES] = {2, 0, 1, 4, 3}, released[RANGES] = {0, 3, 4, 2, 1};
    struct block block = make_block(PAGEABLE, 64 * KIB);
    void *scratch = NULL;
    assert_success(cudaMalloc(&scratch, 64 * KIB));
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < RANGES; i++) {
            const size_t *range = &ends[registered[i]];
            assert_success(cudaHostRegister(block.address + range[0], range[1] - range[0], 0));
        }
        for (int i = 0; i < RANGES; i++) {
            for (int k = i; k < RANGES; k++)
                fill_range(block.address, ends, (size_t)released[k], scratch);
            assert_success(cudaHostUnregister(block.address + ends[released[i]]));
        }
    }
    assert_success(cudaHostRegister(block.address, 64 * KIB, 0));
    assert_success(cudaHostUnregister(block.address));
    assert_success(cudaFree(scratch));
    end_block(&block);
}

static const char *const add_source = "__kernel void add(__global int *p, int n, int v)\n"
                                      "{\n"
                                      "    int i = (int)get_global_id(0);\n"
                                      "    if (i < n)\n"
                                      "        p[i] += v;\n"
                                      "}\n";

/* A kernel reads and writes host memory through the device pointer, and both sides see what the
 * other wrote. */
TEST_BODY(memory_host_kernels_reach_it)
{
    clemDeviceInfo info;
    assert_success(clemGetDeviceInfo(&info, 0));
    if (!info.reachesPinnedHostMemory && info.address != clemAddressHandle)
        TEST_SKIP("kernels of this device do not reach pinned memory under this strategy");
    struct block blocks[] = {make_block(PINNED, 4096), make_block(REGISTERED, 4096)};
    cudaLibrary_t library;
    cudaKernel_t kernel;
    assert_success(cudaLibraryLoadData(&library, add_source, NULL, NULL, 0, NULL, NULL, 0));
    assert_success(cudaLibraryGetKernel(&kernel, library, "add"));
    for (size_t i = 0; i < 2; i++) {
        int *host = (int *)(void *)blocks[i].address;
        int *device = NULL, count = 1000, value = 5;
        for (int k = 0; k < 1024; k++)
            host[k] = k;
        assert_success(cudaHostGetDevicePointer((void **)&device, host + 10, 0));
        void *args[] = {&device, &count, &value};
        for (int round = 0; round < 2; round++) {
            assert_success(cudaLaunchKernel((const void *)kernel, (dim3){16, 1, 1},
                                            (dim3){64, 1, 1}, args, 0, NULL));
            assert_success(cudaDeviceSynchronize());
            host[10] += 100;
        }
        assert_int_equal(host[9], 9);
        assert_int_equal(host[10], 10 + 2 * 5 + 200);
        assert_int_equal(host[11], 11 + 2 * 5);
        assert_int_equal(host[1009], 1009 + 2 * 5);
        assert_int_equal(host[1010], 1010);
        end_block(&blocks[i]);
    }
    assert_success(cudaLibraryUnload(library));
}

/* Neighbours in one page, some of whose pages are others' altogether. */
TEST_BODY(memory_host_kernels_reach_ranges_that_share_pages)
{
    static const size_t ends[] = {100, 1100, 2000, 3100, 8200, 18200, 20000, 24096};
    enum { RANGES = sizeof ends / sizeof *ends - 1 };
    static const int registered[RANGES] = {0, 1, 3, 6, 2, 5, 4};
    struct block block = make_block(PAGEABLE, 64 * KIB);
    clemDeviceInfo info;
    cudaLibrary_t library;
    cudaKernel_t kernel;
    assert_success(clemGetDeviceInfo(&info, 0));
    if (!info.reachesPinnedHostMemory && info.address != clemAddressHandle)
        TEST_SKIP("kernels of this device do not reach pinned memory under this strategy");
    assert_success(cudaLibraryLoadData(&library, add_source, NULL, NULL, 0, NULL, NULL, 0));
    assert_success(cudaLibraryGetKernel(&kernel, library, "add"));
    memset(block.address, 0, 64 * KIB);
    for (int i = 0; i < RANGES; i++) {
        const size_t *range = &ends[registered[i]];
        assert_success(cudaHostRegister(block.address + range[0], range[1] - range[0],
                                        cudaHostRegisterMapped));
    }
    for (int i = 0; i < RANGES; i++) {
        void *device = NULL;
        int n = (int)((ends[i + 1] - ends[i]) / sizeof(int)), v = i + 1;
        void *args[] = {&device, &n, &v};
        assert_success(cudaHostGetDevicePointer(&device, block.address + ends[i], 0));
        assert_success(cudaLaunchKernel((const void *)kernel, (dim3){((unsigned)n + 63) / 64, 1, 1},
                                        (dim3){64, 1, 1}, args, 0, NULL));
    }
    assert_success(cudaDeviceSynchronize());
    for (int i = 0; i < RANGES; i++)
        for (size_t at = ends[i]; at < ends[i + 1]; at += sizeof(int))
            assert_int_equal(*(int *)(block.address + at), i + 1);
    for (int i = 0; i < RANGES; i++)
        assert_success(cudaHostUnregister(block.address + ends[i]));
    assert_success(cudaLibraryUnload(library));
    end_block(&block);
}

/* Ranges are the user's to the byte: two in one page do not know each other, and one byte too many is
 * in the way. */
TEST_BODY(memory_host_neighbours_in_a_page)
{
    struct block block = make_block(PAGEABLE, 8192);
    unsigned char *p = block.address, *first = NULL, *second = NULL;
    memset(p, 1, 8192);
    assert_success(cudaHostRegister(p + 100, 1000, cudaHostRegisterDefault));
    assert_fails(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(p + 1099, 1000, 0));
    assert_fails(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(p, 101, 0));
    assert_fails(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(p, 8192, 0));
    assert_success(cudaHostRegister(p + 1100, 4000, cudaHostRegisterPortable));
    assert_success(cudaHostGetDevicePointer((void **)&first, p + 1099, 0));
    assert_success(cudaHostGetDevicePointer((void **)&second, p + 1100, 0));
    assert_success(cudaMemset(first, 2, 1));
    assert_success(cudaMemset(second, 3, 4000));
    assert_success(cudaDeviceSynchronize());
    assert_int_equal(p[1098], 1);
    assert_int_equal(p[1099], 2);
    assert_int_equal(p[1100], 3);
    assert_int_equal(p[5099], 3);
    assert_int_equal(p[5100], 1);
    assert_fails(cudaErrorInvalidValue, cudaMemset(first, 2, 2));
    assert_fails(cudaErrorInvalidValue, cudaHostUnregister(p + 101));
    assert_fails(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(p));
    assert_success(cudaHostUnregister(p + 100));
    assert_success(cudaMemset(second, 4, 1));
    assert_success(cudaDeviceSynchronize());
    assert_int_equal(p[1100], 4);
    assert_success(cudaHostUnregister(p + 1100));
    end_block(&block);
}
