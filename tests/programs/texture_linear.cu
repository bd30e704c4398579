/* One-dimensional textures over linear memory: tex1Dfetch of several formats, normalised reads, later writes seen,
 * fetches outside give zero.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

template <class T>
static cudaTextureObject_t over(T *memory, size_t count, cudaTextureReadMode mode)
{
    cudaTextureObject_t texture = 0;
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = cudaCreateChannelDesc<T>();
    resource.res.linear.sizeInBytes = count * sizeof(T);
    cudaTextureDesc how = {};
    how.readMode = mode;
    CUDA(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    return texture;
}

template <class T> __global__ void gather(T *out, cudaTextureObject_t texture, const int *index)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex1Dfetch<T>(texture, index[i]);
}

template <class T> __global__ void increment(T *memory)
{
    memory[blockIdx.x * blockDim.x + threadIdx.x].x += 1;
}

static const int n = 2048;

template <class T> static void elements(const char *name, const std::vector<int> &index)
{
    std::vector<T> values(n);
    for (size_t i = 0; i < n * sizeof(T); i++)
        ((unsigned char *)values.data())[i] = (unsigned char)(random_word(i) & 0x3f);
    device_array<T> memory(values), out(n);
    device_array<int> where(index);
    cudaTextureObject_t texture = over(memory.data, n, cudaReadModeElementType);
    for (int round = 0; round < 2; round++) {
        gather<T><<<n / 128, 128>>>(out.data, texture, where.data);
        LAUNCHED();
        const std::vector<T> got = out.host();
        for (int i = 0; i < n; i++)
            EXPECT(memcmp(&got[i], &values[index[i]], sizeof(T)) == 0);
        result(name, got);
        increment<T><<<n / 128, 128>>>(memory.data); /* the second round sees it */
        LAUNCHED();
        values = memory.host();
    }
    CUDA(cudaDestroyTextureObject(texture));
}

static void normalised(const std::vector<int> &index)
{
    std::vector<uchar4> values(n);
    for (int i = 0; i < n; i++)
        values[i] = make_uchar4((unsigned char)i, (unsigned char)(i >> 3), 255, 0);
    device_array<uchar4> memory(values);
    device_array<float4> out(n);
    device_array<int> where(index);
    cudaTextureObject_t texture = over(memory.data, n, cudaReadModeNormalizedFloat);
    gather<float4><<<n / 128, 128>>>(out.data, texture, where.data);
    LAUNCHED();
    const std::vector<float4> got = out.host();
    for (int i = 0; i < n; i++) {
        const uchar4 v = values[index[i]];
        EXPECT(got[i].x == v.x / 255.0f && got[i].y == v.y / 255.0f);
        EXPECT(got[i].z == 1.0f && got[i].w == 0.0f);
    }
    result("normalised", got);
    CUDA(cudaDestroyTextureObject(texture));
}

static void outside(void)
{
    device_array<float> memory(random_floats(n, 1, 2)), out(128);
    std::vector<int> index(128, n);
    index[0] = -1, index[1] = n - 1, index[2] = n + 1;
    device_array<int> where(index);
    cudaTextureObject_t texture = over(memory.data, n, cudaReadModeElementType);
    gather<float><<<1, 128>>>(out.data, texture, where.data);
    LAUNCHED();
    const std::vector<float> got = out.host();
    for (int i = 0; i < 128; i++)
        EXPECT(i == 1 ? got[i] >= 1 : got[i] == 0);
    CUDA(cudaDestroyTextureObject(texture));
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    std::vector<int> index(n);
    for (int i = 0; i < n; i++)
        index[i] = (int)(random_word(i) % n);
    elements<float4>("float4", index);
    elements<float2>("float2", index);
    elements<float1>("float1", index);
    elements<int4>("int4", index);
    elements<uchar4>("uchar4", index);
    elements<short2>("short2", index);
    elements<uint1>("uint1", index);
    normalised(index);
    outside();
    return program_end();
}
