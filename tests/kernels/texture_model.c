/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/texture_model.h"

#include <math.h>
#include <string.h>

static bool is_layered(const struct model_texture *texture)
{
    return texture->shape >= MODEL_1D_LAYERED && texture->shape <= MODEL_CUBE_LAYERED;
}

static bool is_cube(const struct model_texture *texture)
{
    return texture->shape == MODEL_CUBE || texture->shape == MODEL_CUBE_LAYERED;
}

static int dimensions(const struct model_texture *texture)
{
    static const int table[] = {1, 2, 3, 1, 2, 2, 2, 1};
    return table[texture->shape];
}

unsigned model_channel_bytes(enum model_format format)
{
    static const unsigned table[] = {4, 2, 1, 2, 1, 2, 1, 1, 2, 4, 1, 2, 4};
    return table[format];
}

static int at_least_1(int a)
{
    return a > 1 ? a : 1;
}

void model_level_size(const struct model_texture *texture, int level, int size[3])
{
    size[0] = at_least_1(texture->width >> level);
    size[1] = dimensions(texture) >= 2 ? at_least_1(texture->height >> level) : 1;
    size[2] = dimensions(texture) == 3 ? at_least_1(texture->depth >> level)
                                       : at_least_1(texture->layers);
}

static uint32_t mix(uint32_t n)
{
    n = (n ^ (n >> 16)) * 0x7feb352du;
    n = (n ^ (n >> 15)) * 0x846ca68bu;
    return n ^ (n >> 16);
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint32_t model_texel(const struct model_texture *texture, int level, int z, int y, int x,
                     int channel)
{
    if (texture->is_index)
        return (uint32_t)x;
    const uint32_t plane = (uint32_t)level * 64 + (uint32_t)z;
    const uint32_t hash =
        mix(((plane * 64 + (uint32_t)y) * 256 + (uint32_t)x) * 4 + (uint32_t)channel);
    const unsigned bits = 8 * model_channel_bytes(texture->format);
    if (texture->format == MODEL_F32)
        return bits_of((float)(hash & 0xffff) / 16 - 1000);
    if (texture->format == MODEL_F16) /* from 1 to 2 or from -1 to -2 */
        return 0x3c00 + (hash & 0x3ff) + ((hash & 0x400) << 5);
    return bits < 32 ? hash & ((1u << bits) - 1) : hash;
}

/* ---- Channels ---- */

static double half(uint32_t bits)
{
    const int exponent = (int)(bits >> 10 & 31);
    const double fraction = bits & 0x3ff;
    const double size = exponent == 0    ? ldexp(fraction, -24)
                        : exponent == 31 ? (fraction > 0 ? (double)NAN : (double)INFINITY)
                                         : ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -size : size;
}

static double linear_from_srgb(double value)
{
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

/* Of two channels only the first is coded, of four all but the last. */
static bool holds_srgb(const struct model_texture *texture, int channel)
{
    return texture->format == MODEL_SRGB8 && channel < (texture->channels == 2 ? 1 : 3);
}

static double real_channel(const struct model_texture *texture, uint32_t bits, int channel)
{
    switch (texture->format) {
    case MODEL_F32:
        return (double)float_of(bits);
    case MODEL_F16:
        return half(bits);
    case MODEL_UNORM8:
        return bits / 255.0;
    case MODEL_UNORM16:
        return bits / 65535.0;
    case MODEL_SNORM8:
        return fmax((int8_t)bits / 127.0, -1);
    case MODEL_SNORM16:
        return fmax((int16_t)bits / 32767.0, -1);
    case MODEL_SRGB8:
        return holds_srgb(texture, channel) ? linear_from_srgb(bits / 255.0) : bits / 255.0;
    default:
        return 0;
    }
}

static uint32_t integer_channel(enum model_format format, uint32_t bits)
{
    switch (format) {
    case MODEL_S8:
        return (uint32_t)(int8_t)bits;
    case MODEL_S16:
        return (uint32_t)(int16_t)bits;
    default:
        return bits;
    }
}

/* The border's colour comes out as if it had been stored in a texel. */
static double real_border(const struct model_texture *texture, int channel)
{
    const double value = (double)float_of(texture->border[channel]);
    const bool is_coded = holds_srgb(texture, channel);
    switch (texture->format) {
    case MODEL_UNORM8:
    case MODEL_SRGB8:
        return is_coded ? fmin(fmax(value, 0), 1)
                        : floor(fmin(fmax(value, 0), 1) * 255 + 0.5) / 255;
    case MODEL_UNORM16:
        return floor(fmin(fmax(value, 0), 1) * 65535 + 0.5) / 65535;
    case MODEL_SNORM8:
        return floor(fmin(fmax(value, -1), 1) * 127 + 0.5) / 127;
    case MODEL_SNORM16:
        return floor(fmin(fmax(value, -1), 1) * 32767 + 0.5) / 32767;
    default:
        return value;
    }
}

static uint32_t integer_border(const struct model_texture *texture, int channel)
{
    const unsigned bits = 8 * model_channel_bytes(texture->format);
    const uint32_t kept =
        bits < 32 ? texture->border[channel] & ((1u << bits) - 1) : texture->border[channel];
    return integer_channel(texture->format, kept);
}

static bool is_real(const struct model_texture *texture)
{
    return texture->format <= MODEL_SRGB8;
}

/* One channel of a texel of a level; outside: is_border. */
struct tap {
    int x, y, z;
    bool is_border;
    double weight;
};

static double real_tap(const struct model_texture *texture, int level, const struct tap *tap,
                       int channel)
{
    if (channel >= texture->channels)
        return 0;
    if (tap->is_border)
        return real_border(texture, channel);
    return real_channel(texture, model_texel(texture, level, tap->z, tap->y, tap->x, channel),
                        channel);
}

static uint32_t integer_tap(const struct model_texture *texture, int level, const struct tap *tap,
                            int channel)
{
    if (channel >= texture->channels)
        return 0;
    if (tap->is_border)
        return integer_border(texture, channel);
    return integer_channel(texture->format,
                           model_texel(texture, level, tap->z, tap->y, tap->x, channel));
}

/* ---- Coordinates ---- */

/* One axis: the texels on both sides of a coordinate and how far it is to the second, in 256ths. */
struct axis {
    int index[2];
    int beyond[2]; /* the same, not folded into the texture */
    bool is_border[2];
    double fraction;
};

static enum model_address effective(const struct model_texture *texture, int axis)
{
    const enum model_address mode = texture->address[axis];
    if (is_cube(texture) && texture->is_seamless)
        return MODEL_CLAMP;
    return !texture->is_normalized && (mode == MODEL_WRAP || mode == MODEL_MIRROR) ? MODEL_CLAMP
                                                                                   : mode;
}

static int fold(double at, int size, enum model_address mode, bool *is_border)
{
    const double twice = 2.0 * size;
    double index = at;
    switch (mode) {
    case MODEL_WRAP:
        index = at - floor(at / size) * size;
        break;
    case MODEL_MIRROR:
        index = at - floor(at / twice) * twice;
        index = index < size ? index : twice - 1 - index;
        break;
    case MODEL_CLAMP:
        break;
    case MODEL_BORDER:
        *is_border = at < 0 || at >= size;
        break;
    }
    return (int)fmin(fmax(index, 0), size - 1);
}

/* Neither a number nor finite where it would have to be folded: the hardware takes 0. */
static double usable(double coordinate, enum model_address mode)
{
    const bool folds = mode == MODEL_WRAP || mode == MODEL_MIRROR;
    if (isnan(coordinate) || (isinf(coordinate) && folds))
        return 0;
    return fmin(fmax(coordinate, -1e15), 1e15);
}

static struct axis find_axis(const struct model_texture *texture, int axis, double coordinate,
                             int size, bool is_linear)
{
    const enum model_address mode = effective(texture, axis);
    double at = usable(coordinate, mode);
    struct axis found = {.fraction = 0};

    if (texture->is_normalized)
        at *= size;
    double first = floor(at);
    if (is_linear) {
        const double steps = floor((at - 0.5) * 256 + 0.5);
        first = floor(steps / 256);
        found.fraction = steps / 256 - first;
    }
    for (int i = 0; i < 2; i++) {
        found.index[i] = fold(first + i, size, mode, &found.is_border[i]);
        found.beyond[i] = (int)fmin(fmax(first + i, -1e9), 1e9);
    }
    return found;
}

/* ---- Filtering one level ---- */

static int find_face(const double direction[3], double at[2]);

/* A texel beyond one edge of a face is the one of the next face that touches it there. */
static void cross_edge(struct tap *tap, int size)
{
    const double s = (2.0 * tap->x + 1) / size - 1, t = (2.0 * tap->y + 1) / size - 1;
    const double directions[6][3] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t},
                                     {s, -1, -t}, {s, -t, 1},  {-s, -t, -1}};
    double at[2];
    const int face = find_face(directions[tap->z % 6], at);

    tap->z = tap->z / 6 * 6 + face;
    tap->x = (int)fmin(fmax(floor(at[0] * size), 0), size - 1);
    tap->y = (int)fmin(fmax(floor(at[1] * size), 0), size - 1);
}

