/* Where the pointers of a launch point, and in which form its kernel gets them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/launch/kernel_pointer.h"

#include <stdlib.h>
#include <string.h>

#include "cl/device.h"
#include "cl/launch/kernel_enqueue.h"
#include "cl/managed.h"
#include "cl/memory/address.h"
#include "cl/memory/allocation.h"
#include "cl/memory/twin.h"
#include "cl/program/kernel_parts.h"
#include "cl/trace.h"

/* ---- What the arguments point to ---- */

static uint64_t read_pointer(const struct ocl_call *call, const struct ocl_slot *slot)
{
    const struct ocl_kernel *kernel = call->kernel;
    const struct ocl_kernel_parts *parts = kernel->program->context->kernel_parts;
    const uint32_t entry = slot->entry;
    uint64_t pointer;
    if (entry == OCL_ENTRY_CONDITIONS)
        return call->launch->conditions;
    if (entry == OCL_ENTRY_LAUNCHES)
        return parts->launches_address(call->memory.launches);
    if (entry >= OCL_ENTRY_RUNTIME)
        return parts->ptx_memory(kernel, entry);
    if (entry >= OCL_ENTRY_SYMBOLS)
        return parts->symbols_block(kernel->program,
                                    (enum ocl_symbol_kind)(entry - OCL_ENTRY_SYMBOLS));
    if (entry >= OCL_ENTRY_BUNDLES)
        return call->bound[entry - OCL_ENTRY_BUNDLES].texture->view.address;
    const unsigned char *bytes = call->launch->arguments[entry];
    memcpy(&pointer, bytes + slot->within, sizeof pointer);
    return pointer;
}

static bool is_of_pointer(const struct ocl_slot *slot)
{
    return slot->kind == OCL_SLOT_ADDRESS || slot->kind == OCL_SLOT_BUFFER ||
           slot->kind == OCL_SLOT_NUMBER;
}

/* The direct form has a slot for each of them, whatever form takes them. */
static void find_pointers(struct ocl_call *call)
{
    const struct ocl_context *context = call->kernel->program->context;
    const struct ocl_form *form = &call->kernel->forms[OCL_FORM_DIRECT];
    for (size_t i = 0; i < form->slot_count; i++) {
        const struct ocl_slot *slot = &form->slots[i];
        if (!is_of_pointer(slot))
            continue;
        const uint64_t pointer = read_pointer(call, slot);
        const bool is_buffer =
            slot->kind == OCL_SLOT_BUFFER && context->capability.pass == OCL_PASS_BUFFER;
        call->pointers[slot->parameter] =
            is_buffer ? pointer : ocl_address_for_kernel(context, pointer);
        call->has_null |= slot->kind == OCL_SLOT_ADDRESS && pointer == 0;
    }
}

/* The device whose memory the argument points into, if kernels of this context do not reach it. */
static const struct ocl_device *stranger_at(const struct ocl_context *own, const void *argument)
{
    uint64_t pointer;
    memcpy(&pointer, argument, sizeof pointer);
    struct ocl_allocation *allocation = pointer ? ocl_address_acquire(pointer) : NULL;
    if (!allocation)
        return NULL;
    const struct ocl_device *device = allocation->context->device;
    const bool is_strange =
        device->platform != own->device->platform || ocl_managed_is_of_another(own, allocation);
    ocl_allocation_release(allocation);
    return is_strange ? device : NULL;
}

/* The first such device; *entry is then that of void **args. Of OpenCL C pointers count, of PTX, which does not tell them,
 * all that 8 bytes can hold. */
static const struct ocl_device *find_stranger(const struct ocl_kernel *kernel,
                                              const struct ocl_launch *launch, size_t *entry)
{
    const struct ocl_context *own = kernel->program->context;
    *entry = 0;
    for (size_t i = 0; i < kernel->facts.parameter_count; i++) {
        const struct ocl_parameter *parameter = &kernel->parameters[i];
        if (parameter->kind == OCL_PARAMETER_LOCAL || parameter->kind == OCL_PARAMETER_HIDDEN)
            continue;
        const bool may_point = parameter->kind == OCL_PARAMETER_POINTER ||
                               (kernel->ptx && parameter->bytes == sizeof(uint64_t));
        const struct ocl_device *device =
            may_point ? stranger_at(own, launch->arguments[*entry]) : NULL;
        if (device)
            return device;
        ++*entry;
    }
    return NULL;
}

