/* Texture and surface objects as launches see them. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_TEXTURE_PRIVATE_H
#define OCL_TEXTURE_PRIVATE_H

#include "cl/state/state.h"
#include "cl/texture.h"
#include "kernels/device/clem_texture_facts.h"

struct ocl_image; /* image.h */

/* What kernels are told, but for the offset in a buffer. */
union ocl_texture_facts {
    struct clem_texture texture;
    struct clem_surface surface;
};

/* Memory comes from a slab: a thread that looks an id up may read an object that was just freed. */
struct ocl_texture {
    void *slab_word;
    _Atomic uint32_t references; /* 0: free or dying */
    _Atomic uint32_t id;         /* slot and generation; changes at every use of the memory */
    uint32_t slot;               /* in the table of ids; the memory keeps it for good */
    uint32_t generation;         /* how often the memory was used */
    _Atomic bool is_live;        /* the owner's reference is there; whoever clears it releases it */
    bool is_surface;
    struct ocl_context *context;
    struct ocl_texture_view view; /* of an array: width and height too, and all ranges inside it */
    struct ocl_sampling sampling;
    uint32_t format; /* CLEM_FORMAT_... */
    size_t slices;   /* of the first level: slices or layers */
    union ocl_texture_facts facts;
    struct clem_image image_facts;     /* what of them kernels are told that read it as an image */
    _Atomic int by_image;              /* enum ocl_by_image: whether kernels may read it so */
    _Atomic(struct ocl_image *) image; /* made at the first launch that needs it; image.c */
};

enum ocl_by_image { OCL_BY_IMAGE_UNKNOWN, OCL_BY_IMAGE_NO, OCL_BY_IMAGE_YES };

/* The object with this id, with a reference the caller gives back, or NULL. Lock-free. */
struct ocl_texture *ocl_texture_acquire(uint64_t id);

/* A further reference. Needs: the caller has one. */
void ocl_texture_retain(struct ocl_texture *texture);

/* Gives a reference of ocl_texture_acquire() or ocl_texture_retain() back. The last one ends the
 * object. */
void ocl_texture_drop(struct ocl_texture *texture);

/* Fills in format, slices and facts from view and sampling; texture_facts.c. */
void ocl_texture_describe(struct ocl_texture *texture);

/* Calls visit for every object that is there, of all contexts; it has a reference meanwhile. Objects
 * first made during the walk may be left out. No lock is held during visit. */
void ocl_texture_visit(void (*visit)(struct ocl_texture *texture, void *argument), void *argument);

/* Ends every object of a context that is closing.
 * Needs: all work of the context is complete; no other thread uses the context. */
void ocl_texture_release_all(struct ocl_context *context);

#endif
