/* What image.c, image_fill.c and image_facts.c share. Private to them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_IMAGE_PRIVATE_H
#define OCL_IMAGE_PRIVATE_H

#include "cl/image.h"

/* Whether the device reads (or writes) images of this type and format. Asks at the first call of a
 * context. Errors: OCL_E_OUT_OF_MEMORY; the driver's; OCL_E_NOT_SUPPORTED: it does not. */
ocl_status ocl_image_has_format(struct ocl_context *context, cl_mem_object_type type,
                                const cl_image_format *format, bool is_written);

/* Alignment of the first texel of an image over a buffer, in texels; 0: there are none with rows. */
uint32_t ocl_image_base_alignment(const struct ocl_context *context);

/* A sampler of the context, made at the first request. Errors: the driver's. */
ocl_status ocl_image_facts_sampler(struct ocl_context *context, bool is_normalized,
                                   enum ocl_address_mode mode, bool is_linear, cl_sampler *sampler);

/* The name of the kernel of kernels/image_fill.cl that fills such images, or NULL where the driver's
 * copy is to do it. */
const char *ocl_image_filler_name(const struct ocl_image_key *key);

/* Enqueues a copy of the array's texels into the image, or (is_store) back. *event, where wanted, is
 * complete when the copy is.
 * Errors: the driver's; the sticky failure. */
ocl_status ocl_image_copy(struct ocl_image *image, struct ocl_queue *queue, bool is_store,
                          cl_event *event);

#endif
