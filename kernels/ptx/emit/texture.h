/* What all forms ask of instructions on textures and surfaces (emit_texture.c). Private to kernels/ptx/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_TEXTURE_H
#define KERNELS_PTX_TEXTURE_H

#include "kernels/ptx/emit/emit.h"

/* How CUDA's functions name a geometry and what {..} holds: the layer first, then the axes. */
struct ptx_texture_shape {
    const char *function; /* tex2DLayered */
    const char *kind;     /* 2D_LAYERED */
    const char *surface;  /* surf2DLayered; NULL: there are none */
    unsigned axes, coordinates;
    bool has_layer;
};

/* The shape of `[t, {..}]`: NULL and refused where the operand is not as the geometry asks. */
const struct ptx_texture_shape *ptx_texture_shape(struct ptx_emitter *e,
                                                  const struct ptx_instruction *in,
                                                  const struct ptx_operand *brackets);

/* Whether behind the place is what it should be, level or two gradients; false: refused. */
bool ptx_check_fetch(struct ptx_emitter *e, const struct ptx_instruction *in);

/* The bundle that feeds an object, made at the first request; NULL where its handle is a row of the table of all objects.
 * kind: "TEXTURE" or "SURFACE"; geometry: "2D_LAYERED", or "" for surfaces. false: refused. */
bool ptx_find_bundle(struct ptx_emitter *e, const struct ptx_operand *handle, const char *kind,
                     const char *geometry, struct ptx_texture_argument **bundle);

/* Channels that anybody wants of a fetch: 1 or 4. */
unsigned ptx_wanted_channels(const struct ptx_emitter *e, const struct ptx_instruction *in);

/* The object of a query, as an operand; the field of struct clem_texture or struct clem_surface, NULL and refused where it is none. */
struct ptx_operand ptx_query_handle(const struct ptx_instruction *in);
const char *ptx_query_field(struct ptx_emitter *e, const struct ptx_instruction *in);

/* Bytes of an element and elements of an access to a surface; false: refused. */
bool ptx_check_surface(struct ptx_emitter *e, const struct ptx_instruction *in, unsigned channels);

/* Whether a reduction on a surface is one that there is; false: refused. */
bool ptx_check_surface_reduction(struct ptx_emitter *e, const struct ptx_instruction *in);

/* Whether an instruction only moves the address of a reference to where textures find it, which has no value. */
bool ptx_moves_reference(const struct ptx_emitter *e, const struct ptx_instruction *in);

#endif
