/* What libraries and modules know of each other; library.h has what others use of both. Private to facade/code/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_MODULE_H
#define FACADE_MODULE_H

#include "facade/code/library.h"

struct facade_code;

/* Builds code for a context; `managed`, or NULL, are its variables that are the host's own. The module is on the context's list and in no library.
 * Errors: those of facade_library_module(); cudaErrorMemoryAllocation. */
cudaError_t facade_module_build(struct facade_context *context, const struct facade_code *code,
                                const struct ocl_managed_variables *managed,
                                const struct facade_jit *jit, struct facade_module **built);

/* Ends a module that no work uses and no library has. */
void facade_module_discard(struct facade_module *module);

/* Ends the module later, at the first end of a wait that finds its context without work, or with that. The library has
 * let go of it. */
void facade_module_retire(struct facade_module *module);

/* The module is the library's no more; for one of no library, nothing. */
void facade_library_detach(struct facade_module *module);

#endif
