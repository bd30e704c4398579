/* What image.c, image_fill.c, image_test.c and image_facts.c share. Private to cl/image/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_IMAGE_PRIVATE_H
#define OCL_IMAGE_PRIVATE_H

#include "cl/image/image.h"

/* Whether the device reads (or writes) images of this type and format. Asks at the first call of a
 * context. Errors: OCL_E_OUT_OF_MEMORY; the driver's; OCL_E_NOT_SUPPORTED: it does not. */
ocl_status ocl_image_has_format(struct ocl_context *context, cl_mem_object_type type,
                                const cl_image_format *format, bool is_written);

/* Alignment of the first texel of an image over a buffer, in texels; 0: there are none with rows. */
uint32_t ocl_image_base_alignment(const struct ocl_context *context);

/* A sampler of the context, made at the first request. Errors: the driver's. */
ocl_status ocl_image_facts_sampler(struct ocl_context *context, bool is_normalized,
                                   enum ocl_address_mode mode, bool is_linear, cl_sampler *sampler);

/* What drivers are known to do wrongly. */
enum ocl_image_claim {
    OCL_IMAGE_HALVES,       /* texels of halves are read as such */
    OCL_IMAGE_LAYERED_ROWS, /* layers are found by their number where coordinates are normalised */
    OCL_IMAGE_LAYERED_PLANES,
    OCL_IMAGE_CLAIMS
};

/* Whether the context's images are so. Tries it at the first call for each claim; waits for the
 * device then. What could not be tried is not so, and is tried again by the next call. */
bool ocl_image_is_right(struct ocl_context *context, enum ocl_image_claim claim);

/* Tries it by value; image_test.c. Errors: those of building a kernel; the driver's. */
ocl_status ocl_image_test(struct ocl_context *context, enum ocl_image_claim claim, bool *is_right);

/* The name of the kernel of kernels/image_fill.cl that fills such images, or NULL where the driver's
 * copy is to do it. */
const char *ocl_image_filler_name(const struct ocl_image_key *key);

/* Enqueues a copy of the array's texels into the image, or (is_store) back. *event, where wanted, is
 * complete when the copy is.
 * Errors: the driver's; the sticky failure. */
ocl_status ocl_image_copy(struct ocl_image *image, struct ocl_queue *queue, bool is_store,
                          cl_event *event);

#endif
