/* Memory that is still: no store of the launch at hand goes there, as the kernel's text and its parameters say. A word of it that
 * the launch has read, and was right to, is right to be read by all of its threads, and what is kept of the first read stands for
 * all. Private to kernels/ptx/host/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_HOST_STILL_H
#define KERNELS_PTX_HOST_STILL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "kernels/ptx/host/checks.h"
#include "kernels/ptx/library/check.h"

enum { PTX_STILL_WORDS = 57 }; /* that are looked at at once, at most */

/* A bit for each word from one on that was read: of PTX_STILL_WORDS. */
static inline uint64_t ptx_still_words(const struct clem_check_memory *memory, uint64_t word)
{
    uint64_t bits;
    memcpy(&bits,
           (const unsigned char *)(uintptr_t)memory->still + sizeof(struct clem_check_still) +
               word / 8,
           sizeof bits);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    bits = __builtin_bswap64(bits);
#endif
    return bits >> word % 8;
}

/* Of a word that was read in parts, a bit for each byte. */
static inline unsigned ptx_still_part(const struct clem_check_memory *memory, uint64_t word)
{
    const struct clem_check_still *const still =
        (const struct clem_check_still *)(uintptr_t)memory->still;
    const unsigned char *const each = (const unsigned char *)still + still->each;
    return (unsigned)each[word / 2] >> word % 2 * 4 & 15u;
}

/* Likewise from one on, of bytes: of PTX_STILL_WORDS. Of words that were read whole there need not be any. */
static inline uint64_t ptx_still_parts(const struct clem_check_memory *memory, uint64_t at)
{
    const struct clem_check_still *const still =
        (const struct clem_check_still *)(uintptr_t)memory->still;
    uint64_t bits;
    memcpy(&bits, (const unsigned char *)still + still->each + at / 8, sizeof bits);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    bits = __builtin_bswap64(bits);
#endif
    return bits >> at % 8;
}

/* Whether some bytes of a word were read; only those from `first` to before `end`. */
static inline bool ptx_still_has_part(const struct clem_check_memory *memory, uint64_t first,
                                      uint64_t end)
{
    const unsigned bytes = (1u << ((end - 1) % 4 + 1)) - (1u << first % 4);
    return !(bytes & ~ptx_still_part(memory, first / 4)) || ptx_still_words(memory, first / 4) & 1;
}

/* Of words in a row that were not all read whole, whether those are the first and the last, of which only some bytes are asked for that
 * were read. missing: a bit for each of `count`. */
static inline bool ptx_still_has_ends(const struct clem_check_memory *memory, uint64_t first,
                                      uint64_t end, uint64_t missing, uint64_t count)
{
    const uint64_t last = (uint64_t)1 << (count - 1), behind = first / 4 * 4 + 4;
    if (missing & ~(last | 1))
        return false;
    return (!(missing & 1) || ptx_still_has_part(memory, first, behind < end ? behind : end)) &&
           (!(missing & last & ~(uint64_t)1) || ptx_still_has_part(memory, (end - 1) / 4 * 4, end));
}

/* Whether bytes that follow each other were read. */
static inline bool ptx_still_has(const struct clem_check_memory *memory, uint64_t address,
                                 uint64_t bytes)
{
    uint64_t first = address - memory->base;
    const uint64_t end = first + bytes;
    bool has = first < memory->bytes && bytes <= memory->bytes - first;
    while (has && first < end) {
        const uint64_t words = (end + 3) / 4 - first / 4,
                       count = words < PTX_STILL_WORDS ? words : PTX_STILL_WORDS;
        const uint64_t next = (first / 4 + count) * 4, to = next < end ? next : end;
        const uint64_t missing = ~ptx_still_words(memory, first / 4) & (((uint64_t)1 << count) - 1);
        has = missing == 0 || ptx_still_has_ends(memory, first, to, missing, count);
        first = to;
    }
    return has;
}

static inline bool ptx_still_has_word(const struct clem_check_memory *memory, uint64_t address)
{
    const uint64_t at = address - memory->base;
    return at % 4 == 0 && at < memory->bytes && ptx_still_words(memory, at / 4) & 1;
}

/* Whether copies and fills touch none of it. */
static inline bool ptx_still_is_apart(const struct clem_check_launch *head,
                                      const struct clem_check_memory *memory, uint64_t change)
{
    return head->touched_change == change &&
           (memory->base >= head->touched_high ||
            memory->base + memory->bytes + 16 <= head->touched_low);
}

/* Where a load of the launch is looked up; NULL: it has to be told. */
static inline const struct clem_check_memory *ptx_still_of(const struct ptx_native_launch *launch,
                                                           const struct ptx_native_told *told)
{
    const struct clem_check_launch *const head =
        (const struct clem_check_launch *)(uintptr_t)launch->checked;
    const struct clem_race_gate *const gate = (const struct clem_race_gate *)(uintptr_t)head->gate;
    if (!(told->ways & PTX_NATIVE_STILL) || !gate ||
        __atomic_load_n(&gate->sole, __ATOMIC_RELAXED) != launch->checked || head->followed != 0)
        return NULL;
    const struct clem_check_memory *const memory =
        (const struct clem_check_memory *)(uintptr_t)head->still[told->number];
    const uint64_t change =
        __atomic_load_n((const uint64_t *)(uintptr_t)gate->change, __ATOMIC_RELAXED);
    return memory->still != 0 && (change == 0 || ptx_still_is_apart(head, memory, change)) ? memory
                                                                                           : NULL;
}

