/* Copies the rows of a rectangle or volume.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       row r of rows lies at (r / height) * slice + (r % height) * pitch of its side; width bytes of each are
 *              copied. Rows of the target do not overlap each other nor the source. Bytes between rows are left alone.
 * Index space: copy_rect_items_W: groups of 256 items, each group covering 1 << shift elements of W bytes by
 *              256 >> shift rows; `columns` groups side by side, then the next rows. Made for GPUs.
 *              copy_rect_rows, copy_rect_rows_streaming, copy_rect_narrow_W: one item per `take` rows, groups of one
 *              item; made for CPUs (built with CLEM_DEVICE_IS_CPU). narrow_W is for rows of a few elements of W bytes.
 * Alignment:   both addresses, pitches and slices are multiples of W for the items form (width need not be); none
 *              needed for the others, but width is a multiple of W for narrow_W and at least 64 for the rows forms.
 * Moves:       rows * width bytes read and as many written.
 */

#define COPY_RECT_ITEMS(bytes, type)                                                               \
    __kernel void copy_rect_items_##bytes(                                                         \
        __global uchar *restrict target, ulong target_pitch, ulong target_slice,                   \
        __global const uchar *restrict source, ulong source_pitch, ulong source_slice,             \
        ulong width, uint height, uint rows, uint columns, uint shift) {                           \
        uint group = (uint)get_group_id(0);                                                        \
        uint lane = (uint)get_local_id(0);                                                         \
        uint down = group / columns;                                                               \
        ulong x = ((ulong)(group - down * columns) << shift) + (lane & ((1u << shift) - 1u));      \
        ulong row = (ulong)down * (256u >> shift) + (lane >> shift);                               \
        if (row >= rows || x * bytes >= width)                                                     \
            return;                                                                                \
        uint z = (uint)row / height;                                                               \
        uint y = (uint)row - z * height;                                                           \
        __global uchar *to = target + z * target_slice + y * target_pitch;                         \
        __global const uchar *from = source + z * source_slice + y * source_pitch;                 \
        if ((x + 1) * bytes <= width) {                                                            \
            ((__global type *)to)[x] = ((__global const type *)from)[x];                           \
            return;                                                                                \
        }                                                                                          \
        for (ulong j = x * bytes; j < width; ++j)                                                  \
            to[j] = from[j];                                                                       \
    }

COPY_RECT_ITEMS(1, uchar)
COPY_RECT_ITEMS(2, ushort)
COPY_RECT_ITEMS(4, uint)
COPY_RECT_ITEMS(8, uint2)
COPY_RECT_ITEMS(16, uint4)

#ifdef CLEM_DEVICE_IS_CPU

#define PLAIN_STORE(value, pointer) (*(pointer) = (value))

/* Walks the rows of one item; body sees `to` and `from`, the first bytes of a row. */
#define EACH_ROW(body)                                                                             \
    do {                                                                                           \
        ulong row = get_global_id(0) * take;                                                       \
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

#define COPY_RECT_PARAMETERS                                                                       \
    __global uchar *restrict target, ulong target_pitch, ulong target_slice,                       \
        __global const uchar *restrict source, ulong source_pitch, ulong source_slice,             \
        ulong width, ulong height, ulong rows, ulong take

typedef uint16 anywhere __attribute__((aligned(1)));

/* The ends of a row are stored whole, overlapping the first and the last aligned word; those are stored plainly,
 * because a plain store to a line that a streaming one has just passed waits for memory. */
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
    __kernel void name(COPY_RECT_PARAMETERS) {                                                     \
        EACH_ROW(row_of_##name(to, from, width));                                                  \
    }

COPY_RECT_ROWS(copy_rect_rows, PLAIN_STORE)
COPY_RECT_ROWS(copy_rect_rows_streaming, __builtin_nontemporal_store)

/* One element per row is a loop of its own: the general one spends more on the inner loop than on the copy. */
#define COPY_RECT_NARROW(bytes, type)                                                              \
    typedef type anywhere_##bytes __attribute__((aligned(1)));                                     \
    __kernel void copy_rect_narrow_##bytes(COPY_RECT_PARAMETERS) {                                 \
        if (width == bytes) {                                                                      \
            EACH_ROW(*(__global anywhere_##bytes *)to = *(__global const anywhere_##bytes *)from); \
            return;                                                                                \
        }                                                                                          \
        EACH_ROW(for (ulong i = 0; i < width / bytes; ++i)((__global anywhere_##bytes *)to)[i] =   \
                     ((__global const anywhere_##bytes *)from)[i]);                                \
    }

COPY_RECT_NARROW(1, uchar)
COPY_RECT_NARROW(2, ushort)
COPY_RECT_NARROW(4, uint)
COPY_RECT_NARROW(8, uint2)
COPY_RECT_NARROW(16, uint4)

#endif
