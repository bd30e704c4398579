/* An OpenCL layer that makes two drivers' devices of PoCL's: all devices but the first belong to a second platform, and
 * STUB_GPUS of them in all, from the first on, are GPUs. Wants POCL_DEVICES with as many devices.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/stub/layer.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const struct _cl_icd_dispatch *target;

/* The second platform: the driver below never sees it. It has a table as all objects of OpenCL have, by which the
 * loader finds functions. */
static struct {
    const struct _cl_icd_dispatch *dispatch;
} second;

enum { MOST = 16 };

static cl_platform_id own_platform(void)
{
    return (cl_platform_id)(void *)&second;
}

static cl_platform_id real_platform(void)
{
    static cl_platform_id platform;
    if (!platform)
        target->clGetPlatformIDs(1, &platform, NULL);
    return platform;
}

static cl_platform_id below(cl_platform_id platform)
{
    return platform == own_platform() ? real_platform() : platform;
}

static cl_uint list_devices(cl_device_id devices[MOST])
{
    cl_uint count = 0;
    if (target->clGetDeviceIDs(real_platform(), CL_DEVICE_TYPE_ALL, MOST, devices, &count) !=
        CL_SUCCESS)
        return 0;
    return count < MOST ? count : MOST;
}

/* Devices' place among all. */
static cl_uint place_of(cl_device_id device)
{
    cl_device_id devices[MOST];
    const cl_uint count = list_devices(devices);
    for (cl_uint i = 0; i < count; i++)
        if (devices[i] == device)
            return i;
    return MOST;
}

static cl_int CL_API_CALL get_platforms(cl_uint room, cl_platform_id *platforms, cl_uint *count)
{
    const cl_platform_id both[] = {real_platform(), own_platform()};
    for (cl_uint i = 0; platforms && i < 2 && i < room; i++)
        platforms[i] = both[i];
    if (count)
        *count = 2;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL get_platform_info(cl_platform_id platform, cl_platform_info name,
                                            size_t bytes, void *value, size_t *needed)
{
    static const char second_name[] = "Second Platform";
    if (platform != own_platform() || name != CL_PLATFORM_NAME)
        return target->clGetPlatformInfo(below(platform), name, bytes, value, needed);
    if (needed)
        *needed = sizeof second_name;
    if (value && bytes < sizeof second_name)
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, second_name, sizeof second_name);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL get_devices(cl_platform_id platform, cl_device_type type, cl_uint room,
                                      cl_device_id *devices, cl_uint *count)
{
    cl_device_id all[MOST];
    const cl_uint found = list_devices(all);
    const cl_uint first = platform == own_platform(), end = first ? found : 1;
    (void)type;
    for (cl_uint i = first; devices && i < end && i - first < room; i++)
        devices[i - first] = all[i];
    if (count)
        *count = end - first;
    return end > first ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

static bool is_gpu(cl_device_id device)
{
    const char *gpus = getenv("STUB_GPUS");
    return place_of(device) < (gpus ? (cl_uint)atoi(gpus) : 0);
}

static cl_int CL_API_CALL get_device_info(cl_device_id device, cl_device_info name, size_t bytes,
                                          void *value, size_t *needed)
{
    const cl_device_type gpu = CL_DEVICE_TYPE_GPU;
    const cl_platform_id platform = own_platform();
    const cl_int error = target->clGetDeviceInfo(device, name, bytes, value, needed);
    if (error == CL_SUCCESS && value && name == CL_DEVICE_TYPE && is_gpu(device))
        memcpy(value, &gpu, sizeof gpu);
    if (error == CL_SUCCESS && value && name == CL_DEVICE_PLATFORM && place_of(device) > 0)
        memcpy(value, &platform, sizeof platform);
    return error;
}

static cl_context CL_API_CALL create_context(const cl_context_properties *properties, cl_uint count,
                                             const cl_device_id *devices,
                                             void(CL_CALLBACK *notify)(const char *, const void *,
                                                                       size_t, void *),
                                             void *data, cl_int *error)
{
    cl_context_properties real[MOST] = {0};
    for (size_t i = 0; properties && properties[i] && i + 2 < MOST; i += 2) {
        real[i] = properties[i];
        real[i + 1] = properties[i] == CL_CONTEXT_PLATFORM
                          ? (cl_context_properties)below((cl_platform_id)properties[i + 1])
                          : properties[i + 1];
    }
    return target->clCreateContext(properties ? real : NULL, count, devices, notify, data, error);
}

static void *CL_API_CALL get_extension(cl_platform_id platform, const char *name)
{
    return target->clGetExtensionFunctionAddressForPlatform(below(platform), name);
}

static cl_int CL_API_CALL unload(cl_platform_id platform)
{
    return target->clUnloadPlatformCompiler(below(platform));
}

void clem_stub_install(struct _cl_icd_dispatch *layer, const struct _cl_icd_dispatch *from)
{
    target = from;
    second.dispatch = layer;
    layer->clGetPlatformIDs = get_platforms;
    layer->clGetPlatformInfo = get_platform_info;
    layer->clGetDeviceIDs = get_devices;
    layer->clGetDeviceInfo = get_device_info;
    layer->clCreateContext = create_context;
    layer->clGetExtensionFunctionAddressForPlatform = get_extension;
    layer->clUnloadPlatformCompiler = unload;
}
