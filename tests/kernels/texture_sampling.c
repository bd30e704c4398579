/* Tests of the device header's fetches: by hand and by image, against the model and the hardware.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "tests/cl/arena.h"
#include "tests/kernels/texture_device.h"
#include "tests/kernels/texture_native.h"

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- What hardware gave ---- */

static void check_native_run(const struct fetcher *fetcher, const struct laid_out *laid_out,
                             const struct native_texture *native, size_t first, size_t end)
{
    static struct model_coordinates at[FETCH_MOST];
    static uint32_t out[4 * FETCH_MOST];

    for (size_t row = first; row < end; row++)
        at[row - first] = native_coordinates(&native_samples[row]);
    fetch_all(fetcher, laid_out, &native->texture, native_samples[first].fetch, at, end - first,
              out);
    for (size_t row = first; row < end; row++) {
        const uint32_t *bits = out + 4 * (row - first);
        double real[4];
        for (int i = 0; i < 4; i++)
            real[i] = (double)float_of(bits[i]);
        if (!native_is_near(&native->texture, &native_samples[row], real, bits))
            fail_msg("row %zu (shape %d, format %d): %g %g %g %g", row, native->texture.shape,
                     native->texture.format, real[0], real[1], real[2], real[3]);
    }
}

TEST_BODY(sampling_by_hand_is_what_hardware_gave)
{
    struct fetcher fetcher = fetcher_open(NULL);

    for (size_t i = 0; i < native_texture_count; i++) {
        const struct native_texture native = native_texture(i);
        struct laid_out laid_out = lay_out(&fetcher, &native.texture);
        describe_sampling(&laid_out, &native.texture);
        for (size_t row = native.first, end; row < native.end; row = end) {
            for (end = row; end < native.end; end++)
                if (native_samples[end].fetch != native_samples[row].fetch)
                    break;
            check_native_run(&fetcher, &laid_out, &native, row, end);
        }
        lay_out_release(&laid_out);
    }
    fetcher_close(&fetcher);
}

/* ---- Every combination against the model ---- */

enum { WIDTH = 9, HEIGHT = 6, DEPTH = 4, FACE = 5, PLACES = 24 };

static int axes_of(enum model_shape shape)
{
    static const int axes[] = {1, 2, 3, 1, 2, 0, 0, 1};
    return axes[shape];
}

static bool is_cube(enum model_shape shape)
{
    return shape == MODEL_CUBE || shape == MODEL_CUBE_LAYERED;
}

static struct model_texture make_texture(enum model_shape shape, enum model_format format,
                                         int channels)
{
    const bool is_layered = shape == MODEL_1D_LAYERED || shape == MODEL_2D_LAYERED;
    const float border[4] = {0.25f, -0.5f, 1.5f, 0.75f};
    const int32_t whole[4] = {3, -2, 300, 70000};
    struct model_texture texture = {.shape = shape,
                                    .format = format,
                                    .channels = channels,
                                    .width = is_cube(shape) ? FACE : WIDTH,
                                    .height = is_cube(shape)       ? FACE
                                              : axes_of(shape) > 1 ? HEIGHT
                                                                   : 0,
                                    .depth = shape == MODEL_3D ? DEPTH : 0,
                                    .layers = shape == MODEL_CUBE           ? 6
                                              : shape == MODEL_CUBE_LAYERED ? 12
                                              : is_layered                  ? 3
                                                                            : 0,
                                    .levels = 1};

    if (format <= MODEL_SRGB8)
        memcpy(texture.border, border, sizeof border);
    else
        memcpy(texture.border, whole, sizeof whole);
    return texture;
}

/* A coordinate that no rounding moves over the edge of a texel or of a step of a weight. */
static float safe_coordinate(uint64_t *dice, int size, bool is_normalized)
{
    const float steps = (float)random_between(dice, 0, (size_t)size * 5 * 8);
    const float at = steps / 8 - 2 * (float)size + 67.0f / 1024;
    return is_normalized ? at / (float)size : at;
}

static struct model_coordinates random_place(const struct model_texture *texture, uint64_t *dice)
{
    const bool is_normalized = texture->is_normalized;
    struct model_coordinates at = {.w = (float)random_between(dice, 0, 3)};

