/* Barriers in shared memory. From the lowest bit: 20 bits of threads that the phase still waits for, 20 of those that each
 * phase waits for, 21 of bytes that are expected (a number with a sign), 3 of the phase's number.
 * SPDX-License-Identifier: Apache-2.0 */

#define CLEM_MBARRIER_COUNT 0xfffffu

static inline ulong clem_mbarrier_new(uint count)
{
    const ulong threads = count & CLEM_MBARRIER_COUNT;
    return threads << 20 | threads;
}

/* What it is when `arrived` threads have arrived, `dropped` of them for the last time, and `bytes` more are expected: where
 * nothing is left to wait for, the next phase. */
static inline ulong clem_mbarrier_next(ulong now, uint arrived, uint dropped, uint bytes)
{
    const uint expected = ((uint)(now >> 20) - dropped) & CLEM_MBARRIER_COUNT;
    const uint left = ((uint)now - arrived) & CLEM_MBARRIER_COUNT;
    const uint bytes_left = ((uint)(now >> 40) + bytes) & 0x1fffffu;
    const bool is_over = left == 0u && bytes_left == 0u;
    const ulong phase = (now >> 61) + (ulong)is_over;
    return phase << 61 | (ulong)bytes_left << 40 | (ulong)expected << 20 |
           (ulong)(is_over ? expected : left);
}

/* Returns what it was before. */
static inline ulong clem_mbarrier_step(volatile __local ulong *p, uint arrived, uint dropped, uint bytes)
{
    const ulong now = *p;
    *p = clem_mbarrier_next(now, arrived, dropped, bytes);
    return now;
}

static inline ulong clem_mbarrier_step_atomic(volatile __local ulong *p, uint arrived, uint dropped, uint bytes)
{
    ulong seen = *p, was;
    do {
        was = seen;
        seen = atom_cmpxchg(p, was, clem_mbarrier_next(was, arrived, dropped, bytes));
    } while (seen != was);
    return was;
}

#define clem_mbarrier_pending(state) ((uint)(state) & CLEM_MBARRIER_COUNT)

/* Of its upper half. */
#define clem_mbarrier_is_over(upper, state) ((uchar)((upper) >> 29 != (uint)((state) >> 61)))

#define clem_mbarrier_is_over_parity(upper, parity) ((uchar)((((upper) >> 29 ^ (parity)) & 1u) != 0u))
