/* Products of matrices by nvcuda::wmma, in all shapes and types, from and to memory by rows and by columns, with lines that
 * are longer than the matrix. Numbers are whole and so small that every type has them and all sums.
 * Compute capability: 80
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <mma.h>

#include <type_traits>

using namespace nvcuda;
typedef wmma::experimental::precision::s4 s4;
typedef wmma::experimental::precision::u4 u4;
typedef wmma::experimental::precision::b1 b1;
typedef wmma::precision::tf32 tf32;

enum { MOST = 8192 };

/* What a type is in memory, its bits, and what a number is there. */
template <class T> struct stored {
    typedef T type;
    enum { bits = 8 * sizeof(T) };
    static T of(int value)
    {
        return T(float(value));
    }
    static int any(uint32_t random)
    {
        return int(random % 9) - 4;
    }
};
template <> struct stored<tf32> : stored<float> {
};
template <class T, int low, int high> struct whole {
    typedef T type;
    enum { bits = 8 * sizeof(T) };
    static T of(int value)
    {
        return T(value);
    }
    static int any(uint32_t random)
    {
        return int(random % uint32_t(high - low + 1)) + low;
    }
};
template <> struct stored<signed char> : whole<signed char, -128, 127> {
};
template <> struct stored<unsigned char> : whole<unsigned char, 0, 255> {
};
template <> struct stored<int> : whole<int, -1000, 1000> {
};
template <class T, int width, int low, int high> struct packed : whole<T, low, high> {
    enum { bits = width };
};
template <> struct stored<s4> : packed<void *, 4, -8, 7> {
};
template <> struct stored<u4> : packed<void *, 4, 0, 15> {
};
template <> struct stored<b1> : packed<void *, 1, 0, 1> {
};

/* Elements in memory, of whole bytes or of fewer bits. */
template <class T> static void put(void *memory, int at, int value)
{
    constexpr int bits = stored<T>::bits;
    if constexpr (bits >= 8)
        static_cast<typename stored<T>::type *>(memory)[at] = stored<T>::of(value);
    else
        static_cast<unsigned char *>(memory)[at * bits / 8] |= (value & ((1 << bits) - 1))
                                                               << (at * bits % 8);
}

/* Of fewer bits than a byte, pointers have no type. */
template <class T> static __device__ auto typed(const void *p)
{
    typedef typename stored<T>::type memory;
    typedef typename std::conditional<std::is_pointer<memory>::value, void, memory>::type type;
    return static_cast<const type *>(p);
}

/* Of integers products may saturate; of bits they are others. */
template <class T, class D, class A, class B, class C>
static __device__ void multiply(D &d, const A &a, const B &b, const C &c, bool is_other)
{
    if constexpr (std::is_same<T, b1>::value) {
        if (is_other)
            wmma::bmma_sync(d, a, b, c, wmma::experimental::bmmaBitOpAND);
        else
            wmma::bmma_sync(d, a, b, c);
    } else if constexpr (std::is_same<typename C::element_type, int>::value)
        wmma::mma_sync(d, a, b, c, is_other);
    else
        wmma::mma_sync(d, a, b, c);
}

/* d = a b + c twice, where the second time a and c come through shared memory and c is that much more. */
template <int m, int n, int k, class T, class A, class B, class C, class D>
__global__ void product(D *d, const void *a, const void *b, const C *c, int lda, int ldb, int ldc,
                        int ldd, int bytes, bool is_c_row, bool is_d_row, bool is_other, float more)
{
    __shared__ __align__(32) unsigned char copy[MOST];
    for (int i = threadIdx.x; i < bytes; i += blockDim.x)
        copy[i] = static_cast<const unsigned char *>(a)[i];
    __syncthreads();
    const wmma::layout_t by_c = is_c_row ? wmma::mem_row_major : wmma::mem_col_major,
                         by_d = is_d_row ? wmma::mem_row_major : wmma::mem_col_major;
    wmma::fragment<wmma::matrix_a, m, n, k, T, A> fa;
    wmma::fragment<wmma::matrix_b, m, n, k, T, B> fb;
    wmma::fragment<wmma::accumulator, m, n, k, C> fc;
    wmma::fragment<wmma::accumulator, m, n, k, D> fd;
    wmma::load_matrix_sync(fb, typed<T>(b), ldb);
    wmma::load_matrix_sync(fc, c, ldc, by_c);
    const void *from[] = {a, copy};
    for (int turn = 0; turn < 2; turn++) {
        wmma::load_matrix_sync(fa, typed<T>(from[turn]), lda);
        if (turn == 1) {
            wmma::fragment<wmma::accumulator, m, n, k, C> added;
            wmma::fill_fragment(added, C(more));
            for (int i = 0; i < int(added.num_elements); i++)
                fc.x[i] = fc.x[i] + added.x[i];
        }
        multiply<T>(fd, fa, fb, fc, is_other);
        wmma::store_matrix_sync(d + turn * MOST, fd, ldd, by_d);
    }
}

static uint32_t state = 12345;

static uint32_t any(void)
{
    return (state = state * 1664525u + 1013904223u) >> 8;
}

static int left[32][128], right[128][32], before[32][32];

