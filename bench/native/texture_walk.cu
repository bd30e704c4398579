/* The kernels of kernels/texture_walk.cl in CUDA C++.
 * SPDX-License-Identifier: Apache-2.0 */
__device__ static float same(float texel)
{
    return texel;
}

__device__ static float4 same(float4 texel)
{
    return texel;
}

__device__ static unsigned char byte_of(float value)
{
    return (unsigned char)__float2uint_rn(value * 255.0f);
}

__device__ static uchar4 bytes(float4 texel)
{
    return make_uchar4(byte_of(texel.x), byte_of(texel.y), byte_of(texel.z), byte_of(texel.w));
}

#define WALK(name, T, store, S)                                                                    \
    extern "C" __global__ void texture_##name(cudaTextureObject_t tex, S *target)                  \
    {                                                                                              \
        size_t x = blockIdx.x * blockDim.x + threadIdx.x;                                          \
        size_t y = blockIdx.y * blockDim.y + threadIdx.y;                                          \
        T texel = tex2D<T>(tex, (float)x + 0.5f, (float)y + 0.5f);                                 \
        target[y * gridDim.x * blockDim.x + x] = store(texel);                                     \
    }                                                                                              \
    extern "C" __global__ void texture_##name##_column(cudaTextureObject_t tex, S *target)         \
    {                                                                                              \
        size_t y = blockIdx.x * blockDim.x + threadIdx.x;                                          \
        size_t x = blockIdx.y * blockDim.y + threadIdx.y;                                          \
        T texel = tex2D<T>(tex, (float)x + 0.5f, (float)y + 0.5f);                                 \
        target[x * gridDim.x * blockDim.x + y] = store(texel);                                     \
    }                                                                                              \
    extern "C" __global__ void texture_##name##_fetch(cudaTextureObject_t tex, S *target)          \
    {                                                                                              \
        int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);                                      \
        T texel = tex1Dfetch<T>(tex, i);                                                           \
        target[i] = store(texel);                                                                  \
    }

WALK(r32f, float, same, float)
WALK(rgba32f, float4, same, float4)
WALK(rgba8, float4, bytes, uchar4)
