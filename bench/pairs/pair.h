/* What the pairs of this folder share. A pair is one piece of work written twice, as its author would write it in CUDA and as he
 * would in C++ with OpenMP: the same inputs, the same outputs, no tricks that the other does not have. Each file is built
 * as both, by clemcc and by a C++ compiler, and bench/pairs/run lets both take turns.
 *
 *     pair NAME small|large      reads numbers from stdin, one in a line; for each runs the work so often, waits, and prints
 *                                the microseconds of one time; at the end it prints the sum of its outputs
 *
 * A file defines prepare(), which makes inputs and outputs, and work(), which may be repeated: it gives the same each time.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_PAIRS_PAIR_H
#define BENCH_PAIRS_PAIR_H

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#ifdef __CUDACC__
#include <cuda_runtime.h>
#else
#include <omp.h>
#endif

static void prepare(void);
static void work(void);

static bool pair_is_large;

/* One of two sizes: the first lies in a core's second-level cache with all that belongs to it (about 1 MiB in all), the other
 * takes more than four times the last one (about 256 MiB), or is as much as still runs in a second where work grows faster
 * than memory. */
static inline int pair_size(int small, int large)
{
    return pair_is_large ? large : small;
}

/* The same numbers on both sides: 0 to 2^24 - 1. */
static inline uint32_t pair_random(uint64_t place)
{
    uint64_t word = (place + 1) * UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(word >> 40);
}

/* From 0 to below 1. */
static inline float pair_random_float(uint64_t place)
{
    return (float)pair_random(place) / 16777216.0f;
}

#ifdef __CUDACC__

#define PAIR_CHECK(call)                                                                           \
    do {                                                                                           \
        const cudaError_t pair_error = (call);                                                     \
        if (pair_error != cudaSuccess) {                                                           \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(pair_error));    \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

template <class T> static T *pair_copy(const std::vector<T> &values)
{
    T *memory = nullptr;
    PAIR_CHECK(cudaMalloc(&memory, values.size() * sizeof(T)));
    PAIR_CHECK(
        cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return memory;
}

template <class T> static void pair_read(const T *memory, std::vector<T> &values)
{
    PAIR_CHECK(
        cudaMemcpy(values.data(), memory, values.size() * sizeof(T), cudaMemcpyDeviceToHost));
}

static inline void pair_wait(void)
{
    PAIR_CHECK(cudaGetLastError());
    PAIR_CHECK(cudaDeviceSynchronize());
}

static inline unsigned pair_blocks(long long count, int threads)
{
    return (unsigned)((count + threads - 1) / threads);
}

#else

template <class T> static T *pair_copy(const std::vector<T> &values)
{
    T *memory = static_cast<T *>(aligned_alloc(64, (values.size() * sizeof(T) + 63) / 64 * 64));
    if (!memory)
        exit(1);
    const long long count = (long long)values.size();
#pragma omp parallel for schedule(static)
    for (long long i = 0; i < count; i++)
        memory[i] = values[(size_t)i];
    return memory;
}

template <class T> static void pair_read(const T *memory, std::vector<T> &values)
{
    std::copy(memory, memory + values.size(), values.begin());
}

static inline void pair_wait(void)
{
}

#endif

/* Memory that the work reads or writes: device memory in CUDA. value: of each place. */
template <class T, class F> static T *pair_input(long long count, F value)
{
    std::vector<T> values((size_t)count);
    for (long long i = 0; i < count; i++)
        values[(size_t)i] = (T)value((uint64_t)i);
    return pair_copy(values);
}

static std::vector<std::function<double()>> pair_sums;

/* The same, zero at first, and part of the sum that both sides must agree on. */
template <class T> static T *pair_output(long long count)
{
    T *memory = pair_copy(std::vector<T>((size_t)count));
    pair_sums.push_back([memory, count] {
        std::vector<T> values((size_t)count);
        pair_read(memory, values);
        double sum = 0;
        for (long long i = 0; i < count; i++)
            sum += (double)values[(size_t)i] * (1.0 + (double)(i % 7));
        return sum;
    });
    return memory;
}

static inline double pair_seconds(void)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

int main(int count, char **arguments)
{
    int times = 0;
    double sum = 0;
    pair_is_large = count > 1 && strcmp(arguments[1], "large") == 0;
    prepare();
    work();
    pair_wait();
    puts("ready");
    fflush(stdout);
    while (scanf("%d", &times) == 1 && times > 0) {
        const double begin = pair_seconds();
        for (int i = 0; i < times; i++)
            work();
        pair_wait();
        printf("%.3f\n", (pair_seconds() - begin) * 1e6 / times);
        fflush(stdout);
    }
    for (const auto &one : pair_sums)
        sum += one();
    printf("%.9g\n", sum);
    return 0;
}

#endif
