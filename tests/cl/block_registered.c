/* Tests of cl/block/block_registered.c: threads that register memory at the same time. This program stands between cl/ and
 * the OpenCL loader in one function, to make pinning as slow as a test wants.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/cl/refuse.h"

#include <dlfcn.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include "cl/block/block.h"
#include "tests/cl/kernels.h"

static void *_Atomic slow_page; /* pinning from this address on waits for may_go on */
static sem_t is_pinning, may_go;
static _Atomic int pinned_pages[8];
static char *_Atomic arena;
_Atomic(refuse_buffer *) refusing;
_Atomic(place_buffer *) placing;

cl_mem(clCreateBuffer)(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                       cl_int *error)
{
    static _Atomic uintptr_t found; /* by any thread: contexts are opened by many at once */
    refuse_buffer *asked = atomic_load(&refusing);
    place_buffer *placed = atomic_load(&placing);
    if (!found)
        found = (uintptr_t)dlsym(RTLD_NEXT, "clCreateBuffer");
    if (asked && asked(bytes)) {
        *error = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    if (placed && !host && (host = placed(bytes)) != NULL)
        flags |= CL_MEM_USE_HOST_PTR;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (size_t at = 0; host && at < bytes; at += page) {
        const uintptr_t index = ((uintptr_t)host + at - (uintptr_t)arena) / page;
        if (arena && index < 8)
            atomic_fetch_add(&pinned_pages[index], 1);
    }
    if (host && host == slow_page) {
        sem_post(&is_pinning);
        sem_wait(&may_go);
    }
    return ((__typeof__(&clCreateBuffer))found)(context, flags, bytes, host, error);
}

struct registration {
    struct ocl_context *context;
    char *host;
    size_t bytes;
    struct ocl_block *block;
    pthread_t thread;
};

static void *register_it(void *argument)
{
    struct registration *r = argument;
    const ocl_status status = ocl_block_wrap_host(r->context, r->host, r->bytes, &r->block);
    return (void *)(intptr_t)status;
}

static void begin(struct registration *r)
{
    assert_int_equal(pthread_create(&r->thread, NULL, register_it, r), 0);
}

static int end_within(struct registration *r, long milliseconds)
{
    struct timespec end;
    void *status = NULL;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += milliseconds / 1000;
    end.tv_nsec += milliseconds % 1000 * 1000000;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    if (pthread_clockjoin_np(r->thread, &status, CLOCK_MONOTONIC, &end) != 0)
        return 0;
    assert_int_equal((ocl_status)(intptr_t)status, OCL_OK);
    return 1;
}

/* While the driver pins one range, others are pinned and let go; only who shares a page waits, and no page is pinned
 * twice. */
TEST_BODY(block_registered_waits_for_shared_pages_only)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct ocl_context *context = open_tested();
    char *pages = aligned_alloc(page, 8 * page);
    if (!context->capability.reaches_registered_host || !context->capability.has_addresses)
        TEST_SKIP("registered memory shares no pins here");
    assert_non_null(pages);
    assert_int_equal(sem_init(&is_pinning, 0, 0), 0);
    assert_int_equal(sem_init(&may_go, 0, 0), 0);
    arena = pages;
    slow_page = pages;

    struct registration slow = {.context = context, .host = pages + 8, .bytes = page + 100};
    struct registration far = {.context = context, .host = pages + 5 * page, .bytes = page};
    struct registration near = {.context = context, .host = pages + page + 200, .bytes = page};
    begin(&slow);
    sem_wait(&is_pinning);
    begin(&far);
    assert_true(end_within(&far, 5000));
    ocl_block_destroy(far.block);
    begin(&near);
    assert_false(end_within(&near, 50));
    sem_post(&may_go);
    assert_true(end_within(&slow, 5000));
    assert_true(end_within(&near, 5000));

    static const int expected[8] = {1, 1, 1, 0, 0, 1, 0, 0};
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(pinned_pages[i], expected[i]);
    ocl_block_destroy(slow.block);
    ocl_block_destroy(near.block);
    assert_null(context->pins);
    slow_page = NULL;
    ocl_context_close(context);
    free(pages);
}
