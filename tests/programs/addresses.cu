/* Addresses that follow from a thread's number or a loop's by random steps, which compilers for CPUs make vectors of:
 * strides of 2 to 9 up and down, wraps by and, rem, casts, shifts and fields, xor, min and max, elements of 1 to 8 bytes;
 * loads and stores of shared and of global memory, by threads and in loops of one. The seeds are fixed.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#ifndef SEEDS
#define SEEDS 16 /* more for a search: every seed is a kernel */
#endif

enum { TABLE = 1024 };

__host__ __device__ constexpr unsigned choice(unsigned seed, unsigned which, unsigned count)
{
    unsigned x = seed * 0x9e3779b9u + which * 0x85ebca6bu + 1;
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return (x ^ x >> 16) % count;
}

template <unsigned seed> __host__ __device__ unsigned stepped(unsigned i)
{
    constexpr unsigned stride = 2 + choice(seed, 0, 8);
    switch (choice(seed, 1, 8)) {
    case 0:
        return i * stride + 5;
    case 1:
        return 1000 - i * stride;
    case 2:
        return i << stride % 4;
    case 3:
        return i * (stride << 24 | stride);
    default:
        return i * stride;
    }
}

/* Below 512. */
template <unsigned seed> __host__ __device__ unsigned wrapped(unsigned x)
{
    constexpr unsigned bits = 3 + choice(seed, 2, 6), mask = (1u << bits) - 1;
    switch (choice(seed, 3, 11)) {
    case 0:
        return x % (mask + 1);
    case 1:
        return (unsigned char)x;
    case 2:
        return x >> 2 & mask;
    case 3:
        return x << (32 - bits) >> (32 - bits);
    case 4:
        return (unsigned short)((unsigned short)x * 3) & mask;
    case 5:
        return (x & mask) ^ 21;
    case 6:
        return (unsigned)min((int)(x & mask), 100);
    case 7:
        return max(x & mask, 9u);
    case 8:
        return x % 48;
    case 9:
        return min(x, mask);
    default:
        return x & mask;
    }
}

template <unsigned seed> __host__ __device__ unsigned place(unsigned i)
{
    const unsigned once = wrapped<seed>(stepped<seed>(i));
    return choice(seed, 4, 4) ? once : wrapped<seed + 7>(stepped<seed + 7>(once));
}

template <class T> __host__ __device__ T stored(unsigned at)
{
    return (T)(at * 5 + 3);
}

template <unsigned seed, class T> __device__ void use_shared(T *out, const T *table, bool scatters)
{
    __shared__ T shared[TABLE];
    const unsigned t = threadIdx.x;
    for (unsigned i = t; i < TABLE; i += blockDim.x)
        shared[i] = table[i];
    __syncthreads();
    if (scatters) {
        shared[place<seed>(t)] = stored<T>(place<seed>(t));
        __syncthreads();
        for (unsigned i = t; i < TABLE; i += blockDim.x)
            out[i] = shared[i];
    } else {
        out[t] = shared[place<seed>(t)];
    }
}

template <unsigned seed, class T> __global__ void addresses(T *out, const T *table, unsigned count)
{
    switch (seed % 4) {
    case 0:
        use_shared<seed>(out, table, false);
        break;
    case 1:
        use_shared<seed>(out, table, true);
        break;
    case 2:
        out[threadIdx.x] = table[place<seed>(threadIdx.x)];
        break;
    default:
        for (unsigned i = 0; i < count; i++)
            out[i] = table[place<seed>(i)];
    }
}

template <unsigned seed, class T>
static std::vector<T> expected(const std::vector<T> &table, unsigned count)
{
    std::vector<T> out(TABLE);
    if (seed % 4 == 1)
        out = table;
    for (unsigned i = 0; i < count; i++)
        if (seed % 4 == 1)
            out[place<seed>(i)] = stored<T>(place<seed>(i));
        else
            out[i] = table[place<seed>(i)];
    return out;
}

template <unsigned seed, class T> static void check(void)
{
    /* A group of another size is another kernel to some devices where each thread is a work-item. */
    static const unsigned counts[] = {64, 16, 32, 48, 128, 256};
    std::vector<T> table(TABLE);
    for (unsigned i = 0; i < TABLE; i++)
        table[i] = (T)(i * 7 + 1);
    device_array<T> in(table);
    for (unsigned count : counts) {
        device_array<T> out(TABLE);
        addresses<seed, T><<<1, seed % 4 == 3 ? 1 : count>>>(out.data, in.data, count);
        LAUNCHED();
        const std::vector<T> right = expected<seed, T>(table, count);
        if (!EXPECT(out.host() == right))
            printf("seed %u, %u threads\n", seed, count);
        if (seed % 4 == 2)
            break;
    }
}

template <unsigned seed> static void check_from(void)
{
    if constexpr (choice(seed, 5, 8) == 0)
        check<seed, uint8_t>();
    else if constexpr (choice(seed, 5, 8) == 1)
        check<seed, uint16_t>();
    else if constexpr (choice(seed, 5, 8) == 2)
        check<seed, uint64_t>();
    else
        check<seed, uint32_t>();
    if constexpr (seed + 1 < SEEDS)
        check_from<seed + 1>();
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    check_from<0>();
    return program_end();
}
