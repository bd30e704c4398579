/* Managed memory, whether it is shared with the device or its pages move.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/cl/managed.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cl/binding/ptx_runtime.h"
#include "cl/device/extension.h"
#include "tests/cl/held.h"

/* ---- What it is ---- */

TEST_BODY(managed_is_one_pointer)
{
    struct bench bench = open_managed();
    struct ocl_memory_view view;
    void *pointer = NULL;

    assert_int_equal(ocl_managed_allocate(bench.context, 1000, 77, OCL_MANAGED_GLOBAL, &pointer),
                     OCL_OK);
    assert_int_equal((uintptr_t)pointer % 4096, 0);
    assert_true(ocl_memory_find((char *)pointer + 999, &view));
    assert_int_equal(view.kind, OCL_MEMORY_MANAGED);
    assert_ptr_equal(view.host, pointer);
    assert_int_equal(view.address, (uint64_t)(uintptr_t)pointer);
    assert_int_equal(view.bytes, 1000);
    assert_int_equal(view.flags, 77);
    assert_false(ocl_memory_find((char *)pointer + 1000, &view));
    assert_int_equal(ocl_memory_free(OCL_MEMORY_HOST, pointer), OCL_E_NOT_FOUND);
    assert_int_equal(ocl_memory_free(OCL_MEMORY_DEVICE, pointer), OCL_E_NOT_FOUND);
    assert_int_equal(ocl_memory_free(OCL_MEMORY_MANAGED, (char *)pointer + 1), OCL_E_NOT_FOUND);
    free_managed(pointer);
    assert_int_equal(ocl_memory_free(OCL_MEMORY_MANAGED, pointer), OCL_E_NOT_FOUND);
    close_managed(&bench);
}

TEST_BODY(managed_begins_with_zeros)
{
    static const size_t sizes[] = {1, 5000, 300 * KIB, 3 * MIB + 12};
    struct bench bench = open_managed();

    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < 4; i++) {
            unsigned char *bytes = (unsigned char *)make_managed(&bench, sizes[i]);
            for (size_t at = 0; at < sizes[i]; at++)
                assert_int_equal(bytes[at], 0);
            memset(bytes, 0xee, sizes[i]);
            if (sizes[i] > 4 && round > 0)
                run(&bench, "add", (uint32_t *)bytes, 1, sizes[i] / 4 * 4);
            free_managed(bytes);
        }
    }
    close_managed(&bench);
}

TEST_BODY(managed_oversubscription_is_refused)
{
    struct bench bench = open_managed();
    size_t free_bytes, total;
    void *pointer = NULL;

    ocl_memory_info(bench.context, &free_bytes, &total);
    /* Beyond the device the host's pinned memory may stand in. */
    const size_t host = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    assert_int_equal(
        ocl_managed_allocate(bench.context, total + host, 0, OCL_MANAGED_GLOBAL, &pointer),
        OCL_E_OUT_OF_MEMORY);
    assert_int_equal(ocl_managed_allocate(bench.context, SIZE_MAX, 0, OCL_MANAGED_GLOBAL, &pointer),
                     OCL_E_OUT_OF_MEMORY);
    assert_null(pointer);
    close_managed(&bench);
}

/* Where the driver has no room, the host's pinned memory stands in, which kernels reach, and is all that managed memory is. */
static void check_stand_in(const struct bench *bench, size_t bytes)
{
    const size_t count = bytes / sizeof(uint32_t);
    uint32_t *x = make_managed(bench, bytes), *copy = make_managed(bench, bytes / 4);
    struct ocl_memory_view view;

    assert_true(ocl_memory_find(x, &view));
    assert_int_equal(view.kind, OCL_MEMORY_MANAGED);
    assert_int_equal(view.address, (uint64_t)(uintptr_t)x);
    for (size_t i = 0; i < count; i += 999)
        assert_int_equal(x[i], 0);
    for (size_t i = 0; i < count; i++)
        x[i] = (uint32_t)i;
    assert_int_equal(ocl_managed_to_device(bench->queue, x, bytes), OCL_OK);
    assert_int_equal(ocl_managed_attach(bench->queue, x, OCL_MANAGED_SINGLE), OCL_OK);
    run(bench, "add", x, 3, bytes);
    copy_bytes(bench, (uint64_t)(uintptr_t)copy, (uint64_t)(uintptr_t)x, bytes / 4);
    assert_int_equal(ocl_managed_to_host(bench->queue, x, bytes), OCL_OK);
    finish(bench);
    check_numbers(x, 0, count, 3);
    check_numbers(copy, 0, count / 4, 3);
    free_managed(copy);
    free_managed(x);
}

TEST_BODY(managed_beyond_the_device_is_pinned)
{
    assert_int_equal(setenv("STUB_SVM_MOST", "10000000", 1), 0);
    struct bench bench = open_managed();
    size_t before, during, total;

    if (!is_migrating(&bench) || !find_stub() || !bench.context->capability.reaches_pinned_host)
        TEST_SKIP("managed memory does not move, or kernels reach no pinned memory");
    free_device(make_device(&bench, 64));
    ocl_memory_info(bench.context, &before, &total);
    for (int round = 0; round < 3; round++)
        check_stand_in(&bench, 16 * MIB + 12);
    void *held = make_managed(&bench, 64 * MIB);
    ocl_memory_info(bench.context, &during, &total);
    assert_true(during > before - 32 * MIB); /* it is no memory of the device */
    free_managed(held);
    close_managed(&bench);
    assert_int_equal(unsetenv("STUB_SVM_MOST"), 0);
}

/* Where pinned memory takes the device's memory too, it stands in only if the driver can be told to locate it in the host's. */
TEST_BODY(managed_beyond_the_device_is_located_in_the_host)
{
    assert_int_equal(setenv("STUB_SVM_MOST", "10000000", 1), 0);
    assert_int_equal(setenv("STUB_SHADOW_MOST", "10000000", 1), 0);
    struct bench bench = open_managed();
    struct ocl_capability *capability = &bench.context->capability;
    void *pointer = NULL;

    if (!is_migrating(&bench) || !find_stub() || !capability->reaches_pinned_host)
        TEST_SKIP("managed memory does not move, or kernels reach no pinned memory");
    assert_non_null(bench.context->device->extension->create_located);
    capability->host_method = OCL_HOST_ALLOC;
    assert_int_equal(ocl_managed_allocate(bench.context, 16 * MIB, 0, OCL_MANAGED_GLOBAL, &pointer),
                     OCL_E_OUT_OF_MEMORY);
    capability->host_method = OCL_HOST_LOCATED;
    for (int round = 0; round < 3; round++)
        check_stand_in(&bench, 16 * MIB + 12);
    close_managed(&bench);
    assert_int_equal(unsetenv("STUB_SHADOW_MOST"), 0);
    assert_int_equal(unsetenv("STUB_SVM_MOST"), 0);
}

