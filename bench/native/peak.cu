/* The kernels of kernels/peak.cl in CUDA C++: same names, parameters and meaning.
 * SPDX-License-Identifier: Apache-2.0 */

__device__ static unsigned sum_of(uint4 v)
{
    return v.x + v.y + v.z + v.w;
}

__device__ static void add(uint4 &sum, uint4 v)
{
    sum.x += v.x;
    sum.y += v.y;
    sum.z += v.z;
    sum.w += v.w;
}

__device__ static float4 scaled_sum(float4 a, float factor, float4 b)
{
    return make_float4(a.x + factor * b.x, a.y + factor * b.y, a.z + factor * b.z,
                       a.w + factor * b.w);
}

__device__ static size_t item()
{
    return (size_t)blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ static size_t items()
{
    return (size_t)gridDim.x * blockDim.x;
}

extern "C" __global__ void bench_empty()
{
}

extern "C" __global__ void bench_arguments(unsigned *, unsigned *, unsigned long long)
{
}

extern "C" __global__ void peak_copy_item(uint4 *__restrict__ target,
                                          const uint4 *__restrict__ source)
{
    target[item()] = source[item()];
}

extern "C" __global__ void peak_write_item(uint4 *target, unsigned value)
{
    target[item()] = make_uint4(value, value, value, value);
}

extern "C" __global__ void peak_read_item(const uint4 *source, unsigned *sums)
{
    const uint4 *from = source + (size_t)blockIdx.x * blockDim.x * 16 + threadIdx.x;
    uint4 sum = make_uint4(0, 0, 0, 0);
#pragma unroll
    for (unsigned k = 0; k < 16; k++)
        add(sum, from[k * blockDim.x]);
    sums[item()] = sum_of(sum);
}

extern "C" __global__ void peak_triad_item(float4 *__restrict__ target,
                                           const float4 *__restrict__ first,
                                           const float4 *__restrict__ second, float factor)
{
    target[item()] = scaled_sum(first[item()], factor, second[item()]);
}

extern "C" __global__ void peak_copy_interleaved(uint4 *__restrict__ target,
                                                 const uint4 *__restrict__ source,
                                                 unsigned long long words)
{
    for (size_t i = item(); i < words; i += items())
        target[i] = source[i];
}

extern "C" __global__ void peak_write_interleaved(uint4 *target, unsigned value,
                                                  unsigned long long words)
{
    for (size_t i = item(); i < words; i += items())
        target[i] = make_uint4(value, value, value, value);
}

extern "C" __global__ void peak_read_interleaved(const uint4 *source, unsigned *sums,
                                                 unsigned long long words)
{
    uint4 sum = make_uint4(0, 0, 0, 0);
    for (size_t i = item(); i < words; i += items())
        add(sum, source[i]);
    sums[item()] = sum_of(sum);
}

extern "C" __global__ void peak_triad_interleaved(float4 *__restrict__ target,
                                                  const float4 *__restrict__ first,
                                                  const float4 *__restrict__ second, float factor,
                                                  unsigned long long words)
{
    for (size_t i = item(); i < words; i += items())
        target[i] = scaled_sum(first[i], factor, second[i]);
}

__device__ static size_t end_of(unsigned long long words, unsigned long long chunk)
{
    size_t end = (item() + 1) * chunk;
    return end < words ? end : words;
}

extern "C" __global__ void peak_copy_chunked(uint4 *__restrict__ target,
                                             const uint4 *__restrict__ source,
                                             unsigned long long words, unsigned long long chunk)
{
    for (size_t i = item() * chunk; i < end_of(words, chunk); i++)
        target[i] = source[i];
}

extern "C" __global__ void peak_write_chunked(uint4 *target, unsigned value,
                                              unsigned long long words, unsigned long long chunk)
{
    for (size_t i = item() * chunk; i < end_of(words, chunk); i++)
        target[i] = make_uint4(value, value, value, value);
}

extern "C" __global__ void peak_read_chunked(const uint4 *source, unsigned *sums,
                                             unsigned long long words, unsigned long long chunk)
{
    uint4 sum = make_uint4(0, 0, 0, 0);
    for (size_t i = item() * chunk; i < end_of(words, chunk); i++)
        add(sum, source[i]);
    sums[item()] = sum_of(sum);
}

extern "C" __global__ void peak_triad_chunked(float4 *__restrict__ target,
                                              const float4 *__restrict__ first,
                                              const float4 *__restrict__ second, float factor,
                                              unsigned long long words, unsigned long long chunk)
{
    for (size_t i = item() * chunk; i < end_of(words, chunk); i++)
        target[i] = scaled_sum(first[i], factor, second[i]);
}
