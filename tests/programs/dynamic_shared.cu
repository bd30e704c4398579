/* Shared memory: dynamic beside static, several arrays in one, types of all alignments, bank patterns, the largest block.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

extern __shared__ unsigned char raw[];

__global__ void three_in_one(double *out, int n)
{
    double *doubles = (double *)raw;
    float *floats = (float *)(doubles + n);
    short *shorts = (short *)(floats + n);
    __shared__ int fixed[3];
    const int t = threadIdx.x;
    doubles[t] = t * 0.5, floats[t] = (float)t, shorts[t] = (short)-t;
    if (t < 3)
        fixed[t] = 100 * t;
    __syncthreads();
    const int other = (t + 7) % n;
    out[blockIdx.x * n + t] = doubles[other] + floats[other] * 1000 + shorts[other] + fixed[t % 3];
}

template <class T> __global__ void reversed(T *data)
{
    T *shared = reinterpret_cast<T *>(raw);
    shared[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}

/* Pairs from neighbouring words and from halves: the two layouts of the bank conflict example. */
__global__ void pairs(int *out, const int *in)
{
    __shared__ int shared[512];
    const int t = threadIdx.x;
    shared[t] = in[t], shared[t + blockDim.x] = in[t + blockDim.x];
    __syncthreads();
    out[t] = shared[2 * t] - shared[2 * t + 1];
    out[t + blockDim.x] = shared[t] - shared[t + blockDim.x];
}

template <int stride> __global__ void strided(int *out)
{
    __shared__ int shared[128 * stride];
    for (int i = threadIdx.x; i < 128 * stride; i += blockDim.x)
        shared[i] = i;
    __syncthreads();
    out[threadIdx.x] = shared[threadIdx.x * stride];
}

template <class T> static void check_reversed(const char *name)
{
    std::vector<T> values(200);
    for (size_t i = 0; i < 200 * sizeof(T); i++)
        ((unsigned char *)values.data())[i] = (unsigned char)random_word(i);
    device_array<T> data(values);
    reversed<T><<<1, 200, 200 * sizeof(T)>>>(data.data);
    LAUNCHED();
    const std::vector<T> got = data.host();
    for (int i = 0; i < 200; i++)
        EXPECT(memcmp(&got[i], &values[199 - i], sizeof(T)) == 0);
    result(name, got);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    static const int sizes[] = {33, 128, 1000};
    for (int n : sizes) {
        device_array<double> out(3 * n);
        three_in_one<<<3, n, (size_t)n * 14>>>(out.data, n);
        LAUNCHED();
        const std::vector<double> got = out.host();
        for (int i = 0; i < 3 * n; i++) {
            const int t = i % n, other = (t + 7) % n;
            EXPECT(got[i] == other * 0.5 + other * 1000.0 - other + 100 * (t % 3));
        }
        result("three", got);
    }
    check_reversed<unsigned char>("bytes");
    check_reversed<int>("ints");
    check_reversed<double2>("double2");
    const std::vector<unsigned> words = random_words(512);
    const std::vector<int> values(words.begin(), words.end());
    device_array<int> in(values), out(512);
    pairs<<<1, 256>>>(out.data, in.data);
    LAUNCHED();
    std::vector<int> got = out.host();
    for (int t = 0; t < 256; t++) {
        EXPECT((unsigned)got[t] == words[2 * t] - words[2 * t + 1]);
        EXPECT((unsigned)got[t + 256] == words[t] - words[t + 256]);
    }
    result("pairs", got);
    strided<1><<<1, 128>>>(out.data);
    strided<32><<<1, 128>>>(out.data + 128);
    strided<33><<<1, 128>>>(out.data + 256);
    LAUNCHED();
    got = out.host();
    for (int t = 0; t < 128; t++)
        EXPECT(got[t] == t && got[128 + t] == 32 * t && got[256 + t] == 33 * t);
    return program_end();
}
