/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/texture_device.h"

#include <stdio.h>
#include <string.h>

#include "kernels/kernels.h"
#include "tests/cl/held.h"

/* By hand all textures are the same two parameters, so one kernel fetches from every shape. Flat
 * textures are fetched from in their own type where it has shortcuts. */
static const char hand_kernels[] =
    "#define ROW(format, T, I) \\\n"
    "    case format: return as_float4((I##4)(tex2D(T, t, x, y), 0, 0, 0)); \\\n"
    "    case 16 + format: return as_float4(convert_##I##4(tex2D(T##4, t, x, y)));\n"
    "#define EXPANDED_ROW(format, T, I) ROW(format, T, I)\n"
    "float4 flat(CLEM_TEXTURE2D(t), float x, float y)\n"
    "{\n"
    "    uint format = clem_texture_facts__t.format, channels = clem_texture_facts__t.channels;\n"
    "    switch ((channels == 4 ? 16 : channels == 2 ? 32 : 0) + format) {\n"
    "    EXPANDED_ROW(0, float, float) EXPANDED_ROW(2, float, float)\n"
    "    EXPANDED_ROW(7, uchar, uint) EXPANDED_ROW(8, ushort, uint) EXPANDED_ROW(9, uint, uint)\n"
    "    EXPANDED_ROW(10, char, int) EXPANDED_ROW(11, short, int) EXPANDED_ROW(12, int, int)\n"
    "    default: return format < CLEM_FORMAT_U8 ? tex2D(float4, t, x, y)\n"
    "                                            : as_float4(tex2D(uint4, t, x, y));\n"
    "    }\n"
    "}\n"
    "float4 line(CLEM_TEXTURE1D(t), float x)\n"
    "{\n"
    "    if (clem_texture_facts__t.format >= CLEM_FORMAT_U8)\n"
    "        return as_float4(tex1D(uint4, t, x));\n"
    "    return clem_texture_facts__t.channels > 1 ? tex1D(float4, t, x)\n"
    "                                              : (float4)(tex1D(float, t, x), 0, 0, 0);\n"
    "}\n"
    "__kernel void fetch(CLEM_TEXTURE2D(t), __global const float8 *at, __global uint4 *out,\n"
    "                    int shape, int fetch)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    float8 p = at[i];\n"
    "    int w = (int)p.s3, z = (int)p.s2;\n"
    "    float4 value = (float4)(0.0f);\n"
    "    switch (fetch * 8 + shape) {\n"
    "    case 0: value = line(CLEM_PASS_TEXTURE(t), p.s0); break;\n"
    "    case 1: value = flat(CLEM_PASS_TEXTURE(t), p.s0, p.s1); break;\n"
    "    case 2: value = tex3D(float4, t, p.s0, p.s1, p.s2); break;\n"
    "    case 3: value = tex1DLayered(float4, t, p.s0, z); break;\n"
    "    case 4: value = tex2DLayered(float4, t, p.s0, p.s1, z); break;\n"
    "    case 5: value = texCubemap(float4, t, p.s0, p.s1, p.s2); break;\n"
    "    case 6: value = texCubemapLayered(float4, t, p.s0, p.s1, p.s2, w); break;\n"
    "    case 8: value = tex1DLod(float4, t, p.s0, p.s3); break;\n"
    "    case 9: value = tex2DLod(float4, t, p.s0, p.s1, p.s3); break;\n"
    "    case 10: value = tex3DLod(float4, t, p.s0, p.s1, p.s2, p.s3); break;\n"
    "    case 11: value = tex1DLayeredLod(float4, t, p.s0, z, p.s3); break;\n"
    "    case 12: value = tex2DLayeredLod(float4, t, p.s0, p.s1, z, p.s3); break;\n"
    "    case 13: value = texCubemapLod(float4, t, p.s0, p.s1, p.s2, p.s3); break;\n"
    "    case 17: value = tex2Dgather(float4, t, p.s0, p.s1, w); break;\n"
    "    case 24: value = tex1DGrad(float4, t, p.s0, p.s3, p.s4); break;\n"
    "    case 25: value = tex2DGrad(float4, t, p.s0, p.s1, (float2)(p.s3, p.s4),\n"
    "                               (float2)(p.s5, 0.0f)); break;\n"
    "    case 26: value = tex3DGrad(float4, t, p.s0, p.s1, p.s2, (float4)(p.s3, 0.0f, 0.0f, "
    "0.0f),\n"
    "                               (float4)(0.0f, p.s4, p.s5, 0.0f)); break;\n"
    "    case 39: value = tex1Dfetch(float4, t, (int)p.s0); break;\n"
    "    }\n"
    "    out[i] = as_uint4(value);\n"
    "}\n";

