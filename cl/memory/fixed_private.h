/* What memory and the registry know of blocks whose addresses are given out beforehand. Private to cl/memory/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_FIXED_PRIVATE_H
#define OCL_FIXED_PRIVATE_H

#include "cl/fixed_memory.h"
#include "cl/memory/allocation.h"

/* A block is an allocation that users never know, which stands in the registry for all of its bytes; parts in use are
 * allocations that do not stand there, and are found through it. So whoever holds a part and looks for it again
 * (ocl_address_acquire_held()) finds the block, though other parts may be there meanwhile. */

/* memory.c: the allocation of a block, with one reference, in the registry. Errors: OCL_E_OUT_OF_MEMORY; the driver's. */
ocl_status ocl_allocation_make_whole(struct ocl_context *context, size_t bytes,
                                     struct ocl_fixed *block, struct ocl_allocation **whole);

/* memory.c: that of a part, with one reference, which is not live yet. NULL without memory. */
struct ocl_allocation *ocl_allocation_make_part(const struct ocl_allocation *whole,
                                                struct ocl_fixed *block, size_t offset,
                                                size_t bytes);

/* The live part at address, with a reference that the caller gives back; or NULL. Needs: a reference to a part of the block, or to
 * its whole. */
struct ocl_allocation *ocl_fixed_acquire(struct ocl_fixed *block, uint64_t address);

/* Makes a part unknown whose is_live the caller has cleared, and gives back its own reference: after all work of its context,
 * for which this waits, or behind that of queue. Errors: the context's failure; none with a queue. */
ocl_status ocl_fixed_give(struct ocl_allocation *part, const struct ocl_queue *queue);

/* The same for a part that is being taken apart, whether or not it still is known. Its holder is let go behind that. */
void ocl_fixed_unlist(struct ocl_allocation *part);

/* Gives back blocks that nobody needs any more. Nearly free where there are none. Returns whether there was any. */
bool ocl_fixed_settle(void);

/* The context is closing: its blocks have no memory from now on. Needs: their parts are gone. */
void ocl_fixed_leave(const struct ocl_context *context);

#endif
