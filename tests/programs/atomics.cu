/* Atomic operations on global and on shared memory, of all types, with the values they return; float and double sums,
 * one of them by a compare-and-swap loop.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

struct cells {
    int sum, difference, least, most, exchanged;
    unsigned least_u, most_u, increment, decrement, all_and, all_or, all_xor, cas;
    unsigned long long sum_l, most_l, and_l, exchanged_l, cas_l;
    long long least_s;
    float sum_f;
    double sum_d, cas_d;
};

__device__ double add_by_cas(double *address, double value)
{
    unsigned long long *word = (unsigned long long *)address, old = *word, assumed;
    do {
        assumed = old;
        old = atomicCAS(word, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}

__device__ void all(cells *c, unsigned i)
{
    const unsigned word = random_word(i);
    atomicAdd(&c->sum, (int)i);
    atomicSub(&c->difference, (int)i);
    atomicMin(&c->least, (int)word);
    atomicMax(&c->most, (int)word);
    atomicExch(&c->exchanged, 77);
    atomicMin(&c->least_u, word);
    atomicMax(&c->most_u, word);
    atomicInc(&c->increment, 99);
    atomicDec(&c->decrement, 99);
    atomicAnd(&c->all_and, ~(1u << i % 16));
    atomicOr(&c->all_or, 1u << i % 20);
    atomicXor(&c->all_xor, word);
    atomicCAS(&c->cas, i == 5 ? 12u : 13u, 14u);
    atomicAdd(&c->sum_l, (unsigned long long)i << 30);
    atomicMax(&c->most_l, (unsigned long long)word << 20);
    atomicAnd(&c->and_l, ~(1ull << (i % 64 == 3 ? 4 : i % 64)));
    atomicExch(&c->exchanged_l, 1ull << 40);
    atomicCAS(&c->cas_l, 1ull << 50, 3ull);
    atomicMin(&c->least_s, (long long)(int)word);
    atomicAdd(&c->sum_f, (float)(i % 8));
    atomicAdd(&c->sum_d, 0.5 * i);
    add_by_cas(&c->cas_d, 0.25);
}

__device__ __constant__ cells start = {0, 0,          INT32_MAX, INT32_MIN, 0,  ~0u, 0, 0,
                                       0, ~0u,        0,         0,         12, 0,   0, ~0ull,
                                       0, 1ull << 50, 1ll << 60, 0,         0,  0};

__global__ void global(cells *c)
{
    all(c, blockIdx.x * blockDim.x + threadIdx.x);
}

__global__ void shared(cells *out)
{
    __shared__ cells c;
    if (threadIdx.x == 0)
        c = start;
    __syncthreads();
    for (unsigned k = 0; k < 4; k++)
        all(&c, k * blockDim.x + threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = c;
}

/* Every ticket is drawn once. */
__global__ void tickets(unsigned *next, unsigned *drawn)
{
    drawn[atomicAdd(next, 1)] += blockIdx.x * blockDim.x + threadIdx.x + 1;
}

__global__ void scopes(int *counters)
{
    atomicAdd_block(&counters[0], 1);
    atomicAdd_system(&counters[1], 2);
}

/* The last that threads do is to add to a word of their block or of the grid, which only the address tells. What a block has added
 * to its own is none of a later one's. */
__global__ void either(int **places, int *seen)
{
    __shared__ int own;
    int *const place = places[blockIdx.x % 3] ? places[blockIdx.x % 3] : &own;
    if (threadIdx.x == 0)
        own = 0;
    __syncthreads();
    if (threadIdx.x >= 32)
        seen[blockIdx.x] = *(volatile int *)&own;
    else
        atomicAdd(place, 1);
}

static void look_at_either()
{
    enum { BLOCKS = 300 };
    device_array<int> sum(1), seen(BLOCKS);
    device_array<int *> places(std::vector<int *>{sum.data, nullptr, nullptr});
    either<<<BLOCKS, 64>>>(places.data, seen.data);
    LAUNCHED();
    EXPECT(sum.host()[0] == BLOCKS / 3 * 32);
    for (int word : seen.host())
        EXPECT(word >= 0 && word <= 32);
}

static void check(const cells &c, unsigned n)
{
    int least = INT32_MAX, most = INT32_MIN;
    unsigned least_u = ~0u, most_u = 0, all_xor = 0;
    for (unsigned i = 0; i < n; i++) {
        const unsigned word = random_word(i);
        least = (int)word < least ? (int)word : least;
        most = (int)word > most ? (int)word : most;
        least_u = word < least_u ? word : least_u;
        most_u = word > most_u ? word : most_u;
        all_xor ^= word;
    }
    const unsigned long long total = (unsigned long long)n * (n - 1) / 2;
    EXPECT(c.sum == (int)total && c.difference == -(int)total && c.exchanged == 77);
    EXPECT(c.least == least && c.most == most && c.least_u == least_u && c.most_u == most_u);
    EXPECT(c.increment == n % 100 && c.decrement == (100 - n % 100) % 100);
    EXPECT(c.all_and == 0xffff0000u && c.all_or == 0xfffffu && c.all_xor == all_xor && c.cas == 14);
    EXPECT(c.sum_l == total << 30 && c.most_l == (unsigned long long)most_u << 20);
    EXPECT(c.and_l == 8 && c.exchanged_l == 1ull << 40 && c.cas_l == 3 && c.least_s == least);
    EXPECT(c.sum_f == 3.5f * (float)n && c.sum_d == 0.5 * (double)total && c.cas_d == 0.25 * n);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const unsigned n = 1024;
    cells first;
    CUDA(cudaMemcpyFromSymbol(&first, start, sizeof first));
    device_array<cells> one(std::vector<cells>(1, first)), several(3);
    global<<<8, n / 8>>>(one.data);
    shared<<<3, n / 4>>>(several.data);
    LAUNCHED();
    check(one.host()[0], n);
    for (const cells &c : several.host())
        check(c, n);
    device_array<unsigned> next(1), drawn(2000);
    tickets<<<20, 100>>>(next.data, drawn.data);
    LAUNCHED();
    unsigned long long sum = 0;
    for (unsigned ticket : drawn.host()) {
        EXPECT(ticket >= 1 && ticket <= 2000);
        sum += ticket;
    }
    EXPECT(sum == 2001 * 1000 && next.host()[0] == 2000);
    device_array<int> counters(2);
    scopes<<<1, 200>>>(counters.data);
    LAUNCHED();
    EXPECT(counters.host() == (std::vector<int>{200, 400}));
    look_at_either();
    return program_end();
}
