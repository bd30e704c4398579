/* A matrix is transposed, or copied in the same layout, in several ways.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       source: height rows of width words. target: width rows of height words, target[x][y] =
 *              source[y][x]; the copies: as source. width and height are multiples of 64.
 *              transpose_copy: the copy by the tiles of the others.
 *              transpose_row: neighbours read a row and write a column; transpose_column the reverse.
 *              transpose_tile: through a tile of 32 x 32 words in local memory.
 *              transpose_padded: a row of the tile takes 33 words, so that columns have no conflicts.
 *              transpose_diagonal: as padded; groups that run together take tiles on a diagonal.
 *              transpose_wide2, transpose_wide4: padded tiles of 64 x 64, items move 2 or 4 words.
 *              transpose_lines: an item transposes squares of 16 x 16 words in its registers, one
 *              beside the other, rows_per_item rows of them; transpose_streaming the same with stores
 *              that go past the caches.
 *              copy_wide4: words of 16 bytes; copy_lines, copy_streaming: rows_per_item rows per item.
 * Index space: groups of 32 x ROWS items, one group per tile; wide: groups of 256 items, tiles of a
 *              row in dimension 0; copy_wide4: one item per 16 bytes; others: one item per
 *              rows_per_item rows.
 * ROWS:        how many rows of a tile are moved at once: 2, 4, 8, 16 or 32.
 * Moves:       8 bytes per word.
 * Rows:        S3-05, S2-08.
 */
#include "access.h"

#ifndef ROWS
#define ROWS 8
#endif

#define TRANSPOSE_TILE 32

#define MATRIX_PARAMETERS                                                                          \
    __global uint *restrict target, __global const uint *restrict source, ulong width, ulong height

__kernel void VARIANT(transpose_copy)(MATRIX_PARAMETERS)
{
    size_t x = get_group_id(0) * TRANSPOSE_TILE + get_local_id(0);
    size_t y = get_group_id(1) * TRANSPOSE_TILE + get_local_id(1);
    (void)height;
#pragma unroll
    for (uint k = 0; k < TRANSPOSE_TILE; k += ROWS)
        target[(y + k) * width + x] = source[(y + k) * width + x];
}

__kernel void VARIANT(transpose_row)(MATRIX_PARAMETERS)
{
    size_t x = get_group_id(0) * TRANSPOSE_TILE + get_local_id(0);
    size_t y = get_group_id(1) * TRANSPOSE_TILE + get_local_id(1);
#pragma unroll
    for (uint k = 0; k < TRANSPOSE_TILE; k += ROWS)
        target[x * height + y + k] = source[(y + k) * width + x];
}

__kernel void VARIANT(transpose_column)(MATRIX_PARAMETERS)
{
    size_t y = get_group_id(0) * TRANSPOSE_TILE + get_local_id(0);
    size_t x = get_group_id(1) * TRANSPOSE_TILE + get_local_id(1);
#pragma unroll
    for (uint k = 0; k < TRANSPOSE_TILE; k += ROWS)
        target[(x + k) * height + y] = source[y * width + x + k];
}

/* The group moves the tile whose first word is (x, y). */
#define THROUGH_TILE(x, y)                                                                         \
    uint column = (uint)get_local_id(0), row = (uint)get_local_id(1);                              \
    __global const uint *from = source + ((y) + row) * width + (x) + column;                       \
    __global uint *to = target + ((x) + row) * height + (y) + column;                              \
    for (uint k = 0; k < TRANSPOSE_TILE; k += ROWS)                                                \
        tile[row + k][column] = from[k * width];                                                   \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                  \
    for (uint k = 0; k < TRANSPOSE_TILE; k += ROWS)                                                \
        to[k * height] = tile[column][row + k];

__kernel void VARIANT(transpose_tile)(MATRIX_PARAMETERS)
{
    __local uint tile[TRANSPOSE_TILE][TRANSPOSE_TILE];
    size_t x = get_group_id(0) * TRANSPOSE_TILE, y = get_group_id(1) * TRANSPOSE_TILE;
    THROUGH_TILE(x, y)
}