/* Memory that is given back and made again at its old address, while the driver keeps its bytes elsewhere. */
TEST_BODY(managed_memory_at_an_old_address_is_another)
{
    enum { BYTES = 4 * MIB, ROUNDS = 12 };
    struct bench bench = open_managed();

    for (int round = 0; round < ROUNDS; round++) {
        uint32_t *x = make_managed(&bench, BYTES);
        for (size_t i = 0; i < BYTES / sizeof *x; i++)
            x[i] = (uint32_t)i;
        run(&bench, "add", x, 3, BYTES);
        finish(&bench);
        check_numbers(x, 0, BYTES / sizeof *x, 3);
        free_managed(x);
        ocl_memory_trim(bench.context);
    }
    close_managed(&bench);
}

TEST_BODY(managed_counts_as_device_memory)
{
    struct bench bench = open_managed();
    size_t before, during, after, total;

    uint64_t address = make_device(&bench, 64); /* the pool of device memory exists */
    ocl_memory_info(bench.context, &before, &total);
    void *pointer = make_managed(&bench, 16 * MIB);
    ocl_memory_info(bench.context, &during, &total);
    free_managed(pointer);
    ocl_memory_info(bench.context, &after, &total);
    if (during > before - 15 * MIB || after < during + 15 * MIB)
        fail_msg("%zu free before, %zu with 16 MiB in use, %zu after", before, during, after);
    free_device(address);
    close_managed(&bench);
}

/* ---- Host and kernels ---- */

TEST_BODY(managed_host_and_kernels_take_turns)
{
    static const size_t sizes[] = {4, 8 * KIB, 200 * KIB, 5 * MIB + 64};
    struct bench bench = open_managed();

    for (size_t i = 0; i < 4; i++) {
        const size_t count = sizes[i] / 4;
        uint32_t *x = make_managed(&bench, sizes[i]);
        for (size_t at = 0; at < count; at++)
            x[at] = (uint32_t)at;
        for (uint32_t round = 0; round < 6; round++) {
            run(&bench, "add", x, 3, sizes[i]);
            finish(&bench);
            check_numbers(x, 0, count, 4 * round + 3);
            for (size_t at = 0; at < count; at++)
                x[at]++;
        }
        free_managed(x);
    }
    close_managed(&bench);
}

/* Library functions read whole vectors, past the end of what they were given. */
TEST_BODY(managed_strings_end_anywhere)
{
    struct bench bench = open_managed();

    for (size_t length = 1; length < 300; length += 13) {
        char *text = (char *)make_managed(&bench, length + 1);
        memset(text, 'x', length);
        if (length >= 4)
            run(&bench, "add", (uint32_t *)text, 0, 4 * ((length + 1) / 4));
        finish(&bench);
        assert_int_equal(strlen(text), length);
        assert_null(memchr(text, 'y', length));
        free_managed(text);
    }
    close_managed(&bench);
}

/* Two allocations, interior pointers, and a part that neither side touches. */
TEST_BODY(managed_interior_pointers)
{
    struct bench bench = open_managed();
    uint32_t *x = make_managed(&bench, 3 * MIB), *y = make_managed(&bench, 64 * KIB);
    const size_t first = 50001, count = 70000;

    run(&bench, "number", x + first, 7, count * 4);
    run(&bench, "number", y + 3, 1, 4000);
    finish(&bench);
    check_numbers(y + 3, 0, 1000, 1);
    assert_int_equal(y[2], 0);
    assert_int_equal(y[1003], 0);
    assert_int_equal(x[first - 1], 0);
    assert_int_equal(x[first + count], 0);
    check_numbers(x + first, 0, count, 7);
    free_managed(x);
    free_managed(y);
    close_managed(&bench);
}

/* Pointers in managed memory to managed memory, none of which the kernel gets as an argument. */
TEST_BODY(managed_kernels_follow_pointers)
{
    enum { COUNT = 16 };
    struct bench bench = open_managed();
    uint32_t *x[COUNT], v = 7;

    if (!bench.context->capability.has_addresses)
        TEST_SKIP("kernels cannot follow pointers with this address strategy");
    if (find_stub())
        TEST_SKIP("kernels cannot follow pointers on the stub device");
    uint64_t *list = (uint64_t *)make_managed(&bench, COUNT * sizeof *list);
    for (uint32_t i = 0; i < COUNT; i++) {
        x[i] = make_managed(&bench, i % 2 ? 2 * MIB : 100);
        x[i][0] = i;
        list[i] = (uint64_t)(uintptr_t)x[i];
    }
    for (uint32_t round = 0; round < 3; round++, v++) {
        void *const arguments[] = {&list, &v};
        assert_int_equal(launch_line(&bench, find_kernel(&bench, "follow"), 1, COUNT, 0, arguments),
                         OCL_OK);
        finish(&bench);
        for (uint32_t i = 0; i < COUNT; i++)
            assert_int_equal(x[i][1], i + v);
    }
    for (uint32_t i = 0; i < COUNT; i++)
        free_managed(x[i]);
    free_managed(list);
    close_managed(&bench);
}

/* A touch waits for the kernel by itself. */
TEST_BODY(managed_touch_waits_for_kernels)
{
    struct bench bench = open_managed();
    uint32_t *x = make_managed(&bench, 64 * KIB);
    uint32_t rounds = 20 * 1000 * 1000;
    void *const arguments[] = {&x, &rounds};

    if (!is_migrating(&bench))
        TEST_SKIP("nothing migrates here");
    assert_int_equal(launch_line(&bench, find_kernel(&bench, "spin"), 1, 1, 0, arguments), OCL_OK);
    assert_int_equal(x[0] & 1, 1);
    free_managed(x);
    close_managed(&bench);
}

/* Reading what kernels printed is a command, which a touch that waits for all of them keeps from being enqueued. */
TEST_BODY(managed_touch_reads_nothing_that_kernels_printed)
{
    struct bench bench = open_managed();
    uint32_t *x = make_managed(&bench, 64 * KIB);

    if (!is_migrating(&bench))
        TEST_SKIP("nothing migrates here");
    bench.context->capability.device_is_host_memory = false; /* so that reading takes a command */
    assert_int_equal(ocl_runtime_begin(bench.context, false), OCL_OK);
    ocl_runtime_end(bench.context);
    run(&bench, "add", x, 7, 64 * KIB);
    assert_int_equal(x[5], 7);
    finish(&bench);
    free_managed(x);
    close_managed(&bench);
}

static void *touch_sixth(void *data)
{
    const volatile uint32_t *x = data;

    return (void *)(uintptr_t)x[5];
}

static void note_call(void *data, ocl_status status)
{
    *(ocl_status *)data = status;
}

/* Nor may the reading before a host function wait for a touch, which waits for the function's queue. */
TEST_BODY(managed_touch_holds_up_no_host_function)
{
    struct bench bench = open_managed();
    uint32_t *x = make_managed(&bench, 64 * KIB);
    ocl_status called = OCL_E_NOT_READY;
    pthread_t thread;
    void *seen = NULL;

    if (!is_migrating(&bench))
        TEST_SKIP("nothing migrates here");
    bench.context->capability.device_is_host_memory = false; /* so that reading takes a command */
    run(&bench, "add", x, 7, 64 * KIB);
    finish(&bench);
    assert_int_equal(ocl_runtime_begin(bench.context, false), OCL_OK);
    ocl_runtime_end(bench.context);
    cl_event gate = hold(bench.queue);
    run(&bench, "add", x, 7, 64 * KIB);
    assert_int_equal(ocl_queue_host_function(bench.queue, note_call, &called, false), OCL_OK);
    assert_int_equal(pthread_create(&thread, NULL, touch_sixth, x), 0);
    usleep(100000); /* the touch waits by now */
    let_go(gate);
    assert_int_equal(pthread_join(thread, &seen), 0);
    assert_int_equal((uintptr_t)seen, 14);
    finish(&bench);
    assert_int_equal(called, OCL_OK);
    free_managed(x);
    close_managed(&bench);
}

