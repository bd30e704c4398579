/* Images that stand for textures and surfaces: making, keeping and refreshing them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/image/image.h"

#include <stdlib.h>
#include <string.h>

#include "cl/base/options.h"
#include "cl/image/image_private.h"
#include "cl/memory/address.h"
#include "cl/memory/allocation.h"
#include "cl/program/builtin.h"
#include "cl/program/kernel.h"
#include "cl/queue/queue_private.h"
#include "cl/state/failure.h"
#include "cl/trace.h"

/* ---- What can go by image ---- */

bool ocl_image_is_preferred(const struct ocl_context *context)
{
    const char *wanted = ocl_options_get()->textures;
    if (wanted)
        return strcmp(wanted, "image") == 0;
    return context->device->facts.device_class != OCL_CLASS_CPU;
}

/* Dimensions that coordinates have; layers are chosen by number and have no address mode. */
static unsigned dimensions_of(const struct ocl_texture_view *view)
{
    if (view->source == OCL_TEXTURE_LINEAR)
        return 1;
    if (view->source == OCL_TEXTURE_PITCHED)
        return 2;
    const struct ocl_array_shape *shape = ocl_array_shape(view->array);
    if (shape->depth > 0)
        return 3;
    return shape->height > 0 ? 2 : 1;
}

static bool is_cube(const struct ocl_texture *texture)
{
    return texture->view.array && ocl_array_shape(texture->view.array)->is_cube;
}

/* A sampler has one mode, and no colour of its own. */
static bool has_one_mode(const struct ocl_texture *texture)
{
    const struct clem_texture *facts = &texture->facts.texture;
    for (unsigned i = 1; i < dimensions_of(&texture->view); i++)
        if (facts->address[i] != facts->address[0])
            return false;
    for (int i = 0; facts->address[0] == CLEM_ADDRESS_BORDER && i < 4; i++)
        if (facts->border[i] != 0.0f)
            return false;
    return true;
}

static bool suits_sampler(const struct ocl_texture *texture)
{
    if (is_cube(texture))
        return !texture->sampling.is_seamless_cube &&
               texture->facts.texture.address[0] == CLEM_ADDRESS_CLAMP && has_one_mode(texture);
    return has_one_mode(texture);
}

bool ocl_image_suits(struct ocl_texture *texture)
{
    int by_image = atomic_load_explicit(&texture->by_image, memory_order_relaxed);
    if (by_image == OCL_BY_IMAGE_UNKNOWN) {
        const struct ocl_texture_view *view = &texture->view;
        const bool suits = !texture->is_surface && view->source == OCL_TEXTURE_ARRAY &&
                           view->first_level == view->last_level && view->first_layer == 0 &&
                           suits_sampler(texture);
        by_image = suits ? OCL_BY_IMAGE_YES : OCL_BY_IMAGE_NO;
        atomic_store_explicit(&texture->by_image, by_image, memory_order_relaxed);
    }
    return by_image == OCL_BY_IMAGE_YES;
}

static cl_channel_type channel_type(uint32_t format)
{
    static const cl_channel_type types[] = {
        [CLEM_FORMAT_F32] = CL_FLOAT,          [CLEM_FORMAT_F16] = CL_HALF_FLOAT,
        [CLEM_FORMAT_UNORM8] = CL_UNORM_INT8,  [CLEM_FORMAT_UNORM16] = CL_UNORM_INT16,
        [CLEM_FORMAT_SNORM8] = CL_SNORM_INT8,  [CLEM_FORMAT_SNORM16] = CL_SNORM_INT16,
        [CLEM_FORMAT_SRGB8] = CL_UNORM_INT8,   [CLEM_FORMAT_U8] = CL_UNSIGNED_INT8,
        [CLEM_FORMAT_U16] = CL_UNSIGNED_INT16, [CLEM_FORMAT_U32] = CL_UNSIGNED_INT32,
        [CLEM_FORMAT_S8] = CL_SIGNED_INT8,     [CLEM_FORMAT_S16] = CL_SIGNED_INT16,
        [CLEM_FORMAT_S32] = CL_SIGNED_INT32,
    };
    return types[format];
}

