/* Tests of cl/block*.c, under whichever address strategy the device has.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/block/block.h"
#include "cl/block/block_strategy.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cl/memory.h"
#include "tests/cl/captured.h"
#include "tests/cl/kernels.h"
#include "tests/cl/refuse.h"

static bool are_apart(const struct ocl_block *a, const struct ocl_block *b)
{
    return a->address + a->bytes <= b->address || b->address + b->bytes <= a->address;
}

TEST_BODY(block_has_an_aligned_byte_and_room_behind_it)
{
    static const size_t sizes[] = {1, 255, 256, 4096, 65537, 1000003};
    struct ocl_context *context = open_tested();
    const size_t alignment =
        context->capability.shares_memory ? ocl_block_page_bytes() : OCL_MEMORY_ALIGNMENT;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct ocl_block *block = NULL;
        assert_int_equal(ocl_block_create(context, sizes[i], &block), OCL_OK);
        const size_t first = ocl_block_first(block);
        assert_int_equal((block->address + first) % alignment, 0);
        assert_true(first < alignment);
        assert_true(first + sizes[i] <= block->bytes);
        assert_true(block->address != 0 && (block->buffer || block->pointer));
        ocl_block_destroy(block);
    }
    ocl_context_close(context);
}

TEST_BODY(block_addresses_are_unique)
{
    enum { COUNT = 64 };
    struct ocl_context *context = open_tested();
    const struct ocl_block *before = context->blocks; /* the context's own */
    struct ocl_block *blocks[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(ocl_block_create(context, 1000 * i + 1, &blocks[i]), OCL_OK);
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < i; j++)
            assert_true(are_apart(blocks[i], blocks[j]));
    for (size_t i = 0; i < COUNT; i++)
        ocl_block_destroy(blocks[i]);
    assert_ptr_equal(context->blocks, before);
    ocl_context_close(context);
}

TEST_BODY(block_keeps_what_is_written)
{
    struct ocl_context *context = open_tested();
    struct ocl_block *one = NULL, *two = NULL;
    uint8_t sent[3000], got[3000];
    assert_int_equal(ocl_block_create(context, 4096, &one), OCL_OK);
    assert_int_equal(ocl_block_create(context, 4096, &two), OCL_OK);
    for (size_t i = 0; i < sizeof sent; i++)
        sent[i] = (uint8_t)(i * 7 + i / 256);
    put_block(one, 100, sent, sizeof sent);
    memset(got, 0xff, sizeof got);
    put_block(two, 100, got, sizeof got);
    get_block(one, 100, got, sizeof got);
    assert_memory_equal(got, sent, sizeof sent);
    ocl_block_destroy(one);
    ocl_block_destroy(two);
    ocl_context_close(context);
}

TEST_BODY(block_too_large_is_out_of_memory_and_harmless)
{
    struct ocl_context *context = open_tested();
    struct ocl_block *block = NULL;
    assert_int_equal(ocl_block_create(context, (size_t)1 << 60, &block), OCL_E_OUT_OF_MEMORY);
    assert_int_equal(ocl_block_create(context, SIZE_MAX, &block), OCL_E_OUT_OF_MEMORY);
    assert_int_equal(ocl_block_create_host(context, SIZE_MAX, &block), OCL_E_OUT_OF_MEMORY);
    assert_null(block);
    assert_int_equal(ocl_block_create(context, 4096, &block), OCL_OK);
    ocl_block_destroy(block);
    ocl_block_destroy(NULL);
    ocl_context_close(context);
}

TEST_BODY(block_generation_changes_with_every_block)
{
    struct ocl_context *context = open_tested();
    struct ocl_block *block = NULL;
    const uint64_t before = atomic_load(&context->memory_generation);
    assert_int_equal(ocl_block_create(context, 4096, &block), OCL_OK);
    const uint64_t with = atomic_load(&context->memory_generation);
    ocl_block_destroy(block);
    assert_true(with != before);
    assert_true(atomic_load(&context->memory_generation) != with);
    ocl_context_close(context);
}

