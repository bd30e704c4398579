/* Tests of cl/memory/fixed_memory.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/fixed_memory.h"

#include "cl/memory.h"
#include "cl/memory/address.h"
#include "tests/cl/held.h"

enum { BYTES = 1 << 20 };

static const void *at(uint64_t address)
{
    return (const void *)(uintptr_t)address;
}

static bool is_known(uint64_t address)
{
    struct ocl_memory_view view;
    return ocl_memory_find(at(address), &view);
}

static struct ocl_fixed *make_block(struct ocl_context *context)
{
    struct ocl_fixed *block = NULL;
    assert_int_equal(ocl_fixed_create(context, BYTES, &block), OCL_OK);
    assert_true(ocl_fixed_bytes(block) >= BYTES);
    assert_int_equal(ocl_fixed_address(block) % OCL_MEMORY_ALIGNMENT, 0);
    return block;
}

TEST_BODY(fixed_memory_is_known_while_it_is_in_use)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = ocl_queue_legacy(context);
    struct ocl_fixed *block = make_block(context);
    const uint64_t first = ocl_fixed_address(block), second = first + 8 * ocl_fixed_unit(block);
    struct ocl_memory_view view;
    size_t left = 0;
    assert_false(is_known(first));
    assert_true(ocl_fixed_find(first + 5, NULL, &left));
    assert_int_equal(left, BYTES - 5);
    assert_false(ocl_fixed_is_used(second));
    assert_int_equal(ocl_fixed_begin(block, queue, second, 1000), OCL_OK);
    assert_true(ocl_memory_find(at(second + 999), &view));
    assert_int_equal(view.kind, OCL_MEMORY_DEVICE);
    assert_int_equal(view.address, second);
    assert_int_equal(view.bytes, 1000);
    assert_false(is_known(second + 1000));
    assert_false(is_known(second - 1));
    assert_int_equal(ocl_fixed_begin(block, queue, first, BYTES), OCL_E_ALREADY);
    assert_int_equal(ocl_fixed_begin(block, queue, second + 999, 1), OCL_E_ALREADY);
    assert_int_equal(ocl_fixed_begin(block, queue, first, 8 * ocl_fixed_unit(block)), OCL_OK);
    assert_true(ocl_fixed_is_used(first) && ocl_fixed_is_used(second));
    assert_false(ocl_fixed_is_used(second + 1));
    assert_int_equal(ocl_fixed_end(queue, second + 1), OCL_E_NOT_FOUND);
    assert_int_equal(ocl_fixed_end(queue, second), OCL_OK);
    assert_int_equal(ocl_fixed_end(queue, second), OCL_E_NOT_FOUND);
    assert_true(is_known(first));
    assert_int_equal(ocl_memory_free(OCL_MEMORY_DEVICE, at(first)), OCL_OK);
    assert_false(is_known(first));
    ocl_fixed_let_go(block);
    ocl_context_close(context);
}

/* Whoever holds a part finds its bytes again, whatever part is there then. */
TEST_BODY(fixed_memory_that_is_held_is_found_again)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = ocl_queue_legacy(context);
    struct ocl_fixed *block = make_block(context);
    const uint64_t address = ocl_fixed_address(block);
    struct ocl_memory_view view;
    assert_int_equal(ocl_fixed_begin(block, queue, address, 5000), OCL_OK);
    struct ocl_allocation *held = ocl_memory_hold(at(address + 100), &view);
    assert_non_null(held);
    assert_int_equal(ocl_fixed_end(queue, address), OCL_OK);
    assert_int_equal(ocl_fixed_begin(block, queue, address, 10), OCL_OK);
    struct ocl_allocation *again = ocl_address_acquire_held(address + 100);
    assert_non_null(again);
    ocl_allocation_release(again);
    ocl_memory_let_go(held);
    assert_int_equal(ocl_fixed_end(queue, address), OCL_OK);
    ocl_fixed_let_go(block);
    assert_int_equal(ocl_queue_finish(queue), OCL_OK);
    assert_int_equal(ocl_fixed_get(0, OCL_FIXED_RESERVED), 0);
    assert_false(ocl_fixed_find(address, NULL, NULL));
    ocl_context_close(context);
}

TEST_BODY(fixed_memory_is_counted)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = ocl_queue_legacy(context);
    struct ocl_fixed *block = make_block(context);
    const uint64_t address = ocl_fixed_address(block);
    assert_int_equal(ocl_fixed_get(0, OCL_FIXED_USED), 0);
    assert_int_equal(ocl_fixed_begin(block, queue, address + 4 * ocl_fixed_unit(block), 100),
                     OCL_OK);
    assert_int_equal(ocl_fixed_get(0, OCL_FIXED_USED), 4 * ocl_fixed_unit(block) + 100);
    assert_int_equal(ocl_fixed_get(0, OCL_FIXED_RESERVED), BYTES);
    ocl_fixed_trim(0);
    assert_int_equal(ocl_fixed_get(0, OCL_FIXED_RESERVED), BYTES);
    assert_int_equal(ocl_fixed_end(queue, address + 4 * ocl_fixed_unit(block)), OCL_OK);
    assert_int_equal(ocl_queue_finish(queue), OCL_OK);
    ocl_fixed_trim(0);
    assert_int_equal(ocl_fixed_get(0, OCL_FIXED_USED), 0);
    assert_true(ocl_fixed_get(0, OCL_FIXED_USED_HIGH) > 0);
    ocl_fixed_reset(0, OCL_FIXED_USED_HIGH);
    ocl_fixed_reset(0, OCL_FIXED_RESERVED);
    assert_int_equal(ocl_fixed_get(0, OCL_FIXED_USED_HIGH), 0);
    assert_int_equal(ocl_fixed_get(-1, OCL_FIXED_USED), 0);
    assert_int_equal(ocl_fixed_get(1000, OCL_FIXED_USED), 0);
    ocl_fixed_let_go(block);
    assert_int_equal(ocl_fixed_get(0, OCL_FIXED_RESERVED), 0);
    ocl_context_close(context);
}

/* Holders may outlive the context, and let go then. */
TEST_BODY(fixed_memory_outlives_its_context_without_memory)
{
    struct ocl_context *context = open_context();
    struct ocl_fixed *block = make_block(context), *other = make_block(context);
    const uint64_t address = ocl_fixed_address(block);
    assert_int_equal(ocl_fixed_begin(block, ocl_queue_legacy(context), address, 64), OCL_OK);
    ocl_fixed_hold(other);
    ocl_fixed_let_go(other);
    ocl_context_close(context);
    assert_false(is_known(address));
    assert_false(ocl_fixed_find(address, NULL, NULL));
    assert_int_equal(ocl_fixed_get(0, OCL_FIXED_RESERVED), 0);
    context = open_context();
    assert_int_equal(ocl_fixed_begin(block, ocl_queue_legacy(context), address, 64),
                     OCL_E_NOT_FOUND);
    ocl_fixed_let_go(block);
    ocl_fixed_let_go(other);
    ocl_context_close(context);
}