    if (is_cube(texture->shape)) {
        at.x = (float)random_between(dice, 0, 2000) / 1000 - 1;
        at.y = (float)random_between(dice, 0, 2000) / 1000 - 1.0001f;
        at.z = (float)random_between(dice, 0, 2000) / 1000 - 1.0002f;
        return at;
    }
    at.x = safe_coordinate(dice, texture->width, is_normalized);
    at.y = axes_of(texture->shape) > 1 ? safe_coordinate(dice, texture->height, is_normalized) : 0;
    at.z = texture->shape == MODEL_3D ? safe_coordinate(dice, texture->depth, is_normalized)
                                      : (float)random_between(dice, 0, 5) - 1;
    return at;
}

/* How far a value may be from the model's: nothing where texels are only copied, the rounding of a
 * division where they are scaled, and where they are weighed that of a few operations. By image the
 * weights are the device's own: they may differ by 1/256 on each axis; and NVIDIA's hardware rounds
 * what it filters from halves to halves. sRGB is hardware's table, not the model's curve. */
static double allowed(const struct model_texture *texture, const struct model_value *model,
                      int channel, bool by_image)
{
    const bool is_copied = texture->format <= MODEL_F16 && !texture->is_linear;
    const double of_table = texture->format == MODEL_SRGB8 ? model->scale / 200 + 6e-5 : 0;
    const double of_halves = texture->format == MODEL_F16 && by_image ? model->scale / 2048 : 0;
    const double of_weights =
        texture->is_linear && by_image ? 3.0 / 256 * model->spread[channel] : 0;
    /* The texel of a cube is found by a division, the weights with it: some fall beside a step. */
    const double of_cube =
        texture->is_linear && is_cube(texture->shape) ? 2.0 / 256 * model->spread[channel] : 0;

    if (is_copied)
        return 0;
    return of_table + of_halves + of_weights + of_cube +
           model->scale * (texture->is_linear ? 1e-6 : 2.4e-7);
}

static void check_value(const struct model_texture *texture, enum model_fetch fetch,
                        const struct model_coordinates *at, const uint32_t *bits, bool by_image)
{
    const struct model_value model = model_sample(texture, fetch, at);

    for (int i = 0; i < 4; i++) {
        const double real = (double)float_of(bits[i]);
        const bool is_right =
            model.is_real ? fabs(real - model.real[i]) <= allowed(texture, &model, i, by_image)
                          : model.bits[i] == bits[i];
        if (!is_right)
            fail_msg("shape %d, format %d x %d, address %d %d %d, linear %d, normalized %d, "
                     "levels %d, fetch %d at %g %g %g %g, channel %d: %g (%#x), not %g (%#x)",
                     texture->shape, texture->format, texture->channels, texture->address[0],
                     texture->address[1], texture->address[2], texture->is_linear,
                     texture->is_normalized, texture->levels, fetch, (double)at->x, (double)at->y,
                     (double)at->z, (double)at->w, i, real, bits[i], model.real[i], model.bits[i]);
    }
}

static void check_places(const struct fetcher *fetcher, const struct laid_out *laid_out,
                         const struct model_texture *texture, enum model_fetch fetch,
                         const struct model_coordinates *at, size_t count)
{
    static uint32_t out[4 * FETCH_MOST];

    fetch_all(fetcher, laid_out, texture, fetch, at, count, out);
    for (size_t i = 0; i < count; i++)
        check_value(texture, fetch, &at[i], out + 4 * i, fetcher->by_image);
}

static void check_random(const struct fetcher *fetcher, struct laid_out *laid_out,
                         const struct model_texture *texture, enum model_fetch fetch,
                         uint64_t *dice)
{
    struct model_coordinates at[PLACES];

    for (int i = 0; i < PLACES; i++)
        at[i] = random_place(texture, dice);
    describe_sampling(laid_out, texture);
    check_places(fetcher, laid_out, texture, fetch, at, PLACES);
}

