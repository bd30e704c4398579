/* Texture fetches by format, filter and walk; the same over plain memory; surfaces.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/texture.h"

#include <stdlib.h>

#include "bench/cuda_side.h"

struct texture {
    struct span source, target;
    cudaArray_t array;
    cudaTextureObject_t object;
    cudaSurfaceObject_t surface;
    cudaLibrary_t library;
    cudaKernel_t kernel;
    struct shot shot;
    struct image_shape shape;
    size_t row; /* bytes */
};

static bool is_surface(const struct task *task)
{
    return texture_source(task) == TEXTURE_LOADED || texture_source(task) == TEXTURE_STORED;
}

static bool is_memory(const struct task *task)
{
    return texture_source(task) == TEXTURE_BUFFER || texture_source(task) == TEXTURE_PLAIN;
}

static struct cudaChannelFormatDesc channels_of(const struct task *task)
{
    const struct texel_format *format = texture_format(task);
    const int second = format->channels > 1 ? format->bits : 0;
    const int rest = format->channels > 2 ? format->bits : 0;
    return cudaCreateChannelDesc(format->bits, second, rest, rest,
                                 format->is_float ? cudaChannelFormatKindFloat
                                                  : cudaChannelFormatKindUnsigned);
}

static cudaError_t fill_array(const struct texture *texture, const struct span *from)
{
    return cudaMemcpy2DToArrayAsync(texture->array, 0, 0, from->pointer, texture->row, texture->row,
                                    texture->shape.height, cudaMemcpyDeviceToDevice, NULL);
}

static bool make_array(struct attempt *attempt, struct texture *texture,
                       struct cudaResourceDesc *resource)
{
    const struct cudaChannelFormatDesc channels = channels_of(attempt->task);
    if (!cuda_ok(attempt,
                 cudaMallocArray(&texture->array, &channels, texture->shape.width,
                                 texture->shape.height,
                                 is_surface(attempt->task) ? cudaArraySurfaceLoadStore : 0),
                 "cudaMallocArray"))
        return false;
    resource->resType = cudaResourceTypeArray;
    resource->res.array.array = texture->array;
    return cuda_ok(attempt, fill_array(texture, &texture->source), "cudaMemcpy2DToArrayAsync") &&
           cuda_ok(attempt, cudaStreamSynchronize(NULL), "cudaStreamSynchronize");
}

static bool make_object(struct attempt *attempt, struct texture *texture)
{
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeLinear};
    struct cudaTextureDesc sampling = {
        .addressMode = {cudaAddressModeClamp, cudaAddressModeClamp, cudaAddressModeClamp},
        .filterMode = texture_source(attempt->task) == TEXTURE_LINEAR ? cudaFilterModeLinear
                                                                      : cudaFilterModePoint,
        .readMode = texture_format(attempt->task)->is_float ? cudaReadModeElementType
                                                            : cudaReadModeNormalizedFloat,
    };
    if (is_memory(attempt->task))
        return true;
    if (texture_walk(attempt->task) == WALK_FETCH) {
        resource.res.linear.devPtr = texture->source.pointer;
        resource.res.linear.desc = channels_of(attempt->task);
        resource.res.linear.sizeInBytes = texture->source.bytes;
    } else if (!make_array(attempt, texture, &resource)) {
        return false;
    }
    if (is_surface(attempt->task))
        return cuda_ok(attempt, cudaCreateSurfaceObject(&texture->surface, &resource),
                       "cudaCreateSurfaceObject");
    return cuda_ok(attempt, cudaCreateTextureObject(&texture->object, &resource, &sampling, NULL),
                   "cudaCreateTextureObject");
}

static bool load_kernel(struct attempt *attempt, struct texture *texture)
{
    char name[KERNEL_NAME_BYTES];
    void *owned = NULL;
    texture_shot(attempt->task, &texture->shot);
    const void *image = runtime_shot_kernels(attempt->device, &texture->shot, name, &owned);
    const bool loaded =
        image ? cuda_ok(attempt,
                        cudaLibraryLoadData(&texture->library, image, NULL, NULL, 0, NULL, NULL, 0),
                        "cudaLibraryLoadData")
              : attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    free(owned);
    return loaded &&
           cuda_ok(attempt, cudaLibraryGetKernel(&texture->kernel, texture->library, name), name);
}

