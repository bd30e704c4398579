/* Choosing devices, resetting and synchronising them, flags and limits.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/device.h"
#include "facade/device/device.h"
#include "facade/graph/capture.h"
#include "facade/state/limits.h"
#include "facade/state/runtime.h"

/* What cudaSetDeviceFlags takes; two of them have names in the driver API alone. The schedule is
 * kept and given back; how to wait is cl/'s choice. */
enum {
    KNOWN_FLAGS = cudaDeviceScheduleMask | cudaDeviceMapHost | cudaDeviceLmemResizeToMax |
                  CU_CTX_COREDUMP_ENABLE | CU_CTX_USER_COREDUMP_ENABLE | cudaDeviceSyncMemops
};

cudaError_t facade_device_check(int device)
{
    int count = 0;
    cudaError_t error = facade_devices(&count);
    if (error != cudaSuccess)
        return error;
    return device >= 0 && device < count ? cudaSuccess : cudaErrorInvalidDevice;
}

/* --- limits ----------------------------------------------------------------------------------- */

cudaError_t facade_limit_set(int limit, size_t value)
{
    struct facade_context *context = NULL;
    cudaError_t error = facade_current(&context);
    return error == cudaSuccess ? facade_limit_change(context, limit, value) : error;
}

cudaError_t facade_limit_get(int limit, size_t *value)
{
    struct facade_context *context = NULL;
    cudaError_t error = facade_current(&context);
    return error == cudaSuccess ? facade_limit_read(context, limit, value) : error;
}

/* --- PCI addresses ---------------------------------------------------------------------------- */

cudaError_t facade_device_pci_text(char *text, int length, int device)
{
    char full[32];
    const struct ocl_device_facts *facts = ocl_device_facts(device);
    /* A CPU has no PCI address. Programs use the text as a name, so each device gets one that no
     * bus has. */
    unsigned domain = facts->has_pci ? facts->pci_domain : 0xffffu;
    unsigned bus = facts->has_pci ? facts->pci_bus : (unsigned)device;
    int needed = snprintf(full, sizeof full, "%04X:%02X:%02X.%u", domain & 0xffffu, bus & 0xffu,
                          facts->pci_device & 0xffu, facts->pci_function & 7u);
    if (needed >= length)
        return cudaErrorInvalidValue;
    memcpy(text, full, (size_t)needed + 1);
    return cudaSuccess;
}

enum { ANY_DOMAIN = 0x10000 }; /* domains have 16 bits */

/* Accepts what CUDA accepts: domain:bus:device.function, domain:bus:device, bus:device.function,
 * bus:device. */
static bool parse_pci(const char *text, unsigned place[4])
{
    int used = 0;
    place[0] = place[3] = 0;
    if (sscanf(text, "%x:%x:%x.%x%n", &place[0], &place[1], &place[2], &place[3], &used) == 4 &&
        text[used] == '\0')
        return true;
    place[3] = 0;
    if (sscanf(text, "%x:%x:%x%n", &place[0], &place[1], &place[2], &used) == 3 &&
        text[used] == '\0')
        return true;
    place[0] = ANY_DOMAIN;
    if (sscanf(text, "%x:%x.%x%n", &place[1], &place[2], &place[3], &used) == 3 &&
        text[used] == '\0')
        return true;
    place[3] = 0;
    return sscanf(text, "%x:%x%n", &place[1], &place[2], &used) == 2 && text[used] == '\0';
}

cudaError_t facade_device_by_pci(int *device, const char *text)
{
    int count = 0;
    unsigned wanted[4];
    cudaError_t error = facade_devices(&count);
    if (error != cudaSuccess)
        return error;
    if (!parse_pci(text, wanted))
        return cudaErrorInvalidValue;
    for (int i = 0; i < count; i++) {
        char own[32];
        unsigned place[4];
        facade_device_pci_text(own, (int)sizeof own, i);
        if (!parse_pci(own, place))
            continue;
        if (wanted[0] == ANY_DOMAIN)
            place[0] = ANY_DOMAIN;
        if (memcmp(place, wanted, sizeof place) == 0) {
            *device = i;
            return cudaSuccess;
        }
    }
    return cudaErrorInvalidDevice;
}

cudaError_t facade_device_synchronize(void)
{
    struct facade_context *context = NULL;
    cudaError_t error = facade_current(&context);
    if (error == cudaSuccess)
        error = facade_capture_check_context(context);
    if (error == cudaSuccess)
        error = facade_capture_check_call();
    return error == cudaSuccess ? facade_context_finish(context) : error;
}

/* --- entry points ----------------------------------------------------------------------------- */

/* Once the devices are counted the answer is given in a forked child and at exit as well. */
cudaError_t cudaGetDeviceCount(int *count)
{
    int found = facade_known_devices();
    if (count == NULL)
        return facade_result(cudaErrorInvalidValue);
    if (found > 0) {
        *count = found;
        return cudaSuccess;
    }
    cudaError_t error = facade_devices(&found);
    *count = found;
    return facade_result(error);
}

/* Since CUDA 12 the device is started here, not at first use. */
cudaError_t cudaSetDevice(int device)
{
    cudaError_t error = facade_device_check(device);
    if (error != cudaSuccess)
        return facade_result(error);
    facade_thread_set_device(device);
    struct facade_context *primary = facade_primary(device);
    if (!facade_stack_replace(primary))
        return facade_result(cudaErrorMemoryAllocation);
    return facade_result(facade_primary_hold(primary));
}

