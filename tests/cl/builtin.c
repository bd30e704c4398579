/* Tests of cl/program/builtin.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/program/builtin.h"

#include <pthread.h>

#include "kernels/kernels.h"
#include "tests/cl/held.h"

TEST_BODY(builtin_finds_kernels_and_refuses_others)
{
    struct ocl_context *context = open_context();
    struct ocl_kernel *kernel = NULL, *again = NULL;

    assert_int_equal(ocl_builtin_kernel(context, "fill", "fill_items", &kernel), OCL_OK);
    assert_non_null(kernel);
    assert_string_equal(ocl_kernel_facts(kernel)->name, "fill_items");
    assert_int_equal(ocl_builtin_kernel(context, "fill", "fill_items", &again), OCL_OK);
    assert_ptr_equal(kernel, again);
    assert_int_equal(ocl_builtin_kernel(context, "fill", "copy_items", &kernel), OCL_E_NOT_FOUND);
    assert_int_equal(ocl_builtin_kernel(context, "no_such_file", "fill_items", &kernel),
                     OCL_E_NOT_FOUND);
    ocl_context_close(context);
}

struct asker {
    struct ocl_context *context;
    struct ocl_kernel *kernel;
    ocl_status status;
};

static void *ask(void *argument)
{
    struct asker *asker = argument;

    asker->status =
        ocl_builtin_kernel(asker->context, "copy_rect", "copy_rect_items_4", &asker->kernel);
    return NULL;
}

/* One builds, the others wait for it, and all get the same kernel. */
TEST_BODY(builtin_is_built_once_for_eight_threads)
{
    struct ocl_context *context = open_context();
    struct asker askers[8];
    pthread_t threads[8];

    for (size_t i = 0; i < 8; i++) {
        askers[i] = (struct asker){.context = context};
        assert_int_equal(pthread_create(&threads[i], NULL, ask, &askers[i]), 0);
    }
    for (size_t i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(askers[i].status, OCL_OK);
        assert_ptr_equal(askers[i].kernel, askers[0].kernel);
    }
    ocl_context_close(context);
}

TEST_BODY(builtin_contexts_are_apart)
{
    struct ocl_context *here = open_context(), *there = open_context();
    struct ocl_kernel *first, *second;

    assert_int_equal(ocl_builtin_kernel(here, "copy", "copy_items", &first), OCL_OK);
    assert_int_equal(ocl_builtin_kernel(there, "copy", "copy_items", &second), OCL_OK);
    assert_ptr_not_equal(first, second);
    ocl_context_close(here);
    assert_string_equal(ocl_kernel_facts(second)->name, "copy_items");
    ocl_context_close(there);
}
