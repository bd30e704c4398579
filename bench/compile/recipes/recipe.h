/* What the recipes share: input that is the same on every machine, memory of the device, and what a wrong answer says.
 * A recipe takes the number of elements, 10^6 where it is given none, and ends with 0 when all answers were right.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_COMPILE_RECIPE_H
#define BENCH_COMPILE_RECIPE_H

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

inline void must(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    printf("%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

inline int elements(int count, char **words)
{
    return count > 1 ? atoi(words[1]) : 1000000;
}

/* Numbers below most, in no order. */
inline std::vector<int> numbers(int count, unsigned most)
{
    std::vector<int> values((size_t)count);
    unsigned state = 12345;
    for (int &value : values) {
        state = state * 1664525u + 1013904223u;
        value = (int)((state >> 8) % most);
    }
    return values;
}

/* Keys in runs of seven, and the sums of the values with each. */
inline void runs_of(const std::vector<int> &values, std::vector<int> &keys, std::vector<int> &sums)
{
    for (size_t i = 0; i < values.size(); i++) {
        keys.push_back((int)(i / 7 % 100));
        if (i % 7 == 0)
            sums.push_back(0);
        sums.back() += values[i];
    }
}

/* What some recipes select. */
struct is_small {
    __host__ __device__ bool operator()(int value) const
    {
        return value < 300;
    }
};

inline std::vector<int> small_of(const std::vector<int> &values)
{
    std::vector<int> chosen;
    for (int value : values)
        if (is_small()(value))
            chosen.push_back(value);
    return chosen;
}

template <class T> struct device_memory {
    T *data = nullptr;
    size_t count;

    explicit device_memory(size_t elements) : count(elements)
    {
        must(cudaMalloc(reinterpret_cast<void **>(&data), count * sizeof(T)), "cudaMalloc");
    }
    explicit device_memory(const std::vector<T> &values) : device_memory(values.size())
    {
        must(cudaMemcpy(data, values.data(), count * sizeof(T), cudaMemcpyHostToDevice),
             "cudaMemcpy");
    }
    device_memory(const device_memory &) = delete;
    device_memory &operator=(const device_memory &) = delete;
    ~device_memory()
    {
        cudaFree(data);
    }
    std::vector<T> host() const
    {
        std::vector<T> values(count);
        must(cudaMemcpy(values.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost),
             "cudaMemcpy");
        return values;
    }
};

/* Calls one of CUB's algorithms as it wants: first for the room that it needs, then with that. */
template <class Algorithm> void with_room(Algorithm algorithm)
{
    size_t bytes = 0;
    must(algorithm(nullptr, bytes), "size of the room");
    device_memory<char> room(bytes + 1);
    must(algorithm(static_cast<void *>(room.data), bytes), "algorithm");
    must(cudaDeviceSynchronize(), "kernels");
}

template <class T> int judge(const T &got, const T &expected)
{
    puts(got == expected ? "ok" : "wrong");
    return got == expected ? 0 : 1;
}

#endif