TEST_BODY(managed_many_small_allocations)
{
    enum { COUNT = 300 };
    struct bench bench = open_managed();
    uint32_t *x[COUNT];

    for (uint32_t i = 0; i < COUNT; i++) {
        x[i] = make_managed(&bench, 4 + i);
        x[i][0] = i;
    }
    for (size_t i = 0; i < COUNT; i += 3)
        run(&bench, "add", x[i], 1000, 4);
    finish(&bench);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(x[i][0], i % 3 == 0 ? i + 1000 : i);
        free_managed(x[i]);
    }
    close_managed(&bench);
}

/* ---- How much moves ---- */

TEST_BODY(managed_a_small_touch_moves_little)
{
    enum { BYTES = 64 * MIB, PART = BYTES / 100 };
    struct bench bench = open_counted();
    uint32_t *x = make_managed(&bench, BYTES);
    const size_t first = BYTES / 4 / 3;

    run(&bench, "number", x, 5, BYTES);
    finish(&bench);
    const struct moved before = read_moved(&bench);
    check_numbers(x, first, first + PART / 4, 5);
    const struct moved after = read_moved(&bench);
    const uint64_t moved = after.bytes_to_host - before.bytes_to_host;
    if (moved < PART || moved > PART + PART / 2 + 128 * KIB)
        fail_msg("reading %u bytes moved %llu", (unsigned)PART, (unsigned long long)moved);
    free_managed(x);
    close_managed(&bench);
}

TEST_BODY(managed_scattered_touches_move_their_pages)
{
    enum { BYTES = 32 * MIB, TOUCHES = 20 };
    struct bench bench = open_counted();
    uint32_t *x = make_managed(&bench, BYTES);

    run(&bench, "number", x, 5, BYTES);
    finish(&bench);
    const struct moved before = read_moved(&bench);
    for (size_t i = 0; i < TOUCHES; i++) {
        const size_t at = (i * 7919 % TOUCHES) * (BYTES / 4 / TOUCHES) + 11;
        check_numbers(x, at, at + 1, 5);
    }
    const struct moved after = read_moved(&bench);
    assert_int_equal(after.maps - before.maps, TOUCHES);
    assert_true(after.bytes_to_host - before.bytes_to_host <= TOUCHES * 64 * KIB);
    free_managed(x);
    close_managed(&bench);
}

/* The system's number of ranges is limited. */
TEST_BODY(managed_scattered_touches_grow_when_there_are_many)
{
    enum { BYTES = 48 * MIB, STEP = 256 * KIB };
    struct bench bench = open_counted();
    uint32_t *x = make_managed(&bench, BYTES);

    atomic_load(&bench.context->migration)->most_maps = 20;
    run(&bench, "number", x, 5, BYTES);
    finish(&bench);
    const struct moved before = read_moved(&bench);
    for (size_t at = 0; at < BYTES / 4; at += STEP / 4)
        x[at]++;
    for (size_t at = 0; at < BYTES / 4; at += STEP / 4)
        check_numbers(x, at + 1, at + 2, 5);
    const struct moved after = read_moved(&bench);
    if (after.maps - before.maps > 20 + 3 * 22)
        fail_msg("%llu maps", (unsigned long long)(after.maps - before.maps));
    assert_true(after.bytes_to_host - before.bytes_to_host > BYTES / 2);
    run(&bench, "add", x, 1, BYTES);
    finish(&bench);
    for (size_t at = 0; at < BYTES / 4; at++)
        assert_int_equal(x[at], at + 6 + (at % (STEP / 4) == 0));
    free_managed(x);
    close_managed(&bench);
}

TEST_BODY(managed_only_written_ranges_go_back)
{
    enum { BYTES = 16 * MIB };
    struct bench bench = open_counted();
    uint32_t *x = make_managed(&bench, BYTES);

    run(&bench, "number", x, 0, BYTES);
    finish(&bench);
    check_numbers(x, 0, BYTES / 4, 0);
    const struct moved before = read_moved(&bench);
    x[0] = 100;
    x[BYTES / 8] += 100;
    run(&bench, "add", x, 1, BYTES);
    finish(&bench);
    const struct moved after = read_moved(&bench);
    assert_true(after.bytes_to_device > before.bytes_to_device);
    if (after.bytes_to_device - before.bytes_to_device > 4 * 256 * KIB)
        fail_msg("%llu bytes went back for two words",
                 (unsigned long long)(after.bytes_to_device - before.bytes_to_device));
    assert_int_equal(x[0], 101);
    assert_int_equal(x[BYTES / 8], BYTES / 8 + 101);
    check_numbers(x, 1, BYTES / 8, 1);
    check_numbers(x, BYTES / 8 + 1, BYTES / 4, 1);
    free_managed(x);
    close_managed(&bench);
}

TEST_BODY(managed_reading_sends_nothing_back)
{
    enum { BYTES = 8 * MIB };
    struct bench bench = open_counted();
    uint32_t *x = make_managed(&bench, BYTES);
    const struct moved before = read_moved(&bench);

    for (uint32_t round = 1; round < 5; round++) {
        run(&bench, "add", x, 1, BYTES);
        finish(&bench);
        for (size_t i = 0; i < BYTES / 4; i++)
            assert_int_equal(x[i], round);
    }
    run(&bench, "add", x, 1, BYTES);
    assert_int_equal(read_moved(&bench).bytes_to_device, before.bytes_to_device);
    free_managed(x);
    close_managed(&bench);
}

/* Running through all of it costs few faults. */
TEST_BODY(managed_sequential_touches_grow)
{
    enum { BYTES = 64 * MIB };
    struct bench bench = open_counted();
    uint32_t *x = make_managed(&bench, BYTES);

    run(&bench, "number", x, 9, BYTES);
    finish(&bench);
    const struct moved before = read_moved(&bench);
    check_numbers(x, 0, BYTES / 4, 9);
    const struct moved middle = read_moved(&bench);
    for (size_t i = 0; i < BYTES / 4; i++)
        x[i] -= 9;
    const struct moved after = read_moved(&bench);
    assert_int_equal(middle.bytes_to_host - before.bytes_to_host, BYTES);
    if (middle.maps - before.maps > 40 || after.maps - middle.maps > 80)
        fail_msg("%llu maps to read all, %llu to write it",
                 (unsigned long long)(middle.maps - before.maps),
                 (unsigned long long)(after.maps - middle.maps));
    run(&bench, "add", x, 1, BYTES);
    finish(&bench);
    check_numbers(x, 0, BYTES / 4, 1);
    free_managed(x);
    close_managed(&bench);
}

