/* Host addresses kept free so that a number means one thing. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_ADDRESS_RANGE_H
#define OCL_ADDRESS_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cl/status.h"

/* Reserves addresses that nothing stands behind: bytes rounded up to pages, and one page more as a
 * gap to whatever follows. A touch faults. Costs no memory. Errors: OCL_E_OUT_OF_MEMORY.
 * Owns: the caller gives (range, range_bytes) to ocl_address_range_release(). */
ocl_status ocl_address_range_reserve(size_t bytes, void **range, size_t *range_bytes);

enum ocl_range_finding {
    OCL_RANGE_CLAIMED, /* nothing was there, but for pages of neighbours; it is reserved now */
    OCL_RANGE_BEYOND,  /* the host has no such addresses: nothing to reserve */
    OCL_RANGE_BLOCKED, /* a mapping without access or of a device file: the driver's reservation, or
                          that of somebody who will have memory there later */
    OCL_RANGE_TAKEN    /* the process has memory there, or another device has claimed it */
};

/* Device memory's numbers, kept apart from the host's and from those of other devices. Zero:
 * nothing claimed. */
struct ocl_range_claim {
    uint64_t address; /* of the device memory */
    size_t bytes;
    bool is_reserved;   /* CLAIMED */
    uint64_t low, high; /* BLOCKED: the whole reservation that was found */
};

/* Claims [address, address+bytes) and reserves its pages on the host where they are free. Claims of
 * device memory that share a page reserve it together.
 * is_drivers: the caller knows already that the pages are in a reservation of the driver's, so that
 * the host is not asked.
 * Errors: OCL_RANGE_TAKEN, also when there is no memory to note the claim; then nothing is claimed.
 * Owns: the caller gives the claim to ocl_address_range_disclaim(), except after OCL_RANGE_TAKEN.
 */
enum ocl_range_finding ocl_address_range_claim(uint64_t address, size_t bytes, bool is_drivers,
                                               struct ocl_range_claim *claim);

/* Whether somebody else than this file keeps the host out of [address, address+bytes): what such a
 * claim would find BLOCKED, whether or not there is one. */
bool ocl_address_range_is_blocked(uint64_t address, size_t bytes);

/* Safe on a zero claim, which it also leaves behind. */
void ocl_address_range_disclaim(struct ocl_range_claim *claim);

/* Gives reserved addresses back. Safe on NULL. */
void ocl_address_range_release(void *range, size_t range_bytes);

#endif
