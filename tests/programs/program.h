/* What the programs of this folder share: checks, inputs that are the same on every machine, and results as one line
 * each (`--hash`), so that two runs can be compared bit for bit.
 * A program ends with 0 and the line "ok", or names what was wrong. Its head may hold a line "nvcc: FLAGS" for nvcc.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_PROGRAM_H
#define TESTS_PROGRAM_H

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <time.h>
#include <vector>

static bool program_prints_hashes;
static int program_failures;

/* Ends the program as one that failed. exit() may be at work in one thread only: where another thread was first, whose exit()
 * may well be why calls of this one fail, this one waits for the end. */
static inline void program_fail(void)
{
    static char is_ending;
    const struct timespec nap = {1, 0};
    while (__atomic_test_and_set(&is_ending, __ATOMIC_SEQ_CST))
        nanosleep(&nap, nullptr);
    exit(1);
}

/* A call that must succeed for the program to make sense. */
#define CUDA(call)                                                                                 \
    do {                                                                                           \
        cudaError_t program_error = (call);                                                        \
        if (program_error != cudaSuccess) {                                                        \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                                   \
                   cudaGetErrorString(program_error));                                             \
            program_fail();                                                                        \
        }                                                                                          \
    } while (0)

/* After a launch: it was accepted and ran. */
#define LAUNCHED()                                                                                 \
    do {                                                                                           \
        CUDA(cudaGetLastError());                                                                  \
        CUDA(cudaDeviceSynchronize());                                                             \
    } while (0)

#define EXPECT(condition) program_expect((condition), __FILE__, __LINE__, #condition)

static inline bool program_expect(bool is_true, const char *file, int line, const char *condition)
{
    if (!is_true && program_failures++ < 10)
        printf("%s:%d: not true: %s\n", file, line, condition);
    return is_true;
}

static inline void program_begin(int count, char **arguments)
{
    for (int i = 1; i < count; i++)
        program_prints_hashes = program_prints_hashes || strcmp(arguments[i], "--hash") == 0;
}

static inline int program_end(void)
{
    if (program_failures == 0)
        puts("ok");
    else
        printf("%d checks failed\n", program_failures);
    return program_failures != 0;
}

/* One line "name hash" of a result (FNV-1a). Bytes that are not defined do not belong in a result. */
static inline void result(const char *name, const void *data, size_t bytes)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ ((const unsigned char *)data)[i]) * 0x100000001b3u;
    if (program_prints_hashes)
        printf("%s %016llx\n", name, (unsigned long long)hash);
}

template <class T> void result(const char *name, const std::vector<T> &values)
{
    result(name, values.data(), values.size() * sizeof(T));
}

/* The index-th word of a fixed random sequence, on either side. */
__host__ __device__ static inline uint32_t random_word(uint64_t index)
{
    uint64_t z = (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)(z >> 32);
}

static inline std::vector<uint32_t> random_words(size_t count, uint64_t start = 0)
{
    std::vector<uint32_t> words(count);
    for (size_t i = 0; i < count; i++)
        words[i] = random_word(start + i);
    return words;
}

/* In [low, high), each with 24 bits of randomness. */
static inline std::vector<float> random_floats(size_t count, float low, float high,
                                               uint64_t start = 0)
{
    std::vector<float> values(count);
    for (size_t i = 0; i < count; i++)
        values[i] = low + (high - low) * ((float)(random_word(start + i) >> 8) / 16777216.0f);
    return values;
}

/* Device memory with the length of its contents. */
template <class T> struct device_array {
    T *data = nullptr;
    size_t count;

    explicit device_array(size_t elements) : count(elements)
    {
        CUDA(cudaMalloc((void **)&data, count * sizeof(T)));
        CUDA(cudaMemset(data, 0, count * sizeof(T)));
    }
    explicit device_array(const std::vector<T> &values) : count(values.size())
    {
        CUDA(cudaMalloc((void **)&data, count * sizeof(T)));
        CUDA(cudaMemcpy(data, values.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    }
    device_array(const device_array &) = delete;
    device_array &operator=(const device_array &) = delete;
    ~device_array()
    {
        cudaFree(data);
    }

    std::vector<T> host() const
    {
        std::vector<T> values(count);
        CUDA(cudaMemcpy(values.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
        return values;
    }
};

/* How far two floats lie apart, in units of the last place of floats; NaN equals NaN. */
static inline double ulps_between(float got, double expected)
{
    if (std::isnan(got) || std::isnan(expected))
        return std::isnan(got) && std::isnan(expected) ? 0 : INFINITY;
    if ((double)got == expected || (std::isinf(got) && (float)expected == got))
        return 0;
    int exponent;
    frexp(expected, &exponent);
    return fabs((double)got - expected) / ldexp(1.0, (exponent < -125 ? -125 : exponent) - 24);
}

static inline double ulps_between(double got, long double expected)
{
    if (std::isnan(got) || std::isnan(expected))
        return std::isnan(got) && std::isnan(expected) ? 0 : INFINITY;
    if ((long double)got == expected || (std::isinf(got) && (double)expected == got))
        return 0;
    int exponent;
    frexpl(expected, &exponent);
    return (double)(fabsl((long double)got - expected) /
                    ldexpl(1.0L, (exponent < -1021 ? -1021 : exponent) - 53));
}

#endif
