/* Fills a run of bytes with a pattern of four.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       byte j of target becomes byte j % 4 of pattern (lowest byte first), for j < bytes.
 * Index space: fill_items: one item per 16 bytes, rounded up to whole groups, at least 32 items;
 *              made for GPUs.
 *              fill_chunks, fill_chunks_streaming: one item per chunk of bytes, groups of one item;
 *              made for CPUs (built with CLEM_DEVICE_IS_CPU). streaming stores go past the caches.
 * Alignment:   none needed; stores are aligned, the ends are written bytewise.
 * Moves:       bytes written.
 */

#include "addresses.h"

/* The pattern as it stands `bytes` bytes further on. */
static uint pattern_after(uint pattern, uint bytes) {
    return rotate(pattern, 32u - 8u * (bytes & 3u));
}

__kernel void fill_items(ADDRESS(uchar, target), ulong bytes, uint pattern) {
    POINTER(uchar, target);
    ulong item = get_global_id(0);
    ulong head = min((ulong)(-(size_t)target & 15), bytes);
    ulong words = (bytes - head) / 16;
    ulong tail = head + words * 16;
    if (item < words)
        ((__global uint4 *)(target + head))[item] = (uint4)(pattern_after(pattern, (uint)head));
    if (item < head)
        target[item] = (uchar)pattern_after(pattern, (uint)item);
    if (item < bytes - tail)
        target[tail + item] = (uchar)pattern_after(pattern, (uint)(tail + item));
}

#ifdef CLEM_DEVICE_IS_CPU

typedef uint16 anywhere __attribute__((aligned(1)));

#define PLAIN_STORE(value, pointer) (*(pointer) = (value))

/* The first item also does both ends, with a store each that overlaps the aligned words. The grid has one dimension, the
 * first or the last. */
#define FILL_CHUNKS(name, store)                                                                   \
    __kernel void name(__global uchar *target, ulong bytes, uint pattern, ulong chunk) {           \
        ulong item = get_global_id(0) + get_global_id(2);                                          \
        if (bytes < 64) {                                                                          \
            for (ulong j = 0; j < bytes && item == 0; ++j)                                         \
                target[j] = (uchar)pattern_after(pattern, (uint)j);                                \
            return;                                                                                \
        }                                                                                          \
        ulong head = -(size_t)target & 63;                                                         \
        ulong words = (bytes - head) / 64;                                                         \
        ulong first = item * (chunk / 64);                                                         \
        ulong end = min(first + chunk / 64, words);                                                \
        __global uint16 *wide = (__global uint16 *)(target + head);                                \
        uint16 value = (uint16)(pattern_after(pattern, (uint)head));                               \
        for (ulong i = first; i < end; ++i)                                                        \
            store(value, wide + i);                                                                \
        if (item == 0) {                                                                           \
            *(__global anywhere *)target = (uint16)(pattern);                                      \
            *(__global anywhere *)(target + bytes - 64) =                                          \
                (uint16)(pattern_after(pattern, (uint)bytes));                                     \
        }                                                                                          \
    }

FILL_CHUNKS(fill_chunks, PLAIN_STORE)
FILL_CHUNKS(fill_chunks_streaming, __builtin_nontemporal_store)

#endif
