/* What contexts have to do with mappings. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_MAPPING_H
#define OCL_MAPPING_H

struct ocl_context;

/* A context that is open, or about to close: mappings of its device that no other context has are its own, and those that
 * are its own another's of its device, if one is open. Needs: before leave, that its work is complete. Locks: virtual memory. */
void ocl_virtual_join(struct ocl_context *context);
void ocl_virtual_leave(struct ocl_context *context);

#endif
