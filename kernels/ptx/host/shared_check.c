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
                            .end = (uint64_t)low + (last - from) * stride + bytes,
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

/* Nothing was written yet: each thread's own are where it writes now. What was read of others' is that of other threads then. */
static __attribute__((noinline)) bool take_for_own(struct ptx_phase *phase, const struct stretch *s)
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
        if (are_own(l, &its))
            continue;
        l->read_low = its.low < l->read_low ? its.low : l->read_low;
        l->read_end = its.end > l->read_end ? (uint32_t)its.end : l->read_end;
    }
    return true;
}

/* Whether an access that comes to such is none of the races that there may be; it is one of those then. */
static inline bool add_to_lines(struct ptx_phase *phase, const struct stretch *s, bool writes)
{
    struct ptx_phase_lines *const l = &phase->lines;
    const bool is_own = are_own(l, s);
    if (writes && (is_own || take_for_own(phase, s))) {
        const uint32_t low = s->low < l->written_low ? s->low : l->written_low,
                       end = s->end > l->written_end ? (uint32_t)s->end : l->written_end;
        if (overlap(low, end, l->read_low, l->read_end))
            return false;
        l->written_low = low;
        l->written_end = end;
        return true;
    }
    if (is_own || writes)
        return is_own;
    const uint32_t low = s->low < l->read_low ? s->low : l->read_low,
                   end = s->end > l->read_end ? (uint32_t)s->end : l->read_end;
    if (overlap(low, end, l->written_low, l->written_end))
        return false;
    l->read_low = low;
    l->read_end = end;
    return true;
}

/* Likewise of bytes of which some are not known to have been written: they are read rightly, or were written then. */
static __attribute__((noinline)) bool add_new(struct ptx_phase *phase,
                                              const struct ptx_native_block *block,
                                              const struct stretch *s, uint32_t lanes, bool writes)
{
    unsigned char *const shadow = (unsigned char *)(uintptr_t)block->shadow;
    const uint32_t run = lanes >> __builtin_ctz(lanes);
    const uint64_t bytes = s->end - s->low;
    if (shadow && (writes ? (run & (run + 1)) != 0 : !ptx_are_written(shadow + s->low, bytes)))
        return false;
    if (!add_to_lines(phase, s, writes))
        return false;
    if (shadow && writes)
        memset(shadow + s->low, 1, bytes);
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
    const bool writes = CLEM_CHECK_KIND(told->what) == CLEM_CHECK_STORE;
    const uint32_t stride = (uint32_t)told->stride, thread = block->thread;
    if (!phase->lines.are_all || phase->count == PTX_PHASE_ACCESSES || lanes == 0 ||
        second - first != HALF * (uint64_t)stride)
        return false;
    const uint32_t start = (uint32_t)(first - block->shared);
    const struct stretch s = stretch_of(start, thread, lanes, CLEM_CHECK_BYTES(told->what), stride);
    if (s.low & (s.bytes - 1) || s.end > head->shared_bytes || s.end > phase->cells * 4)
        return false;
    if (told->ways & PTX_NATIVE_INIT && s.end > phase->known
            ? !add_new(phase, block, &s, lanes, writes)
            : !add_to_lines(phase, &s, writes))
        return false;
    phase->accesses[phase->count++] = (struct ptx_phase_access){.told = told,
                                                                .lanes = lanes,
                                                                .thread = thread,
                                                                .first = start,
                                                                .second = start + HALF * stride};
    phase->warps |= 1u << (thread / 32 & 31);
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
