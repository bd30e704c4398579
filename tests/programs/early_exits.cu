/* Threads that return before barriers and shuffles that the others of their block still come to: the last ones of a row,
 * those outside a picture, every third one, and one after the other.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

/* Sums of a block's first n elements: by shuffles in its warps, by a barrier across them. */
__global__ void sums(const int *in, int *out, int n)
{
    __shared__ int parts[8];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (i >= n)
        return;
    const unsigned members = __ballot_sync(__activemask(), in[i] >= 0);
    int sum = in[i];
#pragma unroll 1
    for (int step = 16; step > 0; step /= 2) {
        const int other = __shfl_down_sync(members, sum, step);
        if (t % 32 + step < 32 && i + step < n)
            sum += other;
    }
    if (t % 32 == 0)
        parts[t / 32] = sum;
    const int count = __syncthreads_count(in[i] % 2 == 0);
    if (t != 0)
        return;
    int all = 0;
    for (int warp = 0; warp * 32 < min((int)blockDim.x, n - i); warp++)
        all += parts[warp];
    out[2 * blockIdx.x] = all;
    out[2 * blockIdx.x + 1] = count;
}

/* Each pixel becomes the sum of its row of the tile: 16 x 8, cut off where the picture ends. */
__global__ void rows(const int *in, int *out, int width, int height)
{
    __shared__ int tile[8][16];
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= width || y >= height)
        return;
    tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 16 && (int)blockIdx.x * 16 + k < width; k++)
        sum += tile[threadIdx.y][k];
    __syncthreads();
    tile[threadIdx.y][threadIdx.x] = sum + x;
    __syncthreads();
    out[y * width + x] = tile[threadIdx.y][threadIdx.x ^ ((x ^ 1) < width)];
}

/* Those that stay are not side by side: step is 3; or they leave one by one: last is true. */
__global__ void some(int *out, int step, bool last)
{
    __shared__ int seen[96];
    const int t = threadIdx.x;
    seen[t] = -1;
    __syncthreads();
    if (step > 1 && t % step == 1)
        return;
    int sum = 0;
#pragma unroll 1
    for (int round = 0; round < 6; round++) {
        seen[t] = t * 10 + round;
        __syncthreads();
        sum += seen[95 - t] + round;
        __syncthreads();
        if (last && t >= 95 - 16 * round)
            break;
    }
    out[blockIdx.x * 96 + t] = sum;
}

static std::vector<int> expected_some(int step, bool last)
{
    std::vector<int> seen(96, -1), sums(96, 0);
    std::vector<bool> ended(96, false);
    for (int t = 0; t < 96; t++)
        ended[t] = step > 1 && t % step == 1;
    const std::vector<bool> never = ended;
    for (int round = 0; round < 6; round++) {
        for (int t = 0; t < 96; t++)
            if (!ended[t])
                seen[t] = t * 10 + round;
        for (int t = 0; t < 96; t++)
            if (!ended[t])
                sums[t] += seen[95 - t] + round;
        for (int t = 0; t < 96; t++)
            ended[t] = ended[t] || (last && t >= 95 - 16 * round);
    }
    for (int t = 0; t < 96; t++)
        if (never[t])
            sums[t] = 0;
    return sums;
}

static void check_sums(int n)
{
    const int threads = 200, blocks = (n + threads - 1) / threads;
    std::vector<int> values(n);
    for (int i = 0; i < n; i++)
        values[i] = (int)(random_word(i) % 100);
    device_array<int> in(values), out(2 * blocks);
    sums<<<blocks, threads>>>(in.data, out.data, n);
    LAUNCHED();
    const std::vector<int> got = out.host();
    for (int block = 0; block < blocks; block++) {
        int sum = 0, count = 0;
        for (int i = block * threads; i < n && i < (block + 1) * threads; i++)
            sum += values[i], count += values[i] % 2 == 0;
        EXPECT(got[2 * block] == sum);
        EXPECT(got[2 * block + 1] == count);
    }
    result("sums", got);
}

static void check_rows(int width, int height)
{
    std::vector<int> picture(width * height), row(width * height), expected(width * height);
    for (int i = 0; i < width * height; i++)
        picture[i] = (int)(random_word(i) % 1000);
    for (int i = 0; i < width * height; i++)
        for (int x = i % width / 16 * 16; x < width && x < i % width / 16 * 16 + 16; x++)
            row[i] += picture[i / width * width + x];
    for (int i = 0; i < width * height; i++) {
        const int x = i % width, other = (x ^ 1) < width ? i - x + (x ^ 1) : i;
        expected[i] = row[other] + other % width;
    }
    device_array<int> in(picture), out(width * height);
    rows<<<dim3((width + 15) / 16, (height + 7) / 8), dim3(16, 8)>>>(in.data, out.data, width,
                                                                     height);
    LAUNCHED();
    EXPECT(out.host() == expected);
    result("rows", out.host());
}

static void check_some(int step, bool last)
{
    device_array<int> out(2 * 96);
    some<<<2, 96>>>(out.data, step, last);
    LAUNCHED();
    const std::vector<int> got = out.host(), expected = expected_some(step, last);
    for (int i = 0; i < 2 * 96; i++)
        if (!EXPECT(got[i] == expected[i % 96]))
            printf("    %d: %d, expected %d\n", i, got[i], expected[i % 96]);
    result("some", got);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    check_sums(600);
    check_sums(1);
    check_sums(333);
    check_sums(32 * 5);
    check_rows(64, 16);
    check_rows(37, 13);
    check_rows(3, 1);
    check_some(1, false);
    check_some(3, false);
    check_some(1, true);
    check_some(3, true);
    return program_end();
}
