// Source of the fat binaries beside it: scale_plain.fatbin, scale_lz4.fatbin and scale_zstd.fatbin. Each is what
//     nvcc --fatbin --compress-mode=MODE -gencode arch=compute_75,code=compute_75 scale.cu -o scale_NAME.fatbin
// of CUDA 13.0 writes, where MODE is none, speed and size.
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void scale(float *values, float factor, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        values[i] *= factor;
}
