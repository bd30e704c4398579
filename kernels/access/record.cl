/* Copies structs of three parts, as they are or with a fourth part that makes them aligned.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       target[i] = source[i]; an element has 3 parts, or 4 where ALIGN is more than 1, and is
 *              aligned to ALIGN parts. record_words copies the same memory as words of 16 bytes.
 * Index space: record: one item per element. record_words: one item per word of 16 bytes.
 *              record_chunked: one run of `chunk` elements per item, as far as there are `elements`.
 *              record_words_chunked: the same in words of 16 bytes.
 * PART:        uchar, ushort, uint or ulong. ALIGN: 1, 2 or 4.
 * Moves:       6 * sizeof(PART) useful bytes per element; the fourth part does not count.
 * Rows:        S1-03, S2-15.
 */
#include "access.h"

#ifndef PART
#define PART uint
#endif
#ifndef ALIGN
#define ALIGN 4
#endif

struct VARIANT(record_element) {
    PART part[ALIGN > 1 ? 4 : 3];
} __attribute__((aligned(ALIGN * sizeof(PART))));

__kernel void VARIANT(record)(__global struct VARIANT(record_element) *restrict target,
                              __global const struct VARIANT(record_element) *restrict source) {
    size_t i = get_global_id(0);
    target[i] = source[i];
}

__kernel void
VARIANT(record_chunked)(__global struct VARIANT(record_element) *restrict target,
                        __global const struct VARIANT(record_element) *restrict source,
                        ulong elements, ulong chunk) {
    size_t begin = get_global_id(0) * chunk;
    size_t end = begin + chunk < elements ? begin + chunk : elements;
    for (size_t i = begin; i < end; ++i)
        target[i] = source[i];
}

__kernel void VARIANT(record_words)(__global uint4 *restrict target,
                                    __global const uint4 *restrict source) {
    size_t i = get_global_id(0);
    target[i] = source[i];
}

__kernel void VARIANT(record_words_chunked)(__global uint4 *restrict target,
                                            __global const uint4 *restrict source, ulong words,
                                            ulong chunk) {
    size_t begin = get_global_id(0) * chunk;
    size_t end = begin + chunk < words ? begin + chunk : words;
    for (size_t i = begin; i < end; ++i)
        target[i] = source[i];
}
