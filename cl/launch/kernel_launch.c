/* Facts about kernels, and launching them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/program/kernel.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cl/block/block.h"
#include "cl/launch/kernel_argument.h"
#include "cl/launch/kernel_limits.h"
#include "cl/launch/kernel_plan.h"
#include "cl/launch/kernel_twin.h"
#include "cl/managed.h"
#include "cl/program/kernel_parts.h"
#include "cl/queue/command.h"
#include "cl/queue/queue_private.h"
#include "cl/thread.h"
#include "cl/trace.h"

const char *ocl_kernel_name(const struct ocl_kernel *kernel)
{
    return kernel->name;
}

/* Facts that could not be found this time belong to the thread: another may be finding them
 * meanwhile. */
static const struct ocl_kernel_facts *no_facts(const struct ocl_kernel *kernel, ocl_status status)
{
    struct ocl_kernel_facts *none = &ocl_thread()->no_facts;
    *none = (struct ocl_kernel_facts){.name = kernel->name,
                                      .status = status,
                                      .is_unknown = true,
                                      .reason = "the driver failed when it was asked about it"};
    return none;
}

const struct ocl_kernel_facts *ocl_kernel_facts(struct ocl_kernel *kernel)
{
    const ocl_status status = ocl_kernel_ready(kernel);
    return status == OCL_OK ? &kernel->facts : no_facts(kernel, status);
}

const struct ocl_parameter *ocl_kernel_parameter(struct ocl_kernel *kernel, size_t index)
{
    const ocl_status status = ocl_kernel_ready(kernel);
    assert(status == OCL_OK && index < kernel->facts.parameter_count);
    (void)status;
    return &kernel->parameters[index];
}

static bool has_arguments(const struct ocl_kernel *kernel, const struct ocl_launch *launch)
{
    const size_t count = kernel->facts.entry_count;
    if (count > 0 && !launch->arguments)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!launch->arguments[i])
            return false;
    return true;
}

/* In order, as CUDA begins its blocks. */
static cl_int enqueue_pieces(struct ocl_command *command, cl_kernel kernel,
                             const struct ocl_plan *plan)
{
    cl_int error = CL_SUCCESS;
    size_t at[3];
    for (at[2] = 0; at[2] < plan->global[2]; at[2] += plan->piece[2])
        for (at[1] = 0; at[1] < plan->global[1]; at[1] += plan->piece[1])
            for (at[0] = 0; at[0] < plan->global[0] && error == CL_SUCCESS;
                 at[0] += plan->piece[0]) {
                size_t items[3];
                for (int d = 0; d < 3; d++)
                    items[d] = plan->global[d] - at[d] < plan->piece[d] ? plan->global[d] - at[d]
                                                                        : plan->piece[d];
                error = ocl_enqueue_range(command, kernel, plan->dimensions, at, items, plan->local,
                                          NULL);
            }
    return error;
}

static bool is_whole(const struct ocl_plan *plan)
{
    return memcmp(plan->piece, plan->global, sizeof plan->piece) == 0;
}

static ocl_status enqueue(struct ocl_queue *queue, cl_kernel kernel, const struct ocl_plan *plan)
{
    struct ocl_command command;
    const ocl_status status = ocl_command_begin(&command, queue, OCL_COMMAND_MEMORY);
    if (status != OCL_OK)
        return status;
    const cl_int error = is_whole(plan) ? ocl_enqueue_range(&command, kernel, plan->dimensions,
                                                            NULL, plan->global, plan->local, NULL)
                                        : enqueue_pieces(&command, kernel, plan);
    ocl_command_end(&command);
    switch (error) {
    case CL_INVALID_WORK_GROUP_SIZE:
    case CL_INVALID_WORK_ITEM_SIZE:
    case CL_INVALID_GLOBAL_WORK_SIZE:
        return OCL_E_LAUNCH_SIZE;
    default:
        return error;
    }
}

static ocl_status enqueue_with_twins(const struct ocl_call *call, struct ocl_queue *queue,
                                     cl_kernel kernel)
{
    ocl_status status = ocl_twins_begin(call, queue);
    if (status != OCL_OK)
        return status;
    status = enqueue(queue, kernel, call->plan);
    const ocl_status ended = ocl_twins_end(call, queue, status == OCL_OK);
    return status == OCL_OK ? ended : status;
}

