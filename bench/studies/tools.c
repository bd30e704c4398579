/* What studies of coalescing and layouts share.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/studies/tools.h"

#include <string.h>

#include "bench/fast.h"
#include "bench/segments.h"

/* Warps that the model is asked about: random patterns differ from one to the next. */
#define PREDICTED_WARPS 16

size_t run_length(size_t count, size_t items)
{
    size_t share = (count + items - 1) / items;
    return (share + 15) / 16 * 16;
}

static size_t minimum(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t check_same(const void *output, const void *expected, size_t bytes)
{
    size_t wrong = PATTERN_FINE;
#pragma omp parallel for reduction(min : wrong)
    for (size_t at = 0; at < bytes; at += PIECE) {
        const char *a = (const char *)output + at, *b = (const char *)expected + at;
        size_t count = minimum(PIECE, bytes - at), i = 0;
        if (memcmp(a, b, count) == 0)
            continue;
        while (a[i] == b[i])
            i++;
        wrong = minimum(wrong, (at + i) / 16 * 16);
    }
    return wrong;
}

size_t check_poisoned(const void *output, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (((const unsigned char *)output)[i] != POISON)
            return i / 16 * 16;
    return PATTERN_FINE;
}

size_t check_from(size_t from, size_t wrong)
{
    return wrong == PATTERN_FINE ? PATTERN_FINE : from + wrong;
}

FAST static void copy_piece(uint32_t *restrict target, const uint32_t *restrict source,
                            size_t words)
{
    for (size_t i = 0; i < words; i++)
        target[i] = source[i];
}

void host_copy_words(uint32_t *target, const uint32_t *source, size_t words)
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < words; i += PIECE)
        copy_piece(target + i, source + i, minimum(PIECE, words - i));
}

/* The sum over some warps spread over the launch. */
static struct segment_count predicted(enum segment_rule rule, const struct cell *cell, size_t items,
                                      size_t word,
                                      uint64_t (*address)(const struct cell *cell, uint64_t item))
{
    struct segment_count sum = {0};
    size_t warps = items / SEGMENT_LANES;
    for (size_t k = 0; k < PREDICTED_WARPS; k++) {
        size_t first = warps * k / PREDICTED_WARPS * SEGMENT_LANES;
        uint64_t addresses[SEGMENT_LANES];
        for (size_t lane = 0; lane < SEGMENT_LANES; lane++)
            addresses[lane] = address(cell, first + lane);
        struct segment_count count = segments_of(rule, addresses, SEGMENT_LANES, word);
        segments_add(&sum, &count);
    }
    return sum;
}

static double per_warp(const struct segment_count *sum)
{
    return (double)sum->segments / PREDICTED_WARPS;
}

static void predict(struct shot *shot, const struct cell *cell, size_t items, size_t word,
                    uint64_t (*address)(const struct cell *cell, uint64_t item),
                    enum segment_rule wide, const char *wide_name, const char *wide_use)
{
    struct segment_count lines = predicted(wide, cell, items, word, address);
    struct segment_count sectors = predicted(SEGMENTS_SECTORS, cell, items, word, address);
    struct segment_count ordered = predicted(SEGMENTS_IN_ORDER, cell, items, word, address);
    struct segment_count any = predicted(SEGMENTS_ANY_ORDER, cell, items, word, address);
    shot_extra(shot, wide_name, per_warp(&lines));
    shot_extra(shot, wide_use, segments_utilisation(&lines));
    shot_extra(shot, "sectors", per_warp(&sectors));
    shot_extra(shot, "sectors_used_%", segments_utilisation(&sectors));
    shot_extra(shot, "segments_cc1.0", per_warp(&ordered));
    shot_extra(shot, "segments_cc1.2", per_warp(&any));
}

void shot_predict_loads(struct shot *shot, const struct cell *cell, size_t items, size_t word,
                        uint64_t (*address)(const struct cell *cell, uint64_t item))
{
    predict(shot, cell, items, word, address, SEGMENTS_LINES, "lines", "lines_used_%");
}

void shot_predict_stores(struct shot *shot, const struct cell *cell, size_t items, size_t word,
                         uint64_t (*address)(const struct cell *cell, uint64_t item))
{
    predict(shot, cell, items, word, address, SEGMENTS_STORES, "stores", "stores_used_%");
}
