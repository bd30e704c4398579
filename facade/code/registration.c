/* What compilers insert into host programs. Registration runs before main and must not start
 * OpenCL: the code is loaded when the first of its kernels or variables is asked for. Only the first
 * values of managed variables are read from it before main.
 * SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/check_made.h"
#include "cl/pack.h"
#include "cl/range_map.h"
#include "cl/trace.h"
#include "facade/code/code_link.h"
#include "facade/code/fatbin.h"
#include "facade/code/launch.h"
#include "facade/code/registered_reference.h"
#include "facade/code/registration.h"
#include "facade/memory/managed_section.h"
#include "include/crt/host_runtime_abi.h"
#include "kernels/ptx/ptx.h"

struct registered_function {
    struct fat_binary *binary;
    const char *name;
    const void *host_function;
    struct registered_function *next;
    _Atomic(cudaKernel_t) kernel; /* of the binary's library; NULL until it is asked for */
};

struct registered_variable {
    struct fat_binary *binary;
    const char *name;
    const void *host; /* what the program takes the address of; NULL for a managed one */
    void **pointer;   /* managed: where the host keeps the address; else NULL */
    struct registered_variable *next;
};

struct fat_binary {
    const void *code;
    const void *const *parts; /* of separately compiled code, up to NULL; or NULL */
    const void **own_parts;   /* the same where units register one by one */
    size_t part_count;        /* of own_parts */
    struct ocl_pack *pack;    /* what the code became ahead of time; or NULL */
    const void *image;        /* the executable or library that they are in; or NULL */
    pthread_mutex_t lock;
    cudaLibrary_t library; /* NULL until the first kernel or variable is asked for */
    struct registered_function *functions;
    struct registered_variable *variables;
    bool has_managed;
    struct ocl_managed_variables managed; /* those that lie in a section of the program */
    /* What the code, or the parts' text, was parsed to for their first values, until it is loaded (lock). */
    struct ptx_module *module;
    char *text;                         /* of the parts, linked */
    _Atomic bool is_complained_of;      /* stderr has heard why its parts cannot be linked */
    const struct facade_context *owner; /* where the memory of the managed variables is (lock) */
    uint64_t generation;                /* of owner then */
    bool is_gone;                       /* the library that it is in is being closed (lock) */
    unsigned readers;                   /* threads that read the code where it lies (lock) */
    pthread_cond_t unread;              /* none is left */
    unsigned holds;                     /* being registered is one (binaries_lock) */
    struct fat_binary *next;            /* of all; held ones stay (binaries_lock) */
};

static struct ocl_range_map *functions, *variables;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct fat_binary *binaries;
static pthread_mutex_t binaries_lock = PTHREAD_MUTEX_INITIALIZER;

static void make_tables(void)
{
    if (ocl_range_map_create(&functions) != OCL_OK)
        functions = NULL;
    if (ocl_range_map_create(&variables) != OCL_OK)
        variables = NULL;
}

/* --- registering ------------------------------------------------------------------------------ */

/* The first call of the program's opens the device, which builds programs that the pack has, before any code is asked for. */
static struct ocl_pack *open_pack(const void *code)
{
    struct facade_fatbin_contents contents;
    static const char magic[] = "\x50\xed\x55\xba"; /* text may be shorter */
    const bool is_container = code != NULL && strncmp(code, magic, sizeof magic - 1) == 0;
    const size_t bytes = is_container ? facade_fatbin_bytes(code) : 0;
    if (bytes == 0 || !facade_fatbin_read(code, bytes, FACADE_FATBIN_REPORTED, &contents) ||
        contents.pack.payload == NULL)
        return NULL;
    return ocl_pack_open(contents.pack.payload, contents.pack.payload_bytes);
}

