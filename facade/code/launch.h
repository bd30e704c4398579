/* Launching as runtime and driver API share it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_LAUNCH_H
#define FACADE_LAUNCH_H

#include "facade/code/launch_limits.h"

/* What a `const void *func` of the runtime means: a cudaKernel_t, a CUfunction, or a registered
 * host function.
 * Errors: cudaErrorInvalidDeviceFunction; the sticky failure of its context. */
cudaError_t facade_function_find(const void *func, struct facade_function **function);

/* What a launch says beside its shape: a list of hints, which nodes of captures keep, and whether its blocks may wait for all others. */
struct facade_launch_attributes {
    const struct cudaLaunchAttribute_st *list;
    unsigned count;
    bool is_cooperative;
    const void *named; /* as the program called the function; NULL: by its handle */
    uint64_t
        freed; /* of a name: what facade_handles_freed() was before the function was looked for */
};

/* Launches function. Units: grid in blocks, block in threads, shared
 * in bytes.
 * Errors: cudaErrorInvalidConfiguration for empty or too large dimensions; cudaErrorInvalidValue
 *         for more threads than the kernel's own bounds, too much shared memory or missing args; cooperative ones: cudaErrorNotSupported where the
 *         device or the kernel cannot, cudaErrorCooperativeLaunchTooLarge for more blocks than fit; those of the stream. */
cudaError_t facade_launch(struct facade_function *function, dim3 grid, dim3 block,
                          void *const *args, size_t shared, cudaStream_t stream,
                          struct facade_launch_attributes attributes);

/* The same in a stream that was found. */
cudaError_t facade_launch_in(struct facade_function *function, dim3 grid, dim3 block,
                             void *const *args, size_t shared, struct facade_stream *stream,
                             bool is_cooperative);

/* What facade_launch() refuses before it looks at stream and arguments. Errors: cudaErrorInvalidConfiguration;
 * cudaErrorInvalidValue. */
cudaError_t facade_launch_check_shape(const struct facade_function *function, dim3 grid, dim3 block,
                                      size_t shared);

/* What it refuses then of a cooperative launch, all of whose blocks are at work at once. Needs: the shape was checked. Errors:
 * cudaErrorNotSupported; cudaErrorCooperativeLaunchTooLarge. */
cudaError_t facade_launch_check_cooperation(const struct facade_function *function, dim3 grid,
                                            dim3 block, size_t shared);

/* cudaErrorInvalidConfiguration as it is said of what func is: of handles, NVIDIA's runtime does not know that the
 * configuration is what is wrong. */
cudaError_t facade_launch_error_of(const void *func, cudaError_t error);

/* What the `extra` list of a launch says: arguments in one buffer. Errors: cudaErrorInvalidValue. */
struct facade_packed {
    const void *bytes;
    size_t size;
};
cudaError_t facade_packed_read(void *const *extra, struct facade_packed *packed);

/* Whether the function's arguments, bytes in all, can be in there. Errors: cudaErrorInvalidValue;
 * cudaErrorLaunchOutOfResources for more than they are. */
cudaError_t facade_packed_check(const struct facade_packed *packed, size_t count, size_t bytes);

/* How many parameters a function has for its caller, and the bytes up to the end of the last one. */
size_t facade_function_measure(const struct facade_function *function, size_t *bytes);

/* What a list of launch attributes says; refuses those that ask for more than an ordinary launch, or a cooperative one. Hints are
 * accepted and change nothing.
 * Errors: cudaErrorInvalidValue for unknown ones and a missing list, cudaErrorNotSupported. */
cudaError_t facade_launch_read_attributes(const struct cudaLaunchAttribute_st *list, unsigned count,
                                          struct facade_launch_attributes *attributes);

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
