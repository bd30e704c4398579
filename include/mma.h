/* mma.h: products of matrices by warps.
 */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __CUDA_MMA_H__
#define __CUDA_MMA_H__

#include "cuda_bf16.h"
#include "cuda_fp16.h"

/* All threads of a warp call these functions together, with the same arguments but for what lies in fragments. Which elements
 * a thread has is not said, and is the same for all fragments of a kind. ldm: elements from row to row, or from column to
 * column; of f16, bf16 and accumulators 16 bytes or a multiple.
 *
 * Source: CUDA C++ Programming Guide 13.0, Warp Matrix Functions; PTX ISA 9.0, wmma.
 */
#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

namespace nvcuda
{
namespace wmma
{

enum layout_t { mem_row_major, mem_col_major };
struct row_major {
};
struct col_major {
};
struct matrix_a {
};
struct matrix_b {
};
struct accumulator {
};

namespace precision
{
struct tf32 {
};
} // namespace precision

namespace experimental
{
namespace precision
{
struct u4 {
};
struct s4 {
};
struct b1 {
};
} // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
} // namespace experimental

/* What elements are kept as, and how many in one of those. */
template <typename T> struct clem_stored {
    typedef T type;
    enum { each = 1 };
};
template <> struct clem_stored<precision::tf32> {
    typedef float type;
    enum { each = 1 };
};
template <> struct clem_stored<experimental::precision::u4> {
    typedef unsigned type;
    enum { each = 8 };
};
template <> struct clem_stored<experimental::precision::s4> {
    typedef int type;
    enum { each = 8 };
};
template <> struct clem_stored<experimental::precision::b1> {
    typedef unsigned type;
    enum { each = 32 };
};

/* A thread's elements of a fragment; of half, a and b have 16 whatever their shape, some of them twice. */
template <typename Use, int m, int n, int k, typename T> struct clem_elements;
template <int m, int n, int k, typename T> struct clem_elements<matrix_a, m, n, k, T> {
    enum { count = m * k / 32 };
};
template <int m, int n, int k, typename T> struct clem_elements<matrix_b, m, n, k, T> {
    enum { count = n * k / 32 };
};
template <int m, int n, int k> struct clem_elements<matrix_a, m, n, k, __half> {
    enum { count = 16 };
};
template <int m, int n, int k> struct clem_elements<matrix_b, m, n, k, __half> {
    enum { count = 16 };
};
template <int m, int n, int k, typename T> struct clem_elements<accumulator, m, n, k, T> {
    enum { count = m * n / 32 };
};

template <typename Use, int m, int n, int k, typename T, typename Layout = void>
class __attribute__((aligned(8))) fragment
{
    static_assert((m == 16 && n == 16 && (k == 16 || k == 8)) || (m == 32 && n == 8 && k == 16) ||
                      (m == 8 && n == 32 && k == 16) ||
                      (m == 8 && n == 8 && (k == 4 || k == 32 || k == 128)),
                  "no shape of wmma");

