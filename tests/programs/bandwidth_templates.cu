/* Reads, writes and copies as templates over operand size and unrolling, for several block sizes: the peak bandwidth
 * kernels, verified.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

template <class T, int n> __global__ void global_writes(T *out, T value, size_t count)
{
    const size_t step = (size_t)n * blockDim.x * gridDim.x;
    size_t i = (size_t)n * blockIdx.x * blockDim.x + threadIdx.x;
    for (; i + (n - 1) * blockDim.x < count; i += step)
        for (int j = 0; j < n; j++)
            out[i + j * blockDim.x] = value;
    for (int j = 0; j < n; j++)
        if (i + j * blockDim.x < count)
            out[i + j * blockDim.x] = value;
}

template <class T, int n> __global__ void global_copies(T *out, const T *in, size_t count)
{
    const size_t step = (size_t)n * blockDim.x * gridDim.x;
    size_t i = (size_t)n * blockIdx.x * blockDim.x + threadIdx.x;
    for (; i + (n - 1) * blockDim.x < count; i += step) {
        T values[n];
        for (int j = 0; j < n; j++)
            values[j] = in[i + j * blockDim.x];
        for (int j = 0; j < n; j++)
            out[i + j * blockDim.x] = values[j];
    }
    for (int j = 0; j < n; j++)
        if (i + j * blockDim.x < count)
            out[i + j * blockDim.x] = in[i + j * blockDim.x];
}

__device__ unsigned word_of(unsigned char v)
{
    return v;
}
__device__ unsigned word_of(unsigned short v)
{
    return v;
}
__device__ unsigned word_of(unsigned v)
{
    return v;
}
__device__ unsigned word_of(uint2 v)
{
    return v.x ^ v.y;
}
__device__ unsigned word_of(uint4 v)
{
    return v.x ^ v.y ^ v.z ^ v.w;
}

template <class T, int n> __global__ void global_reads(unsigned *out, const T *in, size_t count)
{
    const size_t threads = (size_t)blockDim.x * gridDim.x;
    const size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sums[n] = {};
    for (size_t i = first; i < count; i += n * threads)
        for (int j = 0; j < n; j++)
            if (i + j * threads < count)
                sums[j] += word_of(in[i + j * threads]);
    for (int j = 1; j < n; j++)
        sums[0] += sums[j];
    out[first] = sums[0];
}

static unsigned host_sum(const unsigned char *bytes, size_t operand, size_t count)
{
    unsigned sum = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned words[4] = {};
        memcpy(words, bytes + i * operand, operand);
        sum += words[0] ^ words[1] ^ words[2] ^ words[3];
    }
    return sum;
}

static const size_t bytes = 100000; /* no multiple of any n x block x grid here */

template <class T, int n> static void cell(const std::vector<unsigned char> &data, unsigned block)
{
    const unsigned grid = 3;
    const size_t count = data.size() / sizeof(T);
    device_array<unsigned char> in(data), out(data.size());
    device_array<unsigned> sums(grid * block);
    T value;
    memcpy(&value, data.data(), sizeof value);

    global_copies<T, n><<<grid, block>>>((T *)out.data, (const T *)in.data, count);
    LAUNCHED();
    EXPECT(out.host() == data);
    global_writes<T, n><<<grid, block>>>((T *)out.data, value, count);
    LAUNCHED();
    const std::vector<unsigned char> written = out.host();
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++)
        wrong += memcmp(&written[i * sizeof(T)], &value, sizeof value) != 0;
    EXPECT(wrong == 0);
    global_reads<T, n><<<grid, block>>>(sums.data, (const T *)in.data, count);
    LAUNCHED();
    unsigned sum = 0;
    for (unsigned s : sums.host())
        sum += s;
    EXPECT(sum == host_sum(data.data(), sizeof(T), count));
    result("sums", sums.host());
}

template <class T> static void row(const std::vector<unsigned char> &data)
{
    for (unsigned block = 32; block <= 512; block *= 16) {
        cell<T, 1>(data, block);
        cell<T, 8>(data, block);
    }
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    std::vector<unsigned char> data(bytes);
    for (size_t i = 0; i < bytes; i++)
        data[i] = (unsigned char)random_word(i);
    row<unsigned char>(data);
    row<unsigned short>(data);
    row<unsigned>(data);
    row<uint2>(data);
    row<uint4>(data);
    return program_end();
}
