/* Devices as runtime and driver API share them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_DEVICE_H
#define FACADE_DEVICE_H

#include "facade/state/handles.h"

/* cudaSuccess when device is an ordinal; cudaErrorInvalidDevice, or what facade_devices() says. */
cudaError_t facade_device_check(int device);

/* The value of an attribute. Errors: cudaErrorInvalidValue for an unknown one,
 * cudaErrorInvalidDevice. */
cudaError_t facade_device_attribute(int *value, int attribute, int device);

/* Whether a device has virtual memory management: CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED.
 * Needs: device is an ordinal. */
bool facade_device_has_virtual(int device);

/* Whether kernels of every device use the program's own memory where it is, by its own addresses:
 * cudaDevAttrPageableMemoryAccess of all of them. */
bool facade_devices_reach_pageable(void);

/* Attributes of a pair of devices, and atomics that host and device, or two devices, can share:
 * none but access where facade_peer_can_access() finds it.
 * Errors: cudaErrorInvalidValue; cudaErrorInvalidDevice, also for a device with itself. */
cudaError_t facade_device_pair_attribute(int *value, int attribute, int source, int target);
cudaError_t facade_device_pair_atomics(unsigned *capabilities, const int *operations,
                                       unsigned count, int source, int target);
cudaError_t facade_device_host_atomics(unsigned *capabilities, const int *operations,
                                       unsigned count, int device);

/* Limits of the current context. Errors: cudaErrorUnsupportedLimit. */
cudaError_t facade_limit_set(int limit, size_t value);
cudaError_t facade_limit_get(int limit, size_t *value);

/* "dddd:bb:dd.f" of a device; made from its ordinal when the driver does not tell. */
cudaError_t facade_device_pci_text(char *text, int length, int device);
cudaError_t facade_device_by_pci(int *device, const char *text);

/* Waits for all work of the current context. */
cudaError_t facade_device_synchronize(void);

/* The range of cudaDeviceGetStreamPriorityRange: lower numbers are more urgent. */
enum { FACADE_PRIORITY_LEAST = 0, FACADE_PRIORITY_GREATEST = -5 };

/* What CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK and ..._MAXIMUM_LENGTH say of every device: the host unpacks. Bytes, of
 * what is packed and of what it becomes. */
enum {
    FACADE_DECOMPRESS_ALGORITHMS = CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE |
                                   CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY |
                                   CU_MEM_DECOMPRESS_ALGORITHM_LZ4,
    FACADE_DECOMPRESS_MOST_BYTES = 1 << 30
};

#endif