  public:
    enum {
        num_elements = clem_elements<Use, m, n, k, T>::count,
        num_storage_elements = num_elements / clem_stored<T>::each
    };
    typedef T element_type;
    typedef typename clem_stored<T>::type storage_element_type;
    storage_element_type x[num_storage_elements];
};

template <typename Use, int m, int n, int k, typename T, typename Layout, typename Value>
static __inline__ __device__ void fill_fragment(fragment<Use, m, n, k, T, Layout> &a,
                                                const Value &v)
{
    for (int i = 0; i < fragment<Use, m, n, k, T, Layout>::num_storage_elements; i++)
        a.x[i] = static_cast<typename clem_stored<T>::type>(v);
}

/* A value as tf32 has it: 10 bits behind the point. */
static __inline__ __device__ float __float_to_tf32(float value)
{
    unsigned bits;
    __asm__("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
    return __uint_as_float(bits);
}

template <typename Layout> struct clem_is_row {
    enum { value = false };
};
template <> struct clem_is_row<row_major> {
    enum { value = true };
};

/* Registers of fragments in PTX: a list of N, and what stands for them as results and as operands. Those of doubles are one or
 * two, of D in the place of R. */
#define CLEM_LIST_1(x) "{%[" #x "0]}"
#define CLEM_LIST_2(x) "{%[" #x "0], %[" #x "1]}"
#define CLEM_LIST_4(x) "{%[" #x "0], %[" #x "1], %[" #x "2], %[" #x "3]}"
#define CLEM_LIST_8(x)                                                                             \
    "{%[" #x "0], %[" #x "1], %[" #x "2], %[" #x "3], %[" #x "4], %[" #x "5], %[" #x "6], %[" #x   \
    "7]}"
#define CLEM_EACH_1(x, c) [x##0] c(x[0])
#define CLEM_EACH_2(x, c) CLEM_EACH_1(x, c), [x##1] c(x[1])
#define CLEM_EACH_4(x, c) CLEM_EACH_2(x, c), [x##2] c(x[2]), [x##3] c(x[3])
#define CLEM_EACH_8(x, c)                                                                          \
    CLEM_EACH_4(x, c), [x##4] c(x[4]), [x##5] c(x[5]), [x##6] c(x[6]), [x##7] c(x[7])

#define CLEM_LOAD(words, count, letter)                                                            \
    __asm__ volatile("wmma.load." words " " CLEM_LIST_##count(r) ", [%[p]], %[ldm];"               \
                     : CLEM_EACH_##count(r, "=" letter)                                            \
                     : [p] "l"(p), [ldm] "r"(ldm)                                                  \
                     : "memory")
#define CLEM_STORE(words, count, letter)                                                           \
    __asm__ volatile("wmma.store.d.sync.aligned." words                                            \
                     " [%[p]], " CLEM_LIST_##count(r) ", %[ldm];" ::CLEM_EACH_##count(r, letter),  \
                     [p] "l"(p), [ldm] "r"(ldm)                                                    \
                     : "memory")
#define CLEM_MULTIPLY(words, nd, na, nb, nc, letter)                                               \
    __asm__ volatile("wmma.mma." words " " CLEM_LIST_##nd(rd) ", " CLEM_LIST_##na(                 \
                         ra) ", " CLEM_LIST_##nb(rb) ", " CLEM_LIST_##nc(rc) ";"                   \
                     : CLEM_EACH_##nd(rd, "=" letter)                                              \
                     : CLEM_EACH_##na(ra, letter), CLEM_EACH_##nb(rb, letter),                     \
                       CLEM_EACH_##nc(rc, letter))

/* An operand of a shape from memory, by rows or columns. */
#define CLEM_OPERAND(use, name, m, n, k, T, memory, word, count, R, letter)                        \
    template <typename Layout>                                                                     \
    static __inline__ __device__ void load_matrix_sync(fragment<use, m, n, k, T, Layout> &a,       \
                                                       const memory *p, unsigned ldm)              \
    {                                                                                              \
        R r[count];                                                                                \
        if (clem_is_row<Layout>::value)                                                            \
            CLEM_LOAD(name ".sync.aligned.row.m" #m "n" #n "k" #k "." word, count, letter);        \
        else                                                                                       \
            CLEM_LOAD(name ".sync.aligned.col.m" #m "n" #n "k" #k "." word, count, letter);        \
        __builtin_memcpy(a.x, r, sizeof r);                                                        \
    }
#define CLEM_OPERANDS(m, n, k, T, memory, word, na, nb, R, letter)                                 \
    CLEM_OPERAND(matrix_a, "a", m, n, k, T, memory, word, na, R, letter)                           \
    CLEM_OPERAND(matrix_b, "b", m, n, k, T, memory, word, nb, R, letter)

/* Accumulators, by rows or columns as an argument says. */
#define CLEM_SUM(m, n, k, T, word, count, R, letter)                                               \
    static __inline__ __device__ void load_matrix_sync(fragment<accumulator, m, n, k, T> &a,       \
                                                       const T *p, unsigned ldm, layout_t layout)  \
    {                                                                                              \
        R r[count];                                                                                \
        if (layout == mem_row_major)                                                               \
            CLEM_LOAD("c.sync.aligned.row.m" #m "n" #n "k" #k "." word, count, letter);            \
        else                                                                                       \
            CLEM_LOAD("c.sync.aligned.col.m" #m "n" #n "k" #k "." word, count, letter);            \
        __builtin_memcpy(a.x, r, sizeof r);                                                        \
    }                                                                                              \
    static __inline__ __device__ void store_matrix_sync(                                           \
        T *p, const fragment<accumulator, m, n, k, T> &a, unsigned ldm, layout_t layout)           \
    {                                                                                              \
        R r[count];                                                                                \
        __builtin_memcpy(r, a.x, sizeof r);                                                        \
        if (layout == mem_row_major)                                                               \
            CLEM_STORE("row.m" #m "n" #n "k" #k "." word, count, letter);                          \
        else                                                                                       \
            CLEM_STORE("col.m" #m "n" #n "k" #k "." word, count, letter);                          \
    }

#define CLEM_FRAGMENTS(R, nd, na, nb, nc)                                                          \
    R rd[nd], ra[na], rb[nb], rc[nc];                                                              \
    __builtin_memcpy(ra, a.x, sizeof ra);                                                          \
    __builtin_memcpy(rb, b.x, sizeof rb);                                                          \
    __builtin_memcpy(rc, c.x, sizeof rc)
/* The four orders of a and b: before and behind them stands what words say. */
#define CLEM_ORDERS(before, behind, nd, na, nb, nc, letter)                                        \
    if (clem_is_row<A>::value && clem_is_row<B>::value)                                            \
        CLEM_MULTIPLY(before "row.row." behind, nd, na, nb, nc, letter);                           \
    else if (clem_is_row<A>::value)                                                                \
        CLEM_MULTIPLY(before "row.col." behind, nd, na, nb, nc, letter);                           \
    else if (clem_is_row<B>::value)                                                                \
        CLEM_MULTIPLY(before "col.row." behind, nd, na, nb, nc, letter);                           \
    else                                                                                           \
        CLEM_MULTIPLY(before "col.col." behind, nd, na, nb, nc, letter)

/* d = a b + c; of floats. words: the shape and types. */
#define CLEM_PRODUCT(m, n, k, T, D, C, words, nd, na, nb, nc, R, letter)                           \
    template <typename A, typename B>                                                              \
    static __inline__ __device__ void mma_sync(                                                    \
        fragment<accumulator, m, n, k, D> &d, const fragment<matrix_a, m, n, k, T, A> &a,          \
        const fragment<matrix_b, m, n, k, T, B> &b, const fragment<accumulator, m, n, k, C> &c)    \
    {                                                                                              \
        CLEM_FRAGMENTS(R, nd, na, nb, nc);                                                         \
        CLEM_ORDERS("sync.aligned.", words, nd, na, nb, nc, letter);                               \
        __builtin_memcpy(d.x, rd, sizeof rd);                                                      \
    }
/* Of integers: saturating, or not. */
#define CLEM_PRODUCT_EXACT(m, n, k, T, words, nd, na, nb)                                          \
    template <typename A, typename B>                                                              \
    static __inline__ __device__ void mma_sync(                                                    \
        fragment<accumulator, m, n, k, int> &d, const fragment<matrix_a, m, n, k, T, A> &a,        \
        const fragment<matrix_b, m, n, k, T, B> &b, const fragment<accumulator, m, n, k, int> &c,  \
        bool satf = false)                                                                         \
    {                                                                                              \
        CLEM_FRAGMENTS(unsigned, nd, na, nb, nd);                                                  \
        if (satf) {                                                                                \
            CLEM_ORDERS("sync.aligned.", words ".satfinite", nd, na, nb, nd, "r");                 \
        } else {                                                                                   \
            CLEM_ORDERS("sync.aligned.", words, nd, na, nb, nd, "r");                              \
        }                                                                                          \
        __builtin_memcpy(d.x, rd, sizeof rd);                                                      \
    }

/* half, and sums of half or float */
#define CLEM_HALF(m, n, k)                                                                         \
    CLEM_OPERANDS(m, n, k, __half, __half, "f16", 8, 8, unsigned, "r")                             \
    CLEM_SUM(m, n, k, __half, "f16", 4, unsigned, "r")                                             \
    CLEM_SUM(m, n, k, float, "f32", 8, unsigned, "r")                                              \
    CLEM_SUM(m, n, k, int, "s32", 8, unsigned, "r")                                                \
    CLEM_PRODUCT(m, n, k, __half, __half, __half, "m" #m "n" #n "k" #k ".f16.f16", 4, 8, 8, 4,     \
                 unsigned, "r")                                                                    \
    CLEM_PRODUCT(m, n, k, __half, float, __half, "m" #m "n" #n "k" #k ".f32.f16", 8, 8, 8, 4,      \
                 unsigned, "r")                                                                    \
    CLEM_PRODUCT(m, n, k, __half, __half, float, "m" #m "n" #n "k" #k ".f16.f32", 4, 8, 8, 8,      \
                 unsigned, "r")                                                                    \
    CLEM_PRODUCT(m, n, k, __half, float, float, "m" #m "n" #n "k" #k ".f32.f32", 8, 8, 8, 8,       \
                 unsigned, "r")
CLEM_HALF(16, 16, 16)
CLEM_HALF(32, 8, 16)
CLEM_HALF(8, 32, 16)

#define CLEM_BFLOAT16(m, n, k, na, nb)                                                             \
    CLEM_OPERANDS(m, n, k, __nv_bfloat16, __nv_bfloat16, "bf16", na, nb, unsigned, "r")            \
    CLEM_PRODUCT(m, n, k, __nv_bfloat16, float, float, "m" #m "n" #n "k" #k ".f32.bf16.bf16.f32",  \
                 8, na, nb, 8, unsigned, "r")
CLEM_BFLOAT16(16, 16, 16, 4, 4)
CLEM_BFLOAT16(32, 8, 16, 8, 2)
CLEM_BFLOAT16(8, 32, 16, 2, 8)

#define CLEM_BYTES(m, n, k, T, word, na, nb)                                                       \
    CLEM_OPERANDS(m, n, k, T, T, word, na, nb, unsigned, "r")                                      \
    CLEM_PRODUCT_EXACT(m, n, k, T, "m" #m "n" #n "k" #k ".s32." word "." word ".s32", 8, na, nb)
CLEM_BYTES(16, 16, 16, signed char, "s8", 2, 2)
CLEM_BYTES(32, 8, 16, signed char, "s8", 4, 1)
CLEM_BYTES(8, 32, 16, signed char, "s8", 1, 4)
CLEM_BYTES(16, 16, 16, unsigned char, "u8", 2, 2)
CLEM_BYTES(32, 8, 16, unsigned char, "u8", 4, 1)
CLEM_BYTES(8, 32, 16, unsigned char, "u8", 1, 4)

CLEM_OPERANDS(16, 16, 8, precision::tf32, float, "tf32", 4, 4, unsigned, "r")
CLEM_SUM(16, 16, 8, float, "f32", 8, unsigned, "r")
CLEM_PRODUCT(16, 16, 8, precision::tf32, float, float, "m16n16k8.f32.tf32.tf32.f32", 8, 4, 4, 8,
             unsigned, "r")

CLEM_OPERANDS(8, 8, 4, double, double, "f64", 1, 1, double, "d")
CLEM_SUM(8, 8, 4, double, "f64", 2, double, "d")
CLEM_PRODUCT(8, 8, 4, double, double, double, "m8n8k4.rn.f64.f64.f64.f64", 2, 1, 1, 2, double, "d")

CLEM_OPERANDS(8, 8, 32, experimental::precision::s4, void, "s4", 1, 1, unsigned, "r")
CLEM_OPERANDS(8, 8, 32, experimental::precision::u4, void, "u4", 1, 1, unsigned, "r")
CLEM_SUM(8, 8, 32, int, "s32", 2, unsigned, "r")
CLEM_PRODUCT_EXACT(8, 8, 32, experimental::precision::s4, "m8n8k32.s32.s4.s4.s32", 2, 1, 1)
CLEM_PRODUCT_EXACT(8, 8, 32, experimental::precision::u4, "m8n8k32.s32.u4.u4.s32", 2, 1, 1)

CLEM_OPERANDS(8, 8, 128, experimental::precision::b1, void, "b1", 1, 1, unsigned, "r")
CLEM_SUM(8, 8, 128, int, "s32", 2, unsigned, "r")

/* Of each pair of bits what op says; the sum counts the ones. */
static __inline__ __device__ void
bmma_sync(fragment<accumulator, 8, 8, 128, int> &d,
          const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &a,
          const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &b,
          const fragment<accumulator, 8, 8, 128, int> &c,
          experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
          experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC)
{
    CLEM_FRAGMENTS(unsigned, 2, 1, 1, 2);
    if (op == experimental::bmmaBitOpAND)
        CLEM_MULTIPLY("and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", 2, 1, 1, 2, "r");
    else
        CLEM_MULTIPLY("xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", 2, 1, 1, 2, "r");
    __builtin_memcpy(d.x, rd, sizeof rd);
}

#undef CLEM_LIST_1
#undef CLEM_LIST_2
#undef CLEM_LIST_4
#undef CLEM_LIST_8
#undef CLEM_EACH_1
#undef CLEM_EACH_2
#undef CLEM_EACH_4
#undef CLEM_EACH_8
#undef CLEM_LOAD
#undef CLEM_STORE
#undef CLEM_MULTIPLY
#undef CLEM_OPERAND
#undef CLEM_OPERANDS
#undef CLEM_SUM
#undef CLEM_FRAGMENTS
#undef CLEM_ORDERS
#undef CLEM_PRODUCT
#undef CLEM_PRODUCT_EXACT
#undef CLEM_HALF
#undef CLEM_BFLOAT16
#undef CLEM_BYTES

} // namespace wmma
} // namespace nvcuda

#endif

#endif
