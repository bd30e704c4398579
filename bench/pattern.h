/* What inputs hold and what outputs must hold: random words made from their place alone.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_BENCH_PATTERN_H
#define CLEM_BENCH_PATTERN_H

#include "bench/bench.h"

#define PATTERN_FINE SIZE_MAX
#define TRIAD_FACTOR 0.4f

/* Which random array; triads have two, of floats from 1 to 2. */
enum pattern { PATTERN_WORDS = 1, PATTERN_FIRST, PATTERN_SECOND };

/* What the output of a task must hold; CONTENT_FLOATS: a copy of PATTERN_FIRST. */
enum content { CONTENT_COPY, CONTENT_FLOATS, CONTENT_VALUE, CONTENT_TRIAD, CONTENT_POISON };

/* Fills memory with the part of a pattern that begins at byte offset. Needs: both multiples of 8.
 */
void pattern_fill(void *memory, size_t bytes, enum pattern pattern, size_t offset);

/* The index-th 32-bit word of a pattern. */
uint32_t pattern_word(enum pattern pattern, size_t index);

/* The sum of all 32-bit words of PATTERN_WORDS, modulo 2^32. */
uint32_t pattern_sum(size_t bytes);

/* Compares a piece of a task's target with what it must hold, padding included.
 * Needs: offset (of the piece in the target) and bytes are multiples of task->target_pitch.
 * Returns the offset in the target of a wrong byte's 4- or 8-byte word, or PATTERN_FINE. */
size_t pattern_check(const struct task *task, enum content content, const unsigned char *piece,
                     size_t bytes, size_t offset);

/* The largest multiple of task->target_pitch in 16 MiB, at least one pitch: the pieces in which
 * targets are read. */
size_t pattern_piece(const struct task *task);

/* What a task's target must hold when all is done. */
enum content content_of(const struct task *task);

#endif
