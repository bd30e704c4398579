/* The one translation from OpenCL's codes to CUDA's. The only file of the facade that sees an OpenCL header.
 * SPDX-License-Identifier: Apache-2.0 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include "cl/trace.h"
#include "facade/state/internal.h"

/* A platform without devices or no platform at all: the ICD loader's own code. */
#define PLATFORM_NOT_FOUND (-1001)

/* NVIDIA's OpenCL reports a kernel's illegal access with this code, which the specification does not have. */
#define NVIDIA_ILLEGAL_ACCESS (-9999)

static const struct {
    ocl_status status;
    cudaError_t error;
} general[] = {
    {OCL_OK, cudaSuccess},
    {OCL_E_NO_DEVICE, cudaErrorNoDevice},
    {OCL_E_INVALID_VALUE, cudaErrorInvalidValue},
    {OCL_E_OUT_OF_MEMORY, cudaErrorMemoryAllocation},
    {OCL_E_NOT_READY, cudaErrorNotReady},
    {OCL_E_NOT_SUPPORTED, cudaErrorNotSupported},
    {OCL_E_NOT_FOUND, cudaErrorInvalidValue},
    {OCL_E_ALREADY, cudaErrorHostMemoryAlreadyRegistered},
    {OCL_E_BUILD, cudaErrorInvalidKernelImage},
    {OCL_E_NEEDS_ADDRESS, cudaErrorInvalidValue},
    {OCL_E_FILE, cudaErrorFileNotFound},
    {OCL_E_EXECUTION, cudaErrorLaunchFailure},
    {OCL_E_LAUNCH_SIZE, cudaErrorInvalidConfiguration},
    {OCL_E_TIMING_DISABLED, cudaErrorInvalidResourceHandle},
    {CL_DEVICE_NOT_FOUND, cudaErrorNoDevice},
    {CL_DEVICE_NOT_AVAILABLE, cudaErrorDevicesUnavailable},
    {CL_COMPILER_NOT_AVAILABLE, cudaErrorJitCompilerNotFound},
    {CL_MEM_OBJECT_ALLOCATION_FAILURE, cudaErrorMemoryAllocation},
    {CL_OUT_OF_RESOURCES, cudaErrorMemoryAllocation}, /* "or other resources" */
    {CL_OUT_OF_HOST_MEMORY, cudaErrorMemoryAllocation},
    {CL_MEM_COPY_OVERLAP, cudaErrorInvalidValue},
    {CL_IMAGE_FORMAT_MISMATCH, cudaErrorInvalidChannelDescriptor},
    {CL_IMAGE_FORMAT_NOT_SUPPORTED, cudaErrorInvalidChannelDescriptor},
    {CL_BUILD_PROGRAM_FAILURE, cudaErrorInvalidKernelImage},
    {CL_MAP_FAILURE, cudaErrorMapBufferObjectFailed},
    {CL_MISALIGNED_SUB_BUFFER_OFFSET, cudaErrorMisalignedAddress},
    {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, cudaErrorLaunchFailure},
    {CL_COMPILE_PROGRAM_FAILURE, cudaErrorInvalidKernelImage},
    {CL_LINK_PROGRAM_FAILURE, cudaErrorInvalidKernelImage},
    {CL_INVALID_VALUE, cudaErrorInvalidValue},
    {CL_INVALID_DEVICE, cudaErrorInvalidDevice},
    {CL_INVALID_CONTEXT, cudaErrorContextIsDestroyed},
    {CL_INVALID_COMMAND_QUEUE, cudaErrorInvalidResourceHandle},
    {CL_INVALID_HOST_PTR, cudaErrorInvalidValue},
    {CL_INVALID_MEM_OBJECT, cudaErrorInvalidValue},
    {CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, cudaErrorInvalidChannelDescriptor},
    {CL_INVALID_IMAGE_SIZE, cudaErrorInvalidValue},
    {CL_INVALID_SAMPLER, cudaErrorInvalidResourceHandle},
    {CL_INVALID_BINARY, cudaErrorInvalidKernelImage},
    {CL_INVALID_BUILD_OPTIONS, cudaErrorInvalidValue},
    {CL_INVALID_PROGRAM, cudaErrorInvalidKernelImage},
    {CL_INVALID_PROGRAM_EXECUTABLE, cudaErrorNoKernelImageForDevice},
    {CL_INVALID_KERNEL_NAME, cudaErrorSymbolNotFound},
    {CL_INVALID_KERNEL_DEFINITION, cudaErrorInvalidKernelImage},
    {CL_INVALID_KERNEL, cudaErrorInvalidDeviceFunction},
    {CL_INVALID_ARG_INDEX, cudaErrorInvalidValue},
    {CL_INVALID_ARG_VALUE, cudaErrorInvalidValue},
    {CL_INVALID_ARG_SIZE, cudaErrorInvalidValue},
    {CL_INVALID_KERNEL_ARGS, cudaErrorInvalidValue},
    {CL_INVALID_WORK_DIMENSION, cudaErrorInvalidConfiguration},
    {CL_INVALID_WORK_GROUP_SIZE, cudaErrorInvalidConfiguration},
    {CL_INVALID_WORK_ITEM_SIZE, cudaErrorInvalidConfiguration},
    {CL_INVALID_GLOBAL_OFFSET, cudaErrorInvalidConfiguration},
    {CL_INVALID_EVENT_WAIT_LIST, cudaErrorInvalidResourceHandle},
    {CL_INVALID_EVENT, cudaErrorInvalidResourceHandle},
    {CL_INVALID_OPERATION, cudaErrorNotPermitted},
    {CL_INVALID_BUFFER_SIZE, cudaErrorMemoryAllocation},
    {CL_INVALID_GLOBAL_WORK_SIZE, cudaErrorInvalidConfiguration},
    {PLATFORM_NOT_FOUND, cudaErrorNoDevice},
    {NVIDIA_ILLEGAL_ACCESS, cudaErrorIllegalAddress},
    {OCL_E_ACCESS, cudaErrorIllegalAddress},
    {OCL_E_PTX, cudaErrorInvalidPtx},
    {OCL_E_ASSERT, cudaErrorAssert},
    {OCL_E_TRAP, cudaErrorLaunchFailure},
    {OCL_E_GATHER, cudaErrorLaunchFailure},
};

