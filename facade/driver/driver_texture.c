/* The driver API's texture and surface objects.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"

#include "facade/texture/texture.h"

CUresult cuTexObjectCreate(CUtexObject *pTexObject, const CUDA_RESOURCE_DESC *pResDesc,
                           const CUDA_TEXTURE_DESC *pTexDesc,
                           const CUDA_RESOURCE_VIEW_DESC *pResViewDesc)
{
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    if (pTexObject == NULL || pResDesc == NULL || pTexDesc == NULL || pResDesc->flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct facade_texture_description description = {
        .resource = *pResDesc,
        .sampling = *pTexDesc,
        .has_view = pResViewDesc != NULL,
    };
    if (pResViewDesc != NULL)
        description.view = *pResViewDesc;
    return facade_driver_error(facade_texture_create(pTexObject, &description));
}

CUresult cuTexObjectDestroy(CUtexObject texObject)
{
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    return facade_driver_error(facade_texture_destroy(texObject, false));
}

/* Missing arguments are told before missing objects. */
static CUresult find_object(const void *output, unsigned long long object, bool is_surface,
                            struct facade_texture **found)
{
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    if (output == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    return facade_driver_error(facade_texture_find(object, is_surface, found));
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUtexObject texObject)
{
    struct facade_texture *texture = NULL;
    CUresult result = find_object(pResDesc, texObject, false, &texture);
    if (result == CUDA_SUCCESS)
        *pResDesc = texture->description.resource;
    return result;
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *pTexDesc, CUtexObject texObject)
{
    struct facade_texture *texture = NULL;
    CUresult result = find_object(pTexDesc, texObject, false, &texture);
    if (result == CUDA_SUCCESS)
        *pTexDesc = texture->description.sampling;
    return result;
}

/* A texture without a view has nothing to tell, which is no error. */
CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *pResViewDesc,
                                        CUtexObject texObject)
{
    struct facade_texture *texture = NULL;
    CUresult result = find_object(pResViewDesc, texObject, false, &texture);
    if (result == CUDA_SUCCESS && texture->description.has_view)
        *pResViewDesc = texture->description.view;
    return result;
}

CUresult cuSurfObjectCreate(CUsurfObject *pSurfObject, const CUDA_RESOURCE_DESC *pResDesc)
{
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    if (pSurfObject == NULL || pResDesc == NULL || pResDesc->flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    return facade_driver_error(facade_surface_create(pSurfObject, pResDesc));
}

CUresult cuSurfObjectDestroy(CUsurfObject surfObject)
{
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    return facade_driver_error(facade_texture_destroy(surfObject, true));
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUsurfObject surfObject)
{
    struct facade_texture *surface = NULL;
    CUresult result = find_object(pResDesc, surfObject, true, &surface);
    if (result == CUDA_SUCCESS)
        *pResDesc = surface->description.resource;
    return result;
}
