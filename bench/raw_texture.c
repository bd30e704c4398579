/* Images and samplers in raw OpenCL: what texture rows are held against.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "bench/raw_opencl.h"
#include "bench/texture.h"

struct texture {
    struct raw *raw;
    struct raw_memory source, target;
    struct shot shot;
    struct image_shape shape;
    cl_mem image;
    cl_sampler sampler;
    cl_program program;
    struct raw_kernel kernel;
};

static bool needs_image(const struct task *task)
{
    const enum texture_source source = texture_source(task);
    return source != TEXTURE_BUFFER && source != TEXTURE_PLAIN && texture_walk(task) != WALK_FETCH;
}

static bool needs_sampler(const struct task *task)
{
    const enum texture_source source = texture_source(task);
    return needs_image(task) && source != TEXTURE_LOADED && source != TEXTURE_STORED;
}

/* The same kernels as clem's, but with OpenCL's images. */
static bool build(struct attempt *attempt, struct texture *texture)
{
    struct shot *shot = &texture->shot;
    char name[KERNEL_NAME_BYTES];
    void *owned = NULL;
    cl_int error;
    texture_shot(attempt->task, shot);
    shot_define(shot, "IMAGES", "1");
    const char *text = runtime_shot_kernels(attempt->device, shot, name, &owned);
    const bool built = text ? raw_build(attempt, texture->raw, &text, 1, "", &texture->program)
                            : attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    free(owned);
    if (!built)
        return false;
    texture->kernel.kernel = clCreateKernel(texture->program, name, &error);
    texture->kernel.dimensions = 2;
    for (int i = 0; i < 2; i++) {
        texture->kernel.global[i] = shot->groups[i] * shot->local[i];
        texture->kernel.local[i] = shot->local[i];
    }
    return raw_ok(attempt, error, "clCreateKernel");
}

static cl_image_format image_format(const struct task *task)
{
    static const cl_channel_order orders[] = {[1] = CL_R, [2] = CL_RG, [4] = CL_RGBA};
    const struct texel_format *format = texture_format(task);
    return (cl_image_format){orders[format->channels], format->is_float    ? CL_FLOAT
                                                       : format->bits == 8 ? CL_UNORM_INT8
                                                                           : CL_UNORM_INT16};
}

static cl_int copy_to_image(const struct texture *texture, const struct raw_memory *from)
{
    const size_t origin[3] = {0}, region[3] = {texture->shape.width, texture->shape.height, 1};
    return clEnqueueCopyBufferToImage(texture->raw->queue, from->buffer, texture->image, 0, origin,
                                      region, 0, NULL, NULL);
}

static bool make_image(struct attempt *attempt, struct texture *texture)
{
    const cl_image_format format = image_format(attempt->task);
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = texture->shape.width,
                                .image_height = texture->shape.height};
    cl_int error;
    if (!needs_image(attempt->task))
        return true;
    texture->image =
        clCreateImage(texture->raw->context, CL_MEM_READ_WRITE, &format, &desc, NULL, &error);
    return raw_ok(attempt, error, "clCreateImage") &&
           raw_ok(attempt, copy_to_image(texture, &texture->source),
                  "clEnqueueCopyBufferToImage") &&
           raw_finish(attempt, texture->raw);
}

static bool make_sampler(struct attempt *attempt, struct texture *texture)
{
    const bool is_linear = texture_source(attempt->task) == TEXTURE_LINEAR;
    cl_int error;
    if (!needs_sampler(attempt->task))
        return true;
    texture->sampler = clCreateSampler(texture->raw->context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE,
                                       is_linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, &error);
    return raw_ok(attempt, error, "clCreateSampler");
}

static bool set_arguments(struct attempt *attempt, struct texture *texture)
{
    const bool is_stored = texture_source(attempt->task) == TEXTURE_STORED;
    const cl_mem first = texture->image ? texture->image : texture->source.buffer;
    const cl_mem second = is_stored ? texture->source.buffer : texture->target.buffer;
    cl_kernel kernel = texture->kernel.kernel;
    cl_uint n = 0;
    cl_int error = clSetKernelArg(kernel, n++, sizeof first, &first);
    if (texture->sampler)
        error |= clSetKernelArg(kernel, n++, sizeof texture->sampler, &texture->sampler);
    error |= clSetKernelArg(kernel, n++, sizeof second, &second);
    for (size_t i = 0; i < texture->shot.argument_count; i++)
        error |= clSetKernelArg(kernel, n++, sizeof(cl_uint), &texture->shot.arguments[i].value);
    return raw_ok(attempt, error, "clSetKernelArg");
}

