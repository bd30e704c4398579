/* Tests of facade/clem_interop.c: OpenCL's own calls on what stands behind pointers and streams.
 * SPDX-License-Identifier: Apache-2.0 */
#include <clem.h>

#include "tests/facade/runtime_support.h"

#define assert_cl(call) assert_int_equal((call), CL_SUCCESS)

TEST_BODY(clem_interop_devices_lead_back)
{
    int count = 0;
    assert_success(cudaGetDeviceCount(&count));
    for (int i = 0; i < count; i++) {
        cl_platform_id platform = NULL, told = NULL;
        cl_device_id id = NULL, in_context = NULL;
        cl_context context = NULL;
        int device = -1;
        assert_success(clemDeviceGetOpenCL(i, &platform, &id, &context));
        assert_cl(clGetDeviceInfo(id, CL_DEVICE_PLATFORM, sizeof told, &told, NULL));
        assert_ptr_equal(told, platform);
        assert_cl(
            clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof in_context, &in_context, NULL));
        assert_ptr_equal(in_context, id);
        assert_success(clemDeviceFromOpenCL(&device, id));
        assert_int_equal(device, i);
    }
    int device = 77;
    assert_success(clemDeviceGetOpenCL(0, NULL, NULL, NULL));
    assert_fails(cudaErrorInvalidDevice, clemDeviceGetOpenCL(count, NULL, NULL, NULL));
    assert_fails(cudaErrorInvalidDevice, clemDeviceFromOpenCL(&device, NULL));
    assert_fails(cudaErrorInvalidValue, clemDeviceFromOpenCL(NULL, NULL));
    assert_int_equal(device, 77);
}

TEST_BODY(clem_interop_tells_about_devices)
{
    static const char *const names[] = {"none", "bda", "usm", "raw", "svm", "handle"};
    clemDeviceInfo info;
    const char *forced = getenv("CLEM_ADDRESS");
    memset(&info, 0x55, sizeof info);
    assert_success(clemGetDeviceInfo(&info, 0));
    assert_true(strncmp(info.deviceVersion, "OpenCL ", 7) == 0);
    assert_true(strncmp(info.languageVersion, "OpenCL C ", 9) == 0);
    assert_true(info.platformName[0] != '\0' && info.driverVersion[0] != '\0' &&
                info.addressReason[0] != '\0');
    assert_true(info.address >= clemAddressBda && info.address <= clemAddressHandle);
    assert_true(info.maxAllocationBytes > 0);
    assert_in_range(info.deviceClass, 0, 2);
    for (int i = clemAddressNone; i <= clemAddressHandle; i++)
        assert_string_equal(clemAddressName((clemAddress)i), names[i]);
    if (forced != NULL && strcmp(forced, "handle") == 0)
        assert_int_equal(info.address, clemAddressHandle);
    assert_fails(cudaErrorInvalidValue, clemGetDeviceInfo(NULL, 0));
    assert_fails(cudaErrorInvalidDevice, clemGetDeviceInfo(&info, -1));
}

struct view {
    cl_mem buffer;
    size_t offset;
};

static struct view view_of(const void *pointer)
{
    struct view view = {NULL, 77};
    cudaError_t error = clemPointerGetOpenCL(pointer, &view.buffer, &view.offset);
    if (error == cudaErrorNotSupported)
        TEST_SKIP("this strategy's memory is no cl_mem");
    assert_success(error);
    return view;
}

/* The byte behind a pointer is the byte at the buffer's offset, for pointers to starts and
 * middles, small and large. */
TEST_BODY(clem_interop_buffers_hold_the_bytes)
{
    static const size_t sizes[] = {1, 100, 4096, 1 << 20, 40 << 20};
    cudaStream_t stream = NULL;
    assert_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const size_t inner[] = {0, sizes[i] / 2, sizes[i] - 1};
        unsigned char *p = NULL;
        assert_success(cudaMalloc((void **)&p, sizes[i]));
        for (size_t k = 0; k < 3; k++) {
            cl_command_queue queue = NULL;
            void *back = NULL;
            unsigned char put = (unsigned char)(10 * i + k + 1), got = 0;
            struct view view = view_of(p + inner[k]);
            assert_success(clemStreamGetOpenCL(stream, &queue));
            assert_cl(clEnqueueWriteBuffer(queue, view.buffer, CL_TRUE, view.offset, 1, &put, 0,
                                           NULL, NULL));
            assert_success(cudaMemcpy(&got, p + inner[k], 1, cudaMemcpyDeviceToHost));
            assert_int_equal(got, put);
            assert_success(clemPointerFromOpenCL(&back, view.buffer, view.offset));
            assert_ptr_equal(back, p + inner[k]);
        }
        assert_success(cudaFree(p));
    }
    assert_success(cudaStreamDestroy(stream));
}

