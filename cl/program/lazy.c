/* One thread finds out, the others wait.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/program/lazy.h"

#include "cl/base/steady.h"
#include "cl/program/kernel.h"

/* Whether it is the caller's to find out: otherwise it is done. */
static bool begin(struct ocl_program *program, _Atomic int *state)
{
    pthread_mutex_lock(&program->lock);
    while (atomic_load_explicit(state, memory_order_relaxed) == OCL_LAZY_RUNNING)
        ocl_steady_wait(&program->changed, &program->lock);
    const bool is_mine = atomic_load_explicit(state, memory_order_relaxed) == OCL_LAZY_NEW;
    if (is_mine)
        atomic_store_explicit(state, OCL_LAZY_RUNNING, memory_order_relaxed);
    pthread_mutex_unlock(&program->lock);
    return is_mine;
}

static void end(struct ocl_program *program, _Atomic int *state, bool is_done)
{
    pthread_mutex_lock(&program->lock);
    atomic_store_explicit(state, is_done ? OCL_LAZY_DONE : OCL_LAZY_NEW, memory_order_release);
    pthread_cond_broadcast(&program->changed);
    pthread_mutex_unlock(&program->lock);
}

ocl_status ocl_lazy_find_now(struct ocl_program *program, _Atomic int *state,
                             ocl_status (*find)(void *), void *unknown)
{
    const int before = ocl_steady_begin();
    ocl_status status = OCL_OK;
    if (begin(program, state)) {
        status = find(unknown);
        end(program, state, status == OCL_OK);
    }
    ocl_steady_end(before);
    return status;
}
