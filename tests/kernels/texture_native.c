/* Tests of the texture model against what hardware gave.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/texture_native.h"

#include <math.h>
#include <string.h>

#include "tests/test.h"

/* ---- The table ---- */

#define TEXTURE(shape_, format_, channels_, w, h, d, layers_, levels_, index, ax, ay, az, linear,  \
                level, normalized, seamless, b0, b1, b2, b3, bias_, least_, most_)                 \
    {.shape = MODEL_##shape_,                                                                      \
     .format = MODEL_##format_,                                                                    \
     .channels = (channels_),                                                                      \
     .width = (w),                                                                                 \
     .height = (h),                                                                                \
     .depth = (d),                                                                                 \
     .layers = (layers_),                                                                          \
     .levels = (levels_),                                                                          \
     .is_index = (index),                                                                          \
     .address = {(ax), (ay), (az)},                                                                \
     .is_linear = (linear),                                                                        \
     .is_level_linear = (level),                                                                   \
     .is_normalized = (normalized),                                                                \
     .is_seamless = (seamless),                                                                    \
     .border = {(b0), (b1), (b2), (b3)},                                                           \
     .bias = (float)(bias_),                                                                       \
     .least = (float)(least_),                                                                     \
     .most = (float)(most_)},
#define SAMPLE(fetch, x, y, z, w, a, b, r0, r1, r2, r3)
static const struct model_texture textures[] = {
#include "tests/kernels/texture_native.def"
};
#undef TEXTURE
#undef SAMPLE

/* Each texture ends the samples of the one before it. */
enum { END_OF_TEXTURE = -1 };
#define TEXTURE(...) {(enum model_fetch)END_OF_TEXTURE, {0}, {0}},
#define SAMPLE(fetch, x, y, z, w, a, b, r0, r1, r2, r3)                                            \
    {MODEL_##fetch, {(x), (y), (z), (w), (a), (b)}, {(r0), (r1), (r2), (r3)}},
const struct native_sample native_samples[] = {
#include "tests/kernels/texture_native.def"
};
#undef TEXTURE
#undef SAMPLE

const size_t native_texture_count = sizeof textures / sizeof textures[0];
static const size_t row_count = sizeof native_samples / sizeof native_samples[0];

static bool is_sample(size_t row)
{
    return (int)native_samples[row].fetch != END_OF_TEXTURE;
}

struct native_texture native_texture(size_t index)
{
    struct native_texture found = {.texture = textures[index]};
    size_t row = 0;

    for (size_t seen = 0; seen <= index; row++)
        seen += !is_sample(row);
    found.first = found.end = row;
    while (found.end < row_count && is_sample(found.end))
        found.end++;
    return found;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

struct model_coordinates native_coordinates(const struct native_sample *sample)
{
    const uint32_t *at = sample->at;
    return (struct model_coordinates){float_of(at[0]), float_of(at[1]), float_of(at[2]),
                                      float_of(at[3]), float_of(at[4]), float_of(at[5])};
}

/* ---- Nearness ---- */

static double tolerance(const struct model_texture *texture, const struct model_value *model,
                        int channel)
{
    const double weights = texture->is_linear || texture->is_level_linear ? 1.0 / 256 : 0;
    const double of_format = texture->format == MODEL_SRGB8                          ? 2e-3
                             : texture->format >= MODEL_UNORM8 && texture->is_linear ? 2e-5
                                                                                     : 0;
    return model->spread[channel] * weights + of_format + model->scale * 1e-6;
}

static bool agrees(const struct model_texture *texture, const struct native_sample *sample,
                   const struct model_coordinates *at, const double real[4], const uint32_t bits[4])
{
    const struct model_value model = model_sample(texture, sample->fetch, at);
    const int channels = sample->fetch == MODEL_GATHER ? 4 : texture->channels;

    for (int i = 0; i < channels; i++) {
        if (!model.is_real && model.bits[i] != bits[i])
            return false;
        if (model.is_real && !(fabs(model.real[i] - real[i]) <= tolerance(texture, &model, i)))
            return false;
    }
    return true;
}

/* Moves every coordinate by the hardware's step, down or up. */
static struct model_coordinates moved(const struct model_coordinates *at, float step)
{
    return (struct model_coordinates){at->x + step, at->y + step, at->z + step,
                                      at->w,        at->a,        at->b};
}

bool native_is_near(const struct model_texture *texture, const struct native_sample *sample,
                    const double real[4], const uint32_t bits[4])
{
    const float step = 0x1p-21f;
    const struct model_coordinates at = native_coordinates(sample);
    const struct model_coordinates before = moved(&at, -step), after = moved(&at, step);

    if (agrees(texture, sample, &at, real, bits))
        return true;
    return texture->is_normalized && (agrees(texture, sample, &before, real, bits) ||
                                      agrees(texture, sample, &after, real, bits));
}

/* ---- Tests ---- */

static void check(const struct model_texture *texture, const struct native_sample *sample,
                  size_t row)
{
    double real[4];

    for (int i = 0; i < 4; i++)
        real[i] = (double)float_of(sample->bits[i]);
    if (!native_is_near(texture, sample, real, sample->bits))
        fail_msg("row %zu: the model does not agree with the hardware", row);
}

TEST_BODY(texture_model_is_what_hardware_gave)
{
    size_t count = 0;

    for (size_t i = 0; i < native_texture_count; i++) {
        const struct native_texture native = native_texture(i);
        for (size_t row = native.first; row < native.end; row++, count++)
            check(&native.texture, &native_samples[row], row);
    }
    assert_true(count > 1000);
}

/* The comparison above can fail: a wrong texel is noticed, and so is a wrong weight. */
TEST_BODY(texture_model_notices_differences)
{
    size_t noticed = 0, count = 0;

    for (size_t i = 0; i < native_texture_count; i++) {
        const struct native_texture native = native_texture(i);
        for (size_t row = native.first; row < native.end; row++, count++) {
            const struct native_sample *sample = &native_samples[row];
            uint32_t bits[4];
            double real[4];
            for (int k = 0; k < 4; k++) {
                bits[k] = sample->bits[k] ^ 1;
                real[k] = (double)float_of(sample->bits[k]) + 25;
            }
            noticed += !native_is_near(&native.texture, sample, real, bits);
        }
    }
    assert_true(noticed > count * 99 / 100);
}
