/* Operations that hand objects over between CUDA's API and OpenCL's.
 * SPDX-License-Identifier: Apache-2.0 */
#include "operation.h"

#include <clem.h>

enum { BYTES = 4096 };

/* A command that the program enqueues itself. */
static int fill_by_hand(cudaStream_t stream, cl_command_queue queue, cl_mem buffer, size_t offset)
{
    static const cl_uchar seven = 7;
    int error = 0;
    if (clEnqueueFillBuffer(queue, buffer, &seven, 1, offset, BYTES, 0, NULL, NULL) != CL_SUCCESS)
        return cudaErrorLaunchFailure;
    TRY(clemStreamEnqueued, stream);
    return error;
}

static int use_objects(void *memory, cudaStream_t stream)
{
    cl_mem buffer = NULL;
    cl_command_queue queue = NULL;
    cudaStream_t same = NULL;
    void *back = NULL;
    char host[BYTES] = {0};
    size_t offset = 0;
    int error = 0;
    TRY(clemStreamGetOpenCL, stream, &queue);
    TRY(clemStreamFromOpenCL, &same, queue);
    CHECK(same == stream);
    /* Where memory has no cl_mem, nothing of the program's own is enqueued. */
    (void)NOTE(clemPointerFromOpenCL)(&back, NULL, 0);
    TRY(clemStreamEnqueued, stream);
    if (error == 0 && CALL(clemPointerGetOpenCL, memory, &buffer, &offset) == 0) {
        TRY(clemPointerFromOpenCL, &back, buffer, offset);
        CHECK(back == memory);
        if (error == 0)
            error = fill_by_hand(stream, queue, buffer, offset);
        TRY(cudaMemcpyAsync, host, memory, BYTES, cudaMemcpyDeviceToHost, stream);
        TRY(cudaStreamSynchronize, stream);
        CHECK(host[0] == 7 && host[BYTES - 1] == 7);
    }
    return error;
}

int operation_interop(void)
{
    clemDeviceInfo info;
    cl_platform_id platform = NULL;
    cl_device_id id = NULL;
    cl_context context = NULL;
    cudaStream_t stream = NULL;
    void *memory = NULL;
    int device = 1, error = 0;
    TRY(clemGetDeviceInfo, &info, 0);
    TRY(clemDeviceGetOpenCL, 0, &platform, &id, &context);
    TRY(clemDeviceFromOpenCL, &device, id);
    CHECK(device == 0 && NOTE(clemAddressName)(info.address) != NULL);
    CHECK(NOTE(clemDeviceChoiceIsUnmet)() == 0);
    TRY(cudaStreamCreateWithFlags, &stream, cudaStreamNonBlocking);
    TRY(cudaMalloc, &memory, BYTES);
    if (error == 0)
        error = use_objects(memory, stream);
    END(cudaFree, memory);
    if (stream != NULL)
        END(cudaStreamDestroy, stream);
    return error;
}
