/* Surfaces: arrays that kernels write and read by byte offsets, in one to three dimensions and in layers, what lies
 * outside by boundary mode, and a texture that shows what was written.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

static cudaSurfaceObject_t surface_over(cudaArray_t array)
{
    cudaSurfaceObject_t surface = 0;
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    CUDA(cudaCreateSurfaceObject(&surface, &resource));
    return surface;
}

static cudaTextureObject_t texture_over(cudaArray_t array)
{
    cudaTextureObject_t texture = 0;
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    CUDA(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    return texture;
}

__global__ void memset2(cudaSurfaceObject_t surface, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        surf2Dwrite(make_float2((float)(x + 100 * y), -1.0f), surface, x * (int)sizeof(float2), y);
}

/* Reads and writes one surface in one kernel: each thread its own texel. */
__global__ void negate2(cudaSurfaceObject_t surface, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        float2 v = surf2Dread<float2>(surface, x * (int)sizeof(float2), y);
        v.x = -v.x;
        surf2Dwrite(v, surface, x * (int)sizeof(float2), y);
    }
}

__global__ void through_texture(float2 *out, cudaTextureObject_t texture, int width)
{
    const int x = threadIdx.x, y = blockIdx.x;
    if (x < width)
        out[y * width + x] = tex2D<float2>(texture, (float)x + 0.5f, (float)y + 0.5f);
}

__global__ void edges(int *out, cudaSurfaceObject_t surface)
{
    const int x = (int)threadIdx.x - 4; /* the array has 8 texels */
    out[threadIdx.x] = surf1Dread<int>(surface, x * 4, cudaBoundaryModeZero);
    out[16 + threadIdx.x] = surf1Dread<int>(surface, x * 4, cudaBoundaryModeClamp);
}

__global__ void write_edges(cudaSurfaceObject_t surface)
{
    const int x = (int)threadIdx.x - 4;
    surf1Dwrite(1000 + x, surface, x * 4, cudaBoundaryModeZero); /* outside: dropped */
}

__global__ void fill3(cudaSurfaceObject_t surface, bool is_layered)
{
    const int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    const short v = (short)(x + 10 * y + 100 * z);
    if (is_layered)
        surf2DLayeredwrite(v, surface, x * 2, y, z);
    else
        surf3Dwrite(v, surface, x * 2, y, z);
}

static void plane(void)
{
    const int width = 50, height = 33;
    cudaArray_t array;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float2>();
    CUDA(cudaMallocArray(&array, &format, width, height, cudaArraySurfaceLoadStore));
    const cudaSurfaceObject_t surface = surface_over(array);
    const cudaTextureObject_t texture = texture_over(array);
    const dim3 grid((width + 15) / 16, (height + 7) / 8), block(16, 8);
    memset2<<<grid, block>>>(surface, width, height);
    negate2<<<grid, block>>>(surface, width, height);
    device_array<float2> out(width * height);
    through_texture<<<height, 64>>>(out.data, texture, width);
    LAUNCHED();
    std::vector<float2> got(width * height);
    CUDA(cudaMemcpy2DFromArray(got.data(), width * sizeof(float2), array, 0, 0,
                               width * sizeof(float2), height, cudaMemcpyDeviceToHost));
    const std::vector<float2> seen = out.host();
    for (int i = 0; i < width * height; i++) {
        const float expected = -(float)(i % width + 100 * (i / width));
        EXPECT(got[i].x == expected && got[i].y == -1);
        EXPECT(seen[i].x == expected && seen[i].y == -1);
    }
    result("plane", got);
    CUDA(cudaDestroySurfaceObject(surface));
    CUDA(cudaDestroyTextureObject(texture));
    CUDA(cudaFreeArray(array));
}

static void line(void)
{
    cudaArray_t array;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    CUDA(cudaMallocArray(&array, &format, 8, 0, cudaArraySurfaceLoadStore));
    int texels[8] = {10, 11, 12, 13, 14, 15, 16, 17};
    CUDA(cudaMemcpy2DToArray(array, 0, 0, texels, sizeof texels, sizeof texels, 1,
                             cudaMemcpyHostToDevice));
    const cudaSurfaceObject_t surface = surface_over(array);
    device_array<int> out(32);
    edges<<<1, 16>>>(out.data, surface);
    write_edges<<<1, 16>>>(surface);
    LAUNCHED();
    CUDA(cudaMemcpy2DFromArray(texels, sizeof texels, array, 0, 0, sizeof texels, 1,
                               cudaMemcpyDeviceToHost));
    const std::vector<int> got = out.host();
    for (int i = 0; i < 8; i++)
        EXPECT(texels[i] == 1000 + i);
    for (int i = -4; i < 12; i++) {
        EXPECT(got[i + 4] == (i >= 0 && i < 8 ? 10 + i : 0));
        EXPECT(got[i + 20] == 10 + (i < 0 ? 0 : i > 7 ? 7 : i));
    }
    result("edges", got);
    CUDA(cudaDestroySurfaceObject(surface));
    CUDA(cudaFreeArray(array));
}

static void volume(bool is_layered)
{
    cudaArray_t array;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<short>();
    const cudaExtent extent = make_cudaExtent(8, 4, 3);
    CUDA(cudaMalloc3DArray(&array, &format, extent,
                           cudaArraySurfaceLoadStore | (is_layered ? cudaArrayLayered : 0)));
    const cudaSurfaceObject_t surface = surface_over(array);
    fill3<<<3, dim3(8, 4)>>>(surface, is_layered);
    LAUNCHED();
    std::vector<short> got(8 * 4 * 3);
    cudaMemcpy3DParms copy = {};
    copy.srcArray = array;
    copy.dstPtr = make_cudaPitchedPtr(got.data(), 16, 8, 4);
    copy.extent = extent;
    copy.kind = cudaMemcpyDeviceToHost;
    CUDA(cudaMemcpy3D(&copy));
    for (int i = 0; i < 96; i++)
        EXPECT(got[i] == i % 8 + 10 * (i / 8 % 4) + 100 * (i / 32));
    result("volume", got);
    CUDA(cudaDestroySurfaceObject(surface));
    CUDA(cudaFreeArray(array));
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    plane();
    line();
    volume(false);
    volume(true);
    return program_end();
}