/* ---- What comes back by itself ---- */

/* Whether the system may read a range. */
static bool system_reads(const void *pointer, size_t bytes)
{
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    const bool is_good = write(ends[1], pointer, bytes) == (ssize_t)bytes;
    close(ends[0]);
    close(ends[1]);
    return is_good;
}

TEST_BODY(managed_small_comes_back_when_the_host_waits)
{
    struct bench bench = open_managed();
    uint32_t *small = make_managed(&bench, 40 * KIB), *large = make_managed(&bench, 6 * MIB);
    struct ocl_event *event = NULL;

    assert_int_equal(ocl_event_create(bench.context, false, &event), OCL_OK);
    run(&bench, "number", small, 3, 40 * KIB);
    run(&bench, "number", large, 3, 6 * MIB);
    finish(&bench);
    assert_true(system_reads(small, 40 * KIB));
    assert_int_equal(system_reads(large, 4096), !is_migrating(&bench));
    check_numbers(small, 0, 10 * KIB, 3);
    run(&bench, "number", small, 4, 40 * KIB);
    assert_int_equal(ocl_event_record(event, bench.queue), OCL_OK);
    assert_int_equal(ocl_event_wait(event), OCL_OK);
    assert_true(system_reads(small, 40 * KIB));
    run(&bench, "number", small, 5, 40 * KIB);
    assert_int_equal(ocl_context_finish(bench.context), OCL_OK);
    assert_true(system_reads(small + 9 * KIB, 4 * KIB));
    ocl_event_destroy(event);
    free_managed(small);
    free_managed(large);
    close_managed(&bench);
}

TEST_BODY(managed_untouched_comes_back_a_few_times_only)
{
    struct bench bench = open_counted();
    uint32_t *x = make_managed(&bench, 2 * MIB);
    const struct moved before = read_moved(&bench);

    for (int i = 0; i < 200; i++) {
        run(&bench, "add", x, 1, 4096);
        finish(&bench);
    }
    const struct moved after = read_moved(&bench);
    if (after.maps - before.maps > 12)
        fail_msg("%llu maps for memory that the host never touches",
                 (unsigned long long)(after.maps - before.maps));
    assert_int_equal(x[5], 200);
    run(&bench, "add", x, 1, 4096);
    finish(&bench);
    assert_true(system_reads(x, 4096));
    free_managed(x);
    close_managed(&bench);
}

TEST_BODY(managed_made_resident_for_the_system)
{
    enum { BYTES = 8 * MIB };
    struct bench bench = open_managed();
    uint32_t *x = make_managed(&bench, BYTES);
    int ends[2];

    ocl_managed_make_resident(&bench, sizeof bench, true); /* memory of any kind */
    ocl_managed_make_resident(NULL, 0, false);
    run(&bench, "number", x, 6, BYTES);
    finish_if_shared(&bench);
    ocl_managed_make_resident(x + 100, 40000, false);
    assert_true(system_reads(x + 100, 40000));
    check_numbers(x, 100, 10100, 6);
    run(&bench, "add", x, 1, BYTES);
    finish_if_shared(&bench);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "clem", 4), 4);
    ocl_managed_make_resident(x + MIB, 4, true);
    assert_int_equal(read(ends[0], x + MIB, 4), 4);
    assert_memory_equal(x + MIB, "clem", 4);
    close(ends[0]);
    close(ends[1]);
    check_numbers(x, 0, MIB, 7);
    run(&bench, "add", x, 0, BYTES);
    finish(&bench);
    assert_memory_equal(x + MIB, "clem", 4);
    free_managed(x);
    close_managed(&bench);
}

/* ---- Prefetches ---- */

TEST_BODY(managed_prefetch_moves_whole_ranges)
{
    enum { BYTES = 16 * MIB };
    struct bench bench = open_counted();
    uint32_t *x = make_managed(&bench, BYTES);

    run(&bench, "number", x, 2, BYTES);
    const struct moved before = read_moved(&bench);
    assert_int_equal(ocl_managed_to_host(bench.queue, x, BYTES), OCL_OK);
    finish(&bench);
    check_numbers(x, 0, BYTES / 4, 2);
    const struct moved middle = read_moved(&bench);
    assert_int_equal(middle.maps - before.maps, 1);
    assert_int_equal(middle.bytes_to_host - before.bytes_to_host, BYTES);
    for (size_t i = 0; i < BYTES / 4; i++)
        x[i]++;
    assert_int_equal(ocl_managed_to_device(bench.queue, x, BYTES), OCL_OK);
    finish(&bench);
    const struct moved after = read_moved(&bench);
    assert_int_equal(after.bytes_to_device - middle.bytes_to_device, BYTES);
    check_numbers(x, 0, BYTES / 4, 3);
    free_managed(x);
    close_managed(&bench);
}

TEST_BODY(managed_prefetch_of_parts)
{
    enum { BYTES = 4 * MIB + 4096 };
    struct bench bench = open_managed();
    uint32_t *x = make_managed(&bench, BYTES);

    run(&bench, "number", x, 2, BYTES);
    assert_int_equal(ocl_managed_to_host(bench.queue, x + 1000, 5000), OCL_OK);
    assert_int_equal(ocl_managed_to_host(bench.queue, x + 500, 900000), OCL_OK);
    finish_if_shared(&bench);
    check_numbers(x, 900, 3000, 2);
    x[1001] = 1;
    assert_int_equal(ocl_managed_to_device(bench.queue, x, 5001), OCL_OK);
    assert_int_equal(ocl_managed_to_device(bench.queue, x, BYTES), OCL_OK);
    run(&bench, "add", x, 1, BYTES);
    finish(&bench);
    assert_int_equal(x[1001], 2);
    check_numbers(x, 0, 1001, 3);
    check_numbers(x, 1002, BYTES / 4, 3);
    free_managed(x);
    close_managed(&bench);
}

/* ---- Attachments ---- */

static void check_attached_to_host(struct bench *bench, size_t bytes)
{
    struct ocl_queue *queue = make_queue(bench->context, OCL_QUEUE_NON_BLOCKING);
    uint32_t *x = NULL, *other = make_managed(bench, 4096);
    const size_t last = bytes / 4 - 1;

    assert_int_equal(ocl_managed_allocate(bench->context, bytes, 0, OCL_MANAGED_HOST, (void **)&x),
                     OCL_OK);
    cl_event gate = hold(queue);
    run_on(bench, queue, "number", other, 1, 4096);
    x[0] = 5; /* without the attachment this waits for the gate, for ever */
    x[last] = 6;
    run_on(bench, queue, "number", other, 1, 4096);
    assert_int_equal(x[0], 5);
    let_go(gate);
    assert_int_equal(ocl_queue_finish(queue), OCL_OK);
    assert_int_equal(ocl_managed_attach(queue, x, OCL_MANAGED_GLOBAL), OCL_OK);
    run_on(bench, queue, "add", x, 1, bytes);
    assert_int_equal(ocl_queue_finish(queue), OCL_OK);
    assert_int_equal(x[0], 6);
    assert_int_equal(x[last], 7);
    assert_int_equal(x[1], 1);
    free_managed(x);
    free_managed(other);
    ocl_queue_destroy(queue);
}