/* sRGB is there with four channels only. */
static bool find_format(const struct ocl_texture *texture, cl_image_format *format)
{
    const unsigned channels = texture->view.texel.channels;
    const uint32_t code = texture->format;
    format->image_channel_data_type = channel_type(code);
    if (code == CLEM_FORMAT_SRGB8)
        format->image_channel_order = CL_sRGBA;
    else
        format->image_channel_order = channels == 1 ? CL_R : channels == 2 ? CL_RG : CL_RGBA;
    return code != CLEM_FORMAT_SRGB8 || channels == 4;
}

/* The image type that holds texels of this shape. */
static cl_mem_object_type type_of(const struct ocl_texture_view *view)
{
    const unsigned dimensions = dimensions_of(view);
    if (view->source == OCL_TEXTURE_LINEAR)
        return CL_MEM_OBJECT_IMAGE1D_BUFFER;
    if (view->array && ocl_array_shape(view->array)->layers > 0)
        return dimensions == 1 ? CL_MEM_OBJECT_IMAGE1D_ARRAY : CL_MEM_OBJECT_IMAGE2D_ARRAY;
    return dimensions == 1   ? CL_MEM_OBJECT_IMAGE1D
           : dimensions == 2 ? CL_MEM_OBJECT_IMAGE2D
                             : CL_MEM_OBJECT_IMAGE3D;
}

