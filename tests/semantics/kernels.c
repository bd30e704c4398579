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
    spin_forget();
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