/* The address modes of the axes: all alike, or each its own. */
static void set_modes(struct model_texture *texture, int modes)
{
    static const enum model_address mixed[3] = {MODEL_MIRROR, MODEL_BORDER, MODEL_WRAP};

    for (int i = 0; i < 3; i++)
        texture->address[i] = modes < 4 ? (enum model_address)modes : mixed[i];
}

static void check_modes(const struct fetcher *fetcher, struct laid_out *laid_out,
                        struct model_texture *texture, uint64_t *dice)
{
    for (int modes = 0; modes < 5; modes++)
        for (int normalized = 0; normalized < 2; normalized++) {
            set_modes(texture, modes);
            texture->is_normalized = normalized || is_cube(texture->shape);
            check_random(fetcher, laid_out, texture, MODEL_PLAIN, dice);
        }
}

static void check_format(const struct fetcher *fetcher, enum model_shape shape,
                         enum model_format format, int channels, uint64_t *dice)
{
    struct model_texture texture = make_texture(shape, format, channels);
    struct laid_out laid_out = lay_out(fetcher, &texture);

    for (int linear = 0; linear < (format <= MODEL_SRGB8 ? 2 : 1); linear++) {
        texture.is_linear = linear;
        check_modes(fetcher, &laid_out, &texture, dice);
    }
    lay_out_release(&laid_out);
}

static void check_shape(enum model_shape shape)
{
    struct fetcher fetcher = fetcher_open(NULL);
    uint64_t dice = 77;

    for (int format = 0; format < MODEL_FORMATS; format++)
        for (int channels = 1; channels <= 4; channels *= 2)
            check_format(&fetcher, shape, (enum model_format)format, channels, &dice);
    fetcher_close(&fetcher);
}

TEST_BODY(sampling_by_hand_1d)
{
    check_shape(MODEL_1D);
}
TEST_BODY(sampling_by_hand_2d)
{
    check_shape(MODEL_2D);
}
TEST_BODY(sampling_by_hand_3d)
{
    check_shape(MODEL_3D);
}
TEST_BODY(sampling_by_hand_1d_layered)
{
    check_shape(MODEL_1D_LAYERED);
}
TEST_BODY(sampling_by_hand_2d_layered)
{
    check_shape(MODEL_2D_LAYERED);
}
TEST_BODY(sampling_by_hand_cube)
{
    check_shape(MODEL_CUBE);
}
TEST_BODY(sampling_by_hand_cube_layered)
{
    check_shape(MODEL_CUBE_LAYERED);
}

/* ---- Gather, linear memory, levels, views ---- */

TEST_BODY(sampling_by_hand_gathers)
{
    struct fetcher fetcher = fetcher_open(NULL);
    uint64_t dice = 78;

    for (int format = 0; format < MODEL_FORMATS; format++) {
        struct model_texture texture = make_texture(MODEL_2D, (enum model_format)format, 4);
        struct laid_out laid_out = lay_out(&fetcher, &texture);
        for (int modes = 0; modes < 5; modes++) {
            set_modes(&texture, modes);
            texture.is_normalized = modes % 2 == 0;
            check_random(&fetcher, &laid_out, &texture, MODEL_GATHER, &dice);
        }
        lay_out_release(&laid_out);
    }
    fetcher_close(&fetcher);
}

TEST_BODY(sampling_by_hand_fetches_linear_memory)
{
    static const float indices[] = {-2147483648.0f, -1, 0, 1, WIDTH - 1, WIDTH, WIDTH + 1, 1000000};
    struct fetcher fetcher = fetcher_open(NULL);
    struct model_coordinates at[8];

    for (int i = 0; i < 8; i++)
        at[i] = (struct model_coordinates){.x = indices[i]};
    for (int format = 0; format < MODEL_FORMATS; format++)
        for (int channels = 1; channels <= 4; channels *= 2) {
            struct model_texture texture =
                make_texture(MODEL_BUFFER, (enum model_format)format, channels);
            struct laid_out laid_out = lay_out(&fetcher, &texture);
            describe_sampling(&laid_out, &texture);
            check_places(&fetcher, &laid_out, &texture, MODEL_FETCH, at, 8);
            lay_out_release(&laid_out);
        }
    fetcher_close(&fetcher);
}

