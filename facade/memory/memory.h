/* Memory as runtime and driver API share it: allocation, pinned host memory, fills.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_MEMORY_H
#define FACADE_MEMORY_H

#include "cl/transfer.h"
#include "facade/state/internal.h"

/* None of these keeps a last error: entry points do, through facade_result() or
 * facade_driver_error(). */

/* What cudaMallocPitch rounds rows to. Source: NVIDIA's runtime gives 512 on every current
 * device. */
enum { FACADE_PITCH_ALIGNMENT = 512 };

/* What cudaDeviceProp.memPitch and CU_DEVICE_ATTRIBUTE_MAX_PITCH tell. NVIDIA's runtime does not
 * hold copies to it. */
#define FACADE_MAX_PITCH ((size_t)0x7fffffff)

/* --- memory_alloc.c --------------------------------------------------------------------------- */

/* What makes some bytes, more than none, in a context that the caller has entered. A failure leaves *pointer as it is. */
typedef cudaError_t facade_memory_allocator(struct facade_context *context, void **pointer,
                                            size_t bytes, unsigned flags);

/* Has memory of any kind made in the current context. Zero bytes give NULL and cudaSuccess. A failure leaves NULL in *pointer. Errors:
 * the allocator's, cudaErrorInvalidValue without a pointer, and what facade_capture_check_call() says. */
cudaError_t facade_memory_allocate_by(facade_memory_allocator *allocate, void **pointer,
                                      size_t bytes, unsigned flags);

/* Device memory in the current context. Zero bytes give NULL and cudaSuccess, which cuMemAlloc
 * refuses by itself. A failure leaves NULL in *pointer. */
cudaError_t facade_memory_allocate(void **pointer, size_t bytes);

/* depth slices of height rows of width bytes; *pitch bytes from row to row. An empty extent
 * gives NULL and 0, which cuMemAllocPitch refuses by itself. A failure leaves NULL and 0. */
cudaError_t facade_memory_allocate_pitched(void **pointer, size_t *pitch, struct cudaExtent extent);

/* Frees what starts at pointer, device memory or managed; NULL is nothing to do.
 * Order:  after all work of the owning context that was submitted before.
 * Errors: cudaErrorInvalidValue when no such memory starts there. */
cudaError_t facade_memory_free(void *pointer);

/* Of the current context's device. */
cudaError_t facade_memory_info(size_t *free_bytes, size_t *total_bytes);

/* First byte and size of the allocation that holds address; either output may be NULL.
 * Errors: cudaErrorSymbolNotFound, which is CUDA_ERROR_NOT_FOUND, when none does: the outputs
 *         are then 0. It is no error when nothing is asked. */
cudaError_t facade_memory_address_range(uint64_t *base, size_t *bytes, uint64_t address);

/* --- memory_host.c ---------------------------------------------------------------------------- */

/* flags: cudaHostAlloc*, whose values are CU_MEMHOSTALLOC_*. Zero bytes give NULL; so does a
 * failure. */
cudaError_t facade_memory_allocate_host(void **host, size_t bytes, unsigned flags);
cudaError_t facade_memory_free_host(void *host);

/* flags: cudaHostRegister*, whose values are CU_MEMHOSTREGISTER_*. */
cudaError_t facade_memory_register(void *host, size_t bytes, unsigned flags);
cudaError_t facade_memory_unregister(void *host);

/* What kernels must use for the byte at host. */
cudaError_t facade_memory_device_pointer(void **device, const void *host, unsigned flags);
cudaError_t facade_memory_host_flags(unsigned *flags, const void *host);

/* --- memory_set.c ----------------------------------------------------------------------------- */

/* A fill: rows of count elements of element_bytes (1, 2 or 4). An empty one is checked no
 * further; pitch does not matter for a single row, slice_bytes not for a single slice.
 * Order:  after earlier work of the stream. is_async false: returns when done if the memory is
 *         the host's, and at once if it is the device's; true: at once.
 * Errors: cudaErrorInvalidValue for unknown memory, a range that leaves its allocation, an
 *         address or pitch that is no multiple of element_bytes, a pitch below the row. */
cudaError_t facade_memory_set(const struct ocl_fill *fill, cudaStream_t stream, bool is_async);

/* The same in a stream that was found, for a fill that is not empty; and its checks alone, of any. */
cudaError_t facade_memory_set_in(const struct ocl_fill *fill, struct facade_stream *stream,
                                 bool is_async);
cudaError_t facade_memory_set_check(const struct ocl_fill *fill);

#endif
