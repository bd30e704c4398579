/* Atomic functions whose order and scope are arguments: each operation on each type, and data that a block hands to another
 * behind a store that releases.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

enum { THREADS = 96, BLOCKS = 6 };

/* A float and a double are loaded, stored and swapped as what they are. */
struct pair {
    float x, y;
};

struct sums {
    int added, least, most, bits;
    unsigned int taken, uadded;
    unsigned long long ladded, lmost;
    float fadded;
    double dadded, dmost;
    unsigned int exchanged;
    unsigned short half;
    pair both;
};

template <class T> __device__ void raise(T *address, T value)
{
    T seen;
    __nv_atomic_load(address, &seen, __NV_ATOMIC_RELAXED);
    while (seen < value && !__nv_atomic_compare_exchange(address, &seen, &value, true,
                                                         __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_RELAXED))
        ;
}

__global__ void compute(sums *s)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __nv_atomic_add(&s->added, i, __NV_ATOMIC_RELAXED);
    __nv_atomic_min(&s->least, -i, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_fetch_max(&s->most, i, __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_SYSTEM);
    __nv_atomic_or(&s->bits, 1 << i % 31, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_sub(&s->taken, 3u, __NV_ATOMIC_ACQUIRE);
    __nv_atomic_fetch_add(&s->uadded, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_fetch_add(&s->ladded, 1ull << 33, __NV_ATOMIC_ACQ_REL);
    __nv_atomic_max(&s->lmost, 7ull << 40 | i, __NV_ATOMIC_RELAXED);
    __nv_atomic_add(&s->fadded, 0.5f, __NV_ATOMIC_RELAXED);
    __nv_atomic_sub(&s->dadded, 0.25, __NV_ATOMIC_RELAXED);
    raise(&s->dmost, i * 1.5);
    const unsigned int old = __nv_atomic_exchange_n(&s->exchanged, i + 1, __NV_ATOMIC_RELAXED);
    __nv_atomic_fetch_xor(&s->exchanged + 0, old ^ old, __NV_ATOMIC_RELAXED);
    unsigned short seen = __nv_atomic_load_n(&s->half, __NV_ATOMIC_RELAXED);
    while (!__nv_atomic_compare_exchange_n(&s->half, &seen, seen + 1, false, __NV_ATOMIC_RELAXED,
                                           __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE))
        ;
    if (i == 5) {
        pair value = {1.5f, -2.0f}, before;
        __nv_atomic_store(&s->both, &value, __NV_ATOMIC_RELAXED);
        value.x = 4;
        __nv_atomic_exchange(&s->both, &value, &before, __NV_ATOMIC_RELAXED);
        __nv_atomic_add(&s->fadded, before.x + before.y, __NV_ATOMIC_RELAXED);
    }
}

/* Block 0 writes, the others wait for its flag and read. */
__global__ void hand(int *data, unsigned int *flag, int *sums)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        for (int i = 0; i < THREADS; i++)
            data[i] = i * i;
        __nv_atomic_store_n(flag, 1u, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
        return;
    }
    while (__nv_atomic_load_n(flag, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) == 0)
        ;
    int sum = 0;
    for (int i = 0; i < THREADS; i++)
        sum += data[i];
    sums[blockIdx.x] = sum;
}

/* The same by fences around relaxed accesses, within a block. */
__global__ void hand_by_fences(int *result)
{
    __shared__ int value, flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x == 64) {
        value = 77;
        __nv_atomic_thread_fence(__NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK);
        __nv_atomic_store_n(&flag, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
    } else if (threadIdx.x == 0) {
        while (!__nv_atomic_load_n(&flag, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK))
            ;
        __nv_atomic_thread_fence(__NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_BLOCK);
        *result = value;
    }
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    sums *s;
    CUDA(cudaMallocManaged(&s, sizeof *s));
    memset(s, 0, sizeof *s);
    s->dmost = -1;
    compute<<<BLOCKS, THREADS>>>(s);
    LAUNCHED();
    const int n = BLOCKS * THREADS;
    EXPECT(s->added == n * (n - 1) / 2);
    EXPECT(s->least == 1 - n && s->most == n - 1 && s->bits == 0x7fffffff);
    EXPECT(s->taken == 0u - 3 * n && s->uadded == n && s->half == n);
    EXPECT(s->ladded == (unsigned long long)n << 33 && s->lmost == (7ull << 40 | (n - 1)));
    EXPECT(s->fadded == n * 0.5f - 0.5f && s->dadded == n * -0.25 && s->dmost == (n - 1) * 1.5);
    EXPECT(s->exchanged > 0 && s->exchanged <= n && s->both.x == 4 && s->both.y == -2);

    int *data, *results;
    unsigned int *flag;
    CUDA(cudaMalloc(&data, THREADS * sizeof *data));
    CUDA(cudaMalloc(&flag, sizeof *flag));
    CUDA(cudaMemset(flag, 0, sizeof *flag));
    CUDA(cudaMallocManaged(&results, BLOCKS * sizeof *results));
    results[0] = 0;
    hand<<<BLOCKS, 32>>>(data, flag, results);
    LAUNCHED();
    for (int i = 1; i < BLOCKS; i++)
        EXPECT(results[i] == (THREADS - 1) * THREADS * (2 * THREADS - 1) / 6);
    hand_by_fences<<<1, THREADS>>>(results);
    LAUNCHED();
    EXPECT(results[0] == 77);
    CUDA(cudaFree(s));
    CUDA(cudaFree(data));
    CUDA(cudaFree(flag));
    CUDA(cudaFree(results));
    return program_end();
}