void **__cudaRegisterFatBinary(void *fatCubin)
{
    const struct facade_fatbin_wrapper *wrapper = fatCubin;
    struct fat_binary *binary = calloc(1, sizeof *binary);
    pthread_once(&once, make_tables);
    if (binary == NULL)
        return NULL;
    pthread_mutex_init(&binary->lock, NULL);
    pthread_cond_init(&binary->unread, NULL);
    binary->holds = 1;
    if (wrapper != NULL && wrapper->magic == FACADE_FATBIN_WRAPPER_MAGIC) {
        binary->code = wrapper->code;
        binary->parts = wrapper->version == 2 ? wrapper->parts : NULL;
        binary->pack = open_pack(binary->code);
    }
    pthread_mutex_lock(&binaries_lock);
    struct fat_binary **last = &binaries;
    while (*last != NULL)
        last = &(*last)->next;
    *last = binary;
    pthread_mutex_unlock(&binaries_lock);
    return (void **)binary;
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
    *function =
        (struct registered_function){binary, deviceName, hostFun, .next = binary->functions};
    if (ocl_range_map_insert(functions, (uintptr_t)hostFun, 1, function) == OCL_OK)
        binary->functions = function;
    else
        free(function);
}

static void register_variable(struct fat_binary *binary, const char *name, const void *host,
                              void **pointer)
{
    struct registered_variable *variable = calloc(1, sizeof *variable);
    if (binary == NULL || variables == NULL || variable == NULL) {
        free(variable);
        return;
    }
    *variable =
        (struct registered_variable){binary, name, host, pointer, .next = binary->variables};
    if (host != NULL && ocl_range_map_insert(variables, (uintptr_t)host, 1, variable) != OCL_OK) {
        free(variable);
        return;
    }
    binary->variables = variable;
    binary->has_managed |= pointer != NULL;
    if (host != NULL)
        facade_managed_add(&binary->managed, name, host);
}

/* The code says how large the variable is and where it lives. */
void __cudaRegisterVar(void **fatCubinHandle, char *hostVar, char *deviceAddress,
                       const char *deviceName, int ext, size_t size, int constant, int global)
{
    (void)deviceAddress, (void)ext, (void)size, (void)constant, (void)global;
    register_variable((struct fat_binary *)fatCubinHandle, deviceName, hostVar, NULL);
}

void __cudaRegisterManagedVar(void **fatCubinHandle, void **hostVarPtrAddress, char *deviceAddress,
                              const char *deviceName, int ext, size_t size, int constant,
                              int global)
{
    (void)deviceAddress, (void)ext, (void)size, (void)constant, (void)global;
    register_variable((struct fat_binary *)fatCubinHandle, deviceName, NULL, hostVarPtrAddress);
}

/* Device code that names a variable of the host: neither OpenCL C nor PTX does. */
void __cudaRegisterHostVar(void **fatCubinHandle, const char *deviceName, char *hostVar,
                           size_t size)
{
    (void)fatCubinHandle, (void)deviceName, (void)hostVar, (void)size;
}

static void forget_parsed(struct fat_binary *binary)
{
    pthread_mutex_lock(&binary->lock);
    ptx_module_free(binary->module);
    free(binary->text);
    binary->module = NULL;
    binary->text = NULL;
    pthread_mutex_unlock(&binary->lock);
}

/* Binaries lock held. Whether that was the last hold. */
static bool unhold(struct fat_binary *binary)
{
    if (--binary->holds > 0)
        return false;
    struct fat_binary **link = &binaries;
    while (*link != binary)
        link = &(*link)->next;
    *link = binary->next;
    return true;
}

static void destroy_binary(struct fat_binary *binary)
{
    if (binary->library != NULL)
        facade_library_retire(binary->library);
    facade_managed_forget(&binary->managed);
    forget_parsed(binary);
    ocl_pack_release(binary->pack);
    pthread_cond_destroy(&binary->unread);
    pthread_mutex_destroy(&binary->lock);
    free(binary->own_parts);
    free(binary);
}

