/* Tests of cl/device/large.c: one allocation of most of the memory, or the driver's limit by name. Under stub/devices.def's
 * Intel devices with STUB_LARGEST the driver has to be asked for more than its limit.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/device/large.h"

#include <stdlib.h>

#include "tests/cl/launch.h"

enum { MIB = 1 << 20 };

static const char text[] = "__kernel void ends(__global uint *words, ulong last)\n"
                           "{\n"
                           "    words[0] += 5;\n"
                           "    words[last] += 6;\n"
                           "}\n";

static void touch_ends(const struct bench *bench, uint64_t words, size_t bytes)
{
    const uint32_t before[2] = {100, 200};
    uint32_t after[2] = {0, 0};
    uint64_t last = bytes / sizeof(uint32_t) - 1;
    void *arguments[] = {&words, &last};
    write_device(bench, words, &before[0], sizeof before[0]);
    write_device(bench, words + last * sizeof(uint32_t), &before[1], sizeof before[1]);
    assert_int_equal(launch_line(bench, find_kernel(bench, "ends"), 1, 1, 0, arguments), OCL_OK);
    read_device(bench, &after[0], words, sizeof after[0]);
    read_device(bench, &after[1], words + last * sizeof(uint32_t), sizeof after[1]);
    assert_int_equal(after[0], 105);
    assert_int_equal(after[1], 206);
}

TEST_BODY(large_allocation_has_most_of_the_memory)
{
    const size_t bytes = (size_t)256 * MIB / 10 * 9;
    setenv("CLEM_MEMORY", "256M", 1);
    struct bench bench = open_bench(text, "");
    const struct ocl_device *device = bench.context->device;
    const bool is_within = bytes <= device->facts.max_alloc_bytes;
    uint64_t words = 0;
    listen_to_logs();
    const ocl_status status = ocl_memory_allocate(bench.context, bytes, 0, &words);
    ocl_trace_listen(NULL);
    assert_int_equal(ocl_large_flags(device, (size_t)device->facts.max_alloc_bytes), 0);
    if (is_within || ocl_large_flags(device, bytes)) {
        assert_int_equal(status, OCL_OK);
        touch_ends(&bench, words, bytes);
        free_device(words);
    } else {
        assert_int_equal(status, OCL_E_OUT_OF_MEMORY);
        assert_non_null(strstr(heard(), "CL_DEVICE_MAX_MEM_ALLOC_SIZE"));
    }
    close_bench(&bench);
}
