/* Tests of facade/memory/pointer_attributes.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/memory_support.h"

static struct cudaPointerAttributes attributes_of(const void *p)
{
    struct cudaPointerAttributes attributes;
    memset(&attributes, 0x77, sizeof attributes);
    assert_success(cudaPointerGetAttributes(&attributes, p));
    return attributes;
}

TEST_BODY(pointer_attributes_of_device_memory)
{
    struct block block = make_block(DEVICE, 10000);
    static const size_t offsets[] = {0, 1, 4096, 9999};
    for (size_t i = 0; i < 4; i++) {
        const struct cudaPointerAttributes a = attributes_of(block.address + offsets[i]);
        assert_int_equal(a.type, cudaMemoryTypeDevice);
        assert_int_equal(a.device, 0);
        assert_ptr_equal(a.devicePointer, block.address + offsets[i]);
        assert_null(a.hostPointer);
    }
    end_block(&block);
}

TEST_BODY(pointer_attributes_of_host_memory)
{
    struct block blocks[] = {make_block(PINNED, 10000), make_block(REGISTERED, 10000)};
    for (size_t i = 0; i < 2; i++) {
        void *device = NULL;
        const struct cudaPointerAttributes a = attributes_of(blocks[i].address + 77);
        assert_success(cudaHostGetDevicePointer(&device, blocks[i].address + 77, 0));
        assert_int_equal(a.type, cudaMemoryTypeHost);
        assert_int_equal(a.device, 0);
        assert_ptr_equal(a.devicePointer, device);
        assert_ptr_equal(a.hostPointer, blocks[i].address + 77);
        assert_ptr_equal(attributes_of(device).hostPointer, blocks[i].address + 77);
        end_block(&blocks[i]);
    }
}

TEST_BODY(pointer_attributes_of_unknown_memory)
{
    static int variable;
    struct block pageable = make_block(PAGEABLE, 4096), device = make_block(DEVICE, 4096);
    const void *const unknown[] = {&variable, pageable.address, device.address + 4096,
                                   (void *)(uintptr_t)1, (void *)UINTPTR_MAX};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        assert_int_equal(attributes_of(unknown[i]).type, cudaMemoryTypeUnregistered);
    end_block(&device);
    end_block(&pageable);
}

TEST_BODY(pointer_attributes_end_with_the_memory)
{
    struct block blocks[] = {make_block(DEVICE, 4096), make_block(PINNED, 4096)};
    for (size_t i = 0; i < 2; i++) {
        const void *freed = blocks[i].address;
        end_block(&blocks[i]);
        assert_int_equal(attributes_of(freed).type, cudaMemoryTypeUnregistered);
    }
}

TEST_BODY(pointer_attributes_refuses_null)
{
    struct block device = make_block(DEVICE, 4096);
    assert_fails(cudaErrorInvalidValue, cudaPointerGetAttributes(NULL, device.address));
    end_block(&device);
}
