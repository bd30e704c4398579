/* The open contexts of the process.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_CONTEXTS_H
#define OCL_CONTEXTS_H

#include <stdbool.h>

struct ocl_context;
struct ocl_device;

/* From now on the context is among them; it is not any more, and nobody looks at it. */
void ocl_contexts_note(struct ocl_context *context);
void ocl_contexts_forget(struct ocl_context *context);

/* Calls visit for each open context, which is not closed meanwhile. No lock is held. */
void ocl_contexts_visit(void (*visit)(struct ocl_context *context));

/* The same of those on one device, with data handed on. */
void ocl_contexts_visit_of(const struct ocl_device *device,
                           void (*visit)(struct ocl_context *context, void *data), void *data);

/* The device of an open context for which is_such is true, or NULL. No lock is held. */
const struct ocl_device *ocl_contexts_find(bool (*is_such)(struct ocl_context *context));

#endif
