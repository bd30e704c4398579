/* Tests of cl/memory/address.c: what a reference keeps, and both sides of an allocation.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/memory/allocation.h"
#include "tests/test.h"

#include <pthread.h>

#include "cl/memory/address.h"
#include "cl/state/state.h"

static void destroy(struct ocl_allocation *allocation)
{
    (void)allocation;
}

/* An allocation that holds nothing; static, because lookups may come when it is gone. */
static void fill_in(struct ocl_allocation *allocation, enum ocl_memory_kind kind, uint64_t address,
                    void *host, size_t bytes)
{
    allocation->destroy = destroy;
    allocation->kind = kind;
    allocation->address = address;
    allocation->host = host;
    allocation->bytes = bytes;
    atomic_store(&allocation->is_live, true);
    atomic_store(&allocation->references, 1);
}

static struct ocl_allocation *found_at(uint64_t address)
{
    struct ocl_allocation *found = ocl_address_acquire(address);
    if (found)
        ocl_allocation_release(found);
    return found;
}

TEST_BODY(address_finds_bytes_asked_for_and_not_the_padding)
{
    static struct ocl_allocation allocation;
    fill_in(&allocation, OCL_MEMORY_DEVICE, 0x70000000, NULL, 300);
    assert_int_equal(ocl_address_insert(&allocation), OCL_OK);
    assert_ptr_equal(found_at(0x70000000), &allocation);
    assert_ptr_equal(found_at(0x70000000 + 299), &allocation);
    assert_null(found_at(0x70000000 + 300));
    assert_null(found_at(0x70000000 + 511));
    assert_null(found_at(0x70000000 - 1));
    assert_null(found_at(0));
    assert_int_equal(atomic_load(&allocation.references), 1);
}

TEST_BODY(address_knows_both_sides)
{
    static struct ocl_allocation allocation;
    static char host[1000];
    const uint64_t base = (uint64_t)(uintptr_t)host;
    fill_in(&allocation, OCL_MEMORY_REGISTERED, 0x1000000000000, host, sizeof host);
    assert_int_equal(ocl_address_insert(&allocation), OCL_OK);
    assert_ptr_equal(found_at(0x1000000000000 + 999), &allocation);
    assert_ptr_equal(found_at(base), &allocation);
    assert_ptr_equal(found_at(base + 999), &allocation);
    assert_null(found_at(base + 1000));
    assert_int_equal(ocl_allocation_offset(&allocation, base + 7), 7);
    assert_int_equal(ocl_allocation_offset(&allocation, 0x1000000000007), 7);
    assert_false(ocl_address_is_free(base + 999, 1));
    assert_true(ocl_address_is_free(base + 1000, 1));
    ocl_address_erase(&allocation);
    assert_null(found_at(base));
    assert_null(found_at(0x1000000000000));
}

TEST_BODY(address_takes_equal_sides_once)
{
    static struct ocl_allocation allocation;
    static char host[64];
    fill_in(&allocation, OCL_MEMORY_REGISTERED, (uint64_t)(uintptr_t)host, host, sizeof host);
    assert_int_equal(ocl_address_insert(&allocation), OCL_OK);
    assert_ptr_equal(found_at((uint64_t)(uintptr_t)host + 63), &allocation);
    ocl_address_erase(&allocation);
    assert_null(found_at((uint64_t)(uintptr_t)host));
}

TEST_BODY(address_refuses_a_taken_side_and_forgets_the_other)
{
    static struct ocl_allocation first, second;
    static char host[64];
    fill_in(&first, OCL_MEMORY_REGISTERED, (uint64_t)(uintptr_t)host + 63, NULL, 100);
    fill_in(&second, OCL_MEMORY_REGISTERED, 0x2000000000000, host, sizeof host);
    assert_int_equal(ocl_address_insert(&first), OCL_OK);
    assert_int_equal(ocl_address_insert(&second), OCL_E_ALREADY);
    assert_null(found_at(0x2000000000000));
    assert_ptr_equal(found_at((uint64_t)(uintptr_t)host + 63), &first);
    assert_true(ocl_address_is_free(0x2000000000000, 64));
}

TEST_BODY(address_reference_outlives_the_range)
{
    static struct ocl_allocation allocation;
    fill_in(&allocation, OCL_MEMORY_DEVICE, 0x70000000, NULL, 4096);
    assert_int_equal(ocl_address_insert(&allocation), OCL_OK);
    struct ocl_allocation *held = ocl_address_acquire(0x70000fff);
    assert_ptr_equal(held, &allocation);
    ocl_address_erase(&allocation);
    ocl_allocation_release(&allocation);
    assert_int_equal(atomic_load(&allocation.references), 1);
    assert_int_equal(held->bytes, 4096);
    ocl_allocation_release(held);
    assert_int_equal(atomic_load(&allocation.references), 0);
    assert_false(ocl_allocation_retain(&allocation));
}

/* --- An allocation that moves, and readers who must never see it where it is not --- */

enum { MOVES = 40000, PLACES = 8 };

static struct ocl_allocation moving;
static _Atomic bool is_moving;
static _Atomic unsigned wrong;

static uint64_t place(unsigned index)
{
    return 0x7e0000000000 + (uint64_t)index * 0x1100;
}

static void *look(void *argument)
{
    unsigned index = *(unsigned *)argument;
    while (atomic_load(&is_moving)) {
        const uint64_t address = place(index++ % PLACES) + 0x7f;
        struct ocl_allocation *found = ocl_address_acquire(address);
        if (!found)
            continue;
        /* With a reference nothing of it may change, and it must hold the address. */
        if (found != &moving || address - found->address >= found->bytes ||
            found->flags != (unsigned)found->address)
            atomic_fetch_add(&wrong, 1);
        ocl_allocation_release(found);
    }
    return NULL;
}

/* Takes the last reference without ending the allocation, as its owner may. */
static void take_back(struct ocl_allocation *allocation)
{
    for (uint32_t one = 1; !atomic_compare_exchange_weak(&allocation->references, &one, 0); one = 1)
        continue;
}

TEST_BODY(address_readers_never_hold_a_changing_allocation)
{
    pthread_t threads[2];
    unsigned starts[2] = {0, 3};
    atomic_store(&is_moving, true);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, look, &starts[i]), 0);
    for (unsigned i = 0; i < MOVES; i++) {
        moving.kind = OCL_MEMORY_REGISTERED;
        moving.address = place(i % PLACES);
        moving.bytes = i % 2 ? 0x80 : 0x1080;
        moving.flags = (unsigned)moving.address;
        atomic_store_explicit(&moving.references, 1, memory_order_release);
        assert_int_equal(ocl_address_insert(&moving), OCL_OK);
        ocl_address_erase(&moving);
        take_back(&moving);
    }
    atomic_store(&is_moving, false);
    for (unsigned i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&wrong), 0);
}