/* By image the types differ, in the texture and in what is read. */
static const char image_kernels[] =
    "#define KERNELS(T) \\\n"
    "    __kernel void fetch_0_##T(CLEM_TEXTURE1D(t), __global const float8 *at, \\\n"
    "                              __global uint4 *out, int fetch) \\\n"
    "    { size_t i = get_global_id(0); float8 p = at[i]; \\\n"
    "      out[i] = as_uint4(tex1D(T, t, p.s0)); } \\\n"
    "    __kernel void fetch_1_##T(CLEM_TEXTURE2D(t), __global const float8 *at, \\\n"
    "                              __global uint4 *out, int fetch) \\\n"
    "    { size_t i = get_global_id(0); float8 p = at[i]; \\\n"
    "      out[i] = as_uint4(fetch == 2 ? tex2Dgather(T, t, p.s0, p.s1, (int)p.s3) \\\n"
    "                                   : tex2D(T, t, p.s0, p.s1)); } \\\n"
    "    __kernel void fetch_2_##T(CLEM_TEXTURE3D(t), __global const float8 *at, \\\n"
    "                              __global uint4 *out, int fetch) \\\n"
    "    { size_t i = get_global_id(0); float8 p = at[i]; \\\n"
    "      out[i] = as_uint4(tex3D(T, t, p.s0, p.s1, p.s2)); } \\\n"
    "    __kernel void fetch_3_##T(CLEM_TEXTURE1D_LAYERED(t), __global const float8 *at, \\\n"
    "                              __global uint4 *out, int fetch) \\\n"
    "    { size_t i = get_global_id(0); float8 p = at[i]; \\\n"
    "      out[i] = as_uint4(tex1DLayered(T, t, p.s0, (int)p.s2)); } \\\n"
    "    __kernel void fetch_4_##T(CLEM_TEXTURE2D_LAYERED(t), __global const float8 *at, \\\n"
    "                              __global uint4 *out, int fetch) \\\n"
    "    { size_t i = get_global_id(0); float8 p = at[i]; \\\n"
    "      out[i] = as_uint4(tex2DLayered(T, t, p.s0, p.s1, (int)p.s2)); } \\\n"
    "    __kernel void fetch_5_##T(CLEM_TEXTURECUBE(t), __global const float8 *at, \\\n"
    "                              __global uint4 *out, int fetch) \\\n"
    "    { size_t i = get_global_id(0); float8 p = at[i]; \\\n"
    "      out[i] = as_uint4(texCubemap(T, t, p.s0, p.s1, p.s2)); } \\\n"
    "    __kernel void fetch_6_##T(CLEM_TEXTURECUBE_LAYERED(t), __global const float8 *at, \\\n"
    "                              __global uint4 *out, int fetch) \\\n"
    "    { size_t i = get_global_id(0); float8 p = at[i]; \\\n"
    "      out[i] = as_uint4(texCubemapLayered(T, t, p.s0, p.s1, p.s2, (int)p.s3)); }\n"
    "#define EXPANDED(T) KERNELS(T)\n"
    "EXPANDED(TYPE)\n";

static void must(cl_int error)
{
    assert_int_equal(error, CL_SUCCESS);
}

static void build(struct fetcher *fetcher, const char *type)
{
    char options[80];
    const char *texts[] = {kernel_device_header.text,
                           fetcher->by_image ? image_kernels : hand_kernels};
    const cl_device_id device = fetcher->context->device->id;
    char log[8000] = "";
    cl_int error;

    fetcher->program = clCreateProgramWithSource(fetcher->context->cl, 2, texts, NULL, &error);
    must(error);
    /* By image there are many kernels, and the driver's sampler is what is tested. */
    snprintf(options, sizeof options, "-cl-std=CL1.2 -DCLEM_TEXTURES_BY_IMAGE=%d -DTYPE=%s%s",
             fetcher->by_image, type ? type : "float4",
             fetcher->by_image ? " -cl-opt-disable" : "");
    error = clBuildProgram(fetcher->program, 1, &device, options, NULL, NULL);
    if (error) {
        clGetProgramBuildInfo(fetcher->program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log,
                              NULL);
        fail_msg("the device header does not build: %s", log);
    }
}

