// Compresses an image by blocks of 4 x 4 pixels to two colours and 16 indices (S3's first format). 64 threads for each block
// fit the two colours for every way to divide the pixels, sorted along the axis of most variance, among the colours between.
// SPDX-License-Identifier: Apache-2.0
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

enum { THREADS = 64, PIXELS = 16, OF_FOUR = 992, OF_THREE = 160 };

__device__ __forceinline__ float3 operator+(float3 a, float3 b)
{
    return make_float3(a.x + b.x, a.y + b.y, a.z + b.z);
}

__device__ __forceinline__ float3 operator-(float3 a, float3 b)
{
    return make_float3(a.x - b.x, a.y - b.y, a.z - b.z);
}

__device__ __forceinline__ float3 operator*(float3 a, float3 b)
{
    return make_float3(a.x * b.x, a.y * b.y, a.z * b.z);
}

__device__ __forceinline__ float3 operator*(float3 a, float by)
{
    return make_float3(a.x * by, a.y * by, a.z * by);
}

__device__ __forceinline__ float dot(float3 a, float3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// Of 16 threads, each with a colour: the sum of all, in each of them.
__device__ __forceinline__ void sum_colours(const float3 *colours, float3 *sums, cg::thread_group those)
{
    const int t = threadIdx.x;
    sums[t] = colours[t];
    cg::sync(those);
#pragma unroll
    for (int step = 8; step > 0; step /= 2) {
        const float3 other = sums[t ^ step];
        cg::sync(those);
        sums[t] = sums[t] + other;
        cg::sync(those);
    }
}

// The axis of most variance: covariances summed by 16 threads, then the power method.
__device__ __forceinline__ float3 axis_of(const float3 *colours, float3 mean, cg::thread_group those)
{
    __shared__ float covariance[PIXELS * 6];
    const int t = threadIdx.x;
    const float3 far = colours[t] - mean;
    if (t < PIXELS) {
        covariance[6 * t + 0] = far.x * far.x;
        covariance[6 * t + 1] = far.x * far.y;
        covariance[6 * t + 2] = far.x * far.z;
        covariance[6 * t + 3] = far.y * far.y;
        covariance[6 * t + 4] = far.y * far.z;
        covariance[6 * t + 5] = far.z * far.z;
    }
    cg::sync(those);
#pragma unroll
    for (int half = 8; half > 0; half /= 2) {
        if (t < half)
#pragma unroll
            for (int i = 0; i < 6; i++)
                covariance[6 * t + i] += covariance[6 * (t + half) + i];
        cg::sync(those);
    }
    float3 v = {1, 1, 1};
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const float x = v.x * covariance[0] + v.y * covariance[1] + v.z * covariance[2];
        const float y = v.x * covariance[1] + v.y * covariance[3] + v.z * covariance[4];
        const float z = v.x * covariance[2] + v.y * covariance[4] + v.z * covariance[5];
        const float most = fmaxf(fmaxf(x, y), z);
        v = make_float3(x / most, y / most, z / most);
    }
    return v;
}

// Each of 16 values' place in their order; of equals, the first comes first.
__device__ __forceinline__ void rank_values(const float *values, int *ranks, cg::thread_group those)
{
    const int t = threadIdx.x;
    int rank = 0;
#pragma unroll
    for (int i = 0; i < PIXELS; i++)
        rank += values[i] < values[t];
    ranks[t] = rank;
    cg::sync(those);
#pragma unroll
    for (int i = 0; i < PIXELS - 1; i++) {
        if (t > i && t < PIXELS && ranks[t] == ranks[i])
            ranks[t]++;
        cg::sync(those);
    }
}

__device__ __forceinline__ void load_block(const unsigned *image, float3 *colours, float3 *sums, int *ranks, cg::thread_block block)
{
    __shared__ float along[PIXELS];
    const int t = threadIdx.x;
    const cg::thread_group those = cg::tiled_partition(block, PIXELS);
    float3 colour;
    if (t < PIXELS) {
        const unsigned c = image[blockIdx.x * PIXELS + t];
        colour = make_float3((c & 255) / 255.0f, (c >> 8 & 255) / 255.0f, (c >> 16 & 255) / 255.0f);
        colours[t] = colour;
    }
    cg::sync(block);
    if (t < PIXELS) {
        sum_colours(colours, sums, those);
        cg::sync(those);
        const float3 axis = axis_of(colours, sums[t] * (1.0f / PIXELS), those);
        along[t] = dot(colour, axis);
        cg::sync(those);
        rank_values(along, ranks, those);
        cg::sync(those);
        colours[ranks[t]] = colour;
    }
}

// A colour to 5, 6 and 5 bits and back.
__device__ __forceinline__ float3 round_to_565(float3 v, unsigned short *word)
{
    v.x = rintf(__saturatef(v.x) * 31);
    v.y = rintf(__saturatef(v.y) * 63);
    v.z = rintf(__saturatef(v.z) * 31);
    *word = (unsigned short)((int)v.x << 11 | (int)v.y << 5 | (int)v.z);
    return make_float3(v.x * 0.03227752766457f, v.y * 0.01583151765563f, v.z * 0.03227752766457f);
}

