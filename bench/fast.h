/* Plain C at its best: what the host's limits are compiled with.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_BENCH_FAST_H
#define CLEM_BENCH_FAST_H

/* Functions compiled for several instruction sets, of which the machine takes the best, as an
 * OpenCL compiler does. The resolvers run too early for sanitizers. Each name once in the whole
 * program: clang makes the resolvers of static functions visible everywhere. */
#if defined(__x86_64__) && defined(__has_attribute) && !defined(CLEM_BENCH_SANITIZED)
#if __has_attribute(target_clones)
#define FAST __attribute__((target_clones("avx512f", "avx2", "default")))
#endif
#endif
#ifndef FAST
#define FAST __attribute__((noinline))
#endif

/* What the name of a loop ends in that runs on as many threads as there are. */
#ifdef _OPENMP
#define ALL ", OpenMP"
#else
#define ALL ", no OpenMP"
#endif

#endif
