/* Loading code: libraries, modules, and finding kernels in them.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/trace.h"
#include "facade/library.h"
#include "facade/runtime.h"
#include "facade/texture_reference.h"

enum { SPIRV_MAGIC = 0x07230203, ELF_MAGIC = 0x464c457f };
static const uint32_t fatbin_magic = 0xba55ed50u;
static const uint32_t fatbin_wrapper_magic = 0x466243b1u;

struct facade_library {
    char *code;
    size_t bytes;
    pthread_mutex_t lock;
    struct facade_module *modules; /* linked by next_in_library */
    struct facade_kernel **kernels;
    size_t kernel_count;
};

struct facade_kernel {
    struct facade_library *library;
    char *name;
    size_t index; /* in the program, the same in every context: the code is the same */
};

/* --- what the code is ------------------------------------------------------------------------- */

static uint32_t first_word(const void *code)
{
    uint32_t word = 0;
    /* Text shorter than a word ends within it; byte by byte, nothing behind its end is read. */
    for (unsigned i = 0; i < 4; i++) {
        unsigned char byte = ((const unsigned char *)code)[i];
        word |= (uint32_t)byte << (8 * i);
        if (byte == 0)
            break;
    }
    return word;
}

/* SPIR-V has no length of its own: in memory it must end with a zero word, as text ends with a zero
 * byte. */
static size_t spirv_bytes(const uint32_t *words)
{
    size_t count = 5;
    while (words[count] >> 16 != 0)
        count += words[count] >> 16;
    return count * sizeof *words;
}

static bool looks_like_ptx(const char *text, size_t bytes)
{
    static const char directive[] = ".version";
    const char *place = memmem(text, bytes, directive, sizeof directive - 1);
    return place != NULL && memmem(place, bytes - (size_t)(place - text), ".target", 7) != NULL &&
           memmem(text, bytes, "__kernel", 8) == NULL;
}

static size_t code_bytes(const void *code)
{
    return first_word(code) == SPIRV_MAGIC ? spirv_bytes(code) : strlen(code);
}

/* Refuses what no OpenCL device takes. */
static cudaError_t check_code(const void *code, size_t bytes)
{
    uint32_t word = first_word(code);
    if (bytes == 0)
        return cudaErrorInvalidKernelImage;
    if (word == SPIRV_MAGIC)
        return cudaSuccess;
    if (word == ELF_MAGIC || word == fatbin_magic || word == fatbin_wrapper_magic) {
        ocl_log(true, "the code is a binary for NVIDIA GPUs; clem takes OpenCL C text or SPIR-V");
        return cudaErrorNoKernelImageForDevice;
    }
    if (looks_like_ptx(code, bytes)) {
        ocl_log(true, "the code is PTX; clem takes OpenCL C text or SPIR-V");
        return cudaErrorInvalidPtx;
    }
    return cudaSuccess;
}

/* The whole file with a zero word after it. Errors: cudaErrorFileNotFound,
 * cudaErrorMemoryAllocation. */
static cudaError_t read_file(const char *path, char **text, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return path[0] != '\0' ? cudaErrorFileNotFound : cudaErrorInvalidValue;
    cudaError_t error = cudaErrorFileNotFound;
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    *text = NULL;
    if (size < 0 || fseek(file, 0, SEEK_SET) != 0)
        goto done;
    error = cudaErrorMemoryAllocation;
    *text = calloc((size_t)size + sizeof(uint32_t), 1);
    if (*text == NULL)
        goto done;
    *bytes = fread(*text, 1, (size_t)size, file);
    error = *bytes == (size_t)size ? cudaSuccess : cudaErrorFileNotFound;
    if (size == 0)
        error = cudaErrorInvalidKernelImage;
done:
    fclose(file);
    if (error != cudaSuccess) {
        free(*text);
        *text = NULL;
    }
    return error;
}

/* --- the caller's log buffers ----------------------------------------------------------------- */

static void *jit_value(const struct facade_jit *jit, int option)
{
    for (unsigned i = 0; i < jit->count; i++) {
        if (jit->options[i] == option)
            return jit->values[i];
    }
    return NULL;
}

/* The size option holds the capacity on the way in and the written length on the way out. */
static void give_log(const struct facade_jit *jit, int buffer_option, int size_option,
                     const char *log)
{
    char *buffer = jit_value(jit, buffer_option);
    size_t capacity = (size_t)(uintptr_t)jit_value(jit, size_option);
    if (buffer == NULL || capacity == 0)
        return;
    size_t length = strlen(log) < capacity - 1 ? strlen(log) : capacity - 1;
    memcpy(buffer, log, length);
    buffer[length] = '\0';
    for (unsigned i = 0; i < jit->count; i++) {
        if (jit->options[i] == size_option)
            ((void **)(uintptr_t)jit->values)[i] = (void *)(uintptr_t)length;
    }
}

