/* The forms in which a kernel can be called, and their cl_kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "cl/block/block.h"
#include "cl/program/kernel.h"
#include "cl/program/lazy.h"
#include "cl/program/wrapper.h"
#include "kernels/device/clem_texture_facts.h"

/* How a form passes a pointer; OCL_SLOT_BUFFER is followed by an OCL_SLOT_OFFSET in wrappers. */
static enum ocl_slot_kind pointer_slot(const struct ocl_kernel *kernel, enum ocl_form_kind kind,
                                       const struct ocl_argument *argument)
{
    const enum ocl_pass pass = kernel->program->context->capability.pass;
    const bool is_buffer = pass == OCL_PASS_BUFFER || pass == OCL_PASS_NUMBER;
    if (kind == OCL_FORM_OFFSETS)
        return OCL_SLOT_BUFFER;
    /* __constant memory is an address space of its own on some devices: no number can be cast to a
     * pointer into it. */
    if (kind == OCL_FORM_NUMBERS && !argument->is_constant)
        return OCL_SLOT_NUMBER;
    return is_buffer ? OCL_SLOT_BUFFER : OCL_SLOT_ADDRESS;
}

/* Texels in memory are never passed by OCL_SLOT_OFFSET: the facts have an offset of their own. */
static enum ocl_slot_kind part_slot(const struct ocl_kernel *kernel, enum ocl_form_kind kind,
                                    const struct ocl_argument *argument)
{
    switch (argument->part) {
    case OCL_PART_MEMORY:
        break;
    case OCL_PART_IMAGE:
        return OCL_SLOT_IMAGE;
    case OCL_PART_SAMPLER:
        return OCL_SLOT_SAMPLER;
    case OCL_PART_FACTS:
        return OCL_SLOT_FACTS;
    case OCL_PART_REFERENCE:
        return OCL_SLOT_ZERO;
    }
    return pointer_slot(kernel, kind, argument);
}

static size_t facts_bytes(const struct ocl_bundle *bundle)
{
    if (bundle->is_surface)
        return sizeof(struct clem_surface);
    return bundle->image_type ? sizeof(struct clem_image) : sizeof(struct clem_texture);
}

static size_t slot_bytes(const struct ocl_kernel *kernel, enum ocl_slot_kind slot,
                         const struct ocl_argument *argument)
{
    if (slot == OCL_SLOT_VALUE)
        return argument->bytes;
    if (slot == OCL_SLOT_FACTS)
        return facts_bytes(&kernel->bundles[argument->bundle]);
    if (slot == OCL_SLOT_GRID)
        return sizeof(cl_uint8);
    return slot == OCL_SLOT_ZERO || slot == OCL_SLOT_DYNAMIC ? sizeof(cl_uint) : sizeof(uint64_t);
}

static enum ocl_slot_kind made_slot(enum ocl_made made)
{
    static const enum ocl_slot_kind slots[] = {
        [OCL_MADE_SCRATCH] = OCL_SLOT_SCRATCH,     [OCL_MADE_SHARED] = OCL_SLOT_SHARED,
        [OCL_MADE_GRID] = OCL_SLOT_GRID,           [OCL_MADE_DYNAMIC] = OCL_SLOT_DYNAMIC,
        [OCL_MADE_BANK] = OCL_SLOT_BANK,           [OCL_MADE_NUMBER] = OCL_SLOT_NUMBER,
        [OCL_MADE_ZERO] = OCL_SLOT_ZERO,           [OCL_MADE_TURNS] = OCL_SLOT_TURNS,
        [OCL_MADE_GATHERING] = OCL_SLOT_GATHERING, [OCL_MADE_NATIVE] = OCL_SLOT_NATIVE,
        [OCL_MADE_CHECK] = OCL_SLOT_CHECK,
    };
    return slots[made];
}

static enum ocl_slot_kind slot_kind(const struct ocl_kernel *kernel, enum ocl_form_kind kind,
                                    const struct ocl_argument *argument)
{
    if (argument->made != OCL_MADE_NOT)
        return made_slot(argument->made);
    if (argument->kind == OCL_PARAMETER_TEXTURE)
        return part_slot(kernel, kind, argument);
    if (ocl_argument_is_pointer(argument))
        return pointer_slot(kernel, kind, argument);
    return argument->kind == OCL_PARAMETER_LOCAL ? OCL_SLOT_LOCAL : OCL_SLOT_VALUE;
}

