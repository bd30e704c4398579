/* Fixed-size objects whose memory keeps its type for the life of the process.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/slab.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { OBJECT_ALIGNMENT = 16, CHUNK_BYTES = 64 * 1024, FEWEST_OBJECTS = 8 };

/* The head's size is a multiple of OBJECT_ALIGNMENT, so the objects behind it are aligned. */
struct chunk {
    struct chunk *next;
    size_t count;
};

static size_t stride_of(const struct ocl_slab *slab)
{
    return (slab->object_bytes + OBJECT_ALIGNMENT - 1) / OBJECT_ALIGNMENT * OBJECT_ALIGNMENT;
}

static char *object_at(struct chunk *chunk, size_t index, size_t stride)
{
    return (char *)(chunk + 1) + index * stride;
}

/* The slab's lock is held. */
static void push(struct ocl_slab *slab, void *object)
{
    memcpy(object, &slab->free_list, sizeof slab->free_list);
    slab->free_list = object;
}

/* The slab's lock is held. */
static void *pop(struct ocl_slab *slab)
{
    void *object = slab->free_list;
    memcpy(&slab->free_list, object, sizeof slab->free_list);
    memset(object, 0, sizeof slab->free_list);
    return object;
}

/* The slab's lock is held. Without memory the free list stays empty. */
static void grow(struct ocl_slab *slab)
{
    const size_t stride = stride_of(slab);
    const size_t fitting = (CHUNK_BYTES - sizeof(struct chunk)) / stride;
    const size_t count = fitting > FEWEST_OBJECTS ? fitting : FEWEST_OBJECTS;
    struct chunk *chunk = calloc(1, sizeof *chunk + count * stride);
    if (!chunk)
        return;
    chunk->next = slab->chunks;
    chunk->count = count;
    slab->chunks = chunk;
    for (size_t i = count;
         i-- > 0;) /* downward: objects are handed out in the order of their addresses */
        push(slab, object_at(chunk, i, stride));
}

void *ocl_slab_take(struct ocl_slab *slab)
{
    assert(slab->object_bytes >= sizeof(void *));
    void *object = NULL;
    pthread_mutex_lock(&slab->lock);
    if (!slab->free_list)
        grow(slab);
    if (slab->free_list)
        object = pop(slab);
    pthread_mutex_unlock(&slab->lock);
    return object;
}

void ocl_slab_give(struct ocl_slab *slab, void *object)
{
    pthread_mutex_lock(&slab->lock);
    push(slab, object);
    pthread_mutex_unlock(&slab->lock);
}

void ocl_slab_visit(struct ocl_slab *slab, void (*visit)(void *object, void *argument),
                    void *argument)
{
    const size_t stride = stride_of(slab);
    pthread_mutex_lock(&slab->lock);
    struct chunk *chunk = slab->chunks; /* a chunk's head never changes once it is in the list */
    pthread_mutex_unlock(&slab->lock);
    for (; chunk; chunk = chunk->next)
        for (size_t i = 0; i < chunk->count; i++)
            visit(object_at(chunk, i, stride), argument);
}
