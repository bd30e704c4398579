/* Texture and surface objects: making them, finding them by id, ending them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/texture.h"

#include <sched.h>
#include <stdlib.h>

#include "cl/image/image.h"
#include "cl/image/texture_private.h"
#include "cl/memory/address.h"
#include "cl/memory/allocation.h"
#include "cl/slab.h"

/* An id is a slot (low bits) and a generation (high bits, from 1 on). Memory of the slab keeps its
 * slot for good and has a new generation at each use; when the generations are used up, the memory
 * is left behind. So ids are never used again, and a lookup is two loads. */
enum {
    SLOT_BITS = 20,
    SLOT_MOST = 1 << SLOT_BITS,
    GENERATION_MOST = (1 << (32 - SLOT_BITS)) - 1,
    PAGE_SLOTS = 1024,
    PAGES = SLOT_MOST / PAGE_SLOTS
};

typedef _Atomic(struct ocl_texture *) slot;

static struct ocl_slab textures = OCL_SLAB_INITIALIZER(sizeof(struct ocl_texture));
static _Atomic(slot *) pages[PAGES]; /* stay for the life of the process, as the slab does */
static _Atomic uint32_t last_slot;   /* slot 0 is nobody's: id 0 is no object */

/* NULL without memory. */
static slot *page_of(uint32_t index)
{
    _Atomic(slot *) *place = &pages[index / PAGE_SLOTS];
    slot *page = atomic_load_explicit(place, memory_order_acquire);
    if (page)
        return page;
    slot *made = calloc(PAGE_SLOTS, sizeof *made);
    if (made && atomic_compare_exchange_strong(place, &page, made))
        return made;
    free(made); /* another thread was first, or there is no memory */
    return page;
}

/* Gives fresh memory its slot. False when there are no more. */
static bool take_slot(struct ocl_texture *texture)
{
    const uint32_t index = atomic_fetch_add(&last_slot, 1) + 1;
    slot *page = index < SLOT_MOST ? page_of(index) : NULL;
    if (!page) {
        atomic_fetch_sub(&last_slot, index >= SLOT_MOST); /* it must not wrap */
        return false;
    }
    texture->slot = index;
    atomic_store_explicit(&page[index % PAGE_SLOTS], texture, memory_order_release);
    return true;
}

/* Memory with an id of its own and no reference. */
static struct ocl_texture *take(struct ocl_context *context)
{
    struct ocl_texture *made = ocl_slab_take(&textures);
    if (!made)
        return NULL;
    if (made->slot == 0 && !take_slot(made)) {
        ocl_slab_give(&textures, made);
        return NULL;
    }
    made->generation++;
    atomic_store(&made->id, made->generation << SLOT_BITS | made->slot);
    made->context = context;
    atomic_store(&made->by_image, OCL_BY_IMAGE_UNKNOWN);
    atomic_store(&made->image, NULL);
    return made;
}

static void give(struct ocl_texture *texture)
{
    atomic_store(&texture->id, 0);
    if (texture->generation < GENERATION_MOST)
        ocl_slab_give(&textures, texture);
}

/* From here on lookups find it. */
static void publish(struct ocl_texture *texture)
{
    atomic_store(&texture->is_live, true);
    atomic_store_explicit(&texture->references, 1, memory_order_release);
    atomic_fetch_add(&texture->context->texture_version, 1);
}

static void destroy(struct ocl_texture *texture)
{
    ocl_image_release(atomic_exchange(&texture->image, NULL));
    ocl_array_release(texture->view.array);
    give(texture);
}

/* ---- Making ---- */

static ocl_status check_memory(const struct ocl_texture_view *view,
                               const struct ocl_context *context)
{
    struct ocl_allocation *allocation = ocl_address_acquire(view->address);
    if (!allocation)
        return OCL_E_NOT_FOUND;
    const bool is_ours = allocation->context == context;
    ocl_allocation_release(allocation);
    return is_ours ? OCL_OK : OCL_E_NOT_FOUND;
}

static ocl_status check_array(const struct ocl_texture_view *view,
                              const struct ocl_context *context)
{
    if (ocl_array_context(view->array) != context)
        return OCL_E_INVALID_VALUE;
    const struct ocl_array_shape *shape = ocl_array_shape(view->array);
    const unsigned layers = shape->layers > 0 ? shape->layers : 1;
    const bool is_inside = view->first_level <= view->last_level &&
                           view->last_level < shape->levels &&
                           view->first_layer <= view->last_layer && view->last_layer < layers &&
                           ocl_texel_bytes(&view->texel) == ocl_texel_bytes(&shape->texel);
    return is_inside ? OCL_OK : OCL_E_INVALID_VALUE;
}

