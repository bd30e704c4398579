/* clem.h: clem's own few calls, for people who know OpenCL too: what stands behind a device, pointer or stream, and back. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_H
#define CLEM_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>

#include "cuda_runtime_api.h"

#define CLEM_VERSION_MAJOR 0
#define CLEM_VERSION_MINOR 1
#define CLEM_VERSION_PATCH 0

#if defined(__cplusplus)
extern "C" {
#endif
#pragma GCC visibility push(default)

/* How a device pointer is represented on a device. */
typedef enum clemAddress {
    clemAddressNone = 0, /* the device was not opened yet and could not be */
    clemAddressBda = 1,  /* cl_ext_buffer_device_address */
    clemAddressUsm = 2,  /* cl_intel_unified_shared_memory */
    clemAddressRaw = 3,  /* a buffer's address as a kernel reports it */
    clemAddressSvm = 4,  /* shared virtual memory */
    clemAddressHandle =
        5, /* numbers in a reserved range: pointers inside memory cannot be followed by kernels */
} clemAddress;

/* What OpenCL says about a device. Strings end with a zero byte; sizes are bytes. */
typedef struct clemDeviceInfo {
    char platformName[256];
    char platformVersion[256];
    char deviceVersion[256];   /* "OpenCL 3.0 ..." */
    char languageVersion[256]; /* "OpenCL C 1.2 ..." */
    char driverVersion[256];
    char vendor[256];
    char addressReason[512]; /* why the strategy was chosen, or why none was */
    clemAddress address;
    int deviceClass; /* 0 GPU, 1 accelerator, 2 CPU */
    int hasImages;
    int svmCoarse, svmFine, svmSystem, svmAtomics;
    int hasUsm, hasBda, hasSpirv;
    int hasDouble, hasHalf;
    int reachesPinnedHostMemory; /* kernels read and write pinned host memory by its host address */
    size_t maxAllocationBytes;
    size_t cacheBytes; /* of the last level; 0: not known */
    size_t imageMaxWidth, imageMaxHeight;
    size_t imageBufferMaxPixels;
} clemDeviceInfo;

/* clemGetDeviceInfo: opens the device if needed, because the strategy is chosen by a self-test.
 * Errors: cudaErrorInvalidValue for NULL, cudaErrorInvalidDevice; what opening the device gives, with all filled in that is
 * known, and the reason. */
cudaError_t clemGetDeviceInfo(clemDeviceInfo *info, int device);

/* clemDeviceChoiceIsUnmet: 1 when there are OpenCL devices but CLEM_DEVICE matches none of them, so that cudaErrorNoDevice
 * means a wrong choice; otherwise 0. */
int clemDeviceChoiceIsUnmet(void);

/* "bda", "usm", "raw", "svm", "handle" or "none". */
const char *clemAddressName(clemAddress address);

/* clemDeviceGetOpenCL: platform, device and (when context is not NULL) the primary context's cl_context. No reference is
 * added. clemDeviceFromOpenCL is the way back. Errors: cudaErrorInvalidValue, cudaErrorInvalidDevice. */
cudaError_t clemDeviceGetOpenCL(int device, cl_platform_id *platform, cl_device_id *id,
                                cl_context *context);
cudaError_t clemDeviceFromOpenCL(int *device, cl_device_id id);

/* clemPointerGetOpenCL: the buffer that holds the byte at ptr, and its offset in bytes. No reference is added; the buffer
 * lives as long as the allocation. clemPointerFromOpenCL is the way back for buffers that clem made.
 * Errors: cudaErrorInvalidValue for an unknown pointer or buffer; cudaErrorNotSupported where the memory is no cl_mem. */
cudaError_t clemPointerGetOpenCL(const void *ptr, cl_mem *buffer, size_t *offset);
cudaError_t clemPointerFromOpenCL(void **ptr, cl_mem buffer, size_t offset);

/* clemStreamGetOpenCL: the in-order queue behind a stream. Commands enqueued on it by hand come after the stream's earlier
 * work; call clemStreamEnqueued() after them, so that clem waits for them as well. Ask again after recording a timed
 * event: that may change the queue. No reference is added.
 * clemStreamFromOpenCL is the way back for queues that clem made. Errors: cudaErrorInvalidResourceHandle. */
cudaError_t clemStreamGetOpenCL(cudaStream_t stream, cl_command_queue *queue);
cudaError_t clemStreamFromOpenCL(cudaStream_t *stream, cl_command_queue queue);
cudaError_t clemStreamEnqueued(cudaStream_t stream);

#pragma GCC visibility pop
#if defined(__cplusplus)
}
#endif

#endif
