/* The commonest textures for all lanes of a warp at once. Private to kernels/ptx/host/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_HOST_TEXELS_H
#define KERNELS_PTX_HOST_TEXELS_H

#include <stdbool.h>

#include "kernels/device/clem_texture_facts.h"
#include "kernels/ptx/host/fetch.h"

/* Fetches for 32 lanes, whichever of them have coordinates, what runtime_texture.c fetches for one, to the bit. False, and
 * nothing done: not one of the textures that there are loops for. The second is for processors that have AVX2. */
bool ptx_texels_any(const struct clem_texture *row, union ptx_fetch what, uint32_t *list);
bool ptx_texels_avx2(const struct clem_texture *row, union ptx_fetch what, uint32_t *list);

#endif
