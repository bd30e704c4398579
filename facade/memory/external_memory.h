/* Memory that the program has from elsewhere, as runtime and driver API share it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_EXTERNAL_MEMORY_H
#define FACADE_EXTERNAL_MEMORY_H

#include "facade/memory/memory_array.h"

/* What ocl_memory_view.flags say of imported memory that facade_external_map() made: cudaFree() ends it. */
enum { FACADE_EXTERNAL_BUFFER = 1 };

/* Imports a file that can be mapped (cudaExternalMemoryHandleTypeOpaqueFd), of at least size bytes, and takes over its descriptor.
 * Errors: cudaErrorInvalidValue for unknown types and flags, no bytes, or a file with fewer; cudaErrorOperatingSystem for what is no
 *         open file; cudaErrorNotSupported for other types, and where device memory is not the host's or kernels have no addresses. */
cudaError_t facade_external_import(cudaExternalMemory_t *memory,
                                   const struct cudaExternalMemoryHandleDesc *description);

/* Device memory of the current context that is bytes of it; cudaFree() ends that, before the object ends or after.
 * Errors: cudaErrorInvalidValue for flags and for what is not within the object; cudaErrorInvalidResourceHandle for an object that
 *         is not alive; cudaErrorMapBufferObjectFailed. */
cudaError_t facade_external_map(void **pointer, cudaExternalMemory_t memory,
                                const struct cudaExternalMemoryBufferDesc *description);

/* A mipmapped array of the current context in bytes of it from offset on, laid out as cl/array.h says.
 * Errors: cudaErrorInvalidValue when it goes beyond the object or offset is no multiple of 256; those of
 *         facade_mipmapped_array_create(); as above. */
cudaError_t facade_external_map_array(cudaMipmappedArray_t *array, cudaExternalMemory_t memory,
                                      uint64_t offset, const struct facade_array_format *format,
                                      struct cudaExtent extent, unsigned levels, unsigned flags);

/* Closes the descriptor. Errors: cudaErrorInvalidResourceHandle. */
cudaError_t facade_external_destroy(cudaExternalMemory_t memory);

#endif
