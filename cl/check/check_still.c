/* Memory that a launch does not write: what kernels need to know what they have read of it (kernels/ptx/host/still.h).
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check/check_still.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cl/check/check_race.h"
#include "cl/check/check_table.h"

static uint64_t find(uint64_t address)
{
    return (uint64_t)(uintptr_t)ocl_check_find(address);
}

/* Nothing is known yet; NULL without memory. */
static struct clem_check_still *make_still(uint64_t memory_bytes)
{
    const uint64_t word = sizeof(uint64_t), bytes = (memory_bytes / 32 / word + 2) * word,
                   parts = (bytes / CLEM_CHECK_STILL_PART / word + 1) * word;
    struct clem_check_still *const still = calloc(1, sizeof *still + bytes + parts + 4 * bytes);
    if (!still)
        return NULL;
    still->bytes = bytes;
    still->each = sizeof *still + bytes + parts;
    return still;
}

static void empty_still(struct clem_check_still *still)
{
    unsigned char *const bits = (unsigned char *)(still + 1), *const parts = bits + still->bytes,
                         *const each = (unsigned char *)still + still->each;
    for (uint64_t at = 0; at < still->bytes; at += CLEM_CHECK_STILL_PART) {
        const uint64_t rest = still->bytes - at,
                       count = rest < CLEM_CHECK_STILL_PART ? rest : CLEM_CHECK_STILL_PART;
        if (!parts[at / CLEM_CHECK_STILL_PART])
            continue;
        parts[at / CLEM_CHECK_STILL_PART] = 0;
        memset(bits + at, 0, count);
        memset(each + 4 * at, 0, 4 * count);
    }
}

/* ---- Logs ---- */

/* Whose logs have memory. Needs its lock; what is in them is of who may look for races. */
static struct clem_check_still *logged;
static pthread_mutex_t logs_lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf */

static struct clem_check_still *still_at(uint64_t address)
{
    return (struct clem_check_still *)(uintptr_t)address;
}

/* Those of a launch before come first. */
static void settle(struct clem_check_still *still)
{
    if (still->previous != 0)
        settle(still_at(still->previous));
    if (still->log_count != 0)
        ocl_check_race_note_reads(still);
    still->log_count = 0;
}

void ocl_check_still_settle(const struct ocl_race_order *order)
{
    pthread_mutex_lock(&logs_lock);
    for (struct clem_check_still *at = logged; at; at = still_at(at->next))
        if (at->log_count != 0 && !(order && ocl_check_race_is_log_before(at, order)))
            settle(at);
    pthread_mutex_unlock(&logs_lock);
}

static void settle_all(void)
{
    ocl_check_still_settle(NULL);
}

void ocl_check_still_discard(void)
{
    pthread_mutex_lock(&logs_lock);
    for (struct clem_check_still *at = logged; at; at = still_at(at->next))
        at->log_count = 0;
    pthread_mutex_unlock(&logs_lock);
}