/* A touch by the host must fault where device memory is not host memory. write() tells without the
 * fault. */
TEST_BODY(block_is_out_of_the_hosts_reach_unless_it_is_host_memory)
{
    struct ocl_context *context = open_tested();
    struct ocl_block *block = NULL;
    int ends[2];
    if (context->capability.address == OCL_ADDRESS_SVM ||
        context->capability.address == OCL_ADDRESS_USM)
        TEST_SKIP("shared memory has host addresses by design");
    assert_int_equal(ocl_block_create(context, 65536, &block), OCL_OK);
    assert_int_equal(pipe(ends), 0);
    const bool is_touchable = write(ends[1], (const void *)(uintptr_t)block->address, 1) == 1;
    assert_int_equal(is_touchable, context->capability.device_is_host_memory);
    close(ends[0]);
    close(ends[1]);
    ocl_block_destroy(block);
    ocl_context_close(context);
}

TEST_BODY(block_of_device_memory_can_be_used_by_the_host_where_promised)
{
    struct ocl_context *context = open_tested();
    struct ocl_block *block = NULL;
    uint32_t value = 0;
    if (!context->capability.device_is_host_memory)
        TEST_SKIP("device memory is not host memory");
    assert_int_equal(ocl_block_create(context, 65536, &block), OCL_OK);
    volatile uint32_t *direct = (volatile uint32_t *)(uintptr_t)(block->address + 1024);
    for (uint32_t i = 1; i <= 100; i++) {
        *direct = i;
        get_block(block, 1024, &value, sizeof value);
        assert_int_equal(value, i);
        value = 1000 + i;
        put_block(block, 1024, &value, sizeof value);
        assert_int_equal(*direct, 1000 + i);
    }
    ocl_block_destroy(block);
    ocl_context_close(context);
}

static const char chain_text[] =
    "void walk(global ulong *at) { uint n = 0; while (at[0]) { at[1] = 100 + n++; at = (global "
    "ulong *)at[0]; } }\n"
    "kernel void walk_pointer(global ulong *first) { walk(first); }\n"
    "kernel void walk_number(ulong first) { walk((global ulong *)first); }\n";

/* A list through blocks of many sizes, its links at odd places, of which the kernel is given only
 * the first. */
TEST_BODY(block_addresses_can_be_followed_through_many_blocks)
{
    enum { COUNT = 40 };
    struct ocl_context *context = open_tested();
    if (!context->capability.has_addresses)
        TEST_SKIP("the handle strategy has no addresses in memory");
    struct ocl_block *blocks[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(ocl_block_create(context, 4096 + 5000 * i, &blocks[i]), OCL_OK);
    for (size_t i = 0; i < COUNT; i++) {
        const uint64_t next = i + 1 < COUNT ? blocks[i + 1]->address + 8 * (i + 1) : 0;
        put_block(blocks[i], 8 * i, (uint64_t[]){next, 0}, 16);
    }
    cl_program program = build_text(context, chain_text);
    cl_kernel kernel = make_kernel(
        program, context->capability.pass == OCL_PASS_NUMBER ? "walk_number" : "walk_pointer");
    assert_int_equal(ocl_block_declare_indirect(context, kernel), OCL_OK);
    set_place(kernel, 0, blocks[0], 0);
    assert_int_equal(ocl_probe_run(context, kernel), OCL_OK);
    for (size_t i = 0; i + 1 < COUNT; i++) {
        uint64_t link[2];
        get_block(blocks[i], 8 * i, link, sizeof link);
        assert_int_equal(link[1], 100 + i);
    }
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    for (size_t i = 0; i < COUNT; i++)
        ocl_block_destroy(blocks[i]);
    ocl_context_close(context);
}

TEST_BODY(block_host_is_page_aligned_and_writable)
{
    static const size_t sizes[] = {1, 4096, 4097, 1000000};
    struct ocl_context *context = open_tested();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct ocl_block *block = NULL;
        assert_int_equal(ocl_block_create_host(context, sizes[i], &block), OCL_OK);
        assert_int_equal((uintptr_t)block->pointer % (uintptr_t)sysconf(_SC_PAGESIZE), 0);
        assert_true(block->bytes >= sizes[i]);
        memset(block->pointer, 0x5a, block->bytes);
        assert_true(block->address != 0);
        if (context->capability.reaches_pinned_host)
            assert_int_equal(block->address, (uintptr_t)block->pointer);
        ocl_block_destroy(block);
    }
    ocl_context_close(context);
}