static void add_slot(struct ocl_form *form, enum ocl_slot_kind kind, uint32_t parameter,
                     const struct ocl_argument *argument, size_t bytes)
{
    form->slots[form->slot_count++] = (struct ocl_slot){
        .kind = kind,
        .parameter = parameter,
        .entry = argument->entry,
        .within = argument->within,
        .bytes = (uint32_t)bytes,
        .offset = (uint32_t)form->value_bytes,
    };
    form->value_bytes += (bytes + 7) / 8 * 8;
}

ocl_status ocl_form_plan(const struct ocl_kernel *kernel, enum ocl_form_kind kind,
                         struct ocl_form *form)
{
    const bool is_wrapper = kind == OCL_FORM_OFFSETS || kind == OCL_FORM_NUMBERS;
    free(form->slots);
    form->slot_count = form->value_bytes = 0;
    form->slots = calloc(2 * kernel->argument_count + 1, sizeof *form->slots);
    if (!form->slots)
        return OCL_E_OUT_OF_MEMORY;
    for (size_t i = 0; i < kernel->argument_count; i++) {
        const struct ocl_argument *argument = &kernel->arguments[i];
        const enum ocl_slot_kind slot = slot_kind(kernel, kind, argument);
        add_slot(form, slot, (uint32_t)i, argument, slot_bytes(kernel, slot, argument));
        if (is_wrapper && slot == OCL_SLOT_BUFFER && argument->kind != OCL_PARAMETER_TEXTURE)
            add_slot(form, OCL_SLOT_OFFSET, (uint32_t)i, argument, sizeof(uint64_t));
    }
    return OCL_OK;
}

static void empty_form(struct ocl_form *form, bool owns_program)
{
    if (owns_program && form->program)
        clReleaseProgram(form->program);
    if (owns_program)
        free(form->name);
    free(form->slots);
    form->program = NULL;
    form->name = NULL;
    form->slots = NULL;
    form->slot_count = 0;
}

static bool is_wrapper(enum ocl_form_kind kind)
{
    return kind == OCL_FORM_OFFSETS || kind == OCL_FORM_NUMBERS;
}

static ocl_status make_form(struct ocl_kernel *kernel, enum ocl_form_kind kind,
                            struct ocl_form *form)
{
    ocl_status status = form->slots ? OCL_OK : ocl_form_plan(kernel, kind, form);
    if (status == OCL_OK && is_wrapper(kind))
        status = ocl_wrapper_build(kernel, form);
    if (status == OCL_OK && !is_wrapper(kind)) {
        form->program = kernel->program->cl;
        form->name = (char *)(uintptr_t)kernel->text_name; /* borrowed, never freed or changed */
    }
    if (status != OCL_OK)
        empty_form(form, is_wrapper(kind));
    return status;
}

struct wanted_form {
    struct ocl_kernel *kernel;
    enum ocl_form_kind kind;
};

/* What does not build today will not build tomorrow: that answer is kept. */
static ocl_status find_form(void *unknown)
{
    const struct wanted_form *wanted = unknown;
    struct ocl_form *form = &wanted->kernel->forms[wanted->kind];
    const ocl_status status = make_form(wanted->kernel, wanted->kind, form);
    if (status != OCL_E_NOT_SUPPORTED)
        return status;
    form->status = status;
    return OCL_OK;
}

/* The form, made at the first request. */
static ocl_status get_form(struct ocl_kernel *kernel, enum ocl_form_kind kind,
                           struct ocl_form **form)
{
    struct wanted_form wanted = {kernel, kind};
    struct ocl_form *found = *form = &kernel->forms[kind];
    const ocl_status status = ocl_lazy_find(kernel->program, &found->state, find_form, &wanted);
    return status == OCL_OK ? found->status : status;
}

static void destroy_instance(struct ocl_instance *instance)
{
    if (instance->cl)
        clReleaseKernel(instance->cl);
    free(instance);
}

