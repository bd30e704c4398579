/* What each thread has of its own: device, context stack, launch configurations, meaning of stream 0.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "facade/internal.h"

/* A kernel's arguments may contain another launch, so configurations nest; nobody nests deeper than a few. */
enum { LAUNCH_DEPTH = 16 };

struct thread_state {
    int device;
    bool is_per_thread;
    struct facade_context **stack;
    size_t stack_count, stack_capacity;
    struct facade_launch_configuration launches[LAUNCH_DEPTH];
    size_t launch_count;
};

static _Thread_local struct thread_state self;

bool facade_per_thread_enter(void)
{
    bool outer = self.is_per_thread;
    self.is_per_thread = true;
    return outer;
}

void facade_per_thread_leave(bool outer)
{
    self.is_per_thread = outer;
}

bool facade_is_per_thread(void)
{
    return self.is_per_thread;
}

int facade_thread_device(void)
{
    return self.device;
}

void facade_thread_set_device(int device)
{
    self.device = device;
}

struct facade_context *facade_stack_top(void)
{
    return self.stack_count > 0 ? self.stack[self.stack_count - 1] : NULL;
}

static bool grow_stack(void)
{
    size_t capacity = self.stack_capacity > 0 ? 2 * self.stack_capacity : 8;
    struct facade_context **stack = realloc(self.stack, capacity * sizeof *stack);
    if (stack == NULL)
        return false;
    self.stack = stack;
    self.stack_capacity = capacity;
    facade_thread_at_exit();
    return true;
}

bool facade_stack_push(struct facade_context *context)
{
    if (self.stack_count == self.stack_capacity && !grow_stack())
        return false;
    self.stack[self.stack_count++] = context;
    return true;
}

struct facade_context *facade_stack_pop(void)
{
    return self.stack_count > 0 ? self.stack[--self.stack_count] : NULL;
}

bool facade_stack_replace(struct facade_context *context)
{
    if (context == NULL) {
        facade_stack_pop();
        return true;
    }
    if (self.stack_count == 0)
        return facade_stack_push(context);
    self.stack[self.stack_count - 1] = context;
    return true;
}

void facade_stack_release(void)
{
    free(self.stack);
    self.stack = NULL;
    self.stack_count = 0;
    self.stack_capacity = 0;
}

bool facade_launch_push(const struct facade_launch_configuration *configuration)
{
    if (self.launch_count == LAUNCH_DEPTH)
        return false;
    self.launches[self.launch_count++] = *configuration;
    return true;
}

bool facade_launch_pop(struct facade_launch_configuration *configuration)
{
    if (self.launch_count == 0)
        return false;
    *configuration = self.launches[--self.launch_count];
    return true;
}
