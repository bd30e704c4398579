/* Values on their way from where nobody wrote them to where they matter: correct kernels, and mutants of each (mutants.h), in which an
 * initialisation is missing.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mutants.h"

#include <mma.h>

enum { COUNT = 1001, WARP = 32, GROUP = 64, SIDE = 16 };

/* One block, of which each thread has an element that nobody wrote in mutant 1. */
template <typename FROM, typename TO>
static void run_block(void (*kernel)(const FROM *, TO *), int threads)
{
    array<FROM> in(threads);
    array<TO> out(threads);
    in.zero(1);
    out.clear();
    kernel<<<1, threads>>>(in.device, out.device);
    out.fetch();
}

/* ---- Conversions ---- */

template <typename FROM, typename TO> __global__ void convert(const FROM *in, TO *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (TO)in[i];
}

template <typename FROM, typename TO> static void run_convert()
{
    array<FROM> in(COUNT);
    array<TO> out(COUNT);
    in.zero(1);
    convert<<<COUNT / GROUP + 1, GROUP>>>(in.device, out.device, COUNT);
    out.fetch();
}

static void run_signed_bytes()
{
    run_convert<signed char, int>();
}

static void run_bytes()
{
    run_convert<unsigned char, int>();
}

static void run_signed_words()
{
    run_convert<short, long long>();
}

static void run_bytes_as_they_are()
{
    run_convert<char, char>();
}

static void run_floats()
{
    run_convert<float, int>();
}

static void run_cut()
{
    run_convert<long long, unsigned char>();
}

__global__ void topmost(const signed char *in, int *out)
{
    if (in[threadIdx.x] < 0)
        out[0] = 1;
}

static void run_topmost()
{
    run_block(topmost, GROUP);
}

__global__ void last_of_four(const float4 *in, float *out, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        float4 v = in[i];
        out[i] = v.w;
    }
}

static void run_last_of_four()
{
    array<float> in(4 * GROUP), out(GROUP);
    in.zero(1);
    last_of_four<<<1, GROUP>>>((const float4 *)in.device, out.device, GROUP);
    out.fetch();
}

/* ---- Bits ---- */

__global__ void turn_bytes(const unsigned *in, unsigned *out)
{
    out[threadIdx.x] = __byte_perm(in[threadIdx.x], 0, 0x0123);
}

static void run_turn_bytes()
{
    run_block(turn_bytes, GROUP);
}

__global__ void field(const unsigned *in, int *out)
{
    unsigned bits;
    __asm__("bfe.u32 %0, %1, 9, 6;" : "=r"(bits) : "r"(in[threadIdx.x]));
    if (bits > 3)
        out[0] = 1;
}

static void run_field()
{
    run_block(field, GROUP);
}

/* Of a word of which nobody wrote the rest. */
__global__ void own_field(unsigned *words, int *out)
{
    unsigned word = words[threadIdx.x], own = threadIdx.x & 7;
    INIT(1, word = (word & ~0x38u) | own << 3);
    words[threadIdx.x] = word;
    if ((words[threadIdx.x] >> 3 & 7) != own)
        out[0] = 1;
}

static void run_own_field()
{
    array<unsigned> words(GROUP);
    array<int> out(1);
    out.clear();
    own_field<<<1, GROUP>>>(words.device, out.device);
    out.fetch();
}

__global__ void insert(const unsigned *in, unsigned *out)
{
    unsigned bits;
    __asm__("bfi.b32 %0, %1, 0, 8, 8;" : "=r"(bits) : "r"(in[threadIdx.x]));
    if (bits & 0x100)
        out[threadIdx.x] = bits;
}

static void run_insert()
{
    run_block(insert, GROUP);
}

__global__ void funnel(const unsigned *in, unsigned *out)
{
    out[threadIdx.x] = __funnelshift_l(in[threadIdx.x], threadIdx.x, 8);
}

static void run_funnel()
{
    run_block(funnel, GROUP);
}

/* What is not chosen may be what nobody wrote. */
__global__ void choose(int *out)
{
    __shared__ int part[GROUP];
    if (threadIdx.x < WARP)
        INIT(1, part[threadIdx.x] = threadIdx.x);
    __syncthreads();
    int chosen, other = part[threadIdx.x];
    __asm__("{.reg .pred p; setp.lt.u32 p, %1, 32; selp.b32 %0, %2, 7, p;}"
            : "=r"(chosen)
            : "r"(threadIdx.x), "r"(other));
    out[threadIdx.x] = chosen;
}

