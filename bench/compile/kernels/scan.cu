// Prefix sums of blocks.
// SPDX-License-Identifier: Apache-2.0

#define BANKS_OF(i) ((i) >> 5)

// Blelloch's: up and down a tree, with gaps against conflicts of banks.
extern "C" __global__ void scan_tree(const int *in, int *out, int *sums, int n)
{
    extern __shared__ int tree[];
    const int t = threadIdx.x, base = 2 * blockDim.x * blockIdx.x;
    const int low = t, high = t + n / 2;
    tree[low + BANKS_OF(low)] = in[base + low];
    tree[high + BANKS_OF(high)] = in[base + high];
    int offset = 1;
    for (int d = n / 2; d > 0; d /= 2) {
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            a += BANKS_OF(a);
            b += BANKS_OF(b);
            tree[b] += tree[a];
        }
        offset *= 2;
    }
    if (t == 0) {
        const int last = n - 1 + BANKS_OF(n - 1);
        sums[blockIdx.x] = tree[last];
        tree[last] = 0;
    }
    for (int d = 1; d < n; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            a += BANKS_OF(a);
            b += BANKS_OF(b);
            const int kept = tree[a];
            tree[a] = tree[b];
            tree[b] += kept;
        }
    }
    __syncthreads();
    out[base + low] = tree[low + BANKS_OF(low)];
    out[base + high] = tree[high + BANKS_OF(high)];
}
