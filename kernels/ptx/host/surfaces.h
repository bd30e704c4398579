/* Surfaces, for all lanes of a warp at once. Private to kernels/ptx/host/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_HOST_SURFACES_H
#define KERNELS_PTX_HOST_SURFACES_H

#include "kernels/ptx/host/fetch.h"
#include "kernels/ptx/host/host_sampling.h"

struct surface {
    uchar *memory;
    struct clem_surface facts;
    union ptx_fetch what;
};

/* An element of so many bytes in all, or NULL where the surface has none. */
static inline uchar *element(const struct surface *surface, const uint32_t *list, int bytes)
{
    const int *const own = (const int *)list;
    const bool has_layer = surface->what.surface.has_layer;
    const unsigned axes = surface->what.surface.axes;
    const int y = axes > 1 ? own[PTX_FETCH_LANES * PTX_FETCH_Y] : 0;
    const int z = has_layer  ? own[PTX_FETCH_LANES * PTX_FETCH_LAYER]
                  : axes > 2 ? own[PTX_FETCH_LANES * PTX_FETCH_Z]
                             : 0;
    const long offset = clem_surface_offset(&surface->facts, own[PTX_FETCH_LANES * PTX_FETCH_X], y,
                                            z, has_layer, bytes, surface->what.surface.mode);
    return offset < 0 ? NULL : surface->memory + offset;
}

/* For lanes that have this surface. The lowest lane's element stays, where several have one place. The second of each is for
 * processors that have AVX2. */
void ptx_load_surface_any(const struct surface *surface, uint32_t lanes, uint32_t *list);
void ptx_load_surface_avx2(const struct surface *surface, uint32_t lanes, uint32_t *list);
void ptx_store_surface_any(const struct surface *surface, uint32_t lanes, const uint32_t *list);
void ptx_store_surface_avx2(const struct surface *surface, uint32_t lanes, const uint32_t *list);

#endif
