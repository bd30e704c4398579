/* What the facade keeps for each thread. All begins as zero, which is what CUDA begins with.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_THREAD_STATE_H
#define FACADE_THREAD_STATE_H

#include "cl/thread.h"
#include "facade/state/internal.h"

/* A kernel's arguments may contain another launch, so configurations nest; nobody nests deeper than a few. */
enum { FACADE_LAUNCH_DEPTH = 16 };

/* handles.c: context, stream and kernel have one each, and share them with other kinds. */
enum { FACADE_KNOWN_HANDLES = 3 };
struct facade_known {
    const void *object;
    uint64_t freed; /* how many handles had been freed, times the kinds, plus the kind */
};

/* launch.c: the functions that launches named last, by what named them. */
enum { FACADE_KNOWN_FUNCTIONS = 8 };
struct facade_known_function {
    const void *name;
    const struct facade_context *context;
    struct facade_function *function;
    uint64_t freed; /* how many handles had been freed */
};

/* A current context: another one may have the handle of one that was destroyed. */
struct facade_stack_entry {
    struct facade_context *context;
    uint64_t id;                /* the context's; 0: it had been destroyed already */
    void *handle;               /* what was pushed */
    struct facade_green *green; /* what that stands for, or NULL */
    uint64_t green_number;      /* its handle's */
};

struct facade_thread {
    uint64_t number;        /* unique in the process: another thread may have the address later */
    cudaError_t last_error; /* error.c */
    struct facade_known known[FACADE_KNOWN_HANDLES];
    struct facade_known_function functions[FACADE_KNOWN_FUNCTIONS];
    int device;
    unsigned entered; /* runtime.c: contexts that a call of this thread keeps */
    bool is_per_thread;
    bool is_in_host_function;      /* runtime.c */
    bool is_delivering;            /* log.c: in a callback */
    int capture_mode;              /* stream_query.c */
    unsigned char *arguments;      /* legacy.c: of the launch that is being put together */
    size_t argument_bytes;         /* legacy.c: up to the end of the last one */
    struct thread_stream *streams; /* stream.c, which sets the next with the first */
    void (*release_streams)(struct facade_thread *thread);
    struct facade_stack_entry *stack;
    size_t stack_count, stack_capacity;
    struct facade_launch_configuration launches[FACADE_LAUNCH_DEPTH];
    size_t launch_count;
};

struct facade_thread *facade_thread_begin(struct ocl_thread *thread);

/* The calling thread's; never NULL. */
static inline struct facade_thread *facade_thread(void)
{
    struct ocl_thread *thread = ocl_thread();
    return thread->upper ? (struct facade_thread *)thread->upper : facade_thread_begin(thread);
}

/* Whether what the thread keeps is freed when it ends; not so when memory was so short that threads share. */
bool facade_thread_may_keep(const struct facade_thread *thread);

#endif
