/* Semaphores that queues signal and wait for, and so may others, which have them by a file.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_SEMAPHORE_H
#define OCL_SEMAPHORE_H

#include <stdint.h>

#include "cl/queue.h"

/* What a file has to be for them: a binary semaphore is Linux's eventfd, which is signaled while it counts anything, and a timeline
 * semaphore is a file that can be mapped, with the value in its first 8 bytes, little-endian, which others read and write as one. */
enum ocl_semaphore_kind { OCL_SEMAPHORE_BINARY, OCL_SEMAPHORE_TIMELINE };

struct ocl_semaphore;

/* Makes a semaphore with one reference for the caller, and takes over the file.
 * Errors: OCL_E_NOT_FOUND for what is no open file; OCL_E_INVALID_VALUE for one that is something else; CL_MAP_FAILURE;
 *         OCL_E_OUT_OF_MEMORY. The file stays the caller's then. */
ocl_status ocl_semaphore_open(int file, enum ocl_semaphore_kind kind,
                              struct ocl_semaphore **semaphore);

struct ocl_semaphore *ocl_semaphore_retain(struct ocl_semaphore *semaphore);
void ocl_semaphore_release(struct ocl_semaphore *semaphore);

/* Signals after earlier work of the queue and before later work, but not when that failed: a timeline semaphore has the value
 * then. Waits for nothing, and keeps a reference as long as it needs one.
 * Errors: OCL_E_OUT_OF_MEMORY; the driver's; the sticky failure. */
ocl_status ocl_semaphore_signal(struct ocl_queue *queue, struct ocl_semaphore *semaphore,
                                uint64_t value);

/* Makes later commands of the queue wait until a timeline semaphore has the value or a higher one, or until a binary one is signaled,
 * which it is no more then. Otherwise as above, and as ocl_queue_await(). */
ocl_status ocl_semaphore_wait(struct ocl_queue *queue, struct ocl_semaphore *semaphore,
                              uint64_t value);

#endif
