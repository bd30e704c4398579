/* What a device tells of itself, and writes of other devices.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/device/notification.h"

#include "facade/device/device.h"

struct notification {
    int device;
};

cudaError_t facade_notification_register(int device, const void *function, void **handle)
{
    const cudaError_t error = facade_device_check(device);
    if (error != cudaSuccess)
        return error;
    if (function == NULL || handle == NULL)
        return cudaErrorInvalidValue;
    struct notification *made = facade_handle_new(FACADE_NOTIFICATION, sizeof *made);
    if (made == NULL)
        return cudaErrorMemoryAllocation;
    made->device = device;
    *handle = made;
    return cudaSuccess;
}

cudaError_t facade_notification_unregister(int device, const void *handle)
{
    const cudaError_t error = facade_device_check(device);
    if (error != cudaSuccess)
        return error;
    struct notification *found = facade_handle_find(FACADE_NOTIFICATION, handle);
    if (found == NULL || found->device != device)
        return cudaErrorInvalidValue;
    facade_handle_free(found);
    return cudaSuccess;
}

cudaError_t facade_flush_remote_writes(int target, int scope)
{
    struct facade_context *context = NULL;
    if (target != cudaFlushGPUDirectRDMAWritesTargetCurrentDevice ||
        (scope != cudaFlushGPUDirectRDMAWritesToOwner &&
         scope != cudaFlushGPUDirectRDMAWritesToAllDevices))
        return cudaErrorInvalidValue;
    return facade_current(&context);
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t cudaDeviceRegisterAsyncNotification(int device, cudaAsyncCallback callbackFunc,
                                                void *userData, cudaAsyncCallbackHandle_t *callback)
{
    (void)userData;
    return facade_result(facade_notification_register(device, (const void *)(uintptr_t)callbackFunc,
                                                      (void **)callback));
}

cudaError_t cudaDeviceUnregisterAsyncNotification(int device, cudaAsyncCallbackHandle_t callback)
{
    return facade_result(facade_notification_unregister(device, callback));
}

cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(enum cudaFlushGPUDirectRDMAWritesTarget target,
                                               enum cudaFlushGPUDirectRDMAWritesScope scope)
{
    return facade_result(facade_flush_remote_writes((int)target, (int)scope));
}
