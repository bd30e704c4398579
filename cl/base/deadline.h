/* Waiting for so long and no longer, by the clock that nobody sets. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_DEADLINE_H
#define OCL_DEADLINE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Nanoseconds of CLOCK_MONOTONIC. */
uint64_t ocl_now(void);

/* The time so many milliseconds from now, in nanoseconds as above. */
uint64_t ocl_deadline_after(unsigned milliseconds);

/* Makes a condition whose timed waits go by CLOCK_MONOTONIC: pthread_cond_init()'s own go by the clock
 * of day, which may jump. */
void ocl_condition_init(pthread_cond_t *condition);

/* pthread_cond_wait() until deadline; false when it has passed.
 * Needs: condition is from ocl_condition_init(); lock is held. */
bool ocl_condition_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t deadline);

#endif