static void run_choose()
{
    array<int> out(GROUP);
    choose<<<1, GROUP>>>(out.device);
    out.fetch();
}

__global__ void cases(const int *in, int *out)
{
    int i = threadIdx.x;
    switch (in[i]) {
    case 0:
        out[i] = i * i;
        break;
    case 1:
        out[i] = i - 3;
        break;
    case 2:
        out[i] = out[i] ^ i;
        break;
    case 3:
        atomicAdd(out, 3);
        break;
    case 4:
        out[i] = __popc(i);
        break;
    case 5:
        out[i] = __clz(i);
        break;
    }
}

static void run_cases()
{
    run_block(cases, GROUP);
}

/* ---- Lanes ---- */

__global__ void sum_of_warp(const int *in, int *out)
{
    int v = in[threadIdx.x];
    for (int s = WARP / 2; s > 0; s /= 2)
        v += __shfl_down_sync(0xffffffff, v, s);
    if (threadIdx.x % WARP == 0)
        out[threadIdx.x / WARP] = v;
}

static void run_sum_of_warp()
{
    run_block(sum_of_warp, GROUP);
}

/* Only lane 5's value goes on. */
__global__ void value_of_lane(int *out)
{
    __shared__ int part[WARP];
    if (threadIdx.x == 5)
        INIT(1, part[threadIdx.x] = 1);
    __syncwarp();
    int v = part[threadIdx.x];
    if (__shfl_sync(0xffffffff, v, 5) > 0)
        out[threadIdx.x] = 1;
}

static void run_value_of_lane()
{
    array<int> out(WARP);
    out.clear();
    value_of_lane<<<1, WARP>>>(out.device);
    out.fetch();
}

/* A register that its own shuffle changes, in branches. */
__global__ void swap_in_branches(const int *in, int *out)
{
    int v = in[threadIdx.x];
    if (threadIdx.x % 2 == 0)
        v = __shfl_xor_sync(0x55555555, v, 2);
    else
        v = __shfl_xor_sync(0xaaaaaaaa, v, 4);
    out[threadIdx.x] = v;
}

static void run_swap_in_branches()
{
    run_block(swap_in_branches, WARP);
}

__global__ void double_of_neighbour(const double *in, double *out)
{
    out[threadIdx.x] = __shfl_up_sync(0xffffffff, in[threadIdx.x], 1);
}

static void run_double_of_neighbour()
{
    run_block(double_of_neighbour, WARP);
}

__global__ void any_of_warp(const int *in, int *out)
{
    if (__any_sync(0xffffffff, in[threadIdx.x] > 3))
        out[threadIdx.x] = 1;
}

static void run_any_of_warp()
{
    run_block(any_of_warp, WARP);
}

__global__ void ballot(const int *in, unsigned *out)
{
    out[threadIdx.x] = __ballot_sync(0xffffffff, in[threadIdx.x] > 3);
}

static void run_ballot()
{
    run_block(ballot, WARP);
}

__global__ void match(const int *in, unsigned *out)
{
    unsigned same;
    __asm__ volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(same) : "r"(in[threadIdx.x]));
    out[threadIdx.x] = same;
}

static void run_match()
{
    run_block(match, WARP);
}

__global__ void any_of_block(const int *in, int *out)
{
    if (__syncthreads_or(in[threadIdx.x] > 3))
        out[threadIdx.x] = 1;
}

static void run_any_of_block()
{
    run_block(any_of_block, GROUP);
}

__global__ void product(const half *a, const half *b, float *out)
{
    using namespace nvcuda::wmma;
    fragment<matrix_a, SIDE, SIDE, SIDE, half, row_major> left;
    fragment<matrix_b, SIDE, SIDE, SIDE, half, row_major> right;
    fragment<accumulator, SIDE, SIDE, SIDE, float> sum;
    load_matrix_sync(left, a, SIDE);
    load_matrix_sync(right, b, SIDE);
    fill_fragment(sum, 0.0f);
    mma_sync(sum, left, right, sum);
    store_matrix_sync(out, sum, SIDE, mem_row_major);
}

static void run_product()
{
    array<unsigned short> a(SIDE * SIDE), b(SIDE * SIDE);
    array<float> out(SIDE * SIDE);
    a.zero(1);
    b.zero(2);
    product<<<1, WARP>>>((const half *)a.device, (const half *)b.device, out.device);
    out.fetch();
}

/* ---- Memory ---- */

__device__ __noinline__ int pick(const int *from, int n)
{
    return from[n];
}

