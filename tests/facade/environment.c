/* Tests of facade/state/environment.c: CUDA's own variables. Each test is a process of its own.
 * SPDX-License-Identifier: Apache-2.0 */
#include "include/cuda.h"
#include "include/cuda_runtime_api.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/test.h"

static const char adds[] =
    "__kernel void add(__global int *sum) { for (int i = 0; i < 1000; i++) atomic_inc(sum); }";

TEST_BODY(environment_launches_wait_where_they_are_to)
{
    cudaLibrary_t library;
    cudaKernel_t add;
    cudaStream_t stream;
    int *sum;
    void *args[] = {&sum};
    setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
    assert_int_equal(cudaStreamCreate(&stream), cudaSuccess);
    assert_int_equal(cudaLibraryLoadData(&library, adds, NULL, NULL, 0, NULL, NULL, 0),
                     cudaSuccess);
    assert_int_equal(cudaLibraryGetKernel(&add, library, "add"), cudaSuccess);
    assert_int_equal(cudaMalloc((void **)&sum, sizeof *sum), cudaSuccess);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(
            cudaLaunchKernel((const void *)add, (dim3){8, 1, 1}, (dim3){64, 1, 1}, args, 0, stream),
            cudaSuccess);
        assert_int_equal(cudaStreamQuery(stream), cudaSuccess);
    }
    assert_int_equal(cudaFree(sum), cudaSuccess);
}

TEST_BODY(environment_messages_go_to_a_file)
{
    char name[] = "/tmp/clem-log-XXXXXX", line[512] = "";
    cudaLibrary_t library;
    cudaKernel_t kernel;
    const int file = mkstemp(name);
    assert_true(file >= 0);
    setenv("CUDA_LOG_FILE", name, 1);
    setenv("CLEM_TRACE", "0", 1);
    assert_int_equal(
        cudaLibraryLoadData(&library, "this is no program", NULL, NULL, 0, NULL, NULL, 0),
        cudaSuccess);
    assert_int_not_equal(cudaLibraryGetKernel(&kernel, library, "kernel"), cudaSuccess);
    FILE *log = fopen(name, "r");
    assert_non_null(log);
    assert_non_null(fgets(line, sizeof line, log));
    assert_non_null(strstr(line, "[CUDA]["));
    fclose(log);
    close(file);
    unlink(name);
}

static CUmoduleLoadingMode loading_mode(void)
{
    CUmoduleLoadingMode mode = (CUmoduleLoadingMode)0;
    assert_int_equal(cuInit(0), CUDA_SUCCESS);
    assert_int_equal(cuModuleGetLoadingMode(&mode), CUDA_SUCCESS);
    return mode;
}

TEST_BODY(environment_says_when_modules_are_loaded)
{
    setenv("CUDA_MODULE_LOADING", "EAGER", 1);
    assert_int_equal(loading_mode(), CU_MODULE_EAGER_LOADING);
}

TEST_BODY(environment_loads_modules_lazily_where_nothing_says)
{
    unsetenv("CUDA_MODULE_LOADING");
    assert_int_equal(loading_mode(), CU_MODULE_LAZY_LOADING);
}
