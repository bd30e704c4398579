/* The structs behind CUDA's opaque handles, and the order of the facade's locks.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_HANDLES_H
#define FACADE_HANDLES_H

#include <pthread.h>
#include <stdatomic.h>

#include "cl/context.h"
#include "cl/event.h"
#include "cl/program.h"
#include "cl/queue.h"
#include "facade/state/internal.h"

/* Locks, outermost first; cl/'s own locks (cl/state/state.h) come after all of them. None is held across a
 * blocking call, a program build or a user's function.
 *
 *   1 context.open_lock   opening and closing a context (only who needs the same context waits)
 *   2 context.lock        the lists of what a context owns
 *   3 the lock of captures (capture.c)
 *   4 leaves: handle table, list of contexts, log list, state of old launches, a library's lists, launches of graphs that
 *     threads of clem's own go through, handles of physical memory
 */

/* Nodes of a graph that the next one of a stream comes behind (capture.c, whose lock guards it). */
struct facade_capture;
struct facade_ends {
    cudaGraphNode_t *nodes;
    cudaGraphEdgeData *edges; /* as many, all zero */
    size_t count, capacity;
};

/* CUcontext, and the runtime's primary context of each device. */
/* What contexts have of parts, in the order in which they are forgotten when the context closes. */
enum facade_part {
    FACADE_PART_MODULES,
    FACADE_PART_GREENS,
    FACADE_PART_STREAMS,
    FACADE_PART_EVENTS,
    FACADE_PART_REFERENCES,
    FACADE_PART_TEXTURES,
    FACADE_PART_GRAPHICS,
    FACADE_PART_ARRAYS,
    FACADE_PART_ADVICE,
    FACADE_PARTS
};
typedef void facade_part_function(struct facade_context *context);

struct facade_context {
    int device;
    bool is_primary;
    unsigned flags;        /* CU_CTX_* / cudaDevice* */
    unsigned retain_count; /* cuDevicePrimaryCtxRetain; for other contexts, cuCtxAttach */
    bool is_held;          /* primary: the runtime uses it */
    uint64_t id;           /* unique in the process, never used again */
    _Atomic(struct ocl_context *) cl; /* NULL while closed */
    /* The number of its opening, of all contexts of the process: what belongs to another one is stale. */
    _Atomic uint64_t generation;
    pthread_mutex_t open_lock;
    _Atomic unsigned users; /* calls that are at work with what it owns, which closing waits for */
    pthread_mutex_t lock;
    struct facade_stream *streams; /* live streams, without the special ones */
    struct facade_event *events;
    struct facade_green *greens;
    struct facade_array *arrays;
    struct facade_mipmapped_array *mipmapped_arrays;
    struct facade_texture *textures;     /* texture and surface objects */
    struct facade_graphics *graphics;    /* resources of OpenGL */
    struct facade_reference *references; /* texture and surface references */
    struct facade_module *modules;
    _Atomic size_t retired_modules;             /* so many of them; written under lock */
    _Atomic(struct facade_stream *) legacy;     /* NULL until asked for; written under lock */
    size_t limits[9];                           /* CU_LIMIT_* in the order of their values */
    _Atomic(struct facade_pool *) default_pool; /* primary: memory_pool.c; NULL until asked for */
    _Atomic(struct facade_pool *) current_pool; /* primary: NULL for the default one */
    _Atomic uint64_t peers; /* bit d: access to device d's memory was asked for */
    int cache_config;
    int shared_config;
    /* Makes the handles of a part unknown; each part's file sets it with the part's first. */
    _Atomic(facade_part_function *) forget[FACADE_PARTS];
    _Atomic(facade_part_function *)
        reap; /* ends retired modules where the context has no work; likewise */
    /* Ends what threads of clem's own do in the context, before it closes, and what they would do from now on in its opening,
     * which settled then is; likewise. */
    _Atomic(facade_part_function *) settle;
    _Atomic uint64_t settled;    /* 0: none */
    struct facade_context *next; /* of all contexts (runtime.c) */
};

/* CUgreenCtx: a part of a primary context's device. */
struct facade_green {
    struct facade_context *context;
    uint64_t id; /* as those of contexts */
    unsigned multiprocessors;
    struct facade_green_context *handle; /* what cuCtxFromGreenCtx() gives */
    /* Waits for what the whole of it waits for; NULL: nothing so far. It and the count are written under context.lock. */
    struct ocl_queue *entrance;
    _Atomic uint64_t waits;         /* so many */
    _Atomic uint64_t default_waits; /* of which the default stream knows */
    _Atomic bool has_default;       /* that was used */
    struct facade_green *next, *previous;
};

/* A CUcontext that stands for a green one. */
struct facade_green_context {
    struct facade_green *green;
};

struct facade_stream {
    struct facade_context *context;
    struct facade_green *green; /* not to be looked into when is_detached; NULL: none */
    _Atomic bool is_detached;   /* the green context is destroyed */
    struct ocl_queue *queue;
    unsigned flags; /* cudaStreamNonBlocking or 0 */
    int priority;
    uint64_t id;         /* unique in the process, never used again */
    cudaStream_t handle; /* what the user holds: a pointer to this, or one of the special values */
    cudaLaunchAttributeValue access_policy; /* attributes are kept and given back */
    enum cudaSynchronizationPolicy sync_policy;
    cudaLaunchMemSyncDomainMap domain_map;
    cudaLaunchMemSyncDomain domain;
    uint64_t conditions; /* device address of what kernels in it set (conditional_run.c), or 0 */
    struct facade_capture *capture; /* capture.c, whose lock guards these three */
    struct facade_ends ends;
    struct facade_stream *next_captured;
    struct facade_stream *next, *previous;
};

struct facade_event {
    struct facade_context *context;
    struct ocl_event *event;
    unsigned flags;
    _Atomic uint64_t capture_id; /* recorded in this capture (capture.c); 0: in none */
    struct facade_ends ends;
    struct facade_event *next, *previous;
};

#endif
