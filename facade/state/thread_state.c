/* What each thread has of its own: device, context stack, launch configurations, meaning of stream 0.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "facade/state/handles.h"
#include "facade/state/thread_state.h"

static struct facade_thread shared;

static void end(void *state)
{
    struct facade_thread *thread = state;

    if (thread->release_streams != NULL)
        thread->release_streams(thread);
    free(thread->stack);
    free(thread->arguments);
    free(thread);
}

struct facade_thread *facade_thread_begin(struct ocl_thread *thread)
{
    static _Atomic uint64_t next_number = 1;
    struct facade_thread *made = ocl_thread_is_shared(thread) ? NULL : calloc(1, sizeof *made);

    if (made == NULL)
        return &shared;
    made->number = atomic_fetch_add_explicit(&next_number, 1, memory_order_relaxed);
    thread->end_upper = end;
    thread->upper = made;
    return made;
}

bool facade_thread_may_keep(const struct facade_thread *thread)
{
    return thread != &shared;
}

bool facade_per_thread_enter(void)
{
    struct facade_thread *self = facade_thread();
    bool outer = self->is_per_thread;
    self->is_per_thread = true;
    return outer;
}

void facade_per_thread_leave(bool outer)
{
    struct facade_thread *self = facade_thread();
    self->is_per_thread = outer;
}

bool facade_is_per_thread(void)
{
    struct facade_thread *self = facade_thread();
    return self->is_per_thread;
}

int facade_thread_device(void)
{
    struct facade_thread *self = facade_thread();
    return self->device;
}

void facade_thread_set_device(int device)
{
    struct facade_thread *self = facade_thread();
    self->device = device;
}

struct facade_context *facade_stack_top(void)
{
    struct facade_thread *self = facade_thread();
    return self->stack_count > 0 ? self->stack[self->stack_count - 1].context : NULL;
}

static bool is_live_green(const struct facade_stack_entry *entry)
{
    return facade_handle_find_again(FACADE_GREEN, entry->green, entry->green_number) != NULL;
}

struct facade_context *facade_stack_live(void)
{
    const struct facade_thread *self = facade_thread();
    if (self->stack_count == 0)
        return NULL;
    const struct facade_stack_entry *top = &self->stack[self->stack_count - 1];
    struct facade_context *found = facade_handle_find(FACADE_CONTEXT, top->context);
    const bool is_whole = top->green == NULL || is_live_green(top);
    return found != NULL && found->id == top->id && is_whole ? found : NULL;
}

void *facade_stack_handle(void)
{
    const struct facade_thread *self = facade_thread();
    return self->stack_count > 0 ? self->stack[self->stack_count - 1].handle : NULL;
}

struct facade_green *facade_stack_green(void)
{
    const struct facade_thread *self = facade_thread();
    if (self->stack_count == 0 || self->stack[self->stack_count - 1].green == NULL)
        return NULL;
    const struct facade_stack_entry *top = &self->stack[self->stack_count - 1];
    return is_live_green(top) ? top->green : NULL;
}

static struct facade_green *green_of(const void *handle)
{
    const struct facade_green_context *found = facade_handle_find(FACADE_GREEN_CONTEXT, handle);
    return found != NULL ? found->green : NULL;
}

struct facade_context *facade_context_find(const void *handle)
{
    struct facade_context *found = facade_handle_find(FACADE_CONTEXT, handle);
    const struct facade_green *green = found == NULL ? green_of(handle) : NULL;
    return green != NULL ? green->context : found;
}

static struct facade_stack_entry entry_of(struct facade_context *context)
{
    const struct facade_context *found = facade_handle_find(FACADE_CONTEXT, context);
    struct facade_green *green = found == NULL ? green_of(context) : NULL;
    if (green != NULL)
        return (struct facade_stack_entry){green->context, green->context->id, context, green,
                                           facade_handle_number(green)};
    return (struct facade_stack_entry){
        .context = context, .id = found != NULL ? found->id : 0, .handle = context};
}

static bool grow_stack(struct facade_thread *self)
{
    if (!facade_thread_may_keep(self))
        return false;
    size_t capacity = self->stack_capacity > 0 ? 2 * self->stack_capacity : 8;
    struct facade_stack_entry *stack = realloc(self->stack, capacity * sizeof *stack);
    if (stack == NULL)
        return false;
    self->stack = stack;
    self->stack_capacity = capacity;
    return true;
}

bool facade_stack_push(struct facade_context *context)
{
    struct facade_thread *self = facade_thread();
    const bool is_full = self->stack == NULL || self->stack_count == self->stack_capacity;
    if (is_full && !grow_stack(self))
        return false;
    self->stack[self->stack_count++] = entry_of(context);
    return true;
}

struct facade_context *facade_stack_pop(void)
{
    struct facade_thread *self = facade_thread();
    return self->stack_count > 0 ? self->stack[--self->stack_count].context : NULL;
}

bool facade_stack_replace(struct facade_context *context)
{
    struct facade_thread *self = facade_thread();
    if (context == NULL) {
        facade_stack_pop();
        return true;
    }
    if (self->stack_count == 0)
        return facade_stack_push(context);
    self->stack[self->stack_count - 1] = entry_of(context);
    return true;
}

bool facade_launch_push(const struct facade_launch_configuration *configuration)
{
    struct facade_thread *self = facade_thread();
    if (self->launch_count == FACADE_LAUNCH_DEPTH)
        return false;
    self->launches[self->launch_count++] = *configuration;
    return true;
}

bool facade_launch_pop(struct facade_launch_configuration *configuration)
{
    struct facade_thread *self = facade_thread();
    if (self->launch_count == 0)
        return false;
    *configuration = self->launches[--self->launch_count];
    return true;
}
