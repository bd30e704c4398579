/* A time in which nobody writes to device memory, for who has to put other pages there. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_STILLNESS_H
#define OCL_STILLNESS_H

#include <stdatomic.h>

#include "cl/state/state.h"

/* Who writes, and whether writes have to wait: of all contexts at once, since they may reach each other's memory. */
struct ocl_stillness {
    _Atomic unsigned writers, closed;
};
extern struct ocl_stillness ocl_stillness;

/* The rare cases of the two below. Locks: a leaf, while this waits. */
void ocl_write_wait(void);
void ocl_write_tell(void);

/* Whether those who write count themselves: the memory may be shared, or cooperative launches have the device for themselves. */
static inline bool ocl_writes_count(const struct ocl_context *context)
{
    return context->capability.shares_memory || context->gathers;
}

/* Around all that writes to the device memory of such a context: commands from begin to end, and what the
 * host writes itself. Waits while there is a stillness. A thread begins no write within another.
 * Who closes raises closed before it reads writers, and who writes does the opposite: one of the two sees the other. */
static inline void ocl_write_begin(const struct ocl_context *context)
{
    if (!ocl_writes_count(context))
        return;
    atomic_fetch_add(&ocl_stillness.writers, 1);
    if (atomic_load(&ocl_stillness.closed) > 0)
        ocl_write_wait();
}

static inline void ocl_write_end(const struct ocl_context *context)
{
    if (ocl_writes_count(context) && atomic_fetch_sub(&ocl_stillness.writers, 1) == 1 &&
        atomic_load(&ocl_stillness.closed) > 0)
        ocl_write_tell();
}

/* Keeps writes out until the end, from when those have ended that had begun: commands are enqueued then, and may still run. The
 * caller waits for no work meanwhile, which may wait for a write. One at a time. Needs: no write of this thread. */
void ocl_stillness_begin(void);
void ocl_stillness_end(void);

#endif