__kernel void VARIANT(transpose_padded)(MATRIX_PARAMETERS)
{
    __local uint tile[TRANSPOSE_TILE][TRANSPOSE_TILE + 1];
    size_t x = get_group_id(0) * TRANSPOSE_TILE, y = get_group_id(1) * TRANSPOSE_TILE;
    THROUGH_TILE(x, y)
}

__kernel void VARIANT(transpose_diagonal)(MATRIX_PARAMETERS)
{
    __local uint tile[TRANSPOSE_TILE][TRANSPOSE_TILE + 1];
    size_t group = get_group_id(1) * get_num_groups(0) + get_group_id(0);
    size_t across = get_num_groups(0), down = get_num_groups(1);
    size_t y = group % down, x = (group / down + y) % across;
    x *= TRANSPOSE_TILE;
    y *= TRANSPOSE_TILE;
    THROUGH_TILE(x, y)
}

#define TRANSPOSE_WIDE 64

/* One group's square; `in` words of a row are moved at once. */
#define TRANSPOSE_PLACE(WORDS, in)                                                                 \
    size_t x = get_group_id(0) % (width / TRANSPOSE_WIDE) * TRANSPOSE_WIDE;                        \
    size_t y = get_group_id(0) / (width / TRANSPOSE_WIDE) * TRANSPOSE_WIDE;                        \
    uint across = (uint)get_local_id(0) % (TRANSPOSE_WIDE / in);                                   \
    uint row = (uint)get_local_id(0) / (TRANSPOSE_WIDE / in), column = across * in;                \
    __global const WORDS *from =                                                                   \
        (__global const WORDS *)source + (y + row) * (width / in) + x / in + across;               \
    __global WORDS *to = (__global WORDS *)target + (x + row) * (height / in) + y / in + across;

__kernel void VARIANT(transpose_wide2)(MATRIX_PARAMETERS)
{
    __local uint tile[TRANSPOSE_WIDE][TRANSPOSE_WIDE + 1];
    TRANSPOSE_PLACE(uint2, 2)
#pragma unroll
    for (uint k = 0; k < TRANSPOSE_WIDE; k += 8) {
        uint2 words = from[k * (width / 2)];
        tile[row + k][column] = words.x;
        tile[row + k][column + 1] = words.y;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint k = 0; k < TRANSPOSE_WIDE; k += 8) {
        uint2 words;
        words.x = tile[column][row + k];
        words.y = tile[column + 1][row + k];
        to[k * (height / 2)] = words;
    }
}

__kernel void VARIANT(transpose_wide4)(MATRIX_PARAMETERS)
{
    __local uint tile[TRANSPOSE_WIDE][TRANSPOSE_WIDE + 1];
    TRANSPOSE_PLACE(uint4, 4)
#pragma unroll
    for (uint k = 0; k < TRANSPOSE_WIDE; k += 16) {
        uint4 words = from[k * (width / 4)];
        tile[row + k][column] = words.x;
        tile[row + k][column + 1] = words.y;
        tile[row + k][column + 2] = words.z;
        tile[row + k][column + 3] = words.w;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint k = 0; k < TRANSPOSE_WIDE; k += 16)
        to[k * (height / 4)] = words4(tile[column][row + k], tile[column + 1][row + k],
                                      tile[column + 2][row + k], tile[column + 3][row + k]);
}

__kernel void VARIANT(copy_wide4)(__global uint4 *restrict target,
                                  __global const uint4 *restrict source)
{
    size_t i = get_global_id(0);
    target[i] = source[i];
}

#ifdef CLEM_DEVICE_IS_CPU

