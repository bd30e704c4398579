/* The memory that kernels from PTX share with the host: what they print, their heap, their first
 * failure. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_PTX_RUNTIME_H
#define OCL_PTX_RUNTIME_H

#include <stddef.h>
#include <stdio.h>

#include "cl/state/state.h"

struct ocl_runtime;

/* Makes the context's runtime at the first request, and its heap at the first request that needs
 * it, and notes that a launch which may write to it is being made, until ocl_runtime_end().
 * Locks:  as many threads as like may ask; they wait for the one that makes it.
 * Errors: OCL_E_OUT_OF_MEMORY; the driver's. */
ocl_status ocl_runtime_begin(struct ocl_context *context, bool needs_heap);

/* The launch is in its queue, or will not be.
 * Needs:  ocl_runtime_begin(), as often. */
void ocl_runtime_end(struct ocl_context *context);

/* The device address of its struct clem_runtime.
 * Needs:  ocl_runtime_begin(). */
uint64_t ocl_runtime_address(const struct ocl_context *context);

/* Where kernels note that one has failed, for those that run behind it: not 0 then. NULL where no kernel that may fail was launched
 * yet, or the host does not reach it. Lives as long as the context. */
const uint32_t *ocl_runtime_failure(const struct ocl_context *context);

/* Before a kernel that may print is launched: prints what is there where that costs little, so that
 * the ring does not come round between two waits. */
void ocl_runtime_before_launch(struct ocl_context *context);

/* After the host waited for work: prints what kernels have printed, in the order in which they
 * did, and turns a failure that a kernel wrote down into the context's. Nearly free without a
 * runtime. */
void ocl_runtime_after_wait(struct ocl_context *context);

/* From now on an assertion that has failed is told of where a kernel ends the process before the host has waited. */
void ocl_runtime_crash_watch(void);

/* When the context closes.
 * Needs:  all its work is complete. */
void ocl_runtime_destroy(struct ocl_context *context);

/* Prints the arguments of a record under its format; ptx_print.c.
 * Shape:  arguments as library/runtime.h says, up to end; none beyond it is read. */
void ocl_print_format(FILE *stream, const char *format, const unsigned char *arguments,
                      const unsigned char *end);

#endif