/* Lanes on a line, side by side or at one place, of 4 bytes or fewer than that, or more. */
static inline bool ptx_still_line(const struct clem_check_memory *memory, int64_t stride,
                                  uint32_t bytes, uint64_t first, uint32_t lanes)
{
    const unsigned from = (unsigned)__builtin_ctz(lanes);
    const uint32_t here = lanes >> from;
    const uint64_t low = first + from * (uint64_t)stride, at = low - memory->base,
                   last = 31u - (unsigned)__builtin_clz(here);
    if (low & (bytes - 1))
        return false;
    if (stride == 4 && bytes == 4)
        return at < memory->bytes && (last + 1) * 4 <= memory->bytes - at &&
               !(here & ~(uint32_t)ptx_still_words(memory, at / 4));
    if (stride == 0 || stride == (int64_t)bytes)
        return ptx_still_has(memory, low, last * (uint64_t)stride + bytes);
    bool has = true;
    for (uint32_t rest = here; rest != 0 && has; rest &= rest - 1)
        has = ptx_still_has(memory, low + (uint64_t)__builtin_ctz(rest) * (uint64_t)stride, bytes);
    return has;
}

/* Whether a load of lanes on a line, by half warps, is one more of what was read. As clem_native_check_line(). */
static inline bool ptx_is_still(const struct ptx_native_launch *launch,
                                const struct ptx_native_told *told, uint32_t lanes, uint64_t first,
                                uint64_t second)
{
    enum { HALF = 16 };
    const struct clem_check_memory *const memory = ptx_still_of(launch, told);
    const uint32_t bytes = CLEM_CHECK_BYTES(told->what);
    const int64_t stride = told->stride;
    if (!memory || lanes == 0)
        return false;
    if (second == first + (uint64_t)(HALF * stride))
        return ptx_still_line(memory, stride, bytes, first, lanes);
    const uint32_t low = lanes & 0xffff, high = lanes >> HALF;
    return (low == 0 || ptx_still_line(memory, stride, bytes, first, low)) &&
           (high == 0 || ptx_still_line(memory, stride, bytes, second, high));
}

/* Stands for the memory of loads that is not still. */
extern const struct clem_check_memory ptx_moving;

/* Whether a load may be of still memory. */
static inline bool ptx_may_be_still(const struct ptx_native_launch *launch,
                                    const struct ptx_native_told *told)
{
    const struct clem_check_launch *const head =
        (const struct clem_check_launch *)(uintptr_t)launch->checked;
    return told->ways & PTX_NATIVE_STILL &&
           head->still[told->number] != (uint64_t)(uintptr_t)&ptx_moving;
}

/* Whether a load of such lanes is right, which is noted in the log of the memory: where that is still, and all that came before the
 * launch is ordered before it. Of a list: the lanes that are left. */
bool ptx_still_reads_line(const struct ptx_native_launch *launch,
                          const struct ptx_native_block *block, const struct ptx_native_told *told,
                          uint32_t lanes, uint64_t first, uint64_t second);
uint32_t ptx_still_reads_list(const struct ptx_native_launch *launch,
                              const struct ptx_native_block *block,
                              const struct ptx_native_told *told, uint32_t lanes,
                              const struct ptx_native_list *list);

/* Whether memory at an address is still, and it is known which words were read. */
static inline bool ptx_still_is_kept(const struct clem_check_launch *head, uint64_t address)
{
    const uint64_t *const pages = (const uint64_t *)(uintptr_t)head->memory;
    const struct clem_check_memory *const memory =
        (const struct clem_check_memory *)(uintptr_t)pages[CLEM_CHECK_PLACE(address)];
    const struct clem_check_still *const still =
        (const struct clem_check_still *)(uintptr_t)memory->still;
    return still && still->times == head->still_times && address - memory->base < memory->bytes;
}

/* Lanes have read bytes that follow each other, which was right; nothing where the memory is not still. Needs: clem_race_enter(). */
void ptx_still_note(const struct ptx_native_launch *launch, const struct ptx_native_told *told,
                    uint64_t address, uint64_t bytes);

/* From now on nothing is still. */
void ptx_still_forget(struct clem_check_launch *head);

/* Something is written at an address, which the memory may have: it is not still then. */
static inline void ptx_still_ends(const struct clem_check_launch *head,
                                  const struct clem_check_memory *memory, uint64_t address)
{
    const struct clem_check_still *const still =
        (const struct clem_check_still *)(uintptr_t)memory->still;
    if (still && still->times == head->still_times && address - memory->base < memory->bytes)
        ptx_still_forget((struct clem_check_launch *)(uintptr_t)head);
}

/* Likewise at an address, whatever memory has it. */
void ptx_still_ends_at(const struct clem_check_launch *head, uint64_t address);

#endif
