/* Virtual functions that call others of their own signature, and themselves, and such with barriers and shuffles in them.
 * Functions that return addresses.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

enum { THREADS = 64 };

struct node {
    __device__ virtual int value(int x, int low) const = 0;
};

struct leaf : node {
    int factor;
    __device__ explicit leaf(int f) : factor(f)
    {
    }
    __device__ int value(int x, int low) const override
    {
        return x * factor + low;
    }
};

struct sum : node {
    const node *a, *b;
    __device__ sum(const node *left, const node *right) : a(left), b(right)
    {
    }
    __device__ int value(int x, int low) const override
    {
        const int first = a->value(x, low + 1);
        low += first;
        return first - b->value(x + 1, low) * 2 + low;
    }
};

struct twice : node {
    const node *of;
    __device__ explicit twice(const node *one) : of(one)
    {
    }
    __device__ int value(int x, int low) const override
    {
        return x % 3 == 0 ? 7 : 2 * of->value(x + 5, low) + low;
    }
};

__global__ void evaluate(int *out, int low)
{
    const int i = (int)threadIdx.x;
    const leaf one(3), other(-5);
    const sum both(&one, &other);
    const twice all(&both);
    const node *chosen[] = {&one, &both, &all};
    out[i] = chosen[i % 3]->value(i, low);
}

static int sum_value(int x, int low)
{
    const int first = x * 3 + low + 1;
    low += first;
    return first - ((x + 1) * -5 + low) * 2 + low;
}

static int expected(int i, int low)
{
    switch (i % 3) {
    case 0:
        return i * 3 + low;
    case 1:
        return sum_value(i, low);
    default:
        return 2 * sum_value(i + 5, low) + low;
    }
}

/* The block's sum of a thread's value, by a barrier or by shuffles. */
struct reducer {
    __device__ virtual int total(int own, int *room) const = 0;
};

struct by_barrier : reducer {
    __device__ int total(int own, int *room) const override
    {
        room[threadIdx.x] = own;
        __syncthreads();
        int all = 0;
        for (int i = 0; i < THREADS; i++)
            all += room[i];
        __syncthreads();
        return all;
    }
};

struct by_shuffle : reducer {
    __device__ int total(int own, int *) const override
    {
        for (int distance = 16; distance > 0; distance /= 2)
            own += __shfl_xor_sync(0xffffffffu, own, distance);
        return own;
    }
};

/* Each warp by another function, but for the first call. */
__global__ void reduce(int *out)
{
    __shared__ int room[THREADS];
    const by_barrier barrier;
    const by_shuffle shuffle;
    const int i = (int)threadIdx.x;
    const reducer *all[] = {&barrier, &shuffle};
    int value = all[out[0]]->total(i, room);
    value += all[out[1]]->total(i * 3, room);
    if (i < 32)
        value += all[1]->total(1, room);
    out[i + 2] = value;
}

/* Deeper than any program's text says. */
__global__ void nested(int *out, int depth)
{
    const leaf end(1);
    const sum inner(&end, &end), outer(&inner, &inner);
    out[threadIdx.x] = (depth > 1 ? &outer : &inner)->value((int)threadIdx.x, 0);
}

static int nested_value(int depth, int x, int low)
{
    if (depth == 0)
        return x + low;
    const int first = nested_value(depth - 1, x, low + 1);
    low += first;
    return first - nested_value(depth - 1, x + 1, low) * 2 + low;
}

/* An address in local memory, though it comes from a call. */
__device__ __noinline__ int *higher(int *a, int *b, int i)
{
    return a[i % 4] > b[i % 4] ? a : b;
}

__global__ void choose(int *out)
{
    const int i = (int)threadIdx.x;
    int a[4], b[4];
    for (int j = 0; j < 4; j++) {
        a[j] = i + j;
        b[j] = 2 * i - j;
    }
    int *chosen = higher(a, b, i);
    chosen[(i + 1) % 4] += 100;
    out[i] = a[i * 3 % 4] - b[i * 3 % 4];
}

static int expected_choice(int i)
{
    int a[4], b[4];
    for (int j = 0; j < 4; j++) {
        a[j] = i + j;
        b[j] = 2 * i - j;
    }
    (a[i % 4] > b[i % 4] ? a : b)[(i + 1) % 4] += 100;
    return a[i * 3 % 4] - b[i * 3 % 4];
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    device_array<int> out(THREADS + 2);
    evaluate<<<1, THREADS>>>(out.data, 4);
    LAUNCHED();
    std::vector<int> got = out.host();
    for (int i = 0; i < THREADS; i++)
        EXPECT(got[i] == expected(i, 4));

    const int which[] = {0, 1};
    CUDA(cudaMemcpy(out.data, which, sizeof which, cudaMemcpyHostToDevice));
    reduce<<<1, THREADS>>>(out.data);
    LAUNCHED();
    got = out.host();
    const int sums[] = {31 * 32 / 2 * 3, (63 * 64 / 2 - 31 * 32 / 2) * 3};
    for (int i = 0; i < THREADS; i++)
        EXPECT(got[i + 2] == 63 * 64 / 2 + sums[i / 32] + (i < 32 ? 32 : 0));

    choose<<<1, THREADS>>>(out.data);
    LAUNCHED();
    got = out.host();
    for (int i = 0; i < THREADS; i++)
        EXPECT(got[i] == expected_choice(i));

    for (int depth = 1; depth <= 2; depth++) {
        nested<<<1, 4>>>(out.data, depth);
        LAUNCHED();
        got = out.host();
        for (int i = 0; i < 4; i++)
            EXPECT(got[i] == nested_value(depth, i, 0));
    }
    return program_end();
}
