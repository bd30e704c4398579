/* A map from disjoint ranges of 64-bit numbers to objects, with lock-free lookups.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_RANGE_MAP_H
#define OCL_RANGE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cl/status.h"

struct ocl_range_map;

/* Shape:  a radix tree over the address; a cell of any level may hold an object for all that it
 *         spans, so a large range costs a few stores and a small one a single path.
 * Cost:   lookup at most 100 ns and insert or erase at most 1 us at 1,000,000 live ranges. */
ocl_status ocl_range_map_create(struct ocl_range_map **map);

/* Needs: no other thread uses the map. Safe on NULL. */
void ocl_range_map_destroy(struct ocl_range_map *map);

/* Adds [base, base+bytes). Needs: bytes > 0; the last byte is at most 2^64-1; object is not NULL
 * and an even address.
 * Errors: OCL_E_ALREADY when any part is taken (nothing changes), OCL_E_OUT_OF_MEMORY (nothing
 *         changes).
 * Locks: takes the map's write lock. */
ocl_status ocl_range_map_insert(struct ocl_range_map *map, uint64_t base, size_t bytes,
                                void *object);

/* Removes the range that was inserted with exactly these values. Locks: as insert. */
void ocl_range_map_erase(struct ocl_range_map *map, uint64_t base, size_t bytes);

/* Whether no byte of [base, base+bytes) is in a range. Needs and Locks: as insert. */
bool ocl_range_map_is_free(struct ocl_range_map *map, uint64_t base, size_t bytes);

/* The object whose range holds address, or NULL. Safe beside inserts and erases. A range that is in
 * the map during the whole call is always found, and nothing else is then returned for it. For an
 * address whose range comes or goes during the call, the answer may be NULL, an object that is
 * being erased, or the object of an unrelated range: the caller notices by looking at the object,
 * whose memory must stay readable (slab.h). */
void *ocl_range_map_find(const struct ocl_range_map *map, uint64_t address);

/* The object whose range holds address, or the nearest one below it or above it, whichever is asked for; NULL: there is none
 * on that side. Beside inserts and erases as ocl_range_map_find(): what stays is found unless something nearer seems to be
 * there. */
void *ocl_range_map_find_below(const struct ocl_range_map *map, uint64_t address);
void *ocl_range_map_find_above(const struct ocl_range_map *map, uint64_t address);

#endif
