/* Prices of options, call and put.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

static int n;
static float *price, *strike, *years, *call, *put;

static void prepare(void)
{
    n = pair_size(1 << 15, 1 << 24);
    price = pair_input<float>(n, [](uint64_t i) { return 5 + 25 * pair_random_float(i); });
    strike = pair_input<float>(n, [](uint64_t i) { return 1 + 99 * pair_random_float(i + 1); });
    years =
        pair_input<float>(n, [](uint64_t i) { return 0.25f + 9.75f * pair_random_float(i + 2); });
    call = pair_output<float>(n);
    put = pair_output<float>(n);
}

#ifdef __CUDACC__
#define INLINE __device__ __forceinline__
#else
#define INLINE static inline
#endif

/* Source: Abramowitz and Stegun, 26.2.17. */
INLINE float normal(float d)
{
    const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    const float tail =
        0.39894228f * expf(-0.5f * d * d) * k *
        (0.31938153f +
         k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    return d > 0 ? 1.0f - tail : tail;
}

INLINE void value(float s, float x, float t, float *call, float *put)
{
    const float rate = 0.02f, volatility = 0.3f, root = sqrtf(t);
    const float d1 =
        (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
    const float d2 = d1 - volatility * root;
    const float discounted = x * expf(-rate * t);
    *call = s * normal(d1) - discounted * normal(d2);
    *put = discounted * (1.0f - normal(d2)) - s * (1.0f - normal(d1));
}

#ifdef __CUDACC__
__global__ void value_all(const float *s, const float *x, const float *t, float *call, float *put,
                          int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        value(s[i], x[i], t[i], &call[i], &put[i]);
}

static void work(void)
{
    value_all<<<pair_blocks(n, 128), 128>>>(price, strike, years, call, put, n);
}
#else
static void work(void)
{
#pragma omp parallel for simd
    for (int i = 0; i < n; i++)
        value(price[i], strike[i], years[i], &call[i], &put[i]);
}
#endif
