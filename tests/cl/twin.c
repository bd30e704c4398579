/* Tests of cl/memory/twin.c: a device whose kernels do not see pinned memory, or one that is treated so.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/memory/twin.h"

#include "tests/cl/held.h"
#include "tests/cl/launch.h"

enum { COUNT = 5000 };

static const char *const kernels =
    "kernel void add(global int *p, int v) { p[get_global_id(0)] += v; }\n"
    "kernel void pass(global const int *from, global int *to)\n"
    "{ to[get_global_id(0)] = from[get_global_id(0)]; }\n"
    "kernel void both(global int *p, global int *same) { p[0] += 1; same[1] += 2; }\n";

/* Only where pointers are passed as buffers are there twins. */
static struct bench open_apart(void)
{
    setenv("CLEM_ADDRESS", "handle", 1);
    struct bench bench = open_bench(kernels, "");
    bench.context->capability.device_is_host_memory = false;
    bench.context->capability.reaches_pinned_host = false;
    bench.context->capability.reaches_registered_host = false;
    assert_int_equal(bench.context->capability.pass, OCL_PASS_BUFFER);
    return bench;
}

static int *make_pinned(const struct bench *bench)
{
    void *host = NULL;
    uint64_t address;
    assert_int_equal(
        ocl_memory_allocate_host(bench->context, COUNT * sizeof(int), 0, &host, &address), OCL_OK);
    memset(host, 0, COUNT * sizeof(int));
    return host;
}

static void launch_add(const struct bench *bench, int *p, size_t count, int value)
{
    void *arguments[] = {&p, &value};
    assert_int_equal(launch_line(bench, find_kernel(bench, "add"), count, 1, 0, arguments), OCL_OK);
}

static void finish(const struct bench *bench)
{
    assert_int_equal(ocl_queue_finish(bench->queue), OCL_OK);
}

TEST_BODY(twin_host_and_kernels_see_each_other)
{
    struct bench bench = open_apart();
    int *p = make_pinned(&bench);
    for (int round = 1; round < 4; round++) {
        launch_add(&bench, p, 1000, 5);
        launch_add(&bench, p + 333, 100, 7); /* no multiple of any device's alignment */
        finish(&bench);
        p[0] += 100;
        assert_int_equal(p[0], round * 105);
        assert_int_equal(p[332], round * 5);
        assert_int_equal(p[333], round * 12);
        assert_int_equal(p[433], round * 5);
        assert_int_equal(p[1000], 0);
    }
    close_bench(&bench);
}

/* The user's memory, from an odd byte on; what lies around it is not touched. */
TEST_BODY(twin_registered_memory)
{
    struct bench bench = open_apart();
    static int memory[COUNT];
    assert_int_equal(ocl_memory_register(bench.context, memory + 1, 4000, 0), OCL_OK);
    memory[0] = memory[1] = memory[1000] = memory[1001] = 3;
    launch_add(&bench, memory + 1, 1000, 4);
    finish(&bench);
    assert_int_equal(memory[0], 3);
    assert_int_equal(memory[1], 7);
    assert_int_equal(memory[2], 4);
    assert_int_equal(memory[1000], 7);
    assert_int_equal(memory[1001], 3);
    assert_int_equal(ocl_memory_free(OCL_MEMORY_REGISTERED, memory + 1), OCL_OK);
    close_bench(&bench);
}

TEST_BODY(twin_one_for_all_pointers_into_an_allocation)
{
    struct bench bench = open_apart();
    int *p = make_pinned(&bench);
    void *arguments[] = {&p, &p};
    for (int i = 0; i < 3; i++)
        assert_int_equal(launch_line(&bench, find_kernel(&bench, "both"), 1, 1, 0, arguments),
                         OCL_OK);
    finish(&bench);
    assert_int_equal(p[0], 3);
    assert_int_equal(p[1], 6);
    close_bench(&bench);
}

/* What a kernel only reads is not written to: the host's later bytes stay. */
TEST_BODY(twin_of_const_memory_is_not_read_back)
{
    struct bench bench = open_apart();
    int *from = make_pinned(&bench), *to = make_pinned(&bench);
    struct ocl_queue *queue = make_queue(bench.context, OCL_QUEUE_NON_BLOCKING);
    const struct bench other = {bench.context, queue, bench.program};
    void *arguments[] = {&from, &to};
    from[7] = 11;
    assert_int_equal(launch_line(&other, find_kernel(&other, "pass"), 10, 1, 0, arguments), OCL_OK);
    assert_int_equal(ocl_queue_finish(queue), OCL_OK);
    assert_int_equal(to[7], 11);
    cl_event gate = hold(queue);
    assert_int_equal(launch_line(&other, find_kernel(&other, "pass"), 10, 1, 0, arguments), OCL_OK);
    from[8] = 22;
    let_go(gate);
    assert_int_equal(ocl_queue_finish(queue), OCL_OK);
    assert_int_equal(from[8], 22);
    close_bench(&bench);
}

/* Launches of two queues follow one another, so that neither's sums are lost. */
TEST_BODY(twin_serves_two_queues)
{
    enum { ROUNDS = 40 };
    struct bench bench = open_apart();
    struct ocl_queue *queue = make_queue(bench.context, OCL_QUEUE_NON_BLOCKING);
    const struct bench other = {bench.context, queue, bench.program};
    int *p = make_pinned(&bench);
    for (int i = 0; i < ROUNDS; i++) {
        launch_add(&bench, p, COUNT, 1);
        launch_add(&other, p, COUNT / 2, 2);
    }
    finish(&bench);
    assert_int_equal(ocl_queue_finish(queue), OCL_OK);
    assert_int_equal(p[0], 3 * ROUNDS);
    assert_int_equal(p[COUNT / 2 - 1], 3 * ROUNDS);
    assert_int_equal(p[COUNT / 2], ROUNDS);
    assert_int_equal(p[COUNT - 1], ROUNDS);
    close_bench(&bench);
}

/* Copies in the same queue come after the kernel's bytes have arrived. */
TEST_BODY(twin_is_in_order_with_copies)
{
    struct bench bench = open_apart();
    int *p = make_pinned(&bench), found = 0;
    const uint64_t device = make_device(&bench, COUNT * sizeof(int));
    launch_add(&bench, p, COUNT, 9);
    copy_bytes(&bench, device, (uint64_t)(uintptr_t)p, COUNT * sizeof(int));
    read_device(&bench, &found, device + (COUNT - 1) * sizeof(int), sizeof found);
    assert_int_equal(found, 9);
    free_device(device);
    close_bench(&bench);
}

TEST_BODY(twin_goes_with_its_memory)
{
    struct bench bench = open_apart();
    size_t before = 0, after = 0, total = 0;
    for (int i = 0; i < 20; i++) {
        int *p = make_pinned(&bench);
        launch_add(&bench, p, 10, 1);
        assert_int_equal(ocl_memory_free(OCL_MEMORY_HOST, p), OCL_OK);
        ocl_memory_info(bench.context, i == 0 ? &before : &after, &total);
    }
    assert_true(before - after < (size_t)16 << 20 || after >= before);
    close_bench(&bench);
}
