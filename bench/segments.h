/* The transactions that the lanes of a warp need, as NVIDIA's documents tell them.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A model to be printed beside measurements, not a measurement: it counts what one instruction of
 * one warp moves when nothing is in a cache.
 * Source: CUDA C Programming Guide 5.0, F.3.2 (1.x) and F.4.2 (2.x), whose rules the notes on global
 * memory and CUDA's handbooks retell. */
#ifndef CLEM_BENCH_SEGMENTS_H
#define CLEM_BENCH_SEGMENTS_H

#include <stddef.h>
#include <stdint.h>

#define SEGMENT_LANES 32
/* The address of a lane that takes no part. */
#define SEGMENT_IDLE UINT64_MAX

enum segment_rule {
    /* 1.0 and 1.1, by half-warps: lane k must take word k of an aligned run of 16 words of 4, 8 or
     * 16 bytes, which is then moved as 64, 128 or twice 128 bytes; otherwise each lane alone moves
     * 32 bytes. */
    SEGMENTS_IN_ORDER,
    /* 1.2 and 1.3, by half-warps: every segment that a lane is in is moved once. It has 32 bytes
     * for 1-byte words, 64 for 2-byte words, otherwise 128, and shrinks to the half that is used,
     * as far as 32. */
    SEGMENTS_ANY_ORDER,
    /* 2.x and later, loads cached in L1: lines of 128 bytes. */
    SEGMENTS_LINES,
    /* 2.x and later, loads cached in L2 alone: 32 bytes each. */
    SEGMENTS_SECTORS,
    /* 2.x and later, stores: 1, 2 or 4 neighbouring pieces of 32 bytes of a line at once, aligned to
     * their size. */
    SEGMENTS_STORES
};

struct segment_count {
    unsigned
        requests; /* into which the warp's instruction is split: 2 half-warps, 4 quarters, ... */
    unsigned segments; /* transactions, of all requests */
    uint64_t useful;   /* bytes that lanes asked for; twice asked in one request counts once */
    uint64_t moved;    /* bytes of all transactions */
};

/* Units: word in bytes, 1 to 16. Needs: lanes <= SEGMENT_LANES; for the rules of 1.x addresses are
 * multiples of word and word is a power of two. A word that lies in two segments needs both. */
struct segment_count segments_of(enum segment_rule rule, const uint64_t *addresses, size_t lanes,
                                 size_t word);

/* Adds one count to another. */
void segments_add(struct segment_count *sum, const struct segment_count *more);

/* Useful bytes in percent of moved ones; 0 where nothing was moved. */
double segments_utilisation(const struct segment_count *count);

/* The rule by which a device of that compute capability loads; `cached`: in L1, where it may choose. */
enum segment_rule segments_rule(unsigned major, unsigned minor, int cached);

#endif