struct fetcher fetcher_open(const char *type)
{
    struct fetcher fetcher = {.context = open_context(), .by_image = type != NULL};
    cl_bool has_images = CL_FALSE;
    cl_int error;

    clGetDeviceInfo(fetcher.context->device->id, CL_DEVICE_IMAGE_SUPPORT, sizeof has_images,
                    &has_images, NULL);
    if (fetcher.by_image && !has_images) {
        ocl_context_close(fetcher.context);
        TEST_SKIP("the device has no images");
    }
    fetcher.queue =
        clCreateCommandQueue(fetcher.context->cl, fetcher.context->device->id, 0, &error);
    must(error);
    build(&fetcher, type);
    return fetcher;
}

void fetcher_close(struct fetcher *fetcher)
{
    clReleaseProgram(fetcher->program);
    clReleaseCommandQueue(fetcher->queue);
    ocl_context_close(fetcher->context);
}

/* ---- Layout ---- */

static size_t round_up(size_t a, size_t to)
{
    return (a + to - 1) / to * to;
}

static size_t texel_bytes(const struct model_texture *texture)
{
    return (size_t)texture->channels * model_channel_bytes(texture->format);
}

/* Where a level begins, and the strides in it. */
struct level_layout {
    size_t start, pitch, slice, end;
};

enum { OFFSET = 192, ALIGNMENT = 64 };

static struct level_layout find_level(const struct model_texture *texture, int level)
{
    struct level_layout found = {.end = OFFSET};

    for (int i = 0; i <= level; i++) {
        int size[3];
        model_level_size(texture, i, size);
        found.start = OFFSET + round_up(found.end - OFFSET, CLEM_LEVEL_UNIT);
        found.pitch = round_up((size_t)size[0] * texel_bytes(texture), ALIGNMENT);
        if (texture->levels <= 1) /* the first level's strides are anything */
            found.pitch += ALIGNMENT;
        found.slice = found.pitch * (size_t)size[1];
        if (texture->levels <= 1)
            found.slice += ALIGNMENT;
        found.end = found.start + found.slice * (size_t)size[2];
    }
    return found;
}

static void put_level(const struct model_texture *texture, int level, unsigned char *bytes)
{
    const struct level_layout layout = find_level(texture, level);
    const size_t channel_bytes = model_channel_bytes(texture->format);
    int size[3];

    model_level_size(texture, level, size);
    for (int z = 0; z < size[2]; z++)
        for (int y = 0; y < size[1]; y++)
            for (int i = 0; i < size[0] * texture->channels; i++) {
                const uint32_t texel =
                    model_texel(texture, level, z, y, i / texture->channels, i % texture->channels);
                memcpy(bytes + layout.start + (size_t)z * layout.slice + (size_t)y * layout.pitch +
                           (size_t)i * channel_bytes,
                       &texel, channel_bytes);
            }
}

static unsigned at_least_1(int value)
{
    return value > 1 ? (unsigned)value : 1;
}

static void describe(struct clem_texture *facts, const struct model_texture *texture)
{
    const struct level_layout first = find_level(texture, 0);
    const bool is_volume = texture->shape == MODEL_3D;

    memset(facts, 0, sizeof *facts);
    facts->offset = OFFSET;
    facts->slice_bytes = first.slice;
    facts->pitch = (uint32_t)first.pitch;
    facts->width = at_least_1(texture->width);
    facts->height = at_least_1(texture->height);
    facts->depth = is_volume ? at_least_1(texture->depth) : 1;
    facts->layers = is_volume ? 1 : at_least_1(texture->layers);
    facts->levels = at_least_1(texture->levels);
    facts->format = (uint32_t)texture->format;
    facts->channels = (uint32_t)texture->channels;
    facts->pitch_alignment = ALIGNMENT;
    for (int i = 0; i < (int)facts->levels; i++)
        facts->level_start[i] =
            (uint32_t)((find_level(texture, i).start - OFFSET) / CLEM_LEVEL_UNIT);
}

