/* curand_kernel.h: random numbers that kernels draw. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CURAND_KERNEL_H_
#define CURAND_KERNEL_H_

#include "crt/device_functions.h"
#include "vector_types.h"

#if !defined(__CUDACC_RTC__)
#include <math.h>
#include <stdlib.h>
#include <string.h>
#endif

/* The generators xorwow, Philox 4x32-10 and MRG32k3a, and uniform, normal, log-normal and Poisson numbers of them. Integers
 * and uniform numbers are CUDA's bit for bit, normal and log-normal ones within the errors of logf() and __sincosf(); Poisson
 * numbers have CUDA's distribution, not its values.
 *
 * Source: cuRAND Library Programming Guide 13.0, Device API; G. Marsaglia, "Xorshift RNGs", 2003; J. Salmon and others,
 * "Parallel Random Numbers: As Easy as 1, 2, 3", 2011; P. L'Ecuyer and others, "An Object-Oriented Random-Number Package
 * with Many Long Streams and Substreams", 2002; W. Hörmann, "The transformed rejection method for generating Poisson random
 * variables", 1993.
 */
#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

#include "crt/xorwow_steps.h"

#define CLEM_DEVICE static __inline__ __device__

/* Of the last pair of normal numbers the second waits in normal, for the kind of numbers that the first was given out as:
 * waiting is 0, or 1 for normal and 2 for log-normal ones. So for doubles.
 */