// The error of the two colours that fit best where each pixel is one of four mixtures (two bits in `way` each).
__device__ __forceinline__ float fit_four(const float3 *colours, unsigned way, unsigned short *start, unsigned short *end, float3 sum)
{
    const float part[4] = {9, 0, 4, 1};
    const int number[4] = {0x090000, 0x000900, 0x040102, 0x010402};
    float3 alpha = {0, 0, 0};
    int all = 0;
#pragma unroll
    for (int i = 0; i < PIXELS; i++) {
        const unsigned bits = way >> (2 * i);
        alpha = alpha + colours[i] * (float)((bits & 1) == 0 ? (bits & 2 ? 2 : 3) : (bits & 2 ? 1 : 0));
        all += number[bits & 3];
    }
    const float alpha2 = (float)(all >> 16), beta2 = (float)(all >> 8 & 0xff), both = (float)(all & 0xff);
    const float3 beta = sum * part[0] * (1.0f / 3) - alpha;
    const float factor = 1.0f / (alpha2 * beta2 - both * both);
    const float3 a = round_to_565((alpha * beta2 - beta * both) * factor, start);
    const float3 b = round_to_565((beta * alpha2 - alpha * both) * factor, end);
    const float3 e = a * a * alpha2 + b * b * beta2 + (a * b * both - a * alpha - b * beta) * 2;
    return 0.111111f * (e.x + e.y + e.z);
}

// The same with three mixtures and black.
__device__ __forceinline__ float fit_three(const float3 *colours, unsigned way, unsigned short *start, unsigned short *end)
{
    const float part[4] = {4, 0, 0, 1};
    const int number[4] = {0x040000, 0x000400, 0x000000, 0x010101};
    float3 alpha = {0, 0, 0}, beta = {0, 0, 0};
    int all = 0;
#pragma unroll
    for (int i = 0; i < PIXELS; i++) {
        const unsigned bits = way >> (2 * i);
        alpha = alpha + colours[i] * sqrtf(part[bits & 3]);
        beta = beta + colours[i] * ((bits & 3) == 1 ? 2.0f : (bits & 3) == 3 ? 1.0f : 0.0f);
        all += number[bits & 3];
    }
    const float alpha2 = (float)(all >> 16), beta2 = (float)(all >> 8 & 0xff), both = (float)(all & 0xff);
    const float factor = 1.0f / (alpha2 * beta2 - both * both);
    const float3 a = round_to_565((alpha * beta2 - beta * both) * factor, start);
    const float3 b = round_to_565((beta * alpha2 - alpha * both) * factor, end);
    const float3 e = a * a * alpha2 + b * b * beta2 + (a * b * both - a * alpha - b * beta) * 2;
    return 0.25f * (e.x + e.y + e.z);
}

template <int unrolled>
__device__ __forceinline__ void fit_all(const float3 *colours, const unsigned *ways, unsigned short &start, unsigned short &end, unsigned &best,
                               float *errors, float3 sum, cg::thread_block block)
{
    __shared__ unsigned kept[OF_THREE];
    const int t = threadIdx.x;
    float least = 3.4e38f;
#pragma unroll unrolled
    for (int i = 0; i < 16; i++) {
        const int at = t + THREADS * i;
        if (at >= OF_FOUR)
            break;
        const unsigned way = ways[at];
        unsigned short a, b;
        if (at < OF_THREE)
            kept[at] = way;
        const float error = fit_four(colours, way, &a, &b, sum);
        if (error < least) {
            least = error;
            best = way;
            start = a;
            end = b;
        }
    }
    if (start < end) {
        const unsigned short kept_start = start;
        start = end;
        end = kept_start;
        best ^= 0x55555555;
    }
    cg::sync(block);
#pragma unroll unrolled
    for (int i = 0; i < 3; i++) {
        const int at = t + THREADS * i;
        if (at >= OF_THREE)
            break;
        const unsigned way = kept[at];
        unsigned short a, b;
        const float error = fit_three(colours, way, &a, &b);
        if (error < least) {
            least = error;
            best = way;
            start = a;
            end = b;
            if (start > end) {
                const unsigned short kept_start = start;
                start = end;
                end = kept_start;
                best ^= ~best >> 1 & 0x55555555;
            }
        }
    }
    errors[t] = least;
}

// Which of 64 threads has the least error; of equals, the first.
__device__ __forceinline__ int find_least(float *errors, cg::thread_block block)
{
    __shared__ int of[THREADS];
    const int t = threadIdx.x;
    of[t] = t;
    cg::sync(block);
#pragma unroll
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) {
            const float mine = errors[t], other = errors[t + half];
            if (other < mine) {
                errors[t] = other;
                of[t] = of[t + half];
            }
        }
        cg::sync(block);
    }
    return of[0];
}

template <int unrolled> __device__ __forceinline__ void compress(const unsigned *ways, const unsigned *image, uint2 *out, int first)
{
    cg::thread_block block = cg::this_thread_block();
    __shared__ float3 colours[PIXELS], sums[PIXELS];
    __shared__ float errors[THREADS];
    __shared__ int ranks[PIXELS];
    load_block(image + first * PIXELS, colours, sums, ranks, block);
    cg::sync(block);
    unsigned short start = 0, end = 0;
    unsigned best = 0;
    fit_all<unrolled>(colours, ways, start, end, best, errors, sums[0], block);
    cg::sync(block);
    const int winner = find_least(errors, block);
    if ((int)threadIdx.x != winner)
        return;
    unsigned indices = 0;
    if (start == end)
        best = 0;
#pragma unroll
    for (int i = 0; i < PIXELS; i++)
        indices |= (best >> (2 * ranks[i]) & 3) << (2 * i);
    out[first + blockIdx.x] = make_uint2((unsigned)end << 16 | start, indices);
}

extern "C" __global__ void compress_blocks(const unsigned *ways, const unsigned *image, uint2 *out, int first)
{
    compress<1>(ways, image, out, first);
}

// The same with the loops over all ways unrolled.
extern "C" __global__ void compress_unrolled(const unsigned *ways, const unsigned *image, uint2 *out, int first)
{
    compress<16>(ways, image, out, first);
}