cudaError_t cudaGetDevice(int *device)
{
    int count = 0;
    if (device == NULL)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = facade_devices(&count);
    const struct facade_context *context = facade_stack_live();
    if (error == cudaSuccess)
        *device = context != NULL ? context->device : facade_thread_device();
    return facade_result(error);
}

static bool flags_are_valid(unsigned flags)
{
    unsigned schedule = flags & cudaDeviceScheduleMask;
    return (flags & ~(unsigned)KNOWN_FLAGS) == 0 &&
           (schedule == cudaDeviceScheduleAuto || schedule == cudaDeviceScheduleSpin ||
            schedule == cudaDeviceScheduleYield || schedule == cudaDeviceScheduleBlockingSync);
}

cudaError_t cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags)
{
    cudaError_t error = facade_device_check(device);
    if (error != cudaSuccess)
        return facade_result(error);
    bool has_flags = (flags & cudaInitDeviceFlagsAreValid) != 0;
    if (has_flags && !flags_are_valid(deviceFlags))
        return facade_result(cudaErrorInvalidValue);
    struct facade_context *primary = facade_primary(device);
    if (has_flags)
        primary->flags = deviceFlags;
    return facade_result(facade_primary_hold(primary));
}

/* The list is advice about which device a thread without a choice gets: the first of it. */
cudaError_t cudaSetValidDevices(int *device_arr, int len)
{
    int count = 0;
    cudaError_t error = facade_devices(&count);
    if (error != cudaSuccess)
        return facade_result(error);
    if (len < 0 || len > count || (len > 0 && device_arr == NULL))
        return facade_result(cudaErrorInvalidValue);
    for (int i = 0; i < len; i++) {
        if (device_arr[i] < 0 || device_arr[i] >= count)
            return facade_result(cudaErrorInvalidDevice);
    }
    if (facade_stack_top() == NULL)
        facade_thread_set_device(len > 0 ? device_arr[0] : 0);
    return cudaSuccess;
}

static cudaError_t thread_primary(struct facade_context **primary)
{
    int count = 0;
    cudaError_t error = facade_devices(&count);
    if (error != cudaSuccess)
        return error;
    *primary = facade_stack_live();
    if (*primary == NULL)
        *primary = facade_primary(facade_thread_device());
    return *primary != NULL ? cudaSuccess : cudaErrorInvalidDevice;
}

/* All memory is mapped under unified addressing and the flags say so, except between a reset and
 * the next use. */
static bool is_reset(struct facade_context *context)
{
    return facade_stack_live() == context && atomic_load(&context->cl) == NULL;
}

cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
    struct facade_context *context = NULL;
    if (!flags_are_valid(flags))
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = thread_primary(&context);
    if (error == cudaSuccess)
        context->flags = flags;
    return facade_result(error);
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
    struct facade_context *context = NULL;
    if (flags == NULL)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = thread_primary(&context);
    if (error == cudaSuccess)
        *flags = is_reset(context) ? 0 : context->flags | cudaDeviceMapHost;
    return facade_result(error);
}

cudaError_t cudaDeviceReset(void)
{
    struct facade_context *context = NULL;
    cudaError_t error = thread_primary(&context);
    if (error != cudaSuccess)
        return facade_result(error);
    facade_context_reset(facade_primary(context->device));
    facade_take_last_error();
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    return facade_result(facade_device_synchronize());
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    return facade_result(facade_limit_set((int)limit, value));
}

cudaError_t cudaDeviceGetLimit(size_t *pValue, enum cudaLimit limit)
{
    if (pValue == NULL)
        return facade_result(cudaErrorInvalidValue);
    return facade_result(facade_limit_get((int)limit, pValue));
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *pCacheConfig)
{
    struct facade_context *context = NULL;
    if (pCacheConfig == NULL)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = facade_current(&context);
    if (error == cudaSuccess)
        *pCacheConfig = (enum cudaFuncCache)context->cache_config;
    return facade_result(error);
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache cacheConfig)
{
    struct facade_context *context = NULL;
    if ((int)cacheConfig < cudaFuncCachePreferNone || cacheConfig > cudaFuncCachePreferEqual)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = facade_current(&context);
    if (error == cudaSuccess)
        context->cache_config = (int)cacheConfig;
    return facade_result(error);
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *pConfig)
{
    struct facade_context *context = NULL;
    if (pConfig == NULL)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = facade_current(&context);
    if (error == cudaSuccess)
        *pConfig = (enum cudaSharedMemConfig)context->shared_config;
    return facade_result(error);
}

/* Banks are four bytes wide on every device of compute capability 5 and later, so the wish changes
 * nothing. */
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    struct facade_context *context = NULL;
    if ((int)config < cudaSharedMemBankSizeDefault || config > cudaSharedMemBankSizeEightByte)
        return facade_result(cudaErrorInvalidValue);
    return facade_result(facade_current(&context));
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
    struct facade_context *context = NULL;
    cudaError_t error = facade_current(&context);
    if (error != cudaSuccess)
        return facade_result(error);
    if (leastPriority != NULL)
        *leastPriority = FACADE_PRIORITY_LEAST;
    if (greatestPriority != NULL)
        *greatestPriority = FACADE_PRIORITY_GREATEST;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *pciBusId, int len, int device)
{
    if (pciBusId == NULL || len <= 0)
        return facade_result(cudaErrorInvalidValue);
    pciBusId[0] = '\0';
    cudaError_t error = facade_device_check(device);
    return facade_result(error == cudaSuccess ? facade_device_pci_text(pciBusId, len, device)
                                              : error);
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *pciBusId)
{
    if (device == NULL || pciBusId == NULL)
        return facade_result(cudaErrorInvalidValue);
    return facade_result(facade_device_by_pci(device, pciBusId));
}
