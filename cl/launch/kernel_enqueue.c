/* A launch in one form: a cl_kernel gets its arguments and is enqueued.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/launch/kernel_enqueue.h"

#include <string.h>

#include "cl/device/extension.h"
#include "cl/launch/kernel_twin.h"
#include "cl/native/native.h"
#include "cl/queue/chain.h"
#include "cl/queue/command.h"
#include "cl/queue/lane.h"
#include "cl/queue/queue_alone.h"
#include "cl/queue/queue_private.h"

/* ---- Arguments ---- */

/* A slot of one instance, about to get what the call has for it. */
struct setting {
    const struct ocl_call *call;
    struct ocl_instance *instance;
    const struct ocl_slot *slot;
    cl_uint index;
    bool is_outdated; /* memory has come or gone since addresses were set */
};

static bool has_value(const struct setting *setting, const void *value)
{
    return setting->instance->states[setting->index] == OCL_SLOT_SET &&
           memcmp(setting->instance->values + setting->slot->offset, value, setting->slot->bytes) ==
               0;
}

static cl_int keep_value(const struct setting *setting, const void *value, cl_int error)
{
    setting->instance->states[setting->index] = error == CL_SUCCESS ? OCL_SLOT_SET : OCL_SLOT_UNSET;
    memcpy(setting->instance->values + setting->slot->offset, value, setting->slot->bytes);
    return error;
}

/* The driver is shown clem's copy: the user's may lie in managed memory, and a page that has to come
 * from the device while the driver holds its locks would never come. */
static cl_int set_value(const struct setting *setting, const void *value)
{
    if (has_value(setting, value))
        return CL_SUCCESS;
    void *kept = setting->instance->values + setting->slot->offset;
    memcpy(kept, value, setting->slot->bytes);
    const cl_int error =
        clSetKernelArg(setting->instance->cl, setting->index, setting->slot->bytes, kept);
    setting->instance->states[setting->index] = error == CL_SUCCESS ? OCL_SLOT_SET : OCL_SLOT_UNSET;
    return error;
}

static cl_int set_number(const struct setting *setting, uint64_t number)
{
    return set_value(setting, &number);
}

/* OpenCL has no __local argument of no bytes, CUDA has. */
static cl_int set_local(const struct setting *setting, size_t wanted)
{
    const uint64_t bytes = wanted > 0 ? wanted : 1;
    if (has_value(setting, &bytes))
        return CL_SUCCESS;
    const cl_int error = clSetKernelArg(setting->instance->cl, setting->index, (size_t)bytes, NULL);
    return keep_value(setting, &bytes, error);
}

/* Never skipped: the cl_mem that the instance had last may be gone, and another may have its
 * handle. */
static cl_int set_memory(const struct setting *setting, cl_mem buffer)
{
    return clSetKernelArg(setting->instance->cl, setting->index, sizeof buffer, &buffer);
}

static cl_int give_address(const struct setting *setting, uint64_t address)
{
    const struct ocl_context *context = setting->call->kernel->program->context;
    cl_kernel kernel = setting->instance->cl;
    const struct ocl_extension *extension = context->device->extension;
    void *pointer = (void *)(uintptr_t)address;
    switch (context->capability.pass) {
    case OCL_PASS_USM_POINTER:
        return OCL_STEADY(extension->set_arg_usm_pointer(kernel, setting->index, pointer));
    case OCL_PASS_BDA_POINTER:
        return OCL_STEADY(extension->set_arg_device_pointer(kernel, setting->index, address));
    default:
        return clSetKernelArgSVMPointer(kernel, setting->index, pointer);
    }
}

/* Drivers may have noted what memory was at an address: other memory may be there since.
 * NULL goes the way that every driver takes it, as no cl_mem: after an address, NVIDIA's driver
 * kept the old one when it was given NULL by clSetKernelArgSVMPointer. */
static cl_int set_address(const struct setting *setting, uint64_t address)
{
    if (!setting->is_outdated && has_value(setting, &address))
        return CL_SUCCESS;
    const cl_int error =
        address == 0 ? clSetKernelArg(setting->instance->cl, setting->index, sizeof(cl_mem), NULL)
                     : give_address(setting, address);
    return keep_value(setting, &address, error);
}

