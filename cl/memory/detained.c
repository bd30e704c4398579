/* Memory that was freed and is not used again yet.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/memory/detained.h"

#include <pthread.h>

enum { MOST = 256 };
static const size_t most_bytes = (size_t)64 << 20;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf: the next two */
static struct ocl_allocation *detained[MOST];            /* the oldest first */
static size_t count, bytes;

/* Lock held. */
static struct ocl_allocation *take(size_t place)
{
    struct ocl_allocation *taken = detained[place];
    for (size_t i = place; i + 1 < count; i++)
        detained[i] = detained[i + 1];
    count--;
    bytes -= taken->bytes;
    return taken;
}

struct ocl_allocation *ocl_detain(struct ocl_allocation *allocation)
{
    pthread_mutex_lock(&lock);
    const bool is_full = count == MOST || (count > 0 && bytes > most_bytes);
    struct ocl_allocation *oldest = is_full ? take(0) : NULL;
    detained[count++] = allocation;
    bytes += allocation->bytes;
    pthread_mutex_unlock(&lock);
    return oldest;
}

struct ocl_allocation *ocl_let_go(const struct ocl_context *context)
{
    struct ocl_allocation *found = NULL;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count && !found; i++)
        if (!context || detained[i]->context == context)
            found = take(i);
    pthread_mutex_unlock(&lock);
    return found;
}
