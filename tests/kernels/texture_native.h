/* The recorded fetches of texture_native.def.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_TEXTURE_NATIVE_H
#define TESTS_TEXTURE_NATIVE_H

#include <stddef.h>

#include "tests/kernels/texture_model.h"

struct native_sample {
    enum model_fetch fetch;
    uint32_t at[6], bits[4];
};

/* A texture and the samples from [first, end). */
struct native_texture {
    struct model_texture texture;
    size_t first, end;
};

extern const struct native_sample native_samples[];
extern const size_t native_texture_count;

struct native_texture native_texture(size_t index);
struct model_coordinates native_coordinates(const struct native_sample *sample);

/* Whether values that came out may stand for what the hardware gave. The hardware's coordinates
 * have fewer bits than floats where they are normalised, its filters on small formats work on whole
 * numbers, and its sRGB table has eight bits: how far off that may be depends on the texels around,
 * which is what the model knows. */
bool native_is_near(const struct model_texture *texture, const struct native_sample *sample,
                    const double real[4], const uint32_t bits[4]);

#endif