struct curandStateXORWOW {
    unsigned int d, v[5];
    int waiting, waiting_double;
    float normal;
    double normal_double;
};
/* place: which of the block's numbers comes next; a block is what the counter is enciphered to. */
struct curandStatePhilox4_32_10 {
    uint4 counter, block;
    uint2 key;
    unsigned int place;
    int waiting, waiting_double;
    float normal;
    double normal_double;
};
struct curandStateMRG32k3a {
    unsigned int s1[3], s2[3];
    int waiting, waiting_double;
    float normal;
    double normal_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t, curandState, curandState_t;
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

/* xorwow: a register of 160 bits, and a sum that takes 362437 more each time. */

CLEM_DEVICE void clem_xorwow_step(unsigned int v[5])
{
    const unsigned int t = v[0] ^ (v[0] >> 2);
    for (int i = 0; i < 4; i++)
        v[i] = v[i + 1];
    v[4] ^= (v[4] << 4) ^ t ^ (t << 1);
}
CLEM_DEVICE unsigned int curand(curandStateXORWOW *state)
{
    clem_xorwow_step(state->v);
    state->d += 362437;
    return state->v[4] + state->d;
}

/* The register n * 2^power steps ahead. */
CLEM_DEVICE void clem_xorwow_skip(unsigned int v[5], unsigned long long n, int power)
{
    for (; n; n >>= 1, power++) {
        if (!(n & 1))
            continue;
        unsigned int sum[5] = {0, 0, 0, 0, 0};
        for (int i = 0; i < 160; i++) {
            const unsigned int chosen = 0u - (clem_xorwow_steps[power][i / 32] >> (i % 32) & 1);
            for (int k = 0; k < 5; k++)
                sum[k] ^= v[k] & chosen;
            clem_xorwow_step(v);
        }
        for (int k = 0; k < 5; k++)
            v[k] = sum[k];
    }
}
CLEM_DEVICE void skipahead(unsigned long long n, curandStateXORWOW *state)
{
    clem_xorwow_skip(state->v, n, 0);
    state->d += 362437u * (unsigned int)n;
}
/* By 2^67 n; the sum comes back to itself after 2^32. */
CLEM_DEVICE void skipahead_sequence(unsigned long long n, curandStateXORWOW *state)
{
    clem_xorwow_skip(state->v, n, 67);
}
CLEM_DEVICE void curand_init(unsigned long long seed, unsigned long long subsequence,
                             unsigned long long offset, curandStateXORWOW *state)
{
    const unsigned int low = ((unsigned int)seed ^ 0xaad26b49u) * 1099087573u;
    const unsigned int high = ((unsigned int)(seed >> 32) ^ 0xf7dcefddu) * 2591861531u;
    *state = curandStateXORWOW();
    state->d = 6615241u + low + high;
    state->v[0] = 123456789u + low;
    state->v[1] = 362436069u ^ low;
    state->v[2] = 521288629u + high;
    state->v[3] = 88675123u ^ high;
    state->v[4] = 5783321u + low;
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}

/* Philox 4x32-10: a counter of 128 bits, enciphered in ten rounds. */

CLEM_DEVICE uint4 clem_philox(uint4 c, uint2 key)
{
    for (int i = 0; i < 10; i++) {
        const unsigned long long a = 0xD2511F53ull * c.x, b = 0xCD9E8D57ull * c.z;
        c.x = (unsigned int)(b >> 32) ^ c.y ^ key.x;
        c.z = (unsigned int)(a >> 32) ^ c.w ^ key.y;
        c.y = (unsigned int)b;
        c.w = (unsigned int)a;
        key.x += 0x9E3779B9u;
        key.y += 0xBB67AE85u;
    }
    return c;
}
/* The upper half of the counter, which counts subsequences. */
CLEM_DEVICE void clem_philox_carry(curandStatePhilox4_32_10 *state, unsigned long long n)
{
    const unsigned long long old = state->counter.z | (unsigned long long)state->counter.w << 32;
    state->counter.z = (unsigned int)(old + n);
    state->counter.w = (unsigned int)((old + n) >> 32);
}
CLEM_DEVICE void clem_philox_advance(curandStatePhilox4_32_10 *state, unsigned long long blocks)
{
    const unsigned long long old = state->counter.x | (unsigned long long)state->counter.y << 32;
    const unsigned long long next = old + blocks;
    state->counter.x = (unsigned int)next;
    state->counter.y = (unsigned int)(next >> 32);
    if (next < old)
        clem_philox_carry(state, 1);
    state->block = clem_philox(state->counter, state->key);
}
CLEM_DEVICE unsigned int clem_philox_at(uint4 block, unsigned int place)
{
    return place == 0 ? block.x : place == 1 ? block.y : place == 2 ? block.z : block.w;
}
CLEM_DEVICE unsigned int curand(curandStatePhilox4_32_10 *state)
{
    const unsigned int number = clem_philox_at(state->block, state->place++);
    if (state->place == 4) {
        state->place = 0;
        clem_philox_advance(state, 1);
    }
    return number;
}
CLEM_DEVICE uint4 curand4(curandStatePhilox4_32_10 *state)
{
    const uint4 old = state->block;
    clem_philox_advance(state, 1);
    uint4 out;
    unsigned int *const numbers[4] = {&out.x, &out.y, &out.z, &out.w};
    for (unsigned int i = 0; i < 4; i++) {
        const unsigned int place = state->place + i;
        *numbers[i] =
            place < 4 ? clem_philox_at(old, place) : clem_philox_at(state->block, place - 4);
    }
    return out;
}
CLEM_DEVICE void skipahead(unsigned long long n, curandStatePhilox4_32_10 *state)
{
    const unsigned int place = state->place + (unsigned int)(n & 3);
    state->place = place & 3;
    clem_philox_advance(state, (n >> 2) + (place >> 2));
}
/* By 2^66 n. */
CLEM_DEVICE void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10 *state)
{
    clem_philox_carry(state, n);
    clem_philox_advance(state, 0);
}
CLEM_DEVICE void curand_init(unsigned long long seed, unsigned long long subsequence,
                             unsigned long long offset, curandStatePhilox4_32_10 *state)
{
    *state = curandStatePhilox4_32_10();
    state->key.x = (unsigned int)seed;
    state->key.y = (unsigned int)(seed >> 32);
    clem_philox_carry(state, subsequence);
    skipahead(offset, state);
}

/* MRG32k3a: two recurrences of three numbers, modulo two primes. */

#define CLEM_MRG_M1 4294967087ull
#define CLEM_MRG_M2 4294944443ull

