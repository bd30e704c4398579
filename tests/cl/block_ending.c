/* Tests of cl/block/block.c: blocks that end while a launch that has declared them is on its way to the driver. This program
 * stands between cl/ and the OpenCL loader in two functions, to hold a launch up and to see what is freed.
 * SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>

#include "cl/block/block.h"
#include "tests/cl/launch.h"

struct launcher {
    const struct bench *bench;
    uint64_t x;
    sem_t is_launching, may_launch;
    pthread_t thread;
};

static _Thread_local struct launcher *held; /* its launch waits */
static void *_Atomic watched;
static _Atomic unsigned frees;

cl_int(clEnqueueNDRangeKernel)(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                               const size_t *offset, const size_t *global, const size_t *local,
                               cl_uint count, const cl_event *list, cl_event *event)
{
    static _Atomic uintptr_t found;
    if (!found)
        found = (uintptr_t)dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel");
    if (held) {
        sem_post(&held->is_launching);
        sem_wait(&held->may_launch);
    }
    return ((__typeof__(&clEnqueueNDRangeKernel))found)(queue, kernel, dimensions, offset, global,
                                                        local, count, list, event);
}

void(clSVMFree)(cl_context context, void *pointer)
{
    static _Atomic uintptr_t found;
    if (!found)
        found = (uintptr_t)dlsym(RTLD_NEXT, "clSVMFree");
    if (pointer && pointer == watched)
        atomic_fetch_add(&frees, 1);
    ((__typeof__(&clSVMFree))found)(context, pointer);
}

static const char text[] = "kernel void one(global uint *x) { x[0] += 1; }\n";

static void launch(const struct launcher *launcher)
{
    void *const arguments[] = {(void *)(uintptr_t)&launcher->x};
    assert_int_equal(
        launch_line(launcher->bench, find_kernel(launcher->bench, "one"), 1, 1, 0, arguments),
        OCL_OK);
}

static void *launch_held(void *argument)
{
    held = argument;
    launch(argument);
    return NULL;
}

static void begin_launch(struct launcher *launcher)
{
    assert_int_equal(sem_init(&launcher->is_launching, 0, 0), 0);
    assert_int_equal(sem_init(&launcher->may_launch, 0, 0), 0);
    assert_int_equal(pthread_create(&launcher->thread, NULL, launch_held, launcher), 0);
    sem_wait(&launcher->is_launching);
}

static void end_launch(struct launcher *launcher)
{
    sem_post(&launcher->may_launch);
    assert_int_equal(pthread_join(launcher->thread, NULL), 0);
}

static struct ocl_block *make_block(const struct bench *bench)
{
    struct ocl_block *block = NULL;
    assert_int_equal(ocl_block_create(bench->context, 4096, &block), OCL_OK);
    return block;
}

/* One launch that knows a block, and then, with two on their way, a block that both know, one that the second knows, and
 * one that none knows. */
TEST_BODY(block_ending_waits_for_launches_that_declare_it)
{
    struct bench bench = open_bench(text, "");
    if (bench.context->capability.address != OCL_ADDRESS_SVM)
        TEST_SKIP("kernels are told of no blocks here");
    struct launcher first = {.bench = &bench, .x = make_device(&bench, 64)}, second = first;

    for (int round = 0; round < 2; round++) { /* what is declared anew, and what was before */
        struct ocl_block *block = make_block(&bench);
        if (round == 1)
            launch(&first);
        frees = 0;
        watched = block->pointer;
        begin_launch(&first);
        ocl_block_destroy(block);
        assert_int_equal(frees, 0);
        end_launch(&first);
        assert_int_equal(frees, 1);
    }

    struct ocl_block *blocks[] = {make_block(&bench), make_block(&bench), make_block(&bench)};
    begin_launch(&first);
    frees = 0;
    watched = blocks[0]->pointer;
    ocl_block_destroy(blocks[0]);
    begin_launch(&second);
    ocl_block_destroy(blocks[1]);
    end_launch(&first);
    end_launch(&second);
    assert_int_equal(frees, 1);
    assert_null(bench.context->endings.dying);
    assert_null(bench.context->endings.behind);
    frees = 0;
    watched = blocks[2]->pointer;
    ocl_block_destroy(blocks[2]);
    assert_int_equal(frees, 1);
    watched = NULL;
    free_device(first.x);
    close_bench(&bench);
}
