/* Fills the rows of a rectangle or volume with a pattern of four bytes.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       row r of rows lies at target + (r / height) * slice + (r % height) * pitch; its byte
 *              j < width becomes byte j % 4 of pattern. Bytes between rows are left alone.
 * Index space: fill_rect_items_W: one item per element of W bytes, row after row; the last element
 *              of a row is what is left of it. fill_rect_words: one item per
 *              (width + 30) / 16 words of a row, likewise. Groups of any size. Made for GPUs.
 *              fill_rect_rows, fill_rect_rows_streaming, fill_rect_narrow_W: one item per `take`
 *              rows, groups of one item; made for CPUs (built with CLEM_DEVICE_IS_CPU). narrow_W is
 *              for rows of a few elements of W bytes.
 * Alignment:   target, pitch and slice are multiples of W for fill_rect_items_W; none needed for
 *              the others, but width is a multiple of W for narrow_W and at least 64 for the rows
 *              forms. fill_rect_words stores whole aligned words of 16 bytes.
 * Moves:       rows * width bytes written.
 */

#include "addresses.h"

/* The pattern as it stands `bytes` bytes further on. */
static uint pattern_after(uint pattern, uint bytes) {
    return rotate(pattern, 32u - 8u * (bytes & 3u));
}

/* Division of 64-bit numbers is slow on GPUs; nearly all are short. */
static ulong quotient(ulong a, ulong b) {
    return (a | b) >> 32 ? a / b : (uint)a / (uint)b;
}

static size_t row_offset(ulong row, ulong height, ulong rows, ulong pitch, ulong slice) {
    ulong z = height < rows ? quotient(row, height) : 0;
    return z * slice + (row - z * height) * pitch;
}

#define FILL_RECT_ENDS(target)                                                                     \
    target, ulong pitch, ulong slice, ulong width, ulong height, ulong rows
#define FILL_RECT_ADDRESSES  FILL_RECT_ENDS(ADDRESS(uchar, target))
#define FILL_RECT_PARAMETERS FILL_RECT_ENDS(__global uchar *target)

/* Element x of a row. */
#define SPLAT_1(pattern, x) ((uchar)pattern_after(pattern, (uint)(x)))
#define SPLAT_2(pattern, x) ((ushort)pattern_after(pattern, 2u * (uint)(x)))
#define SPLAT_4(pattern, x) (pattern)
#define SPLAT_8(pattern, x) ((uint2)(pattern))
#define SPLAT_16(pattern, x) ((uint4)(pattern))

/* Fewer than 16 bytes, which begin the pattern anew, by the widest stores that are aligned. */
static void fill_rest(__global uchar *to, ulong bytes, uint pattern, uint element) {
    ulong j = 0;
    for (; element > 4 && j + 4 <= bytes; j += 4)
        *(__global uint *)(to + j) = pattern;
    for (; j < bytes; ++j)
        to[j] = (uchar)pattern_after(pattern, (uint)j);
}

#define FILL_RECT_ITEMS(bytes, type)                                                               \
    __kernel void fill_rect_items_##bytes(FILL_RECT_ADDRESSES, uint pattern) {                     \
        POINTER(uchar, target);                                                                    \
        ulong item = get_global_id(0);                                                             \
        ulong elements = (width + bytes - 1) / bytes;                                              \
        ulong row = quotient(item, elements);                                                      \
        ulong x = item - row * elements;                                                           \
        if (row >= rows)                                                                           \
            return;                                                                                \
        __global uchar *to =                                                                       \
            target + row_offset(row, height, rows, pitch, slice) + x * bytes;                      \
        if ((x + 1) * bytes <= width)                                                              \
            *(__global type *)to = SPLAT_##bytes(pattern, x);                                      \
        else                                                                                       \
            fill_rest(to, width - x * bytes, pattern_after(pattern, (uint)(x * bytes)), bytes);    \
    }

FILL_RECT_ITEMS(1, uchar)
FILL_RECT_ITEMS(2, ushort)
FILL_RECT_ITEMS(4, uint)
FILL_RECT_ITEMS(8, uint2)
FILL_RECT_ITEMS(16, uint4)

