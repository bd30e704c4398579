/* Libraries, modules, kernels and functions as runtime and driver API share them.
 *
 * A library is code without a context. Each context that uses it gets a module: the code built for
 * that context. A kernel names code in a library; a function is the kernel in one module.
 * cuModuleLoad* makes a module with no library.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_LIBRARY_H
#define FACADE_LIBRARY_H

#include "cl/symbols.h"
#include "facade/state/handles.h"

struct facade_module {
    struct facade_context *context;
    uint64_t generation;
    struct facade_library *library; /* NULL for cuModuleLoad* */
    struct ocl_program *program;
    struct ocl_pack *pack;              /* what its code became ahead of time; or NULL */
    struct facade_function **functions; /* one per kernel, in the program's order */
    size_t function_count;
    struct facade_module *next, *previous; /* of the context */
    struct facade_module *next_in_library;
    bool is_retired; /* to be ended by reap() of module.c (the context's lock) */
};

struct facade_function {
    struct facade_module *module;
    struct ocl_kernel *kernel;
    int max_dynamic_shared; /* cudaFuncAttributeMaxDynamicSharedMemorySize; -1 until set */
    int preferred_carveout;
    int cache_config;
    struct facade_old_launch *old_launch; /* what cuParamSet* said (driver_launch.c); or NULL */
};

/* A log or option that a caller of the load functions wants: cudaJitOption / CUjit_option have the
 * same numbers. */
struct facade_jit {
    const int *options;
    void *const *values;
    unsigned count;
};

/* Whether the lists of library options are well formed: cudaLibraryOption / CUlibraryOption have
 * the same numbers. */
bool facade_library_options_are_valid(const int *options, void *const *values, unsigned count);

/* Makes a library from code: NUL-terminated OpenCL C or PTX text, SPIR-V that ends with a zero word,
 * a fat binary with PTX in it or its wrapper (bytes 0); or the given number of bytes of any but the
 * last. The code is copied, and built when a kernel is
 * first asked for, as CUDA does it; bad code is refused then. A caller whose options are told
 * something (logs, the time) gets it built at once.
 * Errors: cudaErrorInvalidValue; with such options also those of facade_library_module(). */
cudaError_t facade_library_load(cudaLibrary_t *library, const void *code, size_t bytes,
                                const struct facade_jit *jit);
cudaError_t facade_library_load_file(cudaLibrary_t *library, const char *path,
                                     const struct facade_jit *jit);
cudaError_t facade_library_unload(cudaLibrary_t library);

/* The same for code whose library the program is closing: neither waits nor calls the driver, since the loader's lock is
 * held, which other threads wait for within the driver. The modules end when their context has nothing to do. */
void facade_library_retire(cudaLibrary_t library);

/* Variables of the library that are the host's own, in every context that will use it.
 * Needs:  the library is new, has no module, and goes before the variables. */
/* Gives it what its PTX was parsed to; the library frees the module, which may be NULL. */
struct ptx_module;
void facade_library_adopt(cudaLibrary_t library, struct ptx_module *module);

void facade_library_share(cudaLibrary_t library, const struct ocl_managed_variables *variables);

/* Errors: cudaErrorInvalidResourceHandle for a stale library. */
cudaError_t facade_library_find(cudaLibrary_t handle, struct facade_library **found);

/* The library's kernels, in the order of the code. Errors: those of facade_library_module();
 * cudaErrorSymbolNotFound. */
cudaError_t facade_library_kernel(struct facade_library *library, const char *name,
                                  cudaKernel_t *kernel);
cudaError_t facade_library_kernel_count(struct facade_library *library, unsigned *count);
cudaError_t facade_library_kernels(struct facade_library *library, cudaKernel_t *kernels,
                                   unsigned count);

/* The library's module in the current context, built when it is not there yet.
 * Errors: cudaErrorInvalidKernelImage for code that does not compile, cudaErrorInvalidPtx for PTX
 *         that cannot be read, cudaErrorUnsupportedPtxVersion for PTX of a time to come,
 *         cudaErrorNoKernelImageForDevice for code that no OpenCL device takes; the compiler's log
 *         is in the logs. */
cudaError_t facade_library_module(struct facade_library *library, struct facade_module **module);

/* A variable of the library in the current context. Errors: those of facade_library_module() and
 * facade_module_symbol(). */
cudaError_t facade_library_symbol(struct facade_library *library, const char *name,
                                  struct ocl_symbol *symbol);

/* What the functions that give a variable's address and size share: one of the two may be NULL.
 * only_managed: nothing else is found. */
cudaError_t facade_library_global(cudaLibrary_t handle, const char *name, bool only_managed,
                                  void **address, size_t *bytes);

/* Name and library of a kernel handle. Errors: cudaErrorInvalidResourceHandle. */
cudaError_t facade_kernel_name(cudaKernel_t handle, const char **name, cudaLibrary_t *library);

struct facade_kernel;

/* The function of a kernel in the current context; of a handle that may be anything, or of a kernel
 * that facade_handle_find() found. */
cudaError_t facade_kernel_function(cudaKernel_t handle, struct facade_function **function);
cudaError_t facade_kernel_here(const struct facade_kernel *kernel,
                               struct facade_function **function);

/* Makes a module of the current context from code, as facade_library_load() reads it. */
cudaError_t facade_module_load(struct facade_module **module, const void *code, size_t bytes,
                               const struct facade_jit *jit);
cudaError_t facade_module_load_file(struct facade_module **module, const char *path,
                                    const struct facade_jit *jit);

/* Order:  after all work of the module's context: waits for it, as NVIDIA's driver does. The same
 *         goes for libraries. */
cudaError_t facade_module_unload(struct facade_module *module);

/* Errors: cudaErrorSymbolNotFound. */
cudaError_t facade_module_function(struct facade_module *module, const char *name,
                                   struct facade_function **function);

/* Errors: cudaErrorSymbolNotFound; cudaErrorInvalidValue for no name and for that of a kernel;
 *         cudaErrorMemoryAllocation. */
cudaError_t facade_module_symbol(struct facade_module *module, const char *name,
                                 struct ocl_symbol *symbol);

#endif
