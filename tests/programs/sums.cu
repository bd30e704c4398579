/* Sums by trees in shared memory, as books write them: each block of a size that the source knows strides over its part, halves what it
 * has from barrier to barrier, and stores or adds one number. Of arrays that end anywhere: at once, within a warp, between two
 * rows, behind many turns. The order of additions is the source's, bit for bit.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

enum { BLOCKS = 13, MOST = 20000 };

static const int counts[] = {0,   1,   31,   32,   33,   100,  128,   129,   256, 511,
                             512, 640, 1000, 1024, 2048, 5000, 13312, 13313, MOST};

/* A row of a matrix times a vector. */
template <int THREADS>
__global__ void row_times(float *out, const float *matrix, const float *x, int columns)
{
    __shared__ float part[THREADS];
    const float *row = matrix + (size_t)blockIdx.x * (size_t)columns % MOST;
    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += THREADS)
        sum += row[i] * x[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}

/* Two numbers of a thread in each turn, of which the second may not be there; some blocks end before. */
template <int THREADS, bool is_gapped>
__global__ void sum_of_two(float *out, const float *in, int n)
{
    __shared__ float part[THREADS];
    const int t = threadIdx.x;
    float mine = 0;
    if (is_gapped && blockIdx.x % 5 == 3)
        return;
    for (int i = blockIdx.x * 2 * THREADS + t; i < n; i += gridDim.x * 2 * THREADS)
        mine += in[i] + (i + THREADS < n ? in[i + THREADS] : 0);
    part[t] = mine;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

/* All halves are read again behind the tree. */
template <int THREADS> __global__ void sum_and_halves(double *out, const double *in, int n)
{
    __shared__ double part[THREADS];
    const int t = threadIdx.x;
    double mine = 0;
    for (int i = blockIdx.x * THREADS + t; i < n; i += gridDim.x * THREADS)
        mine += in[i] * in[i];
    part[t] = mine;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half >>= 1) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    out[blockIdx.x * THREADS + t] = part[t];
}