struct taps {
    struct tap tap[8];
    int count;
};

/* No texel touches a corner from outside: there the other three share its weight. */
static void cross_edges(struct taps *taps, const struct axis axis[2], int size)
{
    int corner = -1;

    for (int i = 0; i < taps->count; i++) {
        struct tap *tap = &taps->tap[i];
        tap->x = axis[0].beyond[i & 1];
        tap->y = axis[1].beyond[i >> 1];
        tap->is_border = false;
        const bool beyond_x = tap->x < 0 || tap->x >= size, beyond_y = tap->y < 0 || tap->y >= size;
        if (beyond_x && beyond_y)
            corner = i;
        else if (beyond_x || beyond_y)
            cross_edge(tap, size);
    }
    if (corner < 0)
        return;
    const double share = taps->tap[corner].weight / 3;
    for (int i = 0; i < taps->count; i++)
        taps->tap[i].weight += share;
    taps->tap[corner] = taps->tap[(corner + 1) % 4];
    taps->tap[corner].weight = 0;
}

static struct taps find_taps(const struct model_texture *texture, int level,
                             const double coordinates[3], int layer)
{
    const int axes = dimensions(texture), corners = texture->is_linear ? 1 << axes : 1;
    struct axis axis[3];
    struct taps taps = {.count = corners};
    int size[3];

    model_level_size(texture, level, size);
    for (int i = 0; i < axes; i++)
        axis[i] = find_axis(texture, i, coordinates[i], size[i], texture->is_linear);
    for (int corner = 0; corner < corners; corner++) {
        struct tap *tap = &taps.tap[corner];
        int at[3] = {0, 0, layer};
        tap->weight = 1;
        for (int i = 0; i < axes; i++) {
            const int side = corner >> i & 1;
            at[i] = axis[i].index[side];
            tap->is_border |= axis[i].is_border[side];
            tap->weight *= side ? axis[i].fraction : 1 - axis[i].fraction;
        }
        tap->x = at[0];
        tap->y = at[1];
        tap->z = at[2];
    }
    if (is_cube(texture) && texture->is_seamless && texture->is_linear)
        cross_edges(&taps, axis, size[0]);
    return taps;
}

