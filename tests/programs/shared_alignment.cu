/* alignas() behind __shared__, where CUDA's own compiler takes it, and wherever else C++ has it. Beside it a parameter of
 * more than 4,096 bytes, which no PTX that clang 14 to 16 writes is of age for.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

enum { THREADS = 32, INTS = 4000 };

struct alignas(32) pair_of_lines {
    int a, b;
};

struct long_list {
    alignas(16) int value[INTS];
};

template <class type, int count> __device__ uintptr_t place_of()
{
    __shared__ char before;
    __shared__ alignas(type) char room[count];
    __shared__ alignas(count) alignas(alignof(type)) char wide[count];
    before = (char)threadIdx.x;
    room[threadIdx.x % count] = before;
    wide[threadIdx.x % count] = before;
    return ((uintptr_t)room) % alignof(type) + (uintptr_t)wide % count;
}

__global__ void align(float4 *out, const float *in)
{
    __shared__ char odd[3];
    __shared__ alignas(alignof(float4)) float lines[THREADS][4];
    __shared__ alignas(64) char apart[5];
    odd[threadIdx.x % 3] = 1;
    apart[threadIdx.x % 5] = 2;
    for (int i = 0; i < 4; i++)
        lines[threadIdx.x][i] = in[threadIdx.x * 4 + i];
    __syncthreads();
    float4 v = *reinterpret_cast<float4 *>(lines[THREADS - 1 - threadIdx.x]);
    v.w += (float)((uintptr_t)lines % 16 + (uintptr_t)apart % 64 + alignof(pair_of_lines) - 32 +
                   place_of<double, 16>());
    out[threadIdx.x] = v;
}

__global__ void add_up(const long_list list, int *sum)
{
    atomicAdd(sum, 0);
    for (int i = (int)threadIdx.x; i < INTS; i += (int)blockDim.x)
        atomicAdd(sum, list.value[i]);
}

static void check_alignment()
{
    std::vector<float> numbers(4 * THREADS);
    for (size_t i = 0; i < numbers.size(); i++)
        numbers[i] = (float)i;
    device_array<float> in(numbers);
    device_array<float4> out(THREADS);
    align<<<1, THREADS>>>(out.data, in.data);
    LAUNCHED();
    const std::vector<float4> got = out.host();
    for (int i = 0; i < THREADS; i++) {
        const float first = (float)(4 * (THREADS - 1 - i));
        EXPECT(got[i].x == first && got[i].y == first + 1 && got[i].z == first + 2);
        EXPECT(got[i].w == first + 3);
    }
}

static void check_long_parameter()
{
    static long_list list;
    int expected = 0;
    for (int i = 0; i < INTS; i++)
        expected += list.value[i] = i % 97 - 7;
    device_array<int> sum(std::vector<int>(1, 0));
    add_up<<<1, THREADS>>>(list, sum.data);
    LAUNCHED();
    EXPECT(sum.host()[0] == expected);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    alignas(pair_of_lines) char room[3];
    EXPECT((uintptr_t)room % 32 == 0);
    check_alignment();
    check_long_parameter();
    return program_end();
}
