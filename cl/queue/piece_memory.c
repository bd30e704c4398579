/* Memory of pieces of chains: one thread of the program makes them and one of the driver's lets them go, some each microsecond,
 * which allocators of memory answer with locks that both wait at.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdatomic.h>
#include <stdlib.h>

#include "cl/queue/chain.h"
#include "cl/sanitized.h"

enum { ROOM = 752, LINE = 64 }; /* larger ones are the allocator's */

struct piece_memory {
    struct piece_memory *next; /* of those that nobody uses */
    size_t room;
    _Alignas(16) unsigned char bytes[];
};

/* What was given back, and what was there when somebody last looked: whoever takes has the flag, and who gives never waits. They
 * are kept: there are no more than were in use at a time. */
static _Atomic(struct piece_memory *) given;
static struct piece_memory *ready;
static atomic_flag is_taken = ATOMIC_FLAG_INIT;

/* The compiler has the instruction, by which no other processor keeps the line, for those processors alone that it may suppose. */
static void want_line(const unsigned char *line)
{
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(*line));
#else
    __builtin_prefetch(line, 1);
#endif
}

/* Has memory that another thread wrote last come to this one's processor, for the next time. */
static void want(const struct piece_memory *memory)
{
    enum { LINES = 5 };
    for (unsigned line = 0; line < LINES; line++)
        want_line((const unsigned char *)memory + (size_t)line * LINE);
}

static struct piece_memory *take_kept(void)
{
    if (atomic_flag_test_and_set_explicit(&is_taken, memory_order_acquire))
        return NULL;
    struct piece_memory *kept = ready;
    if (!kept && atomic_load_explicit(&given, memory_order_relaxed))
        kept = atomic_exchange_explicit(&given, NULL, memory_order_acquire);
    ready = kept ? kept->next : NULL;
    if (ready)
        want(ready);
    atomic_flag_clear_explicit(&is_taken, memory_order_release);
    return kept;
}

void *ocl_piece_take(size_t bytes)
{
    const size_t room = bytes > ROOM ? bytes : ROOM;
    struct piece_memory *memory = room == ROOM && !OCL_IS_SANITIZED ? take_kept() : NULL;
    if (!memory)
        memory = aligned_alloc(LINE, (sizeof *memory + room + LINE - 1) / LINE * LINE);
    if (!memory)
        return NULL;
    memory->room = room;
    return memory->bytes;
}

void ocl_piece_give(void *piece)
{
    struct piece_memory *memory =
        (struct piece_memory *)((unsigned char *)piece - offsetof(struct piece_memory, bytes));
    if (memory->room > ROOM || OCL_IS_SANITIZED) {
        free(memory);
        return;
    }
    memory->next = atomic_load_explicit(&given, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&given, &memory->next, memory,
                                                  memory_order_release, memory_order_relaxed))
        ;
}