static const char add_text[] = "void add(global uint *x) { x[1] = x[0] + 5; }\n"
                               "kernel void add_pointer(global uint *x) { add(x); }\n"
                               "kernel void add_number(ulong x) { add((global uint *)x); }\n";

/* The host writes, a kernel adds, the host reads: several times, with nothing in between. */
static void check_reach(struct ocl_context *context, const struct ocl_block *block, size_t offset)
{
    cl_program program = build_text(context, add_text);
    volatile uint32_t *pair = (volatile uint32_t *)((char *)block->pointer + offset);
    for (uint32_t i = 1; i <= 5; i++) {
        cl_kernel kernel = make_kernel(
            program, context->capability.pass == OCL_PASS_NUMBER ? "add_number" : "add_pointer");
        assert_int_equal(ocl_block_declare_indirect(context, kernel), OCL_OK);
        pair[0] = 1000 * i;
        pair[1] = 0;
        set_place(kernel, 0, block, offset);
        assert_int_equal(ocl_probe_run(context, kernel), OCL_OK);
        assert_int_equal(pair[1], 1000 * i + 5);
        clReleaseKernel(kernel);
    }
    clReleaseProgram(program);
}

TEST_BODY(block_host_is_reached_by_kernels_where_promised)
{
    struct ocl_context *context = open_tested();
    struct ocl_block *block = NULL;
    if (!context->capability.reaches_pinned_host)
        TEST_SKIP("kernels do not reach pinned host memory here");
    assert_int_equal(ocl_block_create_host(context, 100000, &block), OCL_OK);
    check_reach(context, block, 0);
    if (context->capability.has_addresses)
        check_reach(context, block, 70004);
    ocl_block_destroy(block);
    ocl_context_close(context);
}

TEST_BODY(block_wrapped_covers_the_pages_of_the_user)
{
    struct ocl_context *context = open_tested();
    struct ocl_block *block = NULL;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = malloc(10 * page);
    char *host = memory + 123;
    memset(memory, 0x77, 10 * page);
    assert_int_equal(ocl_block_wrap_host(context, host, 5 * page, &block), OCL_OK);
    const char *begin = block->pointer;
    assert_int_equal((uintptr_t)begin % page, 0);
    assert_true(begin <= host && host - begin < (ptrdiff_t)page);
    assert_true(begin + block->bytes >= host + 5 * page);
    assert_int_equal(block->bytes % page, 0);
    if (context->capability.reaches_registered_host)
        assert_int_equal(block->address, (uintptr_t)begin);
    for (size_t i = 0; i < 10 * page; i++)
        assert_int_equal(memory[i], 0x77);
    ocl_block_destroy(block);
    memset(memory, 0, 10 * page); /* the user's again */
    free(memory);
    ocl_context_close(context);
}

TEST_BODY(block_wrapped_is_reached_by_kernels_where_promised)
{
    struct ocl_context *context = open_tested();
    struct ocl_block *block = NULL;
    if (!context->capability.reaches_registered_host)
        TEST_SKIP("kernels do not reach registered host memory here");
    char *memory = malloc(100000);
    assert_int_equal(ocl_block_wrap_host(context, memory + 40, 90000, &block), OCL_OK);
    if (context->capability.has_addresses)
        check_reach(context, block, (size_t)(memory + 40 - (char *)block->pointer));
    ocl_block_destroy(block);
    free(memory);
    ocl_context_close(context);
}

