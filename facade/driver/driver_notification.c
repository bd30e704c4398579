/* The driver API's notifications of devices, and writes of other devices.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/device/notification.h"
#include "facade/driver/driver.h"

CUresult cuDeviceRegisterAsyncNotification(CUdevice device, CUasyncCallback callbackFunc,
                                           void *userData, CUasyncCallbackHandle *callback)
{
    const CUresult result = facade_driver_device(device);
    (void)userData;
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_notification_register(
                     device, (const void *)(uintptr_t)callbackFunc, (void **)callback))
               : result;
}

CUresult cuDeviceUnregisterAsyncNotification(CUdevice device, CUasyncCallbackHandle callback)
{
    const CUresult result = facade_driver_device(device);
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_notification_unregister(device, callback))
               : result;
}

CUresult cuFlushGPUDirectRDMAWrites(CUflushGPUDirectRDMAWritesTarget target,
                                    CUflushGPUDirectRDMAWritesScope scope)
{
    const CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_flush_remote_writes((int)target, (int)scope))
               : result;
}
