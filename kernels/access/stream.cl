/* The stream kernels: copy, mul, add, triad, dot and fill, over floats or doubles.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Defines:     REAL (float or double).
 * Shape:       copy: target = first. mul: target = factor * first. add: target = first + second.
 *              triad: target = first + factor * second. fill: target = factor. dot: the sums
 *              together are the sum of first * second.
 * Index space: _item: one item per number. dot: any number of groups of 256, one sum per group,
 *              made by a tree in local memory after a loop at the grid's stride.
 *              _wide: one item per 16 bytes. dot: one item per 8 such words, which lie a group
 *              apart; groups of 256 and one sum per group; words is a multiple of 8 * 256.
 *              _chunked: item i takes the words of 64 bytes i * chunk .. i * chunk + chunk - 1 as
 *              far as there are any. dot: one sum per item. Made for CPUs (built with
 *              CLEM_DEVICE_IS_CPU): their compilers keep narrower words in narrower registers.
 *              _streaming: as _chunked, with stores that go past the caches.
 * Alignment:   that of the words.
 * Moves:       copy and mul: 2 arrays; add and triad: 3; dot: 2; fill: 1.
 * Rows:        S0-01 S0-19; the group of its own beside the promise list's rows.
 */
#include "access.h"

#ifndef REAL
#define REAL float
#endif

#define STREAM_IS_float  0
#define STREAM_IS_double 1
#define STREAM_IS_DOUBLE JOIN(STREAM_IS_, REAL)
#if STREAM_IS_DOUBLE && defined(cl_khr_fp64)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

/* Words of 16 bytes and their sums. */
#define STREAM_WIDE_float         float4
#define STREAM_WIDE_double        double2
#define STREAM_WIDE               JOIN(STREAM_WIDE_, REAL)
#define STREAM_WIDE_SUM_float(v)  (v.x + v.y + v.z + v.w)
#define STREAM_WIDE_SUM_double(v) (v.x + v.y)
#define STREAM_WIDE_SUM(v)        JOIN(STREAM_WIDE_SUM_, REAL)(v)

/* What an operation is given, and what it makes at a place; a word is one or several numbers. */
#define copy_parameters(word)  __global word *restrict target, __global const word *restrict first
#define mul_parameters(word)   copy_parameters(word), float factor
#define add_parameters(word)   copy_parameters(word), __global const word *restrict second
#define triad_parameters(word) add_parameters(word), float factor
#define fill_parameters(word)  __global word *target, float factor
#define copy_at(word, i)       first[i]
#define mul_at(word, i)        first[i] * (REAL)factor
#define add_at(word, i)        first[i] + second[i]
#define triad_at(word, i)      first[i] + second[i] * (REAL)factor
#define fill_at(word, i)       (word)((REAL)factor)

#define STREAM_ITEM(operation, form, word)                                                         \
    __kernel void VARIANT(stream_##operation##_##form)(operation##_parameters(word)) {             \
        size_t i = get_global_id(0);                                                               \
        target[i] = operation##_at(word, i);                                                       \
    }

STREAM_ITEM(copy, item, REAL)
STREAM_ITEM(mul, item, REAL)
STREAM_ITEM(add, item, REAL)
STREAM_ITEM(triad, item, REAL)
STREAM_ITEM(fill, item, REAL)
STREAM_ITEM(copy, wide, STREAM_WIDE)
STREAM_ITEM(mul, wide, STREAM_WIDE)
STREAM_ITEM(add, wide, STREAM_WIDE)
STREAM_ITEM(triad, wide, STREAM_WIDE)
STREAM_ITEM(fill, wide, STREAM_WIDE)

#define STREAM_GROUP 256

/* The group's items add up their sums; a macro, because local memory is a kernel's. */
#define STREAM_TREE(partial, sums)                                                                 \
    for (uint half_of = STREAM_GROUP / 2; half_of > 0; half_of /= 2) {                             \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        if (item < half_of)                                                                        \
            partial[item] += partial[item + half_of];                                              \
    }                                                                                              \
    if (item == 0)                                                                                 \
        sums[get_group_id(0)] = partial[0];

