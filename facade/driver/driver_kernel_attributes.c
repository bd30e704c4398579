/* The driver API's attributes of nodes that launch kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"

#include "facade/replay/kernel_attributes.h"

_Static_assert(sizeof(CUkernelNodeAttrValue) == sizeof(cudaLaunchAttributeValue), "one layout");
_Static_assert((int)CU_LAUNCH_ATTRIBUTE_PRIORITY == (int)cudaLaunchAttributePriority, "");

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr,
                                       CUkernelNodeAttrValue *value_out)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_node_get_attribute(
                     hNode, (int)attr, (cudaLaunchAttributeValue *)(void *)value_out))
               : result;
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr,
                                       const CUkernelNodeAttrValue *value)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_node_set_attribute(
                     hNode, (int)attr, (const cudaLaunchAttributeValue *)(const void *)value))
               : result;
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode dst, CUgraphNode src)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_node_copy_attributes(dst, src))
                                  : result;
}