TEST_BODY(block_wrap_refuses_ranges_that_wrap_around)
{
    struct ocl_context *context = open_tested();
    struct ocl_block *block = NULL;
    char byte;
    assert_int_equal(ocl_block_wrap_host(context, &byte, SIZE_MAX - 10, &block),
                     OCL_E_INVALID_VALUE);
    assert_null(block);
    ocl_context_close(context);
}

static void *make_and_break(void *argument)
{
    struct ocl_context *context = argument;
    uintptr_t faults = 0;
    for (unsigned round = 0; round < 50; round++) {
        struct ocl_block *blocks[4];
        for (unsigned i = 0; i < 4; i++)
            if (ocl_block_create(context, 1000 * (i + 1), &blocks[i]) != OCL_OK)
                return (void *)(uintptr_t)1000;
        for (unsigned i = 0; i < 4; i++)
            faults +=
                (blocks[i]->address + ocl_block_first(blocks[i])) % OCL_MEMORY_ALIGNMENT != 0 ||
                (i > 0 && !are_apart(blocks[i], blocks[i - 1]));
        for (unsigned i = 0; i < 4; i++)
            ocl_block_destroy(blocks[i]);
    }
    return (void *)faults;
}

TEST_BODY(block_many_threads_learn_at_once)
{
    enum { THREADS = 6 };
    struct ocl_context *context = open_tested();
    const struct ocl_block *before = context->blocks; /* the context's own */
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, make_and_break, context), 0);
    for (int i = 0; i < THREADS; i++) {
        void *faults;
        pthread_join(threads[i], &faults);
        assert_null(faults);
    }
    assert_ptr_equal(context->blocks, before);
    ocl_context_close(context);
}

TEST_BODY(block_learnt_addresses_stay_the_same)
{
    struct ocl_context *context = open_tested();
    struct ocl_block *block = NULL;
    uint64_t again = 0;
    if (context->capability.address != OCL_ADDRESS_RAW)
        TEST_SKIP("only the raw strategy learns addresses");
    assert_int_equal(ocl_block_create(context, 300000, &block), OCL_OK);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(ocl_probe_learn(context, block->buffer, &again), OCL_OK);
        assert_int_equal(again, block->address);
    }
    ocl_block_destroy(block);
    ocl_context_close(context);
}

TEST_BODY(block_no_room_has_one_code)
{
    assert_int_equal(ocl_block_status(CL_MEM_OBJECT_ALLOCATION_FAILURE), OCL_E_OUT_OF_MEMORY);
    assert_int_equal(ocl_block_status(CL_OUT_OF_RESOURCES), OCL_E_OUT_OF_MEMORY);
    assert_int_equal(ocl_block_status(CL_OUT_OF_HOST_MEMORY), OCL_E_OUT_OF_MEMORY);
    assert_int_equal(ocl_block_status(CL_INVALID_BUFFER_SIZE), OCL_E_OUT_OF_MEMORY);
    assert_int_equal(ocl_block_status(OCL_E_OUT_OF_MEMORY), OCL_E_OUT_OF_MEMORY);
    assert_int_equal(ocl_block_status(CL_INVALID_CONTEXT), CL_INVALID_CONTEXT);
    assert_int_equal(ocl_block_status(CL_SUCCESS), OCL_OK);
}

/* Device memory that is host memory always stands where the host has memory: made to avoid that, it
 * finds no place, and looks at a new address each time. */
TEST_BODY(block_sets_colliding_addresses_aside)
{
    static char printed[65536];
    setenv("CLEM_TRACE", "1", 1);
    struct ocl_context *context = open_tested();
    struct ocl_block *block = NULL;
    const bool learns = context->capability.address == OCL_ADDRESS_RAW ||
                        context->capability.address == OCL_ADDRESS_BDA;
    if (!learns || !context->capability.device_is_host_memory)
        TEST_SKIP("addresses do not collide here");
    context->reserves_addresses = true;
    struct capture capture = capture_begin();
    const ocl_status status = ocl_block_create(context, 3 << 20, &block);
    capture_end(&capture, printed, sizeof printed);
    assert_int_equal(status, OCL_E_OUT_OF_MEMORY);
    assert_null(block);
    assert_int_equal(count_text(printed, "set aside"), 40);
    for (const char *at = printed; (at = strstr(at, "address 0x")) != NULL; at++) {
        char address[32];
        sscanf(at, "%31[^m]", address); /* "address 0x... " up to "means" */
        assert_int_equal(count_text(printed, address), 1);
    }
    context->reserves_addresses = false;
    assert_int_equal(ocl_block_create(context, 3 << 20, &block), OCL_OK);
    ocl_block_destroy(block);
    ocl_context_close(context);
}

