/* Memory that a launch does not write: what kernels need to know what they have read of it (kernels/ptx/host/still.h).
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "cl/check/check_filled.h"
#include "cl/check/check_log.h"
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
        memset(bits + at, 0, count);
        if (parts[at / CLEM_CHECK_STILL_PART] & CLEM_CHECK_STILL_BYTES)
            memset(each + 4 * at, 0, 4 * count);
        parts[at / CLEM_CHECK_STILL_PART] = 0;
    }
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
        const bool are_few = !(parts[at / CLEM_CHECK_STILL_PART] & CLEM_CHECK_STILL_BYTES) ||
                             !has_more(each + 4 * at, each_again + 4 * at, 4 * count);
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
    const unsigned char *const its = (const unsigned char *)(from + 1);
    const unsigned char *const its_each = (const unsigned char *)from + from->each;
    for (uint64_t at = 0; at < to->bytes; at += CLEM_CHECK_STILL_PART) {
        const uint64_t rest = to->bytes - at,
                       count = rest < CLEM_CHECK_STILL_PART ? rest : CLEM_CHECK_STILL_PART;
        if (!its[to->bytes + at / CLEM_CHECK_STILL_PART])
            continue;
        parts[at / CLEM_CHECK_STILL_PART] |= its[to->bytes + at / CLEM_CHECK_STILL_PART];
        add_bits(bits + at, its + at, count);
        if (its[to->bytes + at / CLEM_CHECK_STILL_PART] & CLEM_CHECK_STILL_BYTES)
            add_bits(each + 4 * at, its_each + 4 * at, 4 * count);
    }
}

/* What is known of a launch's reads makes room for the next one's: it goes before, in place of what went before that where it has all
 * of that, and otherwise behind it. */
static struct clem_check_still *make_room(struct clem_check_still *still,
                                          const struct clem_check_memory *memory)
{
    struct clem_check_still *const earlier = ocl_check_still_at(still->previous);
    if (earlier->log_count == 0 || is_read_again(earlier, still)) {
        still->previous = 0;
        earlier->previous = (uint64_t)(uintptr_t)still;
        return earlier;
    }
    ocl_check_log_pack(earlier, memory->base, memory->bytes);
    if (ocl_check_log_append(earlier, still, memory->bytes))
        add_read(earlier, still);
    else
        ocl_check_log_settle(still);
    return still;
}

/* Another one behind it, whose log is that of a launch that goes before. */
static struct clem_check_still *put_before(struct clem_check_still *still, uint64_t bytes)
{
    struct clem_check_still *const next = make_still(bytes);
    if (next)
        next->previous = (uint64_t)(uintptr_t)still;
    else
        ocl_check_log_settle(still);
    return next;
}

static bool keep(uint64_t memory, uint64_t times)
{
    struct clem_check_memory *const its = (struct clem_check_memory *)(uintptr_t)memory;
    struct clem_check_still *still = ocl_check_still_at(its->still), *next = NULL;
    ocl_check_see_filled((struct ocl_checked_memory *)(uintptr_t)memory); /* whose first it is */
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

static void settle_all(void)
{
    ocl_check_logs_settle(NULL, NULL);
}

void ocl_check_still(struct ocl_check_launch *launch)
{
    launch->head.find = (uint64_t)(uintptr_t)find;
    launch->head.keep = (uint64_t)(uintptr_t)keep;
    launch->head.room = (uint64_t)(uintptr_t)ocl_check_log_room;
    launch->head.settle = (uint64_t)(uintptr_t)settle_all;
    launch->head.none = ocl_check_no_memory();
    ocl_check_still_begin(launch, 0);
}
