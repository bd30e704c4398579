/* The registry: which allocation holds this address? Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_ADDRESS_H
#define OCL_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cl/status.h"

struct ocl_allocation;
struct ocl_context;

/* One registry per process: device addresses and pinned host addresses are disjoint numbers. An
 * allocation whose host and device addresses differ stands in it twice.
 *
 * Memory that clem allocated is a multiple of OCL_MEMORY_ALIGNMENT, and the registry holds all of
 * it, so that a range takes few stores; which bytes were asked for is the allocation's to say. The
 * user's own memory stands in it to the byte. */

/* Needs: kind, address, host and bytes of the allocation are set and references is not 0; they stay
 * as they are until the last reference is given back. Errors: OCL_E_ALREADY, OCL_E_OUT_OF_MEMORY
 * (and nothing is inserted). */
ocl_status ocl_address_insert(struct ocl_allocation *allocation);

/* From now on acquire does not find it. Does nothing where it is not there. */
void ocl_address_erase(struct ocl_allocation *allocation);

/* Whether no byte of [base, base+bytes) is known. Needs: bytes > 0, no wrap. */
bool ocl_address_is_free(uint64_t base, size_t bytes);

/* The live allocation that holds address, with a reference the caller gives back, or NULL. Lock-free.
 * One past the end is not in the allocation. */
struct ocl_allocation *ocl_address_acquire(uint64_t address);

/* The memory nearest to an address that is in none. */
struct ocl_nearby {
    uint64_t address;  /* of its first byte, on the side where the address lies */
    uint64_t bytes;    /* that were asked for */
    uint64_t distance; /* from its last byte or to its first; 0 where it holds the address */
    bool is_before;    /* it ends before the address */
};

/* A guess, for handlers of signals: what is freed or made meanwhile may be found or not. false: there is no memory. */
bool ocl_address_look_near(uint64_t address, struct ocl_nearby *nearby);

/* The same for memory that somebody has a reference to, who goes on using it though it may be freed. */
struct ocl_allocation *ocl_address_acquire_held(uint64_t address);

/* How many bytes of it this thread's calls may use (ocl_memory_find_freed()). Needs: a reference. */
size_t ocl_allocation_reach(const struct ocl_allocation *allocation);

/* Adds a reference unless there is none any more (then false). Needs: memory of the allocations'
 * slab. */
bool ocl_allocation_retain(struct ocl_allocation *allocation);

/* Gives a reference back. The last one ends the allocation, by its destroy(). */
void ocl_allocation_release(struct ocl_allocation *allocation);

/* Offset of address in the allocation, seen from whichever side it lies on; at least bytes when on
 * neither. */
uint64_t ocl_allocation_offset(const struct ocl_allocation *allocation, uint64_t address);

/* The device address of a byte of the allocation whose host or device address is pointer. */
uint64_t ocl_allocation_address(const struct ocl_allocation *allocation, uint64_t pointer);

/* What kernels of the context must get for a pointer of the user's: the same, but for pinned memory that has a device address
 * of its own. */
uint64_t ocl_address_for_kernel(const struct ocl_context *context, uint64_t pointer);

#endif