void ocl_form_release(struct ocl_kernel *kernel, enum ocl_form_kind kind)
{
    struct ocl_form *form = &kernel->forms[kind];
    struct ocl_instance *spare = atomic_exchange(&form->spare, NULL);
    if (spare)
        destroy_instance(spare);
    while (form->free) {
        struct ocl_instance *instance = form->free;
        form->free = instance->next;
        destroy_instance(instance);
    }
    empty_form(form, is_wrapper(kind));
}

/* ---- Instances ---- */

ocl_status ocl_instance_renew(struct ocl_context *context, struct ocl_instance *instance)
{
    const struct ocl_form *form = instance->form;
    cl_int error = CL_SUCCESS;
    if (instance->cl)
        clReleaseKernel(instance->cl);
    memset(instance->states, OCL_SLOT_UNSET, form->slot_count);
    instance->generation = atomic_load(&context->memory_generation);
    instance->cl = clCreateKernel(form->program, form->name, &error);
    if (!instance->cl)
        return error;
    error = ocl_block_declare_indirect(context, instance->cl);
    if (error != CL_SUCCESS) {
        clReleaseKernel(instance->cl);
        instance->cl = NULL;
    }
    return error;
}

static ocl_status create_instance(struct ocl_context *context, struct ocl_form *form,
                                  struct ocl_instance **instance)
{
    struct ocl_instance *made = calloc(1, sizeof *made + form->value_bytes + form->slot_count);
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    made->form = form;
    made->values = (unsigned char *)(made + 1);
    made->states = made->values + form->value_bytes;
    const ocl_status status = ocl_instance_renew(context, made);
    if (status == OCL_OK)
        *instance = made;
    else
        destroy_instance(made);
    return status;
}

/* One that was given back, or a new one. */
static ocl_status get_instance(struct ocl_program *program, struct ocl_form *form,
                               struct ocl_instance **instance)
{
    *instance = atomic_exchange_explicit(&form->spare, NULL, memory_order_acquire);
    if (*instance)
        return OCL_OK;
    pthread_mutex_lock(&program->lock);
    *instance = form->free;
    if (*instance)
        form->free = (*instance)->next;
    pthread_mutex_unlock(&program->lock);
    return *instance ? OCL_OK : create_instance(program->context, form, instance);
}

/* Once, and again when blocks came or went. A cl_kernel that had blocks declared cannot be told "none": it starts
 * anew. */
static ocl_status declare_blocks(struct ocl_context *context, struct ocl_instance *instance)
{
    const uint64_t now = atomic_load_explicit(&context->memory_generation, memory_order_acquire);
    if (context->capability.indirect_info == 0 || instance->generation == now)
        return OCL_OK;
    if (!ocl_blocks_are_declared(context))
        return ocl_instance_renew(context, instance);
    const ocl_status status = ocl_block_declare_indirect(context, instance->cl);
    if (status == OCL_OK)
        instance->generation = now;
    return status;
}

ocl_status ocl_instance_take(struct ocl_kernel *kernel, enum ocl_form_kind kind,
                             struct ocl_instance **instance)
{
    struct ocl_context *context = kernel->program->context;
    struct ocl_form *form;
    ocl_status status = get_form(kernel, kind, &form);
    if (status == OCL_OK)
        status = get_instance(kernel->program, form, instance);
    if (status != OCL_OK)
        return status;
    (*instance)->round = ocl_blocks_hold(context);
    status = declare_blocks(context, *instance);
    if (status != OCL_OK)
        ocl_instance_give(kernel, *instance);
    return status;
}

void ocl_instance_give(struct ocl_kernel *kernel, struct ocl_instance *instance)
{
    struct ocl_form *form = instance->form;
    ocl_blocks_let_go(kernel->program->context, instance->round);
    if (!instance->cl) { /* renewing it failed */
        destroy_instance(instance);
        return;
    }
    instance = atomic_exchange_explicit(&form->spare, instance, memory_order_acq_rel);
    if (!instance)
        return;
    pthread_mutex_lock(&kernel->program->lock);
    instance->next = form->free;
    form->free = instance;
    pthread_mutex_unlock(&kernel->program->lock);
}
