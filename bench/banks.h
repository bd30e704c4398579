/* The passes that the lanes of a warp need through the banks of local memory (CUDA: shared).
 * SPDX-License-Identifier: Apache-2.0
 *
 * A model to be printed beside measurements: 32 banks of 4 bytes, each of which gives one word in a
 * pass, to as many lanes as ask for it. Words of 8 bytes are asked for by half-warps, words of 16 by
 * quarter-warps.
 * Source: CUDA C Programming Guide, shared memory of compute capability 5.x. */
#ifndef CLEM_BENCH_BANKS_H
#define CLEM_BENCH_BANKS_H

#include <stddef.h>

#define BANK_COUNT 32
#define BANK_LANES 32

/* How many times more passes one access needs than if no two lanes met in a bank: 1 to 32. Lane i
 * takes word places[i]; word in bytes: 4, 8 or 16. */
double banks_conflict(const size_t places[BANK_LANES], size_t word);

/* The same where lane i takes word i * stride. */
double banks_conflict_of_stride(size_t stride, size_t word);

#endif