static bool open_texture(struct attempt *attempt)
{
    struct texture *texture = attempt->state = calloc(1, sizeof *texture);
    if (!texture)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    texture->shape = image_shape(attempt->task, texture_texel_bytes(attempt->task));
    texture->row = texture->shape.width * texture_texel_bytes(attempt->task);
    return span_take(attempt, &texture->source, DEVICE, attempt->task->bytes) &&
           span_take(attempt, &texture->target, DEVICE, attempt->task->bytes) &&
           span_fill(attempt, &texture->source, texture_format(attempt->task)->pattern) &&
           load_kernel(attempt, texture) && make_object(attempt, texture);
}

static bool poison_texture(struct attempt *attempt)
{
    struct texture *texture = attempt->state;
    return span_poison(attempt, &texture->target) &&
           (texture_source(attempt->task) != TEXTURE_STORED ||
            cuda_ok(attempt, fill_array(texture, &texture->target), "cudaMemcpy2DToArrayAsync"));
}

/* Where texels come out in another order, each is looked for where it comes from. */
static bool verify_texels(struct attempt *attempt, const struct texture *texture)
{
    void *target = malloc(texture->target.bytes);
    size_t wrong = PATTERN_FINE;
    bool fine = target && cuda_ok(attempt,
                                  cudaMemcpy(target, texture->target.pointer, texture->target.bytes,
                                             cudaMemcpyDeviceToHost),
                                  "cudaMemcpy");
    if (!target || (fine && !texture_check(attempt->task, target, &wrong)))
        fine = attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    free(target);
    return fine && (wrong == PATTERN_FINE || attempt_wrong(attempt, wrong));
}

static bool verify_texture(struct attempt *attempt)
{
    struct texture *texture = attempt->state;
    if (texture_source(attempt->task) == TEXTURE_STORED &&
        !cuda_ok(attempt,
                 cudaMemcpy2DFromArray(texture->target.pointer, texture->row, texture->array, 0, 0,
                                       texture->row, texture->shape.height,
                                       cudaMemcpyDeviceToDevice),
                 "cudaMemcpy2DFromArray"))
        return false;
    switch (texture_walk(attempt->task)) {
    case WALK_ROW:
    case WALK_BLOCK:
    case WALK_FETCH:
        return span_check(attempt, &texture->target, content_of(attempt->task));
    default:
        return verify_texels(attempt, texture);
    }
}

static void close_texture(struct attempt *attempt)
{
    struct texture *texture = attempt->state;
    if (!texture)
        return;
    if (texture->object)
        cudaDestroyTextureObject(texture->object);
    if (texture->surface)
        cudaDestroySurfaceObject(texture->surface);
    cudaFreeArray(texture->array);
    if (texture->library)
        cudaLibraryUnload(texture->library);
    span_give(&texture->source);
    span_give(&texture->target);
    free(texture);
}

static void *first_argument(struct texture *texture, const struct task *task)
{
    if (is_memory(task))
        return &texture->source.device;
    return is_surface(task) ? (void *)&texture->surface : (void *)&texture->object;
}

static bool run_texture(struct attempt *attempt, size_t count)
{
    struct texture *texture = attempt->state;
    struct shot *shot = &texture->shot;
    const enum texture_source source = texture_source(attempt->task);
    void *arguments[] = {first_argument(texture, attempt->task),
                         source == TEXTURE_STORED ? &texture->source.device
                                                  : &texture->target.device,
                         &shot->arguments[0].value, &shot->arguments[1].value};
    const dim3 block = {(unsigned)shot->local[0], (unsigned)shot->local[1], 1};
    const dim3 grid = {(unsigned)shot->groups[0], (unsigned)shot->groups[1], 1};
    bool queued = true;
    for (size_t i = 0; queued && i < count; i++) {
        if (source == TEXTURE_COPIED)
            queued =
                cuda_ok(attempt, fill_array(texture, &texture->source), "cudaMemcpy2DToArrayAsync");
        queued = queued && cuda_ok(attempt,
                                   cudaLaunchKernel((const void *)texture->kernel, grid, block,
                                                    arguments, 0, NULL),
                                   "cudaLaunchKernel");
    }
    return cuda_ok(attempt, cudaStreamSynchronize(NULL), "cudaStreamSynchronize") && queued;
}

static const struct method methods[] = {{"kernel", NULL, run_texture}, {NULL, NULL, NULL}};

const struct way cuda_texture = {open_texture, poison_texture, verify_texture, close_texture,
                                 methods};
