/* Memory that was freed and is not used again yet.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/memory/detained.h"

#include <pthread.h>

#include "cl/memory/address.h"

enum { MOST = 256 };
static const size_t most_bytes = (size_t)64 << 20;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf: the next four */
static struct ocl_allocation *detained[MOST];            /* a ring */
static size_t first, count, bytes;

/* Lock held. NULL: there is none, or few enough. */
static struct ocl_allocation *take_oldest(bool is_full)
{
    if (count == 0 || (!is_full && count < MOST && bytes <= most_bytes))
        return NULL;
    struct ocl_allocation *oldest = detained[first];
    first = (first + 1) % MOST;
    count--;
    bytes -= oldest->bytes;
    return oldest;
}

static void release_some(bool is_full)
{
    struct ocl_allocation *oldest;
    do {
        pthread_mutex_lock(&lock);
        oldest = take_oldest(is_full);
        pthread_mutex_unlock(&lock);
        if (oldest)
            ocl_allocation_release(oldest);
    } while (oldest);
}

void ocl_detain(struct ocl_allocation *allocation)
{
    release_some(false);
    pthread_mutex_lock(&lock);
    const bool has_room = count < MOST;
    if (has_room) {
        detained[(first + count++) % MOST] = allocation;
        bytes += allocation->bytes;
    }
    pthread_mutex_unlock(&lock);
    if (!has_room)
        ocl_allocation_release(allocation);
}

/* Lock held. One of the context, out of its turn. */
static struct ocl_allocation *take_of(const struct ocl_context *context)
{
    for (size_t i = 0; i < count; i++) {
        struct ocl_allocation *found = detained[(first + i) % MOST];
        if (context && found->context != context)
            continue;
        for (size_t j = i; j + 1 < count; j++)
            detained[(first + j) % MOST] = detained[(first + j + 1) % MOST];
        count--;
        bytes -= found->bytes;
        return found;
    }
    return NULL;
}

bool ocl_let_go(const struct ocl_context *context)
{
    bool is_any = false;
    for (;;) {
        pthread_mutex_lock(&lock);
        struct ocl_allocation *found = take_of(context);
        pthread_mutex_unlock(&lock);
        if (!found)
            return is_any;
        is_any = true;
        ocl_allocation_release(found);
    }
}