static bool jit_is_valid(const struct facade_jit *jit)
{
    if (jit->count > 0 && (jit->options == NULL || jit->values == NULL))
        return false;
    for (unsigned i = 0; i < jit->count; i++) {
        if (jit->options[i] < 0 || jit->options[i] >= CU_JIT_NUM_OPTIONS)
            return false;
    }
    return true;
}

static bool wants_log(const struct facade_jit *jit)
{
    return jit_value(jit, CU_JIT_INFO_LOG_BUFFER) != NULL ||
           jit_value(jit, CU_JIT_ERROR_LOG_BUFFER) != NULL;
}

/* --- modules ---------------------------------------------------------------------------------- */

static void link_module(struct facade_module *module)
{
    struct facade_context *context = module->context;
    pthread_mutex_lock(&context->lock);
    module->next = context->modules;
    if (module->next != NULL)
        module->next->previous = module;
    context->modules = module;
    pthread_mutex_unlock(&context->lock);
}

static void unlink_module(struct facade_module *module)
{
    struct facade_context *context = module->context;
    pthread_mutex_lock(&context->lock);
    if (module->previous != NULL)
        module->previous->next = module->next;
    else if (context->modules == module)
        context->modules = module->next;
    if (module->next != NULL)
        module->next->previous = module->previous;
    pthread_mutex_unlock(&context->lock);
}

static void free_function(struct facade_function *function)
{
    if (function != NULL)
        free(function->old_launch);
    facade_handle_free(function);
}

/* Accepts half-made modules. */
static void destroy_module(struct facade_module *module)
{
    for (size_t i = 0; module->functions != NULL && i < module->function_count; i++)
        free_function(module->functions[i]);
    free(module->functions);
    facade_references_forget(module->context, module);
    if (module->program != NULL)
        ocl_program_release(module->program);
    facade_handle_free(module);
}

static bool make_functions(struct facade_module *module)
{
    module->function_count = ocl_program_kernel_count(module->program);
    module->functions = calloc(module->function_count + 1, sizeof(void *));
    for (size_t i = 0; module->functions != NULL && i < module->function_count; i++) {
        struct facade_function *function = facade_handle_new(FACADE_FUNCTION, sizeof *function);
        if (function == NULL)
            return false;
        function->module = module;
        function->kernel = ocl_program_kernel(module->program, i);
        function->max_dynamic_shared = -1;
        function->preferred_carveout = -1;
        module->functions[i] = function;
    }
    return module->functions != NULL;
}

static cudaError_t build_module(struct facade_context *context, const void *code, size_t bytes,
                                const struct facade_jit *jit, struct facade_module **built)
{
    char *log = NULL;
    cudaError_t error = check_code(code, bytes);
    if (error != cudaSuccess)
        return error;
    struct facade_module *module = facade_handle_new(FACADE_MODULE, sizeof *module);
    if (module == NULL)
        return cudaErrorMemoryAllocation;
    module->context = context;
    module->generation = atomic_load(&context->generation);
    ocl_status status =
        ocl_program_build(atomic_load(&context->cl), code, bytes, "", &module->program, &log);
    if (log != NULL)
        give_log(jit, status == OCL_OK ? CU_JIT_INFO_LOG_BUFFER : CU_JIT_ERROR_LOG_BUFFER,
                 status == OCL_OK ? CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES
                                  : CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                 log);
    free(log);
    if (status != OCL_OK || !make_functions(module)) {
        destroy_module(module);
        return status != OCL_OK ? facade_error_from(status, FACADE_BUILD)
                                : cudaErrorMemoryAllocation;
    }
    link_module(module);
    *built = module;
    return cudaSuccess;
}

cudaError_t facade_module_load(struct facade_module **module, const void *code, size_t bytes,
                               const struct facade_jit *jit)
{
    struct facade_context *context = NULL;
    if (module == NULL || code == NULL || !jit_is_valid(jit))
        return cudaErrorInvalidValue;
    cudaError_t error = facade_current(&context);
    if (error != cudaSuccess)
        return error;
    return build_module(context, code, bytes != 0 ? bytes : code_bytes(code), jit, module);
}

