/* Kernels that opencl.c compares with the same work written in OpenCL C by hand: one element for each
 * thread, grid-stride loops, a tree reduction.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#define KERNEL extern "C" __global__ void

static __device__ int number()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

KERNEL copy(float *out, const float *in, int n)
{
    const int i = number();
    if (i < n)
        out[i] = in[i];
}

KERNEL triad(float *a, const float *b, const float *c, float s, int n)
{
    const int i = number();
    if (i < n)
        a[i] = b[i] + s * c[i];
}

KERNEL saxpy(float *y, const float *x, float a, int n)
{
    const int i = number();
    if (i < n)
        y[i] = a * x[i] + y[i];
}

KERNEL transpose(float *out, const float *in, int width)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[(size_t)x * width + y] = in[(size_t)y * width + x];
}

struct particle {
    float x, y, z, w;
};

KERNEL structures(particle *out, const particle *in, float s, int n)
{
    const int i = number();
    if (i < n) {
        particle p = in[i];
        p.x += s;
        p.y *= s;
        p.z -= s;
        p.w = p.x + p.y;
        out[i] = p;
    }
}

KERNEL arrays(float *x, float *y, float *z, float s, int n)
{
    const int i = number();
    if (i < n) {
        x[i] += s;
        y[i] *= s;
        z[i] = x[i] + y[i];
    }
}

KERNEL gather(float *out, const float *in, const unsigned *index, int n)
{
    const int i = number();
    if (i < n)
        out[i] = in[index[i]];
}

KERNEL stencil(float *out, const float *in, int n)
{
    const int i = number();
    if (i > 0 && i < n - 1)
        out[i] = 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
}

KERNEL copy_stride(float *out, const float *in, int n)
{
    for (int i = number(); i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i];
}

KERNEL copy_stride_wide(float4 *out, const float4 *in, size_t n)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        out[i] = in[i];
}

KERNEL triad_stride(float *a, const float *b, const float *c, float s, int n)
{
    for (int i = number(); i < n; i += gridDim.x * blockDim.x)
        a[i] = b[i] + s * c[i];
}

KERNEL reduce(float *out, const float *in, int n)
{
    __shared__ float values[256];
    const int t = threadIdx.x;
    float sum = 0;
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256)
        sum += in[i];
    values[t] = sum;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (t < s)
            values[t] += values[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = values[0];
}