TEST_BODY(managed_attached_to_the_host_does_not_wait)
{
    struct bench bench = open_managed();

    check_attached_to_host(&bench, 2 * MIB);
    check_attached_to_host(&bench, 100);
    close_managed(&bench);
}

TEST_BODY(managed_attached_to_a_queue_waits_for_it_alone)
{
    struct bench bench = open_managed();
    struct ocl_queue *busy = make_queue(bench.context, OCL_QUEUE_NON_BLOCKING);
    struct ocl_queue *own = make_queue(bench.context, OCL_QUEUE_NON_BLOCKING);
    uint32_t *x = make_managed(&bench, 2 * MIB), *other = make_managed(&bench, 4096);

    assert_int_equal(ocl_managed_attach(own, x, OCL_MANAGED_SINGLE), OCL_OK);
    cl_event gate = hold(busy);
    run_on(&bench, busy, "number", other, 1, 4096);
    for (uint32_t round = 1; round < 4; round++) {
        run_on(&bench, own, "add", x, 1, 2 * MIB);
        assert_int_equal(ocl_queue_finish(own), OCL_OK);
        assert_int_equal(x[12345], 2 * round - 1);
        x[12345]++;
    }
    let_go(gate);
    assert_int_equal(ocl_queue_finish(busy), OCL_OK);
    ocl_queue_destroy(own);
    assert_int_equal(x[0], 3);
    assert_int_equal(ocl_managed_attach(busy, (char *)x + 4, OCL_MANAGED_GLOBAL), OCL_E_NOT_FOUND);
    assert_int_equal(ocl_managed_attach(busy, &bench, OCL_MANAGED_GLOBAL), OCL_E_NOT_FOUND);
    free_managed(x);
    free_managed(other);
    ocl_queue_destroy(busy);
    close_managed(&bench);
}

TEST_BODY(managed_of_a_destroyed_queue_belongs_to_all)
{
    struct bench bench = open_managed();
    struct ocl_queue *own = make_queue(bench.context, OCL_QUEUE_BLOCKING);
    uint32_t *x = make_managed(&bench, 2 * MIB);

    assert_int_equal(ocl_managed_attach(own, x, OCL_MANAGED_SINGLE), OCL_OK);
    run_on(&bench, own, "add", x, 1, 2 * MIB);
    if (!is_migrating(&bench))
        assert_int_equal(ocl_queue_finish(own), OCL_OK);
    ocl_queue_destroy(own);
    assert_int_equal(x[5], 1);
    x[5] = 10;
    run(&bench, "add", x, 1, 2 * MIB);
    finish_if_shared(&bench);
    assert_int_equal(x[5], 11);
    assert_int_equal(x[12345], 2);
    free_managed(x);
    close_managed(&bench);
}

/* A small allocation among others, in whose place another one comes later. */
TEST_BODY(managed_small_attached_memory_is_on_its_own)
{
    enum { BYTES = 8 * KIB };
    struct bench bench = open_managed();
    struct ocl_queue *busy = make_queue(bench.context, OCL_QUEUE_NON_BLOCKING);
    struct ocl_queue *own = make_queue(bench.context, OCL_QUEUE_NON_BLOCKING);
    uint32_t *before = make_managed(&bench, BYTES), *x = make_managed(&bench, BYTES),
             *behind = make_managed(&bench, BYTES);

    x[7] = before[7] = behind[7] = 1;
    assert_int_equal(ocl_managed_attach(own, x, OCL_MANAGED_SINGLE), OCL_OK);
    cl_event gate = hold(busy);
    run_on(&bench, busy, "number", before, 1, BYTES);
    run_on(&bench, busy, "number", behind, 2, BYTES);
    for (uint32_t round = 1; round < 4; round++) {
        run_on(&bench, own, "add", x, 1, BYTES);
        assert_int_equal(ocl_queue_finish(own), OCL_OK);
        assert_int_equal(x[7], 2 * round); /* if it waited, then for ever */
        x[7]++;
    }
    assert_int_equal(ocl_managed_attach(own, x, OCL_MANAGED_HOST), OCL_OK);
    x[7] += 100;
    let_go(gate);
    assert_int_equal(ocl_queue_finish(busy), OCL_OK);
    assert_int_equal(x[7], 107);
    check_numbers(before, 0, BYTES / 4, 1);
    check_numbers(behind, 0, BYTES / 4, 2);
    assert_int_equal(ocl_managed_attach(busy, x, OCL_MANAGED_GLOBAL), OCL_OK);
    run_on(&bench, busy, "add", x, 1, BYTES);
    finish_if_shared(&bench);
    assert_int_equal(ocl_queue_finish(busy), OCL_OK);
    assert_int_equal(x[7], 108);

    free_managed(x);
    x = make_managed(&bench, BYTES);
    assert_int_equal(x[7], 0);
    run_on(&bench, busy, "add", x, 3, BYTES);
    run_on(&bench, busy, "add", before, 3, BYTES);
    assert_int_equal(ocl_queue_finish(busy), OCL_OK);
    assert_int_equal(x[7], 3);
    check_numbers(before, 0, BYTES / 4, 4);
    free_managed(x);
    free_managed(before);
    free_managed(behind);
    ocl_queue_destroy(own);
    ocl_queue_destroy(busy);
    close_managed(&bench);
}

static void touch_in_turn(void *data, ocl_status status)
{
    uint32_t *x = data;

    assert_int_equal(status, OCL_OK);
    if (x[0] == 1 && x[MIB / 4] == 1)
        x[0] = 50;
    x[MIB / 4]++;
}

/* What is enqueued behind the function must not be waited for in it. */
TEST_BODY(managed_host_functions_touch_in_turn)
{
    struct bench bench = open_managed();
    uint32_t *x = make_managed(&bench, 2 * MIB);

    for (int round = 0; round < 3; round++) {
        memset(x, 0, 2 * MIB);
        run(&bench, "add", x, 1, 2 * MIB);
        assert_int_equal(ocl_queue_host_function(bench.queue, touch_in_turn, x, false), OCL_OK);
        run(&bench, "add", x, 100, 2 * MIB);
        finish(&bench);
        assert_int_equal(x[0], 150);
        assert_int_equal(x[MIB / 4], 102);
        assert_int_equal(x[1], 101);
    }
    free_managed(x);
    close_managed(&bench);
}

struct slow_touch {
    uint32_t *x;
    _Atomic bool has_touched, may_end;
};

static void touch_slowly(void *data, ocl_status status)
{
    struct slow_touch *touch = data;

    assert_int_equal(status, OCL_OK);
    touch->x[0]++;
    atomic_store(&touch->has_touched, true);
    while (!atomic_load(&touch->may_end))
        usleep(1000);
}

/* What a kernel of another queue writes beside it meanwhile stays, wherever the neighbour lies, and however the pages
 * came: by a touch that finds many, or pages that were wanted. */