/* What feeds the bundle of the slot. */
static const struct ocl_bound *bound_to(const struct setting *setting)
{
    return &setting->call->bound[setting->slot->entry - OCL_ENTRY_BUNDLES];
}

/* The texels' cl_mem is given whole; where they are in it is told here. */
static cl_int set_facts(const struct setting *setting)
{
    const struct ocl_call *call = setting->call;
    const struct ocl_bound *bound = bound_to(setting);
    const struct ocl_bundle *bundle =
        &call->kernel->bundles[setting->slot->entry - OCL_ENTRY_BUNDLES];
    const struct ocl_target *target = call->targets ? &call->targets[bundle->first] : NULL;
    const uint64_t offset = target && target->buffer ? target->offset : 0;
    if (bundle->image_type != 0)
        return set_value(setting, &bound->texture->image_facts);
    if (offset == 0)
        return set_value(setting, &bound->texture->facts);
    union ocl_texture_facts facts = bound->texture->facts;
    if (bundle->is_surface)
        facts.surface.offset = offset;
    else
        facts.texture.offset = offset;
    return set_value(setting, &facts);
}

/* Handles of cl_mem are used again after an image is gone, serials are not. */
static cl_int set_image(const struct setting *setting)
{
    const struct ocl_image *image = bound_to(setting)->image;
    if (has_value(setting, &image->serial))
        return CL_SUCCESS;
    const cl_int error =
        clSetKernelArg(setting->instance->cl, setting->index, sizeof(cl_mem), &image->cl);
    return keep_value(setting, &image->serial, error);
}

static cl_int set_grid(const struct setting *setting)
{
    const struct ocl_launch *launch = setting->call->launch;
    cl_uint grid[8] = {[3] = (cl_uint)setting->call->plan->joined};
    for (int d = 0; d < 3; d++) {
        grid[d] = (cl_uint)launch->groups[d];
        grid[4 + d] = (cl_uint)launch->items[d];
    }
    return set_value(setting, grid);
}

static uint64_t address_of(const struct setting *setting)
{
    return setting->call->pointers[setting->slot->parameter];
}

/* Memory that this launch's pointer lies in. */
static cl_mem memory_of(const struct ocl_target *target)
{
    return target->part ? target->part : target->buffer;
}

/* The cases stand in the order of enum ocl_slot_kind, which says what each is. */
static cl_int set_slot(const struct setting *setting)
{
    const struct ocl_call *call = setting->call;
    const struct ocl_slot *slot = setting->slot;
    const size_t dynamic_bytes = call->launch->local_bytes;
    switch (slot->kind) {
    case OCL_SLOT_VALUE:
        return set_value(setting, call->launch->arguments[slot->entry]);
    case OCL_SLOT_LOCAL:
        return set_local(setting, call->kernel->arguments[slot->parameter].bytes + dynamic_bytes);
    case OCL_SLOT_ADDRESS:
        return set_address(setting, address_of(setting));
    case OCL_SLOT_BUFFER:
        return set_memory(setting, memory_of(&call->targets[slot->parameter]));
    case OCL_SLOT_NUMBER:
        return set_number(setting, address_of(setting));
    case OCL_SLOT_OFFSET:
        return set_number(setting, call->targets[slot->parameter].rest);

    case OCL_SLOT_IMAGE:
        return set_image(setting);
    case OCL_SLOT_SAMPLER:
        return set_value(setting, &bound_to(setting)->sampler);
    case OCL_SLOT_FACTS:
        return set_facts(setting);

    case OCL_SLOT_ZERO:
        return set_value(setting, &(const cl_uint){0});
    case OCL_SLOT_SCRATCH:
        return call->kernel->ptx->spills ? set_memory(setting, call->memory.scratch)
                                         : set_local(setting, call->plan->scratch_bytes);
    case OCL_SLOT_SHARED:
        return set_memory(setting, call->memory.shared);
    case OCL_SLOT_GRID:
        return set_grid(setting);
    case OCL_SLOT_DYNAMIC:
        return set_value(setting, &(const cl_uint){(cl_uint)dynamic_bytes});
    case OCL_SLOT_BANK:
        return set_memory(setting, call->memory.bank);
    case OCL_SLOT_TURNS:
        return set_memory(setting, call->memory.turns);
    case OCL_SLOT_GATHERING:
        return set_memory(setting, call->memory.gathering);
    case OCL_SLOT_NATIVE:
        return set_number(setting, call->memory.chain ? (uint64_t)(uintptr_t)call->memory.chain
                                                      : (uint64_t)(uintptr_t)call->memory.native);
    case OCL_SLOT_CHECK:
        return set_number(setting, (uint64_t)(uintptr_t)call->memory.check);
    }
    return CL_INVALID_ARG_INDEX;
}

