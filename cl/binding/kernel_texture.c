/* From the texture and surface objects in void **args to what a launch is given.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/binding/kernel_texture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/array.h"
#include "cl/check.h"
#include "cl/ptx/ptx_kernel.h"
#include "cl/trace.h"

/* ---- Finding the objects ---- */

static ocl_status refuse_entry(const struct ocl_kernel *kernel, const struct ocl_bundle *bundle,
                               const char *why)
{
    const char *wanted = bundle->is_surface ? "surface" : "texture";
    if (bundle->reference)
        ocl_log(true, "kernel %s: %s reference %s %s", kernel->name, wanted, bundle->reference,
                why);
    else
        ocl_log(true, "kernel %s, argument %u, a %s object, %s", kernel->name, bundle->entry,
                wanted, why);
    return OCL_E_INVALID_VALUE;
}

static struct ocl_texture *find_object(const struct ocl_kernel *kernel,
                                       const struct ocl_bundle *bundle,
                                       const struct ocl_launch *launch)
{
    uint64_t id;
    if (bundle->reference)
        return ocl_program_reference(kernel->program, bundle->reference);
    memcpy(&id, launch->arguments[bundle->entry], sizeof id);
    return ocl_texture_acquire(id);
}

/* Objects keep arrays, but no linear memory, and programs may use neither once it was freed. */
static void check_memory(const struct ocl_kernel *kernel, const struct ocl_bundle *bundle,
                         const struct ocl_texture *texture)
{
    const struct ocl_texture_view *view = &texture->view;
    const bool is_freed =
        view->array ? ocl_array_is_freed(view->array) : ocl_check_is_freed(view->address);
    struct ocl_stack stack;
    char what[128];
    if (!is_freed)
        return;
    ocl_check_stack(&stack);
    (void)snprintf(what, sizeof what, "a launch uses a %s whose %s was freed",
                   bundle->is_surface ? "surface" : "texture", view->array ? "array" : "memory");
    ocl_check_report(&(struct ocl_finding){
        .check = OCL_CHECK_MEMORY, .what = what, .kernel = kernel->name, .launch = &stack});
}

static ocl_status find_one(const struct ocl_kernel *kernel, const struct ocl_bundle *bundle,
                           const struct ocl_launch *launch, struct ocl_bound *bound)
{
    bound->texture = find_object(kernel, bundle, launch);
    if (!bound->texture)
        return refuse_entry(kernel, bundle, bundle->reference ? "is not bound" : "is none");
    if (bound->texture->context != kernel->program->context)
        return refuse_entry(kernel, bundle, "belongs to another device");
    if (bound->texture->is_surface != bundle->is_surface)
        return refuse_entry(kernel, bundle,
                            bundle->is_surface ? "is a texture object" : "is a surface object");
    if (ocl_check_wants(OCL_CHECK_MEMORY))
        check_memory(kernel, bundle, bound->texture);
    return OCL_OK;
}

static ocl_status find_all(const struct ocl_kernel *kernel, const struct ocl_launch *launch,
                           struct ocl_bound *bound)
{
    ocl_status status = OCL_OK;
    for (size_t i = 0; status == OCL_OK && i < kernel->bundle_count; i++)
        status = find_one(kernel, &kernel->bundles[i], launch, &bound[i]);
    return status;
}

/* ---- Choosing the variant ---- */

/* Whether a variant is worth having at all: a texture of the header's that may be an image. */
static bool wants_images(const struct ocl_kernel *kernel, const struct ocl_bound *bound)
{
    if (!kernel->program->has_device_header || !ocl_image_is_preferred(kernel->program->context))
        return false;
    for (size_t i = 0; i < kernel->bundle_count; i++)
        if (!kernel->bundles[i].is_plain && !kernel->bundles[i].is_surface &&
            ocl_image_suits(bound[i].texture))
            return true;
    return false;
}

static struct ocl_kernel *find_in_variant(const struct ocl_kernel *kernel)
{
    struct ocl_program *program = ocl_program_by_image(kernel->program);
    return program ? ocl_program_find_kernel(program, kernel->name) : NULL;
}

/* NULL where there is none whose launches would read the same entries. */
static struct ocl_kernel *find_variant(struct ocl_kernel *kernel)
{
    struct ocl_kernel *found = atomic_load_explicit(&kernel->by_image, memory_order_acquire);
    if (found)
        return found;
    found = kernel->ptx ? ocl_ptx_by_image(kernel) : find_in_variant(kernel);
    if (!found || ocl_kernel_ready(found) != OCL_OK || found->facts.status != OCL_OK ||
        found->bundle_count != kernel->bundle_count ||
        found->facts.entry_count != kernel->facts.entry_count)
        return NULL;
    atomic_store_explicit(&kernel->by_image, found, memory_order_release);
    return found;
}

/* Finds image and sampler of one bundle. */
static ocl_status attach(const struct ocl_bundle *bundle, struct ocl_bound *bound)
{
    ocl_status status =
        bundle->is_plain || ocl_image_suits(bound->texture) ? OCL_OK : OCL_E_NOT_SUPPORTED;
    if (status == OCL_OK && (!bundle->is_plain || bundle->count > 1))
        status = ocl_image_sampler(bound->texture, &bound->sampler);
    if (status == OCL_OK)
        status = ocl_image_get(bound->texture, bundle->image_type, &bound->image);
    return status;
}

