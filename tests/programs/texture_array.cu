/* Textures over arrays: texel centres, addressing modes, normalised coordinates, filtering with 8 fraction bits, layers,
 * volumes and one dimension.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

static const int width = 40, height = 24;

struct sampled {
    cudaArray_t array;
    cudaTextureObject_t texture;
};

static sampled make(const std::vector<float> &texels, cudaExtent extent, unsigned flags,
                    cudaTextureAddressMode address, cudaTextureFilterMode filter,
                    bool is_normalised)
{
    sampled made;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CUDA(cudaMalloc3DArray(&made.array, &format, extent, flags));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr((void *)texels.data(), extent.width * sizeof(float),
                                      extent.width, extent.height ? extent.height : 1);
    copy.dstArray = made.array;
    copy.extent = make_cudaExtent(extent.width, extent.height ? extent.height : 1,
                                  extent.depth ? extent.depth : 1);
    copy.kind = cudaMemcpyHostToDevice;
    CUDA(cudaMemcpy3D(&copy));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = made.array;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = address;
    how.filterMode = filter;
    how.normalizedCoords = is_normalised;
    CUDA(cudaCreateTextureObject(&made.texture, &resource, &how, NULL));
    return made;
}

static void drop(sampled made)
{
    CUDA(cudaDestroyTextureObject(made.texture));
    CUDA(cudaFreeArray(made.array));
}

__global__ void sample1(float *out, cudaTextureObject_t texture, const float *x)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex1D<float>(texture, x[i]);
}

__global__ void sample2(float *out, cudaTextureObject_t texture, const float *x, const float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex2D<float>(texture, x[i], y[i]);
}

__global__ void sample3(float *out, cudaTextureObject_t texture, const float *x, const float *y,
                        bool is_layered)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = is_layered ? tex2DLayered<float>(texture, x[i], y[i], i % 3)
                        : tex3D<float>(texture, x[i], y[i], (i % 3) + 0.5f);
}

static const int n = 1024;

/* Coordinates in sixteenths: filter weights are then exact. */
static std::vector<float> sixteenths(int low, int high, int start)
{
    std::vector<float> values(n);
    for (int i = 0; i < n; i++)
        values[i] = (float)(low * 16 + (int)(random_word(start + i) % ((high - low) * 16))) / 16;
    return values;
}

static int clamped(int i, int size)
{
    return i < 0 ? 0 : i >= size ? size - 1 : i;
}

static float bilinear(const std::vector<float> &t, float x, float y)
{
    const float bx = x - 0.5f, by = y - 0.5f, a = bx - floorf(bx), b = by - floorf(by);
    const int i = (int)floorf(bx), j = (int)floorf(by);
    float corners[4];
    for (int k = 0; k < 4; k++)
        corners[k] = t[clamped(j + k / 2, height) * width + clamped(i + k % 2, width)];
    return (1 - a) * (1 - b) * corners[0] + a * (1 - b) * corners[1] + (1 - a) * b * corners[2] +
           a * b * corners[3];
}

static void plane(const std::vector<float> &texels)
{
    const std::vector<float> x = sixteenths(-5, width + 5, 0), y = sixteenths(-5, height + 5, n);
    device_array<float> dx(x), dy(y), out(n);
    const cudaExtent extent = make_cudaExtent(width, height, 0);
    sampled clamp = make(texels, extent, 0, cudaAddressModeClamp, cudaFilterModePoint, false);
    sampled border = make(texels, extent, 0, cudaAddressModeBorder, cudaFilterModePoint, false);
    sampled linear = make(texels, extent, 0, cudaAddressModeClamp, cudaFilterModeLinear, false);
    sample2<<<n / 128, 128>>>(out.data, clamp.texture, dx.data, dy.data);
    LAUNCHED();
    std::vector<float> got = out.host();
    for (int i = 0; i < n; i++)
        EXPECT(
            got[i] ==
            texels[clamped((int)floorf(y[i]), height) * width + clamped((int)floorf(x[i]), width)]);
    result("clamp", got);
    sample2<<<n / 128, 128>>>(out.data, border.texture, dx.data, dy.data);
    LAUNCHED();
    got = out.host();
    for (int i = 0; i < n; i++) {
        const bool is_inside = x[i] >= 0 && x[i] < width && y[i] >= 0 && y[i] < height;
        EXPECT(got[i] == (is_inside ? texels[(int)y[i] * width + (int)x[i]] : 0));
    }
    result("border", got);
    sample2<<<n / 128, 128>>>(out.data, linear.texture, dx.data, dy.data);
    LAUNCHED();
    got = out.host();
    for (int i = 0; i < n; i++)
        EXPECT(fabsf(got[i] - bilinear(texels, x[i], y[i])) <= 1e-3f);
    result("linear", got);
    drop(clamp), drop(border), drop(linear);
}

static void wrapped(const std::vector<float> &texels)
{
    std::vector<float> x(n);
    for (int i = 0; i < n; i++) /* texel centres of a power of two: exact in every form */
        x[i] = ((float)(i % 96 - 32) + 0.5f) / 32;
    device_array<float> dx(x), out(n);
    const cudaExtent extent = make_cudaExtent(32, 0, 0);
    sampled wrap = make(texels, extent, 0, cudaAddressModeWrap, cudaFilterModePoint, true);
    sampled mirror = make(texels, extent, 0, cudaAddressModeMirror, cudaFilterModePoint, true);
    sample1<<<n / 128, 128>>>(out.data, wrap.texture, dx.data);
    LAUNCHED();
    std::vector<float> got = out.host();
    for (int i = 0; i < n; i++)
        EXPECT(got[i] == texels[(i % 96) % 32]);
    sample1<<<n / 128, 128>>>(out.data, mirror.texture, dx.data);
    LAUNCHED();
    got = out.host();
    for (int i = 0; i < n; i++) {
        const int t = (i % 96 + 32) % 64;
        EXPECT(got[i] == texels[t < 32 ? t : 63 - t]);
    }
    drop(wrap), drop(mirror);
}

static void slices(const std::vector<float> &texels)
{
    const std::vector<float> x = sixteenths(0, 16, 5 * n), y = sixteenths(0, 8, 6 * n);
    device_array<float> dx(x), dy(y), out(n);
    const cudaExtent extent = make_cudaExtent(16, 8, 3);
    for (int is_layered = 0; is_layered < 2; is_layered++) {
        sampled made = make(texels, extent, is_layered ? cudaArrayLayered : 0, cudaAddressModeClamp,
                            cudaFilterModePoint, false);
        sample3<<<n / 128, 128>>>(out.data, made.texture, dx.data, dy.data, is_layered);
        LAUNCHED();
        const std::vector<float> got = out.host();
        for (int i = 0; i < n; i++)
            EXPECT(got[i] == texels[(i % 3) * 128 + (int)y[i] * 16 + (int)x[i]]);
        result("slices", got);
        drop(made);
    }
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    std::vector<float> texels(width * height);
    for (int i = 0; i < width * height; i++)
        texels[i] = (float)(random_word(i) % 256);
    plane(texels);
    wrapped(texels);
    slices(texels);
    return program_end();
}