/* With several drivers in the process, an address of one means nothing to another, or something else. And a launch sends only
 * the pages of its own context: another's would hold what they held before. */
static bool reaches_arguments(const struct ocl_call *call)
{
    struct ocl_kernel *kernel = call->kernel;
    size_t entry = 0;
    const struct ocl_context *context = kernel->program->context;
    const struct ocl_device *own = context->device, *stranger = NULL;
    if (!ocl_devices_share_platform() || ocl_managed_moves_elsewhere(context))
        stranger = find_stranger(kernel, call->launch, &entry);
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

/* ---- By address ---- */

static bool is_unknown(uint64_t pointer)
{
    struct ocl_allocation *allocation = ocl_address_acquire(pointer);
    if (allocation)
        ocl_allocation_release(allocation);
    return pointer != 0 && !allocation;
}

/* Whether a pointer argument is in no allocation. */
static bool has_unknown(const struct ocl_call *call)
{
    const struct ocl_form *form = &call->kernel->forms[OCL_FORM_DIRECT];
    for (size_t i = 0; i < form->slot_count; i++)
        if (form->slots[i].kind == OCL_SLOT_ADDRESS &&
            is_unknown(call->pointers[form->slots[i].parameter]))
            return true;
    return false;
}

/* One byte is what NVIDIA's driver (580) takes for itself in every kernel. */
static bool declares_local(const struct ocl_kernel *kernel)
{
    return kernel->declared_local > 1;
}

/* NVIDIA's driver refuses a launch when an argument points into no buffer (one past the end of
 * one, for example). CUDA does not, and neither does a wrapper that gets the address as a
 * number. */
static bool wants_numbers(const struct ocl_call *call, ocl_status status)
{
    return (status == CL_INVALID_KERNEL_ARGS || status == CL_INVALID_ARG_VALUE) &&
           call->kernel->program->text && !declares_local(call->kernel) && has_unknown(call);
}

static enum ocl_form_kind form_for_addresses(const struct ocl_call *call)
{
    if (atomic_load_explicit(&call->kernel->refuses_unknown, memory_order_relaxed) &&
        has_unknown(call))
        return OCL_FORM_NUMBERS;
    return call->has_null ? OCL_FORM_NULLS : OCL_FORM_DIRECT;
}

static ocl_status launch_with_addresses(const struct ocl_call *call, struct ocl_queue *queue)
{
    enum ocl_form_kind kind = form_for_addresses(call), tried;
    ocl_status status;
    do {
        tried = kind;
        status = ocl_form_launch(call, tried, queue);
        if (tried != OCL_FORM_NUMBERS && wants_numbers(call, status)) {
            atomic_store_explicit(&call->kernel->refuses_unknown, true, memory_order_relaxed);
            kind = OCL_FORM_NUMBERS;
        }
    } while (kind != tried);
    return status;
}

/* ---- By buffer ---- */

/* The entry of void **args that a message names. */
static uint32_t shown_entry(const struct ocl_call *call, const struct ocl_slot *slot)
{
    const bool is_bundle = slot->entry >= OCL_ENTRY_BUNDLES && slot->entry < OCL_ENTRY_SYMBOLS;
    return is_bundle ? call->kernel->bundles[slot->entry - OCL_ENTRY_BUNDLES].entry : slot->entry;
}

/* Where the pointer is in the allocation's buffer, or in that of its twin. */
static ocl_status find_place(struct ocl_target *target, uint64_t pointer)
{
    struct ocl_allocation *allocation = target->allocation;
    const uint64_t inner = ocl_allocation_offset(allocation, pointer);
    ocl_status status = OCL_OK;
    target->is_twin = ocl_twin_is_needed(allocation);
    if (target->is_twin) {
        status = ocl_twin_find(allocation, inner, &target->buffer, &target->offset);
    } else {
        const struct ocl_place place =
            ocl_allocation_place(allocation, ocl_allocation_address(allocation, pointer));
        target->buffer = place.buffer;
        target->offset = place.offset;
    }
    target->end = target->offset + ocl_allocation_reach(allocation) - (size_t)inner;
    return status == OCL_OK && !target->buffer ? OCL_E_NEEDS_ADDRESS : status;
}

static ocl_status find_target(const struct ocl_call *call, const struct ocl_slot *slot,
                              struct ocl_target *target)
{
    struct ocl_context *context = call->kernel->program->context;
    const uint64_t pointer = call->pointers[slot->parameter];
    if (pointer == 0)
        return OCL_OK;
    target->allocation = call->kernel->program->is_builtin ? ocl_address_acquire_held(pointer)
                                                           : ocl_address_acquire(pointer);
    if (!target->allocation || target->allocation->context != context) {
        ocl_log(true,
                "kernel %s, argument %u: %#llx is in no allocation of this device, and with the %s "
                "strategy nothing else can be passed",
                call->kernel->name, shown_entry(call, slot), (unsigned long long)pointer,
                ocl_address_name(context->capability.address));
        return OCL_E_NEEDS_ADDRESS;
    }
    return find_place(target, pointer);
}

/* Where pointers lie in their buffers: all at the beginning, where the device can make sub-buffers, or somewhere else. */
enum fit { FIT_WHOLE, FIT_PARTS, FIT_NONE };

/* Finds the buffers of the pointers: all of them, or those into __constant memory only. *fit is that of the one that fits
 * worst. */
static ocl_status find_targets(const struct ocl_call *call, bool constant_only, enum fit *fit)
{
    const struct ocl_kernel *kernel = call->kernel;
    const struct ocl_form *form = &kernel->forms[OCL_FORM_DIRECT];
    const uint32_t alignment = kernel->program->context->device->facts.base_align_bytes;
    ocl_status status = OCL_OK;
    *fit = FIT_WHOLE;
    for (size_t i = 0; status == OCL_OK && i < form->slot_count; i++) {
        const struct ocl_slot *slot = &form->slots[i];
        if (slot->kind != OCL_SLOT_BUFFER ||
            (constant_only && !kernel->arguments[slot->parameter].is_constant))
            continue;
        struct ocl_target *target = &call->targets[slot->parameter];
        status = find_target(call, slot, target);
        if (kernel->arguments[slot->parameter].kind == OCL_PARAMETER_TEXTURE)
            continue; /* its facts tell the kernel where it is */
        if (target->offset == 0)
            continue;
        if (alignment == 0 || target->offset % alignment != 0)
            *fit = FIT_NONE;
        else if (*fit == FIT_WHOLE)
            *fit = FIT_PARTS;
    }
    return status;
}

/* A sub-buffer from byte `first` on. No driver needs more of __constant memory than it has, and
 * some refuse the launch when the cl_mem is larger. */
static ocl_status divide(const struct ocl_call *call, struct ocl_target *target, size_t first,
                         bool is_constant)
{
    const uint64_t most = call->kernel->program->context->device->facts.constant_bytes;
    cl_buffer_region region = {first, target->end - first};
    cl_int error = CL_SUCCESS;
    if (is_constant && region.size > most)
        region.size = (size_t)most;
    target->part =
        clCreateSubBuffer(target->buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    target->rest = target->offset - first;
    return error;
}

/* Makes the sub-buffers that the form needs: without offsets, of every pointer into the middle; with offsets, only of
 * __constant pointers into buffers that are larger than the device's __constant memory. */
static ocl_status divide_targets(const struct ocl_call *call, bool has_offsets)
{
    const struct ocl_kernel *kernel = call->kernel;
    const struct ocl_device_facts *device = &kernel->program->context->device->facts;
    ocl_status status = OCL_OK;
    for (size_t i = 0; status == OCL_OK && i < kernel->argument_count; i++) {
        struct ocl_target *target = &call->targets[i];
        if (!target->buffer)
            continue;
        const bool is_constant = kernel->arguments[i].is_constant;
        const bool is_large = is_constant && (target->is_twin || target->allocation->block->bytes >
                                                                     device->constant_bytes);
        const size_t step = device->base_align_bytes > 0 ? device->base_align_bytes : 1;
        target->rest = target->offset;
        if (kernel->arguments[i].kind == OCL_PARAMETER_TEXTURE)
            continue;
        if (is_large || (!has_offsets && target->offset > 0))
            status = divide(call, target, target->offset / step * step, is_constant);
    }
    return status;
}

static void release_targets(const struct ocl_call *call)
{
    for (size_t i = 0; i < call->kernel->argument_count; i++) {
        struct ocl_target *target = &call->targets[i];
        if (target->part)
            clReleaseMemObject(target->part);
        if (target->allocation)
            ocl_allocation_release(target->allocation);
    }
}

/* Which form takes the pointers of this launch. Kernels with __local variables may be called
 * from kernels only where the implementation says so (OpenCL C 1.2, 6.9, "restrictions";
 * Oclgrind mixes their variables up), so they get sub-buffers or nothing. */
static ocl_status choose_form(const struct ocl_call *call, enum ocl_form_kind *kind)
{
    const struct ocl_kernel *kernel = call->kernel;
    const struct ocl_context *context = kernel->program->context;
    const bool is_wrappable = kernel->has_pointers && !declares_local(kernel);
    const bool by_number = is_wrappable && context->capability.pass == OCL_PASS_NUMBER;
    enum fit fit;
    const ocl_status status = find_targets(call, by_number, &fit);
    if (status != OCL_OK)
        return status;
    if (fit == FIT_NONE && !is_wrappable) {
        ocl_log(true,
                "kernel %s declares __local variables, and an argument points to where the device "
                "cannot begin a sub-buffer (multiples of %u bytes)",
                kernel->name, context->device->facts.base_align_bytes);
        return OCL_E_NEEDS_ADDRESS;
    }
    if (by_number)
        *kind = OCL_FORM_NUMBERS;
    else
        *kind = fit == FIT_WHOLE || !is_wrappable ? OCL_FORM_DIRECT : OCL_FORM_OFFSETS;
    return OCL_OK;
}

static ocl_status launch_targets(const struct ocl_call *call, struct ocl_queue *queue)
{
    enum ocl_form_kind kind;
    ocl_status status = choose_form(call, &kind);
    if (status == OCL_OK)
        status = divide_targets(call, kind != OCL_FORM_DIRECT);
    return status == OCL_OK ? ocl_form_launch(call, kind, queue) : status;
}

enum { FEW = 32 }; /* parameters: what is kept of so many takes no allocation */

static ocl_status launch_with_buffers(struct ocl_call *call, struct ocl_queue *queue)
{
    const size_t count = call->kernel->argument_count;
    struct ocl_target few[FEW];
    struct ocl_target *targets = count > FEW ? malloc(count * sizeof *targets) : few;
    if (!targets)
        return OCL_E_OUT_OF_MEMORY;
    memset(targets, 0, count * sizeof *targets);
    call->targets = targets;
    const ocl_status status = launch_targets(call, queue);
    release_targets(call);
    call->targets = NULL;
    if (targets != few)
        free(targets);
    return status;
}

/* ---- Either ---- */

static ocl_status launch_found(struct ocl_call *call, struct ocl_queue *queue)
{
    const enum ocl_pass pass = call->kernel->program->context->capability.pass;
    if (!reaches_arguments(call))
        return OCL_E_NOT_SUPPORTED;
    if (ocl_form_may_chain(call, queue))
        return ocl_form_chain(call, queue);
    find_pointers(call);
    return pass == OCL_PASS_BUFFER || pass == OCL_PASS_NUMBER ? launch_with_buffers(call, queue)
                                                              : launch_with_addresses(call, queue);
}

ocl_status ocl_call_launch(struct ocl_call *call, struct ocl_queue *queue)
{
    const size_t count = call->kernel->argument_count;
    uint64_t few[FEW];
    uint64_t *pointers = count > FEW ? malloc(count * sizeof *pointers) : few;
    if (!pointers)
        return OCL_E_OUT_OF_MEMORY;
    call->pointers = pointers;
    const ocl_status status = launch_found(call, queue);
    call->pointers = NULL;
    if (pointers != few)
        free(pointers);
    return status;
}