/* A texture that cannot be an image today goes by memory from now on. */
static ocl_status attach_declared(const struct ocl_kernel *variant, struct ocl_bound *bound)
{
    ocl_status status = OCL_OK;
    for (size_t i = 0; status == OCL_OK && i < variant->bundle_count; i++) {
        const struct ocl_bundle *bundle = &variant->bundles[i];
        if (bundle->image_type == 0 || bundle->is_plain)
            continue;
        status = attach(bundle, &bound[i]);
        if (status == OCL_E_NOT_SUPPORTED)
            atomic_store(&bound[i].texture->by_image, OCL_BY_IMAGE_NO);
    }
    return status;
}

static void detach(const struct ocl_kernel *kernel, struct ocl_bound *bound)
{
    for (size_t i = 0; i < kernel->bundle_count; i++) {
        bound[i].image = NULL;
        bound[i].sampler = NULL;
    }
}

static ocl_status choose_variant(struct ocl_binding *binding)
{
    if (!wants_images(binding->kernel, binding->bound))
        return OCL_OK;
    struct ocl_kernel *variant = find_variant(binding->kernel);
    const ocl_status status =
        variant ? attach_declared(variant, binding->bound) : OCL_E_NOT_SUPPORTED;
    if (status == OCL_OK) {
        binding->kernel = variant;
        return OCL_OK;
    }
    detach(binding->kernel, binding->bound);
    return status == OCL_E_NOT_SUPPORTED ? OCL_OK : status;
}

/* ---- Images of the user's own, and bringing all up to date ---- */

static ocl_status attach_plain(const struct ocl_kernel *kernel, const struct ocl_bundle *bundle,
                               struct ocl_queue *queue, struct ocl_bound *bound)
{
    ocl_status status;
    if (bundle->is_surface) {
        status = ocl_image_borrow(bound->texture, bundle->image_type, queue, &bound->image);
        bound->is_borrowed = status == OCL_OK;
    } else {
        status = attach(bundle, bound);
    }
    if (status == OCL_E_NOT_SUPPORTED)
        (void)refuse_entry(kernel, bundle,
                           "can be no image of the kernel's type on this device: wrong dimensions, "
                           "format, address modes or border");
    return status;
}

static ocl_status prepare_images(const struct ocl_binding *binding, struct ocl_queue *queue)
{
    ocl_status status = OCL_OK;
    for (size_t i = 0; status == OCL_OK && i < binding->kernel->bundle_count; i++) {
        const struct ocl_bundle *bundle = &binding->kernel->bundles[i];
        struct ocl_bound *bound = &binding->bound[i];
        if (bundle->is_plain)
            status = attach_plain(binding->kernel, bundle, queue, bound);
        if (status == OCL_OK && bound->image && !bound->is_borrowed)
            status = ocl_image_refresh(bound->image, queue);
    }
    return status;
}

/* ---- From begin to end ---- */

ocl_status ocl_binding_open(struct ocl_binding *binding, struct ocl_kernel *kernel,
                            struct ocl_queue *queue, const struct ocl_launch *launch,
                            struct ocl_plan *plan)
{
    const size_t count = kernel->bundle_count;
    binding->kernel = kernel;
    binding->bound = count > OCL_BOUND_FEW ? malloc(count * sizeof *binding->bound) : binding->few;
    if (!binding->bound)
        return OCL_E_OUT_OF_MEMORY;
    memset(binding->bound, 0, count * sizeof *binding->bound);
    ocl_status status = find_all(kernel, launch, binding->bound);
    if (status == OCL_OK)
        status = choose_variant(binding);
    if (status == OCL_OK)
        status = prepare_images(binding, queue);
    if (status == OCL_OK && binding->kernel != kernel)
        status = ocl_plan_make(&binding->kernel, launch, plan);
    return status;
}

ocl_status ocl_binding_written(const struct ocl_binding *binding, struct ocl_queue *queue)
{
    ocl_status status = OCL_OK;
    for (size_t i = 0; i < binding->kernel->bundle_count; i++) {
        const struct ocl_bound *bound = &binding->bound[i];
        if (!binding->kernel->bundles[i].is_surface)
            continue;
        ocl_status own = bound->is_borrowed ? ocl_image_store(bound->image, queue) : OCL_OK;
        if (own == OCL_OK)
            own = ocl_array_written(bound->texture->view.array, queue);
        if (status == OCL_OK)
            status = own;
    }
    return status;
}

void ocl_binding_close(struct ocl_binding *binding)
{
    for (size_t i = 0; binding->bound && i < binding->kernel->bundle_count; i++) {
        struct ocl_bound *bound = &binding->bound[i];
        if (bound->is_borrowed)
            ocl_image_release(bound->image);
        if (bound->texture)
            ocl_texture_drop(bound->texture);
    }
    if (binding->bound != binding->few)
        free(binding->bound);
}
