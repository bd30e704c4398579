// The smallest kernel of all CUDA programs. vector_add.cl is the same in OpenCL C.
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
