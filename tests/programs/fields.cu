/* Elements that lie beside each other, loaded and stored one by one: structures of two, three and four numbers, in any order of the
 * text, with what may not change places between them, and for warps that are there in part. The host does the same, thread
 * after thread where threads do not meet.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

enum { COUNT = 4096 + 37, THREADS = 96 };

struct pair2 {
    float a, b;
};
struct triple {
    float x, y, z;
};
struct large {
    double p, q, r;
};
struct five {
    int v[5];
};

#define BOTH __host__ __device__ static inline

/* What one thread does. */
BOTH void move_pair(int i, const pair2 *from, pair2 *to)
{
    const float b = from[i].b, a = from[i].a;
    to[i].b = a + 1;
    to[i].a = b * 2;
}

BOTH void move_triple(int i, const triple *from, triple *to)
{
    triple t = from[i];
    t.x += t.z;
    to[i].z = t.x;
    to[i].x = t.y;
    to[i].y = t.z - t.x;
}

BOTH void copy_four(int i, const float4 *from, float4 *to)
{
    to[i] = from[i];
}

BOTH void move_large(int i, const large *from, large *to)
{
    to[i].q = from[i].p * from[i].r;
    to[i].p = from[i].q - 1;
    to[i].r = 3;
}

/* Some of them, and more than fit. */
BOTH void move_some(int i, const five *from, five *to)
{
    for (int k = 0; k < 5; k++)
        to[i].v[k] = from[i].v[4 - k];
    to[i].v[2] += from[i].v[0] & 7;
}

/* What is stored may be what is loaded next: nothing says that they are not the same. With `other` one word below `own`, they are. */
BOTH void chase(int i, int *own, const int *other)
{
    own[2 * i] = 7 * i;
    own[2 * i + 1] = other[2 * i + 1] * 3;
}

/* Likewise; and loads around a store. */
BOTH void load_around(int i, int *own, int *other)
{
    const int first = own[2 * i];
    other[2 * i + 2] = first + 3 * i;
    const int second = own[2 * i + 1];
    own[2 * i] = second;
    own[2 * i + 1] = first;
}

/* The same place twice, and one in between that may be of it. */
BOTH void twice(int i, int *own, int *other)
{
    own[2 * i] = i;
    own[2 * i + 1] = 2 * i;
    own[2 * i] += 5;
    other[2 * i + 1] = -i;
    own[2 * i + 1] += own[2 * i];
}

/* What a thread has stored it sees, whatever it stores in between: that may be of the same memory, and is not. */
BOTH void see_own(int i, int2 *own, int2 *other)
{
    const int first = own[i].y;
    own[i].x = 3 * i;
    other[i].y = first + i;
    own[i].y = own[i].x + first;
    other[i].x = i;
}

/* By a branch, in a loop. */
BOTH void in_loop(int i, const int2 *from, int2 *to, int turns)
{
    int2 sum = {0, 0};
    for (int k = 0; k < turns; k++) {
        if ((i + k) % 3 == 0)
            continue;
        sum.x += from[(i + k) % COUNT].x;
        sum.y ^= from[(i + k) % COUNT].y;
    }
    if (i % 5 != 0) {
        to[i].x = sum.x;
        to[i].y = sum.y;
    }
}

#define KERNEL(name, parameters, ...)                                                              \
    __global__ void do_##name parameters                                                           \
    {                                                                                              \
        const int i = blockIdx.x * blockDim.x + threadIdx.x;                                       \
        if (i < COUNT)                                                                             \
            name(i, __VA_ARGS__);                                                                  \
    }
KERNEL(move_pair, (const pair2 *__restrict__ from, pair2 *__restrict__ to), from, to)
KERNEL(move_triple, (const triple *__restrict__ from, triple *__restrict__ to), from, to)
KERNEL(copy_four, (const float4 *__restrict__ from, float4 *__restrict__ to), from, to)
KERNEL(move_large, (const large *__restrict__ from, large *__restrict__ to), from, to)
KERNEL(move_some, (const five *__restrict__ from, five *__restrict__ to), from, to)
KERNEL(chase, (int *own, const int *other), own, other)
KERNEL(load_around, (int *own, int *other), own, other)
KERNEL(twice, (int *own, int *other), own, other)
KERNEL(in_loop, (const int2 *__restrict__ from, int2 *__restrict__ to, int turns), from, to, turns)

