/* The driver API's questions about an address.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"

#include "facade/memory/pointer_attributes.h"

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr)
{
    CUresult result = facade_driver_ready();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_pointer_attribute(data, attribute, ptr))
               : result;
}

CUresult cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute *attributes,
                                void **data, CUdeviceptr ptr)
{
    CUresult result = facade_driver_ready();
    if (result != CUDA_SUCCESS)
        return result;
    return facade_driver_error(facade_pointer_attribute_list(numAttributes, attributes, data, ptr));
}

CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr ptr)
{
    CUresult result = facade_driver_ready();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_pointer_set_attribute(value, attribute, ptr))
               : result;
}
