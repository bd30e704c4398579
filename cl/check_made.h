/* What programs make and have to give back, for --check=leak, and what is said of memory that is used wrongly.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_CHECK_MADE_H
#define OCL_CHECK_MADE_H

#include <stdbool.h>
#include <stdint.h>

#include "cl/check.h"

/* Whether any check wants to know. */
bool ocl_made_is_wanted(void);

/* A thing of the user's, by its handle or address, with the caller's stack. what: a word that stays, such as "stream"; owner: of
 * whom it is a part, and goes with; or NULL. Nothing where nobody wants to know.
 * Threads: any. Locks: a leaf. */
void ocl_made_add(const char *what, uint64_t name, uint64_t bytes, const void *owner);

static inline void ocl_made_note(const char *what, const void *handle, const void *owner)
{
    ocl_made_add(what, (uint64_t)(uintptr_t)handle, 0, owner);
}

/* It is clem's own after all. */
void ocl_made_forget(const void *handle);

/* The user has given it back. Of memory it is kept for a while where. */
void ocl_made_remove(uint64_t name);

/* The owner goes, at the user's wish, and what is left of it: each is a leak. */
void ocl_made_leave(const void *owner);

/* Calls are refused from now on, those that give things of the owner back too: what is left of it is no leak. */
void ocl_made_lose(const void *owner);

/* At the end of the process: what is left is a leak. */
void ocl_made_tell_left(void);

/* What is known of a thing that is there, or was given back. */
struct ocl_made_view {
    const char *what;
    uint64_t bytes;
    const struct ocl_stack *made, *freed; /* NULL: not known; it is there */
};
bool ocl_made_find(uint64_t name, struct ocl_made_view *view);

/* The stack of the allocation that begins there; NULL: not known. It stays. */
const struct ocl_stack *ocl_made_stack(uint64_t name);

/* A call of the host's is wrong: what it did, to which thing (0: none). With the caller's stack. Under --check=memory or guard. */
void ocl_made_misuse(const char *what, uint64_t name);

#endif
