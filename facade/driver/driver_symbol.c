/* The driver API's view of variables of device code.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"

#include "facade/code/library.h"

CUresult cuModuleGetGlobal_v2(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod, const char *name)
{
    struct ocl_symbol symbol = {.bytes = 0};
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    struct facade_module *module = facade_handle_find(FACADE_MODULE, hmod);
    if (module == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    if (dptr == NULL && bytes == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    result = facade_driver_error(facade_module_symbol(module, name, &symbol));
    if (result == CUDA_SUCCESS && dptr != NULL)
        *dptr = symbol.address;
    /* 0 when there is no such variable, as NVIDIA's driver has it. */
    if (bytes != NULL)
        *bytes = symbol.bytes;
    return result;
}

static CUresult library_global(CUdeviceptr *dptr, size_t *bytes, CUlibrary library,
                               const char *name, bool only_managed)
{
    void *address = NULL;
    CUresult result = facade_driver_check();
    if (result == CUDA_SUCCESS)
        result = facade_driver_error(facade_library_global(
            (cudaLibrary_t)library, name, only_managed, dptr != NULL ? &address : NULL, bytes));
    if (result == CUDA_SUCCESS && dptr != NULL)
        *dptr = (uintptr_t)address;
    return result;
}

CUresult cuLibraryGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name)
{
    return library_global(dptr, bytes, library, name, false);
}

CUresult cuLibraryGetManaged(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name)
{
    return library_global(dptr, bytes, library, name, true);
}
