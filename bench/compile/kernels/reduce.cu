// Sums of blocks, in the ways that CUDA programs have had over the years.
// SPDX-License-Identifier: Apache-2.0

// A tree in shared memory with a barrier at each level.
extern "C" __global__ void reduce_tree(const float *in, float *out, int n)
{
    __shared__ float part[256];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    part[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

__inline__ __device__ float warp_sum(float x)
{
    for (int offset = 16; offset > 0; offset /= 2)
        x += __shfl_down_sync(0xffffffffu, x, offset);
    return x;
}

// A grid-stride loop, then shuffles within warps and once more among the warps' sums.
extern "C" __global__ void reduce_shuffle(const float *in, float *out, int n)
{
    __shared__ float of_warp[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    sum = warp_sum(sum);
    if (lane == 0)
        of_warp[warp] = sum;
    __syncthreads();
    sum = threadIdx.x < blockDim.x / 32 ? of_warp[lane] : 0;
    if (warp == 0)
        sum = warp_sum(sum);
    if (threadIdx.x == 0)
        atomicAdd(out, sum);
}

// Everything unrolled by the block's size, the last warp through volatile memory without barriers.
template <unsigned block, bool is_power_of_two>
__global__ void reduce_unrolled(const float *in, float *out, unsigned n)
{
    __shared__ float part[block];
    const unsigned t = threadIdx.x, stride = 2 * block * gridDim.x;
    float sum = 0;
    for (unsigned i = blockIdx.x * block * 2 + t; i < n; i += stride) {
        sum += in[i];
        if (is_power_of_two || i + block < n)
            sum += in[i + block];
    }
    part[t] = sum;
    __syncthreads();
    if (block >= 512) {
        if (t < 256)
            part[t] = sum = sum + part[t + 256];
        __syncthreads();
    }
    if (block >= 256) {
        if (t < 128)
            part[t] = sum = sum + part[t + 128];
        __syncthreads();
    }
    if (block >= 128) {
        if (t < 64)
            part[t] = sum = sum + part[t + 64];
        __syncthreads();
    }
    if (t < 32) {
        volatile float *last = part;
        if (block >= 64)
            last[t] = sum = sum + last[t + 32];
        if (block >= 32 && t < 16) {
            last[t] = sum = sum + last[t + 16];
            last[t] = sum = sum + last[t + 8];
            last[t] = sum = sum + last[t + 4];
            last[t] = sum = sum + last[t + 2];
            last[t] = sum = sum + last[t + 1];
        }
    }
    if (t == 0)
        out[blockIdx.x] = sum;
}
template __global__ void reduce_unrolled<512, true>(const float *, float *, unsigned);
template __global__ void reduce_unrolled<256, true>(const float *, float *, unsigned);
template __global__ void reduce_unrolled<256, false>(const float *, float *, unsigned);
template __global__ void reduce_unrolled<128, false>(const float *, float *, unsigned);
template __global__ void reduce_unrolled<64, false>(const float *, float *, unsigned);
