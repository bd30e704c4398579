/* Calls of the driver API that are given a handle need no current context: the handle's is used.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/calls/calls.h"

#include "facade/code/library.h"
#include "facade/memory/memory_array.h"
#include "facade/state/internal.h"

static struct facade_context *owner_of(const void *handle)
{
    const struct facade_stream *stream = facade_handle_find(FACADE_STREAM, handle);
    const struct facade_event *event = facade_handle_find(FACADE_EVENT, handle);
    const struct facade_module *module = facade_handle_find(FACADE_MODULE, handle);
    const struct facade_function *function = facade_handle_find(FACADE_FUNCTION, handle);
    const struct facade_array *array = facade_handle_find(FACADE_ARRAY, handle);
    const struct facade_mipmapped_array *levels =
        facade_handle_find(FACADE_MIPMAPPED_ARRAY, handle);
    return stream     ? stream->context
           : event    ? event->context
           : module   ? module->context
           : function ? function->module->context
           : array    ? array->context
           : levels   ? levels->context
                      : NULL;
}

bool facade_loan_begin(const void *handle)
{
    struct facade_context *owner =
        handle != NULL && facade_stack_top() == NULL ? owner_of(handle) : NULL;
    return owner != NULL && facade_stack_push(owner);
}

void facade_loan_end(void)
{
    (void)facade_stack_pop();
}
