/* Stencils: one dimension with a halo in shared memory, two dimensions with coefficients in constant memory, three by
 * registers, and the game of life on bits and bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

static const int radius = 4, block = 128;
__constant__ float weights[radius + 1];

__global__ void line(float *out, const float *in, int n)
{
    __shared__ float values[block + 2 * radius];
    const int i = blockIdx.x * block + threadIdx.x, s = threadIdx.x + radius;
    values[s] = i < n ? in[i] : 0;
    if (threadIdx.x < radius) {
        values[s - radius] = i >= radius ? in[i - radius] : 0;
        values[s + block] = i + block < n ? in[i + block] : 0;
    }
    __syncthreads();
    float sum = weights[0] * values[s];
    for (int r = 1; r <= radius; r++)
        sum = fmaf(weights[r], values[s - r] + values[s + r], sum);
    if (i < n)
        out[i] = sum;
}

__global__ void heat(float *out, const float *in, int nx, int ny, int nz)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
        return;
    const int slice = nx * ny;
    int i = y * nx + x;
    float below = in[i], here = in[i + slice];
    for (int z = 1; z < nz - 1; z++) {
        i += slice;
        const float above = in[i + slice];
        out[i] = (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + below + above) * 0.125f +
                 here * 0.25f;
        below = here;
        here = above;
    }
}

__global__ void life(unsigned char *next, const unsigned char *world, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int around = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            around += world[(y + dy + height) % height * width + (x + dx + width) % width];
    next[y * width + x] = around == 3 || (around == 4 && world[y * width + x]);
}

static void check_line(void)
{
    const int n = 1000;
    const float w[radius + 1] = {0.5f, 0.25f, -0.125f, 0.0625f, 0.03125f};
    CUDA(cudaMemcpyToSymbol(weights, w, sizeof w));
    const std::vector<float> values = random_floats(n, -1, 1);
    device_array<float> in(values), out(n);
    line<<<(n + block - 1) / block, block>>>(out.data, in.data, n);
    LAUNCHED();
    const std::vector<float> got = out.host();
    for (int i = 0; i < n; i++) {
        auto at = [&](int k) { return k < 0 || k >= n ? 0.0f : values[k]; };
        float sum = w[0] * values[i];
        for (int r = 1; r <= radius; r++)
            sum = fmaf(w[r], at(i - r) + at(i + r), sum);
        EXPECT(got[i] == sum);
    }
    result("line", got);
}

static void check_heat(void)
{
    const int nx = 40, ny = 21, nz = 9, n = nx * ny * nz;
    std::vector<float> values(n);
    for (int i = 0; i < n; i++)
        values[i] = (float)(random_word(i) % 64); /* small whole numbers: every sum is exact */
    device_array<float> in(values), out(n);
    heat<<<dim3(2, 3), dim3(32, 8)>>>(out.data, in.data, nx, ny, nz);
    LAUNCHED();
    const std::vector<float> got = out.host();
    for (int z = 1; z < nz - 1; z++)
        for (int y = 1; y < ny - 1; y++)
            for (int x = 1; x < nx - 1; x++) {
                const int i = (z * ny + y) * nx + x;
                const float sum = values[i - 1] + values[i + 1] + values[i - nx] + values[i + nx] +
                                  values[i - nx * ny] + values[i + nx * ny];
                EXPECT(got[i] == sum * 0.125f + values[i] * 0.25f);
            }
    result("heat", got);
}

static void check_life(void)
{
    const int width = 60, height = 44, n = width * height;
    std::vector<unsigned char> world(n), next(n);
    for (int i = 0; i < n; i++)
        world[i] = random_word(i) % 3 == 0;
    device_array<unsigned char> a(world), b(n);
    for (int turn = 0; turn < 10; turn++) {
        unsigned char *from = turn % 2 ? b.data : a.data, *to = turn % 2 ? a.data : b.data;
        life<<<dim3(4, 6), dim3(16, 8)>>>(to, from, width, height);
        for (int i = 0; i < n; i++) {
            int around = 0;
            for (int k = 0; k < 9; k++)
                around += world[(i / width + k / 3 - 1 + height) % height * width +
                                (i % width + k % 3 - 1 + width) % width];
            next[i] = around == 3 || (around == 4 && world[i]);
        }
        world.swap(next);
    }
    LAUNCHED();
    EXPECT(a.host() == world);
    result("life", a.host());
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    check_line();
    check_heat();
    check_life();
    return program_end();
}
