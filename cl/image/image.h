/* Images that stand for textures and surfaces where kernels want them so. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_IMAGE_H
#define OCL_IMAGE_H

#include "cl/image/array_private.h"
#include "cl/image/texture_private.h"
#include "cl/state/state.h"

/* What distinguishes the images of one array. */
struct ocl_image_key {
    cl_mem_object_type type;
    cl_image_format format;
    unsigned level, first_layer, layers;
};

/* How many queues are remembered to come after the latest refresh. */
enum { OCL_IMAGE_FOLLOWERS = 4 };

/* Images of arrays hold a copy of the texels, refreshed before a launch when the array's version
 * moved; the array owns them. Images of linear and pitched memory share its bytes; the texture owns
 * them. */
struct ocl_image {
    struct ocl_image *next; /* array.images (array.lock) */
    struct ocl_image_key key;
    struct ocl_context *context;
    struct ocl_array *array; /* NULL: the image shares the bytes of memory */
    bool is_shared;          /* the array's own; otherwise whoever made it releases it */
    cl_mem cl;
    uint32_t code;            /* CLEM_FORMAT_... */
    cl_kernel filler;         /* fills it faster than the driver's copy does, or NULL (lock) */
    cl_mem part;              /* the sub-buffer whose bytes are shared, or NULL */
    uint64_t serial;          /* unique in the process: cl_mem handles are used again */
    pthread_mutex_t lock;     /* a refresh is being enqueued; see state.h */
    _Atomic uint64_t version; /* of the array, plus 1, whose texels these are; 0: of none */
    _Atomic bool is_settled;  /* the latest refresh is complete */
    cl_event ready;           /* complete when the latest refresh is; NULL: it is (lock) */
    _Atomic uint64_t followers[OCL_IMAGE_FOLLOWERS]; /* ids of queues that come after it */
    unsigned next_follower;                          /* (lock) */
};

/* Whether header kernels of this device read textures by image where they can: GPUs do, CPUs sample
 * faster by hand. CLEM_TEXTURES overrides it. */
bool ocl_image_is_preferred(const struct ocl_context *context);

/* Whether a sampler and an image do what the texture asks for, as far as that can be told without
 * making them. */
bool ocl_image_suits(struct ocl_texture *texture);

/* The image of a texture in a kernel's image type, made at the first request. Borrowed: it lives as
 * long as the texture.
 * Errors: OCL_E_NOT_SUPPORTED: the device has no such image, or there is no room for it;
 *         CL_OUT_OF_HOST_MEMORY. */
ocl_status ocl_image_get(struct ocl_texture *texture, cl_mem_object_type type,
                         struct ocl_image **image);

/* The sampler of a texture. Borrowed from the context.
 * Errors: OCL_E_NOT_SUPPORTED: samplers cannot do what the texture asks for; the driver's. */
ocl_status ocl_image_sampler(struct ocl_texture *texture, cl_sampler *sampler);

/* Makes commands submitted to queue from now on find the array's texels in the image. Cheap when
 * they are there.
 * Errors: the driver's; the sticky failure. */
ocl_status ocl_image_refresh(struct ocl_image *image, struct ocl_queue *queue);

/* An image for one launch that writes it, filled with the surface's texels.
 * Owns:   the caller releases it, once the launch is enqueued.
 * Errors: as ocl_image_get(); the driver's; the sticky failure. */
ocl_status ocl_image_borrow(struct ocl_texture *surface, cl_mem_object_type type,
                            struct ocl_queue *queue, struct ocl_image **image);

/* Copies a borrowed image to the array behind the launch that wrote it, which is queue's latest
 * work. The caller tells the array that it was written. */
ocl_status ocl_image_store(struct ocl_image *image, struct ocl_queue *queue);

/* Releases an image that no array owns. Safe on NULL and images that an array owns. */
void ocl_image_release(struct ocl_image *image);

/* What a context asked its device about images, and its samplers. Safe on NULL. */
void ocl_image_forget(struct ocl_image_facts *facts);

#endif