/* ---- Places in reservations ---- */

static int doubtful_places,
    small_places; /* how many more buffers come into reservations: those of blocks, those to ask with */
static int placed_in_doubt;

static void *reserve_far_away(size_t bytes)
{
    static uintptr_t next = 0x7e8000000000;
    void *range =
        mmap((void *)next, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_ptr_equal(range, (void *)next);
    next += (uintptr_t)1 << 30;
    return range;
}

static void *place_in_reservation(size_t bytes)
{
    const bool is_to_ask = bytes < 3 << 20 || bytes > 64 << 20;
    int *left = is_to_ask ? &small_places : &doubtful_places;
    if (*left > 0) {
        (*left)--;
        placed_in_doubt += !is_to_ask;
        return reserve_far_away(bytes);
    }
    if (is_to_ask)
        return NULL;
    void *range = reserve_far_away(bytes);
    munmap(range, bytes); /* nobody has anything there */
    return range;
}

/* A mapping without access may be the driver's reservation, or what the program's malloc() will use. */
TEST_BODY(block_reservations_of_others_are_set_aside)
{
    static const struct {
        int small, doubtful, expected;
    } cases[] = {
        {0, 3, 3},     /* other buffers lie elsewhere: so the driver reserves nothing */
        {99, 3, 1},    /* all lie in reservations, which are the driver's then */
        {1, 3, 3},     /* one does by chance */
        {0, 1000, 41}, /* it has no other places */
    };
    struct ocl_context *context = open_tested();
    if (context->capability.address != OCL_ADDRESS_RAW ||
        !context->capability.device_is_host_memory)
        TEST_SKIP("a test cannot place buffers here");
    context->reserves_addresses = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ocl_block *block = NULL;
        atomic_store(&context->driver_reserves, 0);
        context->driver_low = context->driver_high = 0;
        placed_in_doubt = 0;
        small_places = cases[i].small;
        doubtful_places = cases[i].doubtful;
        atomic_store(&placing, place_in_reservation);
        assert_int_equal(ocl_block_create(context, 3 << 20, &block), OCL_OK);
        atomic_store(&placing, NULL);
        assert_int_equal(placed_in_doubt, cases[i].expected);
        ocl_block_destroy(block);
    }
    context->reserves_addresses = false;
    ocl_context_close(context);
}

/* What is known to be the driver's is not asked about again, but still claimed. */
TEST_BODY(block_claims_addresses_in_the_drivers_range)
{
    struct ocl_context *context = open_tested();
    struct ocl_block *block = NULL;
    struct ocl_range_claim claim;
    if (context->capability.address != OCL_ADDRESS_RAW &&
        context->capability.address != OCL_ADDRESS_BDA)
        TEST_SKIP("only learnt addresses are claimed");
    context->reserves_addresses = true;
    context->driver_low = 0;
    context->driver_high = UINT64_MAX;
    assert_int_equal(ocl_block_create(context, 65536, &block), OCL_OK);
    const uint64_t address = block->address;
    assert_int_equal(ocl_address_range_claim(address + 100, 1, true, &claim), OCL_RANGE_TAKEN);
    ocl_block_destroy(block);
    assert_int_equal(ocl_address_range_claim(address + 100, 1, true, &claim), OCL_RANGE_BLOCKED);
    ocl_address_range_disclaim(&claim);
    ocl_context_close(context);
}
