/* Copies the rows of a rectangle or volume.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       row r of rows lies at (r / height) * slice + (r % height) * pitch of its side; width
 *              bytes of each are copied. Rows of the target do not overlap each other nor the
 *              source. Bytes between rows are left alone.
 * Index space: copy_rect_items_W: one item per element of W bytes, row after row; the last element
 *              of a row is what is left of it. copy_rect_words: one item per
 *              (width + 30) / 16 words of a row, likewise. Groups of any size. Made for GPUs.
 *              copy_rect_rows, copy_rect_rows_streaming, copy_rect_narrow_W: one item per `take`
 *              rows, groups of one item; made for CPUs (built with CLEM_DEVICE_IS_CPU). narrow_W is
 *              for rows of a few elements of W bytes.
 * Alignment:   both addresses, pitches and slices are multiples of W for copy_rect_items_W; none
 *              needed for the others, but width is a multiple of W for narrow_W and at least 64 for
 *              the rows forms. copy_rect_words stores whole aligned words of 16 bytes and reads no
 *              byte outside the row. Devices are little-endian.
 * Moves:       rows * width bytes read and as many written.
 */

#include "addresses.h"

/* Division of 64-bit numbers is slow on GPUs; nearly all are short. */
static ulong quotient(ulong a, ulong b) {
    return (a | b) >> 32 ? a / b : (uint)a / (uint)b;
}

static size_t row_offset(ulong row, ulong height, ulong rows, ulong pitch, ulong slice) {
    ulong z = height < rows ? quotient(row, height) : 0;
    return z * slice + (row - z * height) * pitch;
}

#define COPY_RECT_ENDS(target, source)                                                             \
    target, ulong target_pitch, ulong target_slice, source, ulong source_pitch,                    \
        ulong source_slice, ulong width, ulong height, ulong rows
#define COPY_RECT_ADDRESSES COPY_RECT_ENDS(ADDRESS(uchar, target), ADDRESS(const uchar, source))
#define COPY_RECT_PARAMETERS                                                                       \
    COPY_RECT_ENDS(__global uchar *restrict target, __global const uchar *restrict source)

/* Fewer than 16 bytes, by the widest accesses that both sides' alignment allows. */
static void copy_rest(__global uchar *restrict to, __global const uchar *restrict from, ulong bytes,
                      uint element) {
    ulong j = 0;
    if (element > 8 && bytes & 8) {
        *(__global ulong *)to = *(__global const ulong *)from;
        j = 8;
    }
    if (element > 4 && bytes & 4) {
        *(__global uint *)(to + j) = *(__global const uint *)(from + j);
        j += 4;
    }
    for (; j < bytes; ++j)
        to[j] = from[j];
}

#define COPY_RECT_ITEMS(bytes, type)                                                               \
    __kernel void copy_rect_items_##bytes(COPY_RECT_ADDRESSES) {                                   \
        POINTER(uchar, target);                                                                    \
        POINTER(const uchar, source);                                                              \
        ulong item = get_global_id(0);                                                             \
        ulong elements = (width + bytes - 1) / bytes;                                              \
        ulong row = quotient(item, elements);                                                      \
        ulong x = (item - row * elements) * bytes;                                                 \
        if (row >= rows)                                                                           \
            return;                                                                                \
        __global uchar *to =                                                                       \
            target + row_offset(row, height, rows, target_pitch, target_slice) + x;                \
        __global const uchar *from =                                                               \
            source + row_offset(row, height, rows, source_pitch, source_slice) + x;                \
        if (x + bytes <= width)                                                                    \
            *(__global type *)to = *(__global const type *)from;                                   \
        else                                                                                       \
            copy_rest(to, from, width - x, bytes);                                                 \
    }

COPY_RECT_ITEMS(1, uchar)
COPY_RECT_ITEMS(2, ushort)
COPY_RECT_ITEMS(4, uint)
COPY_RECT_ITEMS(8, uint2)
COPY_RECT_ITEMS(16, uint4)

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

