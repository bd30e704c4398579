/* Memory that goes all at once. SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Allocations of LARGE_BYTES and more have a chunk of their own, so that they can grow and go. */
enum { CHUNK_BYTES = 64 << 10, LARGE_BYTES = CHUNK_BYTES / 4, ALIGNMENT = 16 };

struct ptx_chunk {
    struct ptx_chunk *older, *newer;
    size_t counted; /* in the budget */
    _Alignas(ALIGNMENT) unsigned char bytes[];
};

/* Stands before the bytes. */
struct ptx_loan {
    _Alignas(ALIGNMENT) struct ptx_loan *next;
    size_t bytes;
};

/* ---- The budget ---- */

void ptx_exceed(struct ptx_arena *arena, const char *name)
{
    if (arena->budget && !arena->budget->exceeded)
        arena->budget->exceeded = name;
    longjmp(arena->out_of_memory, 1);
}

static void spend(struct ptx_arena *arena, size_t bytes)
{
    struct ptx_budget *budget = arena->budget;
    if (!budget)
        return;
    if (bytes > budget->most_memory || budget->memory > budget->most_memory - bytes)
        ptx_exceed(arena, "memory of a module");
    budget->memory += bytes;
}

static void regain(struct ptx_arena *arena, size_t bytes)
{
    if (arena->budget)
        arena->budget->memory -= bytes;
}

/* ---- Chunks ---- */

static size_t chunk_bytes(struct ptx_arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX - sizeof(struct ptx_chunk))
        longjmp(arena->out_of_memory, 1);
    return sizeof(struct ptx_chunk) + bytes;
}

static struct ptx_chunk *make_chunk(struct ptx_arena *arena, size_t bytes, bool is_counted)
{
    const size_t whole = chunk_bytes(arena, bytes), counted = is_counted ? whole : 0;
    spend(arena, counted);
    struct ptx_chunk *made = calloc(1, whole);
    if (!made)
        longjmp(arena->out_of_memory, 1);
    made->counted = counted;
    return made;
}

static void put_first(struct ptx_arena *arena, struct ptx_chunk *chunk)
{
    chunk->older = arena->chunks;
    if (arena->chunks)
        arena->chunks->newer = chunk;
    arena->chunks = chunk;
    arena->used = 0;
}

/* A chunk that holds one large object stands behind the one that is being filled. */
static void *take_large(struct ptx_arena *arena, size_t bytes, bool is_counted)
{
    if (!arena->chunks)
        put_first(arena, make_chunk(arena, CHUNK_BYTES, true));
    struct ptx_chunk *made = make_chunk(arena, bytes, is_counted), *first = arena->chunks;
    made->newer = first;
    made->older = first->older;
    if (made->older)
        made->older->newer = made;
    first->older = made;
    return made->bytes;
}

static struct ptx_chunk *chunk_of(void *large)
{
    return (void *)((unsigned char *)large - offsetof(struct ptx_chunk, bytes));
}

static void *grow_large(struct ptx_arena *arena, void *large, size_t bytes)
{
    const size_t whole = chunk_bytes(arena, bytes);
    const size_t before = chunk_of(large)->counted;
    spend(arena, whole - before);
    struct ptx_chunk *grown = realloc(chunk_of(large), whole);
    if (!grown) {
        regain(arena, whole - before);
        longjmp(arena->out_of_memory, 1);
    }
    grown->counted = whole;
    grown->newer->older = grown;
    if (grown->older)
        grown->older->newer = grown;
    return grown->bytes;
}

/* ---- Allocations ---- */

void *ptx_arena_take(struct ptx_arena *arena, size_t bytes)
{
    if (bytes >= LARGE_BYTES)
        return take_large(arena, bytes, true);
    const size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!arena->chunks || CHUNK_BYTES - arena->used < rounded)
        put_first(arena, make_chunk(arena, CHUNK_BYTES, true));
    void *taken = arena->chunks->bytes + arena->used;
    arena->used += rounded;
    return taken;
}

void *ptx_arena_storage(struct ptx_arena *arena, size_t bytes)
{
    return bytes >= LARGE_BYTES ? take_large(arena, bytes, false) : ptx_arena_take(arena, bytes);
}

void *ptx_arena_array(struct ptx_arena *arena, size_t count, size_t bytes)
{
    if (bytes != 0 && count > SIZE_MAX / bytes)
        longjmp(arena->out_of_memory, 1);
    return ptx_arena_take(arena, count * bytes);
}

void *ptx_arena_lend(struct ptx_arena *arena, size_t count, size_t bytes)
{
    if (bytes != 0 && count > (SIZE_MAX - sizeof(struct ptx_loan)) / bytes)
        longjmp(arena->out_of_memory, 1);
    const size_t whole = count * bytes;
    struct ptx_loan **place = &arena->loans;
    while (*place && (*place)->bytes < whole)
        place = &(*place)->next;
    struct ptx_loan *loan = *place;
    if (loan) {
        *place = loan->next;
        memset(loan + 1, 0, whole);
    } else {
        loan = ptx_arena_take(arena, sizeof *loan + whole);
        loan->bytes = whole;
    }
    return loan + 1;
}

void ptx_arena_return(struct ptx_arena *arena, void *lent)
{
    struct ptx_loan *loan = (struct ptx_loan *)lent - 1;
    loan->next = arena->loans;
    arena->loans = loan;
}

void *ptx_arena_grow(struct ptx_arena *arena, void *list, size_t count, size_t *room,
                     size_t item_bytes)
{
    if (count < *room)
        return list;
    const size_t before = *room * item_bytes;
    const size_t larger = *room < 32 ? 32 : *room + *room / 2;
    if (larger > SIZE_MAX / item_bytes)
        longjmp(arena->out_of_memory, 1);
    void *grown = NULL;
    if (before >= LARGE_BYTES)
        grown = grow_large(arena, list, larger * item_bytes);
    else
        grown = ptx_arena_take(arena, larger * item_bytes);
    if (before > 0 && before < LARGE_BYTES)
        memcpy(grown, list, before);
    *room = larger;
    return grown;
}

void ptx_arena_drop(struct ptx_arena *arena, void *taken, size_t bytes)
{
    if (!taken || bytes < LARGE_BYTES)
        return;
    struct ptx_chunk *chunk = chunk_of(taken);
    regain(arena, chunk->counted);
    chunk->newer->older = chunk->older;
    if (chunk->older)
        chunk->older->newer = chunk->newer;
    free(chunk);
}

char *ptx_arena_text(struct ptx_arena *arena, const char *text, size_t bytes)
{
    if (bytes == SIZE_MAX)
        longjmp(arena->out_of_memory, 1);
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
        regain(arena, arena->chunks->counted);
        free(arena->chunks);
        arena->chunks = older;
    }
    arena->used = 0;
    arena->loans = NULL;
}