static bool has_blocks(struct ocl_context *context)
{
    pthread_mutex_lock(&context->block_lock);
    const bool has = context->blocks != NULL;
    pthread_mutex_unlock(&context->block_lock);
    return has;
}

/* Tells the driver that the kernel may follow pointers that are not its arguments: once, and
 * again when blocks came or went. A cl_kernel that had blocks declared cannot be told "none": it
 * starts anew. */
static ocl_status declare_indirect(struct ocl_context *context, struct ocl_form *form,
                                   struct ocl_instance *instance)
{
    if (context->capability.indirect_info == 0)
        return OCL_OK;
    const uint64_t now = atomic_load_explicit(&context->memory_generation, memory_order_acquire);
    if (instance->is_declared && instance->generation == now)
        return OCL_OK;
    ocl_status status = OCL_OK;
    if (instance->is_declared && !has_blocks(context))
        status = ocl_instance_renew(form, instance);
    if (status == OCL_OK)
        status = ocl_block_declare_indirect(context, instance->cl);
    instance->is_declared = status == OCL_OK;
    instance->generation = now;
    return status;
}

static ocl_status launch_form(const struct ocl_call *call, enum ocl_form_kind kind,
                              struct ocl_queue *queue)
{
    struct ocl_kernel *kernel = call->kernel;
    struct ocl_form *form;
    struct ocl_instance *instance;
    ocl_status status = ocl_form_get(kernel, kind, &form);
    if (status == OCL_OK)
        status = ocl_form_take(kernel, form, &instance);
    if (status != OCL_OK)
        return status;
    const unsigned turn = ocl_blocks_hold(kernel->program->context);
    status = declare_indirect(kernel->program->context, form, instance);
    if (status == OCL_OK)
        status = ocl_arguments_set(call, form, instance);
    if (status == OCL_OK)
        status = enqueue_with_twins(call, queue, instance->cl);
    ocl_blocks_let_go(kernel->program->context, turn);
    ocl_form_give(kernel, form, instance);
    return status;
}

/* One byte is what NVIDIA's driver (580) takes for itself in every kernel. */
static bool declares_local(const struct ocl_kernel *kernel)
{
    return kernel->declared_local > 1;
}

/* NVIDIA's driver refuses a launch when an argument points into no buffer (one past the end of
 * one, for example). CUDA does not, and neither does a wrapper that gets the address as a
 * number. */
static ocl_status launch_with_addresses(const struct ocl_call *call, struct ocl_queue *queue)
{
    struct ocl_kernel *kernel = call->kernel;
    const enum ocl_form_kind kind = ocl_call_has_null(call) ? OCL_FORM_NULLS : OCL_FORM_DIRECT;
    bool needs_numbers = atomic_load_explicit(&kernel->refuses_unknown, memory_order_relaxed) &&
                         ocl_call_has_unknown(call);
    if (!needs_numbers) {
        const ocl_status status = launch_form(call, kind, queue);
        needs_numbers = (status == CL_INVALID_KERNEL_ARGS || status == CL_INVALID_ARG_VALUE) &&
                        kernel->program->text && !declares_local(kernel) &&
                        ocl_call_has_unknown(call);
        if (!needs_numbers)
            return status;
        atomic_store_explicit(&kernel->refuses_unknown, true, memory_order_relaxed);
    }
    return launch_form(call, OCL_FORM_NUMBERS, queue);
}

static bool has_pointers(const struct ocl_kernel *kernel)
{
    for (size_t i = 0; i < kernel->argument_count; i++)
        if (ocl_argument_is_pointer(&kernel->arguments[i]))
            return true;
    return false;
}

/* Which form takes the pointers of this launch. Kernels with __local variables may be called
 * from kernels only where the implementation says so (OpenCL C 1.2, 6.9, "restrictions";
 * Oclgrind mixes their variables up), so they get sub-buffers or nothing. */
