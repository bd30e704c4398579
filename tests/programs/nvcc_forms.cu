/* What nvcc takes and clang does not, which clemcc mends: launches in kernels, of templates and in several lines too; grids in
 * braces; names of registers in assembly with one sign.
 * nvcc: -rdc=true -lcudadevrt
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

enum { SIZE = 80 };

__device__ static unsigned lane_of(bool is_long)
{
    unsigned lane, other;
    asm("mov.u32 %0, %laneid;" : "=r"(lane));
    asm volatile("{\n\t"
                 "mov.u32 %0, %tid.x;\n\t"
                 "and.b32 %0, %0, 31; }"
                 : "=r"(other));
    return is_long ? other : lane;
}

template <typename T, int AT> __global__ void add(T *to, T value)
{
    to[threadIdx.x + AT] += value;
}

namespace inner
{
__global__ void set(int *to, int count)
{
    if ((int)threadIdx.x < count)
        to[threadIdx.x] = (int)threadIdx.x;
}
} // namespace inner

__device__ static void begin(int *to, cudaStream_t stream)
{
    inner::set<<<dim3(1, 1), dim3(32), 0, stream>>>(to, 32);
}

__global__ void nothing()
{
}

struct pair {
    int a, b;
};

namespace inner
{
template <bool HAS, typename T> __global__ void put(T *to, pair what)
{
    *to = HAS ? what.a * 100 + what.b : 0;
}
} // namespace inner

/* Of a template, whose arguments follow from the launch's. */
template <int TIMES, typename T> __global__ void times(T *to, T value)
{
    *to = value * TIMES;
}

template <typename T> __device__ static void multiply(T *to)
{
    T three = 3;
    times<5><<<1, 1>>>(to, three);
}

template <void (*KERNEL)(int *, int)> __device__ static void launch(int *to, int value)
{
    KERNEL<<<0'1, 0'1>>>(to, value);
}

/* Names in several words, comparisons in their arguments, braces in the kernel's. */
// clang-format off
__device__ static void put_all(int *to, int which)
{
    inner :: put < (2 > 1), int > <<<1, 1>>> (to, pair{1, 2});
    if (which > 1)
        nothing<<<1, 1>>>();
    else ::inner
        ::put<(1 > 2), int><<<1, 1>>>(to + 1, pair{which, 3});
    do ::inner::put<(sizeof(int) > 2 ? true : false), int><<<1, 1>>>(to + 2, pair{4, 5}); while (which > 2);
}

template <int A, int B> struct product {
    enum { IS = A * B };
};

__global__ void put_pair(int *to, pair what, char sign)
{
    *to = what.a * 100 + what.b + (sign == ')') * 1000 * (int)(blockDim.x * gridDim.x);
}

/* Commas of template arguments, comments wherever, braces and lambdas as arguments. */
__device__ static void put_others(int *to)
{
    put_pair<<<product<1, 2>::IS / product<2, 1>::IS, /* not, this >>> */ product<1, 3>::IS>>> // it's (
        (to, pair{1, 2} /* ) */, ')');
    put_pair /* of; two */ <<<1, 1 // one, and )
        >>>(to + 1, {3, 4}, ')');
    put_pair // <<<
        <<<1, 2>>>(to + 2, pair{5, 6}, *R"x()")x");
    put_pair<<<(2 > 1), 1>>>(to + 3, {7, [](int a) { return a + 1; }(7)}, '(');
    inner::set<<<1, 1>>>(to + 4, [&] { const int all = 5; return all; }());
}
// clang-format on

/* What is stored through a pointer of another type is there. */
__global__ void store_half(int *to, short *half)
{
    *to = 1;
    *half = 7;
    to[1] = *to;
}

__global__ void sum(int *to)
{
    to[63] = to[31] + to[40];
}

__global__ void parent(int *to, unsigned *lanes)
{
    lanes[threadIdx.x] = lane_of(false) + 100 * lane_of(true);
    if (threadIdx.x != 0)
        return;
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    begin(to, stream);
    cudaStreamDestroy(stream);
    nothing<<<1, 1>>>();
    put_all(to + 56, 1);
    times<4><<<1, 1>>>(to + 59, 5);
    multiply(to + 60);
    times<4><<<0'1, 0'1>>>(to + 61, 6);
    launch<times<3>>(to + 62, 7);
    put_others(to + 64);
    add<int, 32><<<1, 16, 16 * sizeof(int)>>>(to, 7);
    for (int i = 0; i < 2; i++)
        add<int, 32><<<{1, 1}, 16>>>(to, i);
    sum<<<1, 1, 0, cudaStreamTailLaunch>>>(to);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    int *to;
    unsigned *lanes;
    CUDA(cudaMallocManaged(&to, SIZE * sizeof *to));
    CUDA(cudaMallocManaged(&lanes, 64 * sizeof *lanes));
    CUDA(cudaMemset(to, 0, SIZE * sizeof *to));
    to[57] = to[68] = 9;
    parent<<<1, {32, 2, 1}>>>(to, lanes);
    LAUNCHED();
    for (unsigned i = 0; i < 32; i++)
        EXPECT(lanes[i] == i + 100 * i);
    EXPECT(to[31] == 31 && to[40] == 2 * (7 + 0 + 1) && to[47] == 2 * 8);
    EXPECT(to[56] == 102 && to[57] == 0 && to[58] == 405);
    EXPECT(to[59] == 20 && to[60] == 15 && to[61] == 24 && to[62] == 21);
    EXPECT(to[63] == 31 + 2 * 8);
    EXPECT(to[64] == 3102 && to[65] == 1304 && to[66] == 2506 && to[67] == 708 && to[68] == 0);
    store_half<<<1, 1>>>(to, reinterpret_cast<short *>(to));
    LAUNCHED();
    EXPECT(to[0] == 7 && to[1] == 7);
    CUDA(cudaFree(to));
    CUDA(cudaFree(lanes));
    return program_end();
}
