/* Texture and surface references: textures that kernels know by name, of older programs.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_TEXTURE_REFERENCE_H
#define FACADE_TEXTURE_REFERENCE_H

#include "facade/code/library.h"
#include "facade/texture/texture.h"

/* CUtexref and CUsurfref. A reference of a module feeds the kernel parameters that the device header
 * declares with the reference's name, from the moment that something is bound to it. Its fields are
 * set in any order; facade_reference_apply() makes them take effect. One thread at a time may change
 * a reference. */
struct facade_reference {
    struct facade_context *context;
    struct facade_module *module; /* NULL for cuTexRefCreate's, which feed nothing */
    char *name;
    bool is_surface;
    bool is_bound;         /* resource says to what */
    CUarray_format format; /* of what lies in memory; arrays have their own */
    unsigned channels;
    struct facade_texture_description description;
    struct ocl_texture *texture;              /* what kernels get now, or NULL */
    struct textureReference host_texture;     /* what cudaGetTextureReference shows of it */
    struct surfaceReference host_surface;     /* and cudaGetSurfaceReference */
    size_t host_offset;                       /* what cudaBindTexture told last */
    struct facade_reference *next, *previous; /* of the context's */
};

/* The module's reference of that name, the same one every time.
 * Errors: cudaErrorSymbolNotFound; cudaErrorMemoryAllocation. */
cudaError_t facade_reference_of_module(struct facade_module *module, const char *name,
                                       bool is_surface, struct facade_reference **reference);

/* A texture reference that belongs to no module, in the current context, until it is freed; freeing
 * a module's leaves it as it is. */
cudaError_t facade_reference_new(struct facade_reference **reference);
void facade_reference_free(struct facade_reference *reference);

/* Gives kernels launched from now on what the reference describes; nothing when that cannot be.
 * Errors: those of facade_texture_build() and facade_surface_build(). */
cudaError_t facade_reference_apply(struct facade_reference *reference);

/* Binds memory or an array, or unbinds. Errors: as applying; the reference is unbound then. */
cudaError_t facade_reference_bind(struct facade_reference *reference,
                                  const struct facade_texture_description *description);
cudaError_t facade_reference_unbind(struct facade_reference *reference);

/* Ends the references of a module that is going, or with NULL all of the context. */
void facade_references_forget(struct facade_context *context, const struct facade_module *module);

#endif