__kernel void fill_rect_words(FILL_RECT_ADDRESSES, uint pattern) {
    POINTER(uchar, target);
    ulong item = get_global_id(0);
    ulong words = (width + 30) / 16;
    ulong row = quotient(item, words);
    if (row >= rows)
        return;
    __global uchar *to = target + row_offset(row, height, rows, pitch, slice);
    /* The word holds the bytes first .. end - 1 of the row; the first one may begin before it. */
    ulong before = (size_t)to & 15;
    ulong word = item - row * words;
    ulong first = word == 0 ? 0 : word * 16 - before;
    ulong end = word * 16 + 16 - before;
    if (end - first == 16 && end <= width)
        *(__global uint4 *)(to + first) = (uint4)(pattern_after(pattern, (uint)first));
    else
        for (ulong j = first; j < min(end, width); ++j)
            to[j] = (uchar)pattern_after(pattern, (uint)j);
}

#ifdef CLEM_DEVICE_IS_CPU

#define PLAIN_STORE(value, pointer) (*(pointer) = (value))

/* Walks the rows of one item, in a grid of one dimension, the first or the last; body sees
 * `start`, the first byte of a row. */
#define EACH_ROW(body)                                                                             \
    do {                                                                                           \
        ulong row = (get_global_id(0) + get_global_id(2)) * take;                                  \
        ulong end = min(row + take, rows);                                                         \
        ulong z = row / height;                                                                    \
        ulong y = row - z * height;                                                                \
        for (; row < end; ++row) {                                                                 \
            __global uchar *start = target + z * slice + y * pitch;                                \
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
#define FILL_RECT_ROWS(name, store)                                                                \
    static void row_of_##name(__global uchar *start, ulong width, uint pattern) {                  \
        ulong head = -(size_t)start & 63;                                                          \
        ulong words = (width - head) / 64;                                                         \
        __global uint16 *wide = (__global uint16 *)(start + head);                                 \
        uint16 value = (uint16)(pattern_after(pattern, (uint)head));                               \
        for (ulong i = 1; i + 1 < words; ++i)                                                      \
            store(value, wide + i);                                                                \
        if (words != 0) {                                                                          \
            wide[0] = value;                                                                       \
            wide[words - 1] = value;                                                               \
        }                                                                                          \
        *(__global anywhere *)start = (uint16)(pattern);                                           \
        *(__global anywhere *)(start + width - 64) =                                               \
            (uint16)(pattern_after(pattern, (uint)width));                                         \
    }                                                                                              \
    __kernel void name(FILL_RECT_PARAMETERS, ulong take, uint pattern) {                           \
        EACH_ROW(row_of_##name(start, width, pattern));                                            \
    }

FILL_RECT_ROWS(fill_rect_rows, PLAIN_STORE)
FILL_RECT_ROWS(fill_rect_rows_streaming, __builtin_nontemporal_store)

/* One element per row is a loop of its own: the general one spends more on the inner loop than on
 * the fill. */
#define FILL_RECT_NARROW(bytes, type)                                                              \
    typedef type anywhere_##bytes __attribute__((aligned(1)));                                     \
    __kernel void fill_rect_narrow_##bytes(FILL_RECT_PARAMETERS, ulong take, uint pattern) {       \
        if (width == bytes) {                                                                      \
            EACH_ROW(*(__global anywhere_##bytes *)start = SPLAT_##bytes(pattern, 0));             \
            return;                                                                                \
        }                                                                                          \
        EACH_ROW(for (ulong i = 0; i < width / bytes; ++i)                                         \
                     ((__global anywhere_##bytes *)start)[i] = SPLAT_##bytes(pattern, i));         \
    }

FILL_RECT_NARROW(1, uchar)
FILL_RECT_NARROW(2, ushort)
FILL_RECT_NARROW(4, uint)
FILL_RECT_NARROW(8, uint2)
FILL_RECT_NARROW(16, uint4)

#endif
