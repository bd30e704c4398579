/* Runs that were saved as JSON, read back: format 2, and what format 1 had of it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_BENCH_SAVED_H
#define CLEM_BENCH_SAVED_H

#include "bench/report.h"

struct cJSON;

/* All text belongs to the saved run and lives as long as it; what a file lacks is "" or 0. */
struct saved_value {
    const char *method;  /* NULL: this contender did not take part */
    double median, best; /* in the result's unit */
    double seconds, seconds_best, p10, p90, cov;
    double samples, repetitions;
    const char *dropped;
};

struct saved_result {
    int device;
    const char *row, *about, *counts, *unit, *status, *reason;
    const char *form;              /* "", "idiom", "best", or another form's name */
    char group[32];                /* the row's name up to the first dot */
    char variable[VARIABLE_BYTES]; /* identifies the result, with the row */
    char point[VARIABLE_BYTES];    /* variable without the form */
    struct task_parameter parameters[STUDY_PARAMETERS];
    size_t parameter_count;
    double bytes, useful;
    bool wrong_data;
    struct saved_value by[CONTENDERS];
    double over_raw, more_than_raw, over_host; /* 0: none */
    struct extra extras[STUDY_EXTRAS];
    size_t extra_count;
};

struct saved_device {
    int index;
    const char *name, *driver, *opencl, *strategy, *strategy_reason;
    bool is_cpu, ecc;
    int compute_units, clock_khz, memory_clock_khz, memory_bus_bits;
    double memory_bytes, cache_bytes;
};

struct saved_seed {
    int device;
    const char *id, *what, *verdict, *words, *covered_by;
    bool measured;
};

struct saved {
    struct cJSON *root;
    const char *path, *runtime, *version, *date, *mode, *command;
    int format;
    double load_before, load_after, host_cores, host_memory_bytes;
    struct saved_device *devices;
    struct saved_result *results;
    struct saved_seed *seeds;
    size_t device_count, result_count, seed_count;
};

enum saved_status { SAVED_OK, SAVED_MISSING, SAVED_BAD, SAVED_NO_MEMORY };

/* Reads a file, after a message on stderr where it cannot be. Owns: saved_free, in any case; path is
 * kept. */
enum saved_status saved_read(const char *path, struct saved *saved);
/* The same from an object, which saved then owns, whatever is returned. False: not a run, or no
 * memory. */
bool saved_take(struct cJSON *root, struct saved *saved);
/* One object of "results"; its text stays the object's. False when it has no row. */
bool saved_result_read(const struct cJSON *object, struct saved_result *result);
void saved_free(struct saved *saved);

/* The whole file, with a zero behind it. Owns: the caller frees it. NULL with errno set. */
char *saved_text(const char *path);

/* Whether both answer the same question: the same row, over the same. */
bool saved_same(const struct saved_result *a, const struct saved_result *b);
const struct saved_result *saved_find(const struct saved *saved, int device,
                                      const struct saved_result *wanted);

#endif