/* Without a branch. */
__global__ void do_see_own(int2 *own, int2 *other)
{
    see_own(blockIdx.x * blockDim.x + threadIdx.x, own, other);
}

/* Values that change between the stores, registers that are loaded into twice, and a barrier between two stores. */
__global__ void reuse(const int *__restrict__ from, int *__restrict__ to, int *__restrict__ seen)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    __shared__ int sum;
    if (t == 0)
        sum = 0;
    __syncthreads();
    int value = from[3 * i];
    to[3 * i] = value;
    value = value * 5 + from[3 * i + 1];
    to[3 * i + 1] = value;
    atomicAdd(&sum, value & 15);
    __syncthreads();
    value += sum;
    to[3 * i + 2] = value - from[3 * i + 2];
    __syncthreads();
    seen[i] = to[3 * (blockIdx.x * blockDim.x + (t + 1) % blockDim.x) + 2];
}

static void reuse_on_host(int blocks, const int *from, int *to, int *seen)
{
    for (int b = 0; b < blocks; b++) {
        int sum = 0;
        for (int i = b * THREADS; i < (b + 1) * THREADS; i++)
            sum += (from[3 * i] * 5 + from[3 * i + 1]) & 15;
        for (int i = b * THREADS; i < (b + 1) * THREADS; i++) {
            to[3 * i] = from[3 * i];
            to[3 * i + 1] = from[3 * i] * 5 + from[3 * i + 1];
            to[3 * i + 2] = to[3 * i + 1] + sum - from[3 * i + 2];
        }
        for (int i = b * THREADS; i < (b + 1) * THREADS; i++)
            seen[i] = to[3 * (b * THREADS + (i - b * THREADS + 1) % THREADS) + 2];
    }
}

/* At places that a list names, and in the block's memory in any order. */
template <class T, class V>
__global__ void exchange(const int *list, const T *from, T *to, int step, V T::*a, V T::*b)
{
    __shared__ T own[THREADS];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    own[t].*a = from[list[i]].*b;
    own[t].*b = from[list[i]].*a;
    __syncthreads();
    const int other = t * step % THREADS;
    to[list[i]].*a = own[other].*a;
    to[list[i]].*b = own[other].*b;
}

/* At places that a list names, with the same number for all. */
__global__ void set_pairs(const int *list, int2 *to)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int2 *own = &to[list[i]];
    own->x = i;
    own->y = 31;
}

/* One of two, and both, whose numbers may wrap around. */
__global__ void sum_fields(const int2 *one, const int2 *both, int *to, unsigned first)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x + first;
    to[i] = one[i].x + 3 * both[i].x - both[i].y;
}

/* The compiler does not know that it points into the block's memory. */
__device__ static inline int *any(int *p)
{
    asm("" : "+l"(p));
    return p;
}

/* The last steps of a tree, which one warp goes through alone: what it stores there waits, and two that lie beside each other are
 * loaded, and stored, by generic addresses meanwhile. */
__global__ void finish_tree(const int *from, int *to)
{
    __shared__ int s[THREADS];
    const int t = threadIdx.x;
    s[t] = from[blockIdx.x * THREADS + t];
    __syncthreads();
    if (t < 32)
        s[t] += s[t + 32] + s[t + 64];
    __syncthreads();
    if (t < 16)
        s[t] += s[t + 16];
    __syncthreads();
    if (t < 8) {
        const int *p = any(&s[2 * t]);
        const int a = p[0], b = p[1];
        to[blockIdx.x * THREADS + t] = a - 3 * b;
    }
    __syncthreads();
    if (t < 8)
        s[t] += s[t + 8];
    __syncthreads();
    if (t < 2) {
        int *p = any(&s[2 * t]);
        p[0] = t + 5;
        p[1] = t - 7;
    }
    __syncthreads();
    if (t < 4)
        s[t] += s[t + 4];
    __syncthreads();
    if (t < 4)
        to[blockIdx.x * THREADS + 8 + t] = s[t];
}

