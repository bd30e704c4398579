/* The table of texture and surface objects.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "cl/check_made.h"
#include "cl/range_map.h"
#include "facade/state/runtime.h"
#include "facade/texture/texture.h"

static struct ocl_range_map *objects; /* by number */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_table(void)
{
    if (ocl_range_map_create(&objects) != OCL_OK)
        objects = NULL;
}

static void forget_textures(struct facade_context *context);

static void link_object(struct facade_texture *object)
{
    struct facade_context *context = object->context;
    pthread_mutex_lock(&context->lock);
    object->next = context->textures;
    if (object->next != NULL)
        object->next->previous = object;
    context->textures = object;
    atomic_store(&context->forget[FACADE_PART_TEXTURES], forget_textures);
    pthread_mutex_unlock(&context->lock);
}

static void unlink_object(struct facade_texture *object)
{
    struct facade_context *context = object->context;
    pthread_mutex_lock(&context->lock);
    if (object->previous != NULL)
        object->previous->next = object->next;
    else if (context->textures == object)
        context->textures = object->next;
    if (object->next != NULL)
        object->next->previous = object->previous;
    pthread_mutex_unlock(&context->lock);
}

static struct facade_texture *new_object(struct facade_context *context,
                                         struct ocl_texture *texture, bool is_surface,
                                         const struct facade_texture_description *description)
{
    struct facade_texture *made =
        facade_handle_new(is_surface ? FACADE_SURFACE : FACADE_TEXTURE, sizeof *made);
    if (made == NULL)
        return NULL;
    made->context = context;
    made->texture = texture;
    made->is_surface = is_surface;
    made->description = *description;
    return made;
}

/* Takes over the texture, also after an error. The object is whole before it can be found. */
static cudaError_t publish(struct facade_context *context, struct ocl_texture *texture,
                           bool is_surface, const struct facade_texture_description *description,
                           unsigned long long *number)
{
    pthread_once(&once, make_table);
    const uint64_t id = ocl_texture_id(texture);
    struct facade_texture *object = new_object(context, texture, is_surface, description);
    if (objects == NULL || object == NULL ||
        ocl_range_map_insert(objects, id, 1, object) != OCL_OK) {
        facade_handle_free(object);
        ocl_texture_release(texture);
        return cudaErrorMemoryAllocation;
    }
    link_object(object);
    ocl_made_note(is_surface ? "surface object" : "texture object", object, context);
    *number = id;
    return cudaSuccess;
}

cudaError_t facade_texture_create(unsigned long long *object,
                                  const struct facade_texture_description *description)
{
    struct facade_context *context = NULL;
    struct ocl_texture *texture = NULL;
    cudaError_t error = facade_current(&context);
    if (error == cudaSuccess)
        error = facade_texture_build(context, description, &texture);
    return error == cudaSuccess ? publish(context, texture, false, description, object) : error;
}

cudaError_t facade_surface_create(unsigned long long *object, const CUDA_RESOURCE_DESC *resource)
{
    const struct facade_texture_description description = {.resource = *resource};
    struct facade_context *context = NULL;
    struct ocl_texture *surface = NULL;
    cudaError_t error = facade_current(&context);
    if (error == cudaSuccess)
        error = facade_surface_build(context, resource, &surface);
    return error == cudaSuccess ? publish(context, surface, true, &description, object) : error;
}

cudaError_t facade_texture_find(unsigned long long object, bool is_surface,
                                struct facade_texture **found)
{
    cudaError_t error = facade_process_state();
    if (error != cudaSuccess)
        return error;
    pthread_once(&once, make_table);
    void *listed = objects != NULL && object != 0 ? ocl_range_map_find(objects, object) : NULL;
    *found = facade_handle_find(is_surface ? FACADE_SURFACE : FACADE_TEXTURE, listed);
    /* An object that comes or goes during the lookup may be another one by now. */
    if (*found == NULL || ocl_texture_id((*found)->texture) != object)
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

/* The number is erased first: lookups must not meet an object that is ending. */
static void end_object(struct facade_texture *object)
{
    ocl_range_map_erase(objects, ocl_texture_id(object->texture), 1);
    ocl_texture_release(object->texture);
    facade_handle_free(object);
}

cudaError_t facade_texture_destroy(unsigned long long object, bool is_surface)
{
    struct facade_texture *found = NULL;
    cudaError_t error = facade_process_state();
    if (error != cudaSuccess || facade_texture_find(object, is_surface, &found) != cudaSuccess)
        return error;
    const struct facade_context *context = found->context;
    unlink_object(found);
    end_object(found);
    return facade_context_check(context);
}

static void forget_textures(struct facade_context *context)
{
    pthread_mutex_lock(&context->lock);
    struct facade_texture *object = context->textures;
    context->textures = NULL;
    pthread_mutex_unlock(&context->lock);
    while (object != NULL) {
        struct facade_texture *next = object->next;
        end_object(object);
        object = next;
    }
}