static void check_levels(const struct fetcher *fetcher, struct model_texture *texture,
                         uint64_t *dice)
{
    struct laid_out laid_out = lay_out(fetcher, texture);
    struct model_coordinates at[PLACES];

    for (int how = 0; how < 8; how++) {
        texture->is_linear = (how & 1) && texture->format <= MODEL_SRGB8;
        texture->is_level_linear = how >> 1 & 1;
        texture->bias = how & 4 ? 0.75f : 0;
        texture->least = how & 4 ? 0.5f : 0;
        texture->most = how & 4 ? 2.25f : 100;
        describe_sampling(&laid_out, texture);
        for (int i = 0; i < PLACES; i++) {
            at[i] = random_place(texture, dice);
            at[i].w = (float)i / 4 - 0.99f; /* beside steps and halves */
        }
        check_places(fetcher, &laid_out, texture, MODEL_LOD, at, PLACES);
        check_random(fetcher, &laid_out, texture, MODEL_PLAIN, dice);
    }
    lay_out_release(&laid_out);
}

/* Sizes of 16, 8 and 4 have no rounding at any level: the model's steps are the device's. */
TEST_BODY(sampling_by_hand_chooses_levels)
{
    static const enum model_shape shapes[] = {MODEL_1D, MODEL_2D, MODEL_3D, MODEL_1D_LAYERED,
                                              MODEL_2D_LAYERED};
    static const enum model_format formats[] = {MODEL_F32, MODEL_UNORM8, MODEL_F16, MODEL_S16};
    struct fetcher fetcher = fetcher_open(NULL);
    uint64_t dice = 79;

    for (int i = 0; i < 20; i++) {
        struct model_texture texture =
            make_texture(shapes[i % 5], formats[i % 4], i % 3 == 0 ? 4 : 1);
        texture.width = 16;
        texture.height = texture.height > 0 ? 8 : 0;
        texture.depth = texture.depth > 0 ? 4 : 0;
        texture.levels = 5;
        texture.is_normalized = true;
        for (int k = 0; k < 3; k++)
            texture.address[k] = (enum model_address)((i + k) % 4);
        check_levels(&fetcher, &texture, &dice);
    }
    fetcher_close(&fetcher);
}

/* A view of some layers has its first one as layer 0. */
TEST_BODY(sampling_by_hand_starts_at_the_first_layer)
{
    struct fetcher fetcher = fetcher_open(NULL);
    struct model_texture texture = make_texture(MODEL_2D_LAYERED, MODEL_F32, 1);
    struct laid_out laid_out = lay_out(&fetcher, &texture);
    struct model_coordinates view[4], whole[4];
    uint32_t from_view[16], from_whole[16];

    for (int i = 0; i < 4; i++) { /* layers 0, 1 and, beyond them, -1 and 2 of a view of two */
        static const float numbers[] = {0, 1, -1, 2};
        view[i] = (struct model_coordinates){.x = 2.5f, .y = 3.5f, .z = numbers[i]};
        whole[i] = view[i];
        whole[i].z = i == 0 ? 1 : 2;
    }
    set_modes(&texture, MODEL_CLAMP);
    describe_sampling(&laid_out, &texture);
    fetch_all(&fetcher, &laid_out, &texture, MODEL_PLAIN, whole, 4, from_whole);
    laid_out.facts.first_layer = 1;
    laid_out.facts.layers = 2;
    fetch_all(&fetcher, &laid_out, &texture, MODEL_PLAIN, view, 4, from_view);
    assert_memory_equal(from_view, from_whole, sizeof from_view);
    assert_int_not_equal(from_view[0], from_view[4]);
    lay_out_release(&laid_out);
    fetcher_close(&fetcher);
}

/* ---- Images ---- */

