/* Tests of facade/state/error.c: the last error of a thread, names and texts.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/runtime_support.h"

#include <cuda.h>

TEST_BODY(error_last_one_is_kept_until_taken)
{
    void *p = NULL;
    assert_int_equal(cudaPeekAtLastError(), cudaSuccess);
    assert_int_equal(cudaMemcpy(NULL, &p, 8, (enum cudaMemcpyKind)99),
                     cudaErrorInvalidMemcpyDirection);
    assert_int_equal(cudaPeekAtLastError(), cudaErrorInvalidMemcpyDirection);
    assert_int_equal(cudaPeekAtLastError(), cudaErrorInvalidMemcpyDirection);
    assert_success(cudaMalloc(&p, 16));
    assert_success(cudaFree(p));
    assert_int_equal(cudaPeekAtLastError(), cudaErrorInvalidMemcpyDirection);
    assert_int_equal(cudaSetDevice(-1), cudaErrorInvalidDevice);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidDevice);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
    assert_int_equal(cudaPeekAtLastError(), cudaSuccess);
}

TEST_BODY(error_not_ready_is_no_error)
{
    static struct gate gate = GATE_INITIALIZER;
    cudaEvent_t event = NULL;
    float ms = 0;
    assert_success(cudaEventCreate(&event));
    gate_hold(&gate, NULL);
    assert_success(cudaEventRecord(event, NULL));
    assert_int_equal(cudaStreamQuery(NULL), cudaErrorNotReady);
    assert_int_equal(cudaEventQuery(event), cudaErrorNotReady);
    assert_int_equal(cudaEventElapsedTime(&ms, event, event), cudaErrorNotReady);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
    gate_open(&gate);
    assert_success(cudaDeviceSynchronize());
    assert_success(cudaEventDestroy(event));
}

TEST_BODY(error_of_the_driver_api_is_not_the_runtimes)
{
    assert_success(cudaFree(NULL));
    assert_int_equal(cuMemFree(3), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cudaPeekAtLastError(), cudaSuccess);
}

static void *fail_in_a_thread(void *data)
{
    int which = *(int *)data;
    THREAD_CHECK(cudaPeekAtLastError() == cudaSuccess);
    for (int i = 0; i < 200; i++) {
        cudaError_t wanted = which % 2 == 0 ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
        THREAD_CHECK((which % 2 == 0 ? cudaSetDevice(-1) : cudaMalloc(NULL, 1)) == wanted);
        THREAD_CHECK(cudaPeekAtLastError() == wanted);
        THREAD_CHECK(cudaGetLastError() == wanted);
        THREAD_CHECK(cudaGetLastError() == cudaSuccess);
    }
    return NULL;
}

TEST_BODY(error_last_one_belongs_to_the_thread)
{
    int numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    assert_int_equal(cudaMemcpy(NULL, numbers, 8, (enum cudaMemcpyKind)99),
                     cudaErrorInvalidMemcpyDirection);
    run_threads(8, fail_in_a_thread, numbers, sizeof numbers[0]);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidMemcpyDirection);
}

TEST_BODY(error_names_and_texts)
{
    static const struct {
        cudaError_t error;
        const char *name;
    } rows[] = {
        {cudaSuccess, "cudaSuccess"},
        {cudaErrorInvalidValue, "cudaErrorInvalidValue"},
        {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation"},
        {cudaErrorCudartUnloading, "cudaErrorCudartUnloading"},
        {cudaErrorNotReady, "cudaErrorNotReady"},
        {cudaErrorNotSupported, "cudaErrorNotSupported"},
        {cudaErrorUnknown, "cudaErrorUnknown"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_string_equal(cudaGetErrorName(rows[i].error), rows[i].name);
        assert_true(strlen(cudaGetErrorString(rows[i].error)) > 3);
        assert_string_not_equal(cudaGetErrorString(rows[i].error), "unrecognized error code");
    }
    assert_string_equal(cudaGetErrorName((cudaError_t)99999), "unrecognized error code");
    assert_string_equal(cudaGetErrorString((cudaError_t)(-1)), "unrecognized error code");
    assert_int_equal(cudaGetLastError(), cudaSuccess);
}

TEST_BODY(error_names_of_the_driver_api)
{
    const char *text = "before";
    assert_int_equal(cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &text), CUDA_SUCCESS);
    assert_string_equal(text, "CUDA_ERROR_INVALID_VALUE");
    assert_int_equal(cuGetErrorString(CUDA_ERROR_INVALID_VALUE, &text), CUDA_SUCCESS);
    assert_true(strlen(text) > 3);
    assert_int_equal(cuGetErrorName((CUresult)99999, &text), CUDA_ERROR_INVALID_VALUE);
    assert_null(text);
    assert_int_equal(cuGetErrorString(CUDA_SUCCESS, NULL), CUDA_ERROR_INVALID_VALUE);
}
