/* Copies a run of bytes.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       target[j] = source[j] for j < bytes; the two do not overlap.
 * Index space: copy_items: one item per 16 bytes, rounded up to whole groups, at least 64 items;
 *              made for GPUs.
 *              copy_chunks, copy_chunks_streaming: one item per chunk of bytes (a multiple of 64),
 *              groups of one item; made for CPUs (built with CLEM_DEVICE_IS_CPU). streaming stores
 *              go past the caches.
 * Alignment:   none needed. Stores are aligned and wide. In copy_items loads are aligned and wide
 *              too: where source and target differ modulo 16, a word is put together from the two
 *              that hold its bytes. No byte outside the source is read. Devices are little-endian.
 * Moves:       bytes read and bytes written.
 */

#include "addresses.h"

/* Bytes shift .. shift+15 of the 32 that low and high hold. */
static ulong2 bytes_across(ulong2 low, ulong2 high, uint shift) {
    ulong a = shift < 8 ? low.x : low.y;
    ulong b = shift < 8 ? low.y : high.x;
    ulong c = shift < 8 ? high.x : high.y;
    uint bits = (shift & 7u) * 8u;
    /* Two shifts to the left, because one by 64 is not defined. */
    return (ulong2)((a >> bits) | ((b << 1) << (63u - bits)),
                    (b >> bits) | ((c << 1) << (63u - bits)));
}

__kernel void copy_items(ADDRESS(uchar, target), ADDRESS(const uchar, source), ulong bytes) {
    POINTER(uchar, target);
    POINTER(const uchar, source);
    ulong item = get_global_id(0);
    if (bytes < 64) {
        if (item < bytes)
            target[item] = source[item];
        return;
    }
    ulong head = -(size_t)target & 15;
    uint shift = (uint)((size_t)(source + head) & 15);
    if (shift > head)
        head += 16;
    ulong words = (bytes - head) / 16;
    ulong tail = head + words * 16;
    if (shift != 0 && bytes - tail < 16 - shift) {
        --words;
        tail -= 16;
    }
    __global ulong2 *to = (__global ulong2 *)(target + head);
    __global const ulong2 *from = (__global const ulong2 *)(source + head - shift);
    if (item < words)
        to[item] = shift == 0 ? from[item] : bytes_across(from[item], from[item + 1], shift);
    if (item < head)
        target[item] = source[item];
    if (item < bytes - tail)
        target[tail + item] = source[tail + item];
}

#ifdef CLEM_DEVICE_IS_CPU

typedef uint16 anywhere __attribute__((aligned(1)));

#define PLAIN_STORE(value, pointer) (*(pointer) = (value))

/* The first item also does both ends, with a store each that overlaps the aligned words. The grid has one dimension, the
 * first or the last. */
#define COPY_CHUNKS(name, store)                                                                   \
    __kernel void name(__global uchar *restrict target, __global const uchar *restrict source,     \
                       ulong bytes, ulong chunk) {                                                 \
        ulong item = get_global_id(0) + get_global_id(2);                                          \
        if (bytes < 64) {                                                                          \
            for (ulong j = 0; j < bytes && item == 0; ++j)                                         \
                target[j] = source[j];                                                             \
            return;                                                                                \
        }                                                                                          \
        ulong head = -(size_t)target & 63;                                                         \
        ulong words = (bytes - head) / 64;                                                         \
        ulong first = item * (chunk / 64);                                                         \
        ulong end = min(first + chunk / 64, words);                                                \
        __global uint16 *to = (__global uint16 *)(target + head);                                  \
        __global const anywhere *from = (__global const anywhere *)(source + head);                \
        for (ulong i = first; i < end; ++i)                                                        \
            store(from[i], to + i);                                                                \
        if (item == 0) {                                                                           \
            *(__global anywhere *)target = *(__global const anywhere *)source;                     \
            *(__global anywhere *)(target + bytes - 64) =                                          \
                *(__global const anywhere *)(source + bytes - 64);                                 \
        }                                                                                          \
    }

COPY_CHUNKS(copy_chunks, PLAIN_STORE)
COPY_CHUNKS(copy_chunks_streaming, __builtin_nontemporal_store)

#endif
