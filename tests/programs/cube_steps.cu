/* Cubes that are fetched from with the steps that choose a level: each level has its own number in all texels, and a linear
 * filter between levels tells which one was read. The step on the face is found here from two directions.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

enum { SIZE = 32, LEVELS = 6, CUBES = 2, CASES = 600 };

struct steps {
    float4 at, dx, dy;
};

__global__ void fetch(cudaTextureObject_t cube, cudaTextureObject_t cubes, const steps *list,
                      float2 *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= CASES)
        return;
    const steps s = list[i];
    out[i].x = texCubemapGrad<float>(cube, s.at.x, s.at.y, s.at.z, s.dx, s.dy);
    out[i].y = texCubemapLayeredGrad<float>(cubes, s.at.x, s.at.y, s.at.z, i % CUBES, s.dx, s.dy);
}

static cudaTextureObject_t make_cube(cudaMipmappedArray_t *array, int layers, unsigned flags)
{
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CUDA(cudaMallocMipmappedArray(array, &format, make_cudaExtent(SIZE, SIZE, layers), LEVELS,
                                  flags));
    for (int level = 0; level < LEVELS; level++) {
        const size_t size = SIZE >> level;
        std::vector<float> texels(size * size * layers);
        for (size_t i = 0; i < texels.size(); i++)
            texels[i] = level + 100.0f * (i / (size * size) / 6);
        cudaMemcpy3DParms copy = {};
        CUDA(cudaGetMipmappedArrayLevel(&copy.dstArray, *array, level));
        copy.srcPtr = make_cudaPitchedPtr(texels.data(), size * sizeof(float), size, size);
        copy.extent = make_cudaExtent(size, size, layers);
        copy.kind = cudaMemcpyHostToDevice;
        CUDA(cudaMemcpy3D(&copy));
    }
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = *array;
    cudaTextureDesc texture = {};
    texture.normalizedCoords = 1;
    texture.filterMode = cudaFilterModePoint;
    texture.mipmapFilterMode = cudaFilterModeLinear;
    texture.maxMipmapLevelClamp = LEVELS - 1;
    for (cudaTextureAddressMode &mode : texture.addressMode)
        mode = cudaAddressModeClamp;
    cudaTextureObject_t object;
    CUDA(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
    return object;
}

/* How many texels of the finest level two directions through one face are apart. */
static double distance(const double from[3], const double to[3])
{
    int major = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(from[k]) > fabs(from[major]))
            major = k;
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        const double step = to[k] / fabs(to[major]) - from[k] / fabs(from[major]);
        sum += k == major ? 0 : step * step;
    }
    return sqrt(sum) * SIZE / 2;
}

static double expected_level(const steps &s)
{
    const double tiny = 1e-6, from[3] = {s.at.x, s.at.y, s.at.z};
    double longest = 0;
    for (const float4 &step : {s.dx, s.dy}) {
        const double to[3] = {from[0] + tiny * step.x, from[1] + tiny * step.y,
                              from[2] + tiny * step.z};
        longest = fmax(longest, distance(from, to) / tiny);
    }
    return fmin(fmax(log2(longest), 0), LEVELS - 1);
}

static float4 random_vector(uint64_t index, float size)
{
    const std::vector<float> v = random_floats(3, -size, size, 3 * index);
    return make_float4(v[0], v[1], v[2], 0);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    cudaMipmappedArray_t arrays[2];
    const cudaTextureObject_t cube = make_cube(&arrays[0], 6, cudaArrayCubemap);
    const cudaTextureObject_t cubes =
        make_cube(&arrays[1], 6 * CUBES, cudaArrayCubemap | cudaArrayLayered);
    std::vector<steps> list(CASES);
    for (int i = 0; i < CASES; i++)
        list[i] = {random_vector(3 * i, 2), random_vector(3 * i + 1, 0.01f * (1 + i % 60)),
                   random_vector(3 * i + 2, 0.01f * (1 + i % 7))};
    device_array<steps> given(list);
    device_array<float2> out(CASES);
    fetch<<<(CASES + 63) / 64, 64>>>(cube, cubes, given.data, out.data);
    LAUNCHED();
    const std::vector<float2> got = out.host();
    int between = 0;
    for (int i = 0; i < CASES; i++) {
        const double level = expected_level(list[i]);
        between += level > 0 && level < LEVELS - 1;
        EXPECT(fabs(got[i].x - level) < 1.5 / 256);
        EXPECT(fabs(got[i].y - 100.0 * (i % CUBES) - level) < 1.5 / 256);
    }
    EXPECT(between > CASES / 2);
    for (cudaTextureObject_t object : {cube, cubes})
        CUDA(cudaDestroyTextureObject(object));
    for (cudaMipmappedArray_t array : arrays)
        CUDA(cudaFreeMipmappedArray(array));
    return program_end();
}