static bool open_texture(struct attempt *attempt)
{
    const size_t bytes = attempt->task->bytes;
    struct texture *texture = attempt->state = calloc(1, sizeof *texture);
    if (!texture)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    texture->shape = image_shape(attempt->task, texture_texel_bytes(attempt->task));
    texture->raw = raw_open(attempt);
    return texture->raw && raw_take(attempt, texture->raw, &texture->source, DEVICE, bytes) &&
           raw_take(attempt, texture->raw, &texture->target, DEVICE, bytes) &&
           raw_fill(attempt, texture->raw, &texture->source,
                    texture_format(attempt->task)->pattern) &&
           build(attempt, texture) && make_image(attempt, texture) &&
           make_sampler(attempt, texture) && set_arguments(attempt, texture);
}

static bool poison_texture(struct attempt *attempt)
{
    struct texture *texture = attempt->state;
    return raw_poison(attempt, texture->raw, &texture->target) &&
           (texture_source(attempt->task) != TEXTURE_STORED ||
            raw_ok(attempt, copy_to_image(texture, &texture->target),
                   "clEnqueueCopyBufferToImage"));
}

static bool read_stored(struct attempt *attempt, const struct texture *texture)
{
    const size_t origin[3] = {0}, region[3] = {texture->shape.width, texture->shape.height, 1};
    return raw_ok(attempt,
                  clEnqueueCopyImageToBuffer(texture->raw->queue, texture->image,
                                             texture->target.buffer, origin, region, 0, 0, NULL,
                                             NULL),
                  "clEnqueueCopyImageToBuffer") &&
           raw_finish(attempt, texture->raw);
}

/* Walks that write in another order are checked texel by texel only through the CUDA API. */
static bool verify_texture(struct attempt *attempt)
{
    struct texture *texture = attempt->state;
    if (texture_source(attempt->task) == TEXTURE_STORED && !read_stored(attempt, texture))
        return false;
    switch (texture_walk(attempt->task)) {
    case WALK_ROW:
    case WALK_BLOCK:
    case WALK_FETCH:
        return raw_check(attempt, texture->raw, &texture->target, content_of(attempt->task));
    default:
        return true;
    }
}

static void close_texture(struct attempt *attempt)
{
    struct texture *texture = attempt->state;
    if (!texture)
        return;
    raw_kernel_close(&texture->kernel);
    if (texture->program)
        clReleaseProgram(texture->program);
    if (texture->sampler)
        clReleaseSampler(texture->sampler);
    if (texture->image)
        clReleaseMemObject(texture->image);
    raw_give(texture->raw, &texture->source);
    raw_give(texture->raw, &texture->target);
    free(texture);
}

static bool run_copied(struct attempt *attempt, struct texture *texture, size_t count)
{
    const struct raw_kernel *kernel = &texture->kernel;
    cl_int error = CL_SUCCESS;
    for (size_t i = 0; error == CL_SUCCESS && i < count; i++) {
        error = copy_to_image(texture, &texture->source);
        if (error == CL_SUCCESS)
            error = clEnqueueNDRangeKernel(texture->raw->queue, kernel->kernel, kernel->dimensions,
                                           NULL, kernel->global, kernel->local, 0, NULL, NULL);
    }
    return raw_ok(attempt, error, "copy and kernel") && raw_finish(attempt, texture->raw);
}

static bool run_texture(struct attempt *attempt, size_t count)
{
    struct texture *texture = attempt->state;
    if (texture_source(attempt->task) == TEXTURE_COPIED)
        return run_copied(attempt, texture, count);
    return raw_kernel_run(attempt, texture->raw, &texture->kernel, count);
}

static const struct method methods[] = {{"image", NULL, run_texture}, {NULL, NULL, NULL}};

const struct way raw_texture = {open_texture, poison_texture, verify_texture, close_texture,
                                methods};
