/* From void **args to the arguments of a cl_kernel.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/launch/kernel_argument.h"

#include <stdlib.h>
#include <string.h>

#include "cl/device/extension.h"
#include "cl/managed.h"
#include "cl/memory/address.h"
#include "cl/memory/allocation.h"
#include "cl/memory/twin.h"
#include "cl/program/kernel_parts.h"
#include "cl/trace.h"

static uint64_t pointer_of(const struct ocl_call *call, const struct ocl_slot *slot)
{
    const uint32_t entry = slot->entry;
    uint64_t pointer;
    if (entry >= OCL_ENTRY_RUNTIME)
        return ocl_parts_of(call->kernel)->ptx_memory(call->kernel, entry);
    if (entry >= OCL_ENTRY_SYMBOLS)
        return ocl_parts_of(call->kernel)
            ->symbols_block(ocl_program_origin(call->kernel->program),
                            (enum ocl_symbol_kind)(entry - OCL_ENTRY_SYMBOLS));
    if (entry >= OCL_ENTRY_GROUPS)
        return call->bound[entry - OCL_ENTRY_GROUPS].texture->view.address;
    const unsigned char *bytes = call->launch->arguments[entry];
    memcpy(&pointer, bytes + slot->within, sizeof pointer);
    return pointer;
}

bool ocl_call_has_null(const struct ocl_call *call)
{
    const struct ocl_form *form = &call->kernel->forms[OCL_FORM_DIRECT];
    for (size_t i = 0; i < form->slot_count; i++)
        if (form->slots[i].kind == OCL_SLOT_ADDRESS && pointer_of(call, &form->slots[i]) == 0)
            return true;
    return false;
}

static bool is_unknown(uint64_t pointer)
{
    struct ocl_allocation *allocation = ocl_address_acquire(pointer);
    if (allocation)
        ocl_allocation_release(allocation);
    return pointer != 0 && !allocation;
}

bool ocl_call_has_unknown(const struct ocl_call *call)
{
    const struct ocl_form *form = &call->kernel->forms[OCL_FORM_DIRECT];
    for (size_t i = 0; i < form->slot_count; i++)
        if (form->slots[i].kind == OCL_SLOT_ADDRESS &&
            is_unknown(pointer_of(call, &form->slots[i])))
            return true;
    return false;
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

const struct ocl_device *ocl_launch_stranger(const struct ocl_kernel *kernel,
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

/* The device address of a byte whose host or device address is pointer. */
static uint64_t address_in(const struct ocl_allocation *allocation, uint64_t pointer)
{
    const uint64_t host = (uint64_t)(uintptr_t)allocation->host;
    const bool is_host = allocation->host && pointer - host < allocation->bytes;
    return is_host ? allocation->address + (pointer - host) : pointer;
}

/* Only where pinned memory has a device address of its own does that need a look into the
 * registry. */
uint64_t ocl_address_for_kernel(const struct ocl_context *context, uint64_t pointer)
{
    const struct ocl_capability *capability = &context->capability;
    if (pointer == 0 || (capability->reaches_pinned_host && capability->reaches_registered_host))
        return pointer;
    struct ocl_allocation *allocation = ocl_address_acquire(pointer);
    if (!allocation)
        return pointer;
    if (allocation->context == context)
        pointer = address_in(allocation, pointer);
    ocl_allocation_release(allocation);
    return pointer;
}

/* The entry of void **args that a message names. */
static uint32_t shown_entry(const struct ocl_call *call, const struct ocl_slot *slot)
{
    const bool is_group = slot->entry >= OCL_ENTRY_GROUPS && slot->entry < OCL_ENTRY_SYMBOLS;
    return is_group ? call->kernel->groups[slot->entry - OCL_ENTRY_GROUPS].entry : slot->entry;
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
            ocl_allocation_place(allocation, address_in(allocation, pointer));
        target->buffer = place.buffer;
        target->offset = place.offset;
    }
    target->end = target->offset + allocation->bytes - (size_t)inner;
    return status == OCL_OK && !target->buffer ? OCL_E_NEEDS_ADDRESS : status;
}

