/* Tests of cl/memory/memory.c on a real device, and where a driver must fail, over one that only counts.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/memory.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cl/base/host_memory.h"
#include "cl/memory/address.h"
#include "cl/memory/allocation.h"
#include "cl/memory/pool.h"
#include "cl/queue/waited.h"
#include "cl/state/paging.h"
#include "tests/cl/held.h"

static const void *at(uint64_t address)
{
    return (const void *)(uintptr_t)address;
}

static uint64_t allocate(struct ocl_context *context, size_t bytes)
{
    uint64_t address = 0;
    assert_int_equal(ocl_memory_allocate(context, bytes, 0, &address), OCL_OK);
    assert_int_not_equal(address, 0);
    assert_int_equal(address % OCL_MEMORY_ALIGNMENT, 0);
    return address;
}

static void release(enum ocl_memory_kind kind, const void *pointer)
{
    assert_int_equal(ocl_memory_free(kind, pointer), OCL_OK);
}

static bool is_known(const void *pointer)
{
    struct ocl_memory_view view;
    return ocl_memory_find(pointer, &view);
}

/* --- Device memory --- */

/* Kernels get sub-buffers of the handle strategy's memory, which drivers let begin at some places
 * only; PoCL at any multiple of 128, NVIDIA's at multiples of 512. */
TEST_BODY(memory_of_handles_begins_where_sub_buffers_can)
{
    enum { COUNT = 20 };
    uint64_t addresses[COUNT];
    struct ocl_context *context = open_context();
    struct ocl_device *device = (struct ocl_device *)(uintptr_t)context->device;
    const uint32_t usual = device->facts.base_align_bytes;
    if (ocl_context_address(context) != OCL_ADDRESS_HANDLE)
        TEST_SKIP("not the handle strategy");
    device->facts.base_align_bytes = usual > 512 ? usual : 512;
    for (size_t i = 0; i < COUNT; i++)
        addresses[i] = allocate(context, 1 + 137 * i * i);
    for (size_t i = 0; i < COUNT; i++) {
        struct ocl_allocation *found = ocl_address_acquire(addresses[i]);
        assert_int_equal(found->offset % device->facts.base_align_bytes, 0);
        ocl_allocation_release(found);
        release(OCL_MEMORY_DEVICE, at(addresses[i]));
    }
    device->facts.base_align_bytes = usual;
    ocl_context_close(context);
}

TEST_BODY(memory_finds_every_inner_address)
{
    static const size_t sizes[] = {1, 255, 256, 257, 4096, 100001, 1 << 20, (1 << 20) + 1, 5000001};
    struct ocl_context *context = open_context();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const size_t bytes = sizes[i];
        struct ocl_memory_view view;
        uint64_t address = 0;
        assert_int_equal(ocl_memory_allocate(context, bytes, 40 + (unsigned)i, &address), OCL_OK);
        const uint64_t asked[] = {address, address + bytes / 2, address + bytes - 1};
        for (size_t k = 0; k < 3; k++) {
            assert_true(ocl_memory_find(at(asked[k]), &view));
            assert_int_equal(view.kind, OCL_MEMORY_DEVICE);
            assert_ptr_equal(view.context, context);
            assert_int_equal(view.address, address);
            assert_int_equal(view.bytes, bytes);
            assert_int_equal(view.flags, 40 + i);
        }
        struct ocl_allocation *found =
            ocl_address_acquire(address + bytes); /* perhaps a neighbour's, never ours */
        assert_true(!found || found->address != address);
        if (found)
            ocl_allocation_release(found);
    }
    ocl_context_close(context);
}

/* Whether the kernel's list of the process's memory marks an address so; a mark is two letters. */
static bool is_marked(uint64_t address, const char *mark)
{
    FILE *file = fopen("/proc/self/smaps", "r");
    char line[1024];
    bool is_it = false, is_there = false;
    while (file && fgets(line, sizeof line, file)) {
        unsigned long long first, end;
        if (sscanf(line, "%llx-%llx ", &first, &end) == 2)
            is_it = address >= first && address < end;
        else if (is_it && strncmp(line, "VmFlags:", strlen("VmFlags:")) == 0)
            is_there = strstr(line + strlen("VmFlags:"), mark) != NULL;
    }
    if (file)
        fclose(file);
    return is_there;
}

