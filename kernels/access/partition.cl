/* Reads all memory in chunks of 256 bytes, the next chunk always `stride` chunks on.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       rows * stride chunks of 64 words. The p-th chunk that is read is chunk
 *              p % rows * stride + p / rows: down a column, then the next column. sums[item] = sum,
 *              modulo 2^32, of what the item read.
 * Index space: partition: groups of 64 items, each for 16 chunks in a row of p, one word of each per
 *              item; rows * stride / 16 groups. partition_chunked: one run of `chunk` places p per
 *              item, as far as there are any.
 * Needs:       rows * stride is a multiple of 16 and less than 2^32.
 * Moves:       256 bytes per chunk.
 * Rows:        S3-05.
 */
#include "access.h"

#define PARTITION_STEPS 16

__kernel void VARIANT(partition)(__global uint *restrict sums, __global const uint *restrict source,
                                 uint rows, uint stride) {
    uint place = (uint)get_group_id(0) * PARTITION_STEPS;
    uint row = place % rows, column = place / rows;
    uint sum = 0;
#pragma unroll
    for (uint k = 0; k < PARTITION_STEPS; ++k) {
        size_t chunk = (size_t)row * stride + column;
        sum += source[chunk * 64 + get_local_id(0)];
        uint is_last = row + 1 == rows;
        row = is_last ? 0 : row + 1;
        column += is_last;
    }
    sums[get_global_id(0)] = sum;
}

__kernel void VARIANT(partition_chunked)(__global uint *restrict sums,
                                         __global const uint4 *restrict source, uint rows,
                                         uint stride, ulong chunk) {
    size_t places = (size_t)rows * stride;
    size_t begin = get_global_id(0) * chunk;
    size_t end = begin + chunk < places ? begin + chunk : places;
    size_t row = begin % rows, column = begin / rows;
    uint4 a = (uint4)(0), b = (uint4)(0), c = (uint4)(0), d = (uint4)(0);
    for (size_t place = begin; place < end; ++place) {
        __global const uint4 *from = source + (row * stride + column) * 16;
#pragma unroll
        for (uint j = 0; j < 16; j += 4) {
            a += from[j];
            b += from[j + 1];
            c += from[j + 2];
            d += from[j + 3];
        }
        if (++row == rows) {
            row = 0;
            ++column;
        }
    }
    sums[get_global_id(0)] = sum_of4(a + b + c + d);
}
