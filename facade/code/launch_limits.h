/* What a launch of a kernel may ask for.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_LAUNCH_LIMITS_H
#define FACADE_LAUNCH_LIMITS_H

#include "facade/code/library.h"

/* What is known of a function's kernel. Errors: the driver's, where it fails when it is asked: what it did not tell is no
 * fact. */
cudaError_t facade_launch_facts(const struct facade_function *function,
                                const struct ocl_kernel_facts **facts);

/* Limits of a launch in CUDA's terms, for the current device. */
struct facade_launch_limits {
    unsigned grid[3];
    unsigned block[3];
    unsigned device_threads; /* per block, of the device */
    unsigned threads;        /* per block, of the device and the kernel */
    size_t shared;           /* dynamic bytes that may be asked for */
    size_t own_shared;       /* bytes of the kernel's own */
    size_t opt_in_shared;    /* the most that cudaFuncSetAttribute may make of that */
};
/* Errors: the driver's, where it fails when it is asked about the kernel. */
cudaError_t facade_launch_limits(const struct facade_function *function,
                                 struct facade_launch_limits *limits);

#endif