static void complete_view(struct ocl_texture_view *view)
{
    struct ocl_array_level level;
    if (view->source == OCL_TEXTURE_ARRAY) {
        ocl_array_level(view->array, view->first_level, &level);
        view->width = level.width;
        view->height = level.height;
        view->pitch = level.pitch;
        view->address = level.address;
        ocl_array_retain(view->array);
        return;
    }
    view->array = NULL;
    view->first_level = view->last_level = view->first_layer = view->last_layer = 0;
    if (view->source == OCL_TEXTURE_LINEAR) {
        view->height = 1;
        view->pitch = view->width * ocl_texel_bytes(&view->texel);
    }
}

ocl_status ocl_texture_create(struct ocl_context *context, const struct ocl_texture_view *view,
                              const struct ocl_sampling *sampling, struct ocl_texture **texture)
{
    const ocl_status status = view->source == OCL_TEXTURE_ARRAY ? check_array(view, context)
                                                                : check_memory(view, context);
    struct ocl_texture *made = status == OCL_OK ? take(context) : NULL;
    if (!made)
        return status == OCL_OK ? OCL_E_OUT_OF_MEMORY : status;
    made->is_surface = false;
    made->view = *view;
    made->sampling = *sampling;
    complete_view(&made->view);
    ocl_texture_describe(made);
    publish(made);
    *texture = made;
    return OCL_OK;
}

ocl_status ocl_surface_create(struct ocl_array *array, unsigned level, struct ocl_texture **surface)
{
    const struct ocl_array_shape *shape = ocl_array_shape(array);
    struct ocl_texture *made = take(ocl_array_context(array));
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    made->is_surface = true;
    made->sampling = (struct ocl_sampling){.is_linear = false};
    made->view = (struct ocl_texture_view){
        .source = OCL_TEXTURE_ARRAY,
        .texel = shape->texel,
        .array = array,
        .first_level = level,
        .last_level = level,
        .last_layer = shape->layers > 0 ? shape->layers - 1 : 0,
    };
    complete_view(&made->view);
    ocl_texture_describe(made);
    publish(made);
    *surface = made;
    return OCL_OK;
}

uint64_t ocl_texture_id(const struct ocl_texture *texture)
{
    return atomic_load(&texture->id);
}

/* ---- Finding and ending ---- */

static bool retain(struct ocl_texture *texture)
{
    uint32_t count = atomic_load_explicit(&texture->references, memory_order_relaxed);
    while (count != 0)
        if (atomic_compare_exchange_weak_explicit(&texture->references, &count, count + 1,
                                                  memory_order_acquire, memory_order_relaxed))
            return true;
    return false;
}

/* A reference keeps the memory from changing hands; only then its id says whether it is the right
 * one. */
struct ocl_texture *ocl_texture_acquire(uint64_t id)
{
    const uint32_t index = (uint32_t)id % SLOT_MOST;
    slot *page = atomic_load_explicit(&pages[index / PAGE_SLOTS], memory_order_acquire);
    if (id == 0 || id > UINT32_MAX || !page)
        return NULL;
    struct ocl_texture *found =
        atomic_load_explicit(&page[index % PAGE_SLOTS], memory_order_acquire);
    if (!found || !retain(found))
        return NULL;
    if (atomic_load(&found->id) == id && atomic_load(&found->is_live))
        return found;
    ocl_texture_drop(found);
    return NULL;
}

void ocl_texture_retain(struct ocl_texture *texture)
{
    atomic_fetch_add_explicit(&texture->references, 1, memory_order_relaxed);
}

void ocl_texture_drop(struct ocl_texture *texture)
{
    if (atomic_fetch_sub_explicit(&texture->references, 1, memory_order_acq_rel) == 1)
        destroy(texture);
}

void ocl_texture_release(struct ocl_texture *texture)
{
    if (texture && atomic_exchange(&texture->is_live, false))
        ocl_texture_drop(texture);
}

struct visit {
    void (*call)(struct ocl_texture *texture, void *argument);
    void *argument;
};

static void visit_live(void *object, void *argument)
{
    struct ocl_texture *texture = object;
    const struct visit *visit = argument;
    if (!retain(texture))
        return;
    if (atomic_load(&texture->is_live))
        visit->call(texture, visit->argument);
    ocl_texture_drop(texture);
}

void ocl_texture_visit(void (*visit)(struct ocl_texture *texture, void *argument), void *argument)
{
    struct visit both = {visit, argument};
    ocl_slab_visit(&textures, visit_live, &both);
}

/* A lookup in another thread may hold a reference for a moment: it must not be the one that ends
 * the object, after the context has gone. */
static void end_if_of(void *object, void *argument)
{
    struct ocl_texture *texture = object;
    if (!retain(texture))
        return;
    if (texture->context == argument && atomic_exchange(&texture->is_live, false)) {
        atomic_fetch_sub(&texture->references, 1); /* the owner's; this thread has another */
        for (uint32_t mine = 1; !atomic_compare_exchange_strong(&texture->references, &mine, 0);
             mine = 1)
            sched_yield();
        destroy(texture);
    } else {
        ocl_texture_drop(texture);
    }
}

void ocl_texture_release_all(struct ocl_context *context)
{
    ocl_slab_visit(&textures, end_if_of, context);
}
