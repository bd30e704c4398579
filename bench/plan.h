/* Which tasks a run has: the rows of bench.def over the sizes that device and mode allow.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_BENCH_PLAN_H
#define CLEM_BENCH_PLAN_H

#include "bench/bench.h"

/* MODE_FIRST: one size of the patterns that a run tells first. */
enum mode { MODE_FIRST, MODE_QUICK, MODE_NORMAL, MODE_FULL };

extern const struct row bench_rows[];
extern const size_t bench_row_count;

/* "first", "quick", "normal" or "full". */
const char *mode_name(enum mode mode);

struct effort plan_effort(enum mode mode);

/* Whether filter takes the name: prefixes of names, or whole names behind "=", with commas between;
 * NULL: everything. */
bool plan_takes(const char *filter, const char *name);
/* The first part of the filter that takes no row, and its length; NULL when there is none. A filter
 * without parts takes none either. */
const char *plan_unknown(const char *filter, size_t *length);

/* How large a study's arrays are. CPUs: 16 MiB, or 64 MiB where the run is not quick. GPUs: 64 MiB,
 * or 256 MiB (full: 1 GiB) and up to 1 GiB as long as the last cache holds a quarter of it. Never
 * more than a sixteenth of the memory. */
size_t study_bytes(const struct device_facts *device, enum mode mode);

/* The size of arrays that tell of memory and not of caches: at least 64 MiB (GPUs: 256 MiB) and four times the last cache,
 * but no more than 1 GiB and a sixteenth of the memory. */
size_t first_bytes(const struct device_facts *device);

/* The tasks for one device. Owns: the caller frees *tasks (NULL when there are none). Returns false
 * without memory. */
bool plan_make(enum mode mode, const char *filter, const struct device_facts *device,
               struct task **tasks, size_t *count);

#endif
