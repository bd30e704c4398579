/* Does the device move some data faster than other data, as one that compresses does?
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       source: `words` words of 16 bytes; sums[item] = the sum, modulo 2^32, of what item read.
 * Index space: content_read: words / 16 items, each of which reads 16 words, a group apart.
 *              content_read_chunked: any number of items; item i reads words i * chunk and on.
 * Moves:       16 bytes per word.
 */
#include "access.h"

__kernel void VARIANT(content_read)(__global const uint4 *source, __global uint *sums) {
    size_t local_size = get_local_size(0);
    __global const uint4 *from = source + get_group_id(0) * local_size * 16 + get_local_id(0);
    uint4 sum = (uint4)(0);
#pragma unroll
    for (uint k = 0; k < 16; ++k)
        sum += from[k * local_size];
    sums[item_of()] = sum_of4(sum);
}

__kernel void VARIANT(content_read_chunked)(__global const uint4 *source, __global uint *sums,
                                            ulong words, ulong chunk) {
    size_t begin = item_of() * chunk;
    size_t end = min(begin + chunk, words);
    uint4 a = (uint4)(0), b = (uint4)(0), c = (uint4)(0), d = (uint4)(0);
    size_t i = begin;
    for (; i + 4 <= end; i += 4) {
        a += source[i];
        b += source[i + 1];
        c += source[i + 2];
        d += source[i + 3];
    }
    for (; i < end; ++i)
        a += source[i];
    sums[item_of()] = sum_of4(a + b + c + d);
}
