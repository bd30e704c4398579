/* What programs of mutants have in common: correct kernels, from which one thing is taken at a time. PROGRAM --list names them, a line
 * KERNEL, N each; PROGRAM KERNEL N runs the kernel without what is numbered N in it, N + 100 without it for one thread or element; 0
 * runs it as it is. What it has computed goes to the host.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CHECK_MUTANTS_H
#define TESTS_CHECK_MUTANTS_H

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

__constant__ int mutant;
static int mutant_of_host;

/* Mutant number + ONE: for one thread of each block, of the first block, or one element alone. */
enum { ONE = 100 };
#define GUARD(number, condition)                                                                   \
    (mutant == (number) || (mutant == (number) + ONE && threadIdx.x == blockDim.x - 1) ||          \
     (condition))
#define INIT(number, statement)                                                                    \
    do {                                                                                           \
        if (mutant != (number) && !(mutant == (number) + ONE && blockIdx.x + blockIdx.y == 0 &&    \
                                    threadIdx.x + threadIdx.y == 0))                               \
            statement;                                                                             \
    } while (0)

/* ---- Memory of a run ---- */

template <typename T> struct array {
    T *device;
    size_t count;

    explicit array(size_t n) : count(n)
    {
        cudaMalloc(&device, n * sizeof(T));
    }
    array(size_t n, int first, int step) : array(n)
    {
        std::vector<T> values(n);
        for (size_t i = 0; i < n; i++)
            values[i] = (T)(first + step * (int)(i % 97));
        cudaMemcpy(device, values.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    }
    array &clear()
    {
        cudaMemset(device, 0, count * sizeof(T));
        return *this;
    }
    array &zero(int number)
    {
        if (mutant_of_host != number)
            cudaMemset(device, 0, (count - (mutant_of_host == number + ONE)) * sizeof(T));
        return *this;
    }
    ~array()
    {
        cudaFree(device);
    }
    void fetch() const
    {
        std::vector<T> values(count);
        cudaMemcpy(values.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost);
    }
};

/* ---- All ---- */

struct kernel {
    const char *name;
    void (*run)();
    int mutants;
    unsigned ones; /* a bit for each number that there is one + ONE of as well */
};

#define KERNEL(name, mutants, ones)                                                                \
    {                                                                                              \
#name, run_##name, mutants, ones                                                           \
    }

static inline void list(const kernel &k)
{
    for (int i = 0; i <= k.mutants; i++) {
        printf("%s\t%d\n", k.name, i);
        if (k.ones >> i & 1)
            printf("%s\t%d\n", k.name, i + ONE);
    }
}

/* What main() does: with all kernels there are. */
template <size_t COUNT>
static int run_kernels(int argc, char **argv, const kernel (&kernels)[COUNT])
{
    const char *name = argc > 1 ? argv[1] : "";
    mutant_of_host = argc > 2 ? atoi(argv[2]) : 0;
    if (strcmp(name, "--list") != 0)
        cudaMemcpyToSymbol(mutant, &mutant_of_host, sizeof mutant_of_host);
    for (const kernel &k : kernels) {
        if (strcmp(name, "--list") == 0)
            list(k);
        if (strcmp(name, k.name) != 0)
            continue;
        k.run();
        printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    }
    return 0;
}

#endif