/* An argument that was set by address cannot become a cl_mem: NVIDIA's driver then refuses the
 * launch. */
static bool has_stale_address(const struct ocl_call *call, const struct ocl_instance *instance)
{
    const struct ocl_form *form = instance->form;
    for (size_t i = 0; i < form->slot_count; i++) {
        const struct ocl_slot *slot = &form->slots[i];
        uint64_t last;
        if (slot->kind != OCL_SLOT_ADDRESS || call->pointers[slot->parameter] != 0)
            continue;
        memcpy(&last, instance->values + slot->offset, sizeof last);
        if (instance->states[i] == OCL_SLOT_SET && last != 0)
            return true;
    }
    return false;
}

/* Gives every argument of the instance its value; those that have it already are left alone. */
static ocl_status set_arguments(const struct ocl_call *call, struct ocl_instance *instance)
{
    struct ocl_context *context = call->kernel->program->context;
    const struct ocl_form *form = instance->form;
    const uint64_t now = atomic_load(&context->memory_generation);
    cl_int error = CL_SUCCESS;
    if (form != &call->kernel->forms[OCL_FORM_DIRECT] && has_stale_address(call, instance))
        error = ocl_instance_renew(context, instance);
    for (size_t i = 0; error == CL_SUCCESS && i < form->slot_count; i++) {
        const struct setting setting = {call, instance, &form->slots[i], (cl_uint)i,
                                        instance->addresses != now};
        error = set_slot(&setting);
    }
    if (error == CL_SUCCESS)
        instance->addresses = now;
    return error;
}

/* ---- The command ---- */

/* In order, as CUDA begins its thread blocks. */
static cl_int enqueue_portions(struct ocl_command *command, cl_kernel kernel,
                               const struct ocl_plan *plan)
{
    cl_int error = CL_SUCCESS;
    size_t at[3];
    for (at[2] = 0; at[2] < plan->global[2]; at[2] += plan->portion[2])
        for (at[1] = 0; at[1] < plan->global[1]; at[1] += plan->portion[1])
            for (at[0] = 0; at[0] < plan->global[0] && error == CL_SUCCESS;
                 at[0] += plan->portion[0]) {
                size_t items[3];
                for (int d = 0; d < 3; d++)
                    items[d] = plan->global[d] - at[d] < plan->portion[d] ? plan->global[d] - at[d]
                                                                          : plan->portion[d];
                const size_t offset[3] = {plan->first + at[0], at[1], at[2]};
                error = ocl_enqueue_range(command, kernel, plan->dimensions, offset, items,
                                          plan->local, NULL);
            }
    return error;
}

static bool is_whole(const struct ocl_plan *plan)
{
    return memcmp(plan->portion, plan->global, sizeof plan->portion) == 0;
}