__kernel void VARIANT(stream_dot_item)(__global REAL *restrict sums,
                                       __global const REAL *restrict first,
                                       __global const REAL *restrict second, ulong count) {
    __local REAL partial[STREAM_GROUP];
    uint item = (uint)get_local_id(0);
    REAL sum = 0;
    for (size_t i = get_global_id(0); i < count; i += get_global_size(0))
        sum += first[i] * second[i];
    partial[item] = sum;
    STREAM_TREE(partial, sums)
}

__kernel void VARIANT(stream_dot_wide)(__global REAL *restrict sums,
                                       __global const STREAM_WIDE *restrict first,
                                       __global const STREAM_WIDE *restrict second) {
    __local REAL partial[STREAM_GROUP];
    uint item = (uint)get_local_id(0);
    size_t begin = get_group_id(0) * (8 * STREAM_GROUP) + item;
    STREAM_WIDE sum = (STREAM_WIDE)(0);
#pragma unroll
    for (uint k = 0; k < 8; ++k)
        sum += first[begin + k * STREAM_GROUP] * second[begin + k * STREAM_GROUP];
    partial[item] = STREAM_WIDE_SUM(sum);
    STREAM_TREE(partial, sums)
}

#ifdef CLEM_DEVICE_IS_CPU

#define STREAM_VAST_float  float16
#define STREAM_VAST_double double8
#define STREAM_VAST        JOIN(STREAM_VAST_, REAL)

#define STREAM_PLAIN(value, pointer) (*(pointer) = (value))

#define STREAM_CHUNK(operation, form, store)                                                       \
    __kernel void VARIANT(stream_##operation##_##form)(operation##_parameters(STREAM_VAST),        \
                                                       ulong words, ulong chunk) {                 \
        size_t begin = get_global_id(0) * chunk;                                                   \
        size_t end = min((ulong)(begin + chunk), words);                                           \
        for (size_t i = begin; i < end; ++i)                                                       \
            store(operation##_at(STREAM_VAST, i), target + i);                                     \
    }

STREAM_CHUNK(copy, chunked, STREAM_PLAIN)
STREAM_CHUNK(mul, chunked, STREAM_PLAIN)
STREAM_CHUNK(add, chunked, STREAM_PLAIN)
STREAM_CHUNK(triad, chunked, STREAM_PLAIN)
STREAM_CHUNK(fill, chunked, STREAM_PLAIN)
STREAM_CHUNK(copy, streaming, __builtin_nontemporal_store)
STREAM_CHUNK(mul, streaming, __builtin_nontemporal_store)
STREAM_CHUNK(add, streaming, __builtin_nontemporal_store)
STREAM_CHUNK(triad, streaming, __builtin_nontemporal_store)
STREAM_CHUNK(fill, streaming, __builtin_nontemporal_store)

#if STREAM_IS_DOUBLE
FUNCTION double VARIANT(stream_vast_sum)(double8 v) {
    double4 half_of = v.lo + v.hi;
    double2 quarter = half_of.lo + half_of.hi;
    return quarter.x + quarter.y;
}
#else
FUNCTION float VARIANT(stream_vast_sum)(float16 v) {
    float8 half_of = v.lo + v.hi;
    float4 quarter = half_of.lo + half_of.hi;
    return STREAM_WIDE_SUM(quarter);
}
#endif

/* Four sums, because one would wait for itself at every addition. */
__kernel void VARIANT(stream_dot_chunked)(__global REAL *restrict sums,
                                          __global const STREAM_VAST *restrict first,
                                          __global const STREAM_VAST *restrict second, ulong words,
                                          ulong chunk) {
    size_t i = get_global_id(0) * chunk;
    size_t end = min((ulong)(i + chunk), words);
    STREAM_VAST a = (STREAM_VAST)(0), b = a, c = a, d = a;
    for (; i + 4 <= end; i += 4) {
        a += first[i] * second[i];
        b += first[i + 1] * second[i + 1];
        c += first[i + 2] * second[i + 2];
        d += first[i + 3] * second[i + 3];
    }
    for (; i < end; ++i)
        a += first[i] * second[i];
    sums[get_global_id(0)] = VARIANT(stream_vast_sum)(a + b + c + d);
}

#endif
