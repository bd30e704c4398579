/* Warps that have nothing to do until the next barrier: sums whose bound is a number or a variable, in blocks of one row and of
 * several; threads that have ended, that wait at another barrier meanwhile, or that others outlive; whole warps that end. And sums
 * that warps of a block add to one place after the other, and to two in turn; and rows of sums that blocks add to the same words, and to
 * others. A first warp that goes on alone, behind which the others want what it left and what they had; sums of floating point of
 * many blocks.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

/* Each row sums its own. */
__global__ void halve(int *out, const int *in)
{
    __shared__ int values[1024];
    int *const row = values + threadIdx.y * blockDim.x;
    row[threadIdx.x] = in[(blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x];
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
        if (threadIdx.x < half)
            row[threadIdx.x] += row[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x * blockDim.y + threadIdx.y] = row[0];
}

/* With doubles and an atomic operation of one thread. */
__global__ void halve_known(double *out, const int *in)
{
    __shared__ double values[256];
    const int t = threadIdx.x;
    values[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half)
            values[t] += values[t + half];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(out, values[0]);
}

/* The sum by the first warp at last, which all others read between sums. */
__global__ void hand_out(int *out, int rounds)
{
    __shared__ int values[256];
    const int t = threadIdx.x;
    int mine = t + blockIdx.x, seen = 0;
    for (int round = 0; round < rounds; round++) {
        values[t] = mine;
        __syncthreads();
        for (int half = blockDim.x / 2; half > 0; half /= 2) {
            if (t < half)
                values[t] += values[t + half];
            __syncthreads();
        }
        seen = seen * 3 + values[0];
        if (t < 5)
            mine += 7;
        __syncthreads();
        if (t < 32)
            values[t] += t;
        __syncthreads();
        if (t < 9)
            values[t + 1] += 1;
        __syncthreads();
        mine += values[t % 32];
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + t] = seen + mine;
}

/* Numbers so small that each sum is exact; subnormal ones count as zeros. */
__global__ void add_floats(float *floats, double *doubles, float *tiny, int kinds)
{
    const int lane = threadIdx.x % 32;
    const float value = (float)(blockIdx.x % 50 + threadIdx.x / 32) * 0.25f;
    if (lane == 7)
        atomicAdd(&floats[blockIdx.x % kinds], value);
    if (threadIdx.x == 0)
        atomicAdd(&doubles[blockIdx.x / 8 % kinds], 3.0 * value);
    if (threadIdx.x == 33)
        atomicAdd(tiny, 1e-40f);
}

/* Threads from `end` on are gone. */
__global__ void with_gone(int *out, int end, int bound)
{
    __shared__ int seen[256];
    const int t = threadIdx.x;
    int sum = 0;
    if (t >= end)
        return;
    seen[t] = t;
    __syncthreads();
    for (int i = 0; i < 4; i++) {
        if (t < bound)
            sum += seen[(t + 1 + i) % end];
        __syncthreads();
        if (t == i)
            seen[t] += 100;
        __syncthreads();
    }
    out[t] = sum + seen[t];
}

__global__ void elsewhere(int *out)
{
    __shared__ int word;
    const int t = threadIdx.x;
    int mine = 0;
    if (t == 255)
        word = 7;
    __syncthreads();
    if (t < 64) {
        mine = word;
        __syncthreads();
        mine += 1;
    } else {
        __syncthreads();
        if (t == 64)
            word = 9;
    }
    __syncthreads();
    out[t] = t < 40 ? mine * 10 + word : mine;
}

__global__ void outlive(int *out)
{
    __shared__ int words[32];
    const int t = threadIdx.x;
    if (t < 32)
        words[t] = t;
    __syncthreads();
    if (t < 32) {
        const int next = words[(t + 1) % 32];
        __syncthreads();
        words[t] = next;
        __syncthreads();
        out[t] = words[(t + 1) % 32];
    }
}

/* The fourth warp ends as a whole. */
__global__ void without_one(int *out)
{
    __shared__ int values[256];
    const int t = threadIdx.x;
    values[t] = t;
    __syncthreads();
    if (t >> 5 == 3) {
        if (t & 1)
            out[t] = -7;
        return;
    }
    out[t] = values[t ^ 128] + 1000;
    __syncthreads();
    values[t] = out[t] * 2;
    __syncthreads();
    out[t] = values[t ^ 64];
}

__global__ void add_by_warps(unsigned long long *longs, int *total, int *pairs)
{
    const int t = threadIdx.x, warp = t / 32;
    atomicAdd(longs, (unsigned long long)t << 20);
    if (t < 100)
        atomicAdd(total, t);
    atomicAdd(&pairs[warp % 2], 1);
}

/* Counts in rows: blocks of a kind have one, whose words lie apart by `step`; some threads add nothing, and some twice. */
__global__ void add_rows(int *out, int kinds, int step, int end)
{
    __shared__ int counts[256];
    const int t = threadIdx.x, kind = blockIdx.x % kinds;
    counts[t] = 0;
    __syncthreads();
    atomicAdd(&counts[t * 7 % blockDim.x], t + 1);
    __syncthreads();
    if (t < end)
        atomicAdd(&out[kind * 256 + t * step], counts[t]);
    atomicAdd(&out[kind * 256 + t], 1);
}

static void expect_rows(int blocks, int threads, int kinds, int step, int end)
{
    device_array<int> out(2048);
    std::vector<int> expected(2048), counts((size_t)threads);
    for (int t = 0; t < threads; t++)
        counts[(size_t)(t * 7 % threads)] += t + 1;
    for (int block = 0; block < blocks; block++)
        for (int t = 0; t < threads; t++) {
            expected[(size_t)(block % kinds * 256 + t)]++;
            if (t < end)
                expected[(size_t)(block % kinds * 256 + t * step)] += counts[(size_t)t];
        }
    add_rows<<<blocks, threads>>>(out.data, kinds, step, end);
    LAUNCHED();
    EXPECT(out.host() == expected);
}

static void add_sums()
{
    device_array<unsigned long long> longs(1);
    device_array<int> total(1), pairs(2);
    add_by_warps<<<7, 160>>>(longs.data, total.data, pairs.data);
    LAUNCHED();
    EXPECT(longs.host()[0] == 7ull * (160 * 159 / 2) << 20);
    EXPECT(total.host()[0] == 7 * (100 * 99 / 2));
    EXPECT(pairs.host() == std::vector<int>({7 * 96, 7 * 64}));
}

static void sum_rows(dim3 block)
{
    const int rows = 5 * (int)block.y, columns = (int)block.x;
    std::vector<int> values((size_t)(rows * columns)), expected((size_t)rows);
    for (int i = 0; i < rows * columns; i++) {
        values[(size_t)i] = (int)(random_word((uint64_t)i) % 1000);
        expected[(size_t)(i / columns)] += values[(size_t)i];
    }
    device_array<int> in(values), out((size_t)rows);
    halve<<<5, block>>>(out.data, in.data);
    LAUNCHED();
    EXPECT(out.host() == expected);
    result("rows", out.host());
}

static void sum_all()
{
    std::vector<int> values(1024);
    double sum = 0;
    for (size_t i = 0; i < values.size(); i++)
        sum += values[i] = (int)(random_word(i) % 1000);
    device_array<int> in(values);
    device_array<double> out(1);
    halve_known<<<4, 256>>>(out.data, in.data);
    LAUNCHED();
    EXPECT(out.host()[0] == sum);
}

static void expect_handed_out(int threads, int rounds)
{
    const int blocks = 3;
    device_array<int> out((size_t)(blocks * threads));
    std::vector<int> expected;
    for (int block = 0; block < blocks; block++) {
        std::vector<unsigned> mine((size_t)threads), values((size_t)threads);
        unsigned seen = 0;
        for (int t = 0; t < threads; t++)
            mine[(size_t)t] = (unsigned)(t + block);
        for (int round = 0; round < rounds; round++) {
            values = mine;
            for (int half = threads / 2; half > 0; half /= 2)
                for (int t = 0; t < half; t++)
                    values[(size_t)t] += values[(size_t)(t + half)];
            seen = seen * 3 + values[0];
            for (int t = 0; t < 32; t++)
                values[(size_t)t] += (unsigned)t;
            for (int t = 1; t < 10; t++)
                values[(size_t)t] += 1;
            for (int t = 0; t < threads; t++)
                mine[(size_t)t] += values[(size_t)(t % 32)] + (t < 5 ? 7 : 0);
        }
        for (int t = 0; t < threads; t++)
            expected.push_back((int)(seen + mine[(size_t)t]));
    }
    hand_out<<<blocks, threads>>>(out.data, rounds);
    LAUNCHED();
    EXPECT(out.host() == expected);
}

static void expect_floats(int blocks, int kinds)
{
    device_array<float> floats((size_t)kinds), tiny(1);
    device_array<double> doubles((size_t)kinds);
    std::vector<float> sums((size_t)kinds);
    std::vector<double> long_sums((size_t)kinds);
    for (int block = 0; block < blocks; block++) {
        for (int warp = 0; warp < 4; warp++)
            sums[(size_t)(block % kinds)] += (float)(block % 50 + warp) * 0.25f;
        long_sums[(size_t)(block / 8 % kinds)] += block % 50 * 0.75;
    }
    for (int launch = 0; launch < 3;
         launch++) /* the later ones are shared by threads of the host */
        add_floats<<<blocks, 128>>>(floats.data, doubles.data, tiny.data, kinds);
    LAUNCHED();
    for (int i = 0; i < kinds; i++) {
        EXPECT(floats.host()[(size_t)i] == 3 * sums[(size_t)i]);
        EXPECT(doubles.host()[(size_t)i] == 3 * long_sums[(size_t)i]);
    }
    EXPECT(tiny.host()[0] == 0);
}

static void expect_gone(int end, int bound)
{
    device_array<int> out(256);
    std::vector<int> expected(256);
    with_gone<<<1, 256>>>(out.data, end, bound);
    LAUNCHED();
    for (int t = 0; t < end; t++) {
        int sum = 0;
        for (int i = 0; t < bound && i < 4; i++) {
            const int from = (t + 1 + i) % end;
            sum += from + (from < i ? 100 : 0);
        }
        expected[(size_t)t] = sum + t + (t < 4 ? 100 : 0);
    }
    EXPECT(out.host() == expected);
}

static void expect(void (*kernel)(int *), int (*value)(int t))
{
    device_array<int> out(256);
    std::vector<int> expected;
    for (int t = 0; t < 256; t++)
        expected.push_back(value(t));
    kernel<<<1, 256>>>(out.data);
    LAUNCHED();
    EXPECT(out.host() == expected);
    result("values", out.host());
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const dim3 blocks[] = {{256, 1}, {32, 8}, {64, 4}, {16, 16}, {1024, 1}, {8, 1}, {2, 64}};
    for (const dim3 block : blocks)
        sum_rows(block);
    sum_all();
    add_sums();
    for (int threads : {256, 100, 32, 7})
        for (int kinds : {1, 3, 5})
            for (int end : {256, 50, 32, 0}) {
                expect_rows(67, threads, kinds, 1, end);
                expect_rows(67, threads, kinds, 3, end);
            }
    for (int threads : {256, 64, 32})
        for (int rounds : {1, 2, 5})
            expect_handed_out(threads, rounds);
    for (int blocks : {1, 17, 1000})
        for (int kinds : {1, 3, 7})
            expect_floats(blocks, kinds);
    for (int end : {256, 200, 128, 33, 5})
        for (int bound : {0, 1, 31, 32, 33, 255})
            expect_gone(end, bound);
    expect(elsewhere, [](int t) { return t < 40 ? 89 : t < 64 ? 8 : 0; });
    expect(outlive, [](int t) { return t < 32 ? (t + 2) % 32 : 0; });
    expect(without_one, [](int t) {
        return t >> 5 == 3          ? (t & 1 ? -7 : 0)
               : (t ^ 64) >> 5 == 3 ? t ^ 64
                                    : 2 * ((t ^ 192) + 1000);
    });
    return program_end();
}