struct laid_out lay_out(const struct fetcher *fetcher, const struct model_texture *texture)
{
    const int levels = (int)at_least_1(texture->levels);
    const size_t bytes = find_level(texture, levels - 1).end;
    unsigned char *image = malloc(bytes);
    struct laid_out laid_out;
    cl_int error;

    assert_non_null(image);
    memset(image, 0xa5, bytes);
    for (int level = 0; level < levels; level++)
        put_level(texture, level, image);
    laid_out.memory = clCreateBuffer(fetcher->context->cl, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                     bytes, image, &error);
    must(error);
    free(image);
    describe(&laid_out.facts, texture);
    return laid_out;
}

void lay_out_release(struct laid_out *laid_out)
{
    clReleaseMemObject(laid_out->memory);
}

void describe_sampling(struct laid_out *laid_out, const struct model_texture *texture)
{
    struct clem_texture *facts = &laid_out->facts;

    facts->flags = (texture->is_linear ? CLEM_TEXTURE_LINEAR : 0) |
                   (texture->is_level_linear ? CLEM_TEXTURE_LEVELS_LINEAR : 0) |
                   (texture->is_normalized ? CLEM_TEXTURE_NORMALIZED : 0) |
                   (texture->is_seamless ? CLEM_TEXTURE_SEAMLESS : 0);
    for (int i = 0; i < 3; i++)
        facts->address[i] = (uint32_t)texture->address[i];
    memcpy(facts->border, texture->border, sizeof facts->border);
    facts->level_bias = texture->bias;
    facts->min_level = texture->least;
    facts->max_level = texture->most;
    clem_texture_complete(facts);
}

/* ---- Images ---- */

static cl_image_format image_format(const struct model_texture *texture)
{
    static const cl_channel_type types[] = {
        CL_FLOAT,       CL_HALF_FLOAT,   CL_UNORM_INT8,    CL_UNORM_INT16,    CL_SNORM_INT8,
        CL_SNORM_INT16, CL_UNORM_INT8,   CL_UNSIGNED_INT8, CL_UNSIGNED_INT16, CL_UNSIGNED_INT32,
        CL_SIGNED_INT8, CL_SIGNED_INT16, CL_SIGNED_INT32};
    static const cl_channel_order orders[] = {0, CL_R, CL_RG, 0, CL_RGBA};
    return (cl_image_format){orders[texture->channels], types[texture->format]};
}

static cl_image_desc image_shape(const struct model_texture *texture)
{
    static const cl_mem_object_type types[] = {
        CL_MEM_OBJECT_IMAGE1D,       CL_MEM_OBJECT_IMAGE2D,       CL_MEM_OBJECT_IMAGE3D,
        CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE2D_ARRAY,
        CL_MEM_OBJECT_IMAGE2D_ARRAY};
    int size[3];
    model_level_size(texture, 0, size);
    cl_image_desc shape = {.image_type = types[texture->shape],
                           .image_width = (size_t)size[0],
                           .image_height = (size_t)size[1]};
    if (texture->shape == MODEL_3D)
        shape.image_depth = (size_t)size[2];
    else
        shape.image_array_size = (size_t)size[2];
    return shape;
}

/* The texels without gaps. Returns NULL where the device has no such image. */
static cl_mem make_image(const struct fetcher *fetcher, const struct model_texture *texture)
{
    const cl_image_format format = image_format(texture);
    const cl_image_desc shape = image_shape(texture);
    const size_t channel_bytes = model_channel_bytes(texture->format);
    int size[3];
    cl_int error;

    model_level_size(texture, 0, size);
    const int across = size[0] * texture->channels;
    unsigned char *texels = malloc((size_t)(across * size[1] * size[2]) * channel_bytes);
    assert_non_null(texels);
    for (int i = 0; i < across * size[1] * size[2]; i++) {
        const uint32_t texel = model_texel(texture, 0, i / across / size[1], i / across % size[1],
                                           i % across / texture->channels, i % texture->channels);
        memcpy(texels + (size_t)i * channel_bytes, &texel, channel_bytes);
    }
    cl_mem image = clCreateImage(fetcher->context->cl, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                 &format, &shape, texels, &error);
    free(texels);
    return error == CL_SUCCESS ? image : NULL;
}

