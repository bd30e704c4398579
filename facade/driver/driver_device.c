/* The driver API's device queries.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"

#include <string.h>

#include "cl/device.h"
#include "facade/device/device.h"

CUresult cuDeviceGetCount(int *count)
{
    CUresult result = facade_driver_ready();
    if (result != CUDA_SUCCESS)
        return result;
    return count != NULL ? facade_driver_error(facade_devices(count)) : CUDA_ERROR_INVALID_VALUE;
}

/* Checks in the order of NVIDIA's driver: started, output, device. */
static CUresult check_query(const void *output, CUdevice device)
{
    CUresult result = facade_driver_ready();
    if (result == CUDA_SUCCESS && output == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    return result == CUDA_SUCCESS ? facade_driver_device(device) : result;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    CUresult result = check_query(device, ordinal);
    if (result == CUDA_SUCCESS)
        *device = ordinal;
    return result;
}

/* A length is taken as unsigned, as NVIDIA's driver takes it: -1 means "long enough". */
CUresult cuDeviceGetName(char *name, int len, CUdevice dev)
{
    CUresult result = check_query(name, dev);
    if (result != CUDA_SUCCESS)
        return result;
    if (len == 0)
        return CUDA_ERROR_INVALID_VALUE;
    const char *full = ocl_device_facts(dev)->name;
    size_t length = strnlen(full, (size_t)(unsigned)len - 1);
    memcpy(name, full, length);
    name[length] = '\0';
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev)
{
    CUresult result = check_query(uuid, dev);
    if (result == CUDA_SUCCESS)
        memcpy(uuid->bytes, ocl_device_facts(dev)->uuid, sizeof uuid->bytes);
    return result;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice dev)
{
    return cuDeviceGetUuid_v2(uuid, dev);
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev)
{
    uint64_t total = 0, largest = 0;
    CUresult result = check_query(bytes, dev);
    if (result != CUDA_SUCCESS)
        return result;
    ocl_device_memory(dev, &total, &largest);
    *bytes = (size_t)total;
    return CUDA_SUCCESS;
}

static bool is_texture_format(CUarray_format format)
{
    switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_HALF:
    case CU_AD_FORMAT_FLOAT:
        return true;
    default:
        return false;
    }
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements, CUarray_format format,
                                            unsigned int numChannels, CUdevice dev)
{
    int width = 0;
    CUresult result = check_query(maxWidthInElements, dev);
    if (result != CUDA_SUCCESS)
        return result;
    if (!is_texture_format(format) || (numChannels != 1 && numChannels != 2 && numChannels != 4))
        return CUDA_ERROR_INVALID_VALUE;
    result = cuDeviceGetAttribute(&width, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH, dev);
    if (result == CUDA_SUCCESS)
        *maxWidthInElements = (size_t)width;
    return result;
}

CUresult cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev)
{
    CUresult result = check_query(pi, dev);
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_device_attribute(pi, (int)attrib, dev))
               : result;
}

/* Every kernel may use every multiprocessor: there is no affinity to choose. */
CUresult cuDeviceGetExecAffinitySupport(int *pi, CUexecAffinityType type, CUdevice dev)
{
    CUresult result = check_query(pi, dev);
    if (result != CUDA_SUCCESS)
        return result;
    if (type != CU_EXEC_AFFINITY_TYPE_SM_COUNT)
        return CUDA_ERROR_INVALID_VALUE;
    *pi = 0;
    return CUDA_SUCCESS;
}

static int attribute(CUdevice device, CUdevice_attribute which)
{
    int value = 0;
    facade_device_attribute(&value, (int)which, device);
    return value;
}

CUresult cuDeviceGetProperties(CUdevprop *prop, CUdevice dev)
{
    CUresult result = check_query(prop, dev);
    if (result != CUDA_SUCCESS)
        return result;
    *prop = (CUdevprop){
        .maxThreadsPerBlock = attribute(dev, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
        .maxThreadsDim = {attribute(dev, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X),
                          attribute(dev, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
                          attribute(dev, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)},
        .maxGridSize = {attribute(dev, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X),
                        attribute(dev, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
                        attribute(dev, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)},
        .sharedMemPerBlock = attribute(dev, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
        .totalConstantMemory = attribute(dev, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY),
        .SIMDWidth = attribute(dev, CU_DEVICE_ATTRIBUTE_WARP_SIZE),
        .memPitch = attribute(dev, CU_DEVICE_ATTRIBUTE_MAX_PITCH),
        .regsPerBlock = attribute(dev, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK),
        .clockRate = attribute(dev, CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
        .textureAlign = attribute(dev, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT),
    };
    return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice dev)
{
    CUresult result = check_query(major != NULL ? minor : NULL, dev);
    if (result != CUDA_SUCCESS)
        return result;
    *major = attribute(dev, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    *minor = attribute(dev, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId)
{
    CUresult result = facade_driver_ready();
    if (result != CUDA_SUCCESS)
        return result;
    if (dev == NULL || pciBusId == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    return facade_driver_error(facade_device_by_pci(dev, pciBusId));
}

CUresult cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev)
{
    CUresult result = check_query(pciBusId, dev);
    return result == CUDA_SUCCESS ? facade_driver_error(facade_device_pci_text(pciBusId, len, dev))
                                  : result;
}

/* --- pairs of devices ------------------------------------------------------------------------- */

CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attrib, CUdevice srcDevice,
                                 CUdevice dstDevice)
{
    CUresult result = facade_driver_ready();
    if (result != CUDA_SUCCESS)
        return result;
    return facade_driver_error(
        facade_device_pair_attribute(value, (int)attrib, srcDevice, dstDevice));
}

/* CUatomicOperation and cudaAtomicOperation have the same numbers. */
CUresult cuDeviceGetP2PAtomicCapabilities(unsigned int *capabilities,
                                          const CUatomicOperation *operations, unsigned int count,
                                          CUdevice srcDevice, CUdevice dstDevice)
{
    CUresult result = facade_driver_ready();
    if (result != CUDA_SUCCESS)
        return result;
    return facade_driver_error(facade_device_pair_atomics(capabilities, (const int *)operations,
                                                          count, srcDevice, dstDevice));
}

CUresult cuDeviceGetHostAtomicCapabilities(unsigned int *capabilities,
                                           const CUatomicOperation *operations, unsigned int count,
                                           CUdevice dev)
{
    CUresult result = facade_driver_ready();
    if (result != CUDA_SUCCESS)
        return result;
    return facade_driver_error(
        facade_device_host_atomics(capabilities, (const int *)operations, count, dev));
}
