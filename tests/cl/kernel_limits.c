/* Tests of cl/launch/kernel_limits.c: what is said of a launch that is too large.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/launch/kernel_limits.h"

#include "tests/cl/captured.h"
#include "tests/cl/launch.h"

static char printed[4096];

static void explain(struct ocl_kernel *kernel, const struct ocl_launch *launch, ocl_status status)
{
    kernel->is_complained_of = false; /* each is the first */
    struct capture capture = capture_begin();
    assert_int_equal(ocl_kernel_explain(kernel, launch, status), status);
    capture_end(&capture, printed, sizeof printed);
}

TEST_BODY(kernel_limits_names_the_limit_and_the_values)
{
    char words[256];

    unsetenv("CLEM_TRACE");
    struct bench bench = open_bench("__kernel void k(__global int *p) { p[0] = 1; }\n", "");
    struct ocl_kernel *kernel = find_kernel(&bench, "k");
    const struct ocl_device_facts *device = ocl_device_facts(0);
    struct ocl_launch launch = {{2, 1, 1}, {1, 1, 1}, 0, NULL, false, 0, NULL, {0}};

    (void)ocl_kernel_facts(kernel);
    explain(kernel, &launch, OCL_E_INVALID_VALUE);
    assert_string_equal(printed, "");
    explain(kernel, &launch, CL_OUT_OF_RESOURCES);
    assert_non_null(strstr(printed, "clem: kernel k cannot be launched: the driver says "
                                    "CL_OUT_OF_RESOURCES to 2 x 1 x 1 work-groups of 1 x 1 x 1"));
    assert_int_equal(count_text(printed, "\n"), 1);
    launch.local_bytes = (size_t)device->local_bytes + 1;
    explain(kernel, &launch, OCL_E_LAUNCH_SIZE);
    snprintf(words, sizeof words, "the launch gives it %zu more; the device has %llu",
             launch.local_bytes, (unsigned long long)device->local_bytes);
    assert_non_null(strstr(printed, words));
    launch.local_bytes = 0;
    launch.items[0] = device->max_work_group + 1;
    explain(kernel, &launch, OCL_E_LAUNCH_SIZE);
    snprintf(words, sizeof words, "work-groups of %zu x 1 x 1 work-items; the device takes %zu x",
             launch.items[0], device->max_work_item[0]);
    assert_non_null(strstr(printed, words));
    launch.groups[1] = 0;
    explain(kernel, &launch, OCL_E_LAUNCH_SIZE);
    assert_string_equal(printed, "");
    close_bench(&bench);
}