/* Half of a perfect shuffle of rows and their words; four of them transpose. */
#define TRANSPOSE_SHUFFLE(to, from)                                                                \
    TRANSPOSE_SHUFFLE_PAIR(to, from, 0)                                                            \
    TRANSPOSE_SHUFFLE_PAIR(to, from, 1)                                                            \
    TRANSPOSE_SHUFFLE_PAIR(to, from, 2)                                                            \
    TRANSPOSE_SHUFFLE_PAIR(to, from, 3)                                                            \
    TRANSPOSE_SHUFFLE_PAIR(to, from, 4)                                                            \
    TRANSPOSE_SHUFFLE_PAIR(to, from, 5)                                                            \
    TRANSPOSE_SHUFFLE_PAIR(to, from, 6)                                                            \
    TRANSPOSE_SHUFFLE_PAIR(to, from, 7)
#define TRANSPOSE_SHUFFLE_PAIR(to, from, i)                                                        \
    to[2 * (i)] = TRANSPOSE_ZIP(from[i], from[(i) + 8], lo);                                       \
    to[2 * (i) + 1] = TRANSPOSE_ZIP(from[i], from[(i) + 8], hi);
#define TRANSPOSE_ZIP(a, b, half)                                                                  \
    (uint16)(a.half.s0, b.half.s0, a.half.s1, b.half.s1, a.half.s2, b.half.s2, a.half.s3,          \
             b.half.s3, a.half.s4, b.half.s4, a.half.s5, b.half.s5, a.half.s6, b.half.s6,          \
             a.half.s7, b.half.s7)

#define TRANSPOSE_STORE(value, to)           (*(to) = (value))
#define TRANSPOSE_STORE_STREAMING(value, to) __builtin_nontemporal_store(value, to)

/* Two squares down before the next across: of bands of 16 to 256 rows those of 32 were fastest. */
#define TRANSPOSE_IN_REGISTERS(name, STORE)                                                        \
    __kernel void VARIANT(name)(MATRIX_PARAMETERS, uint rows_per_item)                             \
    {                                                                                              \
        size_t begin = get_global_id(0) * rows_per_item;                                           \
        for (size_t band = begin; band < begin + rows_per_item; band += 32)                        \
            for (size_t x = 0; x < width; x += 16)                                                 \
                for (size_t y = band; y < band + 32; y += 16) {                                    \
                    uint16 a[16], b[16];                                                           \
                    _Pragma("unroll") for (uint k = 0; k < 16; ++k) a[k] =                         \
                        *(__global const uint16 *)(source + (y + k) * width + x);                  \
                    TRANSPOSE_SHUFFLE(b, a)                                                        \
                    TRANSPOSE_SHUFFLE(a, b)                                                        \
                    TRANSPOSE_SHUFFLE(b, a)                                                        \
                    TRANSPOSE_SHUFFLE(a, b)                                                        \
                    _Pragma("unroll") for (uint k = 0; k < 16; ++k)                                \
                        STORE(a[k], (__global uint16 *)(target + (x + k) * height + y));           \
                }                                                                                  \
    }

TRANSPOSE_IN_REGISTERS(transpose_lines, TRANSPOSE_STORE)
TRANSPOSE_IN_REGISTERS(transpose_streaming, TRANSPOSE_STORE_STREAMING)

__kernel void VARIANT(copy_lines)(MATRIX_PARAMETERS, uint rows_per_item)
{
    size_t begin = get_global_id(0) * rows_per_item * width, end = begin + rows_per_item * width;
    (void)height;
    for (size_t i = begin; i < end; ++i)
        target[i] = source[i];
}

__kernel void VARIANT(copy_streaming)(MATRIX_PARAMETERS, uint rows_per_item)
{
    size_t words = rows_per_item * width / 4;
    (void)height;
    __global uint4 *to = (__global uint4 *)target + get_global_id(0) * words;
    __global const uint4 *from = (__global const uint4 *)source + get_global_id(0) * words;
    for (size_t i = 0; i < words; ++i)
        __builtin_nontemporal_store(from[i], to + i);
}

#endif
