/* Khronos' headers, as clem means them, and their functions as clem calls them: no pthread_cancel() ends one. A driver may
 * have a cancellation point in any (PoCL compiles in a launch, NVIDIA's driver reads and writes files), and a thread that
 * went away within one would leave clem's locks, or the driver's, locked for good. The thread ends at its next cancellation
 * point, which is the program's. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_OPENCL_H
#define OCL_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 300
#ifndef CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue: all that OpenCL 1.2 has */
#endif
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <pthread.h>

static inline int ocl_steady_begin(void)
{
    int before = PTHREAD_CANCEL_ENABLE;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}

static inline void ocl_steady_end(int before)
{
    pthread_setcancelstate(before, &(int){0});
}

/* The value of a call. */
#define OCL_STEADY(call)                                                                           \
    __extension__({                                                                                \
        const int ocl_cancelled = ocl_steady_begin();                                              \
        __typeof__(call) ocl_value = (call);                                                       \
        ocl_steady_end(ocl_cancelled);                                                             \
        ocl_value;                                                                                 \
    })

/* A function that is missing here is found by tests/layers.cmake. */
#define clBuildProgram(...)               OCL_STEADY(clBuildProgram(__VA_ARGS__))
#define clCreateBuffer(...)               OCL_STEADY(clCreateBuffer(__VA_ARGS__))
#define clCreateBufferWithProperties(...) OCL_STEADY(clCreateBufferWithProperties(__VA_ARGS__))
#define clCreateCommandQueue(...)         OCL_STEADY(clCreateCommandQueue(__VA_ARGS__))
#define clCreateCommandQueueWithProperties(...)                                                    \
    OCL_STEADY(clCreateCommandQueueWithProperties(__VA_ARGS__))
#define clCreateContext(...)              OCL_STEADY(clCreateContext(__VA_ARGS__))
#define clCreateImage(...)                OCL_STEADY(clCreateImage(__VA_ARGS__))
#define clCreateKernel(...)               OCL_STEADY(clCreateKernel(__VA_ARGS__))
#define clCreateKernelsInProgram(...)     OCL_STEADY(clCreateKernelsInProgram(__VA_ARGS__))
#define clCreateProgramWithBinary(...)    OCL_STEADY(clCreateProgramWithBinary(__VA_ARGS__))
#define clCreateProgramWithIL(...)        OCL_STEADY(clCreateProgramWithIL(__VA_ARGS__))
#define clCreateProgramWithSource(...)    OCL_STEADY(clCreateProgramWithSource(__VA_ARGS__))
#define clCreateSampler(...)              OCL_STEADY(clCreateSampler(__VA_ARGS__))
#define clCreateSubBuffer(...)            OCL_STEADY(clCreateSubBuffer(__VA_ARGS__))
#define clCreateUserEvent(...)            OCL_STEADY(clCreateUserEvent(__VA_ARGS__))
#define clEnqueueBarrierWithWaitList(...) OCL_STEADY(clEnqueueBarrierWithWaitList(__VA_ARGS__))
#define clEnqueueCopyBuffer(...)          OCL_STEADY(clEnqueueCopyBuffer(__VA_ARGS__))
#define clEnqueueCopyBufferRect(...)      OCL_STEADY(clEnqueueCopyBufferRect(__VA_ARGS__))
#define clEnqueueCopyBufferToImage(...)   OCL_STEADY(clEnqueueCopyBufferToImage(__VA_ARGS__))
#define clEnqueueCopyImageToBuffer(...)   OCL_STEADY(clEnqueueCopyImageToBuffer(__VA_ARGS__))
#define clEnqueueMapBuffer(...)           OCL_STEADY(clEnqueueMapBuffer(__VA_ARGS__))
#define clEnqueueMarkerWithWaitList(...)  OCL_STEADY(clEnqueueMarkerWithWaitList(__VA_ARGS__))
#define clEnqueueNDRangeKernel(...)       OCL_STEADY(clEnqueueNDRangeKernel(__VA_ARGS__))
#define clEnqueueReadBuffer(...)          OCL_STEADY(clEnqueueReadBuffer(__VA_ARGS__))
#define clEnqueueReadBufferRect(...)      OCL_STEADY(clEnqueueReadBufferRect(__VA_ARGS__))
#define clEnqueueSVMMap(...)              OCL_STEADY(clEnqueueSVMMap(__VA_ARGS__))
#define clEnqueueSVMMemFill(...)          OCL_STEADY(clEnqueueSVMMemFill(__VA_ARGS__))
#define clEnqueueSVMMemcpy(...)           OCL_STEADY(clEnqueueSVMMemcpy(__VA_ARGS__))
#define clEnqueueSVMUnmap(...)            OCL_STEADY(clEnqueueSVMUnmap(__VA_ARGS__))
#define clEnqueueUnmapMemObject(...)      OCL_STEADY(clEnqueueUnmapMemObject(__VA_ARGS__))
#define clEnqueueWriteBuffer(...)         OCL_STEADY(clEnqueueWriteBuffer(__VA_ARGS__))
#define clEnqueueWriteBufferRect(...)     OCL_STEADY(clEnqueueWriteBufferRect(__VA_ARGS__))
#define clFinish(...)                     OCL_STEADY(clFinish(__VA_ARGS__))
#define clFlush(...)                      OCL_STEADY(clFlush(__VA_ARGS__))
#define clGetDeviceIDs(...)               OCL_STEADY(clGetDeviceIDs(__VA_ARGS__))
#define clGetDeviceInfo(...)              OCL_STEADY(clGetDeviceInfo(__VA_ARGS__))
#define clGetEventInfo(...)               OCL_STEADY(clGetEventInfo(__VA_ARGS__))
#define clGetEventProfilingInfo(...)      OCL_STEADY(clGetEventProfilingInfo(__VA_ARGS__))
#define clGetExtensionFunctionAddressForPlatform(...)                                              \
    OCL_STEADY(clGetExtensionFunctionAddressForPlatform(__VA_ARGS__))
