/* The two functions by which the ICD loader finds a layer.
 * Source: OpenCL ICD loader, layers (CL/cl_layer.h).
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/stub/layer.h"

#include <string.h>

EXPORT cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t bytes, void *value,
                                         size_t *bytes_ret)
{
    static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;

    if (name != CL_LAYER_API_VERSION)
        return CL_INVALID_VALUE;
    if (value && bytes < sizeof version)
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, &version, sizeof version);
    if (bytes_ret)
        *bytes_ret = sizeof version;
    return CL_SUCCESS;
}

EXPORT cl_int CL_API_CALL clInitLayer(cl_uint entries, const struct _cl_icd_dispatch *dispatch,
                                      cl_uint *entries_ret,
                                      const struct _cl_icd_dispatch **dispatch_ret)
{
    static struct _cl_icd_dispatch layer;
    const size_t given = entries * sizeof(void *);

    if (!dispatch || !entries_ret || !dispatch_ret)
        return CL_INVALID_VALUE;
    memcpy(&layer, dispatch, given < sizeof layer ? given : sizeof layer);
    clem_stub_install(&layer, dispatch);
    *entries_ret = (cl_uint)(sizeof layer / sizeof(void *));
    *dispatch_ret = &layer;
    return CL_SUCCESS;
}