/* Lets go of held, which may be NULL, and holds the next binary of the list; NULL behind the last one. */
static struct fat_binary *hold_next(struct fat_binary *held)
{
    pthread_mutex_lock(&binaries_lock);
    struct fat_binary *next = held != NULL ? held->next : binaries;
    if (next != NULL)
        next->holds++;
    const bool is_last = held != NULL && unhold(held);
    pthread_mutex_unlock(&binaries_lock);
    if (is_last)
        destroy_binary(held);
    return next;
}

static void leave(struct fat_binary *binary)
{
    pthread_mutex_lock(&binaries_lock);
    const bool is_last = unhold(binary);
    pthread_mutex_unlock(&binaries_lock);
    if (is_last)
        destroy_binary(binary);
}

/* Lock held. */
static void forget_names(struct fat_binary *binary)
{
    while (binary->functions != NULL) {
        struct registered_function *function = binary->functions;
        binary->functions = function->next;
        ocl_range_map_erase(functions, (uintptr_t)function->host_function, 1);
        free(function);
    }
    while (binary->variables != NULL) {
        struct registered_variable *variable = binary->variables;
        binary->variables = variable->next;
        if (variable->host != NULL)
            ocl_range_map_erase(variables, (uintptr_t)variable->host, 1);
        free(variable);
    }
}

/* Called with the loader's lock held where a library is closed. Other threads, which look through the code of all libraries,
 * wait for that lock within the driver: no call of the driver is made or waited for here. */
void __cudaUnregisterFatBinary(void **fatCubinHandle)
{
    struct fat_binary *binary = (struct fat_binary *)fatCubinHandle;
    if (binary == NULL)
        return;
    int cancelled = PTHREAD_CANCEL_ENABLE;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE,
                           &cancelled); /* within the wait the lock would stay */
    facade_references_unregister(fatCubinHandle);
    pthread_mutex_lock(&binary->lock);
    binary->is_gone = true;
    while (binary->readers > 0)
        pthread_cond_wait(&binary->unread, &binary->lock);
    forget_names(binary);
    facade_handles_forget_names();
    pthread_mutex_unlock(&binary->lock);
    leave(binary);
    pthread_setcancelstate(cancelled, &(int){0});
}

/* --- using what was registered ---------------------------------------------------------------- */

/* Nobody asked for the link, and each call that needs it fails anew: stderr hears why once. */
static void tell(struct fat_binary *binary, const char *log)
{
    static const char words[] = "the device code of this program cannot be linked: %s";
    if (log == NULL)
        return;
    if (atomic_exchange(&binary->is_complained_of, true))
        ocl_log(true, words, log);
    else
        ocl_complain(words, log);
}

/* Separately compiled code (nvcc -rdc=true) is linked here, as NVIDIA's driver links its PTX. The
 * caller frees text and module. */
static cudaError_t link_parts(struct fat_binary *binary, char **text, struct ptx_module **module,
                              bool is_logged)
{
    struct facade_link link = {NULL, 0};
    cudaError_t error = cudaSuccess;
    char *log = NULL;
    for (size_t i = 0; error == cudaSuccess && binary->parts[i] != NULL; i++) {
        char name[32];
        snprintf(name, sizeof name, "source file %zu", i + 1);
        error = facade_link_add(&link, binary->parts[i], 0, name, &log);
        tell(binary, is_logged ? log : NULL);
        free(log);
        log = NULL;
    }
    if (error == cudaSuccess)
        error = facade_link_complete(&link, text, module, &log);
    tell(binary, is_logged ? log : NULL);
    free(log);
    facade_link_clear(&link);
    return error;
}

static bool has_parts(const struct fat_binary *binary)
{
    return binary->parts != NULL && binary->parts[0] != NULL;
}

/* What was parsed for the managed variables' first values is loaded once; whoever comes later parses anew. */
static void take_parsed(struct fat_binary *binary, char **text, struct ptx_module **module)
{
    pthread_mutex_lock(&binary->lock);
    *text = binary->text;
    *module = binary->module;
    binary->text = NULL;
    binary->module = NULL;
    pthread_mutex_unlock(&binary->lock);
}

