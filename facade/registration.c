/* What compilers insert into host programs. Registration runs before main and must not start
 * OpenCL: the code is loaded when the first of its kernels is asked for.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "cl/range_map.h"
#include "facade/launch.h"
#include "facade/registration.h"
#include "include/crt/host_runtime_abi.h"

/* What __cudaRegisterFatBinary is given. Source: objects of nvcc 13.0 and clang 14. */
struct wrapper {
    uint32_t magic;
    uint32_t version;
    const void *code;
    void *unused;
};

enum { WRAPPER_MAGIC = 0x466243b1 };

struct registered_function {
    struct fat_binary *binary;
    const char *name;
    const void *host_function;
    struct registered_function *next;
};

struct fat_binary {
    const void *code;
    pthread_mutex_t lock;
    cudaLibrary_t library; /* NULL until the first kernel is asked for */
    struct registered_function *functions;
};

static struct ocl_range_map *functions;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_table(void)
{
    if (ocl_range_map_create(&functions) != OCL_OK)
        functions = NULL;
}

/* --- registering ------------------------------------------------------------------------------ */

void **__cudaRegisterFatBinary(void *fatCubin)
{
    const struct wrapper *wrapper = fatCubin;
    struct fat_binary *binary = calloc(1, sizeof *binary);
    pthread_once(&once, make_table);
    if (binary == NULL)
        return NULL;
    pthread_mutex_init(&binary->lock, NULL);
    if (wrapper != NULL && wrapper->magic == WRAPPER_MAGIC)
        binary->code = wrapper->code;
    return (void **)binary;
}

void __cudaRegisterFatBinaryEnd(void **fatCubinHandle)
{
    (void)fatCubinHandle;
}

char __cudaInitModule(void **fatCubinHandle)
{
    (void)fatCubinHandle;
    return 0;
}

void __cudaRegisterFunction(void **fatCubinHandle, const char *hostFun, char *deviceFun,
                            const char *deviceName, int thread_limit, uint3 *tid, uint3 *bid,
                            dim3 *bDim, dim3 *gDim, int *wSize)
{
    struct fat_binary *binary = (struct fat_binary *)fatCubinHandle;
    (void)deviceFun, (void)thread_limit, (void)tid, (void)bid, (void)bDim, (void)gDim, (void)wSize;
    struct registered_function *function = calloc(1, sizeof *function);
    if (binary == NULL || functions == NULL || function == NULL) {
        free(function);
        return;
    }
    *function = (struct registered_function){binary, deviceName, hostFun, binary->functions};
    if (ocl_range_map_insert(functions, (uintptr_t)hostFun, 1, function) == OCL_OK)
        binary->functions = function;
    else
        free(function);
}

/* Symbols of registered code cannot be reached yet; cudaGetSymbolAddress and its kin say so. */
void __cudaRegisterVar(void **fatCubinHandle, char *hostVar, char *deviceAddress,
                       const char *deviceName, int ext, size_t size, int constant, int global)
{
    (void)fatCubinHandle, (void)hostVar, (void)deviceAddress, (void)deviceName;
    (void)ext, (void)size, (void)constant, (void)global;
}

void __cudaRegisterManagedVar(void **fatCubinHandle, void **hostVarPtrAddress, char *deviceAddress,
                              const char *deviceName, int ext, size_t size, int constant,
                              int global)
{
    (void)fatCubinHandle, (void)hostVarPtrAddress, (void)deviceAddress, (void)deviceName;
    (void)ext, (void)size, (void)constant, (void)global;
}

void __cudaUnregisterFatBinary(void **fatCubinHandle)
{
    struct fat_binary *binary = (struct fat_binary *)fatCubinHandle;
    if (binary == NULL)
        return;
    while (binary->functions != NULL) {
        struct registered_function *function = binary->functions;
        binary->functions = function->next;
        ocl_range_map_erase(functions, (uintptr_t)function->host_function, 1);
        free(function);
    }
    if (binary->library != NULL && facade_process_state() == cudaSuccess)
        facade_library_unload(binary->library);
    pthread_mutex_destroy(&binary->lock);
    free(binary);
}

/* --- using what was registered ---------------------------------------------------------------- */

/* Loads without the lock; when two threads come first together, one library stays. */
static cudaError_t binary_library(struct fat_binary *binary, cudaLibrary_t *library)
{
    static const struct facade_jit no_options = {NULL, NULL, 0};
    cudaLibrary_t loaded = NULL;
    pthread_mutex_lock(&binary->lock);
    *library = binary->library;
    pthread_mutex_unlock(&binary->lock);
    if (*library != NULL)
        return cudaSuccess;
    if (binary->code == NULL)
        return cudaErrorNoKernelImageForDevice;
    cudaError_t error = facade_library_load(&loaded, binary->code, 0, &no_options);
    if (error != cudaSuccess)
        return error;
    pthread_mutex_lock(&binary->lock);
    if (binary->library == NULL) {
        binary->library = loaded;
        loaded = NULL;
    }
    *library = binary->library;
    pthread_mutex_unlock(&binary->lock);
    if (loaded != NULL)
        facade_library_unload(loaded);
    return cudaSuccess;
}

static cudaError_t registered_kernel(const void *host_function, cudaKernel_t *kernel)
{
    cudaLibrary_t handle = NULL;
    struct facade_library *library = NULL;
    pthread_once(&once, make_table);
    const struct registered_function *function =
        functions != NULL ? ocl_range_map_find(functions, (uintptr_t)host_function) : NULL;
    if (function == NULL)
        return cudaErrorInvalidDeviceFunction;
    cudaError_t error = binary_library(function->binary, &handle);
    if (error == cudaSuccess)
        error = facade_library_find(handle, &library);
    if (error == cudaSuccess)
        error = facade_library_kernel(library, function->name, kernel);
    return error;
}

cudaError_t facade_registered_function(const void *host_function, struct facade_function **function)
{
    cudaKernel_t kernel = NULL;
    cudaError_t error = registered_kernel(host_function, &kernel);
    return error == cudaSuccess ? facade_kernel_function(kernel, function) : error;
}

unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem,
                                     struct CUstream_st *stream)
{
    const struct facade_launch_configuration configuration = {gridDim, blockDim, sharedMem, stream};
    return facade_launch_push(&configuration) ? 0 : 1;
}

cudaError_t __cudaPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem,
                                       void *stream)
{
    struct facade_launch_configuration configuration;
    if (!facade_launch_pop(&configuration))
        return facade_result(cudaErrorMissingConfiguration);
    *gridDim = configuration.grid;
    *blockDim = configuration.block;
    *sharedMem = configuration.shared;
    *(cudaStream_t *)stream = configuration.stream;
    return cudaSuccess;
}

cudaError_t cudaGetKernel(cudaKernel_t *kernelPtr, const void *entryFuncAddr)
{
    if (kernelPtr == NULL)
        return facade_result(cudaErrorInvalidValue);
    return facade_result(registered_kernel(entryFuncAddr, kernelPtr));
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *hostFun)
{
    return cudaGetKernel(kernel, hostFun);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void **args,
                               size_t sharedMem, cudaStream_t stream)
{
    return cudaLaunchKernel((const void *)kernel, gridDim, blockDim, args, sharedMem, stream);
}
