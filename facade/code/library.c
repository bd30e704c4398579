/* Libraries: code without a context, and finding kernels in it.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "cl/check_made.h"
#include "facade/code/code.h"
#include "facade/code/module.h"
#include "facade/state/runtime.h"
#include "kernels/ptx/ptx.h"

struct facade_library {
    uint64_t serial; /* no other library has the same */
    struct facade_code code;
    const struct ocl_managed_variables *managed; /* or NULL */
    pthread_mutex_t lock;
    struct facade_module *modules; /* linked by next_in_library */
    struct facade_kernel **kernels;
    size_t kernel_count;
    /* What its compiler said in the context that was tried last: it would say the same again. */
    struct {
        uint64_t generation; /* of the context */
        cudaError_t error;
    } failure;
};

struct facade_kernel {
    struct facade_library *library;
    char *name;
    size_t index; /* in the program, the same in every context: the code is the same */
};

/* --- libraries -------------------------------------------------------------------------------- */

static struct facade_module *find_module(struct facade_library *library,
                                         const struct facade_context *context)
{
    struct facade_module *module = library->modules;
    while (module != NULL && module->context != context)
        module = module->next_in_library;
    return module;
}

/* A library that ends and a context that ends come to the same modules; taken before the library's lock. */
static pthread_mutex_t detach_lock = PTHREAD_MUTEX_INITIALIZER;

/* Detach lock held. */
static void detach(struct facade_library *library, const struct facade_module *module)
{
    pthread_mutex_lock(&library->lock);
    for (struct facade_module **link = &library->modules; *link != NULL;
         link = &(*link)->next_in_library) {
        if (*link == module) {
            *link = module->next_in_library;
            break;
        }
    }
    pthread_mutex_unlock(&library->lock);
}

void facade_library_detach(struct facade_module *module)
{
    pthread_mutex_lock(&detach_lock);
    if (module->library != NULL)
        detach(module->library, module);
    module->library = NULL;
    pthread_mutex_unlock(&detach_lock);
}

static void free_kernel(struct facade_kernel *kernel)
{
    if (kernel != NULL)
        free(kernel->name);
    facade_handle_free(kernel);
}

static void free_kernels(struct facade_library *library)
{
    for (size_t i = 0; library->kernels != NULL && i < library->kernel_count; i++)
        free_kernel(library->kernels[i]);
    free(library->kernels);
    library->kernels = NULL;
    library->kernel_count = 0;
}

static struct facade_kernel *new_kernel(struct facade_library *library, size_t index,
                                        const char *name)
{
    struct facade_kernel *kernel = facade_handle_new(FACADE_KERNEL, sizeof *kernel);
    if (kernel == NULL)
        return NULL;
    kernel->library = library;
    kernel->index = index;
    kernel->name = strdup(name);
    return kernel;
}

/* The first module tells what kernels the code has. Library lock held. */
static bool make_kernels(struct facade_library *library, const struct facade_module *module)
{
    if (library->kernels != NULL)
        return true;
    library->kernels = calloc(module->function_count + 1, sizeof(void *));
    for (size_t i = 0; library->kernels != NULL && i < module->function_count; i++) {
        struct facade_kernel *kernel =
            new_kernel(library, i, ocl_kernel_name(module->functions[i]->kernel));
        library->kernels[i] = kernel;
        library->kernel_count = i + 1;
        if (kernel == NULL || kernel->name == NULL) {
            free_kernels(library);
            return false;
        }
    }
    return library->kernels != NULL;
}

static cudaError_t find_failure(struct facade_library *library,
                                const struct facade_context *context)
{
    pthread_mutex_lock(&library->lock);
    const bool is_same = library->failure.generation == atomic_load(&context->generation);
    const cudaError_t error = is_same ? library->failure.error : cudaSuccess;
    pthread_mutex_unlock(&library->lock);
    return error;
}

static void keep_failure(struct facade_library *library, uint64_t generation, cudaError_t error)
{
    if (library->code.refusal == cudaSuccess && error != cudaErrorInvalidKernelImage &&
        error != cudaErrorInvalidPtx)
        return;
    pthread_mutex_lock(&library->lock);
    library->failure.generation = generation;
    library->failure.error = error;
    pthread_mutex_unlock(&library->lock);
}

/* The library's code for one build, with a hold of what was parsed. */
static struct facade_code borrow_code(struct facade_library *library)
{
    pthread_mutex_lock(&library->lock);
    struct facade_code code = library->code;
    if (code.module != NULL)
        ptx_module_hold(code.module);
    pthread_mutex_unlock(&library->lock);
    return code;
}

