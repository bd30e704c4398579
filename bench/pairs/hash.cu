/* A hash of each word, 64 rounds of integer work.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

static int n;
static unsigned *in, *out;

static void prepare(void)
{
    n = pair_size(1 << 16, 1 << 23);
    in = pair_input<unsigned>(n, pair_random);
    out = pair_output<unsigned>(n);
}

#ifdef __CUDACC__
#define INLINE __device__ __forceinline__
#else
#define INLINE static inline
#endif

INLINE unsigned mix(unsigned word)
{
    for (unsigned round = 0; round < 64; round++) {
        word ^= word >> 16;
        word *= 0x85ebca6bu;
        word = (word << 13 | word >> 19) + round;
    }
    return word;
}

#ifdef __CUDACC__
__global__ void mix_all(const unsigned *in, unsigned *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = mix(in[i]);
}

static void work(void)
{
    mix_all<<<pair_blocks(n, 256), 256>>>(in, out, n);
}
#else
static void work(void)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        out[i] = mix(in[i]);
}
#endif
