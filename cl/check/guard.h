/* Memory between pages that nobody may touch, for --check=guard. Private to cl/.
 *
 * An allocation ends where such a page begins, or less than its alignment before: those bytes, and what is left of its first
 * page, hold a pattern. Its addresses are never used again: what touches it later faults as well.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_GUARD_H
#define OCL_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ocl_guarded {
    uintptr_t first; /* byte of the pages that may be touched */
    size_t room;     /* bytes of those */
    uintptr_t start; /* the user's first byte */
    size_t bytes;    /* the user's */
    uint32_t made;   /* stack.h: where it was allocated */
    uint32_t freed;  /* where it was freed, once it was */
    bool is_live;
    size_t place; /* in the list of live ones */
};

/* Whether allocations are to be guarded. */
bool ocl_guard_is_on(void);

/* Memory for bytes > 0. NULL, with a line on stderr the first time: there are no more mappings (vm.max_map_count), or no more
 * addresses; then allocations are not guarded.
 * Owns: the record stays for the life of the process. Locks: a leaf. */
struct ocl_guarded *ocl_guard_take(size_t bytes);

/* Looks at the pattern and takes the pages away. Safe on NULL. */
void ocl_guard_give(struct ocl_guarded *guarded);

/* The user has freed it: what is said of it later says where. It may be touched until ocl_guard_give(). Safe on NULL. */
void ocl_guard_note_freed(struct ocl_guarded *guarded);

/* Looks at the patterns of all that is live, and reports what is not as it was. */
void ocl_guard_check_all(void);

/* The same where a kernel was on its way since that was done last with none left. are_idle: none is now. */
void ocl_guard_check_new(bool are_idle);

/* A kernel is on its way, of which reports about patterns speak. */
void ocl_guard_note_launch(const char *kernel);

/* The stack of the latest launch of a kernel, 0: not known. For handlers of signals. */
uint32_t ocl_guard_last_launch(const char *kernel);

/* What is known of an address that is in no memory of the user's, or was freed. For handlers of signals. */
struct ocl_guard_view {
    uint64_t start, bytes;
    uint64_t distance; /* from its end or to its begin */
    bool is_before;    /* it ends before the address */
    bool is_inside;    /* it holds the address */
    bool is_freed;
    uint32_t made, freed;
};
bool ocl_guard_find(uint64_t address, struct ocl_guard_view *view);

#endif