struct clem_mrg_matrix {
    unsigned int at[3][3];
};
CLEM_DEVICE void clem_mrg_apply(const clem_mrg_matrix *a, unsigned int s[3], unsigned long long m)
{
    unsigned int next[3];
    for (int i = 0; i < 3; i++) {
        unsigned long long sum = 0;
        for (int k = 0; k < 3; k++)
            sum += a->at[i][k] * (unsigned long long)s[k] % m;
        next[i] = (unsigned int)(sum % m);
    }
    for (int i = 0; i < 3; i++)
        s[i] = next[i];
}
CLEM_DEVICE void clem_mrg_square(clem_mrg_matrix *a, unsigned long long m)
{
    const clem_mrg_matrix old = *a;
    for (int j = 0; j < 3; j++) {
        unsigned int column[3] = {old.at[0][j], old.at[1][j], old.at[2][j]};
        clem_mrg_apply(&old, column, m);
        for (int i = 0; i < 3; i++)
            a->at[i][j] = column[i];
    }
}
/* The numbers n times ahead of what one matrix does. */
CLEM_DEVICE void clem_mrg_skip(clem_mrg_matrix a, unsigned long long n, unsigned int s[3],
                               unsigned long long m)
{
    for (; n; n >>= 1) {
        if (n & 1)
            clem_mrg_apply(&a, s, m);
        clem_mrg_square(&a, m);
    }
}
/* What a step does to both recurrences, then 2^76 and 2^127 steps. */
static __device__ const clem_mrg_matrix clem_mrg_steps[3][2] = {
    {{{{0, 1, 0}, {0, 0, 1}, {CLEM_MRG_M1 - 810728, 1403580, 0}}},
     {{{0, 1, 0}, {0, 0, 1}, {CLEM_MRG_M2 - 1370589, 0, 527612}}}},
    {{{{82758667u, 1871391091u, 4127413238u},
       {3672831523u, 69195019u, 1871391091u},
       {3672091415u, 3528743235u, 69195019u}}},
     {{{1511326704u, 3759209742u, 1610795712u},
       {4292754251u, 1511326704u, 3889917532u},
       {3859662829u, 4292754251u, 3708466080u}}}},
    {{{{2427906178u, 3580155704u, 949770784u},
       {226153695u, 1230515664u, 3580155704u},
       {1988835001u, 986791581u, 1230515664u}}},
     {{{1464411153u, 277697599u, 1610723613u},
       {32183930u, 1464411153u, 1022607788u},
       {2824425944u, 32183930u, 2093834863u}}}}};
CLEM_DEVICE void clem_mrg_jump(int which, unsigned long long n, curandStateMRG32k3a *state)
{
    clem_mrg_skip(clem_mrg_steps[which][0], n, state->s1, CLEM_MRG_M1);
    clem_mrg_skip(clem_mrg_steps[which][1], n, state->s2, CLEM_MRG_M2);
}
/* One number of 1 to M1. */
CLEM_DEVICE unsigned long long clem_mrg_next(curandStateMRG32k3a *state)
{
    const unsigned long long p1 =
        (1403580ull * state->s1[1] + 810728ull * (CLEM_MRG_M1 - state->s1[0])) % CLEM_MRG_M1;
    const unsigned long long p2 =
        (527612ull * state->s2[2] + 1370589ull * (CLEM_MRG_M2 - state->s2[0])) % CLEM_MRG_M2;
    for (int i = 0; i < 2; i++) {
        state->s1[i] = state->s1[i + 1];
        state->s2[i] = state->s2[i + 1];
    }
    state->s1[2] = (unsigned int)p1;
    state->s2[2] = (unsigned int)p2;
    return p1 > p2 ? p1 - p2 : p1 - p2 + CLEM_MRG_M1;
}
/* 1 to M1, stretched to all of 32 bits. */
CLEM_DEVICE unsigned int curand(curandStateMRG32k3a *state)
{
    return (unsigned int)((double)clem_mrg_next(state) * 1.000000048662);
}
CLEM_DEVICE void skipahead(unsigned long long n, curandStateMRG32k3a *state)
{
    clem_mrg_jump(0, n, state);
}
/* By 2^76 n. */
CLEM_DEVICE void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a *state)
{
    clem_mrg_jump(1, n, state);
}
/* By 2^127 n. */
CLEM_DEVICE void skipahead_sequence(unsigned long long n, curandStateMRG32k3a *state)
{
    clem_mrg_jump(2, n, state);
}
CLEM_DEVICE void curand_init(unsigned long long seed, unsigned long long subsequence,
                             unsigned long long offset, curandStateMRG32k3a *state)
{
    *state = curandStateMRG32k3a();
    const unsigned long long low = (unsigned int)seed ^ 0x55555555u,
                             high = (unsigned int)(seed >> 32) ^ 0xAAAAAAAAu;
    for (int i = 0; i < 3; i++) {
        state->s1[i] = seed ? (unsigned int)(12345 * (i == 1 ? high : low) % CLEM_MRG_M1) : 12345;
        state->s2[i] = seed ? (unsigned int)(12345 * (i == 1 ? low : high) % CLEM_MRG_M2) : 12345;
    }
    skipahead_subsequence(subsequence, state);
    skipahead(offset, state);
}

/* Uniform numbers: above 0, up to 1. */