TEST_BODY(memory_of_the_host_asks_for_large_pages)
{
    enum { BYTES = 64 << 20 };
    struct ocl_context *context = open_context();
    if (!context->capability.device_is_host_memory ||
        ocl_context_address(context) == OCL_ADDRESS_HANDLE)
        TEST_SKIP("device memory is not seen to be the host's");
    if (access("/sys/kernel/mm/transparent_hugepage", F_OK) != 0)
        TEST_SKIP("the system has one size of pages");
    const uint64_t address = allocate(context, BYTES);
    assert_true(is_marked(address + BYTES / 2, " hg"));
    release(OCL_MEMORY_DEVICE, at(address));
    void *host = NULL;
    uint64_t pinned = 0;
    assert_int_equal(ocl_memory_allocate_host(context, BYTES, 0, &host, &pinned), OCL_OK);
    assert_true(is_marked((uint64_t)(uintptr_t)host + BYTES / 2, " hg"));
    release(OCL_MEMORY_HOST, host);
    ocl_context_close(context);
}

TEST_BODY(memory_free_takes_only_what_starts_there)
{
    struct ocl_context *context = open_context();
    const uint64_t address = allocate(context, 4096);
    int on_the_stack;
    assert_int_equal(ocl_memory_free(OCL_MEMORY_DEVICE, at(address + 1)), OCL_E_NOT_FOUND);
    assert_int_equal(ocl_memory_free(OCL_MEMORY_DEVICE, at(address + 256)), OCL_E_NOT_FOUND);
    assert_int_equal(ocl_memory_free(OCL_MEMORY_HOST, at(address)), OCL_E_NOT_FOUND);
    assert_int_equal(ocl_memory_free(OCL_MEMORY_REGISTERED, at(address)), OCL_E_NOT_FOUND);
    assert_int_equal(ocl_memory_free(OCL_MEMORY_DEVICE, &on_the_stack), OCL_E_NOT_FOUND);
    assert_int_equal(ocl_memory_free(OCL_MEMORY_DEVICE, NULL), OCL_E_NOT_FOUND);
    assert_true(is_known(at(address)));
    release(OCL_MEMORY_DEVICE, at(address));
    assert_false(is_known(at(address)));
    assert_int_equal(ocl_memory_free(OCL_MEMORY_DEVICE, at(address)), OCL_E_NOT_FOUND);
    ocl_context_close(context);
}

TEST_BODY(memory_ids_are_never_used_again)
{
    struct ocl_context *context = open_context();
    struct ocl_memory_view view;
    uint64_t last = 0;
    for (int i = 0; i < 100; i++) {
        const uint64_t address = allocate(context, 512);
        assert_true(ocl_memory_find(at(address), &view));
        assert_true(view.id > last);
        last = view.id;
        release(OCL_MEMORY_DEVICE, at(address));
    }
    ocl_context_close(context);
}

TEST_BODY(memory_place_lies_in_the_driver_object)
{
    static const size_t sizes[] = {1, 300, 70000, 3000000};
    struct ocl_context *context = open_context();
    for (int i = 0; i < 40; i++) {
        const size_t bytes = sizes[i % 4];
        const uint64_t address = allocate(context, bytes);
        struct ocl_allocation *found = ocl_address_acquire(address);
        const struct ocl_place first = ocl_allocation_place(found, address);
        const struct ocl_place last = ocl_allocation_place(found, address + bytes - 1);
        assert_int_equal(last.offset - first.offset, bytes - 1);
        assert_int_equal(found->block->address + first.offset, address);
        size_t object_bytes = 0;
        if (first.buffer) {
            clGetMemObjectInfo(first.buffer, CL_MEM_SIZE, sizeof object_bytes, &object_bytes, NULL);
            assert_true(last.offset < object_bytes);
        } else {
            assert_non_null(first.pointer);
            assert_ptr_equal((char *)last.pointer, (char *)first.pointer + bytes - 1);
        }
        ocl_allocation_release(found);
    }
    ocl_context_close(context);
}

