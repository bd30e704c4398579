/* Images and samplers in raw OpenCL: what texture rows are held against.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "bench/raw_opencl.h"
#include "bench/texture.h"

struct texture {
    struct raw *raw;
    struct raw_memory source, target;
    cl_mem image;
    cl_sampler sampler;
    cl_program program;
    struct raw_kernel kernel;
};

/* R: how a texel becomes the target's element. */
static const char walk_text[] =
    "__kernel void walk(__read_only image2d_t image, sampler_t sampler, __global S *target) {\n"
    "    size_t x = get_global_id(0), y = get_global_id(1);\n"
    "    float4 texel = read_imagef(image, sampler, (float2)((float)x + 0.5f, (float)y + 0.5f));\n"
    "    target[y * get_global_size(0) + x] = R(texel);\n"
    "}\n"
    "__kernel void column(__read_only image2d_t image, sampler_t sampler, __global S *target) {\n"
    "    size_t y = get_global_id(0), x = get_global_id(1);\n"
    "    float4 texel = read_imagef(image, sampler, (float2)((float)x + 0.5f, (float)y + 0.5f));\n"
    "    target[x * get_global_size(0) + y] = R(texel);\n"
    "}\n"
    "__kernel void fetch(__global const S *source, __global S *target) {\n"
    "    size_t i = get_global_id(0);\n"
    "    target[i] = source[i];\n"
    "}\n";

static bool build(struct attempt *attempt, struct texture *texture)
{
    static const char *const options[TEXTURE_FORMATS] = {
        [TEXTURE_R32F] = "-DS=float -DR(t)=(t).x",
        [TEXTURE_RGBA32F] = "-DS=float4 -DR(t)=(t)",
        [TEXTURE_RGBA8] = "-DS=uchar4 -DR(t)=convert_uchar4_rte((t)*255.0f)"};
    static const char *const names[] = {[WALK_ROW] = "walk",
                                        [WALK_COLUMN] = "column",
                                        [WALK_BLOCK] = "walk",
                                        [WALK_FETCH] = "fetch"};
    const char *text = walk_text;
    cl_int error;
    if (!raw_build(attempt, texture->raw, &text, 1,
                   options[attempt->task->row->detail & (TEXTURE_FORMATS - 1)], &texture->program))
        return false;
    texture->kernel.kernel =
        clCreateKernel(texture->program, names[texture_walk(attempt->task)], &error);
    return raw_ok(attempt, error, "clCreateKernel");
}

static cl_image_format image_format(const struct task *task)
{
    const struct texel_format *format = texture_format(task);
    return (cl_image_format){format->channels == 1 ? CL_R : CL_RGBA,
                             format->is_float ? CL_FLOAT : CL_UNORM_INT8};
}

static bool make_image(struct attempt *attempt, struct texture *texture)
{
    const struct image_shape shape = image_shape(attempt->task, texture_texel_bytes(attempt->task));
    const cl_image_format format = image_format(attempt->task);
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = shape.width,
                                .image_height = shape.height};
    const size_t origin[3] = {0, 0, 0}, region[3] = {shape.width, shape.height, 1};
    cl_int error;
    texture->image =
        clCreateImage(texture->raw->context, CL_MEM_READ_WRITE, &format, &desc, NULL, &error);
    if (!raw_ok(attempt, error, "clCreateImage"))
        return false;
    texture->sampler = clCreateSampler(
        texture->raw->context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE,
        texture_is_linear(attempt->task) ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, &error);
    return raw_ok(attempt, error, "clCreateSampler") &&
           raw_ok(attempt,
                  clEnqueueCopyBufferToImage(texture->raw->queue, texture->source.buffer,
                                             texture->image, 0, origin, region, 0, NULL, NULL),
                  "clEnqueueCopyBufferToImage") &&
           raw_finish(attempt, texture->raw);
}

static bool set_arguments(struct attempt *attempt, struct texture *texture)
{
    const struct texture_grid grid = texture_grid(attempt->task);
    cl_kernel kernel = texture->kernel.kernel;
    cl_uint n = 0;
    cl_int error = CL_SUCCESS;
    texture->kernel.dimensions = 2;
    for (int i = 0; i < 2; i++) {
        texture->kernel.global[i] = grid.global[i];
        texture->kernel.local[i] = grid.local[i];
    }
    if (texture->image) {
        error |= clSetKernelArg(kernel, n++, sizeof texture->image, &texture->image);
        error |= clSetKernelArg(kernel, n++, sizeof texture->sampler, &texture->sampler);
    } else {
        error |= clSetKernelArg(kernel, n++, sizeof(cl_mem), &texture->source.buffer);
    }
    error |= clSetKernelArg(kernel, n, sizeof(cl_mem), &texture->target.buffer);
    return raw_ok(attempt, error, "clSetKernelArg");
}

static bool open_texture(struct attempt *attempt)
{
    const size_t bytes = attempt->task->bytes;
    struct texture *texture = attempt->state = calloc(1, sizeof *texture);
    if (!texture)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    texture->raw = raw_open(attempt);
    return texture->raw && raw_take(attempt, texture->raw, &texture->source, DEVICE, bytes) &&
           raw_take(attempt, texture->raw, &texture->target, DEVICE, bytes) &&
           raw_fill(attempt, texture->raw, &texture->source,
                    texture_format(attempt->task)->pattern) &&
           build(attempt, texture) &&
           (texture_walk(attempt->task) == WALK_FETCH || make_image(attempt, texture)) &&
           set_arguments(attempt, texture);
}

static bool poison_texture(struct attempt *attempt)
{
    struct texture *texture = attempt->state;
    return raw_poison(attempt, texture->raw, &texture->target);
}

/* A column walk writes columns: only the way through the CUDA API is checked word by word. */
static bool verify_texture(struct attempt *attempt)
{
    struct texture *texture = attempt->state;
    return texture_walk(attempt->task) == WALK_COLUMN ||
           raw_check(attempt, texture->raw, &texture->target, content_of(attempt->task));
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

static bool run_texture(struct attempt *attempt, size_t count)
{
    struct texture *texture = attempt->state;
    return raw_kernel_run(attempt, texture->raw, &texture->kernel, count);
}

static const struct method methods[] = {{"image", NULL, run_texture}, {NULL, NULL, NULL}};

const struct way raw_texture = {open_texture, poison_texture, verify_texture, close_texture,
                                methods};