#define clGetKernelArgInfo(...)         OCL_STEADY(clGetKernelArgInfo(__VA_ARGS__))
#define clGetKernelInfo(...)            OCL_STEADY(clGetKernelInfo(__VA_ARGS__))
#define clGetKernelWorkGroupInfo(...)   OCL_STEADY(clGetKernelWorkGroupInfo(__VA_ARGS__))
#define clGetMemObjectInfo(...)         OCL_STEADY(clGetMemObjectInfo(__VA_ARGS__))
#define clGetPlatformIDs(...)           OCL_STEADY(clGetPlatformIDs(__VA_ARGS__))
#define clGetPlatformInfo(...)          OCL_STEADY(clGetPlatformInfo(__VA_ARGS__))
#define clGetProgramBuildInfo(...)      OCL_STEADY(clGetProgramBuildInfo(__VA_ARGS__))
#define clGetProgramInfo(...)           OCL_STEADY(clGetProgramInfo(__VA_ARGS__))
#define clGetSupportedImageFormats(...) OCL_STEADY(clGetSupportedImageFormats(__VA_ARGS__))
#define clReleaseCommandQueue(...)      OCL_STEADY(clReleaseCommandQueue(__VA_ARGS__))
#define clReleaseContext(...)           OCL_STEADY(clReleaseContext(__VA_ARGS__))
#define clReleaseEvent(...)             OCL_STEADY(clReleaseEvent(__VA_ARGS__))
#define clReleaseKernel(...)            OCL_STEADY(clReleaseKernel(__VA_ARGS__))
#define clReleaseMemObject(...)         OCL_STEADY(clReleaseMemObject(__VA_ARGS__))
#define clReleaseProgram(...)           OCL_STEADY(clReleaseProgram(__VA_ARGS__))
#define clReleaseSampler(...)           OCL_STEADY(clReleaseSampler(__VA_ARGS__))
#define clRetainEvent(...)              OCL_STEADY(clRetainEvent(__VA_ARGS__))
#define clRetainProgram(...)            OCL_STEADY(clRetainProgram(__VA_ARGS__))
#define clSVMAlloc(...)                 OCL_STEADY(clSVMAlloc(__VA_ARGS__))
#define clSetEventCallback(...)         OCL_STEADY(clSetEventCallback(__VA_ARGS__))
#define clSetKernelArg(...)             OCL_STEADY(clSetKernelArg(__VA_ARGS__))
#define clSetKernelArgSVMPointer(...)   OCL_STEADY(clSetKernelArgSVMPointer(__VA_ARGS__))
#define clSetKernelExecInfo(...)        OCL_STEADY(clSetKernelExecInfo(__VA_ARGS__))
#define clSetUserEventStatus(...)       OCL_STEADY(clSetUserEventStatus(__VA_ARGS__))
#define clWaitForEvents(...)            OCL_STEADY(clWaitForEvents(__VA_ARGS__))
#define clSVMFree(...)                  ((void)OCL_STEADY((clSVMFree(__VA_ARGS__), 0)))

#endif
