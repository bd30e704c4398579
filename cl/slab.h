/* Fixed-size objects whose memory keeps its type for the life of the process.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_SLAB_H
#define OCL_SLAB_H

#include <pthread.h>
#include <stddef.h>

/* A lock-free reader may look at an object that another thread has just freed: it then sees either
 * the old object or a new one of the same type, never foreign bytes, and notices by the object's
 * own reference count. */
struct ocl_slab {
    pthread_mutex_t lock; /* a leaf */
    size_t object_bytes;
    void *free_list; /* linked through the objects' first word */
    void *chunks;    /* all that the objects were cut from; never given back */
};

#define OCL_SLAB_INITIALIZER(bytes)                                                                \
    {                                                                                              \
        PTHREAD_MUTEX_INITIALIZER, (bytes), 0, 0                                                   \
    }

/* A zero-filled object the first time it is handed out; as its last user left it afterwards, but
 * for the first word. NULL without memory. Shape: aligned to 16 bytes.
 * Needs: objects begin with a pointer-sized field that only the slab uses while they are free. */
void *ocl_slab_take(struct ocl_slab *slab);
void ocl_slab_give(struct ocl_slab *slab, void *object);

/* Calls visit for every object, free ones too: only what the object says about itself (a reference
 * count that is not zero) tells that it is in use. Objects first taken during the walk may be left
 * out.
 * Locks: none is held during visit, which may take and give. */
void ocl_slab_visit(struct ocl_slab *slab, void (*visit)(void *object, void *argument),
                    void *argument);

#endif