/* The codes whose meaning depends on what was being done; looked at first. */
static const struct {
    enum facade_operation operation;
    ocl_status status;
    cudaError_t error;
} special[] = {
    {FACADE_LAUNCH, CL_OUT_OF_RESOURCES, cudaErrorLaunchOutOfResources},
    {FACADE_LAUNCH, OCL_E_OUT_OF_MEMORY, cudaErrorLaunchOutOfResources},
    {FACADE_BUILD, OCL_E_NOT_SUPPORTED, cudaErrorNoKernelImageForDevice},
    {FACADE_BUILD, OCL_E_NOT_FOUND, cudaErrorSymbolNotFound},
    {FACADE_SHARING, OCL_E_NOT_FOUND, cudaErrorInvalidResourceHandle},
    {FACADE_SHARING, OCL_E_ALREADY, cudaErrorDeviceUninitialized}, /* CUDA_ERROR_INVALID_CONTEXT */
};

cudaError_t facade_error_from(ocl_status status, enum facade_operation operation)
{
    if (status == OCL_OK)
        return cudaSuccess;
    if (status > OCL_E_NO_DEVICE) /* a driver's code */
        status = facade_judge(status);
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++) {
        if (special[i].operation == operation && special[i].status == status)
            return special[i].error;
    }
    for (size_t i = 0; i < sizeof general / sizeof general[0]; i++) {
        if (general[i].status == status)
            return general[i].error;
    }
    ocl_trace("no CUDA error for %s", ocl_status_name(status));
    return cudaErrorUnknown;
}

/* Runtime and driver number their errors alike, except for the runtime's own ones. */
static const struct {
    cudaError_t runtime;
    CUresult driver;
} different[] = {
    {cudaErrorInvalidConfiguration, CUDA_ERROR_INVALID_VALUE},
    {cudaErrorInvalidPitchValue, CUDA_ERROR_INVALID_VALUE},
    {cudaErrorInvalidSymbol, CUDA_ERROR_NOT_FOUND},
    {cudaErrorInvalidHostPointer, CUDA_ERROR_INVALID_VALUE},
    {cudaErrorInvalidDevicePointer, CUDA_ERROR_INVALID_VALUE},
    {cudaErrorInvalidMemcpyDirection, CUDA_ERROR_INVALID_VALUE},
    {cudaErrorInvalidChannelDescriptor, CUDA_ERROR_INVALID_VALUE},
    {cudaErrorInvalidDeviceFunction, CUDA_ERROR_INVALID_HANDLE},
    {cudaErrorCudartUnloading, CUDA_ERROR_DEINITIALIZED},
    {cudaErrorInitializationError, CUDA_ERROR_NOT_INITIALIZED},
};

CUresult facade_driver_error(cudaError_t error)
{
    for (size_t i = 0; i < sizeof different / sizeof different[0]; i++) {
        if (different[i].runtime == error)
            return different[i].driver;
    }
    return (CUresult)error;
}

cudaError_t facade_runtime_error(CUresult error)
{
    if (error == CUDA_ERROR_NOT_INITIALIZED)
        return cudaErrorInitializationError;
    return (cudaError_t)error;
}
