/* How each address strategy makes and frees the memory of a block. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_BLOCK_STRATEGY_H
#define OCL_BLOCK_STRATEGY_H

#include "cl/block/block.h"
#include "cl/memory.h"
#include "cl/state/state.h"

/* create fills buffer, pointer and address of a block whose context and bytes are set; a cl_int or
 * OCL_E_* comes back. destroy frees whatever create got, also after it failed half-way. */
struct ocl_block_strategy {
    ocl_status (*create)(struct ocl_block *block);
    void (*destroy)(struct ocl_block *block);
};

extern const struct ocl_block_strategy ocl_block_bda, ocl_block_raw,
    ocl_block_handle;                                                /* block_buffer.c */
extern const struct ocl_block_strategy ocl_block_svm, ocl_block_usm; /* block_shared.c */
extern const struct ocl_block_strategy ocl_block_host;               /* block_host.c */
extern const struct ocl_block_strategy ocl_block_registered;         /* block_registered.c */
extern const struct ocl_block_strategy ocl_block_imported;           /* block_imported.c */

/* block.c: a block that create makes of bytes at pointer, or of bytes, and that kernels are told of from then on. Errors:
 * create's, where they speak of memory as OCL_E_OUT_OF_MEMORY. */
ocl_status ocl_block_create_by(struct ocl_context *context, enum ocl_block_kind kind,
                               const struct ocl_block_strategy *strategy, void *pointer,
                               size_t bytes, struct ocl_block **block);

/* block_host.c, for memory that is pinned: a buffer over block->pointer, mapped for good, and its end;
 * what kernels use for byte 0, which is the host's own address where they reach it. */
ocl_status ocl_block_wrap_pointer(struct ocl_block *block);
void ocl_block_release_buffer(struct ocl_block *block);
ocl_status ocl_block_choose_address(struct ocl_block *block, bool is_reached);
size_t ocl_block_page_bytes(void);

/* block_shared.c: clSVMAlloc() and clSVMFree(), one at a time in the whole process. */
void *ocl_block_svm_allocate(struct ocl_context *context, cl_svm_mem_flags flags, size_t bytes);
void ocl_block_svm_free(struct ocl_context *context, void *pointer);

#endif
