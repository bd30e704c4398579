/* Logs of reads: where they go, and what later launches have read again.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check/check_log.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cl/check/check_table.h"

/* Whose logs have memory. Needs its lock; what is in them is of who may look for races. */
static struct clem_check_still *logged;
static pthread_mutex_t logs_lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf */
static _Atomic(ocl_check_log_noter *) note;

void ocl_check_log_note_by(ocl_check_log_noter *by)
{
    atomic_store(&note, by);
}

void ocl_check_log_settle(struct clem_check_still *still)
{
    if (still->previous != 0)
        ocl_check_log_settle(ocl_check_still_at(still->previous));
    ocl_check_log_noter *const noter = atomic_load(&note);
    if (still->log_count != 0)
        noter(still);
    still->log_count = 0;
}

void ocl_check_logs_settle(bool (*stays)(const struct clem_check_still *log, const void *with),
                           const void *with)
{
    pthread_mutex_lock(&logs_lock);
    for (struct clem_check_still *at = logged; at; at = ocl_check_still_at(at->next))
        if (at->log_count != 0 && !(stays && stays(at, with)))
            ocl_check_log_settle(at);
    pthread_mutex_unlock(&logs_lock);
}

void ocl_check_logs_discard(void)
{
    pthread_mutex_lock(&logs_lock);
    for (struct clem_check_still *at = logged; at; at = ocl_check_still_at(at->next))
        at->log_count = 0;
    pthread_mutex_unlock(&logs_lock);
}

void ocl_check_logs_forget(uint64_t address, uint64_t bytes)
{
    pthread_mutex_lock(&logs_lock);
    for (struct clem_check_still *at = logged; at; at = ocl_check_still_at(at->next)) {
        const struct ocl_checked_memory *const its =
            (const struct ocl_checked_memory *)(uintptr_t)at->memory;
        if (at->log_count == 0 || its->base >= address + bytes || address >= its->base + its->bytes)
            continue;
        if (address <= its->base && its->base + its->bytes <= address + bytes)
            at->log_count = 0;
        else
            ocl_check_log_settle(at);
    }
    pthread_mutex_unlock(&logs_lock);
}

static void add_log(struct clem_check_still *still)
{
    pthread_mutex_lock(&logs_lock);
    still->next = (uint64_t)(uintptr_t)logged;
    logged = still;
    pthread_mutex_unlock(&logs_lock);
}

static void remove_log(struct clem_check_still *still)
{
    struct clem_check_still *before = NULL;
    pthread_mutex_lock(&logs_lock);
    for (struct clem_check_still *at = logged; at; before = at, at = ocl_check_still_at(at->next))
        if (at == still && before)
            before->next = still->next;
        else if (at == still)
            logged = ocl_check_still_at(still->next);
    pthread_mutex_unlock(&logs_lock);
}

void ocl_check_log_free(uint64_t still)
{
    struct clem_check_still *const its = ocl_check_still_at(still);
    if (!its)
        return;
    ocl_check_log_free(its->previous);
    remove_log(its);
    free((void *)(uintptr_t)its->log);
    free(its);
}

/* To no more than rows of cells would take. */
static bool grow(struct clem_check_still *still, uint64_t memory_bytes)
{
    enum { FEWEST = 512, CELLS = 8 };
    const uint64_t words = still->log_room != 0 ? 2 * still->log_room : FEWEST;
    if (words > FEWEST && words * sizeof words > CELLS * memory_bytes)
        return false;
    void *const larger = realloc((void *)(uintptr_t)still->log, words * sizeof words);
    if (!larger)
        return false;
    if (still->log == 0)
        add_log(still);
    still->log = (uint64_t)(uintptr_t)larger;
    still->log_room = words;
    return true;
}

bool ocl_check_log_room(uint64_t memory)
{
    const struct clem_check_memory *const its = (const struct clem_check_memory *)(uintptr_t)memory;
    struct clem_check_still *const still = ocl_check_still_at(its->still);
    if (!grow(still, its->bytes) && still->log_room != 0)
        ocl_check_log_settle(still);
    return still->log_count + CLEM_READ_MOST <= still->log_room;
}

bool ocl_check_log_append(struct clem_check_still *to, const struct clem_check_still *from,
                          uint64_t memory_bytes)
{
    while (to->log_count + CLEM_READ_WORDS + from->log_count > to->log_room)
        if (!grow(to, memory_bytes))
            return false;
    uint64_t *const words = (uint64_t *)(uintptr_t)to->log + to->log_count;
    words[0] = from->clear | (uint64_t)from->alone << 32;
    words[1] = 0;
    words[2] = CLEM_READ_LANES(0, 0, CLEM_READ_NEXT, 0);
    memcpy(words + CLEM_READ_WORDS, (const void *)(uintptr_t)from->log,
           from->log_count * sizeof *words);
    to->log_count += CLEM_READ_WORDS + from->log_count;
    to->latest = from->latest;
    return true;
}

/* ---- Packing ---- */

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

void ocl_check_log_pack(struct clem_check_still *log, uint64_t memory_base, uint64_t memory_bytes)
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