static int wanted(int row, int column, int k, bool is_bits, bool is_other, int more)
{
    int64_t sum = int64_t(before[row][column]) + more;
    for (int i = 0; i < k; i++) {
        const int l = left[row][i], r = right[i][column];
        sum += !is_bits ? l * r : is_other ? l & r : l ^ r;
    }
    return int(is_other && sum > INT32_MAX   ? INT32_MAX
               : is_other && sum < INT32_MIN ? INT32_MIN
                                             : sum);
}

template <int m, int n, int k, class T, class A, class B, class C, class D>
static void check(const char *name, bool is_c_row, bool is_d_row, bool is_other)
{
    const bool is_a_row = std::is_same<A, wmma::row_major>::value,
               is_b_row = std::is_same<B, wmma::row_major>::value;
    const bool is_bits = std::is_same<T, b1>::value, is_exact = std::is_same<C, int>::value;
    const int pad = stored<T>::bits < 8 ? 128 / stored<T>::bits : 16;
    const int lda = (is_a_row ? k : m) + pad, ldb = (is_b_row ? n : k) + pad,
              ldc = (is_c_row ? n : m) + 8, ldd = (is_d_row ? n : m) + 8, more = 3;
    unsigned char *a, *b, *c, *d;
    for (unsigned char **memory : {&a, &b, &c, &d})
        CUDA(cudaMallocManaged(memory, 4 * MOST * sizeof(double)));
    memset(a, 0, MOST);
    memset(b, 0, MOST);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < k; j++)
            put<T>(a, is_a_row ? i * lda + j : j * lda + i, left[i][j] = stored<T>::any(any()));
    for (int i = 0; i < k; i++)
        for (int j = 0; j < n; j++)
            put<T>(b, is_b_row ? i * ldb + j : j * ldb + i, right[i][j] = stored<T>::any(any()));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            before[i][j] = !is_exact  ? stored<C>::any(any())
                           : is_other ? INT32_MAX - int(any() % 100)
                                      : int(any());
            before[i][j] = is_other && is_bits ? int(any() % 1000) : before[i][j];
            before[i][j] -= is_exact ? 4 : 0; /* so that adding does not leave an int */
            put<C>(c, is_c_row ? i * ldc + j : j * ldc + i, before[i][j]);
        }
    const int bytes = ((is_a_row ? m : k) * lda * stored<T>::bits + 7) / 8;
    EXPECT(bytes <= MOST);
    product<m, n, k, T, A, B, C, D><<<1, 32>>>(reinterpret_cast<D *>(d), a, b,
                                               reinterpret_cast<C *>(c), lda, ldb, ldc, ldd, bytes,
                                               is_c_row, is_d_row, is_other, float(more));
    LAUNCHED();
    int wrong = 0;
    std::vector<int> all;
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                const double got = double(
                    reinterpret_cast<D *>(d)[turn * MOST + (is_d_row ? i * ldd + j : j * ldd + i)]);
                all.push_back(int(got));
                if (got != wanted(i, j, k, is_bits, is_other, turn * more) && wrong++ == 0)
                    printf("%s: turn %d, row %d, column %d: %g, not %d\n", name, turn, i, j, got,
                           wanted(i, j, k, is_bits, is_other, turn * more));
            }
    EXPECT(wrong == 0);
    result(name, all.data(), all.size() * sizeof(int));
    for (unsigned char *memory : {a, b, c, d})
        CUDA(cudaFree(memory));
}

#define R wmma::row_major
#define L wmma::col_major
#define CHECK(m, n, k, T, A, B, C, D, ...)                                                         \
    check<m, n, k, T, A, B, C, D>(#m " " #n " " #k " " #T " " #A " " #B " " #C " " #D, __VA_ARGS__)

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    CHECK(16, 16, 16, __half, R, L, float, float, true, true, false);
    CHECK(16, 16, 16, __half, L, R, __half, float, true, false, false);
    CHECK(32, 8, 16, __half, R, R, __half, __half, false, true, false);
    CHECK(8, 32, 16, __half, L, L, float, __half, false, false, false);
    CHECK(16, 16, 16, __nv_bfloat16, L, L, float, float, true, true, false);
    CHECK(32, 8, 16, __nv_bfloat16, R, L, float, float, true, false, false);
    CHECK(8, 32, 16, __nv_bfloat16, R, R, float, float, false, true, false);
    CHECK(16, 16, 16, signed char, R, L, int, int, true, true, false);
    CHECK(32, 8, 16, signed char, L, R, int, int, true, false, true);
    CHECK(8, 32, 16, unsigned char, R, R, int, int, false, true, true);
    CHECK(16, 16, 16, unsigned char, L, L, int, int, false, false, false);
    CHECK(16, 16, 8, tf32, R, R, float, float, true, false, false);
    CHECK(16, 16, 8, tf32, L, L, float, float, false, true, false);
    CHECK(8, 8, 4, double, R, L, double, double, true, true, false);
    CHECK(8, 8, 4, double, L, R, double, double, false, true, false);
    CHECK(8, 8, 32, s4, R, L, int, int, true, true, true);
    CHECK(8, 8, 32, u4, R, L, int, int, false, true, false);
    CHECK(8, 8, 128, b1, R, L, int, int, true, false, false);
    CHECK(8, 8, 128, b1, R, L, int, int, false, true, true);
    return program_end();
}
