/* Morton (Z) order: codes in two and three dimensions, and a picture walked through them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

__host__ __device__ inline unsigned spread2(unsigned v)
{
    v = (v | v << 8) & 0x00ff00ffu;
    v = (v | v << 4) & 0x0f0f0f0fu;
    v = (v | v << 2) & 0x33333333u;
    return (v | v << 1) & 0x55555555u;
}

__host__ __device__ inline unsigned spread3(unsigned v)
{
    v = (v | v << 16) & 0x030000ffu;
    v = (v | v << 8) & 0x0300f00fu;
    v = (v | v << 4) & 0x030c30c3u;
    return (v | v << 2) & 0x09249249u;
}

__host__ __device__ inline unsigned morton2(unsigned x, unsigned y)
{
    return spread2(x) | spread2(y) << 1;
}

__global__ void codes2(unsigned *out, unsigned width)
{
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * width + x] = morton2(x, y);
}

__global__ void codes3(unsigned *out)
{
    const unsigned x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    out[(z * blockDim.y + y) * blockDim.x + x] = spread3(x) | spread3(y) << 1 | spread3(z) << 2;
}

__global__ void to_morton(float *out, const float *in, unsigned width)
{
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    out[morton2(x, y)] = in[y * width + x];
}

__global__ void column_sums(float *out, const float *picture, unsigned size)
{
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (unsigned y = 0; y < size; y++)
        sum += picture[morton2(x, y)];
    out[x] = sum;
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const unsigned size = 128;
    device_array<unsigned> codes(size * size), volume(8 * 8 * 8);
    codes2<<<dim3(size / 16, size / 16), dim3(16, 16)>>>(codes.data, size);
    codes3<<<8, dim3(8, 8)>>>(volume.data);
    LAUNCHED();
    static const unsigned table[16] = {0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15};
    const std::vector<unsigned> plane = codes.host(), cube = volume.host();
    for (unsigned i = 0; i < 16; i++)
        EXPECT(plane[i / 4 * size + i % 4] == table[i]);
    std::vector<bool> seen(size * size);
    for (unsigned code : plane) {
        EXPECT(code < size * size && !seen[code]);
        seen[code % (size * size)] = true;
    }
    for (unsigned i = 0; i < 512; i++)
        for (unsigned bit = 0; bit < 3; bit++) {
            EXPECT((cube[i] >> (3 * bit) & 1) == (i >> bit & 1));
            EXPECT((cube[i] >> (3 * bit + 1) & 1) == (i >> (3 + bit) & 1));
            EXPECT((cube[i] >> (3 * bit + 2) & 1) == (i >> (6 + bit) & 1));
        }
    result("plane", plane);
    result("cube", cube);

    std::vector<float> picture(size * size);
    for (unsigned i = 0; i < size * size; i++)
        picture[i] = (float)(random_word(i) % 1000);
    device_array<float> in(picture), ordered(size * size), sums(size);
    to_morton<<<dim3(size / 16, size / 16), dim3(16, 16)>>>(ordered.data, in.data, size);
    column_sums<<<size / 64, 64>>>(sums.data, ordered.data, size);
    LAUNCHED();
    const std::vector<float> got = sums.host();
    for (unsigned x = 0; x < size; x++) {
        float sum = 0;
        for (unsigned y = 0; y < size; y++)
            sum += picture[y * size + x];
        EXPECT(got[x] == sum);
    }
    result("sums", got);
    return program_end();
}
