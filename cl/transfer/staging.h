/* Pinned host memory through which pageable memory travels. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_STAGING_H
#define OCL_STAGING_H

#include "cl/state/state.h"
#include "cl/transfer/copy_pool.h"

struct ocl_staging;

/* Makes context->staging. Memory and threads come when they are first needed. */
ocl_status ocl_staging_create(struct ocl_context *context);

/* Ends the threads and frees the chunks of a context that is closing; safe when there are none. The
 * twins of the chunks go with the context's other allocations. Needs: all work of the context is
 * complete. */
void ocl_staging_destroy(struct ocl_context *context);

/* The host threads that fill and empty chunks, and copy for devices whose memory is the host's. */
struct ocl_copy_pool *ocl_staging_pool(struct ocl_staging *staging);

/* The queue of this context on which a call given to a queue of another context does its part: the
 * legacy queue for the legacy queue, otherwise one of staging's own. */
ocl_status ocl_staging_queue(struct ocl_staging *staging, const struct ocl_queue *given,
                             struct ocl_queue **queue);

/* Pinned host memory; whoever took it is alone with it until it is given back. */
struct ocl_chunk {
    unsigned char *host;
    size_t bytes;
    uint64_t twin;    /* device memory of the same size, or 0: see ocl_staging_twin() */
    cl_event pending; /* the command that uses the chunk last, or NULL */
    cl_event
        sent; /* with pending: a command before that one, whose failure that one need not tell; or NULL */
    /* Whose command that is, set before the chunk is given back, or NULL; and how much of that queue covers it. */
    const struct ocl_queue *queue;
    uint64_t queue_id, position;
    bool is_taken;
    struct ocl_chunk *next;
};

/* A small chunk is for one copy of few bytes, a large one for a portion of a big copy. */
enum { OCL_STAGING_SMALL = 64 * 1024 };

/* Takes a chunk of at least bytes, for a command in queue.
 * Needs:  bytes is at most the device class's chunk. A thread that holds a chunk must not wait for
 *         another.
 * Order:  with can_wait, waits for a command that uses a chunk, or for another thread, when all
 *         are in use and no more may be made; without, *chunk is NULL then. While gates are closed, and on
 *         CPUs, for commands of queue alone, as long as there is memory.
 * Locks:  the staging lock for moments; waits without it.
 * Errors: OCL_E_OUT_OF_MEMORY; the driver's. */
ocl_status ocl_staging_take(struct ocl_staging *staging, const struct ocl_queue *queue,
                            size_t bytes, bool can_wait, struct ocl_chunk **chunk);

/* Gives a chunk back. Owns: takes over event, which may be NULL when no command uses the chunk any
 * more. */
void ocl_staging_give(struct ocl_staging *staging, struct ocl_chunk *chunk, cl_event event);

/* Looks at the commands that use chunks and whose queues are known to be past them: what failed becomes the context's
 * failure, which a driver that waits for a queue need not tell. Costs nothing where no chunk is used, and asks the driver
 * about each command once. Locks: the staging lock. */
void ocl_staging_look(struct ocl_context *context);

/* OCL_STAGING_SMALL bytes of pinned host memory that repeat the four bytes of a pattern for as long as the context lives, or
 * NULL: there is room for a few patterns only, and none on devices whose memory is the host's. */
const void *ocl_staging_pattern(struct ocl_staging *staging, uint32_t pattern);

/* Device memory of the chunk's size for kernels that scatter or gather rows, allocated when first
 * needed. It belongs to whoever has the chunk. */
ocl_status ocl_staging_twin(struct ocl_staging *staging, struct ocl_chunk *chunk);

#endif
