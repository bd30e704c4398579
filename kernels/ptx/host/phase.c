/* Shared memory of blocks that are checked, from one barrier to the next.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/host/phase.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/types.h>

#include "kernels/ptx/host/written.h"
#include "kernels/ptx/library/check.h"

enum { HALF = 16 };

/* ---- Blocks ---- */

struct ptx_phase ptx_no_phase = {.is_over = true};
static _Atomic(struct ptx_phase *) spare; /* that no block has */

static const struct clem_check_launch *head_of(const struct ptx_native_launch *launch)
{
    return (const struct clem_check_launch *)(uintptr_t)launch->checked;
}

static struct ptx_phase *make(uint64_t cells)
{
    enum { BEHIND = 64 }; /* what groups take in at their end */
    const size_t each = cells + BEHIND;
    struct ptx_phase *own = calloc(1, sizeof *own + 2 * each * sizeof *own->writers);
    if (!own)
        return &ptx_no_phase;
    own->writers = (uint32_t *)(void *)(own + 1);
    own->readers = own->writers + each;
    own->cells = cells;
    return own;
}

/* Nobody has accessed anything. */
static void begin_phase(struct ptx_phase *own)
{
    if (own->now > UINT32_MAX - 2 * PTX_PHASE_STEP) {
        memset(own->writers, 0, own->cells * sizeof *own->writers);
        memset(own->readers, 0, own->cells * sizeof *own->readers);
        own->now = 0;
    }
    own->now += PTX_PHASE_STEP;
    own->is_over = false;
    own->orders = own->warps = own->count = own->list_count = own->noted = 0;
    own->lines.are_all = true;
    own->lines.written_low = own->lines.read_low = UINT32_MAX;
    own->lines.written_end = own->lines.read_end = 0;
}

void ptx_phase_begin(const struct ptx_native_launch *launch, struct ptx_native_block *block)
{
    const uint64_t cells = ((uint64_t)launch->shared_bytes + 3) / 4;
    struct ptx_phase *own = cells ? atomic_exchange(&spare, NULL) : &ptx_no_phase;
    if (own && own->cells < cells) {
        free(own);
        own = NULL;
    }
    own = own ? own : make(cells);
    block->phase = (uint64_t)(uintptr_t)own;
    if (own == &ptx_no_phase)
        return;
    own->known = 0;
    begin_phase(own);
}

void ptx_phase_end(struct ptx_native_block *block)
{
    struct ptx_phase *own = ptx_phase_of(block);
    if (own != &ptx_no_phase)
        free(atomic_exchange(&spare, own));
    block->phase = 0;
}

static uint64_t known_from(const unsigned char *shadow, uint64_t from, uint64_t bytes)
{
    enum { STEP = 64 };
    while (from + STEP <= bytes && ptx_are_written(shadow + from, STEP))
        from += STEP;
    while (from < bytes && shadow[from] == 1)
        from++;
    return from;
}

void ptx_phase_meet(const struct ptx_native_launch *launch, const struct ptx_native_block *block)
{
    struct ptx_phase *const own = ptx_phase_of(block);
    const uint64_t bytes = head_of(launch)->shared_bytes;
    if (own == &ptx_no_phase)
        return;
    begin_phase(own);
    if (block->shadow && own->known < bytes)
        own->known = known_from((const unsigned char *)(uintptr_t)block->shadow, own->known, bytes);
}

void ptx_phase_forget(const struct ptx_native_block *block)
{
    if (ptx_phase_of(block) != &ptx_no_phase)
        ptx_phase_of(block)->known = 0;
}

/* ---- Loads of what nobody stores meanwhile ---- */

struct reading {
    const unsigned char *shadow; /* NULL: all was written */
    uint64_t limit;
    uint32_t bytes;
};

static struct reading reading_of(const struct ptx_native_launch *launch,
                                 const struct ptx_native_block *block,
                                 const struct ptx_native_told *told)
{
    const bool has_shadow = told->ways & PTX_NATIVE_INIT;
    return (struct reading){(const unsigned char *)(uintptr_t)(has_shadow ? block->shadow : 0),
                            head_of(launch)->shared_bytes, CLEM_CHECK_BYTES(told->what)};
}

static inline bool reads(const struct reading *r, uint64_t place)
{
    uint32_t four;
    if (place & (r->bytes - 1) || place + r->bytes > r->limit)
        return false;
    if (!r->shadow)
        return true;
    if (r->bytes != sizeof four)
        return ptx_are_written(r->shadow + place, r->bytes);
    memcpy(&four, r->shadow + place, sizeof four);
    return four == (uint32_t)CLEM_CHECK_WRITTEN;
}

/* Lanes of half a warp on a line. */
static bool reads_half(const struct reading *r, uint32_t lanes, uint64_t first, int64_t stride)
{
    const unsigned from = lanes ? (unsigned)__builtin_ctz(lanes) : 0,
                   last = lanes ? 31u - (unsigned)__builtin_clz(lanes) : 0;
    const uint64_t start = (uint32_t)(first + from * (uint64_t)stride),
                   reach = (last - from) * (uint64_t)stride + r->bytes;
    bool are = true;
    if (lanes == 0)
        return true;
    if (stride == (int64_t)r->bytes && !(start & (r->bytes - 1)) && start + reach <= r->limit &&
        (!r->shadow || ptx_are_written(r->shadow + start, reach)))
        return true;
    if (stride == 0)
        return reads(r, start);
    for (uint32_t rest = lanes; rest != 0 && are; rest &= rest - 1)
        are = reads(r, (uint32_t)(first + (unsigned)__builtin_ctz(rest) * (uint64_t)stride));
    return are;
}

bool ptx_phase_reads_line(const struct ptx_native_launch *launch,
                          const struct ptx_native_block *block, const struct ptx_native_told *told,
                          uint32_t lanes, uint64_t first, uint64_t second)
{
    const struct reading r = reading_of(launch, block, told);
    return reads_half(&r, lanes & 0xffffu, first - block->shared, told->stride) &&
           reads_half(&r, lanes >> HALF, second - block->shared, told->stride);
}

bool ptx_phase_reads_list(const struct ptx_native_launch *launch,
                          const struct ptx_native_block *block, const struct ptx_native_told *told,
                          uint32_t lanes, const struct ptx_native_list *list)
{
    const struct reading r = reading_of(launch, block, told);
    bool are = true;
    for (uint32_t rest = lanes; rest != 0 && are; rest &= rest - 1)
        are = reads(&r, (uint32_t)(list->addresses[__builtin_ctz(rest)] - block->shared));
    return are;
}
