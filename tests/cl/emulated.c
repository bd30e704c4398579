/* Tests of cl/device/emulated.c. Under stub/devices.def's Intel devices with STUB_EMULATION their compiler
 * emulates double, which is taken on a card alone.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/device/emulated.h"

#include <stdlib.h>

#include "tests/cl/launch.h"

static const char text[] = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
                           "__kernel void third(__global double *number) { *number /= 3.0; }\n";

TEST_BODY(emulated_double_is_taken_where_its_bits_are_right)
{
    const char *how = getenv("STUB_EMULATION");
    const struct ocl_device *device = ocl_device_get(0);
    const bool is_emulated = how && strcmp(how, "right") == 0 && !device->facts.has_double &&
                             !device->facts.has_host_unified_memory;
    assert_int_equal(*ocl_emulated_option(device) != '\0', is_emulated);
    assert_int_equal(ocl_device_has_double(0), device->facts.has_double || is_emulated);
    if (!is_emulated)
        return;
    struct bench bench = open_bench(text, "");
    uint64_t number = 0;
    double value = 1.0;
    assert_int_equal(ocl_memory_allocate(bench.context, sizeof value, 0, &number), OCL_OK);
    write_device(&bench, number, &value, sizeof value);
    void *arguments[] = {&number};
    assert_int_equal(launch_line(&bench, find_kernel(&bench, "third"), 1, 1, 0, arguments), OCL_OK);
    read_device(&bench, &value, number, sizeof value);
    assert_true(value == 1.0 / 3.0);
    free_device(number);
    close_bench(&bench);
}
