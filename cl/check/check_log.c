/* Logs of reads (check_still.h): what later launches have read again goes.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "cl/check/check_still.h"
#include "kernels/ptx/library/check.h"

/* A log that is gone through from its end on. */
struct packing {
    uint64_t *words;
    uint64_t base;       /* a multiple of 4 */
    unsigned char *read; /* a bit for each word of memory that later reads have */
};

static uint64_t size_of(const uint64_t *read)
{
    return CLEM_READ_SIZE(read[2]);
}

/* Whether later reads have all words that some bytes are in; from now on they have those of which these are all. */
static bool is_read_later(const struct packing *p, uint64_t address, uint64_t bytes)
{
    const uint64_t first = address - p->base, end = first + bytes;
    bool is = true;
    for (uint64_t word = first / 4; word * 4 < end; word++) {
        unsigned char *const at = &p->read[word / 8], bit = (unsigned char)(1u << word % 8);
        is &= (*at & bit) != 0;
        if (word * 4 >= first && word * 4 + 4 <= end)
            *at |= bit;
    }
    return is;
}

static bool is_list_read_later(const struct packing *p, const uint64_t *read, uint64_t bytes)
{
    bool is = true;
    for (uint64_t i = 0; i < CLEM_READ_PLACES(read[2]); i++)
        is &= is_read_later(p, read[0] + (uint32_t)(read[CLEM_READ_WORDS + i / 2] >> i % 2 * 32),
                            bytes);
    return is;
}

static bool is_needed(const struct packing *p, const uint64_t *read)
{
    const uint32_t lanes = (uint32_t)read[2];
    const uint64_t bytes = CLEM_READ_LANE_BYTES(read[2]), how = CLEM_READ_HOW(read[2]);
    if (how == CLEM_READ_NEXT)
        return true;
    if (how == CLEM_READ_LIST)
        return !is_list_read_later(p, read, bytes);
    if (how == CLEM_READ_PLACE)
        return !is_read_later(p, read[0], bytes);
    const uint64_t first = (uint64_t)__builtin_ctz(lanes),
                   end = 32u - (uint64_t)__builtin_clz(lanes);
    return !is_read_later(p, read[0] + first * bytes, (end - first) * bytes);
}

/* Of reads at these places in the log: moves those that are needed down to its start. Returns how long it is then. */
static uint64_t move(const struct packing *p, uint64_t *places, uint64_t count)
{
    uint64_t to = 0;
    for (uint64_t i = count; i-- > 0;)
        if (!is_needed(p, p->words + places[i]))
            places[i] = UINT64_MAX;
    for (uint64_t i = 0; i < count; i++) {
        if (places[i] == UINT64_MAX)
            continue;
        const uint64_t size = size_of(p->words + places[i]);
        memmove(p->words + to, p->words + places[i], size * sizeof *p->words);
        to += size;
    }
    return to;
}

void ocl_check_pack_log(struct clem_check_still *log, uint64_t memory_base, uint64_t memory_bytes)
{
    enum { FEW = 1024 };
    uint64_t count = 0;
    if (log->log_count < FEW || log->log_count < 2 * log->packed)
        return;
    const struct packing p = {.words = (uint64_t *)(uintptr_t)log->log,
                              .base = memory_base & ~(uint64_t)3,
                              .read = calloc(memory_bytes / 32 + 2, 1)};
    uint64_t *const places = malloc(log->log_count / CLEM_READ_WORDS * sizeof *places);
    for (uint64_t at = 0; places && at < log->log_count; at += size_of(p.words + at))
        places[count++] = at;
    if (p.read && places)
        log->log_count = move(&p, places, count);
    log->packed = log->log_count;
    free(places);
    free(p.read);
}
