/* Lines of lanes in the shared memory of blocks that are checked, as long as what bounds them is enough to see that they do not race:
 * short, since there are many.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <sys/types.h>

#include "kernels/ptx/host/phase.h"
#include "kernels/ptx/host/written.h"
#include "kernels/ptx/library/check.h"

enum { HALF = 16 };

/* Bytes that lanes access, side by side or at one place. */
struct stretch {
    uint32_t low, first; /* first: where those of thread 0 would be */
    uint64_t end;
    uint32_t bytes;
    bool are_own; /* each lane has others */
};

static inline struct stretch stretch_of(uint32_t start, uint32_t thread, uint32_t lanes,
                                        uint32_t bytes, uint32_t stride)
{
    const unsigned from = (unsigned)__builtin_ctz(lanes),
                   last = 31u - (unsigned)__builtin_clz(lanes);
    const uint32_t low = start + from * stride;
    return (struct stretch){.low = low,
                            .first = low - (thread + from) * bytes,
                            .end = (uint64_t)low + (uint64_t)(last - from) * stride + bytes,
                            .bytes = bytes,
                            .are_own = stride != 0 || from == last};
}

static inline bool overlap(uint32_t low, uint64_t end, uint32_t other_low, uint64_t other_end)
{
    return low < other_end && other_low < end;
}

static inline bool are_own(const struct ptx_phase_lines *l, const struct stretch *s)
{
    return s->are_own && s->first == l->first && s->bytes == l->bytes;
}

/* Adds bytes to those between two bounds, unless some between others would be among them. */
static inline bool widen(uint32_t *low, uint32_t *end, const struct stretch *s, uint32_t other_low,
                         uint32_t other_end)
{
    const uint32_t least = s->low < *low ? s->low : *low,
                   most = s->end > *end ? (uint32_t)s->end : *end;
    if (overlap(least, most, other_low, other_end))
        return false;
    *low = least;
    *end = most;
    return true;
}

static inline bool add_write(struct ptx_phase_lines *l, const struct stretch *s)
{
    return widen(&l->written_low, &l->written_end, s, l->read_low, l->read_end);
}

static inline bool add_read(struct ptx_phase_lines *l, const struct stretch *s)
{
    return are_own(l, s) || widen(&l->read_low, &l->read_end, s, l->written_low, l->written_end);
}

static inline void note(struct ptx_phase *phase, const struct ptx_native_told *told, uint32_t lanes,
                        uint32_t thread, uint32_t start)
{
    struct ptx_phase_access *const to = &phase->accesses[phase->count++];
    to->told = told;
    to->lanes = lanes;
    to->thread = thread;
    to->first = start;
    to->second = start + HALF * (uint32_t)told->stride;
    to->places = NULL;
    phase->warps |= 1u << (thread / 32 & 31);
}

/* Nothing was written yet: each thread's own are where it writes now. What was read of others' is that of other threads then. */
static bool take_for_own(struct ptx_phase *phase, const struct stretch *s)
{
    struct ptx_phase_lines *const l = &phase->lines;
    if (!s->are_own || l->written_end != 0)
        return false;
    l->first = s->first;
    l->bytes = s->bytes;
    l->read_low = UINT32_MAX;
    l->read_end = 0;
    for (uint32_t i = 0; i < phase->count; i++) {
        const struct ptx_phase_access *const a = &phase->accesses[i];
        const struct stretch its =
            stretch_of(a->first, a->thread, a->lanes, CLEM_CHECK_BYTES(a->told->what),
                       (uint32_t)a->told->stride);
        (void)add_read(l, &its);
    }
    return true;
}

/* Whether lanes write what threads may have for their own, or read what was written. What they write was written then. */
static __attribute__((noinline)) bool takes_new(struct ptx_phase *phase,
                                                const struct ptx_native_block *block,
                                                const struct ptx_native_told *told, uint32_t lanes,
                                                uint32_t start)
{
    const struct stretch s = stretch_of(start, block->thread, lanes, CLEM_CHECK_BYTES(told->what),
                                        (uint32_t)told->stride);
    const bool writes = CLEM_CHECK_KIND(told->what) == CLEM_CHECK_STORE,
               is_known = !(told->ways & PTX_NATIVE_INIT) || s.end <= phase->known;
    unsigned char *const shadow = (unsigned char *)(uintptr_t)(is_known ? 0 : block->shadow);
    const uint32_t run = lanes >> __builtin_ctz(lanes);
    if (shadow &&
        (writes ? (run & (run + 1)) != 0 : !ptx_are_written(shadow + s.low, s.end - s.low)))
        return false;
    if (writes ? !((are_own(&phase->lines, &s) || take_for_own(phase, &s)) &&
                   add_write(&phase->lines, &s))
               : !add_read(&phase->lines, &s))
        return false;
    if (shadow && writes) {
        memset(shadow + s.low, 1, s.end - s.low);
        phase->known = s.low <= phase->known ? s.end : phase->known;
    }
    note(phase, told, lanes, block->thread, start);
    return true;
}

static inline bool takes_line(const struct ptx_native_launch *launch,
                              const struct ptx_native_block *block,
                              const struct ptx_native_told *told, uint32_t lanes, uint64_t first,
                              uint64_t second)
{
    const struct clem_check_launch *const head =
        (const struct clem_check_launch *)(uintptr_t)launch->checked;
    struct ptx_phase *const phase = ptx_phase_of(block);
    struct ptx_phase_lines *const l = &phase->lines;
    const bool writes = CLEM_CHECK_KIND(told->what) == CLEM_CHECK_STORE;
    const uint32_t stride = (uint32_t)told->stride, thread = block->thread;
    if (!l->are_all || phase->count == PTX_PHASE_ACCESSES || lanes == 0 ||
        second - first != HALF * (uint64_t)stride)
        return false;
    const uint32_t start = (uint32_t)(first - block->shared);
    const struct stretch s = stretch_of(start, thread, lanes, CLEM_CHECK_BYTES(told->what), stride);
    if (s.low & (s.bytes - 1) || s.end > head->shared_bytes || s.end > phase->cells * 4)
        return false;
    if ((told->ways & PTX_NATIVE_INIT && s.end > phase->known) || (writes && !are_own(l, &s)))
        return takes_new(phase, block, told, lanes, start);
    if (writes ? !add_write(l, &s) : !add_read(l, &s))
        return false;
    note(phase, told, lanes, thread, start);
    return true;
}

bool ptx_phase_takes_line(const struct ptx_native_launch *launch,
                          const struct ptx_native_block *block, const struct ptx_native_told *told,
                          uint32_t lanes, uint64_t first, uint64_t second)
{
    return takes_line(launch, block, told, lanes, first, second);
}

uint64_t clem_native_check_shared(const struct ptx_native_launch *launch,
                                  const struct ptx_native_block *block,
                                  const struct ptx_native_told *told, uint32_t lanes,
                                  uint64_t first, uint64_t second, struct ptx_native_list *list)
{
    return takes_line(launch, block, told, lanes, first, second)
               ? 0
               : clem_native_check_line(launch, block, told, lanes, first, second, list);
}
