/* Holders of an object that some threads take all the time while others let it go: each side counts on its own line of the cache,
 * so that neither waits for the other's. Its owner holds it first, and lets it go when nobody takes it any more but those whom somebody
 * else holds it for.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_BASE_HOLDERS_H
#define OCL_BASE_HOLDERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* given: holders that have let go, above OCL_HELD while the owner has not; then less those that took, so zero is the last. */
struct ocl_holders {
    _Alignas(64) _Atomic int64_t taken;
    _Alignas(64) _Atomic int64_t given;
    unsigned char apart[56];
};

#define OCL_HELD (INT64_MAX / 2)

static inline void ocl_holders_begin(struct ocl_holders *holders)
{
    atomic_init(&holders->taken, 0);
    atomic_init(&holders->given, OCL_HELD);
}

/* Needs: the owner has not let go. */
static inline void ocl_holders_take(struct ocl_holders *holders)
{
    atomic_fetch_add_explicit(&holders->taken, 1, memory_order_relaxed);
}

/* Whether that was the last, whose the object is then: nobody else may look at it afterwards. */
static inline bool ocl_holders_give(struct ocl_holders *holders)
{
    return atomic_fetch_add_explicit(&holders->given, 1, memory_order_acq_rel) == -1;
}

/* The same for the owner, once. Needs: nobody takes it any more. */
static inline bool ocl_holders_end(struct ocl_holders *holders)
{
    const int64_t rest = OCL_HELD + atomic_load_explicit(&holders->taken, memory_order_relaxed);
    return atomic_fetch_sub_explicit(&holders->given, rest, memory_order_acq_rel) == rest;
}

#endif
