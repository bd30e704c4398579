/* What each thread has of its own. Private to cl/, but for the part of the layer above.
 *
 * Thread-local memory is scarce in a library that programs open by dlopen(), and a handler for a signal may touch only
 * what is there already. So the library has one thread-local pointer, and what it points to comes with the thread's
 * first need and goes when the thread ends.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_THREAD_H
#define OCL_THREAD_H

#include "cl/own_thread.h"
#include "cl/program.h"

struct ocl_migration;
struct ocl_region;
struct ocl_stacks_known;
struct ocl_stream_graph;
struct ptx_native_now;

struct ocl_spool_chunk;
struct ocl_profile_work;

/* profile.c: where the thread's records go. */
struct ocl_profile_writer {
    uint64_t *at, *end; /* room in the chunk; NULL before the first record */
    struct ocl_spool_chunk *chunk;
    uint32_t generation;  /* of the process that the chunk is of */
    uint32_t number;      /* the system's, of the thread */
    uint32_t calls, call; /* begun so far; the one that the thread is in, or 0 */
    void (*give)(struct ocl_profile_writer *writer); /* called when the thread ends; or NULL */
};

struct ocl_thread {
    bool in_function; /* managed_traffic.c: it runs a host function */
    bool is_program;  /* check_host.c: it has called a function of CUDA's */
    unsigned calls;   /* check_host.c: in how many it is */
    bool in_turn;     /* host_function.c: what it submits is part of a command that has its turn */
    struct ocl_stream_graph *graph; /* streams.c: the graph whose nodes it submits, or NULL */
    bool in_wait;     /* managed_traffic.c: its wait is part of a move, not the host's */
    bool finds_freed; /* address.c: it gives queues what was asked for before memory was freed */
    bool is_printing; /* ptx_runtime.c: it reads what kernels printed, and touches nothing else */
    struct ocl_migration
        *entered; /* managed_traffic.c: the context may get its first region before it leaves */
    const struct ocl_region
        *copied[2]; /* managed_traffic.c: what the thread's transfer goes from and to */
    struct ocl_kernel_facts no_facts; /* kernel.c */
    const void *native; /* native_launch.c: of which launch the thread runs blocks, or NULL */
    const struct ptx_native_now *native_now; /* likewise: which of them */
    unsigned shares;                         /* likewise: of steady launches, so far */
    const void *scratch;                     /* scratch.c: whose memory its blocks had last */
    struct ocl_stacks_known *stacks;         /* stack_walk.c: from calloc(), or NULL */
    struct own_stack stack;                  /* chain.c: none of it where it is not known */
    bool knows_stack;                        /* chain.c */
    const void *fault;                       /* managed_fault.c: the address of the last one */
    char unknown_status[32];                 /* status.c */
    struct ocl_profile_writer profile;
    const struct ocl_profile_work *work; /* lane.c: what its commands are part of, or NULL */
    void *upper;                         /* the layer above: from calloc(), or NULL */
    void (*end_upper)(void *upper);      /* called when the thread ends; frees upper */
};

/* The pointer, and in its lowest bit what handlers of signals may have to note. */
extern _Thread_local __attribute__((tls_model("initial-exec"), visibility("hidden")))
uintptr_t ocl_thread_word;
enum { OCL_THREAD_BLOCKS_SIGSEGV = 1 }; /* signals.h */

/* For handlers of signals: NULL in a thread that had no need yet. */
static inline struct ocl_thread *ocl_thread_if_any(void)
{
    return (struct ocl_thread *)(ocl_thread_word & ~(uintptr_t)OCL_THREAD_BLOCKS_SIGSEGV);
}

struct ocl_thread *ocl_thread_begin(void);

/* The calling thread's. Never NULL: when there is no memory at all, threads share one. */
static inline struct ocl_thread *ocl_thread(void)
{
    struct ocl_thread *thread = ocl_thread_if_any();
    return thread ? thread : ocl_thread_begin();
}

/* Whether it is one that threads share: nothing that has to be freed may be kept there. */
bool ocl_thread_is_shared(const struct ocl_thread *thread);

#endif
