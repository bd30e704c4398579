/* Attributes of nodes that launch kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/replay/kernel_attributes.h"

#include "facade/code/launch_work.h"

static cudaError_t find(cudaGraphNode_t handle, struct facade_node **node)
{
    cudaError_t error = facade_node_find(handle, node);
    return error == cudaSuccess && (*node)->type == cudaGraphNodeTypeKernel ? cudaSuccess
                                                                            : cudaErrorInvalidValue;
}

cudaError_t facade_node_get_attribute(cudaGraphNode_t handle, int attribute,
                                      cudaLaunchAttributeValue *value)
{
    struct facade_node *node = NULL;
    cudaError_t error = find(handle, &node);
    if (error == cudaSuccess && value == NULL)
        error = cudaErrorInvalidValue;
    return error == cudaSuccess ? facade_work_attribute(node->work, attribute, value) : error;
}

cudaError_t facade_node_set_attribute(cudaGraphNode_t handle, int attribute,
                                      const cudaLaunchAttributeValue *value)
{
    struct facade_node *node = NULL;
    struct facade_work *work = NULL;
    cudaError_t error = find(handle, &node);
    if (error == cudaSuccess && value == NULL)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = facade_work_with_attribute(node->work, attribute, value, &work);
    if (error == cudaSuccess)
        facade_node_set_work(node, work);
    return error;
}

cudaError_t facade_node_copy_attributes(cudaGraphNode_t target, cudaGraphNode_t source)
{
    struct facade_node *to = NULL, *from = NULL;
    struct facade_work *work = NULL;
    cudaError_t error = find(target, &to);
    if (error == cudaSuccess)
        error = find(source, &from);
    if (error == cudaSuccess)
        error = facade_work_with_attributes_of(to->work, from->work, &work);
    if (error == cudaSuccess)
        facade_node_set_work(to, work);
    return error;
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t hNode, cudaLaunchAttributeID attr,
                                            cudaLaunchAttributeValue *value_out)
{
    return facade_result(facade_node_get_attribute(hNode, (int)attr, value_out));
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t hNode, cudaLaunchAttributeID attr,
                                            const cudaLaunchAttributeValue *value)
{
    return facade_result(facade_node_set_attribute(hNode, (int)attr, value));
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t hDst, cudaGraphNode_t hSrc)
{
    return facade_result(facade_node_copy_attributes(hDst, hSrc));
}
