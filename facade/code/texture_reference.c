/* Texture and surface references: finding them in modules and giving kernels what is bound.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/code/texture_reference.h"

#include <stdlib.h>
#include <string.h>

#include "cl/check_made.h"

/* --- the references of a context -------------------------------------------------------------- */

static void forget_references(struct facade_context *context);

static void link_reference(struct facade_reference *reference)
{
    struct facade_context *context = reference->context;
    pthread_mutex_lock(&context->lock);
    reference->next = context->references;
    if (reference->next != NULL)
        reference->next->previous = reference;
    context->references = reference;
    atomic_store(&context->forget[FACADE_PART_REFERENCES], forget_references);
    pthread_mutex_unlock(&context->lock);
}

/* Context lock held. */
static void unlink_reference(struct facade_reference *reference)
{
    struct facade_context *context = reference->context;
    if (reference->previous != NULL)
        reference->previous->next = reference->next;
    else
        context->references = reference->next;
    if (reference->next != NULL)
        reference->next->previous = reference->previous;
    reference->next = reference->previous = NULL;
}

/* No lock held: a texture may end here, and with it an array. */
static void end_reference(struct facade_reference *reference)
{
    ocl_texture_release(reference->texture);
    free(reference->name);
    facade_handle_free(reference);
}

static struct facade_reference *take_one(struct facade_context *context,
                                         const struct facade_module *module)
{
    pthread_mutex_lock(&context->lock);
    struct facade_reference *reference = context->references;
    while (reference != NULL && module != NULL && reference->module != module)
        reference = reference->next;
    if (reference != NULL)
        unlink_reference(reference);
    pthread_mutex_unlock(&context->lock);
    return reference;
}

void facade_references_forget(struct facade_context *context, const struct facade_module *module)
{
    struct facade_reference *reference;
    while ((reference = take_one(context, module)) != NULL)
        end_reference(reference);
}

static void forget_references(struct facade_context *context)
{
    facade_references_forget(context, NULL);
}

/* What a reference says before anything was set. Source: NVIDIA's driver. */
static void set_defaults(struct facade_reference *reference)
{
    reference->format = CU_AD_FORMAT_FLOAT;
    reference->channels = 1;
    for (int i = 0; i < 3; i++) {
        reference->description.sampling.addressMode[i] = CU_TR_ADDRESS_MODE_CLAMP;
        reference->host_texture.addressMode[i] = cudaAddressModeClamp;
    }
}

static struct facade_reference *new_reference(struct facade_context *context, bool is_surface)
{
    struct facade_reference *made = facade_handle_new(
        is_surface ? FACADE_SURFACE_REFERENCE : FACADE_TEXTURE_REFERENCE, sizeof *made);
    if (made == NULL)
        return NULL;
    made->context = context;
    made->is_surface = is_surface;
    set_defaults(made);
    return made;
}

cudaError_t facade_reference_new(struct facade_reference **reference)
{
    struct facade_context *context = NULL;
    cudaError_t error = facade_current(&context);
    if (error != cudaSuccess)
        return error;
    *reference = new_reference(context, false);
    if (*reference == NULL)
        return cudaErrorMemoryAllocation;
    link_reference(*reference);
    ocl_made_note("texture reference", *reference, context);
    return cudaSuccess;
}

void facade_reference_free(struct facade_reference *reference)
{
    if (reference->module != NULL)
        return;
    pthread_mutex_lock(&reference->context->lock);
    unlink_reference(reference);
    pthread_mutex_unlock(&reference->context->lock);
    end_reference(reference);
}

/* --- the references of a module --------------------------------------------------------------- */

static struct facade_reference *find_known(struct facade_module *module, const char *name,
                                           bool is_surface)
{
    pthread_mutex_lock(&module->context->lock);
    struct facade_reference *reference = module->context->references;
    while (reference != NULL &&
           !(reference->module == module && reference->is_surface == is_surface &&
             strcmp(reference->name, name) == 0))
        reference = reference->next;
    pthread_mutex_unlock(&module->context->lock);
    return reference;
}

cudaError_t facade_reference_of_module(struct facade_module *module, const char *name,
                                       bool is_surface, struct facade_reference **reference)
{
    *reference = find_known(module, name, is_surface);
    if (*reference != NULL)
        return cudaSuccess;
    ocl_status status = ocl_program_find_reference(module->program, name, is_surface);
    if (status != OCL_OK)
        return status == OCL_E_NOT_FOUND ? cudaErrorSymbolNotFound
                                         : facade_error_from(status, FACADE_OTHER);
    struct facade_reference *made = new_reference(module->context, is_surface);
    if (made == NULL)
        return cudaErrorMemoryAllocation;
    made->name = strdup(name);
    if (made->name == NULL) {
        end_reference(made);
        return cudaErrorMemoryAllocation;
    }
    made->module = module;
    link_reference(made);
    *reference = made;
    return cudaSuccess;
}

/* --- what kernels get ------------------------------------------------------------------------- */

/* Format and resource are set apart from each other. */
static void complete_resource(struct facade_reference *reference)
{
    CUDA_RESOURCE_DESC *resource = &reference->description.resource;
    const unsigned channels = reference->channels != 0 ? reference->channels : 1;
    if (resource->resType == CU_RESOURCE_TYPE_LINEAR) {
        resource->res.linear.format = reference->format;
        resource->res.linear.numChannels = channels;
    } else if (resource->resType == CU_RESOURCE_TYPE_PITCH2D) {
        resource->res.pitch2D.format = reference->format;
        resource->res.pitch2D.numChannels = channels;
    }
}

static cudaError_t build(struct facade_reference *reference, struct ocl_texture **texture)
{
    if (reference->is_surface)
        return facade_surface_build(reference->context, &reference->description.resource, texture);
    complete_resource(reference);
    return facade_texture_build(reference->context, &reference->description, texture);
}

/* The program gets the new texture first: there is none between the two for a launch to miss. */
cudaError_t facade_reference_apply(struct facade_reference *reference)
{
    struct ocl_texture *texture = NULL;
    cudaError_t error = cudaSuccess;
    if (reference->module == NULL)
        return cudaSuccess;
    if (reference->is_bound)
        error = build(reference, &texture);
    if (error == cudaSuccess || reference->texture != NULL) {
        ocl_status status =
            ocl_program_set_reference(reference->module->program, reference->name, texture);
        if (status != OCL_OK) {
            ocl_texture_release(texture);
            return facade_error_from(status, FACADE_OTHER);
        }
    }
    ocl_texture_release(reference->texture);
    reference->texture = texture;
    return error;
}

cudaError_t facade_reference_bind(struct facade_reference *reference,
                                  const struct facade_texture_description *description)
{
    const CUDA_RESOURCE_DESC *resource = &description->resource;
    reference->description = *description;
    reference->is_bound = true;
    if (resource->resType == CU_RESOURCE_TYPE_LINEAR) {
        reference->format = resource->res.linear.format;
        reference->channels = resource->res.linear.numChannels;
    } else if (resource->resType == CU_RESOURCE_TYPE_PITCH2D) {
        reference->format = resource->res.pitch2D.format;
        reference->channels = resource->res.pitch2D.numChannels;
    }
    cudaError_t error = facade_reference_apply(reference);
    reference->is_bound = error == cudaSuccess;
    return error;
}

cudaError_t facade_reference_unbind(struct facade_reference *reference)
{
    reference->is_bound = false;
    return facade_reference_apply(reference);
}
