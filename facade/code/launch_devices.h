/* Cooperative launches on several devices at once.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_LAUNCH_DEVICES_H
#define FACADE_LAUNCH_DEVICES_H

#include "facade/code/launch.h"

/* A launch on the device of its stream, which says whose function func means. Units as in facade_launch(). */
struct facade_device_launch {
    const void *func;
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    void *const *args;
};

/* A cooperative launch on each of count devices, at the same time; each grid meets at its own barrier. All is checked before
 * the first is launched. flags: CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_*, without which all wait for what any of the streams
 * got before, and what any gets later waits for all.
 * Errors: cudaErrorInvalidValue for launches that differ in more than stream and arguments, or share a device;
 *         cudaErrorInvalidResourceHandle; cudaErrorStreamCaptureUnsupported; those of facade_launch().
 * Source: CUDA Driver API 13.0, cuLaunchCooperativeKernelMultiDevice(). */
cudaError_t facade_launch_on_devices(const struct facade_device_launch *list, unsigned count,
                                     unsigned flags);

#endif
