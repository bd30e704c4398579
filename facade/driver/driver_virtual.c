/* The driver API's virtual memory management.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check_made.h"
#include "cl/virtual.h"
#include "facade/device/device.h"
#include "facade/driver/driver.h"
#include "facade/state/runtime.h"

/* A user's handle of physical memory, which mappings keep as well. Memory whose handles are all released and that is still
 * mapped gets a new one when it is asked for. */
struct facade_physical {
    struct ocl_physical *memory; /* a reference */
    unsigned long long users; /* cuMemCreate(), an import, and each cuMemRetainAllocationHandle() */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf: handles and their users */

/* What CUmemAllocationProp tells and no other object knows lies in the memory's flags. */
enum { HANDLE_TYPE_BITS = 8, HANDLE_TYPE_MASK = (1 << HANDLE_TYPE_BITS) - 1 };

static CUresult driver_result(ocl_status status)
{
    return facade_driver_error(facade_error_from(status, FACADE_OTHER));
}

/* --- whether and where ------------------------------------------------------------------------ */

/* That of the calling thread's context, if it has one. */
static CUresult failure(void)
{
    const struct facade_context *context = facade_stack_live();
    return context != NULL && atomic_load(&context->cl) != NULL
               ? facade_driver_error(facade_context_check(context))
               : CUDA_SUCCESS;
}

/* Some device can do it; a call that names a device asks for that one. */
static CUresult can_be_had(void)
{
    int count = 0;
    CUresult result = facade_driver_ready();
    if (result != CUDA_SUCCESS)
        return result;
    cudaError_t error = facade_devices(&count);
    for (int device = 0; error == cudaSuccess && device < count; device++)
        if (facade_device_has_virtual(device))
            return CUDA_SUCCESS;
    return error == cudaSuccess ? CUDA_ERROR_NOT_SUPPORTED : facade_driver_error(error);
}

static bool is_device(const CUmemLocation *location)
{
    return location->type == CU_MEM_LOCATION_TYPE_DEVICE &&
           facade_device_check(location->id) == cudaSuccess;
}

/* The context whose memory the registry shall take a mapping for: that of the calling thread, or else the primary one. */
static CUresult find_home(int device, struct ocl_context **home)
{
    struct facade_context *context = facade_stack_live();
    *home = context != NULL && context->device == device ? atomic_load(&context->cl) : NULL;
    if (*home == NULL) {
        struct facade_context *primary = facade_primary(device);
        cudaError_t error = facade_primary_hold(primary);
        if (error != cudaSuccess)
            return facade_driver_error(error);
        *home = atomic_load(&primary->cl);
    }
    return *home != NULL && ocl_virtual_is_supported(*home) ? CUDA_SUCCESS
                                                            : CUDA_ERROR_NOT_SUPPORTED;
}

/* A context that has failed says so, whatever its device can do. */
static CUresult ready(void)
{
    CUresult result = facade_driver_ready();
    if (result == CUDA_SUCCESS)
        result = failure();
    return result == CUDA_SUCCESS ? can_be_had() : result;
}

/* For what gives something back, which is done though the context has failed: it belongs to none, and no reset does it. */
static CUresult given_back(CUresult result)
{
    const CUresult failed = failure();
    return failed == CUDA_SUCCESS ? result : failed;
}

/* Of an empty range there is nothing to end. */
static CUresult end_range(ocl_status (*end)(uint64_t, size_t), CUdeviceptr ptr, size_t size)
{
    const CUresult result = can_be_had();
    if (result != CUDA_SUCCESS)
        return given_back(result);
    return given_back(size != 0 ? driver_result(end(ptr, size)) : CUDA_ERROR_INVALID_VALUE);
}

/* --- handles ---------------------------------------------------------------------------------- */

static struct facade_physical *find(CUmemGenericAllocationHandle handle)
{
    return facade_handle_find(FACADE_PHYSICAL, (const void *)(uintptr_t)handle);
}

/* The memory of a handle, with a reference for the caller; NULL: no such handle. */
static struct ocl_physical *hold(CUmemGenericAllocationHandle handle)
{
    pthread_mutex_lock(&lock);
    const struct facade_physical *found = find(handle);
    struct ocl_physical *memory = found != NULL ? found->memory : NULL;
    if (memory != NULL)
        ocl_physical_retain(memory);
    pthread_mutex_unlock(&lock);
    return memory;
}

/* Lock held. Takes over a reference; NULL without memory. */
static struct facade_physical *add_user(struct ocl_physical *memory)
{
    struct facade_physical *handle = ocl_physical_handle(memory);
    if (handle != NULL) {
        handle->users++;
        ocl_physical_release(memory); /* not the last: the handle has one */
        return handle;
    }
    handle = facade_handle_new(FACADE_PHYSICAL, sizeof *handle);
    if (handle == NULL)
        return NULL;
    handle->memory = memory;
    handle->users = 1;
    ocl_physical_set_handle(memory, handle);
    return handle;
}

/* Gives the user a handle of the memory. Takes over a reference. */
static CUresult hand_out(struct ocl_physical *memory, CUmemGenericAllocationHandle *handle)
{
    pthread_mutex_lock(&lock);
    const struct facade_physical *made = add_user(memory);
    pthread_mutex_unlock(&lock);
    if (made == NULL) {
        ocl_physical_release(memory);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    ocl_made_note("physical memory", made, NULL);
    *handle = (uintptr_t)made;
    return CUDA_SUCCESS;
}

/* --- addresses -------------------------------------------------------------------------------- */

CUresult cuMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr,
                             unsigned long long flags)
{
    uint64_t address = 0;
    CUresult result = ready();
    if (result != CUDA_SUCCESS)
        return result;
    if (ptr == NULL || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    result = driver_result(ocl_virtual_reserve(size, alignment, addr, &address));
    if (result != CUDA_SUCCESS)
        return result;
    ocl_made_add("reserved addresses", address, size, NULL);
    *ptr = address;
    return CUDA_SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr ptr, size_t size)
{
    const CUresult result = end_range(ocl_virtual_free, ptr, size);
    if (result == CUDA_SUCCESS)
        ocl_made_remove(ptr);
    return result;
}

/* --- memory ----------------------------------------------------------------------------------- */

/* NVIDIA's driver looks at the properties only when memory is made. */
CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop,
                                       CUmemAllocationGranularity_flags option)
{
    CUresult result = ready();
    if (result != CUDA_SUCCESS)
        return result;
    if (granularity == NULL || prop == NULL ||
        (option != CU_MEM_ALLOC_GRANULARITY_MINIMUM &&
         option != CU_MEM_ALLOC_GRANULARITY_RECOMMENDED))
        return CUDA_ERROR_INVALID_VALUE;
    *granularity = OCL_VIRTUAL_GRAIN;
    return CUDA_SUCCESS;
}

/* Memory of the host, tile pools, RDMA and other handles are what attributes of the device say it does not have.
 * Compressible memory is a wish, which the properties of the handle tell as not granted. */
static CUresult check_properties(const CUmemAllocationProp *prop)
{
    const unsigned types = (unsigned)prop->requestedHandleTypes;
    if (prop->type != CU_MEM_ALLOCATION_TYPE_PINNED && prop->type != CU_MEM_ALLOCATION_TYPE_MANAGED)
        return CUDA_ERROR_INVALID_VALUE;
    if (prop->location.type == CU_MEM_LOCATION_TYPE_INVALID ||
        prop->location.type > CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT)
        return CUDA_ERROR_INVALID_VALUE;
    if (prop->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
        prop->type == CU_MEM_ALLOCATION_TYPE_MANAGED)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (facade_device_check(prop->location.id) != cudaSuccess)
        return CUDA_ERROR_INVALID_DEVICE;
    if (!facade_device_has_virtual(prop->location.id) ||
        (types & ~(unsigned)CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) != 0 ||
        prop->allocFlags.gpuDirectRDMACapable != 0 ||
        (prop->allocFlags.usage & ~(unsigned)CU_MEM_CREATE_USAGE_HW_DECOMPRESS) != 0)
        return CUDA_ERROR_NOT_SUPPORTED;
    return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
                     const CUmemAllocationProp *prop, unsigned long long flags)
{
    struct ocl_physical *memory = NULL;
    CUresult result = ready();
    if (result != CUDA_SUCCESS)
        return result;
    if (handle == NULL || size == 0 || size % OCL_VIRTUAL_GRAIN != 0 || prop == NULL || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    result = check_properties(prop);
    if (result != CUDA_SUCCESS)
        return result;
    const unsigned types = (unsigned)prop->requestedHandleTypes;
    result =
        driver_result(ocl_physical_create(prop->location.id, size, types != 0, types, &memory));
    return result == CUDA_SUCCESS ? hand_out(memory, handle) : result;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    struct ocl_physical *last = NULL;
    CUresult result = can_be_had();
    if (result != CUDA_SUCCESS)
        return given_back(result);
    pthread_mutex_lock(&lock);
    struct facade_physical *found = find(handle);
    if (found != NULL && --found->users == 0) {
        last = found->memory;
        ocl_physical_set_handle(last, NULL);
        facade_handle_free(found);
    }
    pthread_mutex_unlock(&lock);
    ocl_physical_release(last);
    return given_back(found != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop,
                                                CUmemGenericAllocationHandle handle)
{
    CUresult result = ready();
    if (result != CUDA_SUCCESS)
        return result;
    struct ocl_physical *memory = prop != NULL ? hold(handle) : NULL;
    if (memory == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *prop = (CUmemAllocationProp){
        .type = CU_MEM_ALLOCATION_TYPE_PINNED,
        .requestedHandleTypes =
            (CUmemAllocationHandleType)(ocl_physical_flags(memory) & HANDLE_TYPE_MASK),
        .location = {CU_MEM_LOCATION_TYPE_DEVICE, ocl_physical_device(memory)},
    };
    ocl_physical_release(memory);
    return CUDA_SUCCESS;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *addr)
{
    CUresult result = ready();
    if (result != CUDA_SUCCESS)
        return result;
    struct ocl_physical *memory = handle != NULL ? ocl_virtual_memory_at((uintptr_t)addr) : NULL;
    return memory != NULL ? hand_out(memory, handle) : CUDA_ERROR_INVALID_VALUE;
}

/* --- other processes -------------------------------------------------------------------------- */

CUresult cuMemExportToShareableHandle(void *shareableHandle, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType handleType,
                                      unsigned long long flags)
{
    CUresult result = ready();
    if (result != CUDA_SUCCESS)
        return result;
    if (shareableHandle == NULL || flags != 0 ||
        handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return CUDA_ERROR_INVALID_VALUE;
    struct ocl_physical *memory = hold(handle);
    if (memory == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    const ocl_status status = ocl_physical_export(memory, shareableHandle);
    ocl_physical_release(memory);
    return status == OCL_E_NOT_SUPPORTED ? CUDA_ERROR_INVALID_VALUE : driver_result(status);
}

/* A descriptor does not tell its device: it is the calling thread's, if that can do it. */
static int importing_device(void)
{
    const struct facade_context *context = facade_stack_live();
    int device = context != NULL ? context->device : facade_thread_device();
    if (facade_device_has_virtual(device))
        return device;
    for (device = 0; !facade_device_has_virtual(device);)
        device++; /* ready() has found one */
    return device;
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *osHandle,
                                        CUmemAllocationHandleType shHandleType)
{
    struct ocl_physical *memory = NULL;
    CUresult result = ready();
    if (result != CUDA_SUCCESS)
        return result;
    if (handle == NULL || shHandleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return CUDA_ERROR_INVALID_VALUE;
    const ocl_status status = ocl_physical_import(importing_device(), (int)(intptr_t)osHandle,
                                                  (unsigned)shHandleType, &memory);
    if (status == OCL_E_FILE)
        return CUDA_ERROR_UNKNOWN; /* as NVIDIA's driver says */
    return status == OCL_OK ? hand_out(memory, handle) : driver_result(status);
}

/* --- mappings --------------------------------------------------------------------------------- */

static CUresult map(struct ocl_physical *memory, CUdeviceptr address)
{
    struct ocl_context *home = NULL;
    const CUresult result = find_home(ocl_physical_device(memory), &home);
    return result == CUDA_SUCCESS ? driver_result(ocl_virtual_map(home, memory, address)) : result;
}

/* Parts of memory cannot be mapped, as with NVIDIA's driver. */
CUresult cuMemMap(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags)
{
    CUresult result = ready();
    if (result != CUDA_SUCCESS)
        return result;
    struct ocl_physical *memory = ptr != 0 && size != 0 && flags == 0 ? hold(handle) : NULL;
    if (memory == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    result = size == ocl_physical_bytes(memory) && offset == 0 ? map(memory, ptr)
                                                               : CUDA_ERROR_NOT_SUPPORTED;
    ocl_physical_release(memory);
    return result;
}

CUresult cuMemUnmap(CUdeviceptr ptr, size_t size)
{
    return end_range(ocl_virtual_unmap, ptr, size);
}

static bool read_access(const CUmemAccessDesc *desc, struct ocl_virtual_access *access)
{
    access->device = desc->location.id;
    access->access = (enum ocl_access)desc->flags;
    return is_device(&desc->location) && desc->location.id < OCL_VIRTUAL_DEVICES &&
           (desc->flags == CU_MEM_ACCESS_FLAGS_PROT_NONE ||
            desc->flags == CU_MEM_ACCESS_FLAGS_PROT_READ ||
            desc->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
}

CUresult cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count)
{
    struct ocl_virtual_access list[OCL_VIRTUAL_DEVICES];
    CUresult result = ready();
    if (result != CUDA_SUCCESS)
        return result;
    if (ptr == 0 || size == 0 || desc == NULL || count == 0 || count > OCL_VIRTUAL_DEVICES)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (!read_access(&desc[i], &list[i]))
            return CUDA_ERROR_INVALID_VALUE;
    return driver_result(ocl_virtual_set_access(ptr, size, list, count));
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr ptr)
{
    enum ocl_access access = OCL_ACCESS_NONE;
    CUresult result = ready();
    if (result != CUDA_SUCCESS)
        return result;
    if (flags == NULL || location == NULL || ptr == 0 || !is_device(location) ||
        location->id >= OCL_VIRTUAL_DEVICES)
        return CUDA_ERROR_INVALID_VALUE;
    result = driver_result(ocl_virtual_access(ptr, location->id, &access));
    if (result == CUDA_SUCCESS)
        *flags = (unsigned long long)access;
    return result;
}