CLEM_DEVICE float clem_unit(unsigned int x)
{
    return x * 0x1p-32f + 0x1p-33f;
}
CLEM_DEVICE double clem_unit_double(unsigned int x, unsigned int y)
{
    return (double)(x ^ (unsigned long long)y << 21) * 0x1p-53 + 0x1p-54;
}
template <class State> CLEM_DEVICE float curand_uniform(State *state)
{
    return clem_unit(curand(state));
}
CLEM_DEVICE float curand_uniform(curandStateMRG32k3a *state)
{
    return (float)((double)clem_mrg_next(state) * 2.3283065498378288e-10);
}
CLEM_DEVICE double curand_uniform_double(curandStateXORWOW *state)
{
    const unsigned int x = curand(state);
    return clem_unit_double(x, curand(state));
}
CLEM_DEVICE double curand_uniform_double(curandStatePhilox4_32_10 *state)
{
    return curand(state) * 0x1p-32 + 0x1p-32;
}
CLEM_DEVICE double curand_uniform_double(curandStateMRG32k3a *state)
{
    return (double)clem_mrg_next(state) * 2.3283065498378288e-10;
}
CLEM_DEVICE float4 curand_uniform4(curandStatePhilox4_32_10 *state)
{
    const uint4 x = curand4(state);
    return {clem_unit(x.x), clem_unit(x.y), clem_unit(x.z), clem_unit(x.w)};
}
CLEM_DEVICE double2 curand_uniform2_double(curandStatePhilox4_32_10 *state)
{
    const uint4 x = curand4(state);
    return {clem_unit_double(x.x, x.y), clem_unit_double(x.z, x.w)};
}
CLEM_DEVICE double4 curand_uniform4_double(curandStatePhilox4_32_10 *state)
{
    const double2 a = curand_uniform2_double(state), b = curand_uniform2_double(state);
    return {a.x, a.y, b.x, b.y};
}

/* Normal numbers, of mean 0 and deviation 1, in pairs by Box and Muller's method. */

CLEM_DEVICE float2 clem_normal_pair(float u, float angle)
{
    const float radius = sqrtf(-2.0f * logf(u));
    float2 pair;
    __sincosf(angle, &pair.x, &pair.y);
    return {pair.x * radius, pair.y * radius};
}
/* half_turns: the angle over pi. */
CLEM_DEVICE double2 clem_normal_pair_double(double u, double half_turns)
{
    const double radius = sqrt(-2.0 * log(u));
    double2 pair;
    sincospi(half_turns, &pair.x, &pair.y);
    return {pair.x * radius, pair.y * radius};
}
CLEM_DEVICE float2 clem_normal_of(unsigned int x, unsigned int y)
{
    const float turn = 6.2831855f * 0x1p-32f;
    return clem_normal_pair(clem_unit(x), y * turn + turn / 2);
}
CLEM_DEVICE double2 clem_normal_double_of(uint4 x)
{
    return clem_normal_pair_double(clem_unit_double(x.x, x.y), 2 * clem_unit_double(x.z, x.w));
}

template <class State> CLEM_DEVICE float2 curand_normal2(State *state)
{
    const unsigned int x = curand(state);
    return clem_normal_of(x, curand(state));
}
CLEM_DEVICE float2 curand_normal2(curandStateMRG32k3a *state)
{
    const float u = curand_uniform(state);
    return clem_normal_pair(u, curand_uniform(state) * 6.2831855f);
}
CLEM_DEVICE double2 curand_normal2_double(curandStateXORWOW *state)
{
    uint4 x;
    x.x = curand(state);
    x.y = curand(state);
    x.z = curand(state);
    x.w = curand(state);
    return clem_normal_double_of(x);
}
CLEM_DEVICE double2 curand_normal2_double(curandStatePhilox4_32_10 *state)
{
    return clem_normal_double_of(curand4(state));
}
CLEM_DEVICE double2 curand_normal2_double(curandStateMRG32k3a *state)
{
    const double u = curand_uniform_double(state);
    return clem_normal_pair_double(u, 2 * curand_uniform_double(state));
}
/* Whether a number waits for this kind. If not, the caller draws a pair, whose second number then waits. */
CLEM_DEVICE bool clem_takes_waiting(int *waiting, int kind)
{
    const bool is_there = *waiting == kind;
    *waiting = is_there ? 0 : kind;
    return is_there;
}
template <class State> CLEM_DEVICE float clem_normal_as(State *state, int kind)
{
    if (clem_takes_waiting(&state->waiting, kind))
        return state->normal;
    const float2 pair = curand_normal2(state);
    state->normal = pair.y;
    return pair.x;
}
template <class State> CLEM_DEVICE double clem_normal_double_as(State *state, int kind)
{
    if (clem_takes_waiting(&state->waiting_double, kind))
        return state->normal_double;
    const double2 pair = curand_normal2_double(state);
    state->normal_double = pair.y;
    return pair.x;
}
template <class State> CLEM_DEVICE float curand_normal(State *state)
{
    return clem_normal_as(state, 1);
}
template <class State> CLEM_DEVICE double curand_normal_double(State *state)
{
    return clem_normal_double_as(state, 1);
}
CLEM_DEVICE float4 curand_normal4(curandStatePhilox4_32_10 *state)
{
    const uint4 x = curand4(state);
    const float2 a = clem_normal_of(x.x, x.y), b = clem_normal_of(x.z, x.w);
    return {a.x, a.y, b.x, b.y};
}
CLEM_DEVICE double4 curand_normal4_double(curandStatePhilox4_32_10 *state)
{
    const double2 a = curand_normal2_double(state), b = curand_normal2_double(state);
    return {a.x, a.y, b.x, b.y};
}

