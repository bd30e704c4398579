/* Memory that was freed while kernels are checked: it is nobody's for a while, so that what still uses it is told apart from
 * its next owner. Private to cl/memory/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_DETAINED_H
#define OCL_DETAINED_H

#include "cl/memory/allocation.h"

/* Takes over a reference, which is given back when enough was freed since. */
void ocl_detain(struct ocl_allocation *allocation);

/* Gives back those of a context, NULL: all. Returns whether there were any. */
bool ocl_let_go(const struct ocl_context *context);

#endif