TEST_BODY(memory_keeps_what_commands_wrote)
{
    enum { COUNT = 200, BYTES = 5000 };
    struct ocl_context *context = open_context();
    cl_command_queue commands = ocl_queue_legacy(context)->cl;
    static unsigned char bytes[BYTES], back[BYTES];
    uint64_t addresses[COUNT];
    if (!context->capability.has_block_buffers)
        TEST_SKIP("blocks have no cl_mem under this strategy");
    for (unsigned i = 0; i < COUNT; i++) {
        addresses[i] = allocate(context, BYTES);
        struct ocl_allocation *found = ocl_address_acquire(addresses[i]);
        const struct ocl_place place = ocl_allocation_place(found, addresses[i]);
        memset(bytes, (int)i + 1, BYTES);
        assert_int_equal(clEnqueueWriteBuffer(commands, place.buffer, CL_TRUE, place.offset, BYTES,
                                              bytes, 0, NULL, NULL),
                         CL_SUCCESS);
        ocl_allocation_release(found);
    }
    for (unsigned i = 0; i < COUNT; i++) {
        struct ocl_allocation *found = ocl_address_acquire(addresses[i]);
        const struct ocl_place place = ocl_allocation_place(found, addresses[i]);
        memset(bytes, (int)i + 1, BYTES);
        assert_int_equal(clEnqueueReadBuffer(commands, place.buffer, CL_TRUE, place.offset, BYTES,
                                             back, 0, NULL, NULL),
                         CL_SUCCESS);
        assert_memory_equal(bytes, back, BYTES);
        ocl_allocation_release(found);
    }
    ocl_context_close(context);
}

/* --- Freeing while work goes on --- */

struct freeing {
    uint64_t address;
    ocl_status status;
    _Atomic bool is_done;
};

static void *free_it(void *argument)
{
    struct freeing *freeing = argument;
    freeing->status = ocl_memory_free(OCL_MEMORY_DEVICE, at(freeing->address));
    atomic_store(&freeing->is_done, true);
    return NULL;
}

TEST_BODY(memory_free_waits_for_work_and_forgets_at_once)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_NON_BLOCKING);
    struct freeing freeing = {.address = allocate(context, 4096)};
    cl_event gate = hold(queue);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, free_it, &freeing), 0);
    while (is_known(at(freeing.address)))
        sched_yield();
    usleep(50000);
    assert_false(atomic_load(&freeing.is_done));
    assert_int_equal(ocl_memory_free(OCL_MEMORY_DEVICE, at(freeing.address)), OCL_E_NOT_FOUND);
    const uint64_t other = allocate(context, 4096); /* needs no wait, and is other memory */
    assert_int_not_equal(other, freeing.address);
    let_go(gate);
    pthread_join(thread, NULL);
    assert_int_equal(freeing.status, OCL_OK);
    ocl_context_close(context);
}

/* --- Host memory --- */

TEST_BODY(memory_host_is_page_aligned_and_known_by_both_numbers)
{
    static const size_t sizes[] = {1, 4096, 100000, 3 << 20};
    struct ocl_context *context = open_context();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct ocl_memory_view view;
        void *host = NULL;
        uint64_t address = 0;
        assert_int_equal(ocl_memory_allocate_host(context, sizes[i], 7, &host, &address), OCL_OK);
        assert_int_equal((uintptr_t)host % (uintptr_t)sysconf(_SC_PAGESIZE), 0);
        if (context->capability.reaches_pinned_host)
            assert_int_equal(address, (uintptr_t)host);
        memset(host, 5, sizes[i]);
        const void *const asked[] = {host, (char *)host + sizes[i] - 1, at(address),
                                     at(address + sizes[i] - 1)};
        for (size_t k = 0; k < 4; k++) {
            assert_true(ocl_memory_find(asked[k], &view));
            assert_int_equal(view.kind, OCL_MEMORY_HOST);
            assert_ptr_equal(view.host, host);
            assert_int_equal(view.address, address);
            assert_int_equal(view.bytes, sizes[i]);
            assert_int_equal(view.flags, 7);
        }
        assert_false(is_known((char *)host + sizes[i]));
        assert_int_equal(ocl_memory_free(OCL_MEMORY_DEVICE, host), OCL_E_NOT_FOUND);
        assert_int_equal(ocl_memory_free(OCL_MEMORY_HOST, (char *)host + sizes[i] - 1),
                         sizes[i] == 1 ? OCL_OK : OCL_E_NOT_FOUND);
        if (sizes[i] > 1)
            release(OCL_MEMORY_HOST, host);
        assert_false(is_known(host));
        assert_false(is_known(at(address)));
    }
    ocl_context_close(context);
}

