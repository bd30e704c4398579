/* Memory that goes all at once: what a module and a translation are made of.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_ARENA_H
#define KERNELS_PTX_ARENA_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ptx_chunk;
struct ptx_loan;

/* What may be spent at most, on whatever text, and what is spent. Several arenas may share one. */
struct ptx_budget {
    size_t memory, most_memory; /* bytes of arenas */
    uint64_t steps, most_steps; /* about one for each instruction or node that is looked at */
    size_t most_emitted;        /* bytes of one text that is written */
    const char *exceeded;       /* the name of what ran out, or NULL */
};

/* Starts as {0}. Who fills it calls setjmp(out_of_memory) first, so that nothing in between needs to
 * look for failures: ptx_arena_take() jumps there when there is no memory, or when the budget has
 * none left, which is then noted in it. */
struct ptx_arena {
    struct ptx_chunk
        *chunks; /* the first one is filled, the others are full or hold one large object */
    size_t used; /* of the first chunk */
    struct ptx_loan *loans;    /* what was lent and is back */
    struct ptx_budget *budget; /* NULL: nothing is counted */
    jmp_buf out_of_memory;
};

/* Zeroed bytes, aligned to 16. Never NULL. */
void *ptx_arena_take(struct ptx_arena *arena, size_t bytes);
/* count objects of bytes each; jumps also where the product overflows. */
void *ptx_arena_array(struct ptx_arena *arena, size_t count, size_t bytes);
/* Likewise, for a while: what ptx_arena_return() gets back is lent again. For what is needed again and again. */
void *ptx_arena_lend(struct ptx_arena *arena, size_t count, size_t bytes);
void ptx_arena_return(struct ptx_arena *arena, void *lent);
/* Likewise, and not counted: for what the text asks to be stored, however little of it is touched. */
void *ptx_arena_storage(struct ptx_arena *arena, size_t bytes);
/* Room for a list that has room for *room items of which count are in use: the list itself where one
 * more fits, otherwise a larger copy of it. What is not in use is not zeroed.
 * Needs: list is NULL, or was returned by this for the same arena and item_bytes. */
void *ptx_arena_grow(struct ptx_arena *arena, void *list, size_t count, size_t *room,
                     size_t item_bytes);
/* Gives memory back if it is large. Needs: taken from this arena with as many bytes. */
void ptx_arena_drop(struct ptx_arena *arena, void *taken, size_t bytes);
/* A NUL-terminated copy of bytes characters. */
char *ptx_arena_text(struct ptx_arena *arena, const char *text, size_t bytes);
__attribute__((format(printf, 2, 3))) char *ptx_arena_format(struct ptx_arena *arena,
                                                             const char *format, ...);
void ptx_arena_free(struct ptx_arena *arena);

/* Leaves as for want of memory, having noted what ran out. */
__attribute__((noreturn)) void ptx_exceed(struct ptx_arena *arena, const char *name);

/* Counts steps, so that no text makes an analysis run for long. */
static inline void ptx_steps(struct ptx_arena *arena, uint64_t count)
{
    if (arena->budget && (arena->budget->steps += count) > arena->budget->most_steps)
        ptx_exceed(arena, "steps of analysis");
}

#endif
