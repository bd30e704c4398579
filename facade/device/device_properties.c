/* Device attributes and properties, both from device_attributes.def.
 * SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <string.h>

#include "cl/context.h"
#include "cl/device.h"
#include "cl/managed.h"
#include "cl/share.h"
#include "cl/virtual.h"
#include "facade/device/device.h"
#include "facade/device/peer.h"
#include "facade/state/capability.h"
#include "facade/state/limits.h"

static int at_most(uint64_t value, int limit)
{
    return value < (uint64_t)limit ? (int)value : limit;
}

/* CPUs sample arrays as memory, whatever their images can be. */
static int texels(const struct ocl_device_facts *d, uint64_t image, int limit)
{
    return d->device_class == OCL_CLASS_CPU ? limit : at_most(image, limit);
}

static struct ocl_context *open_context(int device)
{
    const struct facade_context *primary = facade_primary(device);
    return primary != NULL ? atomic_load_explicit(&primary->cl, memory_order_acquire) : NULL;
}

/* What an open context does, or else what one will do on a device of these facts if its driver
 * keeps its word: the question comes before there is a context, and is not worth making one. */
static enum ocl_managed_method managed_method(int device)
{
    const struct ocl_device_facts *facts = ocl_device_facts(device);
    const struct ocl_context *open = open_context(device);
    if (open != NULL)
        return ocl_managed_method(open);
    if (facts->has_host_unified_memory || facts->has_usm || facts->has_svm_fine)
        return OCL_MANAGED_SHARED;
    return facts->has_svm_coarse ? OCL_MANAGED_MIGRATING : OCL_MANAGED_NONE;
}

bool facade_device_has_virtual(int device)
{
    struct ocl_context *open = open_context(device);
    return open != NULL ? ocl_virtual_is_supported(open) : ocl_virtual_is_expected(device);
}

/* What is seen to work, in a context of its own where there is none. */
static bool cooperates(int device)
{
    return ocl_device_cooperates(device, open_context(device));
}

/* The same. */
static bool can_share(int device)
{
    const struct ocl_context *open = open_context(device);
    return open != NULL ? ocl_share_is_possible(open) : ocl_share_is_expected(device);
}

static bool reaches_pageable(int device)
{
    const struct ocl_context *open = open_context(device);
    return ocl_device_reaches_pageable(ocl_device_facts(device)) &&
           (open == NULL || ocl_context_address(open) != OCL_ADDRESS_HANDLE);
}

bool facade_devices_reach_pageable(void)
{
    int count = 0;
    if (facade_devices(&count) != cudaSuccess)
        return false;
    for (int device = 0; device < count; device++)
        if (!reaches_pageable(device))
            return false;
    return true;
}

cudaError_t facade_device_attribute(int *value, int attribute, int device)
{
    cudaError_t error = facade_device_check(device);
    if (error != cudaSuccess)
        return error;
    const struct ocl_device_facts *d = ocl_device_facts(device);
    switch (attribute) {
#define ATTRIBUTE_ONLY(name, expression)                                                           \
    case name:                                                                                     \
        *value = (expression);                                                                     \
        return cudaSuccess;
#define ATTRIBUTE(name, field, expression) ATTRIBUTE_ONLY(name, expression)
#include "facade/lists/device_attributes.def"
#undef ATTRIBUTE
#undef ATTRIBUTE_ONLY
    default:
        return cudaErrorInvalidValue;
    }
}

static void fill_properties(struct cudaDeviceProp *prop, int device)
{
    const struct ocl_device_facts *d = ocl_device_facts(device);
    uint64_t total = 0, largest = 0;
    memset(prop, 0, sizeof *prop);
#define ATTRIBUTE_ONLY(name, expression)
#define ATTRIBUTE(name, field, expression) prop->field = (__typeof__(prop->field))(expression);
#include "facade/lists/device_attributes.def"
#undef ATTRIBUTE
#undef ATTRIBUTE_ONLY
    memcpy(prop->name, d->name, sizeof prop->name - 1);
    memcpy(prop->uuid.bytes, d->uuid, sizeof prop->uuid.bytes);
    ocl_device_memory(device, &total, &largest);
    prop->totalGlobalMem = (size_t)total;
}