/* Numbers that wrap around, within a block or from turn to turn. */
template <int THREADS, class T> __global__ void sum_of_numbers(unsigned *out, T first, T step, T n)
{
    __shared__ unsigned part[THREADS];
    const int t = threadIdx.x;
    unsigned mine = 0;
#pragma unroll 1
    for (T i = first + (T)(blockIdx.x * THREADS + t); i < n; i += step)
        mine = mine * 3 + ((unsigned)i >> 2);
    part[t] = mine;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

template <class T> static void halve(std::vector<T> &part)
{
    for (size_t half = part.size() / 2; half > 0; half /= 2)
        for (size_t t = 0; t < half; t++)
            part[t] += part[t + half];
}

template <class T>
static void check(const char *name, const device_array<T> &out, const std::vector<T> &expected)
{
    LAUNCHED();
    const std::vector<T> is = out.host();
    EXPECT(memcmp(is.data(), expected.data(), expected.size() * sizeof(T)) == 0);
    result(name, is.data(), expected.size() * sizeof(T));
}

static std::vector<float> floats(2 * MOST);
static std::vector<double> doubles(MOST);

template <int THREADS> static void multiply_rows(int n)
{
    std::vector<float> expected;
    for (int block = 0; block < BLOCKS; block++) {
        const float *row = &floats[(size_t)block * (size_t)n % MOST];
        std::vector<float> part(THREADS);
        for (int t = 0; t < THREADS; t++)
            for (int i = t; i < n; i += THREADS)
                part[(size_t)t] = fmaf(row[i], floats[(size_t)i], part[(size_t)t]);
        halve(part);
        expected.push_back(part[0]);
    }
    const device_array<float> in(floats);
    device_array<float> out(BLOCKS);
    row_times<THREADS><<<BLOCKS, THREADS>>>(out.data, in.data, in.data, n);
    check("rows", out, expected);
}

template <int THREADS, bool is_gapped> static void add_twos(int n)
{
    std::vector<float> expected;
    for (int block = 0; block < BLOCKS; block++) {
        std::vector<float> part(THREADS);
        for (int t = 0; t < THREADS; t++)
            for (int i = block * 2 * THREADS + t; i < n; i += BLOCKS * 2 * THREADS)
                part[(size_t)t] +=
                    floats[(size_t)i] + (i + THREADS < n ? floats[(size_t)(i + THREADS)] : 0);
        halve(part);
        expected.push_back(is_gapped && block % 5 == 3 ? 0 : part[0]);
    }
    const device_array<float> in(floats);
    device_array<float> out(BLOCKS);
    sum_of_two<THREADS, is_gapped><<<BLOCKS, THREADS>>>(out.data, in.data, n);
    check("twos", out, expected);
}

template <int THREADS> static void add_squares(int n)
{
    std::vector<double> expected;
    for (int block = 0; block < BLOCKS; block++) {
        std::vector<double> part(THREADS);
        for (int t = 0; t < THREADS; t++)
            for (int i = block * THREADS + t; i < n; i += BLOCKS * THREADS)
                part[(size_t)t] = fma(doubles[(size_t)i], doubles[(size_t)i], part[(size_t)t]);
        halve(part);
        expected.insert(expected.end(), part.begin(), part.end());
    }
    const device_array<double> in(doubles);
    device_array<double> out((size_t)(BLOCKS * THREADS));
    sum_and_halves<THREADS><<<BLOCKS, THREADS>>>(out.data, in.data, n);
    check("halves", out, expected);
}

template <int THREADS, class T> static void add_numbers(T first, T step, T n)
{
    std::vector<unsigned> expected;
    for (int block = 0; block < BLOCKS; block++) {
        std::vector<unsigned> part(THREADS);
        for (int t = 0; t < THREADS; t++)
            for (T i = (T)((unsigned)first + (unsigned)(block * THREADS + t)); i < n;
                 i = (T)((unsigned)i + (unsigned)step))
                part[(size_t)t] = part[(size_t)t] * 3 + ((unsigned)i >> 2);
        halve(part);
        expected.push_back(part[0]);
    }
    device_array<unsigned> out(BLOCKS);
    sum_of_numbers<THREADS, T><<<BLOCKS, THREADS>>>(out.data, first, step, n);
    check("numbers", out, expected);
}

template <int THREADS> static void add_all_numbers(void)
{
    static const unsigned firsts[] = {0, 77, 0x7fffff80u, 0x80000000u, 0xffffff00u, 0xfffffff0u},
                          steps[] = {0x0a000000u, 0x30000000u, 0x60000001u};
    for (unsigned first : firsts)
        for (unsigned step : steps) {
            add_numbers<THREADS, unsigned>(first, step, 0x90000000u);
            add_numbers<THREADS, unsigned>(first, step, 0x90000013u);
        }
    for (int first : {-1000000000, -200, -64, 0, 500})
        for (int step : {0x0a000000, 0x30000001})
            for (int n : {-64, 0, 100, 0x40000000})
                add_numbers<THREADS, int>(first, step, n);
}

template <int THREADS> static void check_all(void)
{
    add_all_numbers<THREADS>();
    for (int n : counts) {
        multiply_rows<THREADS>(n);
        add_twos<THREADS, false>(n);
        add_twos<THREADS, true>(n);
        add_squares<THREADS>(n);
    }
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    for (size_t i = 0; i < floats.size(); i++)
        floats[i] = (float)(i * 2654435761u % 1000003u) / 7.0f;
    for (size_t i = 0; i < doubles.size(); i++)
        doubles[i] = (double)(i * 2654435761u % 1000003u) / 7.0;
    check_all<32>();
    check_all<64>();
    check_all<128>();
    check_all<256>();
    check_all<512>();
    check_all<1024>();
    return program_end();
}
