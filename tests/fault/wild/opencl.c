/* OpenCL's calls behind a kernel that writes to a wild address: what the driver itself answers.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "clem.h"
#include "wild.h"

enum { BYTES = 1 << 16, NOT_POSSIBLE = 77 };

static const char source[] =
    "__kernel void hurt(ulong address) { *(volatile __global int *)address = 7; }\n"
    "__kernel void fill(__global int *memory) { *memory = 42; }\n";

static struct {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context, other_context;
    cl_command_queue queue, beside; /* the kernel fails in the first */
    cl_program program, other_program;
    cl_kernel hurt, fill;
    cl_mem memory, unused;
    cl_event event, user;
    int host[BYTES / 4];
} it;

static cl_int prepare(void)
{
    const char *text = source;
    cl_int error = CL_SUCCESS;
    it.context = clCreateContext(NULL, 1, &it.device, NULL, NULL, &error);
    it.queue = clCreateCommandQueue(it.context, it.device, CL_QUEUE_PROFILING_ENABLE, &error);
    it.beside = clCreateCommandQueue(it.context, it.device, 0, &error);
    it.program = clCreateProgramWithSource(it.context, 1, &text, NULL, &error);
    if (error == CL_SUCCESS)
        error = clBuildProgram(it.program, 1, &it.device, "", NULL, NULL);
    if (error != CL_SUCCESS)
        return error;
    it.hurt = clCreateKernel(it.program, "hurt", &error);
    it.fill = clCreateKernel(it.program, "fill", &error);
    it.memory = clCreateBuffer(it.context, CL_MEM_READ_WRITE, BYTES, NULL, &error);
    it.unused = clCreateBuffer(it.context, CL_MEM_READ_WRITE, BYTES, NULL, &error);
    it.user = clCreateUserEvent(it.context, &error);
    if (error == CL_SUCCESS)
        error = clSetKernelArg(it.fill, 0, sizeof it.memory, &it.memory);
    return error;
}

static cl_int launch(cl_command_queue queue, cl_kernel kernel, cl_event *event)
{
    const size_t one = 1;
    return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, event);
}

/* ---- The calls ---- */

static cl_int state_of_event(void)
{
    cl_int state = 0;
    const cl_int error =
        clGetEventInfo(it.event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    return error != CL_SUCCESS ? error : state;
}

static cl_int state_of_marker(cl_command_queue queue)
{
    cl_event marker = NULL;
    cl_int error = clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker);
    if (error != CL_SUCCESS)
        return error;
    (void)clFlush(queue);
    usleep(UNTOLD_US);
    it.event = marker;
    return state_of_event();
}

static cl_int map(cl_bool is_blocking)
{
    cl_int error = CL_SUCCESS;
    (void)clEnqueueMapBuffer(it.queue, it.memory, is_blocking, CL_MAP_READ, 0, BYTES, 0, NULL, NULL,
                             &error);
    return error;
}

static cl_int make_image(void)
{
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc shape = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 64, .image_height = 64};
    cl_int error = CL_SUCCESS;
    (void)clCreateImage(it.context, CL_MEM_READ_ONLY, &format, &shape, NULL, &error);
    return error;
}

static cl_int make_program(void)
{
    const char *text = source;
    cl_int error = CL_SUCCESS;
    it.other_program = clCreateProgramWithSource(it.context, 1, &text, NULL, &error);
    return error != CL_SUCCESS ? error
                               : clBuildProgram(it.other_program, 1, &it.device, "", NULL, NULL);
}

/* A context beside the one that failed. */
static cl_int work_beside(void)
{
    cl_int value = 0, error = CL_SUCCESS;
    memset(&it.context, 0, sizeof it.context);
    error = prepare();
    if (error == CL_SUCCESS)
        error = launch(it.queue, it.fill, NULL);
    if (error == CL_SUCCESS)
        error = clEnqueueReadBuffer(it.queue, it.memory, CL_TRUE, 0, 4, &value, 0, NULL, NULL);
    return error == CL_SUCCESS && value != 42 ? CL_INVALID_VALUE : error;
}

static cl_int error_of;
static const cl_int pattern;
static char text[256];
static cl_ulong number;

