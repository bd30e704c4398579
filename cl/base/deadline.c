/* Waiting for so long and no longer, by the clock that nobody sets.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/base/deadline.h"

#include <errno.h>
#include <time.h>

#include "cl/base/steady.h"

enum { SECOND = 1000000000, MILLISECOND = 1000000 };

uint64_t ocl_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

uint64_t ocl_deadline_after(unsigned milliseconds)
{
    return ocl_now() + (uint64_t)milliseconds * MILLISECOND;
}

void ocl_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

bool ocl_condition_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t deadline)
{
    const struct timespec end = {.tv_sec = (time_t)(deadline / SECOND),
                                 .tv_nsec = (long)(deadline % SECOND)};

    const int before = ocl_steady_begin();
    const bool is_early = pthread_cond_timedwait(condition, lock, &end) != ETIMEDOUT;
    ocl_steady_end(before);
    return is_early;
}
