/* What the files of virtual memory management share. Private to cl/virtual/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_VIRTUAL_PRIVATE_H
#define OCL_VIRTUAL_PRIVATE_H

#include <sys/types.h>

#include "cl/virtual.h"

struct ocl_mapping; /* mapping.c */

struct ocl_reservation {
    uint64_t address;
    size_t bytes;
    struct ocl_mapping **mappings; /* by address, lowest first */
    size_t count, capacity;
    bool is_lost; /* work that nobody can wait for may use its pages: they stay */
};

/* Guards reservations and mappings (state.h). */
void ocl_virtual_lock(void);
void ocl_virtual_unlock(void);

/* With the lock, which is open while the first waits for the second. */
void ocl_virtual_wait(void);
void ocl_virtual_wake(void);

/* The reservation that holds all of the range, or NULL. Virtual lock held. */
struct ocl_reservation *ocl_reservation_find(uint64_t address, size_t bytes);

/* Whether the process may have the ranges of pages of one more mapping, which it then counts as taken. Opens files at times: no
 * lock may be held. */
bool ocl_virtual_has_room(void);

/* Makes addresses of a reservation inaccessible again, whatever was mapped there. */
void ocl_reservation_clear(uint64_t address, size_t bytes);

/* Puts the memory at an address of a reservation, without access. Errors: OCL_E_OUT_OF_MEMORY. */
ocl_status ocl_physical_place(const struct ocl_physical *physical, uint64_t address);

/* Whether nobody can have written the memory: it is not shared, and nobody asked before. Virtual lock held. */
bool ocl_physical_is_fresh(struct ocl_physical *physical);

/* A memory file of so many bytes, closed by execve(). -1: errno says why. */
int ocl_physical_file(uint64_t bytes);

/* From now on an access to addresses that are ours, where nothing is mapped, or that is not allowed, is told on stderr in
 * one line before it ends the process, or comes to the program's handler. is_ours: can be called in handlers of signals,
 * and always the same. */
void ocl_virtual_watch(bool (*is_ours)(uint64_t address));

#endif