static struct model_value filter(const struct model_texture *texture, int level,
                                 const struct taps *taps)
{
    struct model_value value = {.is_real = is_real(texture)};

    for (int channel = 0; channel < 4; channel++) {
        double least = INFINITY, most = -INFINITY;
        for (int i = 0; i < taps->count; i++) {
            const double texel = real_tap(texture, level, &taps->tap[i], channel);
            value.real[channel] += taps->tap[i].weight > 0 ? taps->tap[i].weight * texel : 0;
            least = fmin(least, texel);
            most = fmax(most, texel);
        }
        value.spread[channel] = most - least;
        value.scale = fmax(value.scale, fmax(fabs(most), fabs(least)));
        value.bits[channel] = integer_tap(texture, level, &taps->tap[0], channel);
    }
    return value;
}

/* ---- Cubes ---- */

/* The face that a direction goes through, and where. CUDA's documentation prefers x to y to z where
 * two are equally long; the hardware prefers z to y to x. */
static int find_face(const double direction[3], double at[2])
{
    const double x = direction[0], y = direction[1], z = direction[2];
    const double ax = fabs(x), ay = fabs(y), az = fabs(z);
    double major, s, t;
    int face;

    if (az >= ax && az >= ay) {
        face = z >= 0 ? 4 : 5;
        major = az;
        s = z >= 0 ? x : -x;
        t = -y;
    } else if (ay >= ax) {
        face = y >= 0 ? 2 : 3;
        major = ay;
        s = x;
        t = y >= 0 ? z : -z;
    } else {
        face = x >= 0 ? 0 : 1;
        major = ax;
        s = x >= 0 ? -z : z;
        t = -y;
    }
    at[0] = major > 0 ? (s / major + 1) / 2 : 0.5;
    at[1] = major > 0 ? (t / major + 1) / 2 : 0.5;
    return face;
}

/* ---- Levels ---- */

static struct model_value sample_level(const struct model_texture *texture, int level,
                                       const double coordinates[3], int layer)
{
    const struct taps taps = find_taps(texture, level, coordinates, layer);
    return filter(texture, level, &taps);
}

static struct model_value mix_levels(const struct model_value *fine,
                                     const struct model_value *coarse, double fraction)
{
    struct model_value value = *fine;

    value.scale = fmax(fine->scale, coarse->scale);
    for (int i = 0; i < 4; i++) {
        value.real[i] = fine->real[i] * (1 - fraction) + coarse->real[i] * fraction;
        value.spread[i] =
            fine->spread[i] + coarse->spread[i] + fabs(fine->real[i] - coarse->real[i]);
    }
    return value;
}

