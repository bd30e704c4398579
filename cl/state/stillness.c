/* A time in which nobody writes to device memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/state/stillness.h"

#include "cl/base/steady.h"

struct ocl_stillness ocl_stillness;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

/* The caller has counted itself, and must not be counted while it waits. */
void ocl_write_wait(void)
{
    pthread_mutex_lock(&lock);
    atomic_fetch_sub(&ocl_stillness.writers, 1);
    pthread_cond_broadcast(&changed);
    while (atomic_load(&ocl_stillness.closed) > 0)
        ocl_steady_wait(&changed, &lock);
    atomic_fetch_add(&ocl_stillness.writers, 1);
    pthread_mutex_unlock(&lock);
}

void ocl_write_tell(void)
{
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

void ocl_stillness_begin(void)
{
    pthread_mutex_lock(&lock);
    while (atomic_load(&ocl_stillness.closed) > 0)
        ocl_steady_wait(&changed, &lock);
    atomic_store(&ocl_stillness.closed, 1);
    while (atomic_load(&ocl_stillness.writers) > 0)
        ocl_steady_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

void ocl_stillness_end(void)
{
    pthread_mutex_lock(&lock);
    atomic_store(&ocl_stillness.closed, 0);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}