TEST_BODY(memory_host_pieces_share_blocks_and_no_pages)
{
    enum { COUNT = 100 };
    struct ocl_context *context = open_context();
    unsigned char *hosts[COUNT];
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < COUNT; i++) {
            const size_t bytes = 1 + i * 700;
            uint64_t address = 0;
            void *host = NULL;
            assert_int_equal(ocl_memory_allocate_host(context, bytes, 0, &host, &address), OCL_OK);
            assert_int_equal((uintptr_t)host % page, 0);
            hosts[i] = host;
            memset(host, (int)(i + round), (bytes + page - 1) / page * page);
        }
        for (unsigned i = 0; i < COUNT; i++) {
            for (size_t k = 0; k < 1 + i * 700; k++)
                assert_int_equal(hosts[i][k], i + round);
            release(OCL_MEMORY_HOST, hosts[i]);
        }
    }
    ocl_context_close(context);
}

TEST_BODY(memory_host_beyond_the_machine_is_refused)
{
    struct ocl_context *context = open_context();
    void *host = NULL;
    uint64_t address = 0;
    assert_int_equal(ocl_memory_allocate_host(context, SIZE_MAX, 0, &host, &address),
                     OCL_E_OUT_OF_MEMORY);
    assert_int_equal(ocl_memory_allocate_host(context, (size_t)1 << 50, 0, &host, &address),
                     OCL_E_OUT_OF_MEMORY);
    assert_null(host);
    ocl_context_close(context);
}

/* Pages of the test's own, in the middle of which it registers. */
static char *make_pages(size_t bytes)
{
    char *pages = aligned_alloc(4096, bytes);
    assert_non_null(pages);
    memset(pages, 1, bytes);
    return pages;
}

TEST_BODY(memory_registers_exactly_these_bytes)
{
    struct ocl_context *context = open_context();
    char *pages = make_pages(16 * 4096);
    struct ocl_memory_view view;
    char *first = pages + 4096 + 17;
    assert_int_equal(ocl_memory_register(context, first, 9001, 3), OCL_OK);
    assert_false(is_known(first - 1));
    assert_false(is_known(first + 9001));
    assert_true(ocl_memory_find(first + 9000, &view));
    assert_int_equal(view.kind, OCL_MEMORY_REGISTERED);
    assert_ptr_equal(view.host, first);
    assert_int_equal(view.bytes, 9001);
    assert_int_equal(view.flags, 3);
    assert_true(is_known(at(view.address + 9000)));
    assert_int_equal(ocl_memory_free(OCL_MEMORY_HOST, first), OCL_E_NOT_FOUND);
    assert_int_equal(ocl_memory_free(OCL_MEMORY_REGISTERED, first + 1), OCL_E_NOT_FOUND);
    release(OCL_MEMORY_REGISTERED, first);
    assert_false(is_known(first));
    assert_int_equal(ocl_memory_free(OCL_MEMORY_REGISTERED, first), OCL_E_NOT_FOUND);
    ocl_context_close(context);
    assert_int_equal(first[9000], 1); /* the user's memory is still the user's */
    free(pages);
}

