/* Tests of cl/base/status.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/status.h"

#include <pthread.h>
#include <string.h>

#include "tests/test.h"

TEST_BODY(status_names_the_codes_of_opencl)
{
    assert_string_equal(ocl_status_name(0), "OCL_OK");
    assert_string_equal(ocl_status_name(-5), "CL_OUT_OF_RESOURCES");
    assert_string_equal(ocl_status_name(-30), "CL_INVALID_VALUE");
    assert_string_equal(ocl_status_name(-59), "CL_INVALID_OPERATION");
    assert_string_equal(ocl_status_name(-1001), "CL_PLATFORM_NOT_FOUND_KHR");
}

TEST_BODY(status_names_every_code_of_its_own)
{
    for (ocl_status status = OCL_E_NO_DEVICE; status >= OCL_E_TIMING_DISABLED; status--)
        assert_memory_equal(ocl_status_name(status), "OCL_E_", 6);
    assert_string_equal(ocl_status_name(OCL_E_NO_DEVICE), "OCL_E_NO_DEVICE");
    assert_string_equal(ocl_status_name(OCL_E_TIMING_DISABLED), "OCL_E_TIMING_DISABLED");
}

TEST_BODY(status_has_a_text_for_unknown_codes)
{
    assert_string_equal(ocl_status_name(-1234), "status -1234");
    assert_string_equal(ocl_status_name(7), "status 7");
    assert_string_equal(ocl_status_name(INT32_MIN), "status -2147483648");
}

static void *name_another(void *length)
{
    *(size_t *)length = strlen(ocl_status_name(-43210));
    return NULL;
}

TEST_BODY(status_texts_belong_to_their_thread)
{
    pthread_t thread;
    size_t length = 0;
    const char *mine = ocl_status_name(-1234);
    assert_int_equal(pthread_create(&thread, NULL, name_another, &length), 0);
    pthread_join(thread, NULL);
    assert_string_equal(mine, "status -1234");
    assert_int_equal(length, strlen("status -43210"));
}
