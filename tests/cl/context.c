/* Tests of cl/context/context.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/context.h"
#include "cl/state/failure.h"

#include <pthread.h>

#include "cl/queue.h"
#include "tests/cl/kernels.h"

TEST_BODY(context_opens_with_a_queue_and_no_failure)
{
    struct ocl_context *context = open_tested();
    assert_int_equal(ocl_context_device(context), 0);
    assert_non_null(ocl_queue_legacy(context));
    assert_int_equal(ocl_context_failure(context), OCL_OK);
    assert_int_equal(ocl_context_finish(context), OCL_OK);
    assert_int_not_equal(ocl_context_address(context), OCL_ADDRESS_NONE);
    ocl_context_close(context);
}

TEST_BODY(context_can_be_opened_again_and_beside_others)
{
    struct ocl_context *first = open_tested(), *second = open_tested();
    struct ocl_block *one = NULL, *two = NULL;
    assert_int_equal(ocl_block_create(first, 65536, &one), OCL_OK);
    assert_int_equal(ocl_block_create(second, 65536, &two), OCL_OK);
    assert_true(one->address + one->bytes <= two->address ||
                two->address + two->bytes <= one->address);
    ocl_block_destroy(one);
    ocl_context_close(first);
    put_block(two, 8, "still here", 11);
    char text[11];
    get_block(two, 8, text, sizeof text);
    assert_string_equal(text, "still here");
    ocl_block_destroy(two);
    ocl_context_close(second);
    for (int i = 0; i < 5; i++)
        ocl_context_close(open_tested());
    ocl_context_close(NULL);
}

TEST_BODY(context_keeps_its_first_failure)
{
    struct ocl_context *context = open_tested();
    assert_int_equal(ocl_context_fail(context, OCL_OK), OCL_OK);
    assert_int_equal(ocl_context_failure(context), OCL_OK);
    /* An invalid queue is how NVIDIA's driver tells of an illegal access. */
    assert_int_equal(ocl_context_fail(context, CL_INVALID_COMMAND_QUEUE), OCL_E_ACCESS);
    assert_int_equal(ocl_context_fail(context, CL_OUT_OF_RESOURCES), OCL_E_ACCESS);
    assert_int_equal(ocl_context_fail(context, CL_OUT_OF_HOST_MEMORY), OCL_E_ACCESS);
    assert_int_equal(ocl_context_failure(context), OCL_E_ACCESS);
    assert_int_equal(ocl_context_finish(context), OCL_E_ACCESS);
    ocl_context_close(context);
}

/* What only a failed device answers ends the context, what a call may be refused for does not. */
TEST_BODY(context_judges_answers_of_the_driver)
{
    static const ocl_status telling[] = {-9999, CL_INVALID_COMMAND_QUEUE,
                                         CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST};
    for (size_t i = 0; i < sizeof telling / sizeof telling[0]; i++) {
        struct ocl_context *context = open_tested();
        assert_int_equal(ocl_context_judge(context, OCL_OK), OCL_OK);
        assert_int_equal(ocl_context_judge(context, CL_OUT_OF_RESOURCES), CL_OUT_OF_RESOURCES);
        assert_int_equal(ocl_context_failure(context), OCL_OK);
        const ocl_status kept = ocl_context_judge(context, telling[i]);
        assert_int_not_equal(kept, OCL_OK);
        assert_int_equal(ocl_context_failure(context), kept);
        assert_int_equal(ocl_context_judge(context, CL_OUT_OF_RESOURCES), kept);
        ocl_context_close(context);
    }
}

static void *fail_with(void *argument)
{
    struct ocl_context *context = ((void **)argument)[0];
    const int base = (int)(intptr_t)((void **)argument)[1];
    for (int i = 0; i < 1000; i++)
        ocl_context_fail(context, base - i);
    return (void *)(intptr_t)ocl_context_failure(context);
}

TEST_BODY(context_all_threads_see_one_failure)
{
    enum { THREADS = 4 };
    struct ocl_context *context = open_tested();
    pthread_t threads[THREADS];
    void *arguments[THREADS][2];
    for (int i = 0; i < THREADS; i++) {
        arguments[i][0] = context;
        arguments[i][1] = (void *)(intptr_t)(-10000 * (i + 1));
        assert_int_equal(pthread_create(&threads[i], NULL, fail_with, arguments[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *seen;
        pthread_join(threads[i], &seen);
        assert_int_equal((intptr_t)seen, ocl_context_failure(context));
    }
    assert_int_equal(ocl_context_failure(context) % 10000, 0); /* some thread's first */
    ocl_context_close(context);
}

static void *open_and_close(void *faults)
{
    for (int i = 0; i < 3; i++) {
        struct ocl_context *context = NULL;
        struct ocl_block *block = NULL;
        *(int *)faults += ocl_context_open(0, &context) != OCL_OK;
        if (!context)
            continue;
        *(int *)faults += ocl_block_create(context, 5000, &block) != OCL_OK;
        ocl_block_destroy(block);
        ocl_context_close(context);
    }
    return NULL;
}

TEST_BODY(context_threads_open_their_own)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    int faults[THREADS] = {0};
    if (ocl_device_count() == 0)
        TEST_SKIP("no OpenCL device");
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, open_and_close, &faults[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(faults[i], 0);
    }
}

TEST_BODY(context_of_every_device_opens)
{
    for (int i = 0; i < ocl_device_count(); i++) {
        struct ocl_context *context = NULL;
        assert_int_equal(ocl_context_open(i, &context), OCL_OK);
        assert_int_equal(ocl_context_device(context), i);
        ocl_context_close(context);
    }
    if (ocl_device_count() == 0)
        TEST_SKIP("no OpenCL device");
}
