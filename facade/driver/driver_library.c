/* The driver API's libraries and kernels: code that belongs to no context, built for each one that
 * uses it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"

#include "facade/code/launch.h"

/* CUlibrary and cudaLibrary_t, CUkernel and cudaKernel_t are two names of one thing. */
_Static_assert(sizeof(CUlibrary) == sizeof(cudaLibrary_t) &&
                   sizeof(CUkernel) == sizeof(cudaKernel_t),
               "one handle");

/* --- libraries -------------------------------------------------------------------------------- */

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jitOptions,
                           void **jitOptionsValues, unsigned int numJitOptions,
                           CUlibraryOption *libraryOptions, void **libraryOptionValues,
                           unsigned int numLibraryOptions)
{
    const struct facade_jit jit = {(const int *)jitOptions, jitOptionsValues, numJitOptions};
    CUresult result = facade_driver_ready();
    if (result != CUDA_SUCCESS)
        return result;
    if (!facade_library_options_are_valid((const int *)libraryOptions, libraryOptionValues,
                                          numLibraryOptions))
        return CUDA_ERROR_INVALID_VALUE;
    return facade_driver_error(facade_library_load((cudaLibrary_t *)library, code, 0, &jit));
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *fileName, CUjit_option *jitOptions,
                               void **jitOptionsValues, unsigned int numJitOptions,
                               CUlibraryOption *libraryOptions, void **libraryOptionValues,
                               unsigned int numLibraryOptions)
{
    const struct facade_jit jit = {(const int *)jitOptions, jitOptionsValues, numJitOptions};
    CUresult result = facade_driver_ready();
    if (result != CUDA_SUCCESS)
        return result;
    if (!facade_library_options_are_valid((const int *)libraryOptions, libraryOptionValues,
                                          numLibraryOptions))
        return CUDA_ERROR_INVALID_VALUE;
    return facade_driver_error(facade_library_load_file((cudaLibrary_t *)library, fileName, &jit));
}

CUresult cuLibraryUnload(CUlibrary library)
{
    CUresult result = facade_driver_ready();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_library_unload((cudaLibrary_t)library))
               : result;
}

/* Naming kernels takes the code built for some context: the current one. */
static CUresult find_library(CUlibrary handle, struct facade_library **library)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_library_find((cudaLibrary_t)handle, library))
               : result;
}

CUresult cuLibraryGetKernel(CUkernel *pKernel, CUlibrary library, const char *name)
{
    struct facade_library *found = NULL;
    if (pKernel == NULL || name == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = find_library(library, &found);
    if (result != CUDA_SUCCESS)
        return result;
    return facade_driver_error(facade_library_kernel(found, name, (cudaKernel_t *)pKernel));
}

/* There is none: clem's devices run no code of the host's. */
CUresult cuLibraryGetUnifiedFunction(void **fptr, CUlibrary library, const char *symbol)
{
    struct facade_library *found = NULL;
    if (fptr == NULL || symbol == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = find_library(library, &found);
    return result == CUDA_SUCCESS ? CUDA_ERROR_NOT_FOUND : result;
}

CUresult cuLibraryGetKernelCount(unsigned int *count, CUlibrary lib)
{
    struct facade_library *found = NULL;
    if (count == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = find_library(lib, &found);
    return result == CUDA_SUCCESS ? facade_driver_error(facade_library_kernel_count(found, count))
                                  : result;
}

CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int numKernels, CUlibrary lib)
{
    struct facade_library *found = NULL;
    if (kernels == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = find_library(lib, &found);
    if (result != CUDA_SUCCESS)
        return result;
    return facade_driver_error(facade_library_kernels(found, (cudaKernel_t *)kernels, numKernels));
}

CUresult cuLibraryGetModule(CUmodule *pMod, CUlibrary library)
{
    struct facade_library *found = NULL;
    struct facade_module *module = NULL;
    if (pMod == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = find_library(library, &found);
    if (result == CUDA_SUCCESS)
        result = facade_driver_error(facade_library_module(found, &module));
    if (result == CUDA_SUCCESS)
        *pMod = (CUmodule)module;
    return result;
}

/* --- kernels ---------------------------------------------------------------------------------- */

static CUresult find_function(CUkernel kernel, struct facade_function **function)
{
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    return facade_driver_error(facade_kernel_function((cudaKernel_t)kernel, function));
}

/* Attributes of a kernel are those of its function in the current context: one device has the same
 * in all contexts. */
static CUresult find_function_on(CUkernel kernel, CUdevice device,
                                 struct facade_function **function)
{
    CUresult result = facade_driver_device(device);
    return result == CUDA_SUCCESS ? find_function(kernel, function) : result;
}

CUresult cuKernelGetFunction(CUfunction *pFunc, CUkernel kernel)
{
    struct facade_function *function = NULL;
    if (pFunc == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = find_function(kernel, &function);
    if (result == CUDA_SUCCESS)
        *pFunc = (CUfunction)function;
    return result;
}

CUresult cuKernelGetLibrary(CUlibrary *pLib, CUkernel kernel)
{
    const char *name = NULL;
    CUresult result = facade_driver_ready();
    if (result != CUDA_SUCCESS)
        return result;
    if (pLib == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    return facade_driver_error(
        facade_kernel_name((cudaKernel_t)kernel, &name, (cudaLibrary_t *)pLib));
}

CUresult cuKernelGetName(const char **name, CUkernel hfunc)
{
    cudaLibrary_t library = NULL;
    CUresult result = facade_driver_ready();
    if (result != CUDA_SUCCESS)
        return result;
    if (name == NULL || hfunc == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    return facade_driver_error(facade_kernel_name((cudaKernel_t)hfunc, name, &library));
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t *paramOffset,
                              size_t *paramSize)
{
    struct facade_function *function = NULL;
    if (paramOffset == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = find_function(kernel, &function);
    if (result != CUDA_SUCCESS)
        return result;
    return facade_driver_error(
        facade_function_parameter(function, paramIndex, paramOffset, paramSize));
}

CUresult cuKernelGetAttribute(int *pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev)
{
    struct facade_function *function = NULL;
    if (pi == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = find_function_on(kernel, dev, &function);
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_function_attribute(function, (int)attrib, pi))
               : result;
}

CUresult cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev)
{
    struct facade_function *function = NULL;
    CUresult result = find_function_on(kernel, dev, &function);
    if (result != CUDA_SUCCESS)
        return result;
    return facade_driver_error(facade_function_set_attribute(function, (int)attrib, val));
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev)
{
    struct facade_function *function = NULL;
    CUresult result = find_function_on(kernel, dev, &function);
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_function_set_cache(function, (int)config))
               : result;
}
