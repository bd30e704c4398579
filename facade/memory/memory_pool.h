/* Stream-ordered memory and its pools as runtime and driver API share them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_MEMORY_POOL_H
#define FACADE_MEMORY_POOL_H

#include "cl/share.h"
#include "facade/state/internal.h"

/* Every function that is given a pool says cudaErrorInvalidValue for one that is not alive. */

/* The device's default pool, made when it is first asked for and never destroyed, and the one that
 * facade_pool_allocate() takes by itself. Errors: cudaErrorInvalidValue for pool NULL;
 * cudaErrorInvalidDevice. */
cudaError_t facade_pool_get_default(cudaMemPool_t *pool, int device);
cudaError_t facade_pool_get_current(cudaMemPool_t *pool, int device);
cudaError_t facade_pool_set_current(int device, cudaMemPool_t pool);

/* The same by location; device memory is all there is in pools.
 * Errors: cudaErrorInvalidValue for no location or type; cudaErrorNotSupported for a location or
 *         type that CUDA knows and clem has no pools for. */
cudaError_t facade_pool_get_default_at(cudaMemPool_t *pool, const struct cudaMemLocation *location,
                                       enum cudaMemAllocationType type);
cudaError_t facade_pool_get_current_at(cudaMemPool_t *pool, const struct cudaMemLocation *location,
                                       enum cudaMemAllocationType type);
cudaError_t facade_pool_set_current_at(const struct cudaMemLocation *location,
                                       enum cudaMemAllocationType type, cudaMemPool_t pool);

/* What can be made, of what CUDA's properties may say, and who may use it then, of what descriptions of access may.
 * Errors: cudaErrorInvalidValue; cudaErrorNotSupported for what clem has none of; cudaErrorInvalidDevice for a device that
 *         cannot reach the memory; cudaErrorMemoryAllocation for a pool larger than the device's memory. */
cudaError_t facade_pool_check_properties(const struct cudaMemPoolProps *properties);
cudaError_t facade_pool_check_access(int device, const struct cudaMemAccessDesc *wanted);

cudaError_t facade_pool_create(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties);

/* The handle ends at once; memory of the pool lives until it is freed. */
cudaError_t facade_pool_destroy(cudaMemPool_t pool);
cudaError_t facade_pool_trim(cudaMemPool_t pool, size_t keep_bytes);

/* value: int for the three that switch reuse, otherwise a 64-bit number. */
cudaError_t facade_pool_get_attribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                      void *value);
cudaError_t facade_pool_set_attribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                      const void *value);

/* Which devices' kernels may use the memory: its own always. Errors: cudaErrorInvalidDevice for one
 * that cannot reach it. */
cudaError_t facade_pool_get_access(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                   const struct cudaMemLocation *location);
cudaError_t facade_pool_set_access(cudaMemPool_t pool, const struct cudaMemAccessDesc *list,
                                   size_t count);

/* Takes memory from the current pool of the stream's device, or from the given one. No bytes give
 * NULL. In a stream that captures, this and freeing are nodes. Errors: cudaErrorMemoryAllocation; *pointer is NULL then. */
cudaError_t facade_pool_allocate(void **pointer, size_t bytes, cudaStream_t stream);
cudaError_t facade_pool_allocate_from(void **pointer, size_t bytes, cudaMemPool_t pool,
                                      cudaStream_t stream);

/* Frees device memory, of whatever origin, in the order of the stream. NULL is nothing to do.
 * Errors: cudaErrorInvalidValue when no device memory starts there. */
cudaError_t facade_pool_free(void *pointer, cudaStream_t stream);

/* --- pool_sharing.c: pools of several processes ------------------------------------------------- */

/* What a pool has to do with other processes. */
struct facade_pool_sharing {
    bool is_exportable; /* made to be exported as a file descriptor */
    bool is_imported;   /* gives no memory itself */
    struct ocl_share_pool name;
};

/* NULL: no live pool. The device is that of the pool. And a pool that stands for another process's. */
const struct facade_pool_sharing *facade_pool_sharing_of(cudaMemPool_t pool, int *device);
cudaError_t facade_pool_import_as(cudaMemPool_t *pool, int device,
                                  const struct ocl_share_pool *name);

/* type: cudaMemHandleTypePosixFileDescriptor; flags: 0. export writes an int, which the caller closes; import takes one as a
 * pointer, which stays the caller's. Errors: cudaErrorInvalidValue for other types, flags, descriptors, and pools that were not
 * made for it. */
cudaError_t facade_pool_export(void *handle, cudaMemPool_t pool,
                               enum cudaMemAllocationHandleType type, unsigned long long flags);
cudaError_t facade_pool_import(cudaMemPool_t *pool, void *handle,
                               enum cudaMemAllocationHandleType type, unsigned long long flags);

/* Memory of such a pool, at whose first byte the importing process's pointer is; cudaFree() and cudaFreeAsync() give that back there.
 * Order:  export waits as facade_ipc_memory_handle() does.
 * Errors: cudaErrorInvalidValue for memory of no such pool, or of another one; import as facade_ipc_open_memory(). */
cudaError_t facade_pool_export_pointer(struct cudaMemPoolPtrExportData *data, const void *pointer);
cudaError_t facade_pool_import_pointer(void **pointer, cudaMemPool_t pool,
                                       const struct cudaMemPoolPtrExportData *data);

#endif