void ocl_check_still_forget(uint64_t address, uint64_t bytes)
{
    pthread_mutex_lock(&logs_lock);
    for (struct clem_check_still *at = logged; at; at = still_at(at->next)) {
        const struct ocl_checked_memory *const its =
            (const struct ocl_checked_memory *)(uintptr_t)at->memory;
        if (at->log_count == 0 || its->base >= address + bytes || address >= its->base + its->bytes)
            continue;
        if (address <= its->base && its->base + its->bytes <= address + bytes)
            at->log_count = 0;
        else
            settle(at);
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
    for (struct clem_check_still *at = logged; at; before = at, at = still_at(at->next))
        if (at == still && before)
            before->next = still->next;
        else if (at == still)
            logged = still_at(still->next);
    pthread_mutex_unlock(&logs_lock);
}

void ocl_check_still_free(uint64_t still)
{
    struct clem_check_still *const its = still_at(still);
    if (!its)
        return;
    ocl_check_still_free(its->previous);
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

/* Where there is none, what is in it is noted. */
static bool room(uint64_t memory)
{
    const struct clem_check_memory *const its = (const struct clem_check_memory *)(uintptr_t)memory;
    struct clem_check_still *const still = still_at(its->still);
    if (!grow(still, its->bytes) && still->log_room != 0)
        settle(still);
    return still->log_count + CLEM_READ_MOST <= still->log_room;
}

/* ---- Launches ---- */

/* Bits that are set in one of two rows of so many bytes, a multiple of 8, and not in the other. */
static bool has_more(const unsigned char *one, const unsigned char *other, uint64_t bytes)
{
    uint64_t more = 0, own, its;
    for (uint64_t at = 0; at < bytes; at += sizeof own) {
        memcpy(&own, one + at, sizeof own);
        memcpy(&its, other + at, sizeof its);
        more |= own & ~its;
    }
    return more != 0;
}

/* Whether some of two words, of which a launch has read these parts, is not among those that the later one has read. */
static bool has_more_parts(const unsigned char *parts, const unsigned char *again,
                           const unsigned char *words, uint64_t at)
{
    const unsigned more = parts[at] & (unsigned)~again[at],
                   its = (unsigned)words[at / 4] >> at % 4 * 2;
    return (more & 15u && !(its & 1)) || (more >> 4 && !(its & 2));
}

/* Whether all that some launch has read a later one has read again, which stands for that. */
static bool is_read_again(const struct clem_check_still *earlier,
                          const struct clem_check_still *later)
{
    const unsigned char *const bits = (const unsigned char *)(earlier + 1),
                               *const parts = bits + earlier->bytes,
                               *const again = (const unsigned char *)(later + 1),
                               *const each = (const unsigned char *)earlier + earlier->each,
                               *const each_again = (const unsigned char *)later + later->each;
    for (uint64_t at = 0; at < earlier->bytes; at += CLEM_CHECK_STILL_PART) {
        const uint64_t rest = earlier->bytes - at,
                       count = rest < CLEM_CHECK_STILL_PART ? rest : CLEM_CHECK_STILL_PART;
        if (!parts[at / CLEM_CHECK_STILL_PART])
            continue;
        if (has_more(bits + at, again + at, count))
            return false;
        const bool are_few = !has_more(each + 4 * at, each_again + 4 * at, 4 * count);
        for (uint64_t i = 4 * at; !are_few && i < 4 * (at + count); i++)
            if (has_more_parts(each, each_again, again, i))
                return false;
    }
    return true;
}

static void add_bits(unsigned char *to, const unsigned char *from, uint64_t bytes)
{
    uint64_t own, its;
    for (uint64_t at = 0; at < bytes; at += sizeof own) {
        memcpy(&own, to + at, sizeof own);
        memcpy(&its, from + at, sizeof its);
        own |= its;
        memcpy(to + at, &own, sizeof own);
    }
}

/* What one has as read the other has, too, then. */
static void add_read(struct clem_check_still *to, const struct clem_check_still *from)
{
    unsigned char *const bits = (unsigned char *)(to + 1), *const parts = bits + to->bytes,
                         *const each = (unsigned char *)to + to->each;
    const unsigned char *const its = (const unsigned char *)(from + 1), *const its_each =
                                                                            (const unsigned char *)
                                                                                from +
                                                                            from->each;
    for (uint64_t at = 0; at < to->bytes; at += CLEM_CHECK_STILL_PART) {
        const uint64_t rest = to->bytes - at,
                       count = rest < CLEM_CHECK_STILL_PART ? rest : CLEM_CHECK_STILL_PART;
        if (!its[to->bytes + at / CLEM_CHECK_STILL_PART])
            continue;
        parts[at / CLEM_CHECK_STILL_PART] = 1;
        add_bits(bits + at, its + at, count);
        add_bits(each + 4 * at, its_each + 4 * at, 4 * count);
    }
}

/* Appends a log to that of launches before. false: there is no memory. */
static bool append(struct clem_check_still *to, const struct clem_check_still *from,
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
    add_read(to, from);
    return true;
}

/* What is known of a launch's reads makes room for the next one's: it goes before, in place of what went before that where it has all
 * of that, and otherwise behind it. */
static struct clem_check_still *make_room(struct clem_check_still *still,
                                          const struct clem_check_memory *memory)
{
    struct clem_check_still *const earlier = still_at(still->previous);
    if (earlier->log_count == 0 || is_read_again(earlier, still)) {
        still->previous = 0;
        earlier->previous = (uint64_t)(uintptr_t)still;
        return earlier;
    }
    ocl_check_pack_log(earlier, memory->base, memory->bytes);
    if (!append(earlier, still, memory->bytes))
        settle(still);
    return still;
}

/* Another one behind it, whose log is that of a launch that goes before. */
static struct clem_check_still *put_before(struct clem_check_still *still, uint64_t bytes)
{
    struct clem_check_still *const next = make_still(bytes);
    if (next)
        next->previous = (uint64_t)(uintptr_t)still;
    else
        settle(still);
    return next;
}

static bool keep(uint64_t memory, uint64_t times)
{
    struct clem_check_memory *const its = (struct clem_check_memory *)(uintptr_t)memory;
    struct clem_check_still *still = still_at(its->still), *next = NULL;
    if (still && still->log_count != 0)
        next = still->previous ? make_room(still, its) : put_before(still, its->bytes);
    next = next ? next : still ? still : make_still(its->bytes);
    if (!next)
        return false;
    empty_still(next);
    next->log_count = next->packed = 0;
    next->times = times;
    next->memory = memory;
    its->still = (uint64_t)(uintptr_t)next;
    return true;
}

void ocl_check_still(struct ocl_check_launch *launch)
{
    launch->head.find = (uint64_t)(uintptr_t)find;
    launch->head.keep = (uint64_t)(uintptr_t)keep;
    launch->head.room = (uint64_t)(uintptr_t)room;
    launch->head.settle = (uint64_t)(uintptr_t)settle_all;
    launch->head.none = ocl_check_no_memory();
    ocl_check_still_begin(launch, 0);
}
