/* Access patterns by warp: offset reads and writes (readSegment, writeSegment) with unrolling, strides, permutations in
 * a segment, scattered reads, many lanes at one word.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

__global__ void read_segment(const float *a, const float *b, float *c, int n, int offset)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, k = i + offset;
    if (k < n)
        c[i] = a[k] + b[k];
}

template <int unroll>
__global__ void read_segment_unroll(const float *a, const float *b, float *c, int n, int offset)
{
    const unsigned i = blockIdx.x * blockDim.x * unroll + threadIdx.x, k = i + offset;
#pragma unroll
    for (int u = 0; u < unroll; u++)
        if (k + u * blockDim.x < n)
            c[i + u * blockDim.x] = a[k + u * blockDim.x] + b[k + u * blockDim.x];
}

__global__ void write_segment(const float *a, const float *b, float *c, int n, int offset)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, k = i + offset;
    if (k < n)
        c[k] = a[i] + b[i];
}

__global__ void strided(float *out, const float *in, int stride, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[(int)((long long)i * stride % n)];
}

__global__ void permuted(float *out, const float *in)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[(i & ~31) | ((i * 13 + 5) & 31)];
}

__global__ void one_word(unsigned *out, int words)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i % words] = 0x01010101u * (i % 251); /* not atomic: one of the values wins, whole */
}

static const int n = 4096;

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const std::vector<float> a = random_floats(n, 0, 1), b = random_floats(n, 0, 1, n);
    device_array<float> da(a), db(b);
    static const int offsets[] = {0, 1, 11, 32, 128};
    for (int offset : offsets)
        for (int unroll = 0; unroll <= 4; unroll += 2) {
            device_array<float> c(n);
            if (unroll == 0)
                read_segment<<<n / 256, 256>>>(da.data, db.data, c.data, n, offset);
            else if (unroll == 2)
                read_segment_unroll<2><<<n / 512, 256>>>(da.data, db.data, c.data, n, offset);
            else
                read_segment_unroll<4><<<n / 1024, 256>>>(da.data, db.data, c.data, n, offset);
            LAUNCHED();
            const std::vector<float> got = c.host();
            for (int i = 0; i < n; i++)
                EXPECT(got[i] == (i + offset < n ? a[i + offset] + b[i + offset] : 0));
            result("read", got);
        }
    for (int offset : offsets) {
        device_array<float> c(n);
        write_segment<<<n / 256, 256>>>(da.data, db.data, c.data, n, offset);
        LAUNCHED();
        const std::vector<float> got = c.host();
        for (int i = 0; i < n; i++)
            EXPECT(got[i] == (i < offset ? 0 : a[i - offset] + b[i - offset]));
        result("written", got);
    }
    device_array<float> out(n);
    static const int strides[] = {1, 2, 3, 8, 31, 64, 1001};
    for (int stride : strides) {
        strided<<<n / 128, 128>>>(out.data, da.data, stride, n);
        LAUNCHED();
        const std::vector<float> got = out.host();
        for (int i = 0; i < n; i++)
            EXPECT(got[i] == a[(int)((long long)i * stride % n)]);
    }
    permuted<<<n / 128, 128>>>(out.data, da.data);
    LAUNCHED();
    const std::vector<float> got = out.host();
    for (int i = 0; i < n; i++)
        EXPECT(got[i] == a[(i & ~31) | ((i * 13 + 5) & 31)]);
    device_array<unsigned> words(4);
    one_word<<<8, 128>>>(words.data, 4);
    LAUNCHED();
    for (unsigned word : words.host())
        EXPECT(word % 0x01010101u == 0 && word / 0x01010101u < 251);
    return program_end();
}
