/* Memory that goes all at once: what a module and a translation are made of.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_ARENA_H
#define KERNELS_PTX_ARENA_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

struct ptx_chunk;

/* Starts as {0}. Who fills it calls setjmp(out_of_memory) first, so that nothing in between needs to
 * look for failures: ptx_arena_take() jumps there when there is no memory. */
struct ptx_arena {
    struct ptx_chunk *chunks;
    size_t used; /* of the newest chunk */
    jmp_buf out_of_memory;
};

/* Zeroed bytes, aligned to 16. Never NULL. */
void *ptx_arena_take(struct ptx_arena *arena, size_t bytes);
/* count objects of bytes each; jumps also where the product overflows. */
void *ptx_arena_array(struct ptx_arena *arena, size_t count, size_t bytes);
/* A NUL-terminated copy of bytes characters. */
char *ptx_arena_text(struct ptx_arena *arena, const char *text, size_t bytes);
__attribute__((format(printf, 2, 3))) char *ptx_arena_format(struct ptx_arena *arena,
                                                             const char *format, ...);
void ptx_arena_free(struct ptx_arena *arena);

#endif
