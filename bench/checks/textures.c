/* Checks of textures and surfaces by exact values.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "bench/checks/checks.h"

enum { WIDTH = 8, HEIGHT = 4, MOST = 600 };

struct texels {
    cudaLibrary_t library;
    cudaArray_t array;
    float *places, *values; /* on the device */
};

/* Texel (x, y) is 16 * x + 256 * y. */
static float texel(int x, int y)
{
    return (float)(16 * x + 256 * y);
}

static bool open_texels(struct attempt *attempt, struct texels *all)
{
    const struct cudaChannelFormatDesc format =
        cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    float texels[HEIGHT][WIDTH];
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            texels[y][x] = texel(x, y);
    return check_load(attempt, "check_texture", &all->library) &&
           cuda_ok(attempt, cudaMallocArray(&all->array, &format, WIDTH, HEIGHT, 0),
                   "cudaMallocArray") &&
           cuda_ok(attempt,
                   cudaMemcpy2DToArray(all->array, 0, 0, texels, sizeof texels[0], sizeof texels[0],
                                       HEIGHT, cudaMemcpyHostToDevice),
                   "cudaMemcpy2DToArray") &&
           cuda_ok(attempt, cudaMalloc((void **)&all->places, MOST * 2 * sizeof(float)),
                   "cudaMalloc") &&
           cuda_ok(attempt, cudaMalloc((void **)&all->values, MOST * sizeof(float)), "cudaMalloc");
}

static void close_texels(struct texels *all)
{
    check_unload(all->library);
    if (all->array)
        cudaFreeArray(all->array);
    cudaFree(all->places);
    cudaFree(all->values);
}

/* How a texture is read: what the checks change of a description. */
struct sampling {
    enum cudaTextureFilterMode filter;
    enum cudaTextureAddressMode address;
    int is_normalized;
};

/* values[i] = the texture at (places[2 * i], places[2 * i + 1]). */
static bool sample(struct attempt *attempt, struct texels *all, struct sampling how,
                   const float *places, float *values, unsigned count)
{
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray};
    struct cudaTextureDesc description = {
        .addressMode = {how.address, how.address, how.address},
        .filterMode = how.filter,
        .readMode = cudaReadModeElementType,
        .normalizedCoords = how.is_normalized,
    };
    cudaTextureObject_t texture = 0;
    void *arguments[] = {&texture, &all->places, &all->values};
    resource.res.array.array = all->array;
    bool fine =
        cuda_ok(attempt, cudaCreateTextureObject(&texture, &resource, &description, NULL),
                "cudaCreateTextureObject") &&
        cuda_ok(attempt,
                cudaMemcpy(all->places, places, count * 2 * sizeof *places, cudaMemcpyHostToDevice),
                "cudaMemcpy") &&
        check_launch(attempt, all->library, "check_texel", (dim3){count, 1, 1}, (dim3){1, 1, 1},
                     arguments) &&
        cuda_ok(attempt,
                cudaMemcpy(values, all->values, count * sizeof *values, cudaMemcpyDeviceToHost),
                "cudaMemcpy");
    if (texture)
        cudaDestroyTextureObject(texture);
    return fine;
}

static bool is_value(struct attempt *attempt, float value, float expected, const float *place,
                     const char *what)
{
    return value == expected ||
           attempt_fail(attempt, STATUS_ERROR, "%s: (%g, %g) is %.9g instead of %.9g", what,
                        (double)place[0], (double)place[1], (double)value, (double)expected);
}

/* Coordinate i + 0.5 is the middle of texel i; integers fall between two. */
static bool are_centres(struct attempt *attempt, struct texels *all)
{
    static const struct sampling point = {cudaFilterModePoint, cudaAddressModeClamp, 0};
    static const struct sampling linear = {cudaFilterModeLinear, cudaAddressModeClamp, 0};
    float places[2 * 4 * WIDTH], values[4 * WIDTH];
    for (int x = 0; x < WIDTH; x++)
        for (int k = 0; k < 4; k++) {
            places[2 * (4 * x + k)] = (float)x + 0.25f * (float)k;
            places[2 * (4 * x + k) + 1] = 1.5f;
        }
    if (!sample(attempt, all, point, places, values, 4 * WIDTH))
        return false;
    for (int i = 0; i < 4 * WIDTH; i++)
        if (!is_value(attempt, values[i], texel(i / 4, 1), places + 2 * i, "nearest"))
            return false;
    if (!sample(attempt, all, linear, places, values, 4 * WIDTH))
        return false;
    for (int i = 0; i < 4 * WIDTH; i++) {
        float at = fminf(fmaxf(places[2 * i] - 0.5f, 0), WIDTH - 1);
        if (!is_value(attempt, values[i], 16 * at + 256, places + 2 * i, "linear"))
            return false;
    }
    return true;
}