TEST_BODY(memory_refuses_to_register_known_bytes)
{
    struct ocl_context *context = open_context();
    char *pages = make_pages(16 * 4096);
    void *host = NULL;
    uint64_t address = 0;
    assert_int_equal(ocl_memory_register(context, pages + 8192, 8192, 0), OCL_OK);
    assert_int_equal(ocl_memory_register(context, pages + 8192, 8192, 0), OCL_E_ALREADY);
    assert_int_equal(ocl_memory_register(context, pages, 8193, 0), OCL_E_ALREADY);
    assert_int_equal(ocl_memory_register(context, pages + 16383, 1, 0), OCL_E_ALREADY);
    assert_int_equal(ocl_memory_register(context, pages, 16 * 4096, 0), OCL_E_ALREADY);
    assert_int_equal(ocl_memory_allocate_host(context, 4096, 0, &host, &address), OCL_OK);
    assert_int_equal(ocl_memory_register(context, host, 1, 0), OCL_E_ALREADY);
    assert_int_equal(ocl_memory_register(context, pages, 0, 0), OCL_E_INVALID_VALUE);
    assert_int_equal(ocl_memory_register(context, pages, SIZE_MAX, 0), OCL_E_INVALID_VALUE);
    release(OCL_MEMORY_REGISTERED, pages + 8192);
    assert_int_equal(ocl_memory_register(context, pages, 16 * 4096, 0), OCL_OK);
    ocl_context_close(context);
    free(pages);
}

TEST_BODY(memory_registers_neighbours_in_one_page)
{
    struct ocl_context *context = open_context();
    char *pages = make_pages(2 * 4096);
    assert_int_equal(ocl_memory_register(context, pages + 100, 100, 1), OCL_OK);
    assert_int_equal(ocl_memory_register(context, pages + 200, 50, 2), OCL_OK);
    struct ocl_memory_view view;
    assert_true(ocl_memory_find(pages + 199, &view));
    assert_int_equal(view.flags, 1);
    assert_true(ocl_memory_find(pages + 200, &view));
    assert_int_equal(view.flags, 2);
    release(OCL_MEMORY_REGISTERED, pages + 100);
    assert_false(is_known(pages + 199));
    assert_true(is_known(pages + 200));
    ocl_context_close(context);
    free(pages);
}

/* --- Accounting --- */

/* Free bytes. Some drivers' totals follow the machine's; then nothing can be said. */
static size_t left_of(struct ocl_context *context, size_t *total)
{
    size_t left = 0, now = 0;
    ocl_memory_info(context, &left, &now);
    if (*total != 0 && now != *total)
        TEST_SKIP("the device's total moved meanwhile");
    *total = now;
    assert_true(left > 0 && left <= now);
    return left;
}

TEST_BODY(memory_info_counts_blocks_and_kept_ones_are_free)
{
    const size_t large = 64 << 20;
    struct ocl_context *context = open_context();
    size_t total = 0;
    const size_t before = left_of(context, &total);
    if (before < 4 * large)
        TEST_SKIP("the device has too little memory left");
    const uint64_t address = allocate(context, large);
    assert_int_equal(before - left_of(context, &total), large);
    release(OCL_MEMORY_DEVICE, at(address));
    assert_int_equal(left_of(context, &total), before);
    ocl_memory_trim(context);
    assert_int_equal(left_of(context, &total), before);
    ocl_context_close(context);
}

TEST_BODY(memory_refuses_more_than_there_is)
{
    struct ocl_context *context = open_context();
    size_t left = 0, total = 0;
    uint64_t address = 1;
    ocl_memory_info(context, &left, &total);
    assert_int_equal(ocl_memory_allocate(context, SIZE_MAX, 0, &address), OCL_E_OUT_OF_MEMORY);
    assert_int_equal(ocl_memory_allocate(context, SIZE_MAX / 2 + 2, 0, &address),
                     OCL_E_OUT_OF_MEMORY);
    assert_int_equal(ocl_memory_allocate(context, total + 1, 0, &address), OCL_E_OUT_OF_MEMORY);
    assert_int_equal(ocl_memory_allocate(context, left + (1 << 20), 0, &address),
                     OCL_E_OUT_OF_MEMORY);
    assert_int_equal(address, 1);
    allocate(context, 4096); /* nothing is broken */
    ocl_context_close(context);
}

TEST_BODY(memory_host_available_is_a_number_of_this_machine)
{
    const uint64_t available = ocl_host_memory_available();
    const uint64_t physical = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    assert_true(available > 0 && available < physical);
}

/* --- A driver that only counts --- */

#define COUNTING_BASE 0xfe00000000000000 /* no real driver counts up to there */

static void do_nothing(struct ocl_context *context)
{
    (void)context;
}

