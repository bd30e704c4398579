/* clem's own kernels, built per context when first needed.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/program/builtin.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cl/base/steady.h"
#include "cl/program/kernel.h"
#include "cl/trace.h"
#include "kernels/kernels.h"

/* A file of kernels in one context. */
struct builtin {
    const struct kernel_source *source;
    struct ocl_program *program; /* NULL: not built */
    bool is_building;
};

struct ocl_builtins {
    size_t count;
    struct builtin files[];
};

/* One lock for all contexts: it is held for moments, and building happens without it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t built = PTHREAD_COND_INITIALIZER;

static struct ocl_builtins *make_builtins(void)
{
    size_t count = 0;

    while (kernel_sources[count].name)
        count++;
    struct ocl_builtins *made = calloc(1, sizeof *made + count * sizeof made->files[0]);
    if (!made)
        return NULL;
    made->count = count;
    for (size_t i = 0; i < count; i++)
        made->files[i].source = &kernel_sources[i];
    return made;
}

/* Lock held. */
static ocl_status find_file(struct ocl_context *context, const char *file, struct builtin **builtin)
{
    if (!context->builtins)
        context->builtins = make_builtins();
    if (!context->builtins)
        return OCL_E_OUT_OF_MEMORY;
    for (size_t i = 0; i < context->builtins->count; i++) {
        *builtin = &context->builtins->files[i];
        if (strcmp((*builtin)->source->name, file) == 0)
            return OCL_OK;
    }
    return OCL_E_NOT_FOUND;
}

/* The kernels for CPUs use what only their compilers are asked for. Numbers are addresses where kernels follow those of
 * plain buffers that are no arguments. */
static const char *options_for(const struct ocl_context *context)
{
    static const char *const options[2][2] = {
        {"-cl-std=CL1.2", "-cl-std=CL1.2 -D CLEM_ADDRESSES_ARE_NUMBERS"},
        {"-cl-std=CL1.2 -D CLEM_DEVICE_IS_CPU",
         "-cl-std=CL1.2 -D CLEM_DEVICE_IS_CPU -D CLEM_ADDRESSES_ARE_NUMBERS"},
    };
    const bool is_cpu = context->device->facts.device_class == OCL_CLASS_CPU;
    const bool is_raw = context->capability.address == OCL_ADDRESS_RAW;

    return options[is_cpu][is_raw];
}

static ocl_status build(struct ocl_context *context, const struct kernel_source *source,
                        struct ocl_program **program)
{
    char *log = NULL;
    const ocl_status status = ocl_program_build_builtin(context, source->text, source->bytes,
                                                        options_for(context), program, &log);

    if (status != OCL_OK)
        ocl_log(true, "%s: kernels/%s.cl: %s: %s", context->device->facts.name, source->name,
                ocl_status_name(status), log ? log : "");
    free(log);
    return status;
}

/* Called and returns with the lock held, which is open while this thread builds or waits for the
 * one that does. A failure is not kept: the next request tries again. */
static ocl_status make_built(struct ocl_context *context, struct builtin *builtin)
{
    struct ocl_program *program = NULL;

    while (builtin->is_building)
        ocl_steady_wait(&built, &lock);
    if (builtin->program)
        return OCL_OK;
    builtin->is_building = true;
    pthread_mutex_unlock(&lock);
    const ocl_status status = build(context, builtin->source, &program);
    pthread_mutex_lock(&lock);
    builtin->is_building = false;
    if (status == OCL_OK)
        builtin->program = program;
    pthread_cond_broadcast(&built);
    return status;
}

ocl_status ocl_builtin_program(struct ocl_context *context, const char *file,
                               struct ocl_program **program)
{
    struct builtin *builtin = NULL;

    pthread_mutex_lock(&lock);
    ocl_status status = find_file(context, file, &builtin);
    if (status == OCL_OK && !builtin->program)
        status = make_built(context, builtin);
    *program = status == OCL_OK ? builtin->program : NULL;
    pthread_mutex_unlock(&lock);
    return status;
}

ocl_status ocl_builtin_kernel(struct ocl_context *context, const char *file, const char *name,
                              struct ocl_kernel **kernel)
{
    struct ocl_program *program = NULL;
    const ocl_status status = ocl_builtin_program(context, file, &program);

    if (status != OCL_OK)
        return status;
    *kernel = ocl_program_find_kernel(program, name);
    return *kernel ? OCL_OK : OCL_E_NOT_FOUND;
}

void ocl_builtin_release(struct ocl_context *context)
{
    struct ocl_builtins *builtins = context->builtins;

    context->builtins = NULL;
    for (size_t i = 0; builtins && i < builtins->count; i++) {
        assert(!builtins->files[i].is_building);
        if (builtins->files[i].program)
            ocl_program_release(builtins->files[i].program);
    }
    free(builtins);
}
