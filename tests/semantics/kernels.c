/* Loads the test kernels by cudaLibraryLoadData and launches them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels.h"

#include <stdlib.h>
#include <string.h>

#include "oracle.h"

static const char *const kernel_names[KERNEL_COUNT] = {
    [KERNEL_NOOP] = "noop",       [KERNEL_STORE] = "store_value", [KERNEL_ADD] = "add_value",
    [KERNEL_SPIN] = "spin",       [KERNEL_PAIR] = "store_pair",   [KERNEL_FOLLOW] = "follow",
    [KERNEL_DYNAMIC] = "reverse",
};

static cudaLibrary_t library;
static cudaKernel_t kernels[KERNEL_COUNT];
static unsigned *spin_out;
static double spin_iterations_per_ms;

const char *kernel_source(void)
{
    static char *text;
    if (!text) {
        size_t count = sizeof kernel_texts / sizeof kernel_texts[0];
        size_t length = 1;
        for (size_t i = 0; i < count; i++) {
            length += strlen(kernel_texts[i]);
        }
        text = calloc(1, length);
        require(text != NULL, "memory for the kernel text");
        for (size_t i = 0; i < count; i++) {
            strcat(text, kernel_texts[i]);
        }
    }
    return text;
}

const char *kernel_name(enum kernel which)
{
    return kernel_names[which];
}

cudaLibrary_t kernel_library(void)
{
    if (!library) {
        REQUIRE(cudaLibraryLoadData(&library, kernel_source(), NULL, NULL, 0, NULL, NULL, 0));
    }
    return library;
}

const void *kernel(enum kernel which)
{
    if (!kernels[which]) {
        REQUIRE(cudaLibraryGetKernel(&kernels[which], kernel_library(), kernel_names[which]));
    }
    return (const void *)kernels[which];
}

void kernels_forget(void)
{
    library = NULL;
    memset(kernels, 0, sizeof kernels);
    spin_out = NULL;
}

cudaError_t launch(enum kernel which, unsigned grid, unsigned block, void **args, size_t shared,
                   cudaStream_t stream)
{
    dim3 grid_size = {grid, 1, 1};
    dim3 block_size = {block, 1, 1};
    return cudaLaunchKernel(kernel(which), grid_size, block_size, args, shared, stream);
}

cudaError_t launch_store(int *p, int value, cudaStream_t stream)
{
    void *args[] = {&p, &value};
    return launch(KERNEL_STORE, 1, 1, args, 0, stream);
}

static cudaError_t spin_iterations(cudaStream_t stream, unsigned iterations)
{
    void *args[] = {&spin_out, &iterations};
    return launch(KERNEL_SPIN, 1, 1, args, 0, stream);
}

/* timed_spin: milliseconds, never 0. */
static double timed_spin(unsigned iterations)
{
    double start = now_ms();
    REQUIRE(spin_iterations(NULL, iterations));
    REQUIRE(cudaDeviceSynchronize());
    double elapsed = now_ms() - start;
    return elapsed > 0.05 ? elapsed : 0.05;
}

void spin_prepare(void)
{
    if (spin_out) {
        return;
    }
    REQUIRE(cudaMalloc((void **)&spin_out, 4 * KIB));
    REQUIRE(launch_store((int *)spin_out, 0, NULL));
    REQUIRE(spin_iterations(NULL, 16));
    REQUIRE(cudaDeviceSynchronize());
    /* A few rounds of rising length: the first ones wake the device up. The fastest tells the rate: others were kept waiting. */
    enum { FIRST_ITERATIONS = 200000, ROUNDS = 4, ROUND_MS = 40 };
    unsigned iterations = FIRST_ITERATIONS;
    for (int i = 0; i < ROUNDS; i++) {
        double elapsed = timed_spin(iterations);
        if (iterations / elapsed > spin_iterations_per_ms)
            spin_iterations_per_ms = iterations / elapsed;
        iterations = (unsigned)(spin_iterations_per_ms * ROUND_MS);
    }
}

cudaError_t spin_start(cudaStream_t stream, unsigned ms)
{
    spin_prepare();
    double iterations = spin_iterations_per_ms * ms;
    return spin_iterations(stream, iterations > 4e9 ? 4000000000u : (unsigned)iterations);
}
