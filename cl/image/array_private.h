/* The structure behind an array, for the files that make images from it. Private to cl/image/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_ARRAY_PRIVATE_H
#define OCL_ARRAY_PRIVATE_H

#include "cl/array.h"
#include "cl/state/state.h"

struct ocl_image; /* images made from arrays */

enum { OCL_ARRAY_MAX_LEVELS = 32 };

/* Texels were written by the first position commands of the queue that had this id. */
struct ocl_array_write {
    struct ocl_queue *queue; /* may be gone: id tells */
    uint64_t id, position;
};

/* How many queues with unfinished writes are remembered; the legacy queue waits for further ones.
 */
enum { OCL_ARRAY_WRITERS = 8 };

struct ocl_array {
    _Atomic uint32_t references;
    struct ocl_context *context;
    struct ocl_array_shape shape;
    uint64_t address; /* of the one allocation that holds all levels */
    size_t bytes;
    bool is_imported;
    _Atomic bool is_freed; /* the program has; textures may still hold it */
    struct ocl_array_level levels[OCL_ARRAY_MAX_LEVELS];
    pthread_mutex_t lock;     /* a leaf; guards the rest */
    _Atomic uint64_t version; /* grows with every write; may be read without the lock */
    struct ocl_array_write writes[OCL_ARRAY_WRITERS];
    unsigned write_count;
    struct ocl_image *images;                        /* made on demand; NULL while there are none */
    void (*release_images)(struct ocl_array *array); /* who made them ends them; no work is left */
};

/* Makes work submitted to queue from now on wait for all texels written so far, in whatever queue:
 * before a refresh of an image. Read version before it: what is written meanwhile has a newer one.
 * Never blocks the caller.
 * Needs:  queue belongs to the array's context; array.lock is not held.
 * Errors: the driver's; the sticky failure. */
ocl_status ocl_array_wait_for_writes(struct ocl_array *array, struct ocl_queue *queue);

#endif
