/* Memory that goes all at once. SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 64 << 10, ALIGNMENT = 16 };

struct ptx_chunk {
    struct ptx_chunk *older;
    size_t capacity;
    _Alignas(ALIGNMENT) unsigned char bytes[];
};

static void add_chunk(struct ptx_arena *arena, size_t bytes)
{
    const size_t capacity = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    struct ptx_chunk *made =
        capacity < SIZE_MAX - sizeof *made ? calloc(1, sizeof *made + capacity) : NULL;
    if (!made)
        longjmp(arena->out_of_memory, 1);
    made->older = arena->chunks;
    made->capacity = capacity;
    arena->chunks = made;
    arena->used = 0;
}

void *ptx_arena_take(struct ptx_arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX - ALIGNMENT)
        longjmp(arena->out_of_memory, 1);
    const size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!arena->chunks || arena->chunks->capacity - arena->used < rounded)
        add_chunk(arena, rounded);
    void *taken = arena->chunks->bytes + arena->used;
    arena->used += rounded;
    return taken;
}

void *ptx_arena_array(struct ptx_arena *arena, size_t count, size_t bytes)
{
    if (bytes != 0 && count > SIZE_MAX / bytes)
        longjmp(arena->out_of_memory, 1);
    return ptx_arena_take(arena, count * bytes);
}

char *ptx_arena_text(struct ptx_arena *arena, const char *text, size_t bytes)
{
    char *copy = ptx_arena_take(arena, bytes + 1);
    memcpy(copy, text, bytes);
    return copy;
}

char *ptx_arena_format(struct ptx_arena *arena, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    char *made = ptx_arena_take(arena, length < 0 ? 1 : (size_t)length + 1);
    va_start(list, format);
    vsnprintf(made, length < 0 ? 1 : (size_t)length + 1, format, list);
    va_end(list);
    return made;
}

void ptx_arena_free(struct ptx_arena *arena)
{
    while (arena->chunks) {
        struct ptx_chunk *older = arena->chunks->older;
        free(arena->chunks);
        arena->chunks = older;
    }
    arena->used = 0;
}