__kernel void copy_rect_words(COPY_RECT_ADDRESSES) {
    POINTER(uchar, target);
    POINTER(const uchar, source);
    ulong item = get_global_id(0);
    ulong words = (width + 30) / 16;
    ulong row = quotient(item, words);
    if (row >= rows)
        return;
    __global uchar *to = target + row_offset(row, height, rows, target_pitch, target_slice);
    __global const uchar *from = source + row_offset(row, height, rows, source_pitch, source_slice);
    /* The word holds the bytes first .. end - 1 of the row; the first one may begin before it. */
    ulong before = (size_t)to & 15;
    ulong word = item - row * words;
    ulong first = word == 0 ? 0 : word * 16 - before;
    ulong end = word * 16 + 16 - before;
    uint shift = (uint)((size_t)(from + first) & 15);
    if (end - first == 16 && end <= width) {
        __global ulong2 *wide = (__global ulong2 *)(to + first);
        __global const ulong2 *loads = (__global const ulong2 *)(from + first - shift);
        if (shift == 0) {
            *wide = *loads;
            return;
        }
        if (first >= shift && first - shift + 32 <= width) {
            *wide = bytes_across(loads[0], loads[1], shift);
            return;
        }
    }
    for (ulong j = first; j < min(end, width); ++j)
        to[j] = from[j];
}

#ifdef CLEM_DEVICE_IS_CPU

#define PLAIN_STORE(value, pointer) (*(pointer) = (value))

/* Walks the rows of one item, in a grid of one dimension, the first or the last; body sees
 * `to` and `from`, the first bytes of a row. */
#define EACH_ROW(body)                                                                             \
    do {                                                                                           \
        ulong row = (get_global_id(0) + get_global_id(2)) * take;                                  \
        ulong end = min(row + take, rows);                                                         \
        ulong z = row / height;                                                                    \
        ulong y = row - z * height;                                                                \
        for (; row < end; ++row) {                                                                 \
            __global uchar *restrict to = target + z * target_slice + y * target_pitch;            \
            __global const uchar *restrict from = source + z * source_slice + y * source_pitch;    \
            body;                                                                                  \
            if (++y == height) {                                                                   \
                y = 0;                                                                             \
                ++z;                                                                               \
            }                                                                                      \
        }                                                                                          \
    } while (0)

typedef uint16 anywhere __attribute__((aligned(1)));

/* The ends of a row are stored whole, overlapping the first and the last aligned word; those are
 * stored plainly, because a plain store to a line that a streaming one has just passed waits for
 * memory. */
#define COPY_RECT_ROWS(name, store)                                                                \
    static void row_of_##name(__global uchar *restrict to, __global const uchar *restrict from,    \
                              ulong width) {                                                       \
        ulong head = -(size_t)to & 63;                                                             \
        ulong words = (width - head) / 64;                                                         \
        __global uint16 *wide = (__global uint16 *)(to + head);                                    \
        __global const anywhere *loads = (__global const anywhere *)(from + head);                 \
        for (ulong i = 1; i + 1 < words; ++i)                                                      \
            store(loads[i], wide + i);                                                             \
        if (words != 0) {                                                                          \
            wide[0] = loads[0];                                                                    \
            wide[words - 1] = loads[words - 1];                                                    \
        }                                                                                          \
        *(__global anywhere *)to = *(__global const anywhere *)from;                               \
        *(__global anywhere *)(to + width - 64) = *(__global const anywhere *)(from + width - 64); \
    }                                                                                              \
    __kernel void name(COPY_RECT_PARAMETERS, ulong take) {                                         \
        EACH_ROW(row_of_##name(to, from, width));                                                  \
    }

COPY_RECT_ROWS(copy_rect_rows, PLAIN_STORE)
COPY_RECT_ROWS(copy_rect_rows_streaming, __builtin_nontemporal_store)

/* One element per row is a loop of its own: the general one spends more on the inner loop than on
 * the copy. */
#define COPY_RECT_NARROW(bytes, type)                                                              \
    typedef type anywhere_##bytes __attribute__((aligned(1)));                                     \
    __kernel void copy_rect_narrow_##bytes(COPY_RECT_PARAMETERS, ulong take) {                     \
        if (width == bytes) {                                                                      \
            EACH_ROW(*(__global anywhere_##bytes *)to = *(__global const anywhere_##bytes *)from); \
            return;                                                                                \
        }                                                                                          \
        EACH_ROW(for (ulong i = 0; i < width / bytes; ++i)                                         \
                     ((__global anywhere_##bytes *)to)[i] =                                        \
                         ((__global const anywhere_##bytes *)from)[i]);                            \
    }

COPY_RECT_NARROW(1, uchar)
COPY_RECT_NARROW(2, ushort)
COPY_RECT_NARROW(4, uint)
COPY_RECT_NARROW(8, uint2)
COPY_RECT_NARROW(16, uint4)

#endif
