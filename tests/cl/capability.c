/* Tests of cl/context/capability.c: what it chose, and whether what it claims is true.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/context/capability.h"

#include <string.h>

#include "cl/base/options.h"
#include "tests/cl/captured.h"
#include "tests/cl/kernels.h"

TEST_BODY(capability_reason_begins_with_the_choice)
{
    struct ocl_context *context = open_tested();
    char begin[64];
    snprintf(begin, sizeof begin, "%s: self-test passed",
             ocl_address_name(ocl_context_address(context)));
    assert_memory_equal(ocl_context_address_reason(context), begin, strlen(begin));
    ocl_context_close(context);
}

/* Whatever stands before the choice in the order must have a reason for not being chosen. */
TEST_BODY(capability_skipped_strategies_are_explained)
{
    struct ocl_context *context = open_tested();
    const enum ocl_address chosen = ocl_context_address(context);
    if (ocl_options_get()->address)
        TEST_SKIP("CLEM_ADDRESS changes the order");
    for (int i = OCL_ADDRESS_BDA; i < (int)chosen; i++) {
        char entry[64];
        snprintf(entry, sizeof entry, "; %s: ", ocl_address_name((enum ocl_address)i));
        assert_non_null(strstr(ocl_context_address_reason(context), entry));
    }
    ocl_context_close(context);
}

TEST_BODY(capability_facts_fit_the_strategy)
{
    struct ocl_context *context = open_tested();
    const struct ocl_capability *capability = &context->capability;
    const bool is_handle = capability->address == OCL_ADDRESS_HANDLE;
    assert_int_equal(capability->has_addresses, !is_handle);
    assert_int_equal(capability->has_addresses, !is_handle);
    assert_int_equal(capability->pass == OCL_PASS_BUFFER, is_handle);
    assert_int_not_equal(capability->host_method, OCL_HOST_NONE);
    if (is_handle)
        assert_false(capability->device_is_host_memory);
    if (capability->address == OCL_ADDRESS_USM)
        assert_false(capability->has_block_buffers);
    else if (capability->address != OCL_ADDRESS_SVM)
        assert_true(capability->has_block_buffers);
    if (capability->device_is_host_memory)
        assert_false(context->reserves_addresses);
    ocl_context_close(context);
}

static void check_forced(const char *name)
{
    setenv("CLEM_ADDRESS", name, 1);
    struct ocl_context *context = open_tested();
    const char *chosen = ocl_address_name(ocl_context_address(context));
    const char *reason = ocl_context_address_reason(context);
    char entry[64];
    if (strcmp(chosen, name) == 0) {
        assert_non_null(strstr(reason, "asked for by CLEM_ADDRESS"));
    } else {
        snprintf(entry, sizeof entry, "; %s: ", name);
        assert_non_null(strstr(reason, entry));
        assert_null(strstr(reason, "asked for by CLEM_ADDRESS"));
    }
    ocl_context_close(context);
}

TEST_BODY(capability_forced_bda_is_taken_or_explained)
{
    check_forced("bda");
}

TEST_BODY(capability_forced_usm_is_taken_or_explained)
{
    check_forced("usm");
}

TEST_BODY(capability_forced_raw_is_taken_or_explained)
{
    check_forced("raw");
}

TEST_BODY(capability_forced_svm_is_taken_or_explained)
{
    check_forced("svm");
}

TEST_BODY(capability_forced_handle_is_always_taken)
{
    setenv("CLEM_ADDRESS", "handle", 1);
    struct ocl_context *context = open_tested();
    assert_int_equal(ocl_context_address(context), OCL_ADDRESS_HANDLE);
    assert_false(context->capability.has_addresses);
    ocl_context_close(context);
}

TEST_BODY(capability_says_why_under_trace)
{
    static char printed[65536];
    setenv("CLEM_TRACE", "1", 1);
    struct capture capture = capture_begin();
    struct ocl_context *context = open_tested();
    capture_end(&capture, printed, sizeof printed);
    assert_non_null(strstr(printed, "address strategy "));
    assert_non_null(strstr(printed, ocl_context_address_reason(context)));
    ocl_context_close(context);
}

/* svm: commands on the buffer over a block and a kernel that has its address see one memory. */
TEST_BODY(capability_block_buffers_are_the_blocks_memory)
{
    struct ocl_context *context = open_tested();
    struct ocl_block *block = NULL;
    if (context->capability.address != OCL_ADDRESS_SVM || !context->capability.has_block_buffers)
        TEST_SKIP("no buffers over shared memory here");
    assert_int_equal(ocl_block_create(context, 8192, &block), OCL_OK);
    assert_non_null(block->buffer);
    for (uint32_t i = 1; i <= 5; i++) {
        uint32_t value = i;
        assert_int_equal(clEnqueueWriteBuffer(context->service, block->buffer, CL_TRUE, 400,
                                              sizeof value, &value, 0, NULL, NULL),
                         CL_SUCCESS);
        value = 0;
        assert_int_equal(clEnqueueSVMMemcpy(context->service, CL_TRUE, &value,
                                            (char *)block->pointer + 400, sizeof value, 0, NULL,
                                            NULL),
                         CL_SUCCESS);
        assert_int_equal(value, i);
    }
    ocl_block_destroy(block);
    ocl_context_close(context);
}
