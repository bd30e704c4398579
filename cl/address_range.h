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
    OCL_RANGE_CLAIMED, /* nothing was there; it is reserved now */
    OCL_RANGE_BEYOND,  /* the host has no such addresses: nothing to reserve */
    OCL_RANGE_BLOCKED, /* a mapping without access or of a device file: the driver's reservation */
    OCL_RANGE_TAKEN    /* the process has memory there, or another device has claimed it */
};

/* Device memory's numbers, kept apart from the host's and from those of other devices. Zero:
 * nothing claimed. */
struct ocl_range_claim {
    uint64_t address; /* of the device memory */
    size_t bytes;
    void *pages; /* the reservation, NULL unless CLAIMED */
    size_t page_bytes;
    uint64_t low, high; /* BLOCKED: the whole reservation that was found */
};

/* Claims [address, address+bytes) and reserves its pages on the host where they are free.
 * is_drivers: the caller knows already that the pages are in a reservation of the driver's, so that
 * the host is not asked.
 * Errors: OCL_RANGE_TAKEN, also when there is no memory to note the claim; then nothing is claimed.
 * Owns: the caller gives the claim to ocl_address_range_disclaim(), except after OCL_RANGE_TAKEN.
 */
enum ocl_range_finding ocl_address_range_claim(uint64_t address, size_t bytes, bool is_drivers,
                                               struct ocl_range_claim *claim);

/* Safe on a zero claim, which it also leaves behind. */
void ocl_address_range_disclaim(struct ocl_range_claim *claim);

/* Gives reserved addresses back. Safe on NULL. */
void ocl_address_range_release(void *range, size_t range_bytes);

#endif