static const struct ocl_following nothing = {
    .keep_failures = do_nothing,
    .trim_pools = do_nothing,
    .let_touch = do_nothing,
    .bring_back = do_nothing,
    .print = do_nothing,
};

static void let_end(struct ocl_allocation *allocation)
{
    (void)allocation;
}

static const struct ocl_paging no_pages = {.join = let_end};

static struct {
    struct ocl_context context;
    uint64_t next_address;
    _Atomic int live;
} counting = {
    .context = {.following = &nothing,
                .paging = &no_pages,
                .block_lock = PTHREAD_MUTEX_INITIALIZER,
                .queue_lock = PTHREAD_MUTEX_INITIALIZER,
                .memory_lock = PTHREAD_MUTEX_INITIALIZER},
};

static ocl_status counting_create(struct ocl_context *context, size_t bytes,
                                  struct ocl_block **block)
{
    struct ocl_block *made = calloc(1, sizeof *made);
    pthread_mutex_lock(&context->block_lock);
    made->address = counting.next_address;
    counting.next_address += bytes + 4096;
    pthread_mutex_unlock(&context->block_lock);
    atomic_fetch_add(&counting.live, 1);
    *block = made;
    return OCL_OK;
}

static void counting_destroy(struct ocl_block *block)
{
    atomic_fetch_sub(&counting.live, 1);
    free(block);
}

static size_t counting_first(const struct ocl_block *block)
{
    (void)block;
    return 0;
}

static uint64_t counting_total(struct ocl_context *context)
{
    (void)context;
    return (uint64_t)64 << 30;
}

static struct ocl_context *open_counting(void)
{
    static const struct ocl_pool_source source = {
        .create = counting_create,
        .destroy = counting_destroy,
        .first = counting_first,
        .total = counting_total,
        .available = counting_total,
        .kept_most = 1 << 30,
    };
    struct ocl_context *context = &counting.context;
    struct ocl_pool *pool = NULL;
    counting.next_address = COUNTING_BASE;
    assert_int_equal(ocl_pool_create(context, &source, &pool), OCL_OK);
    atomic_store(&context->pool, pool);
    return context;
}

/* --- Closing --- */

TEST_BODY(memory_of_a_closed_context_is_unknown)
{
    struct ocl_context *context = open_context(), *other = open_counting();
    char *pages = make_pages(4096);
    void *host = NULL;
    uint64_t host_address = 0;
    const uint64_t addresses[] = {allocate(context, 100), allocate(context, 5000000),
                                  allocate(context, 4096)};
    const uint64_t stays = allocate(other, 100);
    assert_int_equal(ocl_memory_allocate_host(context, 4096, 0, &host, &host_address), OCL_OK);
    assert_int_equal(ocl_memory_register(context, pages, 100, 0), OCL_OK);
    ocl_context_close(context);
    for (size_t i = 0; i < 3; i++)
        assert_false(is_known(at(addresses[i])));
    assert_false(is_known(host));
    assert_false(is_known(pages));
    assert_true(is_known(at(stays)));
    ocl_memory_release_all(other);
    assert_false(is_known(at(stays)));
    free(pages);
}

/* --- Many threads --- */

enum { USERS = 3, HELD_MOST = 200, STEPS = 30000 };

struct user {
    struct ocl_context *context;
    uint64_t random;
    unsigned wrong;
};

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* What is found at an address must hold it, and its parts must belong together: flags are made from
 * bytes. */
static unsigned look_at(uint64_t address, bool must_be_known)
{
    struct ocl_memory_view view;
    if (!ocl_memory_find(at(address), &view))
        return must_be_known;
    return address - view.address >= view.bytes || view.flags != (unsigned)view.bytes * 3 + 1;
}

