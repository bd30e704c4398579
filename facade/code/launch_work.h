/* Nodes of graphs that launch kernels, and copies to and from variables for nodes.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_LAUNCH_WORK_H
#define FACADE_LAUNCH_WORK_H

#include "facade/graph/work.h"

/* Makes a work with one reference for the caller, which has a copy of the arguments. The kernel is the current context's.
 * Errors: those of cudaLaunchKernel(); cudaErrorInvalidValue without parameters; cudaErrorMemoryAllocation. */
cudaError_t facade_work_of_launch(const struct cudaKernelNodeParams *params,
                                  struct facade_work **work);

/* Gives it the attributes of a launch that a stream captures: those of the stream, and then the launch's own.
 * Needs: a work of that kind that nobody else has yet, whose grid fits. Errors: cudaErrorMemoryAllocation. */
struct facade_launch_attributes;
cudaError_t facade_work_take_attributes(struct facade_work *work,
                                        const struct facade_stream *stream,
                                        const struct facade_launch_attributes *attributes);

/* Gives it the attributes of that which a node had before: they outlive parameters. Shape: nothing is done for works of other
 * kinds. Needs: both are of one kind, and nobody else has the first yet. Errors: those of
 * facade_launch_check_cooperation(); cudaErrorMemoryAllocation. */
cudaError_t facade_work_cooperate_as(struct facade_work *work, const struct facade_work *before);

/* What it was made from; the arguments are the work's own. Needs: a work of that kind. */
struct cudaKernelNodeParams facade_work_launch(const struct facade_work *work);

/* An attribute of it (cudaLaunchAttributeID), and the same launch with another value, with one reference for the caller. Of hints,
 * values are kept and change nothing.
 * Errors: cudaErrorInvalidValue for what is no attribute of kernel nodes, and for a value that it cannot have;
 *         cudaErrorNotSupported for what clem does not do; those of facade_launch_check_cooperation(); cudaErrorMemoryAllocation. */
cudaError_t facade_work_attribute(const struct facade_work *work, int attribute,
                                  cudaLaunchAttributeValue *value);
cudaError_t facade_work_with_attribute(const struct facade_work *work, int attribute,
                                       const cudaLaunchAttributeValue *value,
                                       struct facade_work **made);

/* The same launch with all attributes of another one. Errors as above. */
cudaError_t facade_work_with_attributes_of(const struct facade_work *work,
                                           const struct facade_work *other,
                                           struct facade_work **made);

/* The kernel's name; NULL where it was unloaded since. */
const char *facade_work_kernel_name(const struct facade_work *work);

/* Its function, which may have been unloaded since. */
struct facade_function;
struct facade_function *facade_work_function(const struct facade_work *work);

/* Where a part of a variable lies in the current context's memory; host is the kind that has the other end on the host.
 * Errors: those of cudaMemcpyToSymbol(). */
cudaError_t facade_symbol_part(const void *symbol, size_t offset, size_t count,
                               enum cudaMemcpyKind kind, enum cudaMemcpyKind host, void **part);

#endif
