/* What contexts have to do with mappings. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_MAPPING_H
#define OCL_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

struct ocl_context;
struct ocl_crash_line;

/* A context that is open, or about to close: mappings of its device that no other context has are its own, and those that
 * are its own another's of its device, if one is open. Needs: before leave, that its work is complete. Locks: virtual memory. */
void ocl_virtual_join(struct ocl_context *context);
void ocl_virtual_leave(struct ocl_context *context);

/* virtual_fault.c: adds the address to a line about an access to it, and that it is reserved; false: it is not, and nothing is
 * added. For handlers of signals. */
bool ocl_virtual_describe(uint64_t address, struct ocl_crash_line *line);

#endif