TEST_BODY(managed_host_functions_leave_neighbours_alone)
{
    enum { BYTES = 8 * KIB };
    struct bench bench = open_managed();
    struct ocl_queue *other = make_queue(bench.context, OCL_QUEUE_NON_BLOCKING);
    uint32_t *neighbours[2];
    struct slow_touch touch = {0};

    neighbours[0] = make_managed(&bench, BYTES);
    touch.x = make_managed(&bench, BYTES);
    neighbours[1] = make_managed(&bench, BYTES);
    for (int round = 0; round < 3; round++) {
        const uint32_t v = (uint32_t)round + 5;
        atomic_store(&touch.has_touched, false);
        atomic_store(&touch.may_end, false);
        if (is_migrating(&bench))
            atomic_load(&bench.context->migration)->most_maps = round < 2 ? OCL_MIGRATION_MAPS : 0;
        cl_event gate = hold(other);
        for (int i = 0; i < 2; i++)
            run_on(&bench, other, "number", neighbours[i], v, BYTES);
        if (round == 1)
            assert_int_equal(ocl_managed_to_host(other, neighbours[0], BYTES), OCL_OK);
        assert_int_equal(ocl_queue_host_function(bench.queue, touch_slowly, &touch, false), OCL_OK);
        while (!atomic_load(&touch.has_touched))
            usleep(1000);
        let_go(gate);
        assert_int_equal(ocl_queue_finish(other), OCL_OK);
        atomic_store(&touch.may_end, true);
        finish(&bench);
        for (int i = 0; i < 2; i++)
            check_numbers(neighbours[i], 0, BYTES / 4, v);
        assert_int_equal(touch.x[0], round + 1);
    }
    free_managed(touch.x);
    for (int i = 0; i < 2; i++)
        free_managed(neighbours[i]);
    ocl_queue_destroy(other);
    close_managed(&bench);
}

static void write_words(void *data, ocl_status status)
{
    uint32_t *const *words = data;

    assert_int_equal(status, OCL_OK);
    (*words)[0] = 40;
    (*words)[MIB / 4] = 50;
}

/* What a function of one device's queue writes, kernels of another device find that wait for it by an event. */
TEST_BODY(managed_host_functions_of_other_devices_touch)
{
    setenv("POCL_DEVICES", "pthread pthread", 0); /* PoCL makes as many as it is asked for */
    struct bench bench = open_managed();
    struct ocl_context *second = NULL;
    struct ocl_event *event = NULL;

    if (ocl_device_count() < 2)
        TEST_SKIP("one device only");
    assert_int_equal(ocl_context_open(1, &second), OCL_OK);
    uint32_t *x = make_managed(&bench, 2 * MIB);
    struct ocl_queue *queue = ocl_queue_legacy(second);
    assert_int_equal(ocl_event_create(second, false, &event), OCL_OK);
    for (int round = 0; round < 3; round++) {
        cl_event gate = hold(queue);
        assert_int_equal(ocl_queue_host_function(queue, write_words, &x, false), OCL_OK);
        assert_int_equal(ocl_event_record(event, queue), OCL_OK);
        assert_int_equal(ocl_event_wait_in_queue(event, bench.queue), OCL_OK);
        run(&bench, "add", x, 2, 2 * MIB);
        let_go(gate);
        finish(&bench);
        assert_int_equal(x[0], 42);
        assert_int_equal(x[MIB / 4], 52);
        assert_int_equal(x[1], 2 * (round + 1));
    }
    ocl_event_destroy(event);
    free_managed(x);
    ocl_context_close(second);
    close_managed(&bench);
}

struct late_touch {
    uint32_t *x;
    _Atomic bool may_touch;
    uint32_t seen;
};

static void touch_late(void *data, ocl_status status)
{
    struct late_touch *touch = data;

    assert_int_equal(status, OCL_OK);
    while (!atomic_load(&touch->may_touch))
        usleep(1000);
    usleep(20000); /* the other thread is freeing meanwhile */
    touch->seen = touch->x[10];
    touch->x[10] = 7;
}

/* Memory is known until the functions before its end have touched it. */
TEST_BODY(managed_is_freed_behind_host_functions)
{
    static const size_t sizes[] = {8 * KIB, 2 * MIB};
    struct bench bench = open_managed();

    for (size_t i = 0; i < 2; i++) {
        struct late_touch touch = {.x = make_managed(&bench, sizes[i])};
        run(&bench, "number", touch.x, 5, sizes[i]);
        assert_int_equal(ocl_queue_host_function(bench.queue, touch_late, &touch, false), OCL_OK);
        run(&bench, "add", touch.x, 1, sizes[i]);
        atomic_store(&touch.may_touch, true);
        free_managed(touch.x);
        assert_int_equal(touch.seen, 15);
        assert_int_equal(ocl_memory_free(OCL_MEMORY_MANAGED, touch.x), OCL_E_NOT_FOUND);
    }
    close_managed(&bench);
}

/* ---- Copies and fills ---- */

enum { COPY_BYTES = 3 * MIB };

static void copy_and_check(const struct bench *bench, uint32_t *x, uint32_t *plain)
{
    const uint64_t managed = (uint64_t)(uintptr_t)x, host = (uint64_t)(uintptr_t)plain;

    for (size_t i = 0; i < COPY_BYTES / 4; i++)
        plain[i] = (uint32_t)i + 1;
    copy_bytes(bench, managed, host, COPY_BYTES);
    run(bench, "add", x, 1, COPY_BYTES);
    memset(plain, 0, COPY_BYTES);
    copy_bytes(bench, host + 4, managed + 4, COPY_BYTES - 4);
    check_numbers(plain, 1, COPY_BYTES / 4, 2);
    assert_int_equal(plain[0], 0);
    x[7] = 7;
    copy_bytes(bench, host, managed, 64);
    assert_int_equal(plain[7], 7);
    copy_bytes(bench, managed + 32, host, 4);
    assert_int_equal(x[8], 2);
    assert_int_equal(x[9], 11);
}

TEST_BODY(managed_copies_with_pageable_memory)
{
    struct bench bench = open_managed();
    uint32_t *x = make_managed(&bench, COPY_BYTES), *plain = malloc(COPY_BYTES);

    copy_and_check(&bench, x, plain);
    copy_and_check(&bench, x, plain);
    free(plain);
    free_managed(x);
    close_managed(&bench);
}

TEST_BODY(managed_copies_with_pinned_memory)
{
    struct bench bench = open_managed();
    uint32_t *x = make_managed(&bench, COPY_BYTES);
    uint64_t address;
    void *pinned = NULL;

    assert_int_equal(ocl_memory_allocate_host(bench.context, COPY_BYTES, 0, &pinned, &address),
                     OCL_OK);
    copy_and_check(&bench, x, pinned);
    copy_and_check(&bench, x, pinned);
    assert_int_equal(ocl_memory_free(OCL_MEMORY_HOST, pinned), OCL_OK);
    free_managed(x);
    close_managed(&bench);
}

TEST_BODY(managed_copies_with_managed_memory)
{
    struct bench bench = open_managed();
    uint32_t *x = make_managed(&bench, COPY_BYTES), *y = make_managed(&bench, COPY_BYTES);

    copy_and_check(&bench, x, y);
    copy_and_check(&bench, y, x);
    /* overlapping, upward */
    run(&bench, "number", x, 0, COPY_BYTES);
    copy_bytes(&bench, (uint64_t)(uintptr_t)(x + 1000), (uint64_t)(uintptr_t)x, COPY_BYTES - 4000);
    check_numbers(x + 1000, 0, COPY_BYTES / 4 - 1000, 0);
    free_managed(x);
    free_managed(y);
    close_managed(&bench);
}