static struct model_value sample_levels(const struct model_texture *texture,
                                        const double coordinates[3], int layer, double level)
{
    const int last = at_least_1(texture->levels) - 1;
    const double biased =
        fmin(fmax(level + (double)texture->bias, (double)texture->least), (double)texture->most);
    const double wanted = fmin(fmax(biased, 0), last);

    if (!texture->is_level_linear || !is_real(texture))
        return sample_level(texture, (int)floor(wanted + 0.5), coordinates, layer);
    const double steps = floor(wanted * 256) / 256;
    const int fine = (int)floor(steps), coarse = fine < last ? fine + 1 : last;
    const struct model_value first = sample_level(texture, fine, coordinates, layer);
    const struct model_value second = sample_level(texture, coarse, coordinates, layer);
    return mix_levels(&first, &second, steps - fine);
}

/* The level at which one step on the screen is one texel. */
static double gradient_level(const struct model_texture *texture,
                             const struct model_coordinates *at)
{
    const double w = (double)at->w, a = (double)at->a, b = (double)at->b;
    double dx[3] = {w, 0, 0}, dy[3] = {a, 0, 0};
    int size[3];

    if (texture->shape == MODEL_2D) {
        dx[1] = a;
        dy[0] = b;
    } else if (texture->shape == MODEL_3D) {
        dy[0] = 0;
        dy[1] = a;
        dy[2] = b;
    }
    model_level_size(texture, 0, size);
    double x = 0, y = 0;
    for (int i = 0; i < 3; i++) {
        const double scale = texture->is_normalized ? size[i] : 1;
        x += dx[i] * scale * dx[i] * scale;
        y += dy[i] * scale * dy[i] * scale;
    }
    return log2(fmax(x, y)) / 2;
}

/* ---- Fetches ---- */

/* The four texels that linear filtering would take, one component of each. */
static struct model_value gather(const struct model_texture *texture,
                                 const struct model_coordinates *at)
{
    static const int corners[4] = {2, 3, 1, 0}; /* bit 0: the right one, bit 1: the lower one */
    struct model_texture linear = *texture;
    const double coordinates[3] = {(double)at->x, (double)at->y, 0};
    struct model_value value = {.is_real = is_real(texture)};

    linear.is_linear = true;
    const struct taps taps = find_taps(&linear, 0, coordinates, 0);
    for (int i = 0; i < 4; i++) {
        const struct tap *tap = &taps.tap[corners[i]];
        value.real[i] = real_tap(texture, 0, tap, (int)at->w);
        value.bits[i] = integer_tap(texture, 0, tap, (int)at->w);
        value.scale = fmax(value.scale, fabs(value.real[i]));
    }
    return value;
}

static struct model_value fetch_texel(const struct model_texture *texture, double index)
{
    struct model_value value = {.is_real = is_real(texture)};
    const struct tap tap = {(int)index, 0, 0, false, 1};

    if (index >= 0 && index < texture->width)
        for (int i = 0; i < 4; i++) {
            value.real[i] = real_tap(texture, 0, &tap, i);
            value.bits[i] = integer_tap(texture, 0, &tap, i);
            value.scale = fmax(value.scale, fabs(value.real[i]));
        }
    return value;
}

/* Layers are whole numbers without a sign: those before the first are behind the last. */
static int find_layer(float number, int layers)
{
    return number < 0 || number >= (float)layers ? at_least_1(layers) - 1 : (int)number;
}

struct model_value model_sample(const struct model_texture *texture, enum model_fetch fetch,
                                const struct model_coordinates *at)
{
    double coordinates[3] = {(double)at->x, (double)at->y, (double)at->z};
    int layer = 0;

    if (fetch == MODEL_FETCH)
        return fetch_texel(texture, coordinates[0]);
    if (fetch == MODEL_GATHER)
        return gather(texture, at);
    if (is_cube(texture)) {
        const float cube = texture->shape == MODEL_CUBE_LAYERED ? at->w : 0;
        const int face = find_face(coordinates, coordinates);
        layer = find_layer(cube, texture->layers / 6) * 6 + face;
    } else if (is_layered(texture)) {
        layer = find_layer(at->z, texture->layers);
    }
    const double level = fetch == MODEL_LOD    ? (double)at->w
                         : fetch == MODEL_GRAD ? gradient_level(texture, at)
                                               : -INFINITY;
    return sample_levels(texture, coordinates, layer, level);
}
