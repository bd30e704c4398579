/* Managed variables of programs whose compiler lets the host's variable be the memory: they lie in
 * sections of the executable and of its libraries, which kernels are given as they are.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_MANAGED_SECTION_H
#define FACADE_MANAGED_SECTION_H

#include "facade/state/internal.h"

struct ocl_context;
struct ocl_managed_variables;

/* Adds a variable to those of its code, if the host's one lies in a registered section.
 * Shape:  variables starts as {0}; name stays the caller's.
 * Owns:   facade_managed_forget() frees the list and, with the section's last list, lets the contexts
 *         go of the section. */
void facade_managed_add(struct ocl_managed_variables *variables, const char *name,
                        const void *host);
void facade_managed_forget(struct ocl_managed_variables *variables);

/* Gives the host's variables the first values that the PTX has for them: those in the host's own
 * object are zero. The module's managed variables are the host's from then on.
 * Needs:  as ptx_module_manage(). Returns false where the PTX does not have them as the program does. */
struct ptx_module;
bool facade_managed_begin(const struct ocl_managed_variables *variables, struct ptx_module *module);

/* Makes all sections managed memory of a context: kernels of any code may be given their addresses.
 * What cannot be is told where code with such variables is loaded. */
void facade_managed_adopt(struct ocl_context *context);

#endif