TEST_BODY(managed_copies_with_device_memory)
{
    struct bench bench = open_managed();
    uint32_t *x = make_managed(&bench, COPY_BYTES);
    static const size_t sizes[] = {4, 5000, COPY_BYTES};

    for (size_t i = 0; i < 3; i++) {
        const size_t count = sizes[i] / 4;
        const uint64_t device = make_device(&bench, sizes[i]);
        for (size_t at = 0; at < count; at++)
            x[at] = (uint32_t)at + 9;
        copy_bytes(&bench, device, (uint64_t)(uintptr_t)x, sizes[i]);
        memset(x, 0, sizes[i]);
        copy_bytes(&bench, (uint64_t)(uintptr_t)x, device, sizes[i]);
        check_numbers(x, 0, count, 9);
        free_device(device);
    }
    free_managed(x);
    close_managed(&bench);
}

static void check_attached_copies(struct bench *bench, uint32_t *x, uint32_t *plain)
{
    const uint64_t managed = (uint64_t)(uintptr_t)x, host = (uint64_t)(uintptr_t)plain;

    for (uint32_t round = 1; round < 4; round++) {
        for (uint32_t i = 0; i < COPY_BYTES / 4; i++)
            x[i] = i + round;
        memset(plain, 0, COPY_BYTES);
        copy_bytes(bench, host, managed, COPY_BYTES);
        check_numbers(plain, 0, COPY_BYTES / 4, round);
        plain[5] = 1;
        copy_bytes(bench, managed, host, 4096);
        assert_int_equal(x[5], 1);
        check_numbers(x, 6, COPY_BYTES / 4, round);
    }
}

/* Attachments keep kernels of other queues away, not copies. */
TEST_BODY(managed_copies_of_attached_memory)
{
    struct bench bench = open_managed();
    struct ocl_queue *queue = make_queue(bench.context, OCL_QUEUE_NON_BLOCKING);
    uint32_t *x = NULL, *plain = malloc(COPY_BYTES);

    assert_int_equal(
        ocl_managed_allocate(bench.context, COPY_BYTES, 0, OCL_MANAGED_HOST, (void **)&x), OCL_OK);
    check_attached_copies(&bench, x, plain);
    assert_int_equal(ocl_managed_attach(queue, x, OCL_MANAGED_SINGLE), OCL_OK);
    check_attached_copies(&bench, x, plain);
    run_on(&bench, queue, "add", x, 1, COPY_BYTES);
    assert_int_equal(ocl_queue_finish(queue), OCL_OK);
    check_numbers(x, 6, COPY_BYTES / 4, 4);
    free(plain);
    free_managed(x);
    ocl_queue_destroy(queue);
    close_managed(&bench);
}

TEST_BODY(managed_copies_of_rectangles)
{
    enum { ROWS = 37, PITCH = 4096, WIDTH = 1001 };
    struct bench bench = open_managed();
    unsigned char *x = (unsigned char *)make_managed(&bench, ROWS * PITCH);
    unsigned char *plain = malloc(ROWS * WIDTH);
    const struct ocl_copy there = {.source = {(uint64_t)(uintptr_t)plain, WIDTH, WIDTH * ROWS},
                                   .target = {(uint64_t)(uintptr_t)x + 3, PITCH, PITCH * ROWS},
                                   .width = WIDTH,
                                   .height = ROWS,
                                   .depth = 1};
    const struct ocl_copy back = {there.target, there.source, WIDTH, ROWS, 1};

    for (size_t i = 0; i < ROWS * WIDTH; i++)
        plain[i] = (unsigned char)(i * 31);
    assert_int_equal(ocl_transfer_copy(bench.queue, &there, OCL_WAIT_ALL), OCL_OK);
    for (size_t row = 0; row < ROWS; row++)
        assert_memory_equal(x + row * PITCH + 3, plain + row * WIDTH, WIDTH);
    assert_int_equal(x[2], 0);
    assert_int_equal(x[3 + WIDTH], 0);
    memset(plain, 0, ROWS * WIDTH);
    x[3] = 99;
    assert_int_equal(ocl_transfer_copy(bench.queue, &back, OCL_WAIT_ALL), OCL_OK);
    assert_int_equal(plain[0], 99);
    for (size_t i = 1; i < ROWS * WIDTH; i++)
        assert_int_equal(plain[i], (unsigned char)(i * 31));
    free(plain);
    free_managed(x);
    close_managed(&bench);
}

TEST_BODY(managed_fills)
{
    struct bench bench = open_managed();
    uint32_t *x = make_managed(&bench, 2 * MIB);
    const size_t count = 2 * MIB / 4;
    struct ocl_fill fill = {.address = (uint64_t)(uintptr_t)(x + 10),
                            .pitch = 4000,
                            .slice_bytes = 4000,
                            .count = count - 20,
                            .height = 1,
                            .depth = 1,
                            .element_bytes = 4};

    for (int round = 0; round < 3; round++) {
        x[9] = x[count - 10] = 5;
        fill.value = 0x01020304u + (uint32_t)round;
        assert_int_equal(ocl_transfer_fill(bench.queue, &fill, OCL_WAIT_SOURCE), OCL_OK);
        finish(&bench);
        for (size_t i = 10; i < count - 10; i++)
            assert_int_equal(x[i], fill.value);
        assert_int_equal(x[9], 5);
        assert_int_equal(x[count - 10], 5);
        fill.count = round == 0 ? 3 : count - 20;
        assert_int_equal(ocl_transfer_fill(bench.queue, &fill, OCL_WAIT_ALL), OCL_OK);
        fill.count = count - 20;
    }
    free_managed(x);
    close_managed(&bench);
}

/* ---- Threads ---- */

enum { THREADS = 8 };

struct share {
    const uint32_t *x;
    size_t first, end;
    size_t wrong;
};

static void *read_share(void *data)
{
    struct share *share = data;

    for (size_t i = share->first; i < share->end; i += 97)
        share->wrong += share->x[i] != (uint32_t)i + 3;
    return NULL;
}

TEST_BODY(managed_threads_touch_at_once)
{
    enum { BYTES = 8 * MIB };
    struct bench bench = open_managed();
    uint32_t *x = make_managed(&bench, BYTES);
    pthread_t threads[THREADS];
    struct share shares[THREADS];

    for (int round = 0; round < 3; round++) {
        run(&bench, "number", x, 3, BYTES);
        finish_if_shared(&bench);              /* otherwise the touches wait */
        for (size_t i = 0; i < THREADS; i++) { /* overlapping shares */
            shares[i] = (struct share){x, i * (BYTES / 4 / THREADS / 2), BYTES / 4, 0};
            assert_int_equal(pthread_create(&threads[i], NULL, read_share, &shares[i]), 0);
        }
        for (size_t i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
            assert_int_equal(shares[i].wrong, 0);
        }
    }
    free_managed(x);
    close_managed(&bench);
}

