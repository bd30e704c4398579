/* What is found out about a program at the first request. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_LAZY_H
#define OCL_LAZY_H

#include <stdatomic.h>

#include "cl/status.h"

struct ocl_program;

enum ocl_lazy_state { OCL_LAZY_NEW, OCL_LAZY_RUNNING, OCL_LAZY_DONE };

/* As ocl_lazy_find(), which asks first. */
ocl_status ocl_lazy_find_now(struct ocl_program *program, _Atomic int *state,
                             ocl_status (*find)(void *), void *unknown);

/* Sees to it that find(unknown) has returned OCL_OK once: one thread calls it, others wait, nobody holds the lock
 * meanwhile. That thread cannot be cancelled on the way. What fails is tried again at the next request; what would
 * fail every time, find() notes somewhere and returns OCL_OK.
 * Shape:  state is an enum ocl_lazy_state.
 * Locks:  program.lock. Errors: those of find(). */
static inline ocl_status ocl_lazy_find(struct ocl_program *program, _Atomic int *state,
                                       ocl_status (*find)(void *), void *unknown)
{
    return atomic_load_explicit(state, memory_order_acquire) == OCL_LAZY_DONE
               ? OCL_OK
               : ocl_lazy_find_now(program, state, find, unknown);
}

#endif