/* Linear memory has no filter and no 0.5: tex1Dfetch(i) is element i. */
static bool is_fetched(struct attempt *attempt, struct texels *all)
{
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeLinear};
    const struct cudaTextureDesc description = {.readMode = cudaReadModeElementType};
    cudaTextureObject_t texture = 0;
    float elements[WIDTH], values[WIDTH];
    void *arguments[] = {&texture, &all->values};
    resource.res.linear.devPtr = all->places;
    resource.res.linear.desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    resource.res.linear.sizeInBytes = sizeof elements;
    for (int i = 0; i < WIDTH; i++)
        elements[i] = (float)(i * i + 3);
    bool fine =
        cuda_ok(attempt, cudaMemcpy(all->places, elements, sizeof elements, cudaMemcpyHostToDevice),
                "cudaMemcpy") &&
        cuda_ok(attempt, cudaCreateTextureObject(&texture, &resource, &description, NULL),
                "cudaCreateTextureObject") &&
        check_launch(attempt, all->library, "check_texel_linear", (dim3){1, 1, 1},
                     (dim3){WIDTH, 1, 1}, arguments) &&
        cuda_ok(attempt, cudaMemcpy(values, all->values, sizeof values, cudaMemcpyDeviceToHost),
                "cudaMemcpy") &&
        check_that(attempt, memcmp(values, elements, sizeof values) == 0,
                   "tex1Dfetch gave other elements");
    if (texture)
        cudaDestroyTextureObject(texture);
    return fine;
}

bool check_texel_centres(struct attempt *attempt)
{
    struct texels all = {NULL, NULL, NULL, NULL};
    bool fine =
        open_texels(attempt, &all) && are_centres(attempt, &all) && is_fetched(attempt, &all);
    close_texels(&all);
    return fine;
}

/* Weights have 8 bits behind the point: between texels that differ by 256, values are integers. */
static bool has_steps(struct attempt *attempt, struct texels *all)
{
    static const struct sampling linear = {cudaFilterModeLinear, cudaAddressModeClamp, 0};
    static float places[2 * 513], values[513];
    for (int i = 0; i <= 512; i++) {
        places[2 * i] = 0.5f;
        places[2 * i + 1] = 0.5f + (float)i / 512;
    }
    if (!sample(attempt, all, linear, places, values, 513))
        return false;
    for (int i = 0; i <= 512; i++) {
        float exact = (float)i / 2; /* of 256 */
        if (values[i] != floorf(values[i]) || fabsf(values[i] - exact) > 0.5f)
            return attempt_fail(attempt, STATUS_ERROR,
                                "a weight of %d/512 gave %.9g: not one of the 256 steps beside it",
                                i, (double)values[i]);
    }
    return true;
}

/* The texel that a place outside stands for; -1: the border, which is 0. */
static int addressed(enum cudaTextureAddressMode mode, int i)
{
    switch (mode) {
    case cudaAddressModeWrap:
        return (i % WIDTH + WIDTH) % WIDTH;
    case cudaAddressModeMirror:
        i = (i % (2 * WIDTH) + 2 * WIDTH) % (2 * WIDTH);
        return i < WIDTH ? i : 2 * WIDTH - 1 - i;
    case cudaAddressModeBorder:
        return i < 0 || i >= WIDTH ? -1 : i;
    case cudaAddressModeClamp:
        break;
    }
    return i < 0 ? 0 : i >= WIDTH ? WIDTH - 1 : i;
}

