/* The driver API's modules: code loaded into the current context.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"

#include "cl/check_made.h"
#include "facade/code/library.h"
#include "facade/state/environment.h"

static CUresult find_module(CUmodule handle, struct facade_module **module)
{
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    *module = facade_handle_find(FACADE_MODULE, handle);
    return *module != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static CUresult hand_out(struct facade_module *loaded, CUmodule *module)
{
    ocl_made_note("module", loaded, loaded->context);
    *module = (CUmodule)loaded;
    return CUDA_SUCCESS;
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions,
                            CUjit_option *options, void **optionValues)
{
    struct facade_module *loaded = NULL;
    const struct facade_jit jit = {(const int *)options, optionValues, numOptions};
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    if (module == NULL || image == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    result = facade_driver_error(facade_module_load(&loaded, image, 0, &jit));
    return result == CUDA_SUCCESS ? hand_out(loaded, module) : result;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

/* All functions that load take fat binaries, and wrappers of them. */
CUresult cuModuleLoadFatBinary(CUmodule *module, const void *fatCubin)
{
    return cuModuleLoadDataEx(module, fatCubin, 0, NULL, NULL);
}

CUresult cuModuleLoad(CUmodule *module, const char *fname)
{
    static const struct facade_jit no_options = {NULL, NULL, 0};
    struct facade_module *loaded = NULL;
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    if (module == NULL || fname == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    result = facade_driver_error(facade_module_load_file(&loaded, fname, &no_options));
    return result == CUDA_SUCCESS ? hand_out(loaded, module) : result;
}

/* The module of a library goes with the library. */
CUresult cuModuleUnload(CUmodule hmod)
{
    struct facade_module *module = NULL;
    CUresult result = find_module(hmod, &module);
    if (result != CUDA_SUCCESS)
        return result;
    if (module->library != NULL)
        return CUDA_ERROR_NOT_PERMITTED;
    ocl_made_remove((uint64_t)(uintptr_t)module);
    return facade_driver_error(facade_module_unload(module));
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
    if (mode == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *mode = facade_environment()->loads_eagerly ? CU_MODULE_EAGER_LOADING : CU_MODULE_LAZY_LOADING;
    return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name)
{
    struct facade_module *module = NULL;
    struct facade_function *function = NULL;
    CUresult result = find_module(hmod, &module);
    if (result != CUDA_SUCCESS)
        return result;
    if (hfunc == NULL || name == NULL || name[0] == '\0')
        return CUDA_ERROR_INVALID_VALUE;
    result = facade_driver_error(facade_module_function(module, name, &function));
    if (result == CUDA_SUCCESS)
        *hfunc = (CUfunction)function;
    return result;
}

CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule mod)
{
    struct facade_module *module = NULL;
    if (count == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = find_module(mod, &module);
    if (result == CUDA_SUCCESS)
        *count = (unsigned)module->function_count;
    return result;
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned int numFunctions, CUmodule mod)
{
    struct facade_module *module = NULL;
    if (functions == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = find_module(mod, &module);
    for (size_t i = 0; result == CUDA_SUCCESS && i < numFunctions && i < module->function_count;
         i++)
        functions[i] = (CUfunction)module->functions[i];
    return result;
}