/* e to the power of normal numbers of that mean and deviation. */

template <class State>
CLEM_DEVICE float curand_log_normal(State *state, float mean, float deviation)
{
    return expf(mean + deviation * clem_normal_as(state, 2));
}
template <class State>
CLEM_DEVICE double curand_log_normal_double(State *state, double mean, double deviation)
{
    return exp(mean + deviation * clem_normal_double_as(state, 2));
}
template <class State>
CLEM_DEVICE float2 curand_log_normal2(State *state, float mean, float deviation)
{
    const float2 x = curand_normal2(state);
    return {expf(mean + deviation * x.x), expf(mean + deviation * x.y)};
}
template <class State>
CLEM_DEVICE double2 curand_log_normal2_double(State *state, double mean, double deviation)
{
    const double2 x = curand_normal2_double(state);
    return {exp(mean + deviation * x.x), exp(mean + deviation * x.y)};
}
CLEM_DEVICE float4 curand_log_normal4(curandStatePhilox4_32_10 *state, float mean, float deviation)
{
    const float2 a = curand_log_normal2(state, mean, deviation);
    const float2 b = curand_log_normal2(state, mean, deviation);
    return {a.x, a.y, b.x, b.y};
}
CLEM_DEVICE double4 curand_log_normal4_double(curandStatePhilox4_32_10 *state, double mean,
                                              double deviation)
{
    const double2 a = curand_log_normal2_double(state, mean, deviation);
    const double2 b = curand_log_normal2_double(state, mean, deviation);
    return {a.x, a.y, b.x, b.y};
}

/* How many arrivals one unit of time has: counted one by one where they are few, else by Hörmann's PTRS. */
template <class State> CLEM_DEVICE unsigned int curand_poisson(State *state, double lambda)
{
    if (!(lambda > 0))
        return 0;
    if (lambda < 10) {
        unsigned int count = 0;
        for (double left = lambda + log(curand_uniform_double(state)); left >= 0;
             left += log(curand_uniform_double(state)))
            count++;
        return count;
    }
    const double b = 0.931 + 2.53 * sqrt(lambda), a = -0.059 + 0.02483 * b;
    const double scale = log(1.1239 + 1.1328 / (b - 3.4));
    for (;;) {
        const double u = curand_uniform_double(state) - 0.5, v = curand_uniform_double(state);
        const double edge = 0.5 - fabs(u), k = floor((2 * a / edge + b) * u + lambda + 0.43);
        if (edge >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2))
            return (unsigned int)k;
        if (k < 0 || (edge < 0.013 && v > edge))
            continue;
        if (log(v) + scale - log(a / (edge * edge) + b) <= k * log(lambda) - lambda - lgamma(k + 1))
            return (unsigned int)k;
    }
}
CLEM_DEVICE uint4 curand_poisson4(curandStatePhilox4_32_10 *state, double lambda)
{
    uint4 out;
    out.x = curand_poisson(state, lambda);
    out.y = curand_poisson(state, lambda);
    out.z = curand_poisson(state, lambda);
    out.w = curand_poisson(state, lambda);
    return out;
}

#undef CLEM_MRG_M1
#undef CLEM_MRG_M2
#undef CLEM_DEVICE

#endif
#endif