static ocl_status choose_form(const struct ocl_call *call, enum ocl_form_kind *kind)
{
    const struct ocl_kernel *kernel = call->kernel;
    const struct ocl_context *context = kernel->program->context;
    const bool is_wrappable = has_pointers(kernel) && !declares_local(kernel);
    const bool by_number = is_wrappable && context->capability.pass == OCL_PASS_NUMBER;
    enum ocl_fit fit;
    const ocl_status status = ocl_targets_find(call, by_number, &fit);
    if (status != OCL_OK)
        return status;
    if (fit == OCL_FIT_NONE && !is_wrappable) {
        ocl_log(true,
                "kernel %s declares __local variables, and an argument points to where the device "
                "cannot begin a sub-buffer (multiples of %u bytes)",
                kernel->name, context->device->facts.base_align_bytes);
        return OCL_E_NEEDS_ADDRESS;
    }
    if (by_number)
        *kind = OCL_FORM_NUMBERS;
    else
        *kind = fit == OCL_FIT_WHOLE || !is_wrappable ? OCL_FORM_DIRECT : OCL_FORM_OFFSETS;
    return OCL_OK;
}

static ocl_status launch_targets(const struct ocl_call *call, struct ocl_queue *queue)
{
    enum ocl_form_kind kind;
    ocl_status status = choose_form(call, &kind);
    if (status == OCL_OK)
        status = ocl_targets_divide(call, kind != OCL_FORM_DIRECT);
    return status == OCL_OK ? launch_form(call, kind, queue) : status;
}

enum { TARGETS_ON_STACK = 32 };

static ocl_status launch_with_buffers(struct ocl_call *call, struct ocl_queue *queue)
{
    const size_t count = call->kernel->argument_count;
    struct ocl_target few[TARGETS_ON_STACK];
    struct ocl_target *targets = count > TARGETS_ON_STACK ? malloc(count * sizeof *targets) : few;
    if (!targets)
        return OCL_E_OUT_OF_MEMORY;
    memset(targets, 0, count * sizeof *targets);
    call->targets = targets;
    const ocl_status status = launch_targets(call, queue);
    ocl_targets_release(call);
    call->targets = NULL;
    if (targets != few)
        free(targets);
    return status;
}

static ocl_status launch_bound(struct ocl_kernel *kernel, struct ocl_queue *queue,
                               const struct ocl_launch *launch, const struct ocl_plan *plan,
                               const struct ocl_bound *bound)
{
    struct ocl_call call = {.kernel = kernel, .launch = launch, .plan = plan, .bound = bound};
    const enum ocl_pass pass = kernel->program->context->capability.pass;
    ocl_status status = kernel->ptx ? ocl_parts_of(kernel)->ptx_begin(&call) : OCL_OK;
    if (status == OCL_OK)
        status = pass == OCL_PASS_BUFFER || pass == OCL_PASS_NUMBER
                     ? launch_with_buffers(&call, queue)
                     : launch_with_addresses(&call, queue);
    if (status == OCL_OK && kernel->ptx && kernel->ptx->writes_table)
        status = ocl_parts_of(kernel)->table_written(queue);
    if (kernel->ptx)
        ocl_parts_of(kernel)->ptx_end(&call);
    return status;
}

/* The variant that the textures ask for is another translation, with a plan of its own. */
static ocl_status launch_with_textures(struct ocl_kernel *kernel, struct ocl_queue *queue,
                                       const struct ocl_launch *launch, struct ocl_plan *plan)
{
    const struct ocl_kernel_parts *parts = ocl_parts_of(kernel);
    struct ocl_binding binding;
    ocl_status status = parts->binding_open(&binding, kernel, queue, launch);
    if (status == OCL_OK && binding.kernel != kernel)
        status = ocl_plan_make(&binding.kernel, launch, plan);
    if (status == OCL_OK)
        status = launch_bound(binding.kernel, queue, launch, plan, binding.bound);
    if (status == OCL_OK)
        status = parts->binding_written(&binding, queue);
    parts->binding_close(&binding);
    return status;
}

/* With several drivers in the process, an address of one means nothing to another, or something else. And a launch sends only
 * the pages of its own context: another's would hold what they held before. */
static bool reaches_arguments(struct ocl_kernel *kernel, const struct ocl_launch *launch)
{
    size_t entry = 0;
    const struct ocl_context *context = kernel->program->context;
    const struct ocl_device *own = context->device, *stranger = NULL;
    if (!ocl_devices_share_platform() || ocl_managed_moves_elsewhere(context))
        stranger = ocl_launch_stranger(kernel, launch, &entry);
    if (stranger)
        ocl_kernel_complain(
            kernel, "argument %zu is memory of %s (%s), and it would run on %s (%s): %s", entry,
            stranger->facts.name, stranger->facts.platform_name, own->facts.name,
            own->facts.platform_name,
            stranger->platform != own->platform
                ? "devices of two platforms do not reach each other's memory"
                : "managed memory whose pages move is for kernels of its own device and context");
    return stranger == NULL;
}