void facade_library_adopt(cudaLibrary_t handle, struct ptx_module *module)
{
    struct facade_library *library = (struct facade_library *)handle;
    pthread_mutex_lock(&library->lock);
    if (library->code.module == NULL)
        library->code.module = module;
    else
        ptx_module_free(module);
    pthread_mutex_unlock(&library->lock);
}

/* Not once it was unloaded, even where another one has its place: a listener of the log may do that during a build. */
static bool is_still(struct facade_library *library, uint64_t serial)
{
    return facade_handle_find(FACADE_LIBRARY, library) != NULL && library->serial == serial;
}

/* Builds without the lock; when another thread was faster, its module stays. */
static cudaError_t build_for(struct facade_library *library, struct facade_context *context,
                             const struct facade_jit *jit, struct facade_module **module)
{
    struct facade_module *built = NULL;
    const uint64_t generation = atomic_load(&context->generation), serial = library->serial;
    cudaError_t error = find_failure(library, context);
    if (error != cudaSuccess)
        return error;
    const struct facade_code code = borrow_code(library);
    error = facade_module_build(context, &code, library->managed, jit, &built);
    ptx_module_free(code.module);
    if (!is_still(library, serial)) {
        if (built != NULL)
            facade_module_discard(built);
        return error != cudaSuccess ? error : cudaErrorInvalidResourceHandle;
    }
    if (built == NULL) {
        keep_failure(library, generation, error);
        return error;
    }
    if (code.module == NULL) /* the next context's build need not parse it again */
        facade_library_adopt((cudaLibrary_t)library, ocl_program_module(built->program));
    pthread_mutex_lock(&library->lock);
    *module = find_module(library, context);
    bool has_kernels = make_kernels(library, built);
    if (*module == NULL && has_kernels) {
        built->library = library;
        built->next_in_library = library->modules;
        library->modules = built;
        *module = built;
        built = NULL;
    }
    pthread_mutex_unlock(&library->lock);
    if (built != NULL)
        facade_module_discard(built);
    return has_kernels ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t facade_library_module(struct facade_library *library, struct facade_module **module)
{
    static const struct facade_jit no_options = {NULL, NULL, 0};
    struct facade_context *context = NULL;
    cudaError_t error = facade_current(&context);
    if (error != cudaSuccess)
        return error;
    pthread_mutex_lock(&library->lock);
    *module = find_module(library, context);
    pthread_mutex_unlock(&library->lock);
    return *module != NULL ? cudaSuccess : build_for(library, context, &no_options, module);
}

static void free_library(struct facade_library *library)
{
    free_kernels(library);
    facade_code_free(&library->code);
    pthread_mutex_destroy(&library->lock);
    facade_handle_free(library);
}

void facade_library_retire(cudaLibrary_t handle)
{
    struct facade_library *library = NULL;
    if (facade_library_find(handle, &library) != cudaSuccess)
        return;
    pthread_mutex_lock(&detach_lock);
    while (library->modules != NULL) {
        struct facade_module *module = library->modules;
        library->modules = module->next_in_library;
        module->library = NULL;
        facade_module_retire(module);
    }
    pthread_mutex_unlock(&detach_lock);
    free_library(library);
}

/* Accepts half-made libraries. */
static void destroy_library(struct facade_library *library)
{
    while (library->modules != NULL) {
        struct facade_module *module = library->modules;
        library->modules = module->next_in_library;
        facade_module_unload(module);
    }
    free_library(library);
}

static struct facade_library *new_library(const void *code, size_t bytes)
{
    struct facade_library *library = facade_handle_new(FACADE_LIBRARY, sizeof *library);
    if (library == NULL)
        return NULL;
    static _Atomic uint64_t last_serial;
    pthread_mutex_init(&library->lock, NULL);
    library->serial = atomic_fetch_add(&last_serial, 1) + 1;
    if (facade_code_copy(&library->code, code, bytes) != cudaSuccess) {
        destroy_library(library);
        return NULL;
    }
    return library;
}

void facade_library_share(cudaLibrary_t library, const struct ocl_managed_variables *variables)
{
    ((struct facade_library *)library)->managed = variables->count > 0 ? variables : NULL;
}

static cudaError_t build_now(struct facade_library *library, const struct facade_jit *jit)
{
    struct facade_context *context = NULL;
    struct facade_module *module = NULL;
    cudaError_t error = facade_current(&context);
    return error == cudaSuccess ? build_for(library, context, jit, &module) : error;
}

cudaError_t facade_library_load(cudaLibrary_t *handle, const void *code, size_t bytes,
                                const struct facade_jit *jit)
{
    int count = 0;
    if (handle == NULL || code == NULL || !facade_jit_is_valid(jit))
        return cudaErrorInvalidValue;
    cudaError_t error = facade_devices(&count);
    if (error != cudaSuccess)
        return error;
    const uint64_t start = facade_jit_now();
    struct facade_library *library = new_library(code, bytes);
    if (library == NULL)
        return cudaErrorMemoryAllocation;
    error = facade_jit_wants_answer(jit) ? build_now(library, jit) : cudaSuccess;
    facade_jit_give_time(jit, facade_jit_now() - start);
    if (error != cudaSuccess) {
        destroy_library(library);
        return error;
    }
    ocl_made_note("library", library, NULL);
    *handle = (cudaLibrary_t)library;
    return cudaSuccess;
}

cudaError_t facade_library_load_file(cudaLibrary_t *handle, const char *path,
                                     const struct facade_jit *jit)
{
    char *text = NULL;
    size_t bytes = 0;
    if (handle == NULL || path == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_code_read_file(path, &text, &bytes);
    if (error == cudaSuccess)
        error = facade_library_load(handle, text, bytes, jit);
    free(text);
    return error;
}

/* The options change nothing here: code is always copied, and there are no host tables to share. */
bool facade_library_options_are_valid(const int *options, void *const *values, unsigned count)
{
    for (unsigned i = 0; options != NULL && i < count; i++) {
        if (options[i] != cudaLibraryHostUniversalFunctionAndDataTable &&
            options[i] != cudaLibraryBinaryIsPreserved)
            return false;
    }
    return count == 0 || (options != NULL && values != NULL);
}

cudaError_t facade_library_find(cudaLibrary_t handle, struct facade_library **found)
{
    cudaError_t error = facade_process_state();
    if (error != cudaSuccess)
        return error;
    *found = facade_handle_find(FACADE_LIBRARY, handle);
    return *found != NULL ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t facade_library_unload(cudaLibrary_t handle)
{
    struct facade_library *library = NULL;
    cudaError_t error = facade_library_find(handle, &library);
    if (error == cudaSuccess)
        destroy_library(library);
    return error;
}

/* The list of kernels does not change once it is made. */
static cudaError_t know_kernels(struct facade_library *library)
{
    struct facade_module *module = NULL;
    pthread_mutex_lock(&library->lock);
    bool is_known = library->kernels != NULL;
    pthread_mutex_unlock(&library->lock);
    return is_known ? cudaSuccess : facade_library_module(library, &module);
}

cudaError_t facade_library_kernel(struct facade_library *library, const char *name,
                                  cudaKernel_t *kernel)
{
    cudaError_t error = know_kernels(library);
    if (error != cudaSuccess)
        return error;
    for (size_t i = 0; i < library->kernel_count; i++) {
        if (strcmp(library->kernels[i]->name, name) == 0) {
            *kernel = (cudaKernel_t)library->kernels[i];
            return cudaSuccess;
        }
    }
    return cudaErrorSymbolNotFound;
}

cudaError_t facade_library_kernel_count(struct facade_library *library, unsigned *count)
{
    cudaError_t error = know_kernels(library);
    if (error == cudaSuccess)
        *count = (unsigned)library->kernel_count;
    return error;
}

cudaError_t facade_library_kernels(struct facade_library *library, cudaKernel_t *kernels,
                                   unsigned count)
{
    cudaError_t error = know_kernels(library);
    for (size_t i = 0; error == cudaSuccess && i < library->kernel_count && i < count; i++)
        kernels[i] = (cudaKernel_t)library->kernels[i];
    return error;
}

cudaError_t facade_library_symbol(struct facade_library *library, const char *name,
                                  struct ocl_symbol *symbol)
{
    struct facade_module *module = NULL;
    cudaError_t error = facade_library_module(library, &module);
    return error == cudaSuccess ? facade_module_symbol(module, name, symbol) : error;
}

cudaError_t facade_library_global(cudaLibrary_t handle, const char *name, bool only_managed,
                                  void **address, size_t *bytes)
{
    struct facade_library *library = NULL;
    struct ocl_symbol symbol;
    if (name == NULL || name[0] == '\0' || (address == NULL && bytes == NULL))
        return cudaErrorInvalidValue;
    cudaError_t error = facade_library_find(handle, &library);
    if (error == cudaSuccess)
        error = facade_library_symbol(library, name, &symbol);
    bool is_other =
        error == cudaSuccess ? symbol.kind != OCL_SYMBOL_MANAGED : error == cudaErrorInvalidValue;
    if (only_managed && is_other)
        error = cudaErrorSymbolNotFound;
    if (error == cudaSuccess && address != NULL)
        *address = (void *)(uintptr_t)symbol.address;
    if (error == cudaSuccess && bytes != NULL)
        *bytes = symbol.bytes;
    return error;
}

cudaError_t facade_kernel_name(cudaKernel_t handle, const char **name, cudaLibrary_t *library)
{
    const struct facade_kernel *kernel = facade_handle_find(FACADE_KERNEL, handle);
    if (kernel == NULL)
        return cudaErrorInvalidResourceHandle;
    *name = kernel->name;
    *library = (cudaLibrary_t)kernel->library;
    return cudaSuccess;
}

cudaError_t facade_kernel_here(const struct facade_kernel *kernel,
                               struct facade_function **function)
{
    struct facade_module *module = NULL;
    cudaError_t error = facade_library_module(kernel->library, &module);
    if (error != cudaSuccess)
        return error;
    if (kernel->index >= module->function_count)
        return cudaErrorSymbolNotFound;
    *function = module->functions[kernel->index];
    return cudaSuccess;
}

cudaError_t facade_kernel_function(cudaKernel_t handle, struct facade_function **function)
{
    const struct facade_kernel *kernel = facade_handle_find(FACADE_KERNEL, handle);
    return kernel != NULL ? facade_kernel_here(kernel, function) : cudaErrorInvalidResourceHandle;
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code,
                                enum cudaJitOption *jitOptions, void **jitOptionsValues,
                                unsigned int numJitOptions, enum cudaLibraryOption *libraryOptions,
                                void **libraryOptionValues, unsigned int numLibraryOptions)
{
    const struct facade_jit jit = {(const int *)jitOptions, jitOptionsValues, numJitOptions};
    if (!facade_library_options_are_valid((const int *)libraryOptions, libraryOptionValues,
                                          numLibraryOptions))
        return facade_result(cudaErrorInvalidValue);
    return facade_result(facade_library_load(library, code, 0, &jit));
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *fileName,
                                    enum cudaJitOption *jitOptions, void **jitOptionsValues,
                                    unsigned int numJitOptions,
                                    enum cudaLibraryOption *libraryOptions,
                                    void **libraryOptionValues, unsigned int numLibraryOptions)
{
    const struct facade_jit jit = {(const int *)jitOptions, jitOptionsValues, numJitOptions};
    if (!facade_library_options_are_valid((const int *)libraryOptions, libraryOptionValues,
                                          numLibraryOptions))
        return facade_result(cudaErrorInvalidValue);
    return facade_result(facade_library_load_file(library, fileName, &jit));
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
    return facade_result(facade_library_unload(library));
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *pKernel, cudaLibrary_t library, const char *name)
{
    struct facade_library *found = NULL;
    if (pKernel == NULL || name == NULL)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = facade_library_find(library, &found);
    return facade_result(error == cudaSuccess ? facade_library_kernel(found, name, pKernel)
                                              : error);
}

cudaError_t cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t lib)
{
    struct facade_library *found = NULL;
    if (count == NULL)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = facade_library_find(lib, &found);
    return facade_result(error == cudaSuccess ? facade_library_kernel_count(found, count) : error);
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int numKernels,
                                        cudaLibrary_t lib)
{
    struct facade_library *found = NULL;
    if (kernels == NULL)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = facade_library_find(lib, &found);
    return facade_result(error == cudaSuccess ? facade_library_kernels(found, kernels, numKernels)
                                              : error);
}

cudaError_t cudaLibraryGetGlobal(void **dptr, size_t *bytes, cudaLibrary_t library,
                                 const char *name)
{
    return facade_result(facade_library_global(library, name, false, dptr, bytes));
}

/* A function that host and device share is in no library here: clem's devices run no code of the host's. */
static cudaError_t find_unified(void **fptr, cudaLibrary_t handle, const char *symbol)
{
    struct facade_library *library = NULL;
    if (fptr == NULL || symbol == NULL)
        return cudaErrorInvalidValue;
    const cudaError_t error = facade_library_find(handle, &library);
    return error == cudaSuccess ? cudaErrorInvalidValue : error;
}

cudaError_t cudaLibraryGetUnifiedFunction(void **fptr, cudaLibrary_t library, const char *symbol)
{
    return facade_result(find_unified(fptr, library, symbol));
}

cudaError_t cudaLibraryGetManaged(void **dptr, size_t *bytes, cudaLibrary_t library,
                                  const char *name)
{
    return facade_result(facade_library_global(library, name, true, dptr, bytes));
}