static bool is_addressed(struct attempt *attempt, struct texels *all,
                         enum cudaTextureAddressMode mode)
{
    const struct sampling how = {cudaFilterModePoint, mode, 1};
    enum { FIRST = -2 * WIDTH - 1, COUNT = 5 * WIDTH };
    float places[2 * COUNT], values[COUNT];
    for (int i = 0; i < COUNT; i++) {
        places[2 * i] = ((float)(FIRST + i) + 0.5f) / WIDTH;
        places[2 * i + 1] = 1.5f / HEIGHT;
    }
    if (!sample(attempt, all, how, places, values, COUNT))
        return false;
    for (int i = 0; i < COUNT; i++) {
        static const char *const names[] = {"wrap", "clamp", "mirror", "border"};
        const int at = addressed(mode, FIRST + i);
        if (!is_value(attempt, values[i], at < 0 ? 0 : texel(at, 1), places + 2 * i, names[mode]))
            return false;
    }
    return true;
}

bool check_texel_values(struct attempt *attempt)
{
    struct texels all = {NULL, NULL, NULL, NULL};
    bool fine = open_texels(attempt, &all) && has_steps(attempt, &all) &&
                is_addressed(attempt, &all, cudaAddressModeWrap) &&
                is_addressed(attempt, &all, cudaAddressModeClamp) &&
                is_addressed(attempt, &all, cudaAddressModeMirror) &&
                is_addressed(attempt, &all, cudaAddressModeBorder);
    close_texels(&all);
    return fine;
}

struct surface {
    cudaLibrary_t library;
    cudaArray_t array;
    cudaSurfaceObject_t surface;
    cudaTextureObject_t texture;
    uint32_t *target;
};

static bool open_surface(struct attempt *attempt, struct surface *all)
{
    const struct cudaChannelFormatDesc format =
        cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindUnsigned);
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray};
    const struct cudaTextureDesc description = {.readMode = cudaReadModeElementType};
    if (!check_load(attempt, "check_texture", &all->library) ||
        !cuda_ok(attempt,
                 cudaMallocArray(&all->array, &format, WIDTH, HEIGHT, cudaArraySurfaceLoadStore),
                 "cudaMallocArray"))
        return false;
    resource.res.array.array = all->array;
    return cuda_ok(attempt, cudaCreateSurfaceObject(&all->surface, &resource),
                   "cudaCreateSurfaceObject") &&
           cuda_ok(attempt, cudaCreateTextureObject(&all->texture, &resource, &description, NULL),
                   "cudaCreateTextureObject") &&
           cuda_ok(attempt, cudaMalloc((void **)&all->target, WIDTH * HEIGHT * 4), "cudaMalloc");
}

/* A kernel writes, a later one reads through a texture, and copies bring the same. */
static bool use_surface(struct attempt *attempt, struct surface *all, uint32_t value)
{
    uint32_t expected[HEIGHT][WIDTH], back[HEIGHT][WIDTH];
    void *write[] = {&all->surface, &value}, *read[] = {&all->texture, &all->target};
    const dim3 one = {1, 1, 1}, local = {WIDTH, HEIGHT, 1};
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++)
            expected[y][x] = value + x + 1000 * y;
    return check_launch(attempt, all->library, "check_surface", one, local, write) &&
           check_launch(attempt, all->library, "check_texel_uint", one, local, read) &&
           check_words_at(attempt, all->target, expected[0], WIDTH * HEIGHT) &&
           cuda_ok(attempt,
                   cudaMemcpy2DFromArray(back, sizeof back[0], all->array, 0, 0, sizeof back[0],
                                         HEIGHT, cudaMemcpyDeviceToHost),
                   "cudaMemcpy2DFromArray") &&
           check_that(attempt, memcmp(back, expected, sizeof back) == 0,
                      "a copy from the array brought other elements");
}

/* Reading what the same kernel writes is undefined, so each step is a kernel of its own. */
bool check_surfaces(struct attempt *attempt)
{
    struct surface all = {NULL, NULL, 0, 0, NULL};
    bool fine = open_surface(attempt, &all) && use_surface(attempt, &all, 7) &&
                use_surface(attempt, &all, 4000000000u);
    if (all.surface)
        cudaDestroySurfaceObject(all.surface);
    if (all.texture)
        cudaDestroyTextureObject(all.texture);
    check_unload(all.library);
    if (all.array)
        cudaFreeArray(all.array);
    cudaFree(all.target);
    return fine;
}
