/* Facts about kernels, and launching them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/program/kernel.h"

#include <assert.h>
#include <stdatomic.h>
#include <time.h>

#include "cl/base/steady.h"
#include "cl/check.h"
#include "cl/check/guard.h"
#include "cl/launch/kernel_binding.h"
#include "cl/launch/kernel_checked.h"
#include "cl/launch/kernel_limits.h"
#include "cl/launch/kernel_plan.h"
#include "cl/launch/kernel_pointer.h"
#include "cl/memory/uses.h"
#include "cl/process.h"
#include "cl/program/kernel_parts.h"
#include "cl/program/translation.h"
#include "cl/queue/queue_private.h"
#include "cl/thread.h"

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

void ocl_kernel_expect(const struct ocl_kernel *kernel, const size_t groups[3],
                       const size_t items[3])
{
    if (kernel->ptx && !atomic_load_explicit(&kernel->ptx->expected_shape, memory_order_relaxed))
        atomic_store_explicit(
            &kernel->ptx->expected_shape,
            ocl_shape_pack(&kernel->program->context->device->facts, groups, items),
            memory_order_relaxed);
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

static ocl_status launch_bound(struct ocl_kernel *kernel, struct ocl_queue *queue,
                               const struct ocl_launch *launch, const struct ocl_plan *plan,
                               const struct ocl_bound *bound)
{
    struct ocl_call call = {
        .kernel = kernel, .queue = queue, .launch = launch, .plan = plan, .bound = bound};
    ocl_status status = kernel->ptx ? ocl_parts_of(kernel)->ptx_begin(&call) : OCL_OK;
    bool is_on_its_way = false;
    if (status == OCL_OK) {
        if (ocl_guard_is_on())
            ocl_guard_note_launch(kernel->name);
        if (ocl_check_wants(OCL_CHECK_KERNELS) && !call.memory.check &&
            !kernel->program->is_builtin)
            ocl_kernel_note_unchecked(kernel);
        status = ocl_call_launch(&call, queue);
        is_on_its_way = status == OCL_OK;
        if (is_on_its_way && ocl_uses_are_wanted() && !kernel->program->is_builtin)
            ocl_kernel_note_uses(kernel, launch, queue);
        call.memory.is_spoiled = status != OCL_OK;
    }
    if (status == OCL_OK) { /* its work-items let go of them */
        call.memory.native = NULL;
        call.memory.check = NULL;
    }
    if (status == OCL_OK && launch->gathered)
        status = ocl_parts_of(kernel)->ptx_gathered(&call, queue);
    if (status == OCL_OK && kernel->ptx && kernel->ptx->writes_table)
        status = ocl_parts_of(kernel)->table_written(queue);
    if (is_on_its_way && kernel->ptx && kernel->ptx->has_launches) {
        const ocl_status followed = ocl_parts_of(kernel)->launches_follow(&call, queue);
        status = status == OCL_OK ? followed : status;
    }
    if (kernel->ptx)
        ocl_parts_of(kernel)->ptx_end(&call);
    return status;
}

static ocl_status launch_with_textures(struct ocl_kernel *kernel, struct ocl_queue *queue,
                                       const struct ocl_launch *launch, struct ocl_plan *plan)
{
    const struct ocl_kernel_parts *parts = ocl_parts_of(kernel);
    struct ocl_binding binding;
    ocl_status status = parts->binding_open(&binding, kernel, queue, launch, plan);
    if (status == OCL_OK)
        status = launch_bound(binding.kernel, queue, launch, plan, binding.bound);
    if (status == OCL_OK)
        status = parts->binding_written(&binding, queue);
    parts->binding_close(&binding);
    return status;
}

