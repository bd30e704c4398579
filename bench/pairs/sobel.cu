/* The gradient of a grey image of bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

static int n;
static unsigned char *in, *out;

static void prepare(void)
{
    n = pair_size(512, 8192);
    in = pair_input<unsigned char>((long long)n * n,
                                   [](uint64_t i) { return pair_random(i) & 255; });
    out = pair_output<unsigned char>((long long)n * n);
}

#ifdef __CUDACC__
#define INLINE __device__ __forceinline__
#else
#define INLINE static inline
#endif

INLINE unsigned char gradient(const unsigned char *at, int n)
{
    const int across = at[-n + 1] + 2 * at[1] + at[n + 1] - at[-n - 1] - 2 * at[-1] - at[n - 1];
    const int down = at[n - 1] + 2 * at[n] + at[n + 1] - at[-n - 1] - 2 * at[-n] - at[-n + 1];
    const int size = (across < 0 ? -across : across) + (down < 0 ? -down : down);
    return (unsigned char)(size > 255 ? 255 : size);
}

#ifdef __CUDACC__
__global__ void sobel(const unsigned char *in, unsigned char *out, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        out[y * n + x] = gradient(in + y * n + x, n);
}

static void work(void)
{
    sobel<<<dim3(pair_blocks(n, 16), pair_blocks(n, 16)), dim3(16, 16)>>>(in, out, n);
}
#else
static void work(void)
{
#pragma omp parallel for
    for (int y = 1; y < n - 1; y++)
        for (int x = 1; x < n - 1; x++)
            out[y * n + x] = gradient(in + y * n + x, n);
}
#endif
