/* curand_kernel.h: the numbers of its three generators, jumps ahead against single steps, and the distributions' shapes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <curand_kernel.h>

enum { draws = 4096 };

struct start {
    unsigned long long seed, subsequence, offset;
};

/* What NVIDIA's own header draws: two numbers, then curand_uniform(), curand_uniform_double(), and curand() once more. */
static const start starts[] = {{0, 0, 0},
                               {1234, 4097, 5},
                               {0x123456789abcdef, 1ull << 40, 1ull << 33},
                               {99, 0x123456789ab, 0xfedcba987654321}};
static const double drawn[4][3][5] = {
    {{3179217846, 1883133293, 0.51701265573501587, 0.071367583822620595, 1986458431},
     {1713891541, 3781805453, 0.73571276664733887, 0.60548185394145548, 4175744164},
     {545508615, 1368065476, 0.30918601155281067, 0.82584686311939604, 951893240}},
    {{2634722103, 3027726108, 0.35163956880569458, 0.737898708213925, 3670815463},
     {3622670507, 1186023314, 0.27031150460243225, 0.97969086281955242, 2728055832},
     {3387537684, 1858873661, 0.49430790543556213, 0.88424227452060111, 218652425}},
    {{1537884077, 505353901, 0.88860911130905151, 0.39499164430029715, 3723054722},
     {580962263, 1883671654, 0.81594216823577881, 0.092245010891929269, 2405247947},
     {1028356005, 1475189777, 0.5344962477684021, 0.63734765332323962, 3143446672}},
    {{2295263799, 732226691, 0.49935713410377502, 0.818791498556529, 3825636299},
     {4142269339, 4145705660, 0.25929751992225647, 0.42554513411596417, 2648483048},
     {2231068556, 2218364026, 0.042948592454195023, 0.043219603605777299, 3782330221}},
};

template <class State> __device__ void draw(const start *from, double *out)
{
    State state;
    curand_init(from->seed, from->subsequence, from->offset, &state);
    out[0] = curand(&state);
    out[1] = curand(&state);
    out[2] = curand_uniform(&state);
    out[3] = curand_uniform_double(&state);
    out[4] = curand(&state);
}
__global__ void draw_all(const start *from, double *out)
{
    draw<curandState>(from + blockIdx.x, out + blockIdx.x * 15);
    draw<curandStatePhilox4_32_10_t>(from + blockIdx.x, out + blockIdx.x * 15 + 5);
    draw<curandStateMRG32k3a_t>(from + blockIdx.x, out + blockIdx.x * 15 + 10);
}

/* Each way ahead gives the same: out[0] to out[3] are equal in pairs. */
template <class State> __global__ void jump(unsigned *out, unsigned steps)
{
    State state, other;
    curand_init(77, 3, 0, &state);
    other = state;
    for (unsigned i = 0; i < steps; i++)
        curand(&state);
    out[0] = curand(&state);
    skipahead(steps, &other);
    out[1] = curand(&other);
    curand_init(77, 5, steps, &state);
    out[2] = curand(&state);
    curand_init(77, 2, 0, &other);
    for (int i = 0; i < 3; i++)
        skipahead_sequence(1, &other);
    skipahead(steps, &other);
    out[3] = curand(&other);
}
/* For this generator curand_init() counts in the shorter of the two jumps. */
__global__ void jump_between(unsigned *out)
{
    curandStateMRG32k3a_t state, other;
    curand_init(77, 5, 9, &state);
    curand_init(77, 2, 9, &other);
    skipahead_subsequence(3, &other);
    out[0] = curand(&state);
    out[1] = curand(&other);
    skipahead_sequence(6, &state);
    skipahead_sequence(2, &other);
    skipahead_sequence(4, &other);
    out[2] = curand(&state);
    out[3] = curand(&other);
}