struct writing {
    uint32_t *x;
    size_t first, stride, count;
};

static void *write_share(void *data)
{
    const struct writing *writing = data;

    for (size_t i = writing->first; i < writing->count; i += writing->stride)
        writing->x[i] += (uint32_t)i;
    return NULL;
}

/* Neighbouring words, so that all threads fault on the same pages. */
TEST_BODY(managed_threads_write_the_same_pages)
{
    enum { BYTES = 2 * MIB };
    struct bench bench = open_managed();
    uint32_t *x = make_managed(&bench, BYTES);
    pthread_t threads[THREADS];
    struct writing writings[THREADS];

    run(&bench, "add", x, 4, BYTES);
    finish(&bench);
    for (size_t i = 0; i < THREADS; i++) {
        writings[i] = (struct writing){x, i, THREADS, BYTES / 4};
        assert_int_equal(pthread_create(&threads[i], NULL, write_share, &writings[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    check_numbers(x, 0, BYTES / 4, 4);
    run(&bench, "add", x, 1, BYTES);
    finish(&bench);
    check_numbers(x, 0, BYTES / 4, 5);
    free_managed(x);
    close_managed(&bench);
}

struct toucher {
    uint32_t *x;
    _Atomic bool is_over;
    uint32_t rounds;
};

static void *touch_until_over(void *data)
{
    struct toucher *toucher = data;

    while (!atomic_load(&toucher->is_over))
        for (size_t i = 0; i < MIB / 2; i += 5000)
            toucher->x[i] = toucher->x[i] + 1;
    toucher->rounds++;
    return NULL;
}

/* One thread launches on its memory while another touches its own. */
TEST_BODY(managed_touches_beside_launches)
{
    struct bench bench = open_managed();
    uint32_t *mine = make_managed(&bench, 2 * MIB), *yours = make_managed(&bench, 2 * MIB);
    struct toucher toucher = {.x = yours};
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, touch_until_over, &toucher), 0);
    for (uint32_t i = 0; i < 60; i++) {
        run(&bench, "add", mine, 1, 2 * MIB);
        if (i % 10 == 9) {
            finish(&bench);
            assert_int_equal(mine[i], i + 1);
        }
    }
    atomic_store(&toucher.is_over, true);
    pthread_join(thread, NULL);
    for (size_t i = 5000; i < MIB / 2; i += 5000)
        assert_int_equal(yours[i], yours[0]);
    free_managed(mine);
    free_managed(yours);
    close_managed(&bench);
}

/* ---- The program's own handlers ---- */

static sigjmp_buf escape;
static volatile sig_atomic_t caught;
static void *volatile caught_at;
static struct sigaction found_by_later;

static void catch_plainly(int number)
{
    (void)number;
    caught++;
    siglongjmp(escape, 1);
}

static void catch_with_info(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    caught += 10;
    caught_at = info->si_addr;
    siglongjmp(escape, 1);
}

static void pass_on(int number, siginfo_t *info, void *context)
{
    caught += 100;
    found_by_later.sa_sigaction(number, info, context);
}

static void install(void (*plain)(int), void (*with_info)(int, siginfo_t *, void *),
                    struct sigaction *before)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    if (with_info) {
        action.sa_sigaction = with_info;
        action.sa_flags = SA_SIGINFO;
    } else {
        action.sa_handler = plain;
    }
    assert_int_equal(sigaction(SIGSEGV, &action, before), 0);
}

/* An access that is none of clem's. */
static void touch_nothing(void)
{
    volatile int *volatile nothing = (volatile int *)(uintptr_t)64;

    if (sigsetjmp(escape, 1) == 0)
        *nothing = 1;
}

static void touch_managed(const struct bench *bench)
{
    uint32_t *x = make_managed(bench, 64 * KIB);

    run(bench, "number", x, 1, 64 * KIB);
    finish_if_shared(bench);
    check_numbers(x, 0, 16 * KIB, 1);
    free_managed(x);
}

TEST_BODY(managed_plain_handlers_of_before_are_called)
{
    struct sigaction before;

    struct bench bench = open_managed(); /* compilers install handlers too */
    install(catch_plainly, NULL, &before);
    touch_managed(&bench);
    for (int i = 1; i < 4; i++) {
        touch_nothing();
        assert_int_equal(caught, i);
        touch_managed(&bench);
    }
    close_managed(&bench);
    sigaction(SIGSEGV, &before, NULL);
}

TEST_BODY(managed_handlers_with_info_of_before_are_called)
{
    struct sigaction before;

    struct bench bench = open_managed();
    install(NULL, catch_with_info, &before);
    touch_managed(&bench);
    for (int i = 1; i < 4; i++) {
        touch_nothing();
        assert_int_equal(caught, 10 * i);
        assert_int_equal((uintptr_t)caught_at, 64);
        touch_managed(&bench);
    }
    close_managed(&bench);
    sigaction(SIGSEGV, &before, NULL);
}

TEST_BODY(managed_handlers_of_later_are_called)
{
    struct sigaction before, first;

    struct bench bench = open_managed();
    install(catch_plainly, NULL, &first);
    touch_managed(&bench);
    install(NULL, pass_on, &found_by_later);
    touch_managed(&bench);
    touch_nothing();
    /* the later one, and, because it passes on, the one of before */
    assert_int_equal(caught, 101);
    touch_managed(&bench);
    install(NULL, catch_with_info, &before);
    touch_managed(&bench);
    caught = 0;
    touch_nothing();
    assert_int_equal(caught, 10);
    touch_managed(&bench);
    close_managed(&bench);
    sigaction(SIGSEGV, &first, NULL);
}

/* Without a handler the process ends by the signal. */
TEST_BODY(managed_default_action_stays)
{
    int status;

    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        if (ocl_device_count() == 0)
            raise(SIGSEGV);
        struct bench bench = open_bench(managed_text, "");
        if (ocl_managed_method(bench.context) != OCL_MANAGED_NONE)
            touch_managed(&bench);
        volatile int *volatile nothing = (volatile int *)(uintptr_t)64;
        *nothing = 1;
        _exit(0);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGSEGV);
}

/* ---- Its end ---- */

TEST_BODY(managed_goes_in_any_state)
{
    struct bench bench = open_managed();

    for (int round = 0; round < 4; round++) {
        uint32_t *on_host = make_managed(&bench, 5 * MIB),
                 *on_device = make_managed(&bench, 5 * MIB);
        uint32_t *small = make_managed(&bench, 100), *busy = make_managed(&bench, 5 * MIB);
        on_host[0] = on_host[MIB] = 1;
        run(&bench, "number", on_device, 1, 5 * MIB);
        finish(&bench);
        on_host[1] = small[3] = 9;
        run(&bench, "number", busy, 1, 5 * MIB);
        free_managed(busy);
        free_managed(on_host);
        free_managed(small);
        free_managed(on_device);
        if (round == 1)
            ocl_memory_trim(bench.context);
    }
    uint32_t *left = make_managed(&bench, 3 * MIB); /* the context ends it */
    left[5] = 1;
    make_managed(&bench, 10)[0] = 1;
    close_managed(&bench);
}
