/* Code of libraries that were closed: what the driver made for it ends, though closing neither waits nor calls the driver.
 * SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <unistd.h>

#include <cuda_runtime_api.h>

#include "tests/fault/opencl.h"
#include "tests/test.h"

#define assert_success(call) assert_int_equal((call), cudaSuccess)

typedef cudaError_t advance_function(int *out, int by, int turns, cudaStream_t stream);

/* Launches without waiting. */
static void visit_plugin(int *memory, int by, cudaStream_t stream)
{
    void *library = dlopen(PLUGIN_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    advance_function *advance = NULL;
    assert_non_null(library);
    *(void **)&advance = dlsym(library, "clem_test_advance");
    assert_non_null(advance);
    assert_success(advance(memory, by, 1, stream));
    const long before = fault_live_objects();
    assert_int_equal(dlclose(library), 0);
    assert_true(fault_live_objects() >= before);
}

static void CUDART_CB hold_on(void *flag)
{
    while (!atomic_load((atomic_bool *)flag))
        usleep(1000);
}

/* Amid work, until the next wait for all of it; without work, until other code is loaded. */
TEST_BODY(unregistered_code_does_not_add_up)
{
    static atomic_bool may_end;
    cudaStream_t stream;
    int *memory = NULL, value = 0;
    assert_success(cudaMalloc((void **)&memory, 64));
    assert_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    visit_plugin(memory, 1, stream);
    assert_success(cudaDeviceSynchronize());
    const long idle = fault_live_objects();
    assert_success(cudaLaunchHostFunc(stream, hold_on, &may_end));
    for (int i = 0; i < 3; i++)
        visit_plugin(memory, 1, stream);
    const long busy = fault_live_objects();
    assert_true(busy >= idle + 3);
    atomic_store(&may_end, true);
    assert_success(cudaDeviceSynchronize());
    const long after = fault_live_objects();
    assert_true(after < busy - 3);
    for (int i = 0; i < 10; i++) {
        visit_plugin(memory, i, stream);
        assert_success(cudaStreamSynchronize(stream));
    }
    assert_true(fault_live_objects() < after + 10);
    assert_success(cudaMemcpy(&value, memory, sizeof value, cudaMemcpyDeviceToHost));
    assert_int_equal(value, 7 + 9);
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(memory));
    assert_success(cudaDeviceReset());
    assert_int_equal(fault_live_objects(), 0);
}
