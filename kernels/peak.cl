/* Memory at full speed: copy, write, read and triad, each walked in several ways.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       arrays of `words` words of 16 bytes. copy: target = source. write: target = value in
 *              all components.
 *              read: sums[item] = sum, modulo 2^32, of every 32-bit component that the item read,
 *              so that the sums together prove that all was read. triad: target = first + factor *
 *              second, in floats.
 * Index space: _item: one item per word, exactly words items (read: 16 words per item, a group
 *              apart; words is a multiple of 16 * the group).
 *              _interleaved: any number of items; item i takes words i, i + items, i + 2 * items,
 *              ...
 *              _chunked: item i takes words i * chunk .. i * chunk + chunk - 1 as far as there are
 *              any; words and chunk are multiples of 4.
 *              _streaming: as _chunked, with stores that go past the caches (built with
 *              CLEM_DEVICE_IS_CPU).
 * Alignment:   16 bytes; _chunked and _streaming on CPUs 64 bytes.
 * Moves:       copy: 32 bytes per word. write and read: 16. triad: 48.
 */

/* The words that chunked loops step by. CPU compilers keep what is written as 16 bytes in registers
 * of 16 bytes, though there are some of 64: reading was at half of the speed of plain C. */
#ifdef CLEM_DEVICE_IS_CPU
typedef uint16 wide_uint;
typedef float16 wide_float;
#define WIDE 4
#else
typedef uint4 wide_uint;
typedef float4 wide_float;
#define WIDE 1
#endif

/* nvcc, which reads this file as well, wants more of a function than `static`. */
#ifndef FUNCTION
#define FUNCTION static
#endif

FUNCTION uint sum_of(uint4 v) {
    return v.x + v.y + v.z + v.w;
}

__kernel void peak_copy_item(__global uint4 *restrict target,
                             __global const uint4 *restrict source) {
    size_t i = get_global_id(0);
    target[i] = source[i];
}

__kernel void peak_write_item(__global uint4 *target, uint value) {
    target[get_global_id(0)] = (uint4)(value);
}

__kernel void peak_read_item(__global const uint4 *source, __global uint *sums) {
    size_t local_size = get_local_size(0);
    __global const uint4 *from = source + get_group_id(0) * local_size * 16 + get_local_id(0);
    uint4 sum = (uint4)(0);
#pragma unroll
    for (uint k = 0; k < 16; ++k)
        sum += from[k * local_size];
    sums[get_global_id(0)] = sum_of(sum);
}

__kernel void peak_triad_item(__global float4 *restrict target,
                              __global const float4 *restrict first,
                              __global const float4 *restrict second, float factor) {
    size_t i = get_global_id(0);
    target[i] = first[i] + factor * second[i];
}

__kernel void peak_copy_interleaved(__global uint4 *restrict target,
                                    __global const uint4 *restrict source, ulong words) {
    for (size_t i = get_global_id(0); i < words; i += get_global_size(0))
        target[i] = source[i];
}

__kernel void peak_write_interleaved(__global uint4 *target, uint value, ulong words) {
    for (size_t i = get_global_id(0); i < words; i += get_global_size(0))
        target[i] = (uint4)(value);
}

__kernel void peak_read_interleaved(__global const uint4 *source, __global uint *sums,
                                    ulong words) {
    uint4 sum = (uint4)(0);
    for (size_t i = get_global_id(0); i < words; i += get_global_size(0))
        sum += source[i];
    sums[get_global_id(0)] = sum_of(sum);
}

__kernel void peak_triad_interleaved(__global float4 *restrict target,
                                     __global const float4 *restrict first,
                                     __global const float4 *restrict second, float factor,
                                     ulong words) {
    for (size_t i = get_global_id(0); i < words; i += get_global_size(0))
        target[i] = first[i] + factor * second[i];
}

#ifdef CLEM_DEVICE_IS_CPU
static uint sum_of_wide(wide_uint v) {
    uint8 half_of = v.lo + v.hi;
    return sum_of(half_of.lo + half_of.hi);
}
#else
#define sum_of_wide sum_of
#endif

__kernel void peak_copy_chunked(__global wide_uint *restrict target,
                                __global const wide_uint *restrict source, ulong words,
                                ulong chunk) {
    size_t begin = get_global_id(0) * chunk;
    size_t end = min(begin + chunk, words) / WIDE;
    for (size_t i = begin / WIDE; i < end; ++i)
        target[i] = source[i];
}

__kernel void peak_write_chunked(__global wide_uint *target, uint value, ulong words,
                                 ulong chunk) {
    size_t begin = get_global_id(0) * chunk;
    size_t end = min(begin + chunk, words) / WIDE;
    for (size_t i = begin / WIDE; i < end; ++i)
        target[i] = (wide_uint)(value);
}

__kernel void peak_read_chunked(__global const wide_uint *source, __global uint *sums, ulong words,
                                ulong chunk) {
    size_t begin = get_global_id(0) * chunk;
    size_t end = min(begin + chunk, words) / WIDE;
    /* Four sums, because one would wait for itself at every addition. */
    wide_uint a = (wide_uint)(0), b = a, c = a, d = a;
    size_t i = begin / WIDE;
    for (; i + 4 <= end; i += 4) {
        a += source[i];
        b += source[i + 1];
        c += source[i + 2];
        d += source[i + 3];
    }
    for (; i < end; ++i)
        a += source[i];
    sums[get_global_id(0)] = sum_of_wide(a + b + c + d);
}

__kernel void peak_triad_chunked(__global wide_float *restrict target,
                                 __global const wide_float *restrict first,
                                 __global const wide_float *restrict second, float factor,
                                 ulong words, ulong chunk) {
    size_t begin = get_global_id(0) * chunk;
    size_t end = min(begin + chunk, words) / WIDE;
    for (size_t i = begin / WIDE; i < end; ++i)
        target[i] = first[i] + factor * second[i];
}

#ifdef CLEM_DEVICE_IS_CPU

__kernel void peak_copy_streaming(__global wide_uint *restrict target,
                                  __global const wide_uint *restrict source, ulong words,
                                  ulong chunk) {
    size_t begin = get_global_id(0) * chunk;
    size_t end = min(begin + chunk, words) / WIDE;
    for (size_t i = begin / WIDE; i < end; ++i)
        __builtin_nontemporal_store(source[i], target + i);
}

__kernel void peak_write_streaming(__global wide_uint *target, uint value, ulong words,
                                   ulong chunk) {
    size_t begin = get_global_id(0) * chunk;
    size_t end = min(begin + chunk, words) / WIDE;
    for (size_t i = begin / WIDE; i < end; ++i)
        __builtin_nontemporal_store((wide_uint)(value), target + i);
}

__kernel void peak_triad_streaming(__global wide_float *restrict target,
                                   __global const wide_float *restrict first,
                                   __global const wide_float *restrict second, float factor,
                                   ulong words, ulong chunk) {
    size_t begin = get_global_id(0) * chunk;
    size_t end = min(begin + chunk, words) / WIDE;
    for (size_t i = begin / WIDE; i < end; ++i)
        __builtin_nontemporal_store(first[i] + factor * second[i], target + i);
}

#endif
