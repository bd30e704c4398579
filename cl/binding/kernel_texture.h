/* What textures and surfaces a launch is given, and in which variant it goes. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_KERNEL_TEXTURE_H
#define OCL_KERNEL_TEXTURE_H

#include "cl/launch/kernel_binding.h"
#include "cl/launch/kernel_plan.h"

/* Finds the objects that a launch names, chooses the variant, brings the images up to date in queue, and plans the launch
 * anew where the variant is another translation.
 * Errors: OCL_E_INVALID_VALUE and OCL_E_NOT_SUPPORTED as ocl_kernel_launch() says, both logged; those of
 *         ocl_plan_make(); OCL_E_OUT_OF_MEMORY; the driver's; the sticky failure. The caller closes it in any case. */
ocl_status ocl_binding_open(struct ocl_binding *binding, struct ocl_kernel *kernel,
                            struct ocl_queue *queue, const struct ocl_launch *launch,
                            struct ocl_plan *plan);

/* After the launch was enqueued: what surfaces wrote goes to their arrays. */
ocl_status ocl_binding_written(const struct ocl_binding *binding, struct ocl_queue *queue);

void ocl_binding_close(struct ocl_binding *binding);

/* The texture that a reference of the program, or of its origin, is bound to, with a reference for the caller to give
 * back, or NULL. */
struct ocl_texture *ocl_program_reference(struct ocl_program *variant, const char *name);

#endif
