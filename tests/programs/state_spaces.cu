/* The state spaces by their PTX: cache operators, volatile and ordered accesses, which space an address is in, conversion
 * of addresses, vectors, predicates and the rest by asm.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

__constant__ int in_constant[32];
__device__ int in_global[32];

__global__ void operators(unsigned *out, const unsigned *in)
{
    const int i = threadIdx.x;
    unsigned a, b, c, d, e, f;
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(a) : "l"(in + i));
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(b) : "l"(in + i));
    asm volatile("ld.global.cs.u32 %0, [%1];" : "=r"(c) : "l"(in + i));
    asm volatile("ld.global.lu.u32 %0, [%1];" : "=r"(d) : "l"(in + i));
    asm volatile("ld.global.cv.u32 %0, [%1];" : "=r"(e) : "l"(in + i));
    asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(f) : "l"(in + i));
    asm volatile("prefetch.global.L2 [%0];" ::"l"(in + i));
    unsigned *to = out + 8 * i;
    asm volatile("st.global.wb.u32 [%0], %1;" ::"l"(to), "r"(a) : "memory");
    asm volatile("st.global.cg.u32 [%0+4], %1;" ::"l"(to), "r"(b + 1) : "memory");
    asm volatile("st.global.cs.u32 [%0+8], %1;" ::"l"(to), "r"(c + 2) : "memory");
    asm volatile("st.global.wt.u32 [%0+12], %1;" ::"l"(to), "r"(d + 3) : "memory");
    asm volatile("st.volatile.global.u32 [%0+16], %1;" ::"l"(to), "r"(e + 4) : "memory");
    asm volatile("st.release.gpu.global.u32 [%0+20], %1;" ::"l"(to), "r"(f + 5) : "memory");
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(a) : "l"(in + i) : "memory");
    asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(b) : "l"(in + i) : "memory");
    to[6] = a + 6;
    to[7] = b + 7;
}

__global__ void intrinsics(int *out, const int *in)
{
    const int i = threadIdx.x;
    out[i] = __ldg(in + i) + __ldca(in + i) + __ldcg(in + i) + __ldcs(in + i) + __ldlu(in + i) +
             __ldcv(in + i);
    __stcg(out + 64 + i, in[i]);
    const int4 four = __ldcg((const int4 *)in + i / 4);
    __stwt(out + 128 + i, four.x + four.y + four.z + four.w);
}

__device__ __noinline__ unsigned spaces_of(const void *p)
{
    unsigned bits = __isGlobal(p) | __isShared(p) << 1 | __isLocal(p) << 2 | __isConstant(p) << 3;
    return bits;
}

__global__ void which(unsigned *out, const void *pointer)
{
    __shared__ int in_shared[4];
    int in_local[4] = {(int)threadIdx.x, 1, 2, 3};
    in_shared[0] = 1;
    out[0] = spaces_of(pointer);
    out[1] = spaces_of(&in_shared[threadIdx.x]);
    out[2] = spaces_of(&in_local[threadIdx.x]);
    out[3] = spaces_of(&in_global[threadIdx.x]);
    out[4] = (unsigned)in_local[in_shared[0]];
}

__global__ void addresses(int *out)
{
    __shared__ int values[64];
    const int i = threadIdx.x;
    values[i] = i * i;
    __syncthreads();
    unsigned at = (unsigned)__cvta_generic_to_shared(&values[63 - i]);
    int value;
    asm volatile("ld.shared.s32 %0, [%1];" : "=r"(value) : "r"(at));
    out[i] = value;
    asm volatile("st.shared.s32 [%0+0], %1;" ::"r"(at), "r"(-i) : "memory");
    __syncthreads();
    int x, y;
    at = (unsigned)__cvta_generic_to_shared(&values[i / 2 * 2]);
    asm volatile("ld.shared.v2.s32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(at));
    out[64 + i] = x * 100 + y;
    const size_t global = __cvta_generic_to_global(&out[128 + i]);
    asm volatile("st.global.s32 [%0], %1;" ::"l"(global), "r"(i + 5) : "memory");
    out[192 + i] = in_constant[i % 32] + in_global[(i + 1) % 32];
}

/* What is zero until written: constants and globals. */
__global__ void zeros(int *out)
{
    out[threadIdx.x] = in_constant[threadIdx.x] | in_global[threadIdx.x];
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const std::vector<unsigned> words = random_words(64);
    device_array<unsigned> in(words), out(512), kinds(8);
    device_array<int> ints(256);
    zeros<<<1, 32>>>(ints.data);
    LAUNCHED();
    for (int value : ints.host())
        EXPECT(value == 0);
    operators<<<1, 64>>>(out.data, in.data);
    LAUNCHED();
    const std::vector<unsigned> got = out.host();
    for (unsigned i = 0; i < 512; i++)
        EXPECT(got[i] == words[i / 8] + i % 8);
    result("operators", got);
    intrinsics<<<1, 64>>>(ints.data, (const int *)in.data);
    LAUNCHED();
    std::vector<int> whole = ints.host();
    for (int i = 0; i < 64; i++) {
        const unsigned *four = &words[i / 4 * 4];
        EXPECT((unsigned)whole[i] == 6 * words[i] && (unsigned)whole[64 + i] == words[i]);
        EXPECT((unsigned)whole[128 + i] == four[0] + four[1] + four[2] + four[3]);
    }
    which<<<1, 1>>>(kinds.data, in.data + 3);
    LAUNCHED();
    const std::vector<unsigned> kind = kinds.host();
    EXPECT(kind[0] == 1 && kind[1] == 2 && kind[2] == 4 && kind[3] == 1 && kind[4] == 1);
    addresses<<<1, 64>>>(ints.data);
    LAUNCHED();
    whole = ints.host();
    for (int i = 0; i < 64; i++) {
        EXPECT(whole[i] == (63 - i) * (63 - i) && whole[128 + i] == i + 5 && whole[192 + i] == 0);
        EXPECT(whole[64 + i] == -(63 - i / 2 * 2) * 100 - (63 - i / 2 * 2 - 1));
    }
    return program_end();
}