/* A module whose managed variables have no places yet belongs to one context. */
static cudaError_t load_parts(struct fat_binary *binary, char **text, struct ptx_module **module)
{
    const cudaError_t error = link_parts(binary, text, module, true);
    if (binary->managed.count == 0)
        return error;
    ptx_module_free(*module);
    *module = NULL;
    return error;
}

static cudaError_t load_code(struct fat_binary *binary, cudaLibrary_t *loaded)
{
    static const struct facade_jit no_options = {NULL, NULL, 0};
    struct ptx_module *module = NULL;
    char *text = NULL;
    cudaError_t error = cudaSuccess;
    take_parsed(binary, &text, &module);
    if (text == NULL && has_parts(binary))
        error = load_parts(binary, &text, &module);
    const void *code = text != NULL ? text : binary->code;
    if (error == cudaSuccess)
        error = code != NULL ? facade_library_load(loaded, code, 0, &no_options)
                             : cudaErrorNoKernelImageForDevice;
    free(text);
    if (error != cudaSuccess) {
        ptx_module_free(module);
        return error;
    }
    ocl_made_forget(*loaded); /* it goes with the program */
    facade_library_adopt(*loaded, module);
    facade_library_share(*loaded, &binary->managed);
    return cudaSuccess;
}

/* Of code in one piece. */
static struct ptx_module *parse_code(const struct fat_binary *binary, char **log)
{
    struct facade_code code = {.text = NULL};
    struct ptx_module *module = NULL;
    struct ptx_log words = {NULL};
    if (binary->code != NULL && facade_code_copy(&code, binary->code, 0) == cudaSuccess &&
        code.is_ptx)
        (void)ptx_module_parse(code.text, code.bytes, &module, &words);
    facade_code_free(&code);
    *log = words.text;
    return module;
}

/* is_whole: all parts are there. Else more code is to come, and what goes wrong is no fault yet. */
static void begin_managed(struct fat_binary *binary, bool is_whole)
{
    struct ptx_module *module = NULL;
    char *text = NULL, *log = NULL;
    forget_parsed(binary);
    if (has_parts(binary))
        (void)link_parts(binary, &text, &module, is_whole);
    else
        module = parse_code(binary, &log);
    if (module != NULL && facade_managed_begin(&binary->managed, module)) {
        pthread_mutex_lock(&binary->lock);
        binary->module = module;
        binary->text = text;
        pthread_mutex_unlock(&binary->lock);
    } else {
        if (is_whole && (module != NULL || log != NULL))
            ocl_log(true, "managed variables have no first values: %s",
                    log != NULL ? log : "the PTX does not have them as the program does");
        ptx_module_free(module);
        free(text);
    }
    free(log);
}

/* All variables are registered. Only programs with managed variables wait for their code here. */
void __cudaRegisterFatBinaryEnd(void **fatCubinHandle)
{
    struct fat_binary *binary = (struct fat_binary *)fatCubinHandle;
    if (binary != NULL && binary->managed.count > 0)
        begin_managed(binary, true);
}

/* ---- separately compiled code of clemcc's: each unit adds its part to its program's or library's */

static bool add_part(struct fat_binary *binary, const void *code)
{
    const void **parts = realloc(binary->own_parts, (binary->part_count + 2) * sizeof *parts);
    if (parts == NULL)
        return false;
    forget_parsed(binary);
    parts[binary->part_count++] = code;
    parts[binary->part_count] = NULL;
    binary->own_parts = parts;
    binary->parts = parts;
    return true;
}

static struct fat_binary *binary_of_image(const void *image)
{
    pthread_mutex_lock(&binaries_lock);
    struct fat_binary *binary = binaries;
    while (binary != NULL && binary->image != image)
        binary = binary->next;
    pthread_mutex_unlock(&binaries_lock);
    return binary;
}

