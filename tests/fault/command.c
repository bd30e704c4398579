/* That libclem begins and ends its commands, and that who stands between it and OpenCL would see one that it does not.
 * SPDX-License-Identifier: Apache-2.0 */
#include <clem.h>
#include <dlfcn.h>

#include "tests/fault/commands.h"
#include "tests/test.h"

void clem_watch_command(const void *queue, int change);

static cl_command_queue use_a_stream(void)
{
    cl_command_queue queue = NULL;
    cudaStream_t stream = NULL;
    cudaEvent_t event = NULL;
    void *memory = NULL;

    assert_int_equal(cudaStreamCreate(&stream), cudaSuccess);
    assert_int_equal(cudaEventCreate(&event), cudaSuccess);
    assert_int_equal(cudaMalloc(&memory, 4096), cudaSuccess);
    assert_int_equal(cudaMemsetAsync(memory, 1, 4096, stream), cudaSuccess);
    assert_int_equal(cudaEventRecord(event, stream), cudaSuccess);
    assert_int_equal(cudaMemsetAsync(memory, 2, 4096, NULL), cudaSuccess);
    assert_int_equal(cudaStreamSynchronize(stream), cudaSuccess);
    assert_int_equal(clemStreamGetOpenCL(stream, &queue), cudaSuccess);
    return queue;
}

/* The calls of another file than this program, for the wrapper. */
static const void *place_in_library(void)
{
    return dlsym(RTLD_DEFAULT, "cudaMalloc");
}

TEST_BODY(command_outside_begin_and_end_is_seen)
{
    const cl_command_queue queue = use_a_stream();
    static const char other;

    assert_null(fault_command_outside());
    fault_check_command("a command of the program", queue, &other);
    fault_check_command("one for another queue", &other, place_in_library());
    clem_watch_command(queue, 1);
    fault_check_command("one between begin and end", queue, place_in_library());
    clem_watch_command(queue, -1);
    assert_null(fault_command_outside());
    fault_check_command("one behind its end", queue, place_in_library());
    assert_string_equal(fault_command_outside(), "one behind its end");
}