/* Functions that return an object and say the error beside it. */
#define MADE(call) ((void)(call), error_of)

#define CALLS(X)                                                                                   \
    X("clGetEventInfo, of the kernel", state_of_event())                                           \
    X("clGetEventProfilingInfo",                                                                   \
      clGetEventProfilingInfo(it.event, CL_PROFILING_COMMAND_END, 8, &number, NULL))               \
    X("clWaitForEvents", clWaitForEvents(1, &it.event))                                            \
    X("clFlush", clFlush(it.queue))                                                                \
    X("clFinish", clFinish(it.queue))                                                              \
    X("clFinish, beside", clFinish(it.beside))                                                     \
    X("clFlush, beside", clFlush(it.beside))                                                       \
    X("clEnqueueMarkerWithWaitList", clEnqueueMarkerWithWaitList(it.queue, 0, NULL, NULL))         \
    X("marker's state", state_of_marker(it.queue))                                                 \
    X("marker's state, beside", state_of_marker(it.beside))                                        \
    X("clEnqueueBarrierWithWaitList", clEnqueueBarrierWithWaitList(it.queue, 0, NULL, NULL))       \
    X("clEnqueueNDRangeKernel", launch(it.queue, it.fill, NULL))                                   \
    X("clEnqueueNDRangeKernel, beside", launch(it.beside, it.fill, NULL))                          \
    X("clEnqueueReadBuffer, blocking",                                                             \
      clEnqueueReadBuffer(it.queue, it.memory, CL_TRUE, 0, BYTES, it.host, 0, NULL, NULL))         \
    X("clEnqueueReadBuffer",                                                                       \
      clEnqueueReadBuffer(it.queue, it.memory, CL_FALSE, 0, BYTES, it.host, 0, NULL, NULL))        \
    X("clEnqueueWriteBuffer, blocking",                                                            \
      clEnqueueWriteBuffer(it.queue, it.memory, CL_TRUE, 0, BYTES, it.host, 0, NULL, NULL))        \
    X("clEnqueueWriteBuffer",                                                                      \
      clEnqueueWriteBuffer(it.queue, it.memory, CL_FALSE, 0, BYTES, it.host, 0, NULL, NULL))       \
    X("clEnqueueWriteBuffer, beside",                                                              \
      clEnqueueWriteBuffer(it.beside, it.memory, CL_TRUE, 0, BYTES, it.host, 0, NULL, NULL))       \
    X("clEnqueueCopyBuffer",                                                                       \
      clEnqueueCopyBuffer(it.queue, it.memory, it.unused, 0, 0, BYTES, 0, NULL, NULL))             \
    X("clEnqueueFillBuffer",                                                                       \
      clEnqueueFillBuffer(it.queue, it.memory, &pattern, 4, 0, BYTES, 0, NULL, NULL))              \
    X("clEnqueueMapBuffer, blocking", map(CL_TRUE))                                                \
    X("clEnqueueMapBuffer", map(CL_FALSE))                                                         \
    X("clCreateBuffer",                                                                            \
      MADE(clCreateBuffer(it.context, CL_MEM_READ_WRITE, BYTES, NULL, &error_of)))                 \
    X("clCreateBuffer, of the host",                                                               \
      MADE(clCreateBuffer(it.context, CL_MEM_ALLOC_HOST_PTR, BYTES, NULL, &error_of)))             \
    X("clCreateImage", make_image())                                                               \
    X("clCreateSampler",                                                                           \
      MADE(clCreateSampler(it.context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &error_of))) \
    X("clCreateUserEvent", MADE(clCreateUserEvent(it.context, &error_of)))                         \
    X("clSetUserEventStatus", clSetUserEventStatus(it.user, CL_COMPLETE))                          \
    X("clCreateCommandQueue", MADE(clCreateCommandQueue(it.context, it.device, 0, &error_of)))     \
    X("clCreateKernel", MADE(clCreateKernel(it.program, "fill", &error_of)))                       \
    X("clSetKernelArg", clSetKernelArg(it.fill, 0, sizeof it.memory, &it.memory))                  \
    X("clBuildProgram", make_program())                                                            \
    X("clGetMemObjectInfo", clGetMemObjectInfo(it.memory, CL_MEM_SIZE, 8, &number, NULL))          \
    X("clGetDeviceInfo", clGetDeviceInfo(it.device, CL_DEVICE_NAME, sizeof text, text, NULL))      \
    X("clReleaseMemObject", clReleaseMemObject(it.unused))                                         \
    X("clReleaseEvent", clReleaseEvent(it.event))                                                  \
    X("clReleaseCommandQueue", clReleaseCommandQueue(it.queue))                                    \
    X("clReleaseContext", clReleaseContext(it.context))                                            \
    X("clCreateContext",                                                                           \
      MADE(it.other_context = clCreateContext(NULL, 1, &it.device, NULL, NULL, &error_of)))        \
    X("another context's work", work_beside())