/* A unit has no function that unregisters it, so the library that it is in stays. */
void __clemRegisterLinkedBinary(void (*register_all)(void **), void *wrapper, void *id,
                                void (*unused)(void *))
{
    const struct facade_fatbin_wrapper *code = wrapper;
    Dl_info where = {.dli_fbase = NULL};
    (void)id, (void)unused;
    if (code == NULL || dladdr(wrapper, &where) == 0)
        return;
    struct fat_binary *binary = binary_of_image(where.dli_fbase);
    if (binary == NULL) {
        binary = (struct fat_binary *)__cudaRegisterFatBinary(NULL);
        if (binary == NULL)
            return;
        binary->image = where.dli_fbase;
        (void)dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    }
    if (!add_part(binary, code->code))
        return;
    register_all((void **)binary);
    if (binary->managed.count > 0)
        begin_managed(binary, false);
}

/* What lies in the library that the binary is in is there until stop_reading(), which comes soon: no driver is called. */
static bool start_reading(struct fat_binary *binary)
{
    pthread_mutex_lock(&binary->lock);
    const bool is_there = !binary->is_gone;
    if (is_there)
        binary->readers++;
    pthread_mutex_unlock(&binary->lock);
    return is_there;
}

static void stop_reading(struct fat_binary *binary)
{
    pthread_mutex_lock(&binary->lock);
    if (--binary->readers == 0)
        pthread_cond_broadcast(&binary->unread);
    pthread_mutex_unlock(&binary->lock);
}