static bool has_format(const struct fetcher *fetcher, cl_mem_object_type type,
                       enum model_format format, int channels)
{
    static const cl_channel_type types[] = {CL_FLOAT,
                                            CL_HALF_FLOAT,
                                            CL_UNORM_INT8,
                                            CL_UNORM_INT16,
                                            CL_SNORM_INT8,
                                            CL_SNORM_INT16,
                                            0,
                                            CL_UNSIGNED_INT8,
                                            CL_UNSIGNED_INT16,
                                            CL_UNSIGNED_INT32,
                                            CL_SIGNED_INT8,
                                            CL_SIGNED_INT16,
                                            CL_SIGNED_INT32};
    const cl_channel_order order = channels == 1 ? CL_R : channels == 2 ? CL_RG : CL_RGBA;
    cl_image_format formats[512];
    cl_uint count = 0;

    clGetSupportedImageFormats(fetcher->context->cl, CL_MEM_READ_ONLY, type, 512, formats, &count);
    for (cl_uint i = 0; i < count && i < 512; i++)
        if (formats[i].image_channel_order == order &&
            formats[i].image_channel_data_type == types[format])
            return true;
    return false;
}

/* PoCL, up to 3.1 at least, reads halves as whole numbers, and scales the number of the layer where
 * coordinates are normalised. */
static bool is_known_wrong(const struct fetcher *fetcher, const struct model_texture *texture)
{
    char version[200] = "";

    clGetDeviceInfo(fetcher->context->device->id, CL_DEVICE_VERSION, sizeof version, version, NULL);
    return strstr(version, "PoCL") &&
           (texture->format == MODEL_F16 ||
            (texture->is_normalized && texture->shape >= MODEL_1D_LAYERED));
}

/* What a sampler can do alone: see clem_texture.h. */
static void check_image(const struct fetcher *fetcher, enum model_shape shape,
                        enum model_format format, int channels, uint64_t *dice)
{
    struct model_texture texture = make_texture(shape, format, channels);
    struct laid_out laid_out = lay_out(fetcher, &texture);

    memset(texture.border, 0, sizeof texture.border);
    for (int linear = 0; linear < (format <= MODEL_SRGB8 ? 2 : 1); linear++)
        for (int modes = is_cube(shape) ? MODEL_CLAMP : 0; modes < (is_cube(shape) ? 2 : 4);
             modes++)
            for (int normalized = is_cube(shape); normalized < 2; normalized++) {
                texture.is_linear = linear;
                texture.is_normalized = normalized;
                set_modes(&texture, modes);
                if (!normalized && (modes == MODEL_WRAP || modes == MODEL_MIRROR))
                    continue;
                if (is_known_wrong(fetcher, &texture))
                    continue;
                check_random(fetcher, &laid_out, &texture, MODEL_PLAIN, dice);
                if (shape == MODEL_2D)
                    check_random(fetcher, &laid_out, &texture, MODEL_GATHER, dice);
            }
    lay_out_release(&laid_out);
}

static void check_images(const char *type, enum model_format first, enum model_format last)
{
    static const cl_mem_object_type types[] = {
        CL_MEM_OBJECT_IMAGE1D,       CL_MEM_OBJECT_IMAGE2D,       CL_MEM_OBJECT_IMAGE3D,
        CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE2D_ARRAY,
        CL_MEM_OBJECT_IMAGE2D_ARRAY};
    struct fetcher fetcher = fetcher_open(type);
    uint64_t dice = 80;
    int count = 0;

    for (int shape = MODEL_1D; shape <= MODEL_CUBE_LAYERED; shape++)
        for (int i = 3 * (int)first; i < 3 * ((int)last + 1); i++) {
            const enum model_format format = (enum model_format)(i / 3);
            const int channels = 1 << i % 3;
            if (!has_format(&fetcher, types[shape], format, channels))
                continue;
            check_image(&fetcher, (enum model_shape)shape, format, channels, &dice);
            count++;
        }
    fetcher_close(&fetcher);
    if (count == 0)
        TEST_SKIP("the device has no image format of CUDA's");
}

TEST_BODY(sampling_by_image_of_floats)
{
    check_images("float4", MODEL_F32, MODEL_SNORM16);
}
TEST_BODY(sampling_by_image_of_unsigned_numbers)
{
    check_images("uint4", MODEL_U8, MODEL_U32);
}
TEST_BODY(sampling_by_image_of_signed_numbers)
{
    check_images("int4", MODEL_S8, MODEL_S32);
}