static ocl_status launch_ready(struct ocl_kernel *kernel, struct ocl_queue *queue,
                               const struct ocl_launch *launch, struct ocl_plan *plan)
{
    ocl_status status = OCL_OK;
    if (!has_arguments(kernel, launch))
        return OCL_E_INVALID_VALUE;
    if (!reaches_arguments(kernel, launch))
        return OCL_E_NOT_SUPPORTED;
    if (kernel->symbol_kinds != 0)
        status = ocl_parts_of(kernel)->symbols_ready(ocl_program_origin(kernel->program),
                                                     kernel->symbol_kinds);
    if (status != OCL_OK)
        return status;
    return kernel->group_count > 0 ? launch_with_textures(kernel, queue, launch, plan)
                                   : launch_bound(kernel, queue, launch, plan, NULL);
}

/* The launch with one translation of the kernel: the one that its plan chose. A kernel that is none of PTX has one. */
struct attempt {
    struct ocl_kernel *variant;
    bool is_planned; /* and given to the driver; otherwise the status says why there is no plan */
    ocl_status status;
};

static struct attempt attempt_launch(struct ocl_kernel *kernel, struct ocl_queue *queue,
                                     const struct ocl_launch *launch)
{
    struct ocl_plan plan;
    struct attempt attempt = {.variant = kernel};
    attempt.status = ocl_plan_make(&attempt.variant, launch, &plan);
    attempt.is_planned = attempt.status == OCL_OK;
    if (attempt.is_planned)
        attempt.status = launch_ready(attempt.variant, queue, launch, &plan);
    return attempt;
}

/* Whether the driver refused it as drivers refuse a work-group whose registers, or whose local memory, do not fit, and
 * there are translations that need less. */
static bool is_too_large(const struct attempt *attempt)
{
    const struct ocl_ptx_kernel *ptx = attempt->variant->ptx;
    return (attempt->status == OCL_E_LAUNCH_SIZE || attempt->status == CL_OUT_OF_RESOURCES) &&
           attempt->is_planned && ptx && ptx->form == PTX_FORM_ITEM && ptx->shape[0] == 0;
}

/* Compiled for the launch's shape alone, a translation may fit. NULL: it cannot be had. */
static struct ocl_kernel *shaped_for(const struct ocl_launch *launch, struct ocl_kernel *variant)
{
    struct ocl_kernel *shaped = NULL;
    ocl_status status = ocl_parts_of(variant)->ptx_shaped(variant, launch->items, &shaped);
    if (status == OCL_OK)
        status = ocl_kernel_ready(shaped);
    return status == OCL_OK && shaped->facts.status == OCL_OK ? shaped : NULL;
}

/* What to launch after an attempt that was too large: the kernel anew where its next plan lets it spill, otherwise a variant
 * for this shape, which is the last resort (is_too_large() is false of it); NULL: nothing. */
static struct ocl_kernel *smaller_than(const struct attempt *attempt, struct ocl_kernel *kernel,
                                       const struct ocl_launch *launch)
{
    return ocl_plan_spills_next(attempt->variant, launch) ? kernel
                                                          : shaped_for(launch, attempt->variant);
}

/* OCL_OK, or why nothing of this kernel runs on the device. */
static ocl_status check_usable(struct ocl_kernel *kernel)
{
    const ocl_status status = ocl_kernel_ready(kernel);
    if (status != OCL_OK)
        return status;
    if (kernel->facts.status != OCL_OK)
        ocl_kernel_complain(kernel, "%s", kernel->facts.reason);
    return kernel->facts.status;
}

ocl_status ocl_kernel_launch(struct ocl_kernel *kernel, struct ocl_queue *queue,
                             const struct ocl_launch *launch)
{
    assert(queue->context == kernel->program->context);
    const ocl_status status = check_usable(kernel);
    if (status != OCL_OK)
        return status;
    struct attempt attempt = attempt_launch(kernel, queue, launch);
    while (is_too_large(&attempt)) {
        kernel = smaller_than(&attempt, kernel, launch);
        if (!kernel)
            return ocl_kernel_explain(attempt.variant, launch, attempt.status);
        attempt = attempt_launch(kernel, queue, launch);
    }
    return ocl_kernel_explain(kernel, launch, attempt.status);
}
