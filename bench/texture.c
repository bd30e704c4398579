/* Texture fetches by format, filter and walk.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/texture.h"

#include <stdlib.h>

#include "bench/cuda_side.h"

struct texture {
    struct span source, target;
    cudaArray_t array;
    cudaTextureObject_t object;
    cudaLibrary_t library;
    cudaKernel_t kernel;
    struct image_shape shape;
};

static struct cudaChannelFormatDesc channels_of(const struct task *task)
{
    const struct texel_format *format = texture_format(task);
    const int rest = format->channels > 1 ? format->bits : 0;
    return cudaCreateChannelDesc(format->bits, rest, rest, rest,
                                 format->is_float ? cudaChannelFormatKindFloat
                                                  : cudaChannelFormatKindUnsigned);
}

static bool make_array(struct attempt *attempt, struct texture *texture,
                       struct cudaResourceDesc *resource)
{
    const struct cudaChannelFormatDesc channels = channels_of(attempt->task);
    const size_t row = texture->shape.width * texture_texel_bytes(attempt->task);
    if (!cuda_ok(attempt,
                 cudaMallocArray(&texture->array, &channels, texture->shape.width,
                                 texture->shape.height, 0),
                 "cudaMallocArray"))
        return false;
    resource->resType = cudaResourceTypeArray;
    resource->res.array.array = texture->array;
    return cuda_ok(attempt,
                   cudaMemcpy2DToArray(texture->array, 0, 0, texture->source.pointer, row, row,
                                       texture->shape.height, cudaMemcpyDeviceToDevice),
                   "cudaMemcpy2DToArray");
}

static bool make_object(struct attempt *attempt, struct texture *texture)
{
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeLinear};
    struct cudaTextureDesc sampling = {
        .addressMode = {cudaAddressModeClamp, cudaAddressModeClamp, cudaAddressModeClamp},
        .filterMode = texture_is_linear(attempt->task) ? cudaFilterModeLinear : cudaFilterModePoint,
        .readMode = texture_format(attempt->task)->is_float ? cudaReadModeElementType
                                                            : cudaReadModeNormalizedFloat,
    };
    if (texture_walk(attempt->task) == WALK_FETCH) {
        resource.res.linear.devPtr = texture->source.pointer;
        resource.res.linear.desc = channels_of(attempt->task);
        resource.res.linear.sizeInBytes = texture->source.bytes;
    } else if (!make_array(attempt, texture, &resource)) {
        return false;
    }
    return cuda_ok(attempt, cudaCreateTextureObject(&texture->object, &resource, &sampling, NULL),
                   "cudaCreateTextureObject");
}

static bool load_kernel(struct attempt *attempt, struct texture *texture)
{
    char name[64];
    texture_kernel_name(name, attempt->task);
    return kernels_load(attempt, KERNELS_TEXTURE, &texture->library) &&
           cuda_ok(attempt, cudaLibraryGetKernel(&texture->kernel, texture->library, name), name);
}

static bool open_texture(struct attempt *attempt)
{
    struct texture *texture = attempt->state = calloc(1, sizeof *texture);
    if (!texture)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    texture->shape = image_shape(attempt->task, texture_texel_bytes(attempt->task));
    return span_take(attempt, &texture->source, DEVICE, attempt->task->bytes) &&
           span_take(attempt, &texture->target, DEVICE, attempt->task->bytes) &&
           span_fill(attempt, &texture->source, texture_format(attempt->task)->pattern) &&
           load_kernel(attempt, texture) && make_object(attempt, texture);
}

static bool poison_texture(struct attempt *attempt)
{
    struct texture *texture = attempt->state;
    return span_poison(attempt, &texture->target);
}

/* Of a target that holds columns one behind the other, each word is looked for where it comes from. */
static bool verify_columns(struct attempt *attempt, const struct texture *texture)
{
    const size_t words = texture->target.bytes / 4;
    uint32_t *target = malloc(texture->target.bytes);
    if (!target)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    bool fine = cuda_ok(
        attempt,
        cudaMemcpy(target, texture->target.pointer, texture->target.bytes, cudaMemcpyDeviceToHost),
        "cudaMemcpy");
    for (size_t i = 0; fine && i < words; i++)
        if (target[i] != pattern_word(texture_format(attempt->task)->pattern,
                                      texture_source_word(attempt->task, i)))
            fine = attempt_wrong(attempt, i * 4);
    free(target);
    return fine;
}

static bool verify_texture(struct attempt *attempt)
{
    struct texture *texture = attempt->state;
    if (texture_walk(attempt->task) == WALK_COLUMN)
        return verify_columns(attempt, texture);
    return span_check(attempt, &texture->target, content_of(attempt->task));
}

static void close_texture(struct attempt *attempt)
{
    struct texture *texture = attempt->state;
    if (!texture)
        return;
    if (texture->object)
        cudaDestroyTextureObject(texture->object);
    cudaFreeArray(texture->array);
    if (texture->library)
        cudaLibraryUnload(texture->library);
    span_give(&texture->source);
    span_give(&texture->target);
    free(texture);
}

static bool run_texture(struct attempt *attempt, size_t count)
{
    struct texture *texture = attempt->state;
    void *arguments[] = {&texture->object, &texture->target.device};
    const struct texture_grid items = texture_grid(attempt->task);
    const dim3 block = {(unsigned)items.local[0], (unsigned)items.local[1], 1};
    const dim3 grid = {(unsigned)(items.global[0] / items.local[0]),
                       (unsigned)(items.global[1] / items.local[1]), 1};
    bool queued = true;
    for (size_t i = 0; queued && i < count; i++)
        queued = cuda_ok(
            attempt,
            cudaLaunchKernel((const void *)texture->kernel, grid, block, arguments, 0, NULL),
            "cudaLaunchKernel");
    return cuda_ok(attempt, cudaStreamSynchronize(NULL), "cudaStreamSynchronize") && queued;
}

static const struct method methods[] = {{"kernel", NULL, run_texture}, {NULL, NULL, NULL}};

const struct way cuda_texture = {open_texture, poison_texture, verify_texture, close_texture,
                                 methods};
