/* What studies of coalescing and layouts share: shares of work, checks, the segment model's word.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_BENCH_STUDIES_TOOLS_H
#define CLEM_BENCH_STUDIES_TOOLS_H

#include "bench/study.h"

/* What host loops take at once: a multiple of every unit that they count in. */
#define PIECE 16384

#define POISON_WORD (0x01010101u * POISON)

/* How many of `count` things each of `items` takes, a multiple of 16 so that runs begin aligned. */
size_t run_length(size_t count, size_t items);

/* Compare a part of an output with what it must hold, or with the poison. Return the offset in it
 * of a wrong 16-byte word, or PATTERN_FINE. */
size_t check_same(const void *output, const void *expected, size_t bytes);
size_t check_poisoned(const void *output, size_t bytes);
/* `from` bytes further on, if anything is wrong. */
size_t check_from(size_t from, size_t wrong);

/* Copies 4-byte words with all threads; target and source do not overlap. */
void host_copy_words(uint32_t *target, const uint32_t *source, size_t words);

/* Adds what the segment model says of the launch: transactions of a warp and how much of their bytes
 * is useful. address: of the word that item i takes, from an aligned base. */
void shot_predict_loads(struct shot *shot, const struct cell *cell, size_t items, size_t word,
                        uint64_t (*address)(const struct cell *cell, uint64_t item));
void shot_predict_stores(struct shot *shot, const struct cell *cell, size_t items, size_t word,
                         uint64_t (*address)(const struct cell *cell, uint64_t item));

#endif
