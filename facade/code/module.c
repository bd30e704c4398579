/* Modules: code built for one context, and its functions and variables.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/code/module.h"

#include <stdlib.h>
#include <string.h>

#include "cl/device.h"
#include "cl/pack.h"
#include "cl/trace.h"
#include "cl/transfer.h"
#include "facade/code/code.h"
#include "facade/code/texture_reference.h"
#include "facade/memory/managed_section.h"
#include "facade/state/environment.h"
#include "facade/state/runtime.h"

static void forget_modules(struct facade_context *context);
static void reap(struct facade_context *context);

static void link_module(struct facade_module *module)
{
    struct facade_context *context = module->context;
    pthread_mutex_lock(&context->lock);
    module->next = context->modules;
    if (module->next != NULL)
        module->next->previous = module;
    context->modules = module;
    atomic_store(&context->forget[FACADE_PART_MODULES], forget_modules);
    atomic_store(&context->reap, reap);
    pthread_mutex_unlock(&context->lock);
}

/* The context's lock is held. */
static void unlink_locked(struct facade_module *module)
{
    struct facade_context *context = module->context;
    if (module->previous != NULL)
        module->previous->next = module->next;
    else if (context->modules == module)
        context->modules = module->next;
    if (module->next != NULL)
        module->next->previous = module->previous;
    module->previous = module->next = NULL;
}

