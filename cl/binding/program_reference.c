/* What a program's texture references are bound to, and its variant for images.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/binding/kernel_texture.h"
#include "cl/program/kernel.h"
#include "cl/program/lazy.h"
#include "cl/ptx/ptx_kernel.h"

struct ocl_reference {
    struct ocl_reference *next;
    struct ocl_texture *texture; /* counted, or NULL */
    char name[];
};

/* Lock held. */
static struct ocl_reference *find(const struct ocl_program *program, const char *name)
{
    struct ocl_reference *reference = program->references;
    while (reference && strcmp(reference->name, name) != 0)
        reference = reference->next;
    return reference;
}

static struct ocl_reference *make(const char *name)
{
    struct ocl_reference *made = calloc(1, sizeof *made + strlen(name) + 1);
    if (made)
        strcpy(made->name, name);
    return made;
}

/* A texture that is let go of may end here, and with it an array: not under the lock. */
ocl_status ocl_program_set_reference(struct ocl_program *program, const char *name,
                                     struct ocl_texture *texture)
{
    struct ocl_reference *spare = make(name);
    if (!spare)
        return OCL_E_OUT_OF_MEMORY;
    if (texture)
        ocl_texture_retain(texture);
    pthread_mutex_lock(&program->lock);
    struct ocl_reference *reference = find(program, name);
    if (!reference) {
        spare->next = program->references;
        reference = program->references = spare;
        spare = NULL;
    }
    struct ocl_texture *before = reference->texture;
    reference->texture = texture;
    pthread_mutex_unlock(&program->lock);
    free(spare);
    if (before)
        ocl_texture_drop(before);
    return OCL_OK;
}

struct ocl_texture *ocl_program_reference(struct ocl_program *variant, const char *name)
{
    struct ocl_program *program = ocl_program_origin(variant);
    pthread_mutex_lock(&program->lock);
    const struct ocl_reference *reference = find(program, name);
    struct ocl_texture *texture = reference ? reference->texture : NULL;
    if (texture)
        ocl_texture_retain(texture);
    pthread_mutex_unlock(&program->lock);
    return texture;
}

static ocl_status find_in_kernel(struct ocl_kernel *kernel, const char *name, bool is_surface)
{
    const ocl_status status = ocl_kernel_facts(kernel)->status;
    if (status != OCL_OK)
        return status;
    for (size_t i = 0; i < kernel->bundle_count; i++) {
        const struct ocl_bundle *bundle = &kernel->bundles[i];
        if (bundle->reference && bundle->is_surface == is_surface &&
            strcmp(bundle->reference, name) == 0)
            return OCL_OK;
    }
    return OCL_E_NOT_FOUND;
}

/* A kernel that can never be launched has nothing to tell. */
ocl_status ocl_program_find_reference(struct ocl_program *program, const char *name,
                                      bool is_surface)
{
    ocl_status result = OCL_E_NOT_FOUND;
    if (program->ptx)
        return ocl_ptx_has_reference(program, name, is_surface) ? OCL_OK : OCL_E_NOT_FOUND;
    for (size_t i = 0; i < ocl_program_kernel_count(program); i++) {
        const ocl_status status = find_in_kernel(ocl_program_kernel(program, i), name, is_surface);
        if (status == OCL_OK)
            return OCL_OK;
        if (status != OCL_E_NOT_FOUND && status != OCL_E_NOT_SUPPORTED)
            result = status;
    }
    return result;
}

void ocl_program_forget_references(struct ocl_program *program)
{
    while (program->references) {
        struct ocl_reference *reference = program->references;
        program->references = reference->next;
        if (reference->texture)
            ocl_texture_drop(reference->texture);
        free(reference);
    }
}

/* ---- The variant for images ---- */

/* What does not build today will not build tomorrow; a lack of memory may pass. */
static ocl_status build_variant(void *data)
{
    struct ocl_program *program = data;
    char *options = NULL;
    if (asprintf(&options, "%s -D CLEM_TEXTURES_BY_IMAGE=1", program->options) < 0)
        return OCL_E_OUT_OF_MEMORY;
    const ocl_status status = ocl_program_build(
        program->context, program->text, program->text_bytes, options, &program->by_image, NULL);
    free(options);
    if (status == OCL_OK) {
        program->by_image->origin = ocl_program_origin(program);
        program->by_image->has_device_header = true;
    }
    return status == OCL_E_BUILD ? OCL_OK : status;
}

struct ocl_program *ocl_program_by_image(struct ocl_program *program)
{
    (void)ocl_lazy_find(program, &program->by_image_state, build_variant, program);
    return program->by_image;
}
