/* Launching as runtime and driver API share it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_LAUNCH_H
#define FACADE_LAUNCH_H

#include "facade/code/library.h"

/* What a `const void *func` of the runtime means: a cudaKernel_t, a CUfunction, or a registered
 * host function.
 * Errors: cudaErrorInvalidDeviceFunction; the sticky failure of its context. */
cudaError_t facade_function_find(const void *func, struct facade_function **function);

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

/* Launches function. Units: grid in blocks, block in threads, shared in bytes.
 * Errors: cudaErrorInvalidConfiguration for empty or too large dimensions; cudaErrorInvalidValue
 *         for more threads than the kernel's own bounds, too much shared memory or missing args; those of the stream. */
cudaError_t facade_launch(struct facade_function *function, dim3 grid, dim3 block,
                          void *const *args, size_t shared, cudaStream_t stream);

/* Refuses launch attributes that ask for more than an ordinary launch; hints are accepted and
 * change nothing.
 * Errors: cudaErrorInvalidValue for unknown ones and a missing list, cudaErrorNotSupported. */
cudaError_t facade_launch_check_attributes(const struct cudaLaunchAttribute_st *attributes,
                                           unsigned count);

/* One attribute, cudaFuncAttribute or CUfunction_attribute. Errors: cudaErrorInvalidValue for one
 * that is unknown, for one that cannot be set, and for a value that it cannot have. */
cudaError_t facade_function_attribute(const struct facade_function *function, int attribute,
                                      int *value);
cudaError_t facade_function_set_attribute(struct facade_function *function, int attribute,
                                          int value);

/* cudaFuncCache or CUfunc_cache: kept, and of no effect. Errors: cudaErrorInvalidValue. */
cudaError_t facade_function_set_cache(struct facade_function *function, int config);

/* Offset and size of parameter `index` in CUDA's packed order; __local and hidden parameters do not
 * count.
 * Errors: cudaErrorInvalidValue when there is no such parameter. */
cudaError_t facade_function_parameter(const struct facade_function *function, size_t index,
                                      size_t *offset, size_t *bytes);

#endif