static void finish_tree_on_host(const int *from, int *to)
{
    int s[THREADS];
    for (int t = 0; t < THREADS; t++)
        s[t] = from[t];
    for (int t = 0; t < 32; t++)
        s[t] += s[t + 32] + s[t + 64];
    for (int t = 0; t < 16; t++)
        s[t] += s[t + 16];
    for (int t = 0; t < 8; t++)
        to[t] = s[2 * t] - 3 * s[2 * t + 1];
    for (int t = 0; t < 8; t++)
        s[t] += s[t + 8];
    for (int t = 0; t < 4; t++)
        to[8 + t] = (t % 2 ? t / 2 - 7 : t / 2 + 5) + s[t + 4];
}

template <class T> struct both {
    /* Numbers between 1 and 2. */
    enum {
        SIZE = sizeof(T) == sizeof(large) ? 8 : 4,
        HIGH = SIZE == 8 ? 0xf0 : 0x80,
        LOW = SIZE == 8 ? 15 : 63
    };
    std::vector<T> host;
    T *device = nullptr;
    both(unsigned seed) : host(COUNT + THREADS)
    {
        unsigned char *bytes = reinterpret_cast<unsigned char *>(host.data());
        for (size_t i = 0; i < host.size() * sizeof(T); i++)
            bytes[i] = (unsigned char)(i % SIZE == SIZE - 1   ? 0x3f
                                       : i % SIZE == SIZE - 2 ? HIGH | (i * seed & LOW)
                                                              : i * seed);
        CUDA(cudaMalloc(&device, host.size() * sizeof(T)));
        CUDA(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~both()
    {
        CUDA(cudaFree(device));
    }
    bool is_same()
    {
        std::vector<T> got(host.size());
        CUDA(cudaMemcpy(got.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost));
        return memcmp(got.data(), host.data(), host.size() * sizeof(T)) == 0;
    }
};

static const int blocks = (COUNT + THREADS - 1) / THREADS;

template <class T, class KERNEL, class HOST> static void test_move(KERNEL kernel, HOST on_host)
{
    both<T> from(37), to(91);
    kernel<<<blocks, THREADS>>>(from.device, to.device);
    for (int i = 0; i < COUNT; i++)
        on_host(i, from.host.data(), to.host.data());
    EXPECT(to.is_same());
}

template <class KERNEL, class HOST> static void test_alike(KERNEL kernel, HOST on_host, int below)
{
    both<int2> a(7);
    int *const device = reinterpret_cast<int *>(a.device) + 2, *const host =
                                                                   reinterpret_cast<int *>(
                                                                       a.host.data()) +
                                                                   2;
    kernel<<<blocks, THREADS>>>(device, device - below);
    for (int i = 0; i < COUNT; i++)
        on_host(i, host, host - below);
    EXPECT(a.is_same());
}

static void test_own()
{
    both<int2> own(5), other(3);
    do_see_own<<<COUNT / THREADS, THREADS>>>(own.device, other.device);
    for (int i = 0; i < COUNT / THREADS * THREADS; i++)
        see_own(i, own.host.data(), other.host.data());
    EXPECT(own.is_same());
    EXPECT(other.is_same());
}

static void test_loop()
{
    both<int2> from(5), to(3);
    do_in_loop<<<blocks, THREADS>>>(from.device, to.device, 7);
    for (int i = 0; i < COUNT; i++)
        in_loop(i, from.host.data(), to.host.data(), 7);
    EXPECT(to.is_same());
}

static std::vector<int> any_order(int count)
{
    std::vector<int> list(count);
    for (int i = 0; i < count; i++)
        list[i] = (int)((long long)i * 1001 % count); /* which have no factor in common */
    return list;
}

static void test_pairs()
{
    const int whole = COUNT / THREADS * THREADS;
    const std::vector<int> list = any_order(whole);
    both<int> places(1), sums(3);
    both<int2> a(7), b(11);
    CUDA(cudaMemcpy(places.device, list.data(), whole * sizeof(int), cudaMemcpyHostToDevice));
    set_pairs<<<whole / THREADS, THREADS>>>(places.device, a.device);
    sum_fields<<<whole / THREADS - 1, THREADS>>>(a.device, b.device, sums.device, 3);
    for (int i = 0; i < whole; i++)
        a.host[list[i]] = make_int2(i, 31);
    for (int i = 3; i < whole - THREADS + 3; i++)
        sums.host[i] = a.host[i].x + 3 * b.host[i].x - b.host[i].y;
    EXPECT(a.is_same());
    EXPECT(sums.is_same());
}

template <class T, class V> static void test_list(V T::*a, V T::*b)
{
    both<T> from(37), to(91);
    const int whole = COUNT / THREADS * THREADS, step = 7;
    const std::vector<int> list = any_order(whole);
    int *device;
    CUDA(cudaMalloc(&device, whole * sizeof(int)));
    CUDA(cudaMemcpy(device, list.data(), whole * sizeof(int), cudaMemcpyHostToDevice));
    exchange<T, V><<<whole / THREADS, THREADS>>>(device, from.device, to.device, step, a, b);
    for (int i = 0; i < whole; i++) {
        const T &own = from.host[list[i / THREADS * THREADS + i % THREADS * step % THREADS]];
        to.host[list[i]].*a = own.*b;
        to.host[list[i]].*b = own.*a;
    }
    EXPECT(to.is_same());
    CUDA(cudaFree(device));
}

/* One element of each, up and down, of structures of as many as a vector's rows are taken for and more. */
template <class T, int S, int O> __global__ void take_field(const T *in, T *up, T *down, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        up[i] = in[S * i + O];
        down[i] = in[S * (n - 1 - i) + O];
    }
}

template <class T, int S, int O> static void test_field()
{
    const int n = 1000 + S;
    std::vector<T> in(n * S), up(n), down(n);
    T *memory;
    for (int i = 0; i < n * S; i++)
        in[i] = (T)(i * 37 + 5);
    CUDA(cudaMalloc(&memory, (n * S + 2 * n) * sizeof(T)));
    CUDA(cudaMemcpy(memory, in.data(), in.size() * sizeof(T), cudaMemcpyHostToDevice));
    take_field<T, S, O>
        <<<(n + THREADS - 1) / THREADS, THREADS>>>(memory, memory + n * S, memory + n * S + n, n);
    CUDA(cudaMemcpy(up.data(), memory + n * S, n * sizeof(T), cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(down.data(), memory + n * S + n, n * sizeof(T), cudaMemcpyDeviceToHost));
    bool is_right = true;
    for (int i = 0; i < n; i++)
        is_right = is_right && up[i] == in[S * i + O] && down[i] == in[S * (n - 1 - i) + O];
    EXPECT(is_right);
    CUDA(cudaFree(memory));
}

template <class T> static void test_fields()
{
    test_field<T, 2, 0>();
    test_field<T, 2, 1>();
    test_field<T, 3, 1>();
    test_field<T, 4, 3>();
    test_field<T, 5, 2>();
}

static void test_reuse()
{
    both<triple> from(29), to(1);
    both<int> seen(1);
    const int whole = COUNT / THREADS;
    reuse<<<whole, THREADS>>>(reinterpret_cast<int *>(from.device),
                              reinterpret_cast<int *>(to.device), seen.device);
    reuse_on_host(whole, reinterpret_cast<int *>(from.host.data()),
                  reinterpret_cast<int *>(to.host.data()), seen.host.data());
    EXPECT(to.is_same());
    EXPECT(seen.is_same());
}

static void test_tree()
{
    both<int> from(29), to(1);
    const int whole = COUNT / THREADS;
    finish_tree<<<whole, THREADS>>>(from.device, to.device);
    for (int b = 0; b < whole; b++)
        finish_tree_on_host(&from.host[b * THREADS], &to.host[b * THREADS]);
    EXPECT(to.is_same());
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    test_move<pair2>(do_move_pair, move_pair);
    test_move<triple>(do_move_triple, move_triple);
    test_move<float4>(do_copy_four, copy_four);
    test_move<large>(do_move_large, move_large);
    test_move<five>(do_move_some, move_some);
    test_alike(do_chase, chase, 0);
    test_alike(do_chase, chase, 1);
    test_alike(do_twice, twice, 0);
    test_alike(do_twice, twice, 1);
    test_alike(do_load_around, load_around, 1);
    test_own();
    test_loop();
    test_list(&pair2::a, &pair2::b);
    test_list(&triple::x, &triple::y);
    test_list(&float4::z, &float4::w);
    test_list(&large::q, &large::r);
    test_fields<unsigned char>();
    test_fields<short>();
    test_fields<int>();
    test_fields<double>();
    test_reuse();
    test_tree();
    test_pairs();
    return program_end();
}
