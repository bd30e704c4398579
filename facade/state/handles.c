/* The table of live handles: a stale or foreign pointer is told from a live one without touching what it points to.
 * SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "cl/check_made.h"
#include "cl/range_map.h"
#include "cl/slab.h"
#include "facade/state/handles.h"
#include "facade/state/thread_state.h"

/* Sits in front of every object. */
struct header {
    union {
        void *slab_word; /* the slab's, while the object is free */
        uint64_t number; /* while it is live */
    };
    uint32_t kind;
    uint32_t bytes;
};

enum { LARGEST_OBJECT = 1024, KIND_COUNT = FACADE_KINDS };

static struct ocl_slab slabs[KIND_COUNT];
static struct ocl_range_map *handles;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Threads remember the handles that they found last, and how many had been freed before they looked:
 * they are live until another one is freed. A launch looks for its context, kernel and stream; right
 * after a wait the tree's eight lines for each of them are in no near cache any more. */
static _Atomic uint64_t freed_count;
static _Atomic uint64_t next_number = 1;

static void make_table(void)
{
    for (int i = 0; i < KIND_COUNT; i++)
        slabs[i] = (struct ocl_slab)OCL_SLAB_INITIALIZER(sizeof(struct header) + LARGEST_OBJECT);
    if (ocl_range_map_create(&handles) != OCL_OK)
        handles = NULL;
}

void *facade_handle_make(enum facade_kind kind, size_t bytes)
{
    assert(bytes <= LARGEST_OBJECT);
    pthread_once(&once, make_table);
    if (handles == NULL)
        return NULL;
    struct header *header = ocl_slab_take(&slabs[kind]);
    if (header == NULL)
        return NULL;
    header->number = atomic_fetch_add_explicit(&next_number, 1, memory_order_relaxed);
    header->kind = (uint32_t)kind;
    header->bytes = (uint32_t)bytes;
    return memset(header + 1, 0, bytes);
}

bool facade_handle_show(void *object)
{
    struct header *header = (struct header *)object - 1;
    if (ocl_range_map_insert(handles, (uintptr_t)object, 1, object) == OCL_OK)
        return true;
    ocl_slab_give(&slabs[header->kind], header);
    return false;
}

void *facade_handle_new(enum facade_kind kind, size_t bytes)
{
    void *object = facade_handle_make(kind, bytes);
    return object != NULL && facade_handle_show(object) ? object : NULL;
}

void facade_handle_free(void *object)
{
    if (object == NULL)
        return;
    struct header *header = (struct header *)object - 1;
    ocl_made_remove((uint64_t)(uintptr_t)object);
    ocl_range_map_erase(handles, (uintptr_t)object, 1);
    /* After it is out of the table: who reads the new count does not find it there. */
    atomic_fetch_add_explicit(&freed_count, 1, memory_order_release);
    ocl_slab_give(&slabs[header->kind], header);
}

static void *look_up(enum facade_kind kind, const void *object)
{
    pthread_once(&once, make_table);
    if (handles == NULL)
        return NULL;
    struct header *found = ocl_range_map_find(handles, (uintptr_t)object);
    return found != NULL && (found - 1)->kind == (uint32_t)kind ? found : NULL;
}

void facade_handles_forget_names(void)
{
    atomic_fetch_add_explicit(&freed_count, 1, memory_order_release);
}

uint64_t facade_handles_freed(void)
{
    return atomic_load_explicit(&freed_count, memory_order_acquire);
}

void *facade_handle_find(enum facade_kind kind, const void *object)
{
    struct facade_known *last = &facade_thread()->known[kind % FACADE_KNOWN_HANDLES];
    const uint64_t freed = facade_handles_freed() * KIND_COUNT + (uint64_t)kind;
    if (object != NULL && last->object == object && last->freed == freed)
        return (void *)(uintptr_t)object;
    void *found = look_up(kind, object);
    if (found != NULL)
        *last = (struct facade_known){found, freed};
    return found;
}

uint64_t facade_handle_number(const void *object)
{
    return ((const struct header *)object - 1)->number;
}

void *facade_handle_find_again(enum facade_kind kind, const void *object, uint64_t number)
{
    void *found = facade_handle_find(kind, object);
    return found != NULL && facade_handle_number(found) == number ? found : NULL;
}
