/* Memory that was freed while kernels are checked: it is nobody's for a while, so that what still uses it is told apart from
 * its next owner. Private to cl/memory/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_DETAINED_H
#define OCL_DETAINED_H

#include "cl/memory/allocation.h"

/* Takes over a reference. Returns one that is to be given back instead, since enough was freed behind it, or NULL. */
struct ocl_allocation *ocl_detain(struct ocl_allocation *allocation);

/* One of a context (NULL: any), or NULL, which is to be given back; the oldest first. */
struct ocl_allocation *ocl_let_go(const struct ocl_context *context);

#endif
