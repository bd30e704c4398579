/* SPDX-License-Identifier: Apache-2.0 */
#include "kept.h"

#include <stdlib.h>

enum { MOST_KEPT = 512, ARENA_BYTES = 8 << 20, ARENA_STEP = 256 };

/* Streams and events. */

static struct kept {
    void *handle;
    unsigned key;
    bool is_lent;
} kept[MOST_KEPT];
static unsigned kept_count;

static void *take(const struct program *program, unsigned key)
{
    for (unsigned i = 0; i < kept_count && program->is_reused; i++)
        if (kept[i].key == key && !kept[i].is_lent) {
            kept[i].is_lent = true;
            return kept[i].handle;
        }
    return NULL;
}

static void add(const struct program *program, unsigned key, void *handle)
{
    if (program->is_reused && kept_count < MOST_KEPT)
        kept[kept_count++] = (struct kept){handle, key, true};
}

static unsigned key_of(bool is_event, int device, unsigned flags, int priority)
{
    return is_event | (unsigned)device << 1 | flags << 4 | (unsigned)-priority << 16;
}

cudaError_t kept_stream(const struct program *program, int device, unsigned flags, int priority,
                        cudaStream_t *stream)
{
    const unsigned key = key_of(false, device, flags, priority);
    cudaError_t error = cudaSetDevice(device);

    *stream = take(program, key);
    if (error || *stream)
        return error;
    error = cudaStreamCreateWithPriority(stream, flags, priority);
    if (!error)
        add(program, key, *stream);
    return error;
}

cudaError_t kept_event(const struct program *program, int device, unsigned flags,
                       cudaEvent_t *event)
{
    const unsigned key = key_of(true, device, flags, 0);
    cudaError_t error = cudaSetDevice(device);

    *event = take(program, key);
    if (error || *event)
        return error;
    error = cudaEventCreateWithFlags(event, flags);
    if (!error)
        add(program, key, *event);
    return error;
}

bool kept_give(const void *handle)
{
    for (unsigned i = 0; i < kept_count; i++)
        if (kept[i].handle == handle) {
            kept[i].is_lent = false;
            return true;
        }
    return false;
}

void kept_forget(const void *handle)
{
    for (unsigned i = 0; i < kept_count; i++)
        if (kept[i].handle == handle)
            kept[i] = kept[--kept_count];
}

/* Memory. */

static struct arena {
    uint8_t *base;
    size_t used;
} arenas[MEMORY_KINDS][MOST_DEVICES];

static uint8_t *make_arena(enum memory memory)
{
    const unsigned mapped = cudaHostAllocMapped | cudaHostAllocPortable;
    const unsigned registered = cudaHostRegisterMapped | cudaHostRegisterPortable;
    void *base = NULL;
    cudaError_t error = cudaErrorNotSupported;

    if (memory == MEMORY_PINNED)
        error = cudaMallocHost(&base, ARENA_BYTES);
    else if (memory == MEMORY_MAPPED)
        error = cudaHostAlloc(&base, ARENA_BYTES, mapped);
    else if (memory == MEMORY_MANAGED)
        error = cudaMallocManaged(&base, ARENA_BYTES, cudaMemAttachGlobal);
    else if (memory == MEMORY_DEVICE)
        error = cudaMalloc(&base, ARENA_BYTES);
    else if (memory == MEMORY_REGISTERED && !posix_memalign(&base, 4096, ARENA_BYTES))
        error = cudaHostRegister(base, ARENA_BYTES, registered);
    return error ? NULL : base;
}

/* stays_as_it_is: no command gives the buffer's memory a state beside its bytes. */
static bool stays_as_it_is(const struct program *program, unsigned buffer)
{
    if (program->buffer[buffer].is_late)
        return false;
    for (int i = 0; i < program->commands; i++) {
        const struct command *c = &program->command[i];
        if ((c->kind == DO_ATTACH && c->target.buffer == buffer) ||
            (c->kind == DO_ADVISE && c->first.buffer == buffer))
            return false;
    }
    return true;
}

void *kept_memory(const struct program *program, unsigned buffer)
{
    const enum memory memory = (enum memory)program->buffer[buffer].memory;
    const size_t bytes = (size_t)program->unit * program->buffer[buffer].units;
    struct arena *arena = &arenas[memory][program->buffer[buffer].device];

    if (!program->is_reused || memory == MEMORY_PAGEABLE || memory > MEMORY_DEVICE ||
        !stays_as_it_is(program, buffer))
        return NULL;
    if (!arena->base)
        arena->base = make_arena(memory);
    if (!arena->base || ARENA_BYTES - arena->used < bytes)
        return NULL;
    uint8_t *made = arena->base + arena->used;
    const size_t end = arena->used + (bytes + ARENA_STEP - 1) / ARENA_STEP * ARENA_STEP;
    arena->used = end < ARENA_BYTES ? end : ARENA_BYTES;
    return made;
}

bool kept_has(const void *memory)
{
    for (int kind = 0; kind < MEMORY_KINDS; kind++)
        for (int device = 0; device < MOST_DEVICES; device++) {
            const uint8_t *base = arenas[kind][device].base;
            if (base && (const uint8_t *)memory >= base &&
                (const uint8_t *)memory < base + ARENA_BYTES)
                return true;
        }
    return false;
}

void kept_end(void)
{
    for (int kind = 0; kind < MEMORY_KINDS; kind++)
        for (int device = 0; device < MOST_DEVICES; device++)
            arenas[kind][device].used = 0;
}
