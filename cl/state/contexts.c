/* The open contexts of the process.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/state/contexts.h"

#include <pthread.h>
#include <stddef.h>

#include "cl/base/steady.h"
#include "cl/state/state.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_left = PTHREAD_COND_INITIALIZER; /* a context is no longer looked at */
static struct ocl_context *contexts;                      /* linked by next_open */

void ocl_contexts_note(struct ocl_context *context)
{
    pthread_mutex_lock(&lock);
    context->next_open = contexts;
    contexts = context;
    pthread_mutex_unlock(&lock);
}

void ocl_contexts_forget(struct ocl_context *context)
{
    pthread_mutex_lock(&lock);
    while (context->lookers > 0)
        ocl_steady_wait(&is_left, &lock);
    struct ocl_context **link = &contexts;
    while (*link && *link != context)
        link = &(*link)->next_open;
    if (*link)
        *link = context->next_open;
    pthread_mutex_unlock(&lock);
}

/* Goes on to the context behind the last one, or to the first: a context that another thread closes meanwhile stays
 * until it was looked at. NULL: there is none. */
static struct ocl_context *look_at_next(struct ocl_context *last)
{
    pthread_mutex_lock(&lock);
    if (last) {
        last->lookers--;
        pthread_cond_broadcast(&is_left);
    }
    struct ocl_context *next = last ? last->next_open : contexts;
    if (next)
        next->lookers++;
    pthread_mutex_unlock(&lock);
    return next;
}

static void look_away(struct ocl_context *context)
{
    pthread_mutex_lock(&lock);
    context->lookers--;
    pthread_cond_broadcast(&is_left);
    pthread_mutex_unlock(&lock);
}

void ocl_contexts_visit(void (*visit)(struct ocl_context *context))
{
    for (struct ocl_context *context = look_at_next(NULL); context; context = look_at_next(context))
        visit(context);
}

void ocl_contexts_visit_of(const struct ocl_device *device,
                           void (*visit)(struct ocl_context *context, void *data), void *data)
{
    for (struct ocl_context *context = look_at_next(NULL); context; context = look_at_next(context))
        if (context->device == device)
            visit(context, data);
}

const struct ocl_device *ocl_contexts_find(bool (*is_such)(struct ocl_context *context))
{
    for (struct ocl_context *context = look_at_next(NULL); context;
         context = look_at_next(context)) {
        if (!is_such(context))
            continue;
        const struct ocl_device *device = context->device;
        look_away(context);
        return device;
    }
    return NULL;
}