/* Four at once are the next four, wherever the state stands. */
__global__ void fours(unsigned *out)
{
    curandStatePhilox4_32_10_t state, other;
    curand_init(5, 6, 7, &state);
    other = state;
    for (int i = 0; i < 5; i++) {
        const uint4 at_once = curand4(&state);
        const unsigned all[4] = {at_once.x, at_once.y, at_once.z, at_once.w};
        for (int k = 0; k < 4; k++)
            *out++ = all[k] ^ curand(&other);
        *out++ = curand(&state) ^ curand(&other);
    }
}

/* A pair serves two calls of one kind; the other kind begins a pair of its own. */
__global__ void kinds(double *out)
{
    curandState state, other;
    curand_init(1, 2, 3, &state);
    other = state;
    for (int i = 0; i < 4; i++)
        *out++ = curand_normal(&state);
    for (int i = 0; i < 2; i++) {
        const float2 pair = curand_normal2(&other);
        *out++ = pair.x;
        *out++ = pair.y;
    }
    curand_normal(&state);
    *out++ = log((double)curand_log_normal(&state, 0, 1));
    curand_normal2(&other);
    *out++ = curand_normal2(&other).x;
}

template <class State> __global__ void shapes(double *out, double lambda)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    State state;
    curand_init(2024, i, 0, &state);
    out[i] = curand_uniform(&state);
    out[i + draws] = curand_normal(&state);
    out[i + 2 * draws] = curand_normal_double(&state);
    out[i + 3 * draws] = log(curand_log_normal_double(&state, 3, 0.5));
    out[i + 4 * draws] = curand_poisson(&state, lambda);
}

static bool has_shape(const double *values, double mean, double deviation)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < draws; i++) {
        sum += values[i];
        squares += (values[i] - mean) * (values[i] - mean);
    }
    return fabs(sum / draws - mean) < 5 * deviation / sqrt((double)draws) &&
           fabs(sqrt(squares / draws) / deviation - 1) < 0.08;
}
template <class State> static void check_shapes(double lambda)
{
    device_array<double> out(5 * draws);
    shapes<State><<<draws / 128, 128>>>(out.data, lambda);
    LAUNCHED();
    const std::vector<double> values = out.host();
    EXPECT(has_shape(&values[0], 0.5, sqrt(1.0 / 12)));
    EXPECT(has_shape(&values[draws], 0, 1));
    EXPECT(has_shape(&values[2 * draws], 0, 1));
    EXPECT(has_shape(&values[3 * draws], 3, 0.5));
    EXPECT(has_shape(&values[4 * draws], lambda, sqrt(lambda)));
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    device_array<start> from(std::vector<start>(starts, starts + 4));
    device_array<double> out(4 * 15);
    draw_all<<<4, 1>>>(from.data, out.data);
    LAUNCHED();
    const std::vector<double> values = out.host();
    EXPECT(memcmp(values.data(), drawn, sizeof drawn) == 0);
    result("drawn", values);

    for (const unsigned steps : {1u, 7u, 1000u}) {
        device_array<unsigned> jumps(12);
        jump<curandState><<<1, 1>>>(jumps.data, steps);
        jump<curandStatePhilox4_32_10_t><<<1, 1>>>(jumps.data + 4, steps);
        jump_between<<<1, 1>>>(jumps.data + 8);
        LAUNCHED();
        const std::vector<unsigned> ends = jumps.host();
        for (int i = 0; i < 12; i += 2)
            EXPECT(ends[i] == ends[i + 1]);
        result("jumps", ends);
    }

    device_array<unsigned> differences(25);
    fours<<<1, 1>>>(differences.data);
    LAUNCHED();
    EXPECT(differences.host() == std::vector<unsigned>(25));

    device_array<double> of_kinds(10);
    kinds<<<1, 1>>>(of_kinds.data);
    LAUNCHED();
    const std::vector<double> pairs = of_kinds.host();
    for (int i = 0; i < 4; i++)
        EXPECT(pairs[i] == pairs[i + 4]);
    EXPECT(fabs(pairs[8] - pairs[9]) < 1e-6);

    check_shapes<curandState>(4);
    check_shapes<curandStatePhilox4_32_10_t>(30);
    check_shapes<curandStateMRG32k3a_t>(2500);
    return program_end();
}
