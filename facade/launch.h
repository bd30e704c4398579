/* Launching as runtime and driver API share it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_LAUNCH_H
#define FACADE_LAUNCH_H

#include "facade/library.h"

/* What a `const void *func` of the runtime means: a cudaKernel_t, a CUfunction, or a registered host function.
 * Errors: cudaErrorInvalidDeviceFunction. */
cudaError_t facade_function_find(const void *func, struct facade_function **function);

/* Limits of a launch in CUDA's terms, for the current device. */
struct facade_launch_limits {
    unsigned grid[3];
    unsigned block[3];
    unsigned threads;   /* per block, of the device and the kernel */
    size_t shared;      /* dynamic bytes that may be asked for */
};
void facade_launch_limits(const struct facade_function *function, struct facade_launch_limits *limits);

/* Launches function. Units: grid in blocks, block in threads, shared in bytes.
 * Errors: cudaErrorInvalidConfiguration for empty or too large dimensions; cudaErrorInvalidValue for too much shared
 *         memory or missing args; those of the stream. */
cudaError_t facade_launch(struct facade_function *function, dim3 grid, dim3 block, void *const *args, size_t shared,
                          cudaStream_t stream);

/* cudaFuncAttributes of a function, and setting one. */
cudaError_t facade_function_attributes(const struct facade_function *function, struct cudaFuncAttributes *attributes);
cudaError_t facade_function_set_attribute(struct facade_function *function, enum cudaFuncAttribute attribute, int value);

/* Offset and size of parameter `index` in CUDA's packed order; __local parameters do not count.
 * Errors: cudaErrorInvalidValue when there is no such parameter. */
cudaError_t facade_function_parameter(const struct facade_function *function, size_t index, size_t *offset,
                                      size_t *bytes);

#endif