TEST_BODY(clem_interop_refuses_unknown_objects)
{
    cl_context context = NULL;
    cl_mem buffer = NULL, own = NULL;
    size_t offset = 77;
    void *p = NULL, *back = NULL;
    int on_host = 0;
    cl_int error = 0;
    cudaStream_t stream = NULL;
    assert_success(cudaMalloc(&p, 16));
    assert_success(clemDeviceGetOpenCL(0, NULL, NULL, &context));
    assert_fails(cudaErrorInvalidValue, clemPointerGetOpenCL(&on_host, &buffer, &offset));
    assert_fails(cudaErrorInvalidValue, clemPointerGetOpenCL(NULL, &buffer, &offset));
    assert_fails(cudaErrorInvalidValue, clemPointerGetOpenCL(p, NULL, &offset));
    assert_fails(cudaErrorInvalidValue, clemPointerGetOpenCL(p, &buffer, NULL));
    own = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &error);
    assert_cl(error);
    assert_fails(cudaErrorInvalidValue, clemPointerFromOpenCL(&back, own, 0));
    assert_fails(cudaErrorInvalidValue, clemPointerFromOpenCL(&back, NULL, 0));
    assert_cl(clReleaseMemObject(own));
    assert_success(cudaFree(p));
    assert_fails(cudaErrorInvalidValue, clemPointerGetOpenCL(p, &buffer, &offset));
    assert_success(cudaStreamCreate(&stream));
    assert_success(cudaStreamDestroy(stream));
    cl_command_queue queue = NULL;
    assert_fails(cudaErrorInvalidResourceHandle, clemStreamGetOpenCL(stream, &queue));
    assert_fails(cudaErrorInvalidResourceHandle, clemStreamEnqueued(stream));
    assert_fails(cudaErrorInvalidValue, clemStreamGetOpenCL(NULL, NULL));
    assert_null(queue);
}

TEST_BODY(clem_interop_streams_lead_back)
{
    cudaStream_t streams[3] = {NULL, NULL, cudaStreamPerThread};
    assert_success(cudaStreamCreate(&streams[0]));
    assert_success(cudaStreamCreateWithFlags(&streams[1], cudaStreamNonBlocking));
    for (int i = 0; i < 3; i++) {
        cl_command_queue queue = NULL;
        cudaStream_t back = NULL;
        cl_context context = NULL, wanted = NULL;
        assert_success(clemStreamGetOpenCL(streams[i], &queue));
        assert_cl(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL));
        assert_success(clemDeviceGetOpenCL(0, NULL, NULL, &wanted));
        assert_ptr_equal(context, wanted);
        assert_success(clemStreamFromOpenCL(&back, queue));
        assert_ptr_equal(back, streams[i]);
    }
    cl_command_queue queue = NULL;
    cudaStream_t back = NULL;
    assert_success(clemStreamGetOpenCL(NULL, &queue));
    assert_success(clemStreamFromOpenCL(&back, queue));
    assert_ptr_equal(back, cudaStreamLegacy);
    assert_success(cudaStreamDestroy(streams[0]));
    assert_success(cudaStreamDestroy(streams[1]));
}

static cl_kernel build(cl_context context, cl_program *program)
{
    const char *text = "__kernel void add(__global int *p, uint at, int v) { p[at] += v; }\n";
    cl_int error = 0;
    *program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    assert_cl(error);
    assert_cl(clBuildProgram(*program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(*program, "add", &error);
    assert_cl(error);
    return kernel;
}

/* CUDA fill, a kernel by hand, CUDA copy: in one stream they run in this order, and clem waits for
 * the hand-made part. */
TEST_BODY(clem_interop_commands_by_hand_keep_the_order)
{
    cl_context context = NULL;
    cl_program program = NULL;
    cl_command_queue queue = NULL;
    cudaStream_t stream = NULL;
    enum { COUNT = 1 << 20 };
    int *p = device_ints(COUNT), value = 1, got = 0;
    assert_success(clemDeviceGetOpenCL(0, NULL, NULL, &context));
    assert_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    cl_kernel kernel = build(context, &program);
    struct view view = view_of(p);
    assert_int_equal(view.offset % sizeof(int), 0);
    for (int round = 0; round < 20; round++) {
        size_t one = 1;
        cl_uint at = (cl_uint)(view.offset / sizeof(int)) + COUNT - 1;
        assert_success(cudaMemsetAsync(p, round, COUNT * sizeof *p, stream));
        assert_success(clemStreamGetOpenCL(stream, &queue));
        assert_cl(clSetKernelArg(kernel, 0, sizeof view.buffer, &view.buffer));
        assert_cl(clSetKernelArg(kernel, 1, sizeof at, &at));
        assert_cl(clSetKernelArg(kernel, 2, sizeof value, &value));
        assert_cl(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        assert_success(clemStreamEnqueued(stream));
        assert_success(
            cudaMemcpyAsync(&got, p + COUNT - 1, sizeof got, cudaMemcpyDeviceToHost, stream));
        assert_success(cudaStreamSynchronize(stream));
        assert_int_equal(got, round * 0x01010101 + 1);
    }
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(p));
}

/* A user event holds a command that was enqueued by hand: the stream is busy until it is set. */
TEST_BODY(clem_interop_commands_by_hand_make_a_stream_busy)
{
    cl_context context = NULL;
    cl_command_queue queue = NULL;
    cudaStream_t stream = NULL;
    cl_int error = 0;
    int *p = device_ints(1), put = 7;
    assert_success(clemDeviceGetOpenCL(0, NULL, NULL, &context));
    assert_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    struct view view = view_of(p);
    cl_event held = clCreateUserEvent(context, &error);
    assert_cl(error);
    assert_success(clemStreamGetOpenCL(stream, &queue));
    assert_cl(clEnqueueWriteBuffer(queue, view.buffer, CL_FALSE, view.offset, sizeof put, &put, 1,
                                   &held, NULL));
    assert_success(clemStreamEnqueued(stream));
    assert_stays_busy(stream);
    assert_cl(clSetUserEventStatus(held, CL_COMPLETE));
    assert_success(cudaStreamSynchronize(stream));
    assert_int_equal(read_device_int(p), 7);
    clReleaseEvent(held);
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(p));
}