static void *use_memory(void *argument)
{
    struct user *user = argument;
    struct {
        uint64_t address;
        size_t bytes;
    } held[HELD_MOST] = {0};
    for (int step = 0; step < STEPS; step++) {
        const uint64_t i = random_next(&user->random) % HELD_MOST;
        if (held[i].bytes > 0) {
            user->wrong +=
                look_at(held[i].address + random_next(&user->random) % held[i].bytes, true);
            user->wrong += ocl_memory_free(OCL_MEMORY_DEVICE, at(held[i].address)) != OCL_OK;
            held[i].bytes = 0;
        } else {
            held[i].bytes = 1 + random_next(&user->random) % (step % 500 ? 9000 : 4000000);
            user->wrong +=
                ocl_memory_allocate(user->context, held[i].bytes, (unsigned)held[i].bytes * 3 + 1,
                                    &held[i].address) != OCL_OK;
        }
        user->wrong += look_at(COUNTING_BASE + random_next(&user->random) % (8 << 20), false);
    }
    return NULL;
}

TEST_BODY(memory_serves_many_threads)
{
    struct ocl_context *context = open_counting();
    pthread_t threads[USERS];
    struct user users[USERS];
    for (unsigned i = 0; i < USERS; i++) {
        users[i] = (struct user){context, 17 + i, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, use_memory, &users[i]), 0);
    }
    for (unsigned i = 0; i < USERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(users[i].wrong, 0);
    }
    ocl_memory_release_all(context);
    assert_int_equal(atomic_load(&counting.live), 0);
}

TEST_BODY(memory_at_numbers_in_use_is_refused)
{
    struct ocl_context *context = open_counting();
    static struct ocl_allocation blocker; /* lookups may come when it is gone */
    struct ocl_memory_view view;
    uint64_t address = 1;
    blocker.kind = OCL_MEMORY_REGISTERED;
    blocker.address = counting.next_address + 255;
    blocker.bytes = 1;
    atomic_store(&blocker.references, 1);
    atomic_store(&blocker.is_live, true);
    assert_int_equal(ocl_address_insert(&blocker), OCL_OK);
    assert_int_equal(ocl_memory_allocate(context, 4096, 0, &address), OCL_E_OUT_OF_MEMORY);
    assert_int_equal(address, 1);
    assert_true(ocl_memory_find(at(blocker.address), &view));
    assert_int_equal(view.bytes, 1);
    ocl_address_erase(&blocker);
    allocate(context, 4096);
    ocl_memory_release_all(context);
    assert_int_equal(atomic_load(&counting.live), 0);
}

TEST_BODY(memory_one_of_many_double_frees_succeeds)
{
    struct ocl_context *context = open_counting();
    for (int round = 0; round < 300; round++) {
        struct freeing freeing[USERS];
        pthread_t threads[USERS];
        const uint64_t address = allocate(context, 4096);
        unsigned successes = 0;
        for (int i = 0; i < USERS; i++) {
            freeing[i] = (struct freeing){.address = address};
            assert_int_equal(pthread_create(&threads[i], NULL, free_it, &freeing[i]), 0);
        }
        for (int i = 0; i < USERS; i++) {
            pthread_join(threads[i], NULL);
            successes += freeing[i].status == OCL_OK;
            assert_true(freeing[i].status == OCL_OK || freeing[i].status == OCL_E_NOT_FOUND);
        }
        assert_int_equal(successes, 1);
    }
    ocl_memory_release_all(context);
    assert_int_equal(atomic_load(&counting.live), 0);
}

static _Atomic bool is_looking;

static void *keep_looking(void *argument)
{
    struct user *user = argument;
    while (atomic_load(&is_looking))
        user->wrong += look_at(COUNTING_BASE + random_next(&user->random) % (1 << 20), false);
    return NULL;
}

TEST_BODY(memory_is_released_beside_lookups)
{
    struct user users[2];
    pthread_t threads[2];
    struct ocl_context *context = open_counting();
    atomic_store(&is_looking, true);
    for (unsigned i = 0; i < 2; i++) {
        users[i] = (struct user){context, 5 + i, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, keep_looking, &users[i]), 0);
    }
    for (int round = 0; round < 30; round++) {
        uint64_t address;
        for (int i = 0; i < 200; i++)
            assert_int_equal(ocl_memory_allocate(context, 4000, 12001, &address), OCL_OK);
        ocl_memory_release_all(context);
        assert_int_equal(atomic_load(&counting.live), 0);
        open_counting();
    }
    atomic_store(&is_looking, false);
    for (unsigned i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(users[i].wrong, 0);
    }
    ocl_memory_release_all(context);
}