cudaError_t facade_module_load_file(struct facade_module **module, const char *path,
                                    const struct facade_jit *jit)
{
    char *text = NULL;
    size_t bytes = 0;
    if (module == NULL || path == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = read_file(path, &text, &bytes);
    if (error == cudaSuccess)
        error = facade_module_load(module, text, bytes, jit);
    free(text);
    return error;
}

static void discard_module(struct facade_module *module)
{
    unlink_module(module);
    destroy_module(module);
}

/* Whether the work failed is told by the calls that ask for it. */
static void wait_for_work(struct facade_module *module)
{
    (void)ocl_context_finish(atomic_load(&module->context->cl));
}

cudaError_t facade_module_unload(struct facade_module *module)
{
    wait_for_work(module);
    discard_module(module);
    return cudaSuccess;
}

cudaError_t facade_module_function(struct facade_module *module, const char *name,
                                   struct facade_function **function)
{
    for (size_t i = 0; i < module->function_count; i++) {
        if (strcmp(ocl_kernel_name(module->functions[i]->kernel), name) == 0) {
            *function = module->functions[i];
            return cudaSuccess;
        }
    }
    return cudaErrorSymbolNotFound;
}

cudaError_t facade_module_symbol(struct facade_module *module, const char *name,
                                 struct ocl_symbol *symbol)
{
    if (name == NULL || name[0] == '\0')
        return cudaErrorInvalidValue;
    ocl_status status = ocl_program_find_symbol(module->program, name, symbol);
    if (status != OCL_E_NOT_FOUND)
        return facade_error_from(status, FACADE_ALLOCATE);
    return ocl_program_find_kernel(module->program, name) != NULL ? cudaErrorInvalidValue
                                                                  : cudaErrorSymbolNotFound;
}

static void detach_from_library(struct facade_module *module)
{
    struct facade_library *library = module->library;
    if (library == NULL)
        return;
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

void facade_modules_forget(struct facade_context *context)
{
    pthread_mutex_lock(&context->lock);
    struct facade_module *module = context->modules;
    context->modules = NULL;
    pthread_mutex_unlock(&context->lock);
    while (module != NULL) {
        struct facade_module *next = module->next;
        detach_from_library(module);
        destroy_module(module);
        module = next;
    }
}

/* --- libraries -------------------------------------------------------------------------------- */

static struct facade_module *find_module(struct facade_library *library,
                                         const struct facade_context *context)
{
    struct facade_module *module = library->modules;
    while (module != NULL && module->context != context)
        module = module->next_in_library;
    return module;
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

/* Builds without the lock; when another thread was faster, its module stays. */
static cudaError_t build_for(struct facade_library *library, struct facade_context *context,
                             const struct facade_jit *jit, struct facade_module **module)
{
    struct facade_module *built = NULL;
    cudaError_t error = build_module(context, library->code, library->bytes, jit, &built);
    if (built == NULL)
        return error;
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
        discard_module(built);
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

/* Accepts half-made libraries. */
static void destroy_library(struct facade_library *library)
{
    while (library->modules != NULL) {
        struct facade_module *module = library->modules;
        library->modules = module->next_in_library;
        facade_module_unload(module);
    }
    free_kernels(library);
    free(library->code);
    pthread_mutex_destroy(&library->lock);
    facade_handle_free(library);
}

static struct facade_library *new_library(const void *code, size_t bytes)
{
    struct facade_library *library = facade_handle_new(FACADE_LIBRARY, sizeof *library);
    if (library == NULL)
        return NULL;
    pthread_mutex_init(&library->lock, NULL);
    library->bytes = bytes;
    library->code = calloc(bytes + sizeof(uint32_t), 1);
    if (library->code == NULL) {
        destroy_library(library);
        return NULL;
    }
    memcpy(library->code, code, bytes);
    return library;
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
    if (handle == NULL || code == NULL || !jit_is_valid(jit))
        return cudaErrorInvalidValue;
    cudaError_t error = facade_devices(&count);
    if (error != cudaSuccess)
        return error;
    struct facade_library *library = new_library(code, bytes != 0 ? bytes : code_bytes(code));
    if (library == NULL)
        return cudaErrorMemoryAllocation;
    error = wants_log(jit) ? build_now(library, jit) : cudaSuccess;
    if (error != cudaSuccess)
        destroy_library(library);
    else
        *handle = (cudaLibrary_t)library;
    return error;
}

cudaError_t facade_library_load_file(cudaLibrary_t *handle, const char *path,
                                     const struct facade_jit *jit)
{
    char *text = NULL;
    size_t bytes = 0;
    if (handle == NULL || path == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = read_file(path, &text, &bytes);
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

cudaError_t facade_kernel_function(cudaKernel_t handle, struct facade_function **function)
{
    struct facade_module *module = NULL;
    const struct facade_kernel *kernel = facade_handle_find(FACADE_KERNEL, handle);
    if (kernel == NULL)
        return cudaErrorInvalidResourceHandle;
    cudaError_t error = facade_library_module(kernel->library, &module);
    if (error != cudaSuccess)
        return error;
    if (kernel->index >= module->function_count)
        return cudaErrorSymbolNotFound;
    *function = module->functions[kernel->index];
    return cudaSuccess;
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

cudaError_t cudaLibraryGetManaged(void **dptr, size_t *bytes, cudaLibrary_t library,
                                  const char *name)
{
    return facade_result(facade_library_global(library, name, true, dptr, bytes));
}
