/* The OpenCL functions that libclem calls, each able to fail on demand (points.h), on top of the real ones.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FAULT_OPENCL_H
#define TESTS_FAULT_OPENCL_H

#include <stdbool.h>

/* Contexts, queues, buffers and images, programs, kernels, events, samplers, SVM and USM allocations that are alive:
 * references that libclem took and has not given back. A release that fails counts as one. */
long fault_live_objects(void);

/* One line per kind of object that is alive, on stdout. */
void fault_print_live(void);

/* Whether memory was ever released while a kernel of its context ran: kernels may know it by its address alone. */
bool fault_freed_in_use(void);

/* An extension function that libclem asked for and that is not among those here; NULL: none. */
const char *fault_unknown_extension(void);

/* From now on PTX is taken as a program's binary. The function makes OpenCL C of it, which the caller frees; NULL: it
 * cannot be built. */
typedef char *fault_translator(const char *ptx);
void fault_take_ptx(fault_translator *function);

#endif
