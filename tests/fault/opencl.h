/* The OpenCL functions that libclem calls, each able to fail on demand, on top of the real ones.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FAULT_OPENCL_H
#define TESTS_FAULT_OPENCL_H

/* The n-th call from now on (1 is the next one) fails with CL_OUT_OF_HOST_MEMORY; 0: none does. */
void fault_at(long n);

/* Whether the call that was to fail has been made. */
int fault_was_met(void);

/* The name of the function whose call failed last. */
const char *fault_name(void);

/* Contexts, queues, buffers and images, programs, kernels, events, samplers, SVM and USM allocations that are alive:
 * references that libclem took and has not given back. */
long fault_live_objects(void);

/* One line per kind of object that is alive, on stdout. */
void fault_print_live(void);

/* From now on PTX is taken as a program's binary. The function makes OpenCL C of it, which the caller frees; NULL: it
 * cannot be built. */
typedef char *fault_translator(const char *ptx);
void fault_take_ptx(fault_translator *function);

#endif
