/* Semaphores that the program has from elsewhere, as runtime and driver API share them, and nodes of graphs for them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_EXTERNAL_SEMAPHORE_H
#define FACADE_EXTERNAL_SEMAPHORE_H

#include "facade/graph/work.h"

/* Imports a binary semaphore (cudaExternalSemaphoreHandleTypeOpaqueFd) or a timeline
 * (cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd) as cl/semaphore.h says, and takes over its descriptor.
 * Errors: cudaErrorInvalidValue for unknown types, flags, or a file that is something else; cudaErrorOperatingSystem for what is no
 *         open file; cudaErrorNotSupported for other types, and on other devices than CPUs. */
cudaError_t facade_semaphore_import(cudaExternalSemaphore_t *semaphore,
                                    const struct cudaExternalSemaphoreHandleDesc *description);

/* What streams were given before still signals it and waits for it. Errors: cudaErrorInvalidResourceHandle. */
cudaError_t facade_semaphore_destroy(cudaExternalSemaphore_t semaphore);

/* What one call, or node, does to count semaphores. Parameters of signals and waits, in both APIs, have the value and the flags at
 * the same places. */
struct facade_semaphores {
    const cudaExternalSemaphore_t *handles;
    const struct cudaExternalSemaphoreWaitParams *params;
    unsigned count;
    bool are_waits;
};

/* Does that in the stream, one after the other, or makes a node of it where that captures.
 * Errors: cudaErrorInvalidValue for flags and without semaphores; cudaErrorInvalidResourceHandle; those of captures. */
cudaError_t facade_semaphores_use(cudaStream_t stream, const struct facade_semaphores *use);

/* The same as a work with one reference for the caller, which copies what use points to; and that of a work as long as it lives.
 * Errors: as above; cudaErrorMemoryAllocation. Needs (second): a work of these kinds. */
cudaError_t facade_work_of_semaphores(const struct facade_semaphores *use,
                                      struct facade_work **work);
struct facade_semaphores facade_work_semaphores(const struct facade_work *work);

#endif