static void unlink_module(struct facade_module *module)
{
    pthread_mutex_lock(&module->context->lock);
    unlink_locked(module);
    pthread_mutex_unlock(&module->context->lock);
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
    ocl_pack_release(module->pack);
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

/* What a kernel's first launch would find out, as far as it is the same for all launches: PTX is translated. */
static void prepare_all(const struct facade_module *module)
{
    for (size_t i = 0; i < module->function_count; i++)
        (void)ocl_kernel_facts(module->functions[i]->kernel);
}

/* The error comes late and says little: of code that is loaded without a buffer for the log, stderr hears it. */
static void tell(const struct facade_jit *jit, const char *device, const char *log)
{
    if (log != NULL && *log != '\0' && !facade_jit_wants_log(jit) && !ocl_trace_on())
        ocl_notice("a program does not build on %s:\n%s", device, log);
}

static cudaError_t refuse(const struct facade_code *code, const struct facade_jit *jit,
                          const char *device)
{
    ocl_log(true, "%s", code->why);
    facade_jit_give_logs(jit, true, code->why);
    tell(jit, device, code->why);
    return code->refusal;
}

/* CUDA has a word of its own for PTX that does not compile. */
static cudaError_t build_error(const struct facade_code *code, ocl_status status)
{
    return status == OCL_E_BUILD && code->is_ptx ? cudaErrorInvalidPtx
                                                 : facade_error_from(status, FACADE_BUILD);
}

static cudaError_t build_in(struct facade_context *context, struct ocl_context *cl,
                            const struct facade_code *code,
                            const struct ocl_managed_variables *managed,
                            const struct facade_jit *jit, struct facade_module **built)
{
    char *log = NULL;
    const char *device = ocl_device_facts(context->device)->name;
    reap(context); /* so that code which comes and goes does not add up */
    struct facade_module *module = facade_handle_new(FACADE_MODULE, sizeof *module);
    if (module == NULL)
        return cudaErrorMemoryAllocation;
    module->context = context;
    module->pack = ocl_pack_hold(code->pack);
    module->generation = atomic_load(&context->generation);
    ocl_transfer_prepare(cl); /* no kernel of the program's runs yet */
    ocl_status status =
        code->module != NULL
            ? ocl_program_build_parsed(cl, code->module, &module->program, &log)
            : ocl_program_build(cl, code->text, code->bytes, "", &module->program, &log);
    facade_jit_give_logs(jit, status != OCL_OK, log);
    if (status != OCL_OK)
        tell(jit, device, log);
    free(log);
    facade_managed_adopt(cl);
    if (status == OCL_OK && managed != NULL)
        status = ocl_program_share_variables(module->program, managed);
    if (status != OCL_OK || !make_functions(module)) {
        destroy_module(module);
        return status != OCL_OK ? build_error(code, status) : cudaErrorMemoryAllocation;
    }
    link_module(module);
    if (facade_environment()->loads_eagerly)
        prepare_all(module);
    *built = module;
    return cudaSuccess;
}

cudaError_t facade_module_build(struct facade_context *context, const struct facade_code *code,
                                const struct ocl_managed_variables *managed,
                                const struct facade_jit *jit, struct facade_module **built)
{
    if (code->refusal != cudaSuccess)
        return refuse(code, jit, ocl_device_facts(context->device)->name);
    if (!facade_context_enter(context, FACADE_CONTEXT, context))
        return cudaErrorContextIsDestroyed;
    struct ocl_context *cl = atomic_load(&context->cl);
    const cudaError_t error =
        cl != NULL ? build_in(context, cl, code, managed, jit, built) : cudaErrorContextIsDestroyed;
    facade_context_leave(context);
    return error;
}

cudaError_t facade_module_load(struct facade_module **module, const void *data, size_t bytes,
                               const struct facade_jit *jit)
{
    struct facade_context *context = NULL;
    struct facade_code code;
    if (module == NULL || data == NULL || !facade_jit_is_valid(jit))
        return cudaErrorInvalidValue;
    cudaError_t error = facade_current(&context);
    if (error != cudaSuccess)
        return error;
    const uint64_t start = facade_jit_now();
    error = facade_code_copy(&code, data, bytes);
    if (error == cudaSuccess)
        error = facade_module_build(context, &code, NULL, jit, module);
    facade_jit_give_time(jit, facade_jit_now() - start);
    facade_code_free(&code);
    return error;
}

cudaError_t facade_module_load_file(struct facade_module **module, const char *path,
                                    const struct facade_jit *jit)
{
    char *text = NULL;
    size_t bytes = 0;
    if (module == NULL || path == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_code_read_file(path, &text, &bytes);
    if (error == cudaSuccess)
        error = facade_module_load(module, text, bytes, jit);
    free(text);
    return error;
}

void facade_module_discard(struct facade_module *module)
{
    unlink_module(module);
    destroy_module(module);
}

cudaError_t facade_module_unload(struct facade_module *module)
{
    (void)ocl_context_finish(
        atomic_load(&module->context->cl)); /* calls that ask tell whether work failed */
    facade_module_discard(module);
    return cudaSuccess;
}

void facade_module_retire(struct facade_module *module)
{
    struct facade_context *context = module->context;
    pthread_mutex_lock(&context->lock);
    module->is_retired = true;
    atomic_fetch_add(&context->retired_modules, 1);
    pthread_mutex_unlock(&context->lock);
}

/* They are the caller's, linked by next. */
static struct facade_module *take_retired(struct facade_context *context)
{
    struct facade_module *taken = NULL;
    pthread_mutex_lock(&context->lock);
    for (struct facade_module *module = context->modules, *next; module != NULL; module = next) {
        next = module->next;
        if (!module->is_retired)
            continue;
        unlink_locked(module);
        module->next = taken;
        taken = module;
        atomic_fetch_sub(&context->retired_modules, 1);
    }
    pthread_mutex_unlock(&context->lock);
    return taken;
}

/* What was retired later may be running still when the context is asked. */
static void reap(struct facade_context *context)
{
    struct ocl_context *cl = atomic_load(&context->cl);
    if (cl == NULL || atomic_load(&context->retired_modules) == 0)
        return;
    struct facade_module *module = take_retired(context);
    const bool is_idle = ocl_context_query(cl) == OCL_OK;
    while (module != NULL) {
        struct facade_module *next = module->next;
        if (is_idle) {
            destroy_module(module);
        } else {
            link_module(module);
            facade_module_retire(module);
        }
        module = next;
    }
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
        return facade_error_from(status, FACADE_OTHER);
    return ocl_program_find_kernel(module->program, name) != NULL ? cudaErrorInvalidValue
                                                                  : cudaErrorSymbolNotFound;
}

static void forget_modules(struct facade_context *context)
{
    pthread_mutex_lock(&context->lock);
    struct facade_module *module = context->modules;
    context->modules = NULL;
    atomic_store(&context->retired_modules, 0);
    pthread_mutex_unlock(&context->lock);
    while (module != NULL) {
        struct facade_module *next = module->next;
        facade_library_detach(module);
        destroy_module(module);
        module = next;
    }
}
