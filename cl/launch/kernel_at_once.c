/* How many thread blocks of a kernel are at work at once, by trial.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "cl/base/options.h"
#include "cl/program/kernel_parts.h"
#include "cl/program/translation.h"
#include "cl/queue/queue_alone.h"
#include "cl/trace.h"

/* More than any device has at work on a compute unit, and each more costs a trial little. */
enum { TRIED_PER_UNIT = 64, MOST_TRIALS = 4 };

/* Lock held. */
static struct ocl_at_once *find_kept(const struct ocl_kernel *kernel, size_t items,
                                     size_t local_bytes)
{
    struct ocl_at_once *kept = kernel->ptx->at_once;
    while (kept && (kept->items != items || kept->local_bytes != local_bytes))
        kept = kept->next;
    return kept;
}

static bool is_kept(struct ocl_kernel *kernel, size_t items, size_t local_bytes, size_t *groups)
{
    pthread_mutex_lock(&kernel->program->lock);
    const struct ocl_at_once *kept = find_kept(kernel, items, local_bytes);
    if (kept)
        *groups = kept->groups;
    pthread_mutex_unlock(&kernel->program->lock);
    return kept != NULL;
}

/* Of several threads that measured, the first is right. */
static ocl_status keep(struct ocl_kernel *kernel, size_t items, size_t local_bytes, size_t *groups)
{
    struct ocl_at_once *made = calloc(1, sizeof *made);
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    made->items = items;
    made->local_bytes = local_bytes;
    made->groups = *groups;
    pthread_mutex_lock(&kernel->program->lock);
    const struct ocl_at_once *kept = find_kept(kernel, items, local_bytes);
    if (!kept) {
        made->next = kernel->ptx->at_once;
        kept = kernel->ptx->at_once = made;
        made = NULL;
    }
    *groups = kept->groups;
    pthread_mutex_unlock(&kernel->program->lock);
    free(made);
    return OCL_OK;
}

/* None of the kernel's own code runs, so that its arguments are zeros. */
static ocl_status launch_to_count(struct ocl_kernel *kernel, struct ocl_launch *launch,
                                  enum ocl_queue_kind kind)
{
    const struct ocl_kernel_facts *facts = ocl_kernel_facts(kernel);
    void **arguments = calloc(facts->entry_count + 1, sizeof *arguments);
    char *zeros = calloc(facts->argument_bytes + 1, 1);
    struct ocl_queue *queue = NULL;
    ocl_status status = arguments && zeros
                            ? ocl_queue_create(kernel->program->context, kind, 0, &queue)
                            : OCL_E_OUT_OF_MEMORY;
    if (status == OCL_OK) {
        for (size_t i = 0; i < facts->entry_count; i++)
            arguments[i] = zeros;
        launch->arguments = arguments;
        status = ocl_kernel_launch(kernel, queue, launch);
        ocl_queue_destroy(queue);
    }
    free(zeros);
    free(arguments);
    return status;
}

/* Blocks that others kept from coming in time are missed, and none is counted that was not there: until two trials agree. */
static ocl_status count_most(struct ocl_kernel *kernel, struct ocl_launch *launch,
                             enum ocl_queue_kind kind, size_t *groups)
{
    bool is_sure = false;
    ocl_status status = OCL_OK;
    *groups = 0;
    for (int i = 0; status == OCL_OK && !is_sure && i < MOST_TRIALS; i++) {
        status = launch_to_count(kernel, launch, kind);
        is_sure = launch->gathered->groups == *groups;
        if (launch->gathered->groups > *groups)
            *groups = launch->gathered->groups;
    }
    return status;
}

/* As many threads are as many whatever their shape; some kernels take one shape alone. */
static ocl_status count(struct ocl_kernel *kernel, size_t items, size_t local_bytes, size_t *groups)
{
    const struct ocl_device_facts *device = &kernel->program->context->device->facts;
    struct ocl_gathered gathered = {.counts = true};
    struct ocl_launch launch = {.groups = {(size_t)device->compute_units * TRIED_PER_UNIT, 1, 1},
                                .local_bytes = local_bytes,
                                .is_cooperative = true,
                                .gathered = &gathered};
    const size_t *required = ocl_kernel_facts(kernel)->required_work_group;
    const size_t line[3] = {items, 1, 1};
    memcpy(launch.items, required[0] > 0 ? required : line, sizeof launch.items);
    const enum ocl_queue_kind kind = ocl_alone_kind(kernel->program->context);
    ocl_status status = count_most(kernel, &launch, kind, groups);
    if (status == OCL_OK && kind != OCL_QUEUE_APART) /* which may have missed some */
        status = keep(kernel, items, local_bytes, groups);
    ocl_trace("kernel %s: %zu blocks of %zu threads with %zu bytes of dynamic shared memory are at "
              "work at once (%s)",
              kernel->name, *groups, items, local_bytes, ocl_status_name(status));
    return status;
}

/* Textures would have to be there for a trial. */
static bool has_textures(struct ocl_kernel *kernel)
{
    if (kernel->bundle_count == 0)
        return false;
    ocl_kernel_complain(kernel, "how many of its blocks are at work at once on this device is not "
                                "measured of kernels with textures as parameters");
    return true;
}

ocl_status ocl_kernel_at_once(struct ocl_kernel *kernel, size_t items, size_t local_bytes,
                              size_t *groups)
{
    const char *forced = ocl_options_get()->at_once;
    const struct ocl_kernel_facts *facts = ocl_kernel_facts(kernel);
    if (facts->status != OCL_OK)
        return facts->status;
    if (has_textures(kernel))
        return OCL_E_NOT_SUPPORTED;
    if (forced) {
        *groups = strtoul(forced, NULL, 10);
        return OCL_OK;
    }
    return is_kept(kernel, items, local_bytes, groups) ? OCL_OK
                                                       : count(kernel, items, local_bytes, groups);
}

bool ocl_kernel_gathers(const struct ocl_kernel *kernel)
{
    return kernel->program->context->gathers && kernel->ptx;
}

bool ocl_kernel_is_measured(struct ocl_kernel *kernel)
{
    if (!ocl_kernel_gathers(kernel))
        return false;
    const struct ocl_program *origin = ocl_program_origin(kernel->program);
    if (ptx_module_entry(origin->ptx->module, kernel->ptx->index)->uses_workspace)
        return true;
    pthread_mutex_lock(&kernel->program->lock);
    const bool is_measured = kernel->ptx->at_once != NULL;
    pthread_mutex_unlock(&kernel->program->lock);
    return is_measured;
}