/* How well a device fits a wish: one point for each property that was asked for and is met. */
static int score(const struct cudaDeviceProp *wish, const struct cudaDeviceProp *device)
{
    int points = 0;
    points += wish->major != 0 && device->major >= wish->major;
    points += wish->minor != 0 && device->minor >= wish->minor;
    points += wish->totalGlobalMem != 0 && device->totalGlobalMem >= wish->totalGlobalMem;
    points +=
        wish->multiProcessorCount != 0 && device->multiProcessorCount >= wish->multiProcessorCount;
    points +=
        wish->maxThreadsPerBlock != 0 && device->maxThreadsPerBlock >= wish->maxThreadsPerBlock;
    points += wish->sharedMemPerBlock != 0 && device->sharedMemPerBlock >= wish->sharedMemPerBlock;
    points += wish->integrated != 0 && device->integrated == wish->integrated;
    points += wish->name[0] != '\0' && strcmp(wish->name, device->name) == 0;
    return points;
}

/* --- pairs ------------------------------------------------------------------------------------ */

/* OpenCL gives no atomics that host and device, or two devices, could share on one address. */
static cudaError_t no_atomics(unsigned *capabilities, const int *operations, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (operations[i] < cudaAtomicOperationIntegerAdd ||
            operations[i] > cudaAtomicOperationFloatMax)
            return cudaErrorInvalidValue;
    }
    memset(capabilities, 0, count * sizeof *capabilities);
    return cudaSuccess;
}

cudaError_t facade_device_host_atomics(unsigned *capabilities, const int *operations,
                                       unsigned count, int device)
{
    if (capabilities == NULL || operations == NULL || count == 0)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_device_check(device);
    return error == cudaSuccess ? no_atomics(capabilities, operations, count) : error;
}

static cudaError_t check_pair(int source, int target)
{
    cudaError_t error = facade_device_check(source);
    if (error == cudaSuccess)
        error = facade_device_check(target);
    return error == cudaSuccess && source == target ? cudaErrorInvalidDevice : error;
}

cudaError_t facade_device_pair_atomics(unsigned *capabilities, const int *operations,
                                       unsigned count, int source, int target)
{
    if (capabilities == NULL || operations == NULL || count == 0)
        return cudaErrorInvalidValue;
    cudaError_t error = check_pair(source, target);
    return error == cudaSuccess ? no_atomics(capabilities, operations, count) : error;
}

cudaError_t facade_device_pair_attribute(int *value, int attribute, int source, int target)
{
    if (value == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = check_pair(source, target);
    if (error != cudaSuccess)
        return error;
    if (attribute < cudaDevP2PAttrPerformanceRank ||
        attribute > cudaDevP2PAttrCudaArrayAccessSupported)
        return cudaErrorInvalidValue;
    *value = 0;
    return attribute == cudaDevP2PAttrAccessSupported
               ? facade_peer_can_access(value, source, target)
               : cudaSuccess;
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
    if (value == NULL)
        return facade_result(cudaErrorInvalidValue);
    return facade_result(facade_device_attribute(value, (int)attr, device));
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    if (prop == NULL)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = facade_device_check(device);
    if (error == cudaSuccess)
        fill_properties(prop, device);
    return facade_result(error);
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop)
{
    int count = 0, best = -1;
    if (device == NULL || prop == NULL)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = facade_devices(&count);
    if (error != cudaSuccess)
        return facade_result(error);
    for (int i = 0; i < count; i++) {
        struct cudaDeviceProp candidate;
        fill_properties(&candidate, i);
        if (score(prop, &candidate) > best) {
            best = score(prop, &candidate);
            *device = i;
        }
    }
    return cudaSuccess;
}

cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned int *capabilities,
                                                const enum cudaAtomicOperation *operations,
                                                unsigned int count, int device)
{
    return facade_result(
        facade_device_host_atomics(capabilities, (const int *)operations, count, device));
}

cudaError_t cudaDeviceGetP2PAtomicCapabilities(unsigned int *capabilities,
                                               const enum cudaAtomicOperation *operations,
                                               unsigned int count, int srcDevice, int dstDevice)
{
    return facade_result(facade_device_pair_atomics(capabilities, (const int *)operations, count,
                                                    srcDevice, dstDevice));
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int srcDevice,
                                      int dstDevice)
{
    return facade_result(facade_device_pair_attribute(value, (int)attr, srcDevice, dstDevice));
}