/* Loads without the lock; when two threads come first together, one library stays. */
static cudaError_t binary_library(struct fat_binary *binary, cudaLibrary_t *library)
{
    cudaLibrary_t loaded = NULL;
    int count = 0;
    pthread_mutex_lock(&binary->lock);
    *library = binary->library;
    pthread_mutex_unlock(&binary->lock);
    if (*library != NULL)
        return cudaSuccess;
    cudaError_t error = facade_devices(&count); /* which loading asks for as well */
    if (error != cudaSuccess)
        return error;
    if (!start_reading(binary))
        return cudaErrorNoKernelImageForDevice;
    error = load_code(binary, &loaded);
    stop_reading(binary);
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

/* Lock held. A context that was reset is closed at first, and counts once more when it is opened
 * again. */
static bool has_pointers(const struct fat_binary *binary)
{
    struct facade_context *owner = facade_handle_find(FACADE_CONTEXT, binary->owner);
    return owner != NULL && atomic_load(&owner->cl) != NULL &&
           atomic_load(&owner->generation) == binary->generation;
}

/* Lock held: the memory is made, so that nothing here waits. */
static cudaError_t set_pointers(struct fat_binary *binary, struct facade_module *module)
{
    struct ocl_symbol symbol;
    for (const struct registered_variable *variable = binary->variables; variable != NULL;
         variable = variable->next) {
        if (variable->pointer == NULL)
            continue;
        cudaError_t error = facade_module_symbol(module, variable->name, &symbol);
        if (error != cudaSuccess && error != cudaErrorNotSupported)
            return error;
        *variable->pointer = (void *)(uintptr_t)symbol.address;
    }
    binary->owner = module->context;
    binary->generation = module->generation;
    return cudaSuccess;
}

/* The host's pointers to managed variables lead to the memory of the first context that needs the
 * code, and of another one when that is gone. They are NULL where there is no managed memory. */
static cudaError_t give_pointers(struct fat_binary *binary, struct facade_library *library)
{
    struct facade_module *module = NULL;
    size_t count = 0;
    if (!binary->has_managed)
        return cudaSuccess;
    pthread_mutex_lock(&binary->lock);
    bool has = has_pointers(binary);
    pthread_mutex_unlock(&binary->lock);
    if (has)
        return cudaSuccess;
    cudaError_t error = facade_library_module(library, &module);
    if (error == cudaSuccess)
        error = facade_error_from(ocl_program_symbol_count(module->program, &count), FACADE_OTHER);
    if (error != cudaSuccess)
        return error;
    pthread_mutex_lock(&binary->lock);
    if (!has_pointers(binary))
        error = set_pointers(binary, module);
    pthread_mutex_unlock(&binary->lock);
    return error;
}

static cudaError_t load_binary(struct fat_binary *binary, struct facade_library **library)
{
    cudaLibrary_t handle = NULL;
    cudaError_t error = binary_library(binary, &handle);
    if (error == cudaSuccess)
        error = facade_library_find(handle, library);
    if (error == cudaSuccess)
        error = give_pointers(binary, *library);
    return error;
}

/* Whether the pointers to the code's managed variables are given: the code that compilers insert
 * asks again before each use until they are. */
char __cudaInitModule(void **fatCubinHandle)
{
    struct facade_library *library = NULL;
    struct fat_binary *binary = (struct fat_binary *)fatCubinHandle;
    if (binary == NULL || !binary->has_managed)
        return 1;
    return load_binary(binary, &library) == cudaSuccess;
}

cudaError_t facade_registered_library(void **handle, struct facade_library **library)
{
    return handle != NULL ? load_binary((struct fat_binary *)handle, library)
                          : cudaErrorNoKernelImageForDevice;
}

static cudaError_t registered_kernel(const void *host_function, cudaKernel_t *kernel)
{
    struct facade_library *library = NULL;
    pthread_once(&once, make_tables);
    struct registered_function *function =
        functions != NULL ? ocl_range_map_find(functions, (uintptr_t)host_function) : NULL;
    if (function == NULL)
        return cudaErrorInvalidDeviceFunction;
    cudaError_t error = load_binary(function->binary, &library);
    if (error != cudaSuccess)
        return error;
    *kernel = atomic_load(&function->kernel);
    if (*kernel == NULL)
        error = facade_library_kernel(library, function->name, kernel);
    if (error == cudaSuccess)
        atomic_store_explicit(&function->kernel, *kernel, memory_order_release);
    return error;
}

static cudaError_t symbol_of(struct fat_binary *binary, const char *name, struct ocl_symbol *symbol)
{
    struct facade_library *library = NULL;
    cudaError_t error = load_binary(binary, &library);
    if (error == cudaSuccess)
        error = facade_library_symbol(library, name, symbol);
    return error == cudaErrorSymbolNotFound ? cudaErrorInvalidSymbol : error;
}

static const struct registered_variable *managed_in(struct fat_binary *binary, const void *pointer)
{
    pthread_mutex_lock(&binary->lock);
    const struct registered_variable *variable = binary->variables;
    while (variable != NULL && (variable->pointer == NULL || *variable->pointer != pointer))
        variable = variable->next;
    pthread_mutex_unlock(&binary->lock);
    return variable;
}

/* The library of what is found is the caller's to keep open. */
static const struct registered_variable *managed_at(const void *pointer)
{
    const struct registered_variable *variable = NULL;
    struct fat_binary *binary = NULL;
    while (pointer != NULL && variable == NULL && (binary = hold_next(binary)) != NULL)
        variable = binary->has_managed ? managed_in(binary, pointer) : NULL;
    if (binary != NULL)
        leave(binary);
    return variable;
}

cudaError_t facade_registered_symbol(const void *host_variable, struct ocl_symbol *symbol)
{
    pthread_once(&once, make_tables);
    const struct registered_variable *variable =
        variables != NULL ? ocl_range_map_find(variables, (uintptr_t)host_variable) : NULL;
    if (variable == NULL)
        variable = managed_at(host_variable);
    return variable != NULL ? symbol_of(variable->binary, variable->name, symbol)
                            : cudaErrorInvalidSymbol;
}

cudaError_t facade_registered_name(const char *name, struct ocl_symbol *symbol)
{
    struct fat_binary *binary = NULL;
    cudaError_t error = cudaErrorInvalidSymbol;
    while (error != cudaSuccess && (binary = hold_next(binary)) != NULL)
        error = symbol_of(binary, name, symbol);
    if (binary != NULL)
        leave(binary);
    return error == cudaSuccess ? error : cudaErrorInvalidSymbol;
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
