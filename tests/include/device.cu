/* Every family of functions that device code has, once: to be compiled for the device, not run.
 * SPDX-License-Identifier: Apache-2.0 */
#include <algorithm>
#include <cmath>
#include <complex>
#include <cooperative_groups.h>
#include <cooperative_groups/details/reduce.h>
#include <cooperative_groups/details/scan.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
#include <cuda/barrier>
#include <cuda/std/atomic>
#include <cuda/pipeline>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <mma.h>
#include <nvfunctional>
#include <device_functions.h>
#include <device_launch_parameters.h>
#include <math_constants.h>
#include <math_functions.h>
#include <sm_20_atomic_functions.h>
#include <vector_functions.hpp>

namespace cg = cooperative_groups;

struct alignas(16) sixteen {
    unsigned long long low, high;
};

__global__ void objects(cuda::atomic<int> *a, cuda::atomic<double, cuda::thread_scope_block> *d, unsigned char *c,
                        sixteen *w)
{
    cuda::std::atomic_ref<unsigned char> byte(*c);
    *c = byte.fetch_or(3) + byte.exchange(4, cuda::memory_order_relaxed);
    *a += a->fetch_min(5) + (*a)--;
    *d -= d->fetch_max(1.5);
    cg::reduce_store_async(cg::tiled_partition<8>(cg::this_thread_block()), *a, 1, cg::plus<int>());
    cg::reduce_update_async(cg::coalesced_threads(), *d, 1.0, cg::less<double>());
    sixteen seen = __nv_atomic_load_n(w, __NV_ATOMIC_ACQUIRE), next = {seen.low + 1, 0};
    __nv_atomic_compare_exchange(w, &seen, &next, false, __NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED,
                                 __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_store(w + 1, &seen, __NV_ATOMIC_RELEASE);
    __nv_atomic_exchange(w + 2, &seen, &next, __NV_ATOMIC_RELAXED);
}

#define ONE(name) sum += name(x) + name##f(y) + name(y);
#define TWO(name) sum += name(x, x) + name##f(y, y) + name(y, y);

__global__ void math(double *d, float *f)
{
    const double x = d[threadIdx.x];
    const float y = f[threadIdx.x];
    const int n = static_cast<int>(x);
    double sum = 0;
    ONE(acos) ONE(acosh) ONE(asin) ONE(asinh) ONE(atan) ONE(atanh) ONE(cbrt) ONE(ceil) ONE(cos) ONE(cosh) ONE(cospi)
    ONE(cyl_bessel_i0) ONE(cyl_bessel_i1) ONE(erf) ONE(erfc) ONE(erfcinv) ONE(erfcx) ONE(erfinv) ONE(exp) ONE(exp10)
    ONE(exp2) ONE(expm1) ONE(fabs) ONE(floor) ONE(j0) ONE(j1) ONE(lgamma) ONE(log) ONE(log10) ONE(log1p) ONE(log2)
    ONE(logb) ONE(nearbyint) ONE(normcdf) ONE(normcdfinv) ONE(rcbrt) ONE(rint) ONE(round) ONE(rsqrt) ONE(sin) ONE(sinh)
    ONE(sinpi) ONE(sqrt) ONE(tan) ONE(tanh) ONE(tgamma) ONE(trunc) ONE(y0) ONE(y1)
    TWO(atan2) TWO(copysign) TWO(fdim) TWO(fmax) TWO(fmin) TWO(fmod) TWO(hypot) TWO(nextafter) TWO(pow) TWO(remainder)
    TWO(rhypot)
    sum += fma(x, x, x) + fmaf(y, y, y) + ldexp(x, n) + ldexpf(y, n) + scalbn(x, n) + scalblnf(y, n) + ilogb(x) +
           ilogbf(y) + jn(n, x) + jnf(n, y) + yn(n, x) + ynf(n, y) + norm3d(x, x, x) + norm3df(y, y, y) +
           norm4d(x, x, x, x) + norm4df(y, y, y, y) + rnorm3d(x, x, x) + rnorm3df(y, y, y) + rnorm4d(x, x, x, x) +
           rnorm4df(y, y, y, y) + norm(3, d) + rnormf(3, f) + lrint(x) + llrintf(y) + lround(x) + llroundf(y) +
           std::sin(y) + std::pow(y, 2) + std::sqrt(n) + std::abs(x) + std::max(x, 2.0) + std::isnan(y) + isinf(x) +
           sin(n) + pow(2, n) + max(n, 3u) + min(x, y) + __sinf(y) + __cosf(y) + __tanf(y) + __expf(y) + __exp10f(y) +
           __logf(y) + __log2f(y) + __log10f(y) + __powf(y, y) + __fdividef(y, y) + __saturatef(y) + __frsqrt_rn(y);
    double parts[2];
    float part, cosine;
    int exponent, quotient;
    sincos(x, &parts[0], &parts[1]);
    sincospif(y, &part, &cosine);
    sum += parts[0] + parts[1] + part + cosine + modf(x, &parts[0]) + modff(y, &part) + part + frexp(x, &exponent) +
           frexpf(y, &quotient) + exponent + quotient + remquo(x, x, &quotient) + remquof(y, y, &exponent) + quotient;
    static_assert(sizeof remquo(n, y, &quotient) == sizeof x, "what is no float alone is computed in double");
    const std::complex<float> z(y, y);
    sum += (z * z).real() + std::norm(z) + CUDART_PI_F + CUDART_INF;
    sum += __fadd_rn(y, y) + __fmul_rz(y, y) + __fdiv_ru(y, y) + __fmaf_rd(y, y, y) + __frcp_rn(y) + __fsqrt_rz(y) +
           __dadd_rd(x, x) + __ddiv_rn(x, x) + __fma_ru(x, x, x) + __dsqrt_rn(x) + __float2int_rn(y) +
           __double2ull_rz(x) + __double2float_ru(x) + __ll2double_rd(n) + __uint2float_rz(n) + __float_as_int(y) +
           __longlong_as_double(n) + __hiloint2double(__double2hiint(x), __double2loint(x));
    d[threadIdx.x] = sum;
}

__device__ unsigned volume(dim3 size)
{
    return size.x * size.y * size.z;
}

/* The variables of a launch are uint3 and dim3, however they turn into one another. */
__global__ void places(unsigned *u)
{
    dim3 block(blockIdx), thread = threadIdx, size(blockDim), grid = gridDim;
    const uint3 first(threadIdx), second = blockDim;
    thread = blockIdx;
    u[0] = volume(block) + volume(thread) + volume(size) + volume(grid) + volume(threadIdx) + volume(first) +
           volume(second) + volume(dim3(gridDim)) + volume(static_cast<dim3>(blockIdx));
}

static_assert(CUDART_PI_HI == CUDART_PI && CUDART_PI_LO > 1.2e-16 && CUDART_PI_LO < 1.3e-16, "pi in two parts");
static_assert(CUDART_LN2_HI == CUDART_LN2 && CUDART_LNT_HI == CUDART_LNT && CUDART_L2E_HI == CUDART_L2E &&
                  CUDART_LG2_HI == CUDART_LG2 && CUDART_LGE_HI == CUDART_LGE && CUDART_PIO2_HI == CUDART_PIO2 &&
                  CUDART_PIO4_HI == CUDART_PIO4 && CUDART_SQRT_2PI_HI == CUDART_SQRT_2PI &&
                  CUDART_SQRT_PIO2_HI == CUDART_SQRT_PIO2 && CUDART_SQRT_HALF_HI == CUDART_SQRT_HALF,
              "the first part is the rounded number");
static_assert(CUDART_REMQUO_MASK_F == 7, "three bits");

__global__ void integers(unsigned *u, int n)
{
    const unsigned a = u[0], b = u[1];
    unsigned sum = __popc(a) + __popcll(a) + __clz(n) + __clzll(n) + __ffs(n) + __ffsll(n) + __brev(a) +
                   static_cast<unsigned>(__brevll(a)) + __byte_perm(a, b, 0x1234) + __fns(a, 3, 2) +
                   __funnelshift_l(a, b, n) + __funnelshift_rc(a, b, n) + __mulhi(n, n) + __umulhi(a, b) +
                   static_cast<unsigned>(__umul64hi(a, b) + __mul64hi(n, n)) + __mul24(n, n) + __umul24(a, b) +
                   __hadd(n, n) + __rhadd(n, n) + __uhadd(a, b) + __urhadd(a, b) + __sad(n, n, a) + __usad(a, b, a) +
                   __dp4a(n, n, n) + __dp4a(a, b, a) + __dp2a_lo(n, n, n) + __dp2a_hi(a, b, a);
    sum += __vadd4(a, b) + __vsub2(a, b) + __vaddss4(a, b) + __vsubus2(a, b) + __vabsdiffu4(a, b) + __vavgs2(a, b) +
           __vhaddu4(a, b) + __vmaxs4(a, b) + __vminu2(a, b) + __vcmpeq4(a, b) + __vsetlts2(a, b) + __vneg4(a) +
           __vabsss2(a) + __vsads4(a, b) + __vsadu2(a, b);
    bool is_a, is_low_a;
    sum += __vimax3_s32(n, n, n) + __vimin3_u16x2(a, b, a) + __viaddmax_s16x2_relu(a, b, a) + __vimin_s32_relu(n, n) +
           __vibmax_u32(a, b, &is_a) + is_a + __vibmin_s16x2(a, b, &is_a, &is_low_a) + is_low_a + __nv_bswap32(a);
    u[2] = sum;
}

template <class T> __device__ void atomics(T *p)
{
    atomicAdd(p, T(1));
    atomicAdd_block(p, T(1));
    atomicExch(p, T(1));
    atomicMin(p, T(1));
    atomicMax_system(p, T(1));
    atomicAnd(p, T(1));
    atomicOr(p, T(1));
    atomicXor(p, T(1));
    atomicCAS(p, T(1), T(2));
    T seen = __nv_atomic_load_n(p, __NV_ATOMIC_ACQUIRE);
    __nv_atomic_store(p, &seen, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK);
    __nv_atomic_compare_exchange_n(p, &seen, 1, false, __NV_ATOMIC_SEQ_CST, __NV_ATOMIC_RELAXED);
    __nv_atomic_fetch_max(p, __nv_atomic_exchange_n(p, 2, __NV_ATOMIC_ACQ_REL), __NV_ATOMIC_RELAXED,
                          __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_SYSTEM);
}

__global__ void memory(int *i, unsigned *u, unsigned long long *l, float *f, double *d, float4 *v, unsigned short *s)
{
    atomics(i);
    atomics(u);
    atomics(l);
    atomicSub(i, 1);
    atomicInc(u, 9);
    atomicDec(u, 9);
    atomicCAS(s, static_cast<unsigned short>(1), static_cast<unsigned short>(2));
    atomicExch(f, atomicAdd(f, 1.0f));
    atomicAdd(reinterpret_cast<float2 *>(f), float2{1, 2});
    *f += atomicAdd_system(reinterpret_cast<float4 *>(f), float4{1, 2, 3, 4}).w;
    atomicExch(d, atomicAdd(d, 1.0));
    f[1] = __ldg(f) + __ldca(f) + __ldcg(f) + __ldcs(f) + __ldlu(f) + __ldcv(f) + __ldg(v).x;
    __stwb(f, 1.0f);
    __stcg(v, v[1]);
    __stcs(s, *s);
    __stwt(d, 2.0);
    u[1] = __isGlobal(i) + __isShared(i) + __isConstant(i) + __isLocal(i) + __isGridConstant(i) +
           static_cast<unsigned>(__cvta_generic_to_global(i));
    char *heap = static_cast<char *>(malloc(5));
    int *more = new int[u[0]];
    assert(heap != nullptr);
    printf("%p %d\n", heap, more[0]);
    delete[] more;
    free(heap);
}

template <class T> __device__ T shuffles(T value)
{
    return __shfl_sync(~0u, value, 1) + __shfl_up_sync(~0u, value, 1) + __shfl_down_sync(~0u, value, 1, 16) +
           __shfl_xor_sync(~0u, value, 1);
}

__global__ void warps(int *i, long long *clocks)
{
    const int n = i[threadIdx.x];
    int equal, sum = shuffles(n) + static_cast<int>(shuffles(2.0f * n) + shuffles(2.0 * n) + shuffles(3ll * n));
    __syncwarp();
    sum += __any_sync(~0u, n) + __all_sync(~0u, n) + __ballot_sync(~0u, n) + __activemask() +
           __match_any_sync(~0u, n) + __match_all_sync(~0u, 2ll * n, &equal) + equal + __reduce_add_sync(~0u, n) +
           __reduce_xor_sync(~0u, static_cast<unsigned>(n)) + __syncthreads_count(n) + __syncthreads_and(n) +
           __syncthreads_or(n);
    __threadfence();
    __threadfence_block();
    __threadfence_system();
    __nanosleep(10);
    const cg::thread_block block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<8>(block);
    const cg::thread_block_tile<4> quad = cg::tiled_partition<4>(tile);
    sum += cg::reduce(tile, n, cg::plus<int>()) + cg::inclusive_scan(quad, n) + tile.ballot(n) + tile.shfl_down(n, 1);
    if (n > 3) {
        const cg::coalesced_group group = cg::coalesced_threads();
        sum += cg::reduce(group, n, cg::greater<int>()) + group.thread_rank();
    }
    __shared__ int4 staged[64];
    __pipeline_memcpy_async(&staged[threadIdx.x], &reinterpret_cast<int4 *>(i)[threadIdx.x], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    block.sync();
    i[threadIdx.x] = sum + staged[threadIdx.x ^ 1].x;
    clocks[0] = clock64() + clock();
}

texture<float, 2> plane;
texture<unsigned char, cudaTextureType1D, cudaReadModeNormalizedFloat> line;
surface<void, 2> sheet;

__global__ void images(cudaTextureObject_t t, cudaSurfaceObject_t s, float *f, float4 *g, uchar4 *u)
{
    const float2 a = make_float2(1, 2);
    f[0] = tex1Dfetch<float>(t, 1) + tex1D<float>(t, 1) + tex2D<float>(t, 1, 2) + tex3D<float>(t, 1, 2, 3) +
           texCubemap<float>(t, 1, 2, 3) + tex1DLayered<float>(t, 1, 2) + tex2DLayered<float>(t, 1, 2, 3) +
           texCubemapLayered<float>(t, 1, 2, 3, 4) + tex2DLod<float>(t, 1, 2, 3) + tex2DGrad<float>(t, 1, 2, a, a) +
           texCubemapGrad<float>(t, 1, 2, 3, float4(), float4()) + texCubemapLayeredGrad<float>(t, 1, 2, 3, 4, float4(), float4()) +
           tex2D(plane, 1, 2) + tex1Dfetch(line, 3) + tex2Dgather(plane, 1, 2).x;
    tex2D(&g[0], t, 1, 2);
    u[0] = tex2D<uchar4>(t, 1, 2);
    g[1] = tex2Dgather<float4>(t, 1, 2, 3);
    surf2Dwrite(surf2Dread<float>(s, 4, 2), sheet, 4, 2, cudaBoundaryModeClamp);
    surf2Dread(&u[1], sheet, 4, 1, cudaBoundaryModeZero);
    surf1Dwrite(g[1], s, 16);
    surf3Dwrite(f[0], s, 4, 2, 3);
    surf2DLayeredwrite(u[1], s, 4, 2, 3);
}

template <class H, class H2> __device__ void small(H *h, H2 *h2)
{
    h[0] = h[1] + h[2] * h[3] - h[4] / h[5];
    h2[0] = __hfma2(h2[1], h2[2], h2[3] + h2[4]);
    h[1] = __hmax(h[2], __hfma(h[3], h[4], h[5]));
    h[2] = hsqrt(h[3]) + hexp(h[4]);
    if (h[3] < h[4] && !__hisnan(h[5]) && __hbeq2(h2[0], h2[1]))
        atomicAdd(h, h[1]);
    atomicAdd(h2, h2[1]);
    h[6] = __shfl_down_sync(~0u, h[6], 1);
    h[7] = __ldg(&h[8]);
}

__global__ void small_floats(__half *h, __half2 *h2, __nv_bfloat16 *b, __nv_bfloat162 *b2)
{
    small(h, h2);
    small(b, b2);
    h[9] = __float2half_rz(__low2float(h2[1])) + __int2half_rn(3);
    b[9] = __float2bfloat16(__bfloat162float(b[8]));
}
