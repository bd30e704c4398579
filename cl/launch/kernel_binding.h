/* What textures and surfaces feed a launch. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_KERNEL_BINDING_H
#define OCL_KERNEL_BINDING_H

#include "cl/image/image.h"
#include "cl/program/kernel.h"

/* What feeds one bundle of parameters. */
struct ocl_bound {
    struct ocl_texture *texture; /* counted */
    struct ocl_image *image;     /* NULL where it is read from memory */
    cl_sampler sampler;          /* NULL where the bundle has none */
    bool is_borrowed;            /* the image is this launch's own */
};

enum { OCL_BOUND_FEW = 8 };

struct ocl_binding {
    struct ocl_kernel *kernel; /* the one to launch: the user's, or its variant */
    struct ocl_bound *bound;   /* one per bundle: few, or an allocation */
    struct ocl_bound few[OCL_BOUND_FEW];
};

#endif