static ocl_status enqueue(struct ocl_queue *queue, cl_kernel kernel, const struct ocl_plan *plan,
                          enum ocl_command_kind kind)
{
    struct ocl_command command;
    const ocl_status status = ocl_command_begin(&command, queue, kind);
    if (status != OCL_OK)
        return status;
    const cl_int error = is_whole(plan) ? ocl_enqueue_range(&command, kernel, plan->dimensions,
                                                            NULL, plan->global, plan->local, NULL)
                                        : enqueue_portions(&command, kernel, plan);
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

/* Its blocks wait for each other: those of other commands must not be in the place of some. */
static ocl_status enqueue_alone(struct ocl_queue *queue, cl_kernel kernel,
                                const struct ocl_plan *plan)
{
    ocl_status status = ocl_alone_begin(queue);
    if (status == OCL_OK)
        status = enqueue(queue, kernel, plan, OCL_COMMAND_ALONE);
    const ocl_status ended = ocl_alone_end(queue);
    return status == OCL_OK ? ended : status;
}

static ocl_status enqueue_as_asked(const struct ocl_call *call, struct ocl_queue *queue,
                                   cl_kernel kernel)
{
    /* In another queue's turn, its groups may fail to meet. */
    return call->launch->is_cooperative && queue->context->gathers && queue->kind != OCL_QUEUE_APART
               ? enqueue_alone(queue, kernel, call->plan)
               : enqueue(queue, kernel, call->plan, OCL_COMMAND_MEMORY);
}

static ocl_status enqueue_with_twins(const struct ocl_call *call, struct ocl_queue *queue,
                                     cl_kernel kernel)
{
    ocl_status status = ocl_twins_begin(call, queue);
    if (status != OCL_OK)
        return status;
    status = enqueue_as_asked(call, queue, kernel);
    const ocl_status ended = ocl_twins_end(call, queue, status == OCL_OK);
    return status == OCL_OK ? ended : status;
}

static ocl_status enqueue_watched(const struct ocl_call *call, struct ocl_queue *queue,
                                  cl_kernel kernel)
{
    struct ocl_lane_scope scope;
    if (__builtin_expect(!ocl_profile_is_on(), 1))
        return enqueue_with_twins(call, queue, kernel);
    ocl_lane_begin_kernel(&scope,
                          ocl_profile_kept_name(&call->kernel->name_in_trace, call->kernel->name),
                          call->launch->groups, call->launch->items, call->launch->local_bytes);
    const ocl_status status = enqueue_with_twins(call, queue, kernel);
    ocl_lane_end(&scope);
    return status;
}

ocl_status ocl_form_launch(const struct ocl_call *call, enum ocl_form_kind kind,
                           struct ocl_queue *queue)
{
    struct ocl_instance *instance;
    ocl_status status = ocl_instance_take(call->kernel, kind, &instance);
    if (status != OCL_OK)
        return status;
    status = set_arguments(call, instance);
    if (status == OCL_OK)
        status = enqueue_watched(call, queue, instance->cl);
    ocl_instance_give(call->kernel, instance);
    return status;
}

/* ---- Launches that follow each other in one command ---- */

bool ocl_form_may_chain(const struct ocl_call *call, const struct ocl_queue *queue)
{
    const struct ocl_launch *launch = call->launch;
    return call->memory.native && call->plan->global[2] == 1 &&
           !call->kernel->ptx->waits_for_blocks && !call->kernel->ptx->has_launches &&
           !launch->is_cooperative && !launch->gathered && queue->kind != OCL_QUEUE_APART &&
           !atomic_load(&queue->is_lent) && !ocl_profile_is_on();
}

static ocl_status enqueue_chain(const struct ocl_call *call, struct ocl_command *command)
{
    struct ocl_instance *instance;
    const struct ocl_plan *plan = call->plan;
    ocl_status status = ocl_instance_take(call->kernel, OCL_FORM_DIRECT, &instance);
    if (status != OCL_OK)
        return status;
    status = set_arguments(call, instance);
    if (status == OCL_OK)
        status = ocl_enqueue_range(command, instance->cl, plan->dimensions, NULL, plan->global,
                                   plan->local, NULL);
    ocl_instance_give(call->kernel, instance);
    return status;
}

static ocl_status begin_chain(const struct ocl_call *call, struct ocl_command *command)
{
    struct ocl_queue *queue = command->queue;
    struct ocl_call first = *call;
    first.memory.chain = ocl_chain_make(queue, ocl_native_piece(call->memory.native));
    if (!first.memory.chain)
        return OCL_E_OUT_OF_MEMORY;
    const ocl_status status = enqueue_chain(&first, command);
    ocl_chain_opened(queue, first.memory.chain, status == OCL_OK);
    return status;
}

ocl_status ocl_form_chain(const struct ocl_call *call, struct ocl_queue *queue)
{
    struct ocl_command command;
    ocl_chain_make_room(queue);
    ocl_status status = ocl_command_begin(&command, queue, OCL_COMMAND_CHAINED);
    if (status != OCL_OK)
        return status;
    if (ocl_chain_add(queue, ocl_native_piece(call->memory.native)))
        command.count++;
    else
        status = begin_chain(call, &command);
    ocl_command_end(&command);
    return status;
}
