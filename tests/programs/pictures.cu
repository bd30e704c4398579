/* Whole-number pictures: Mandelbrot in fixed point and float, a box filter on pixels, run lengths, colours by bit fields.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

__host__ __device__ inline int escape_fixed(int px, int py, int width, int height)
{
    const int one = 1 << 24;
    const long long cx = -2ll * one + 3ll * one * px / width, cy = -one + 2ll * one * py / height;
    long long x = 0, y = 0;
    int turns = 0;
    while (turns < 200 && x * x + y * y < (4ll << 48)) {
        const long long next = ((x * x - y * y) >> 24) + cx;
        y = ((x * y) >> 23) + cy;
        x = next;
        turns++;
    }
    return turns;
}

__host__ __device__ inline int escape_float(float cx, float cy)
{
    float x = 0, y = 0;
    int turns = 0;
    for (; turns < 200 && fmaf(x, x, y * y) < 4; turns++) {
        const float next = fmaf(x, x, fmaf(-y, y, cx));
        y = fmaf(2 * x, y, cy);
        x = next;
    }
    return turns;
}

__global__ void mandelbrot(int *fixed, int *floating, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        fixed[y * width + x] = escape_fixed(x, y, width, height);
        floating[y * width + x] = escape_float((float)x / 32 - 2, (float)y / 32 - 1);
    }
}

__global__ void box(uchar4 *out, const uchar4 *in, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int4 sum = make_int4(0, 0, 0, 0);
    int n = 0;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++)
            if (x + dx >= 0 && x + dx < width && y + dy >= 0 && y + dy < height) {
                const uchar4 p = in[(y + dy) * width + x + dx];
                sum.x += p.x, sum.y += p.y, sum.z += p.z, sum.w += p.w;
                n++;
            }
    out[y * width + x] = make_uchar4((unsigned char)(sum.x / n), (unsigned char)(sum.y / n),
                                     (unsigned char)(sum.z / n), (unsigned char)(sum.w / n));
}

struct colour {
    unsigned red : 5, green : 6, blue : 5;
    int depth : 10;
};

__global__ void fields(colour *out, const unsigned *in)
{
    const int i = threadIdx.x;
    colour c;
    c.red = in[i] >> 3, c.green = in[i] >> 10, c.blue = in[i] >> 19, c.depth = (int)(in[i] >> 7);
    c.green += c.red;
    c.depth /= 3;
    out[i] = c;
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const int width = 96, height = 64, n = width * height;
    device_array<int> fixed(n), floating(n);
    mandelbrot<<<dim3(6, 8), dim3(16, 8)>>>(fixed.data, floating.data, width, height);
    LAUNCHED();
    const std::vector<int> turns = fixed.host(), float_turns = floating.host();
    for (int i = 0; i < n; i++) {
        EXPECT(turns[i] == escape_fixed(i % width, i / width, width, height));
        EXPECT(float_turns[i] ==
               escape_float((float)(i % width) / 32 - 2, (float)(i / width) / 32 - 1));
    }
    result("fixed", turns);
    result("float", float_turns);

    std::vector<uchar4> pixels(n);
    for (int i = 0; i < n; i++) {
        const unsigned w = random_word(i);
        memcpy(&pixels[i], &w, 4);
    }
    device_array<uchar4> in(pixels), out(n);
    box<<<dim3(6, 8), dim3(16, 8)>>>(out.data, in.data, width, height);
    LAUNCHED();
    const std::vector<uchar4> blurred = out.host();
    for (int y = 2; y < height - 2; y++)
        for (int x = 2; x < width - 2; x++) {
            int sum = 0;
            for (int k = 0; k < 25; k++)
                sum += pixels[(y + k / 5 - 2) * width + x + k % 5 - 2].z;
            EXPECT(blurred[y * width + x].z == sum / 25);
        }
    result("box", blurred);

    const std::vector<unsigned> words = random_words(128);
    device_array<unsigned> dwords(words);
    device_array<colour> colours(128);
    fields<<<1, 128>>>(colours.data, dwords.data);
    LAUNCHED();
    const std::vector<colour> got = colours.host();
    for (int i = 0; i < 128; i++) {
        const unsigned w = words[i], red = w >> 3 & 31;
        const int depth = (int)((w >> 7 & 1023) ^ 512) - 512;
        EXPECT(got[i].red == red && got[i].green == ((w >> 10) + red) % 64);
        EXPECT(got[i].blue == (w >> 19) % 32 && got[i].depth == depth / 3);
    }
    return program_end();
}
