/* Names of status values for logs, and the proof that a cl_int fits an ocl_status.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/status.h"

#include <stdio.h>

#include "cl/base/opencl.h"
#include "cl/thread.h"

_Static_assert(sizeof(cl_int) == sizeof(ocl_status), "an ocl_status carries a cl_int unchanged");
_Static_assert(CL_SUCCESS == OCL_OK, "zero is success on both sides");

#define NAME(code)                                                                                 \
    {                                                                                              \
        code, #code                                                                                \
    }

/* Source: OpenCL 3.0 API specification, appendix F, and the headers of the extensions named. */
static const struct {
    ocl_status code;
    const char *name;
} status_names[] = {
    NAME(CL_DEVICE_NOT_FOUND),
    NAME(CL_DEVICE_NOT_AVAILABLE),
    NAME(CL_COMPILER_NOT_AVAILABLE),
    NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    NAME(CL_OUT_OF_RESOURCES),
    NAME(CL_OUT_OF_HOST_MEMORY),
    NAME(CL_PROFILING_INFO_NOT_AVAILABLE),
    NAME(CL_MEM_COPY_OVERLAP),
    NAME(CL_IMAGE_FORMAT_MISMATCH),
    NAME(CL_IMAGE_FORMAT_NOT_SUPPORTED),
    NAME(CL_BUILD_PROGRAM_FAILURE),
    NAME(CL_MAP_FAILURE),
    NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    NAME(CL_COMPILE_PROGRAM_FAILURE),
    NAME(CL_LINKER_NOT_AVAILABLE),
    NAME(CL_LINK_PROGRAM_FAILURE),
    NAME(CL_DEVICE_PARTITION_FAILED),
    NAME(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
    NAME(CL_INVALID_VALUE),
    NAME(CL_INVALID_DEVICE_TYPE),
    NAME(CL_INVALID_PLATFORM),
    NAME(CL_INVALID_DEVICE),
    NAME(CL_INVALID_CONTEXT),
    NAME(CL_INVALID_QUEUE_PROPERTIES),
    NAME(CL_INVALID_COMMAND_QUEUE),
    NAME(CL_INVALID_HOST_PTR),
    NAME(CL_INVALID_MEM_OBJECT),
    NAME(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
    NAME(CL_INVALID_IMAGE_SIZE),
    NAME(CL_INVALID_SAMPLER),
    NAME(CL_INVALID_BINARY),
    NAME(CL_INVALID_BUILD_OPTIONS),
    NAME(CL_INVALID_PROGRAM),
    NAME(CL_INVALID_PROGRAM_EXECUTABLE),
    NAME(CL_INVALID_KERNEL_NAME),
    NAME(CL_INVALID_KERNEL_DEFINITION),
    NAME(CL_INVALID_KERNEL),
    NAME(CL_INVALID_ARG_INDEX),
    NAME(CL_INVALID_ARG_VALUE),
    NAME(CL_INVALID_ARG_SIZE),
    NAME(CL_INVALID_KERNEL_ARGS),
    NAME(CL_INVALID_WORK_DIMENSION),
    NAME(CL_INVALID_WORK_GROUP_SIZE),
    NAME(CL_INVALID_WORK_ITEM_SIZE),
    NAME(CL_INVALID_GLOBAL_OFFSET),
    NAME(CL_INVALID_EVENT_WAIT_LIST),
    NAME(CL_INVALID_EVENT),
    NAME(CL_INVALID_OPERATION),
    NAME(CL_INVALID_GL_OBJECT),
    NAME(CL_INVALID_BUFFER_SIZE),
    NAME(CL_INVALID_MIP_LEVEL),
    NAME(CL_INVALID_GLOBAL_WORK_SIZE),
    NAME(CL_INVALID_PROPERTY),
    NAME(CL_INVALID_IMAGE_DESCRIPTOR),
    NAME(CL_INVALID_COMPILER_OPTIONS),
    NAME(CL_INVALID_LINKER_OPTIONS),
    NAME(CL_INVALID_DEVICE_PARTITION_COUNT),
    NAME(CL_INVALID_PIPE_SIZE),
    NAME(CL_INVALID_DEVICE_QUEUE),
    NAME(CL_INVALID_SPEC_ID),
    NAME(CL_MAX_SIZE_RESTRICTION_EXCEEDED),
    NAME(CL_PLATFORM_NOT_FOUND_KHR),
    NAME(OCL_OK),
    NAME(OCL_E_NO_DEVICE),
    NAME(OCL_E_INVALID_VALUE),
    NAME(OCL_E_OUT_OF_MEMORY),
    NAME(OCL_E_NOT_READY),
    NAME(OCL_E_NOT_SUPPORTED),
    NAME(OCL_E_NOT_FOUND),
    NAME(OCL_E_ALREADY),
    NAME(OCL_E_BUILD),
    NAME(OCL_E_NEEDS_ADDRESS),
    NAME(OCL_E_FILE),
    NAME(OCL_E_EXECUTION),
    NAME(OCL_E_LAUNCH_SIZE),
    NAME(OCL_E_TIMING_DISABLED),
    NAME(OCL_E_ACCESS),
    NAME(OCL_E_PTX),
    NAME(OCL_E_ASSERT),
    NAME(OCL_E_TRAP),
    NAME(OCL_E_GATHER),
};

const char *ocl_status_name(ocl_status status)
{
    char *const unknown = ocl_thread()->unknown_status;
    for (size_t i = 0; i < sizeof status_names / sizeof status_names[0]; i++)
        if (status_names[i].code == status)
            return status_names[i].name;
    snprintf(unknown, sizeof ocl_thread()->unknown_status, "status %d", (int)status);
    return unknown;
}