static ocl_status launch_ready(struct ocl_kernel *kernel, struct ocl_queue *queue,
                               const struct ocl_launch *launch, struct ocl_plan *plan)
{
    ocl_status status = OCL_OK;
    if (!has_arguments(kernel, launch))
        return OCL_E_INVALID_VALUE;
    if (ocl_guard_is_on() && !kernel->program->is_builtin)
        status = ocl_kernel_refuse_host_pointers(kernel, launch);
    if (status == OCL_OK && kernel->symbol_kinds != 0)
        status = ocl_parts_of(kernel)->symbols_ready(ocl_program_origin(kernel->program),
                                                     kernel->symbol_kinds);
    if (status != OCL_OK)
        return status;
    return kernel->bundle_count > 0 ? launch_with_textures(kernel, queue, launch, plan)
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

/* The variant for cooperative launches, where there is one. */
static ocl_status take_gathering(struct ocl_kernel **kernel, const struct ocl_launch *launch)
{
    if (!launch->is_cooperative || !(*kernel)->program->context->gathers || !(*kernel)->ptx)
        return OCL_OK;
    struct ocl_kernel *gathering = ocl_parts_of(*kernel)->ptx_gathering(*kernel);
    const ocl_status status = gathering ? check_usable(gathering) : OCL_E_OUT_OF_MEMORY;
    if (status == OCL_OK)
        *kernel = gathering;
    return status;
}

static ocl_status launch_once(struct ocl_kernel *kernel, struct ocl_queue *queue,
                              const struct ocl_launch *launch)
{
    ocl_status status = check_usable(kernel);
    if (status == OCL_OK)
        status = take_gathering(&kernel, launch);
    if (status != OCL_OK)
        return status;
    struct ocl_kernel *next = kernel;
    struct attempt attempt;
    do {
        kernel = next;
        attempt = attempt_launch(kernel, queue, launch);
        next = is_too_large(&attempt) ? ocl_plan_smaller(kernel, attempt.variant, launch) : NULL;
    } while (next);
    return ocl_kernel_explain(kernel, launch, attempt.status);
}

/* ---- Cooperative launches in another queue's turn ---- */

enum { LONGEST_NAP_MS = 16 };

static void nap(unsigned milliseconds)
{
    const struct timespec time = {.tv_nsec = (long)milliseconds * 1000000};
    const int before = ocl_steady_begin();
    nanosleep(&time, NULL);
    ocl_steady_end(before);
}

/* Whether nobody waits for the launch any more. */
static bool is_left(const struct ocl_context *context)
{
    return atomic_load(&context->ends_launches) || ocl_process_is_ending();
}

/* Two that have some of their groups at work each would keep each other from having all. */
static ocl_status try_alone(struct ocl_kernel *kernel, struct ocl_queue *queue,
                            const struct ocl_launch *launch)
{
    static atomic_flag is_taken = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&is_taken))
        return OCL_OK;
    const ocl_status status = launch_once(kernel, queue, launch);
    atomic_flag_clear(&is_taken);
    return status;
}

/* Other queues may wait for the one whose turn it is, so that this cannot wait for them: it tries until all groups have met. Those
 * that come give up soon, but in every other try, where a device may be slow to begin them. */
static ocl_status launch_in_turn(struct ocl_kernel *kernel, struct ocl_queue *queue,
                                 const struct ocl_launch *launch)
{
    struct ocl_gathered met = {.is_hasty = true};
    struct ocl_launch trial = *launch;
    trial.gathered = &met;
    ocl_status status = try_alone(kernel, queue, &trial);
    for (unsigned pause = 1; status == OCL_OK && !met.is_all;
         pause = pause < LONGEST_NAP_MS ? 2 * pause : pause) {
        if (is_left(queue->context))
            return OCL_E_EXECUTION;
        nap(pause);
        met.is_hasty = !met.is_hasty;
        status = try_alone(kernel, queue, &trial);
    }
    return status;
}

ocl_status ocl_kernel_launch(struct ocl_kernel *kernel, struct ocl_queue *queue,
                             const struct ocl_launch *launch)
{
    assert(queue->context == kernel->program->context);
    const bool gathers = launch->is_cooperative && queue->context->gathers && kernel->ptx;
    const bool is_trial = launch->gathered != NULL;
    return gathers && queue->kind == OCL_QUEUE_APART && !is_trial
               ? launch_in_turn(kernel, queue, launch)
               : launch_once(kernel, queue, launch);
}
