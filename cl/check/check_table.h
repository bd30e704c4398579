/* What is known of device memory while kernels are checked: where it is, whose, and which of its bytes were written.
 * Private to cl/check/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_CHECK_TABLE_H
#define OCL_CHECK_TABLE_H

#include <stdatomic.h>

#include "cl/check/check_launch.h"

/* A stretch of memory that is, or was, somebody's. Its memory stays readable; what was freed is found until other memory takes
 * its place. */
struct ocl_checked_memory {
    struct clem_check_memory quick; /* first: what kernels look at */
    uint64_t base, bytes;
    const char *kind; /* "device memory" */
    _Atomic uint64_t
        made; /* launches that had begun when it was handed on, and one; 0: it is nobody else's */
    _Atomic uint64_t freed; /* launches that had begun when it was freed, and one; 0: it was not */
    struct ocl_stack allocated, freed_at;
    _Atomic(unsigned char *)
        written; /* one for each byte: 0 where nothing was written; NULL: all was */
    _Atomic uint64_t filled_to;
    uint64_t
        filled_from; /* check_filled.c: all before the one and from the other on was, unless quick.written says that all was */
    _Atomic bool has_pages;          /* ocl_check_follow_pages() */
    struct ocl_heap_site *heap_site; /* check_heap.c: where a kernel allocated it; NULL: none did */
    struct ocl_checked_memory *next;
    _Atomic bool is_found; /* the table has it */
};

/* The memory that holds an address, or did; NULL: none. Lock-free. */
struct ocl_checked_memory *ocl_check_find(uint64_t address);

/* The same, not between what was there and what takes its place. */
struct ocl_checked_memory *ocl_check_find_surely(uint64_t address);

/* Calls visit with each, under the table's lock. */
void ocl_check_visit(void (*visit)(struct ocl_checked_memory *memory, const void *argument),
                     const void *argument);

/* CLEM_CHECK_PAGES addresses of struct clem_check_memory, as kernels look them up: those found last. */
uint64_t ocl_check_pages(void);
/* Likewise, of memory that has nothing. */
uint64_t ocl_check_no_pages(void);

/* The address of a struct clem_check_memory that has nothing. */
uint64_t ocl_check_no_memory(void);

/* From now on memory counts as freed for launches of a number and later ones. */
void ocl_check_free_from(struct ocl_checked_memory *memory, uint64_t number);

/* The nearest one that ends at or before an address, and that begins behind it, or NULL. */
struct ocl_checked_memory *ocl_check_find_below(uint64_t address);
struct ocl_checked_memory *ocl_check_find_above(uint64_t address);

#endif