__global__ void own_array(int *out, int n)
{
    int own[8];
    for (int i = 0; i < n; i++)
        INIT(1, own[i] = i * n);
    out[blockIdx.x * blockDim.x + threadIdx.x] = pick(own, threadIdx.x % n);
}

static void run_own_array()
{
    array<int> out(2 * GROUP);
    own_array<<<2, GROUP>>>(out.device, 8);
    out.fetch();
}

__global__ void through_own_array(const int *in, int *out, int n)
{
    int own[8];
    for (int i = 0; i < n; i++)
        own[i] = in[threadIdx.x];
    out[threadIdx.x] = own[threadIdx.x % n];
}

static void run_through_own_array()
{
    array<int> in(GROUP), out(GROUP);
    in.zero(1);
    through_own_array<<<1, GROUP>>>(in.device, out.device, 8);
    out.fetch();
}

__global__ void most(const int *in, int *out)
{
    __shared__ int part;
    if (threadIdx.x == 0)
        INIT(1, part = 0);
    __syncthreads();
    atomicMax(&part, in[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0)
        *out = part;
}

static void run_most()
{
    array<int> in(GROUP), out(1);
    in.zero(2);
    most<<<1, GROUP>>>(in.device, out.device);
    out.fetch();
}

__global__ void copy_ahead(const int *in, int *out)
{
    __shared__ int part[GROUP];
    __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 4;\n\tcp.async.wait_all;"
                     :
                     : "r"((unsigned)__cvta_generic_to_shared(&part[threadIdx.x])),
                       "l"(in + threadIdx.x)
                     : "memory");
    __syncthreads();
    out[threadIdx.x] = part[GROUP - 1 - threadIdx.x];
}

static void run_copy_ahead()
{
    run_block(copy_ahead, GROUP);
}

struct item {
    char tag;
    int number;
    short last;
};

/* What is between members need not be written. */
__global__ void items(item *out, int n)
{
    item *own = &out[threadIdx.x];
    INIT(1, own->tag = 'a');
    INIT(2, own->number = n);
    INIT(3, own->last = 3);
}

static void run_items()
{
    array<item> out(GROUP);
    items<<<1, GROUP>>>(out.device, 5);
    out.fetch();
}

__global__ void fetched(cudaTextureObject_t from, int *out)
{
    out[threadIdx.x] = tex1Dfetch<int>(from, threadIdx.x);
}

static void run_fetched()
{
    array<int> in(GROUP), out(GROUP);
    cudaTextureObject_t texture;
    cudaResourceDesc what = {};
    cudaTextureDesc how = {};
    in.zero(1);
    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = in.device;
    what.res.linear.desc = cudaCreateChannelDesc<int>();
    what.res.linear.sizeInBytes = GROUP * sizeof(int);
    cudaCreateTextureObject(&texture, &what, &how, nullptr);
    fetched<<<1, GROUP>>>(texture, out.device);
    out.fetch();
    cudaDestroyTextureObject(texture);
}

static const kernel kernels[] = {
    KERNEL(signed_bytes, 1, 0x2),
    KERNEL(bytes, 1, 0x2),
    KERNEL(signed_words, 1, 0x2),
    KERNEL(bytes_as_they_are, 1, 0x2),
    KERNEL(floats, 1, 0x2),
    KERNEL(cut, 1, 0x2),
    KERNEL(topmost, 1, 0x2),
    KERNEL(last_of_four, 1, 0x2),
    KERNEL(turn_bytes, 1, 0x2),
    KERNEL(field, 1, 0x2),
    KERNEL(own_field, 1, 0x2),
    KERNEL(insert, 1, 0x2),
    KERNEL(funnel, 1, 0x2),
    KERNEL(choose, 1, 0x2),
    KERNEL(cases, 1, 0x2),
    KERNEL(sum_of_warp, 1, 0x2),
    KERNEL(value_of_lane, 1, 0x0),
    KERNEL(swap_in_branches, 1, 0x2),
    KERNEL(double_of_neighbour, 1, 0x0),
    KERNEL(any_of_warp, 1, 0x2),
    KERNEL(ballot, 1, 0x2),
    KERNEL(match, 1, 0x2),
    KERNEL(any_of_block, 1, 0x2),
    KERNEL(product, 2, 0x6),
    KERNEL(own_array, 1, 0x2),
    KERNEL(through_own_array, 1, 0x2),
    KERNEL(most, 2, 0x6),
    KERNEL(copy_ahead, 1, 0x2),
    KERNEL(items, 3, 0x0),
    KERNEL(fetched, 1, 0x2),
};

int main(int argc, char **argv)
{
    return run_kernels(argc, argv, kernels);
}
