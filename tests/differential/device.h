/* The device that random PTX kernels run on: the first, through the CUDA driver API.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_DIFFERENTIAL_DEVICE_H
#define TESTS_DIFFERENTIAL_DEVICE_H

#include <cuda.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program with 2 where a call failed. */
static inline void check(CUresult result, const char *what)
{
    const char *name = NULL;
    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorName(result, &name);
    fprintf(stderr, "%s: %s\n", what, name ? name : "unknown error");
    exit(2);
}

/* Makes the first device's context that of this thread. Whether NVIDIA makes the device. */
static inline bool begin_device(void)
{
    char name[256] = "";
    CUdevice device;
    CUcontext context;
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    check(cuDeviceGetName(name, sizeof name, device), "cuDeviceGetName");
    return strstr(name, "NVIDIA") != NULL;
}

#endif
