/* The order in which the blocks of a checked launch run, so that what is found is the same each time.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/base/steady.h"
#include "cl/check/check_launch.h"

bool ocl_check_orders(const struct ocl_check_launch *launch)
{
    return !launch->takes_turns && ocl_check_wants(OCL_CHECK_RACE | OCL_CHECK_SYNC);
}

/* Drivers begin blocks in order, though on several threads: the first that has not ended has begun. */
void ocl_check_begin_block(struct ocl_check_launch *launch, uint64_t block)
{
    pthread_mutex_lock(&launch->turn_lock);
    launch->waiting++;
    while (launch->next < block)
        ocl_steady_wait(&launch->turn, &launch->turn_lock);
    launch->waiting--;
    pthread_mutex_unlock(&launch->turn_lock);
}

void ocl_check_end_block(struct ocl_check_launch *launch)
{
    pthread_mutex_lock(&launch->turn_lock);
    launch->next++;
    if (launch->waiting != 0)
        pthread_cond_broadcast(&launch->turn);
    pthread_mutex_unlock(&launch->turn_lock);
}
