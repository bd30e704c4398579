/* Attributes of nodes that launch kernels, as both APIs share them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_KERNEL_ATTRIBUTES_H
#define FACADE_KERNEL_ATTRIBUTES_H

#include "facade/graph/graph.h"

/* attribute: cudaLaunchAttributeID, whose values and structures are the driver's. Errors: cudaErrorInvalidValue for what is no
 * kernel node, no attribute of one, no value or one that it cannot have; cudaErrorNotSupported; those of a launch with it. */
cudaError_t facade_node_get_attribute(cudaGraphNode_t node, int attribute,
                                      cudaLaunchAttributeValue *value);
cudaError_t facade_node_set_attribute(cudaGraphNode_t node, int attribute,
                                      const cudaLaunchAttributeValue *value);
cudaError_t facade_node_copy_attributes(cudaGraphNode_t target, cudaGraphNode_t source);

#endif
