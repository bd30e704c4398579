/* The driver API, the run-time compiler and marks, linked and by dlopen of the names without versions.
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda.h>
#include <cudaProfiler.h>
#include <dlfcn.h>
#include <nvrtc.h>
#include <nvtx3/nvtx3.hpp>

#include <cstdio>

/* What a library opened by this name gives is what this program is linked with. */
static bool opens(const char *library, const char *name, const void *linked)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    const void *found = handle ? dlsym(handle, name) : nullptr;
    if (found == linked)
        return true;
    std::printf("%s: %s\n", library, handle ? "another function" : dlerror());
    return false;
}

int main()
{
    NVTX3_FUNC_RANGE();
    nvrtcProgram program;
    CUdevice device;
    CUcontext context;
    int major = 0, minor = 0;
    if (cuProfilerStart() != CUDA_ERROR_NOT_INITIALIZED || cuInit(0) || cuDeviceGet(&device, 0) ||
        cuDevicePrimaryCtxRetain(&context, device) || cuCtxSetCurrent(context) ||
        cuProfilerStart() || cuProfilerStop())
        return 1;
    if (nvrtcVersion(&major, &minor) || major != 13 ||
        nvrtcCreateProgram(&program, "", nullptr, 0, nullptr, nullptr) ||
        nvrtcDestroyProgram(&program))
        return 2;
    return !opens("libcuda.so", "cuInit", reinterpret_cast<void *>(cuInit)) ||
           !opens("libnvrtc.so", "nvrtcVersion", reinterpret_cast<void *>(nvrtcVersion));
}
