/* The 71 rows that clem-bench promises, what covers each, and what one device's results say of them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_BENCH_SEEDS_H
#define CLEM_BENCH_SEEDS_H

#include "bench/report.h"

#define SEEDS 71

struct seed {
    const char *id, *what;
    /* With spaces between: rows of bench.def or beginnings of their names up to a dot, and tests as
     * CTest names them ("facade/memory_copy" for a whole file). */
    const char *covers;
};
extern const struct seed seeds[SEEDS];

/* In order of weight: of several findings the gravest is the row's. */
enum verdict {
    VERDICT_AS_EXPECTED,
    VERDICT_UNSUPPORTED,
    VERDICT_INCONCLUSIVE, /* the samples spread across a bound, or something was not measured */
    VERDICT_DIFFERS,
    VERDICT_SUSPECT, /* wrong data, failed, or faster than can be */
    VERDICTS
};

struct seed_verdict {
    enum verdict verdict;
    bool measured; /* false: inconclusive only because this run did nothing that is needed */
    unsigned expected, found; /* expectations there are, and those of them that were measured */
    char words[320];
};

const char *verdict_name(enum verdict verdict);

/* expect.c: what the results of one device say, for each of seeds[]. */
void seeds_judge(const struct device_report *device, struct seed_verdict verdicts[SEEDS]);

/* seeds.c: whether one word of `covers` names this row or test. */
bool seed_word_covers(const char *word, size_t length, const char *name);
/* All IDs with what covers each, for people. */
void seeds_print(FILE *file);

/* report_seeds.c. The verdicts as text; and as objects at the end of a cJSON array. */
void report_seeds_text(FILE *file, const struct device_report *device);
struct cJSON;
void report_seeds_json(struct cJSON *array, const struct device_report *device);

#endif