/* Whether the driver finds the layer that is meant. */
static bool finds_layers(const struct ocl_texture *texture, bool is_normalized)
{
    const cl_mem_object_type type = type_of(&texture->view);
    if (!is_normalized)
        return true;
    if (type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
        return ocl_image_is_right(texture->context, OCL_IMAGE_LAYERED_ROWS);
    return type != CL_MEM_OBJECT_IMAGE2D_ARRAY ||
           ocl_image_is_right(texture->context, OCL_IMAGE_LAYERED_PLANES);
}

ocl_status ocl_image_sampler(struct ocl_texture *texture, cl_sampler *sampler)
{
    const struct clem_texture *facts = &texture->facts.texture;
    const bool is_integer = facts->format >= CLEM_FORMAT_U8;
    const bool is_normalized = facts->flags & CLEM_TEXTURE_NORMALIZED || is_cube(texture);
    if (texture->is_surface || !suits_sampler(texture) || !finds_layers(texture, is_normalized))
        return OCL_E_NOT_SUPPORTED;
    return ocl_image_facts_sampler(texture->context, is_normalized,
                                   (enum ocl_address_mode)facts->address[0],
                                   facts->flags & CLEM_TEXTURE_LINEAR && !is_integer, sampler);
}

/* ---- Making and ending ---- */

static void destroy(struct ocl_image *image)
{
    if (image->ready)
        clReleaseEvent(image->ready);
    if (image->filler)
        clReleaseKernel(image->filler);
    if (image->cl)
        clReleaseMemObject(image->cl);
    if (image->part)
        clReleaseMemObject(image->part);
    pthread_mutex_destroy(&image->lock);
    free(image);
}

void ocl_image_release(struct ocl_image *image)
{
    if (image && !image->is_shared)
        destroy(image);
}

static void release_images(struct ocl_array *array)
{
    while (array->images) {
        struct ocl_image *image = array->images;
        array->images = image->next;
        destroy(image);
    }
}

static struct ocl_image *make(const struct ocl_texture *texture, const struct ocl_image_key *key)
{
    static _Atomic uint64_t last_serial;
    struct ocl_image *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    pthread_mutex_init(&made->lock, NULL);
    made->key = *key;
    made->context = texture->context;
    made->array = texture->view.array;
    made->code = texture->format;
    made->serial = atomic_fetch_add(&last_serial, 1) + 1;
    return made;
}

static cl_image_desc describe(const struct ocl_texture *texture, const struct ocl_image_key *key)
{
    const struct ocl_texture_view *view = &texture->view;
    const bool is_layered =
        key->type == CL_MEM_OBJECT_IMAGE1D_ARRAY || key->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    cl_image_desc description = {.image_type = key->type, .image_width = view->width};
    if (dimensions_of(view) > 1)
        description.image_height = view->height;
    if (key->type == CL_MEM_OBJECT_IMAGE3D)
        description.image_depth = texture->slices;
    if (is_layered)
        description.image_array_size = key->layers;
    return description;
}

/* Which refusals say that there is no such image, rather than that something is wrong. */
static ocl_status image_status(cl_int error)
{
    switch (error) {
    case CL_SUCCESS:
    case CL_OUT_OF_HOST_MEMORY:
        return error;
    default:
        ocl_trace("no image for a texture: %s", ocl_status_name(error));
        return OCL_E_NOT_SUPPORTED;
    }
}

/* The part of a buffer that holds the texels and nothing before them. */
static cl_int share_bytes(struct ocl_image *image, const struct ocl_texture_view *view,
                          const struct ocl_place *place)
{
    const size_t row = view->width * ocl_texel_bytes(&view->texel);
    const cl_buffer_region region = {place->offset, (view->height - 1) * view->pitch + row};
    cl_int error = CL_SUCCESS;
    image->part =
        clCreateSubBuffer(place->buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    return error;
}

/* Rows of an image over a buffer must be placed as the device wants them. */
static bool suits_rows(const struct ocl_texture *texture)
{
    const struct ocl_texture_view *view = &texture->view;
    const size_t texel = ocl_texel_bytes(&view->texel);
    const uint32_t base = ocl_image_base_alignment(texture->context);
    const uint32_t rows = texture->context->device->facts.image_pitch_alignment;
    return base > 0 && rows > 0 && view->address % (base * texel) == 0 &&
           view->pitch % (rows * texel) == 0;
}

/* PoCL 3.1 crashes at launches with an image over a buffer; CPUs have no use for them anyway. With
 * images over buffers over SVM memory a test failed on NVIDIA (580); the cause was not seen. */
static bool can_share_bytes(const struct ocl_texture *texture)
{
    return texture->context->device->facts.device_class != OCL_CLASS_CPU &&
           texture->context->capability.address != OCL_ADDRESS_SVM &&
           (texture->view.source != OCL_TEXTURE_PITCHED || suits_rows(texture));
}

static ocl_status create_shared_bytes(struct ocl_image *image, const struct ocl_texture *texture,
                                      const cl_image_desc *description)
{
    cl_image_desc over_part = *description;
    cl_int error = CL_SUCCESS;
    struct ocl_allocation *allocation = ocl_address_acquire(texture->view.address);
    if (!allocation)
        return OCL_E_NOT_SUPPORTED;
    const struct ocl_place place = ocl_allocation_place(allocation, texture->view.address);
    error = place.buffer ? share_bytes(image, &texture->view, &place) : CL_INVALID_MEM_OBJECT;
    over_part.buffer = image->part;
    if (texture->view.source == OCL_TEXTURE_PITCHED)
        over_part.image_row_pitch = texture->view.pitch;
    if (error == CL_SUCCESS)
        image->cl = clCreateImage(image->context->cl, CL_MEM_READ_ONLY, &image->key.format,
                                  &over_part, NULL, &error);
    ocl_allocation_release(allocation);
    return image_status(error);
}

/* CPUs copy faster by the driver's command. Whatever goes wrong here, that remains. */
static void find_filler(struct ocl_image *image)
{
    struct ocl_kernel *kernel = NULL;
    cl_int error;
    struct ocl_context *context = image->context;
    const struct ocl_image_key *key = &image->key;
    const char *name =
        context->device->facts.device_class == OCL_CLASS_CPU ? NULL : ocl_image_filler_name(key);
    if (name && ocl_image_has_format(context, key->type, &key->format, true) == OCL_OK &&
        ocl_builtin_kernel(context, "image_fill", name, &kernel) == OCL_OK)
        image->filler = clCreateKernel(kernel->program->cl, kernel->name, &error);
}

static ocl_status create_copy(struct ocl_image *image, const cl_image_desc *description,
                              bool is_written)
{
    cl_int error = CL_SUCCESS;
    cl_mem_flags flags = is_written ? CL_MEM_WRITE_ONLY : CL_MEM_READ_ONLY;
    if (!is_written)
        find_filler(image);
    if (image->filler)
        flags = CL_MEM_READ_WRITE;
    image->cl =
        clCreateImage(image->context->cl, flags, &image->key.format, description, NULL, &error);
    return image_status(error);
}

/* Memory without a cl_mem cannot be copied to images. */
static bool has_buffer(const struct ocl_texture *texture)
{
    struct ocl_allocation *allocation = ocl_address_acquire(texture->view.address);
    if (!allocation)
        return false;
    const bool has = ocl_allocation_place(allocation, texture->view.address).buffer != NULL;
    ocl_allocation_release(allocation);
    return has;
}

static ocl_status check_key(struct ocl_texture *texture, const struct ocl_image_key *key,
                            bool is_written)
{
    /* Neither NVIDIA's copies nor kernels could fill the latter; see image_fill.c. */
    const bool cannot_be_filled =
        key->type == CL_MEM_OBJECT_IMAGE1D_ARRAY && key->format.image_channel_order == CL_sRGBA;
    if (key->type != type_of(&texture->view) || cannot_be_filled || !has_buffer(texture))
        return OCL_E_NOT_SUPPORTED;
    const ocl_status status =
        ocl_image_has_format(texture->context, key->type, &key->format, is_written);
    if (status == OCL_OK && !is_written && key->format.image_channel_data_type == CL_HALF_FLOAT &&
        !ocl_image_is_right(texture->context, OCL_IMAGE_HALVES))
        return OCL_E_NOT_SUPPORTED;
    if (status != OCL_OK || texture->view.array)
        return status;
    return can_share_bytes(texture) ? OCL_OK : OCL_E_NOT_SUPPORTED;
}

static ocl_status create(struct ocl_texture *texture, const struct ocl_image_key *key,
                         bool is_written, struct ocl_image **image)
{
    ocl_status status = check_key(texture, key, is_written);
    struct ocl_image *made = status == OCL_OK ? make(texture, key) : NULL;
    if (!made)
        return status == OCL_OK ? OCL_E_OUT_OF_MEMORY : status;
    const cl_image_desc description = describe(texture, key);
    status = made->array ? create_copy(made, &description, is_written)
                         : create_shared_bytes(made, texture, &description);
    if (status == OCL_OK)
        *image = made;
    else
        destroy(made);
    return status;
}

/* ---- Keeping ---- */

static bool make_key(const struct ocl_texture *texture, cl_mem_object_type type,
                     struct ocl_image_key *key)
{
    const struct ocl_texture_view *view = &texture->view;
    key->type = type;
    key->level = view->first_level;
    key->first_layer = view->first_layer;
    key->layers = view->last_layer - view->first_layer + 1;
    return find_format(texture, &key->format);
}

static bool is_same(const struct ocl_image_key *a, const struct ocl_image_key *b)
{
    return a->type == b->type && a->level == b->level && a->first_layer == b->first_layer &&
           a->layers == b->layers &&
           a->format.image_channel_order == b->format.image_channel_order &&
           a->format.image_channel_data_type == b->format.image_channel_data_type;
}

/* Array's lock held. */
static struct ocl_image *find_kept(const struct ocl_array *array, const struct ocl_image_key *key)
{
    for (struct ocl_image *image = array->images; image; image = image->next)
        if (is_same(&image->key, key))
            return image;
    return NULL;
}

/* The array's image of that key: the one that is there, or made, which becomes the array's. */
static struct ocl_image *keep(struct ocl_array *array, const struct ocl_image_key *key,
                              struct ocl_image *made)
{
    pthread_mutex_lock(&array->lock);
    struct ocl_image *found = find_kept(array, key);
    if (!found && made) {
        array->release_images = release_images;
        made->is_shared = true;
        made->next = array->images;
        found = array->images = made;
    }
    pthread_mutex_unlock(&array->lock);
    return found;
}

static ocl_status find_or_create(struct ocl_texture *texture, const struct ocl_image_key *key,
                                 struct ocl_image **image)
{
    struct ocl_array *array = texture->view.array;
    struct ocl_image *made = NULL;
    *image = array ? keep(array, key, NULL) : NULL;
    if (*image)
        return OCL_OK;
    const ocl_status status = create(texture, key, false, &made);
    if (status != OCL_OK)
        return status;
    *image = array ? keep(array, key, made) : made;
    if (*image != made)
        destroy(made); /* another thread was first */
    return OCL_OK;
}

ocl_status ocl_image_get(struct ocl_texture *texture, cl_mem_object_type type,
                         struct ocl_image **image)
{
    struct ocl_image_key key;
    struct ocl_image *known = atomic_load_explicit(&texture->image, memory_order_acquire);
    if (known && known->key.type == type) {
        *image = known;
        return OCL_OK;
    }
    /* A texture has one image: other types than the one that holds its texels are refused. */
    if (texture->is_surface || !make_key(texture, type, &key))
        return OCL_E_NOT_SUPPORTED;
    const ocl_status status = find_or_create(texture, &key, image);
    if (status != OCL_OK)
        return status;
    struct ocl_image *first = NULL;
    if (!atomic_compare_exchange_strong(&texture->image, &first, *image) && first != *image) {
        ocl_image_release(*image);
        *image = first;
    }
    return OCL_OK;
}

/* ---- Refreshing ---- */

static bool follows(const struct ocl_image *image, uint64_t queue)
{
    for (int i = 0; i < OCL_IMAGE_FOLLOWERS; i++)
        if (atomic_load_explicit(&image->followers[i], memory_order_acquire) == queue)
            return true;
    return false;
}

/* Lock held. From now on the queue's commands come after the latest refresh. */
static void add_follower(struct ocl_image *image, uint64_t queue)
{
    atomic_store_explicit(&image->followers[image->next_follower], queue, memory_order_release);
    image->next_follower = (image->next_follower + 1) % OCL_IMAGE_FOLLOWERS;
}

static void forget_followers(struct ocl_image *image)
{
    for (int i = 0; i < OCL_IMAGE_FOLLOWERS; i++)
        atomic_store_explicit(&image->followers[i], 0, memory_order_relaxed);
}

/* Lock held. Also needed before another refresh: the older one must not overtake it. */
static ocl_status follow(struct ocl_image *image, struct ocl_queue *queue)
{
    const uint64_t id = atomic_load(&queue->id);
    if (!image->ready || atomic_load(&image->is_settled) || follows(image, id))
        return OCL_OK;
    const cl_int state = ocl_event_news(image->ready);
    if (state < 0)
        return ocl_context_fail(queue->context, state);
    if (state == CL_COMPLETE) {
        clReleaseEvent(image->ready);
        image->ready = NULL;
        atomic_store(&image->is_settled, true);
        return OCL_OK;
    }
    ocl_status status = ocl_queue_order(queue);
    if (status == OCL_OK)
        status = ocl_queue_hold(queue, 1, &image->ready);
    if (status == OCL_OK)
        add_follower(image, id);
    return status;
}

/* Lock held. What is written while the version is being read belongs to a later one. */
static ocl_status fill(struct ocl_image *image, struct ocl_queue *queue)
{
    cl_event ready = NULL;
    const uint64_t version = atomic_load(&image->array->version) + 1;
    ocl_status status = ocl_array_wait_for_writes(image->array, queue);
    if (status == OCL_OK)
        status = ocl_image_copy(image, queue, false, &ready);
    if (status != OCL_OK)
        return status;
    if (image->ready)
        clReleaseEvent(image->ready);
    image->ready = ready;
    atomic_store(&image->is_settled, false);
    forget_followers(image);
    add_follower(image, atomic_load(&queue->id));
    atomic_store_explicit(&image->version, version, memory_order_release);
    return OCL_OK;
}

static bool is_current(const struct ocl_image *image)
{
    return atomic_load_explicit(&image->version, memory_order_acquire) ==
           atomic_load_explicit(&image->array->version, memory_order_acquire) + 1;
}

ocl_status ocl_image_refresh(struct ocl_image *image, struct ocl_queue *queue)
{
    if (!image->array || (is_current(image) && (atomic_load(&image->is_settled) ||
                                                follows(image, atomic_load(&queue->id)))))
        return OCL_OK;
    pthread_mutex_lock(&image->lock);
    ocl_status status = follow(image, queue);
    if (status == OCL_OK && !is_current(image))
        status = fill(image, queue);
    pthread_mutex_unlock(&image->lock);
    return status;
}

/* ---- Surfaces ---- */

ocl_status ocl_image_borrow(struct ocl_texture *surface, cl_mem_object_type type,
                            struct ocl_queue *queue, struct ocl_image **image)
{
    struct ocl_image_key key;
    struct ocl_image *made;
    if (!surface->is_surface || !make_key(surface, type, &key))
        return OCL_E_NOT_SUPPORTED;
    ocl_status status = create(surface, &key, true, &made);
    if (status != OCL_OK)
        return status;
    status = ocl_array_wait_for_writes(made->array, queue);
    if (status == OCL_OK)
        status = ocl_image_copy(made, queue, false, NULL);
    if (status == OCL_OK)
        *image = made;
    else
        destroy(made);
    return status;
}

ocl_status ocl_image_store(struct ocl_image *image, struct ocl_queue *queue)
{
    return ocl_image_copy(image, queue, true, NULL);
}