enum {
#define COUNT(name, call) +1
    CALL_COUNT = 0 CALLS(COUNT)
};

static const char *const names[] = {
#define NAME(name, call) name,
    CALLS(NAME)};

static cl_int make_call(size_t i)
{
    size_t at = 0;
#define MAKE(name, call)                                                                           \
    if (at++ == i)                                                                                 \
        return call;
    CALLS(MAKE)
    return CL_INVALID_VALUE;
}

/* ---- One process ---- */

struct visit {
    size_t call;
    enum moment moment;
};

/* clem finds the device that CLEM_DEVICE names, and does nothing else. */
static bool find_device(void)
{
    return clemDeviceGetOpenCL(0, &it.platform, &it.device, NULL) == 0;
}

static int visit_call(void *argument)
{
    const struct visit *visit = argument;
    const cl_ulong address = WILD_ADDRESS;
    cl_int error = find_device() ? prepare() : CL_DEVICE_NOT_FOUND;
    if (error == CL_SUCCESS)
        error = clSetKernelArg(it.hurt, 0, sizeof address, &address);
    if (error == CL_SUCCESS)
        error = launch(it.queue, it.hurt, &it.event);
    if (error == CL_SUCCESS)
        error = clFlush(it.queue);
    if (error != CL_SUCCESS) {
        printf("%-34s cannot be prepared: %d\n", names[visit->call], error);
        return 0;
    }
    if (visit->moment == UNTOLD)
        usleep(UNTOLD_US);
    if (visit->moment == TOLD)
        (void)clFinish(it.queue);
    const cl_int once = make_call(visit->call);
    cl_int again = 0, finished = 0, state = 0, marker = 0;
    if (strncmp(names[visit->call], "clRelease", 9) != 0 &&
        strncmp(names[visit->call], "another", 7) != 0) {
        again = make_call(visit->call);
        finished = clFinish(it.queue);
        state = state_of_event();
        marker = clEnqueueMarkerWithWaitList(it.beside, 0, NULL, NULL);
    }
    printf("%-34s %d, again %d; clFinish %d, event %d, marker beside %d; another context %d\n",
           names[visit->call], once, again, finished, state, marker, work_beside());
    return 0;
}

static int ask_whether_cpu(void *argument)
{
    cl_device_type type = CL_DEVICE_TYPE_CPU;
    (void)argument;
    const bool is_known = find_device() && clGetDeviceInfo(it.device, CL_DEVICE_TYPE, sizeof type,
                                                           &type, NULL) == CL_SUCCESS;
    return is_known && (type & CL_DEVICE_TYPE_CPU) == 0 ? 0 : NOT_POSSIBLE;
}

int wild_opencl(const char *only)
{
    static const char *const moments[MOMENTS] = {"at once", "when it has failed, untold", "told"};
    if (wild_child("device", ask_whether_cpu, NULL) != 0) {
        puts("skipped: a CPU's kernels run in this process");
        return NOT_POSSIBLE;
    }
    for (int moment = 0; moment < MOMENTS; moment++) {
        printf("---- %s\n", moments[moment]);
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            struct visit visit = {i, (enum moment)moment};
            if (only == NULL || strcmp(only, names[i]) == 0)
                (void)wild_child(names[i], visit_call, &visit);
        }
    }
    return 0;
}