static cl_sampler make_sampler(const struct fetcher *fetcher, const struct clem_texture *facts)
{
    static const cl_addressing_mode modes[] = {CL_ADDRESS_REPEAT, CL_ADDRESS_CLAMP_TO_EDGE,
                                               CL_ADDRESS_MIRRORED_REPEAT, CL_ADDRESS_CLAMP};
    cl_int error;
    cl_sampler sampler = clCreateSampler(
        fetcher->context->cl, facts->flags & CLEM_TEXTURE_NORMALIZED ? CL_TRUE : CL_FALSE,
        modes[facts->address[0]],
        facts->flags & CLEM_TEXTURE_LINEAR ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, &error);
    must(error);
    return sampler;
}

/* ---- Fetching ---- */

static cl_kernel make_kernel(const struct fetcher *fetcher, const struct model_texture *texture)
{
    char name[40] = "fetch";
    cl_int error;

    if (fetcher->by_image) /* one for each shape and class of values */
        snprintf(name, sizeof name, "fetch_%d_%s", (int)texture->shape,
                 texture->format <= MODEL_SRGB8 ? "float4"
                 : texture->format <= MODEL_U32 ? "uint4"
                                                : "int4");
    cl_kernel kernel = clCreateKernel(fetcher->program, name, &error);
    must(error);
    return kernel;
}

enum { GROUP = 64 };

static cl_mem make_coordinates(const struct fetcher *fetcher, const struct model_coordinates *at,
                               size_t count)
{
    const size_t padded = round_up(count, GROUP);
    float(*rows)[8] = calloc(padded, sizeof *rows);
    cl_int error;

    assert_non_null(rows);
    for (size_t i = 0; i < count; i++)
        memcpy(rows[i], &at[i], sizeof at[i]);
    cl_mem coordinates = clCreateBuffer(fetcher->context->cl, CL_MEM_COPY_HOST_PTR,
                                        padded * sizeof *rows, rows, &error);
    must(error);
    free(rows);
    return coordinates;
}

static void run(const struct fetcher *fetcher, cl_kernel kernel, cl_uint next, cl_mem coordinates,
                size_t count, uint32_t *out)
{
    const size_t items = round_up(count, GROUP), group = GROUP;
    cl_int error;
    cl_mem values = clCreateBuffer(fetcher->context->cl, 0, items * 16, NULL, &error);

    must(error);
    must(clSetKernelArg(kernel, next, sizeof coordinates, &coordinates));
    must(clSetKernelArg(kernel, next + 1, sizeof values, &values));
    must(clEnqueueNDRangeKernel(fetcher->queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL));
    must(clEnqueueReadBuffer(fetcher->queue, values, CL_TRUE, 0, count * 16, out, 0, NULL, NULL));
    clReleaseMemObject(values);
}

void fetch_all(const struct fetcher *fetcher, const struct laid_out *laid_out,
               const struct model_texture *texture, enum model_fetch fetch,
               const struct model_coordinates *at, size_t count, uint32_t *out)
{
    const cl_int shape = (cl_int)texture->shape, number = (cl_int)fetch;
    cl_kernel kernel = make_kernel(fetcher, texture);
    cl_mem coordinates = make_coordinates(fetcher, at, count);

    assert_true(count <= FETCH_MOST);
    if (!fetcher->by_image) {
        must(clSetKernelArg(kernel, 0, sizeof laid_out->memory, &laid_out->memory));
        must(clSetKernelArg(kernel, 1, sizeof laid_out->facts, &laid_out->facts));
        must(clSetKernelArg(kernel, 4, sizeof shape, &shape));
        must(clSetKernelArg(kernel, 5, sizeof number, &number));
        run(fetcher, kernel, 2, coordinates, count, out);
    } else {
        cl_mem image = make_image(fetcher, texture);
        cl_sampler sampler = make_sampler(fetcher, &laid_out->facts);
        const struct clem_image facts = clem_image_of(&laid_out->facts);
        assert_non_null(image);
        must(clSetKernelArg(kernel, 0, sizeof image, &image));
        must(clSetKernelArg(kernel, 1, sizeof sampler, &sampler));
        must(clSetKernelArg(kernel, 2, sizeof facts, &facts));
        must(clSetKernelArg(kernel, 5, sizeof number, &number));
        run(fetcher, kernel, 3, coordinates, count, out);
        clReleaseMemObject(image);
        clReleaseSampler(sampler);
    }
    clReleaseMemObject(coordinates);
    clReleaseKernel(kernel);
}
