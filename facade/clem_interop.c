/* clem.h: the OpenCL objects behind devices, pointers and streams, and back.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cl/device.h"
#include "cl/interop.h"
#include "facade/device/device.h"
#include "facade/state/handles.h"
#include "facade/stream/stream.h"
#include "include/clem.h"

static void copy_text(char *target, size_t bytes, const char *source)
{
    size_t length = strnlen(source, bytes - 1);
    memcpy(target, source, length);
    target[length] = '\0';
}

static void fill_device(clemDeviceInfo *info, const struct ocl_device_facts *facts)
{
    copy_text(info->platformName, sizeof info->platformName, facts->platform_name);
    copy_text(info->platformVersion, sizeof info->platformVersion, facts->platform_version);
    copy_text(info->deviceVersion, sizeof info->deviceVersion, facts->device_version);
    copy_text(info->languageVersion, sizeof info->languageVersion, facts->c_version);
    copy_text(info->driverVersion, sizeof info->driverVersion, facts->driver_version);
    copy_text(info->vendor, sizeof info->vendor, facts->vendor);
    info->deviceClass = (int)facts->device_class;
    info->hasImages = facts->has_images;
    info->svmCoarse = facts->has_svm_coarse;
    info->svmFine = facts->has_svm_fine;
    info->svmSystem = facts->has_svm_system;
    info->svmAtomics = facts->has_svm_atomics;
    info->hasUsm = facts->has_usm;
    info->hasBda = facts->has_bda;
    info->hasSpirv = facts->il_version[0] != '\0';
    info->hasHalf = facts->has_half;
    info->maxAllocationBytes = (size_t)facts->max_alloc_bytes;
    info->cacheBytes = (size_t)facts->cache_bytes;
    info->imageMaxWidth = facts->image2d_width;
    info->imageMaxHeight = facts->image2d_height;
    info->imageBufferMaxPixels = facts->image_buffer_pixels;
}

static void fill_context(clemDeviceInfo *info, const struct ocl_context *cl)
{
    struct ocl_interop_facts facts;
    ocl_interop_facts(cl, &facts);
    info->address = (clemAddress)ocl_context_address(cl);
    info->reachesPinnedHostMemory = facts.reaches_pinned_host;
    copy_text(info->addressReason, sizeof info->addressReason, ocl_context_address_reason(cl));
}

static cudaError_t open_primary(int device, struct facade_context **primary)
{
    cudaError_t error = facade_device_check(device);
    if (error != cudaSuccess)
        return error;
    *primary = facade_primary(device);
    return facade_context_open(*primary);
}

cudaError_t clemGetDeviceInfo(clemDeviceInfo *info, int device)
{
    struct facade_context *primary = NULL;
    if (info == NULL)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = facade_device_check(device);
    if (error != cudaSuccess)
        return facade_result(error);
    memset(info, 0, sizeof *info);
    fill_device(info, ocl_device_facts(device));
    info->hasDouble = ocl_device_has_double(device);
    error = open_primary(device, &primary);
    if (error == cudaSuccess)
        fill_context(info, atomic_load(&primary->cl));
    else
        copy_text(info->addressReason, sizeof info->addressReason, ocl_context_refusal(device));
    return facade_result(error);
}

int clemDeviceChoiceIsUnmet(void)
{
    return ocl_device_choice_is_unmet();
}

const char *clemAddressName(clemAddress address)
{
    return ocl_address_name((enum ocl_address)address);
}

cudaError_t clemDeviceGetOpenCL(int device, cl_platform_id *platform, cl_device_id *id,
                                cl_context *context)
{
    void *found_platform = NULL, *found_id = NULL;
    struct facade_context *primary = NULL;
    cudaError_t error = facade_device_check(device);
    if (error == cudaSuccess && context != NULL)
        error = open_primary(device, &primary);
    if (error != cudaSuccess)
        return facade_result(error);
    ocl_interop_device(device, &found_platform, &found_id);
    if (platform != NULL)
        *platform = found_platform;
    if (id != NULL)
        *id = found_id;
    if (context != NULL)
        *context = ocl_interop_context(atomic_load(&primary->cl));
    return cudaSuccess;
}

cudaError_t clemDeviceFromOpenCL(int *device, cl_device_id id)
{
    int count = 0;
    if (device == NULL)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = facade_devices(&count);
    if (error != cudaSuccess)
        return facade_result(error);
    int found = ocl_interop_find_device(id);
    if (found < 0)
        return facade_result(cudaErrorInvalidDevice);
    *device = found;
    return cudaSuccess;
}

cudaError_t clemPointerGetOpenCL(const void *ptr, cl_mem *buffer, size_t *offset)
{
    void *found = NULL;
    if (buffer == NULL || offset == NULL)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = facade_error_from(ocl_interop_buffer(ptr, &found, offset), FACADE_OTHER);
    if (error == cudaSuccess)
        *buffer = found;
    return facade_result(error);
}

cudaError_t clemPointerFromOpenCL(void **ptr, cl_mem buffer, size_t offset)
{
    struct facade_context *context = NULL;
    uint64_t address = 0;
    if (ptr == NULL || buffer == NULL)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = facade_current(&context);
    if (error == cudaSuccess)
        error = facade_error_from(
            ocl_interop_find_buffer(atomic_load(&context->cl), buffer, offset, &address),
            FACADE_OTHER);
    if (error == cudaSuccess)
        *ptr = (void *)(uintptr_t)address;
    return facade_result(error);
}

cudaError_t clemStreamGetOpenCL(cudaStream_t stream, cl_command_queue *queue)
{
    struct facade_stream *found = NULL;
    void *commands = NULL;
    if (queue == NULL)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = facade_stream_find(stream, &found);
    if (error == cudaSuccess)
        error = facade_error_from(ocl_interop_queue(found->queue, &commands), FACADE_OTHER);
    if (error == cudaSuccess)
        *queue = commands;
    return facade_result(error);
}

cudaError_t clemStreamFromOpenCL(cudaStream_t *stream, cl_command_queue queue)
{
    struct facade_context *context = NULL;
    struct facade_stream *legacy = NULL;
    if (stream == NULL || queue == NULL)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = facade_current(&context);
    if (error == cudaSuccess)
        error = facade_stream_legacy(context, &legacy);
    if (error != cudaSuccess)
        return facade_result(error);
    error = cudaErrorInvalidResourceHandle;
    if (ocl_interop_is_queue(legacy->queue, queue)) {
        *stream = cudaStreamLegacy;
        return cudaSuccess;
    }
    pthread_mutex_lock(&context->lock);
    for (const struct facade_stream *s = context->streams; s != NULL; s = s->next) {
        if (ocl_interop_is_queue(s->queue, queue)) {
            *stream = s->handle;
            error = cudaSuccess;
            break;
        }
    }
    pthread_mutex_unlock(&context->lock);
    return facade_result(error);
}

cudaError_t clemStreamEnqueued(cudaStream_t stream)
{
    struct facade_stream *found = NULL;
    cudaError_t error = facade_stream_find(stream, &found);
    if (error == cudaSuccess)
        error = facade_error_from(ocl_interop_queue_used(found->queue), FACADE_OTHER);
    return facade_result(error);
}
