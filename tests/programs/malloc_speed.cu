/* mallocSpeed: microseconds per malloc() and free() in kernels, as a table. Small by default; `--full` takes the sizes of
 * the original (500 x 1 MiB, and 64 blocks of up to 512 threads x 12 KiB).
 * Pointers live in device memory here.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

__global__ void allocate_buffers(void **out, size_t n)
{
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = malloc(n);
}

__global__ void touch_buffers(void **buffers, size_t n, unsigned *bad)
{
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned char *bytes = (unsigned char *)buffers[i];
    if (bytes == NULL) {
        atomicAdd(bad, 1);
        return;
    }
    bytes[0] = (unsigned char)i;
    bytes[n - 1] = (unsigned char)(i >> 8);
}

__global__ void check_buffers(void **buffers, size_t n, unsigned *bad)
{
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned char *bytes = (const unsigned char *)buffers[i];
    if (bytes && (bytes[0] != (unsigned char)i || bytes[n - 1] != (unsigned char)(i >> 8)))
        atomicAdd(bad, 1);
}

__global__ void free_buffers(void **in)
{
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    free(in[i]);
}

struct speeds {
    double allocate, release; /* microseconds */
};

static speeds malloc_speed(int blocks, int threads, size_t n)
{
    cudaEvent_t start, stop;
    float milliseconds[2];
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&stop));
    device_array<void *> pointers(blocks * threads);
    device_array<unsigned> bad(1);
    CUDA(cudaEventRecord(start));
    allocate_buffers<<<blocks, threads>>>(pointers.data, n);
    CUDA(cudaEventRecord(stop));
    LAUNCHED();
    CUDA(cudaEventElapsedTime(&milliseconds[0], start, stop));
    touch_buffers<<<blocks, threads>>>(pointers.data, n, bad.data);
    check_buffers<<<blocks, threads>>>(pointers.data, n, bad.data);
    LAUNCHED();
    EXPECT(bad.host()[0] == 0);
    CUDA(cudaEventRecord(start));
    free_buffers<<<blocks, threads>>>(pointers.data);
    CUDA(cudaEventRecord(stop));
    LAUNCHED();
    CUDA(cudaEventElapsedTime(&milliseconds[1], start, stop));
    CUDA(cudaEventDestroy(start));
    CUDA(cudaEventDestroy(stop));
    const double calls = (double)blocks * threads;
    return speeds{1e3 * milliseconds[0] / calls, 1e3 * milliseconds[1] / calls};
}

static void line(const char *what, int blocks, size_t n)
{
    static const int threads[] = {32, 64, 128, 256, 512};
    speeds cells[5];
    for (int i = 0; i < 5; i++)
        cells[i] = malloc_speed(blocks, threads[i], n);
    if (program_prints_hashes)
        return;
    printf("Microseconds per alloc/free (32-512 threads per block, %s allocations):\n", what);
    for (int t : threads)
        printf("%-16d", t);
    printf("\n");
    for (int i = 0; i < 5; i++)
        printf("alloc   free    ");
    printf("\n");
    for (const speeds &cell : cells)
        printf("%-8.2f%-8.2f", cell.allocate, cell.release);
    printf("\n");
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const bool is_full = count > 1 && strcmp(arguments[count - 1], "--full") == 0;
    CUDA(cudaDeviceSetLimit(cudaLimitMallocHeapSize, is_full ? 1 << 30 : 64 << 20));
    malloc_speed(1, 1, 1 << 20); /* brings the heap up, and builds the kernels */
    const speeds first = is_full ? malloc_speed(500, 1, 1 << 20) : malloc_speed(25, 1, 1 << 20);
    if (!program_prints_hashes) {
        printf("Microseconds per alloc/free (1 thread per block):\nalloc   free\n");
        printf("%-8.2f%-8.2f\n", first.allocate, first.release);
    }
    line("12K", is_full ? 64 : 4, 12 * 1024);
    line("64-byte", is_full ? 64 : 4, 64);
    return program_end();
}
