/* Checks: rows that are answered by yes or no. CUDA runtime and driver API only, so that they ask
 * clem and NVIDIA's runtime alike.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A check returns true when what CUDA documents held; it may then have left a note in the attempt's
 * reason. Otherwise it returns false after attempt_fail() or attempt_wrong(). */
#ifndef CLEM_BENCH_CHECKS_H
#define CLEM_BENCH_CHECKS_H

#include "bench/cuda_side.h"

#define BENCH(name, work, source, target, detail, axis, rule, only, about)
#define STUDY(name, symbol, about)
#define CHECK(name, function, about) bool function(struct attempt *attempt);
#include "bench/bench.def"
#undef BENCH
#undef STUDY
#undef CHECK

/* True, or false after attempt_fail(STATUS_ERROR) with the words. */
bool check_that(struct attempt *attempt, bool is_so, const char *words);
/* The call must give this error; it is taken from the thread's last error. */
bool check_error(struct attempt *attempt, cudaError_t error, cudaError_t expected,
                 const char *call);
/* A note for people who see that the check held. */
void check_note(struct attempt *attempt, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The kernels of one file of kernels/access. check_unload accepts NULL. */
bool check_load(struct attempt *attempt, const char *file, cudaLibrary_t *library);
/* The kernels that allocate; unsupported where kernels cannot use the addresses that they are given. */
bool check_load_heap(struct attempt *attempt, cudaLibrary_t *library);
void check_unload(cudaLibrary_t library);
/* Launches groups x local work-items into the null stream. */
bool check_launch(struct attempt *attempt, cudaLibrary_t library, const char *kernel, dim3 groups,
                  dim3 local, void **arguments);
bool check_wait(struct attempt *attempt);

/* A function of the driver API by its name without a suffix, to be converted to its own type. */
typedef void check_function(void);
bool check_driver(struct attempt *attempt, const char *name, check_function **function);

/* Compares words in memory of any kind with expected[0..words-1], after all work is done. */
bool check_words_at(struct attempt *attempt, const void *memory, const uint32_t *expected,
                    size_t words);

#endif