static ocl_status find_target(const struct ocl_call *call, const struct ocl_slot *slot,
                              struct ocl_target *target)
{
    struct ocl_context *context = call->kernel->program->context;
    const uint64_t pointer = pointer_of(call, slot);
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

ocl_status ocl_targets_find(const struct ocl_call *call, bool constant_only, enum ocl_fit *fit)
{
    const struct ocl_kernel *kernel = call->kernel;
    const struct ocl_form *form = &kernel->forms[OCL_FORM_DIRECT];
    const uint32_t alignment = kernel->program->context->device->facts.base_align_bytes;
    ocl_status status = OCL_OK;
    *fit = OCL_FIT_WHOLE;
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
            *fit = OCL_FIT_NONE;
        else if (*fit == OCL_FIT_WHOLE)
            *fit = OCL_FIT_PARTS;
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

ocl_status ocl_targets_divide(const struct ocl_call *call, bool has_offsets)
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

void ocl_targets_release(const struct ocl_call *call)
{
    for (size_t i = 0; i < call->kernel->argument_count; i++) {
        struct ocl_target *target = &call->targets[i];
        if (target->part)
            clReleaseMemObject(target->part);
        if (target->allocation)
            ocl_allocation_release(target->allocation);
    }
}

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

/* What feeds the group of the slot. */
static const struct ocl_bound *bound_to(const struct setting *setting)
{
    return &setting->call->bound[setting->slot->entry - OCL_ENTRY_GROUPS];
}

/* The texels' cl_mem is given whole; where they are in it is told here. */
static cl_int set_facts(const struct setting *setting)
{
    const struct ocl_call *call = setting->call;
    const struct ocl_bound *bound = bound_to(setting);
    const struct ocl_group *group = &call->kernel->groups[setting->slot->entry - OCL_ENTRY_GROUPS];
    const struct ocl_target *target = call->targets ? &call->targets[group->first] : NULL;
    const uint64_t offset = target && target->buffer ? target->offset : 0;
    if (group->image_type != 0)
        return set_value(setting, &bound->texture->image_facts);
    if (offset == 0)
        return set_value(setting, &bound->texture->facts);
    union ocl_texture_facts facts = bound->texture->facts;
    if (group->is_surface)
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

/* The user's pointer, as kernels have to get it. */
static uint64_t address_of(const struct setting *setting)
{
    return ocl_address_for_kernel(setting->call->kernel->program->context,
                                  pointer_of(setting->call, setting->slot));
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
    }
    return CL_INVALID_ARG_INDEX;
}

/* An argument that was set by address cannot become a cl_mem: NVIDIA's driver then refuses the
 * launch. */
static bool has_stale_address(const struct ocl_call *call, const struct ocl_form *form,
                              const struct ocl_instance *instance)
{
    for (size_t i = 0; i < form->slot_count; i++) {
        const struct ocl_slot *slot = &form->slots[i];
        uint64_t last;
        if (slot->kind != OCL_SLOT_ADDRESS || pointer_of(call, slot) != 0)
            continue;
        memcpy(&last, instance->values + slot->offset, sizeof last);
        if (instance->states[i] == OCL_SLOT_SET && last != 0)
            return true;
    }
    return false;
}

ocl_status ocl_arguments_set(const struct ocl_call *call, struct ocl_form *form,
                             struct ocl_instance *instance)
{
    const uint64_t now = atomic_load(&call->kernel->program->context->memory_generation);
    cl_int error = CL_SUCCESS;
    if (form != &call->kernel->forms[OCL_FORM_DIRECT] && has_stale_address(call, form, instance))
        error = ocl_instance_renew(form, instance);
    for (size_t i = 0; error == CL_SUCCESS && i < form->slot_count; i++) {
        const struct setting setting = {call, instance, &form->slots[i], (cl_uint)i,
                                        instance->addresses != now};
        error = set_slot(&setting);
    }
    if (error == CL_SUCCESS)
        instance->addresses = now;
    return error;
}
