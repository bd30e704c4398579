/* Pitched memory: rows of cudaMallocPitch and slices of cudaMalloc3D reached by getElement(), copied back by rows.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

template <class T>
__host__ __device__ inline T *get_element(T *base, size_t pitch, int row, int column)
{
    return (T *)((char *)base + row * pitch) + column;
}

template <class T> __global__ void number(T *base, size_t pitch, int width, int height)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column < width && row < height)
        *get_element(base, pitch, row, column) = (T)(row * 1000 + column);
}

__global__ void number_volume(cudaPitchedPtr memory, cudaExtent extent)
{
    const unsigned x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    const size_t slice = memory.pitch * extent.height;
    if (x < extent.width / sizeof(int))
        ((int *)((char *)memory.ptr + z * slice + y * memory.pitch))[x] = x + 100 * y + 10000 * z;
}

template <class T> static void rows(const char *name, int width, int height)
{
    T *base;
    size_t pitch = 0;
    CUDA(cudaMallocPitch((void **)&base, &pitch, width * sizeof(T), height));
    EXPECT(pitch >= width * sizeof(T) && pitch % 64 == 0 && (size_t)base % 256 == 0);
    CUDA(cudaMemset2D(base, pitch, 0xff, width * sizeof(T), height));
    number<T>
        <<<dim3((width + 31) / 32, (height + 7) / 8), dim3(32, 8)>>>(base, pitch, width, height);
    LAUNCHED();
    std::vector<T> got((size_t)width * height);
    CUDA(cudaMemcpy2D(got.data(), width * sizeof(T), base, pitch, width * sizeof(T), height,
                      cudaMemcpyDeviceToHost));
    for (int row = 0; row < height; row++)
        for (int column = 0; column < width; column++)
            EXPECT(got[(size_t)row * width + column] == (T)(row * 1000 + column));
    result(name, got);
    CUDA(cudaFree(base));
}

static void volume(void)
{
    const cudaExtent extent = make_cudaExtent(37 * sizeof(int), 19, 11);
    cudaPitchedPtr memory;
    CUDA(cudaMalloc3D(&memory, extent));
    EXPECT(memory.xsize == extent.width && memory.ysize == extent.height);
    CUDA(cudaMemset3D(memory, 0, extent));
    number_volume<<<dim3(19, 11), 64>>>(memory, extent);
    LAUNCHED();
    std::vector<int> got(37 * 19 * 11);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = memory;
    copy.dstPtr = make_cudaPitchedPtr(got.data(), 37 * sizeof(int), 37, 19);
    copy.extent = extent;
    copy.kind = cudaMemcpyDeviceToHost;
    CUDA(cudaMemcpy3D(&copy));
    for (int z = 0; z < 11; z++)
        for (int y = 0; y < 19; y++)
            for (int x = 0; x < 37; x++)
                EXPECT(got[(z * 19 + y) * 37 + x] == x + 100 * y + 10000 * z);
    result("volume", got);
    CUDA(cudaFree(memory.ptr));
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    rows<float>("floats", 88, 40); /* 352 bytes a row, as in the figure */
    rows<double>("doubles", 101, 33);
    rows<unsigned char>("bytes", 1, 50);
    rows<short>("shorts", 1000, 3);
    volume();
    return program_end();
}
