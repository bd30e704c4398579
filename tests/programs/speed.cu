/* Copy, triad, transpose, reduction, gather and texture, in GB/s by events (best of several): the same source natively and
 * through clem. Not a test of correctness, but every kernel's result is checked once.
 *   speed [MiB of each buffer] [runs]
 * checked: 1 1
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

static const int tile = 32;

__global__ void fill(float4 *a, float start, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = make_float4(start + (float)(i & 255), start, (float)(i & 7), 1);
}

__global__ void copy(float4 *out, const float4 *in, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

__global__ void copy_strided(float4 *out, const float4 *in, size_t n)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        out[i] = in[i];
}

__global__ void triad(double2 *a, const double2 *b, const double2 *c, double s, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = make_double2(b[i].x + s * c[i].x, b[i].y + s * c[i].y);
}

__global__ void transpose(float *out, const float *in, int size)
{
    __shared__ float block[tile][tile + 1];
    int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
    for (int j = 0; j < tile; j += 8)
        block[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * size + x];
    __syncthreads();
    x = blockIdx.y * tile + threadIdx.x;
    y = blockIdx.x * tile + threadIdx.y;
    for (int j = 0; j < tile; j += 8)
        out[(size_t)(y + j) * size + x] = block[threadIdx.x][threadIdx.y + j];
}

__global__ void reduce(int *out, const int4 *in, size_t n)
{
    __shared__ int values[256];
    int sum = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x) {
        const int4 v = in[i];
        sum += v.x + v.y + v.z + v.w;
    }
    values[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned s = 128; s > 0; s >>= 1) {
        if (threadIdx.x < s)
            values[threadIdx.x] += values[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = values[0];
}

__global__ void make_index(unsigned *index, unsigned n)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        index[i] = (i & ~1023u) | (i * 389u + 17u) % 1024u; /* a permutation in each 4 KiB */
}

__global__ void gather(float *out, const float *in, const unsigned *index, unsigned n)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[index[i]];
}

__global__ void sample(float *out, cudaTextureObject_t texture, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[(size_t)y * width + x] = tex2D<float>(texture, (float)x + 0.5f, (float)y + 0.5f);
}

static cudaEvent_t start, stop;
static int runs = 10;

template <class F> static void timed(const char *name, double bytes, F launch)
{
    float best = 1e30f, milliseconds;
    launch();
    LAUNCHED();
    for (int run = 0; run < runs; run++) {
        CUDA(cudaEventRecord(start));
        launch();
        CUDA(cudaEventRecord(stop));
        CUDA(cudaEventSynchronize(stop));
        CUDA(cudaEventElapsedTime(&milliseconds, start, stop));
        best = milliseconds < best ? milliseconds : best;
    }
    printf("%-14s %9.2f GB/s\n", name, bytes / (best * 1e6));
}

template <class T> static T at(const void *memory, size_t index)
{
    T value;
    CUDA(cudaMemcpy(&value, (const T *)memory + index, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

static cudaTextureObject_t texture_of(cudaArray_t array)
{
    cudaTextureObject_t texture;
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    CUDA(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    return texture;
}

int main(int count, char **arguments)
{
    const size_t mib = count > 1 ? strtoull(arguments[1], NULL, 10) : 64;
    runs = count > 2 ? atoi(arguments[2]) : 10;
    int size = tile;
    while ((size_t)4 * size * size * 4 <= mib << 20)
        size *= 2;
    const size_t bytes = (size_t)size * size * 4, n16 = bytes / 16;
    const unsigned n4 = (unsigned)(bytes / 4), blocks = (unsigned)((n16 + 255) / 256);
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&stop));
    float4 *a, *b, *c;
    CUDA(cudaMalloc((void **)&a, bytes));
    CUDA(cudaMalloc((void **)&b, bytes));
    CUDA(cudaMalloc((void **)&c, bytes));
    fill<<<blocks, 256>>>(a, 1, n16);
    fill<<<blocks, 256>>>(b, 2, n16);
    fill<<<blocks, 256>>>(c, 3, n16);
    LAUNCHED();
    const double moved = (double)bytes;
    timed("copy", 2 * moved, [=] { copy<<<blocks, 256>>>(b, a, n16); });
    EXPECT(at<float4>(b, n16 - 1).x == at<float4>(a, n16 - 1).x);
    timed("copy strided", 2 * moved, [=] { copy_strided<<<264, 256>>>(c, a, n16); });
    EXPECT(at<float4>(c, n16 - 1).x == at<float4>(a, n16 - 1).x);
    CUDA(cudaMemset(b, 0, bytes));
    timed("triad", 3 * moved, [=] {
        triad<<<blocks, 256>>>((double2 *)c, (const double2 *)a, (const double2 *)b, 3, n16);
    });
    EXPECT(at<double>(c, 5) == at<double>(a, 5));
    timed("transpose", 2 * moved, [=] {
        transpose<<<dim3(size / tile, size / tile), dim3(tile, 8)>>>((float *)b, (const float *)a,
                                                                     size);
    });
    EXPECT(at<float>(b, (size_t)size * 8 + 4) == at<float>(a, (size_t)size * 4 + 8));
    timed("reduction", moved, [=] { reduce<<<1056, 256>>>((int *)c, (const int4 *)a, n16); });
    make_index<<<(n4 + 255) / 256, 256>>>((unsigned *)c, n4);
    timed("gather", 3 * moved, [=] {
        gather<<<(n4 + 255) / 256, 256>>>((float *)b, (const float *)a, (const unsigned *)c, n4);
    });
    EXPECT(at<float>(b, 1030) == at<float>(a, at<unsigned>(c, 1030)));
    cudaArray_t array;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CUDA(cudaMallocArray(&array, &format, size, size));
    CUDA(cudaMemcpy2DToArray(array, 0, 0, a, size * 4, size * 4, size, cudaMemcpyDeviceToDevice));
    const cudaTextureObject_t texture = texture_of(array);
    timed("texture", 2 * moved, [=] {
        sample<<<dim3(size / 32, size / 8), dim3(32, 8)>>>((float *)b, texture, size, size);
    });
    EXPECT(at<float>(b, (size_t)size * 5 + 9) == at<float>(a, (size_t)size * 5 + 9));
    CUDA(cudaDestroyTextureObject(texture));
    CUDA(cudaFreeArray(array));
    for (float4 *memory : {a, b, c})
        CUDA(cudaFree(memory));
    CUDA(cudaEventDestroy(start));
    CUDA(cudaEventDestroy(stop));
    return program_end();
}
