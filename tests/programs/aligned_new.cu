/* new and delete in kernels of types with more alignment than malloc() has: single ones, arrays, without exceptions, with
 * destructors, and an exhausted heap.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

/* nvcc has no new that takes std::nothrow, and none that throws. */
#ifdef __clang__
#define NEW     new (std::nothrow)
#define QUIETLY , std::nothrow
#else
#define NEW new
#define QUIETLY
#endif

enum { THREADS = 64, KINDS = 5 };

__device__ int alive;

template <int bytes> struct alignas(bytes) wide {
    int value;
    __device__ explicit wide(int v = 5) : value(v)
    {
        atomicAdd(&alive, 1);
    }
    __device__ ~wide()
    {
        atomicSub(&alive, 1);
    }
};

template <class T> __device__ bool is_aligned(const T *address)
{
    return address && reinterpret_cast<uintptr_t>(address) % alignof(T) == 0;
}

template <int bytes> __device__ bool is_right(int i)
{
    typedef wide<bytes> T;
    T *const one = new T(i), *const other = NEW T(i + 1), *const many = new T[3];
    const bool is = is_aligned(one) && is_aligned(other) && is_aligned(many) && one->value == i &&
                    other->value == i + 1 && many[2].value == 5;
    delete one;
    delete other;
    delete[] many;
    return is;
}

__global__ void make(int *right)
{
    const int i = threadIdx.x;
    right[i] = is_right<32>(i) + is_right<64>(i) + is_right<128>(i) + is_right<1024>(i) +
               is_right<8192>(i);
}

struct alignas(64) large {
    char bytes[1 << 20];
};

/* More than the heap holds, and more than there are addresses. */
__global__ void exhaust(int *result, size_t count)
{
    result[0] = ::operator new (count, std::align_val_t{64} QUIETLY) == nullptr;
    result[1] = NEW large[1 << 20] == nullptr;
    ::operator delete (nullptr, std::align_val_t{64});
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    device_array<int> right(THREADS), result(2);
    make<<<1, THREADS>>>(right.data);
    LAUNCHED();
    EXPECT(right.host() == std::vector<int>(THREADS, KINDS));
    int left = -1;
    CUDA(cudaMemcpyFromSymbol(&left, alive, sizeof left));
    EXPECT(left == 0);
    exhaust<<<1, 1>>>(result.data, ~(size_t)0 - 16);
    LAUNCHED();
    EXPECT(result.host() == std::vector<int>({1, 1}));
    return program_end();
}
