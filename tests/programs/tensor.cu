/* Matrix instructions of PTX, in all shapes and types that warps have: mma dense and sparse, with and without a guard, and
 * ldmatrix, stmatrix and movmatrix. Numbers are whole and so small that every type has them and all sums, so that the results
 * are those of the matrices, whose fragments are laid out here as the PTX ISA says.
 * Compute capability: 90
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

enum { LANES = 32, REGISTERS = 8 };
enum elements { F16, BF16, TF32, E4M3, E5M2, S8, U8, S4, U4, B1, F64, F32, S32 };

struct shape {
    const char *name;
    int high, depth;
    elements a, b, before, now;
    bool is_sparse, is_saturating, is_and;
    bool is_a_column, is_b_row; /* of m8n8k4 of f16 */
    int selector;
};

/* What a thread has, 64 bits a register. */
struct fragment {
    uint64_t of[REGISTERS];
};

/* ---- Fragments on the host ---- */

static int bits_of(elements type)
{
    static const int bits[] = {16, 16, 32, 8, 8, 8, 8, 4, 4, 1, 64, 32, 32};
    return bits[type];
}

static uint64_t float_bits(double value)
{
    const float number = float(value);
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* A small whole number as a float of that many bits of exponent and fraction. */
static uint64_t small_bits(int value, int exponent, int fraction)
{
    const uint64_t bits = float_bits(value);
    if (value == 0)
        return 0;
    const uint64_t sign = bits >> 31, power = (bits >> 23 & 255) - 127 + (1u << (exponent - 1)) - 1;
    return sign << (exponent + fraction) | power << fraction |
           (bits >> (23 - fraction) & ((1u << fraction) - 1));
}

static uint64_t encode(elements type, int value)
{
    const double wide = value;
    uint64_t bits;
    switch (type) {
    case F16:
        return small_bits(value, 5, 10);
    case BF16:
        return float_bits(value) >> 16;
    case E4M3:
        return small_bits(value, 4, 3);
    case E5M2:
        return small_bits(value, 5, 2);
    case TF32:
    case F32:
        return float_bits(value);
    case F64:
        memcpy(&bits, &wide, sizeof bits);
        return bits;
    default:
        return uint64_t(value) & ((uint64_t(1) << bits_of(type)) - 1);
    }
}

static int decode(elements type, uint64_t bits)
{
    float narrow;
    double wide;
    const uint32_t low = uint32_t(bits);
    switch (type) {
    case F16: {
        const uint32_t power = bits >> 10 & 31;
        const double size = power ? ldexp(double(bits & 1023 | 1024), int(power) - 25) : 0;
        return int(bits >> 15 & 1 ? -size : size);
    }
    case F32:
        memcpy(&narrow, &low, sizeof narrow);
        return int(narrow);
    case F64:
        memcpy(&wide, &bits, sizeof wide);
        return int(wide);
    default:
        return int(low);
    }
}

static int any_of(elements type, uint32_t random)
{
    switch (type) {
    case S8:
        return int(random % 256) - 128;
    case U8:
        return int(random % 256);
    case S4:
        return int(random % 16) - 8;
    case U4:
        return int(random % 16);
    case B1:
        return int(random % 2);
    default:
        return int(random % 9) - 4;
    }
}

struct place {
    int lane, index, part; /* the register's index, and the element's in it */
};

static bool is_quad(const shape &s)
{
    return s.a == F16 && s.depth == 4;
}

static place place_of_a(const shape &s, int row, int k)
{
    const int each = bits_of(s.a) > 32 ? 1 : 32 / bits_of(s.a), high = s.high / 8;
    if (is_quad(s)) {
        const int other = s.is_a_column ? row % 4 : k;
        return {(s.is_a_column ? k : row % 4) + row / 4 * 16, other / 2, other % 2};
    }
    return {row % 8 * 4 + k / each % 4, k / each / 4 * high + row / 8, k % each};
}

static place place_of_b(const shape &s, int k, int column)
{
    const int each = bits_of(s.b) > 32 ? 1 : 32 / bits_of(s.b);
    if (is_quad(s)) {
        const int other = s.is_b_row ? column % 4 : k;
        return {(s.is_b_row ? k : column % 4) + column / 4 * 16, other / 2, other % 2};
    }
    return {column * 4 + k / each % 4, k / each / 4, k % each};
}

static place place_of_sum(const shape &s, elements type, int row, int column)
{
    if (is_quad(s) && type == F16)
        return {row % 4 + row / 4 * 16, column / 2, column % 2};
    if (is_quad(s))
        return {row % 2 + column / 2 % 2 * 2 + row / 4 * 16,
                column / 4 * 4 + row / 2 % 2 * 2 + column % 2, 0};
    if (type == F16)
        return {row % 8 * 4 + column / 2, row / 8, column % 2};
    return {row % 8 * 4 + column / 2, row / 8 * 2 + column % 2, 0};
}

static void put(fragment *of, place at, elements type, int value)
{
    of[at.lane].of[at.index] |= encode(type, value) << (bits_of(type) * at.part);
}

/* ---- Instructions ---- */

#define D2          "{%0, %1}"
#define D4          "{%0, %1, %2, %3}"
#define D8          "{%0, %1, %2, %3, %4, %5, %6, %7}"
#define A1          "{%8}"
#define A2          "{%8, %9}"
#define A4          "{%8, %9, %10, %11}"
#define B1W         "{%12}"
#define B2          "{%12, %13}"
#define B4          "{%12, %13, %14, %15}"
#define C2          "{%16, %17}"
#define C4          "{%16, %17, %18, %19}"
#define C8          "{%16, %17, %18, %19, %20, %21, %22, %23}"
#define E(selector) ", %24, " #selector

/* Registers of d, a, b and c, what stands behind them, and the shape: rows, depth, types of a, b, c and d, then what else. */
#define SHAPES(_)                                                                                  \
    _(0, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", D4, A4, B2, C4, "", 16, 16, F16,     \
      F16, F32, F32)                                                                               \
    _(1, "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", D2, A4, B2, C2, "", 16, 16, F16,     \
      F16, F16, F16)                                                                               \
    _(2, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", D4, A2, B1W, C4, "", 16, 8, F16, F16, \
      F32, F32)                                                                                    \
    _(3, "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", D2, A2, B1W, C2, "", 16, 8, F16, F16, \
      F16, F16)                                                                                    \
    _(4, "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", D4, A2, B1W, C4, "", 16, 8, BF16,   \
      BF16, F32, F32)                                                                              \
    _(5, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", D4, A4, B2, C4, "", 16, 16, BF16,  \
      BF16, F32, F32)                                                                              \
    _(6, "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", D4, A2, B1W, C4, "", 16, 4, TF32,   \
      TF32, F32, F32)                                                                              \
    _(7, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", D4, A4, B2, C4, "", 16, 8, TF32,    \
      TF32, F32, F32)                                                                              \
    _(8, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", D4, A4, B2, C4, "", 16, 32, E4M3,  \
      E5M2, F32, F32)                                                                              \
    _(9, "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32", D4, A4, B2, C4, "", 16, 32, E5M2,  \
      E4M3, F32, F32)                                                                              \
    _(10, "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", D2, A1, B1W, C2, "", 8, 16, S8, S8,    \
      S32, S32)                                                                                    \
    _(11, "mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32", D4, A2, B1W, C4, "", 16, 16, U8, S8,  \
      S32, S32)                                                                                    \
    _(12, "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32", D4, A4, B2, C4, "", 16, 32, \
      S8, U8, S32, S32, false, true)                                                               \
    _(13, "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.u4.s4.s32", D2, A1, B1W, C2, "", 8, 32,  \
      U4, S4, S32, S32, false, true)                                                               \
    _(14, "mma.sync.aligned.m16n8k32.row.col.s32.s4.u4.s32", D4, A2, B1W, C4, "", 16, 32, S4, U4,  \
      S32, S32)                                                                                    \
    _(15, "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", D4, A4, B2, C4, "", 16, 64, S4, S4,   \
      S32, S32)                                                                                    \
    _(16, "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc", D2, A1, B1W, C2, "", 8, 128, \
      B1, B1, S32, S32)                                                                            \
    _(17, "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc", D4, A2, B1W, C4, "", 16,    \
      128, B1, B1, S32, S32, false, false, true)                                                   \
    _(18, "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", D4, A4, B2, C4, "", 16,     \
      256, B1, B1, S32, S32)                                                                       \
    _(19, "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", D8, A2, B2, C8, "", 8, 4, F16, F16,   \
      F32, F32)                                                                                    \
    _(20, "mma.sync.aligned.m8n8k4.col.row.f16.f16.f16.f16", D4, A2, B2, C4, "", 8, 4, F16, F16,   \
      F16, F16, false, false, false, true, true)                                                   \
    _(21, "mma.sync.aligned.m8n8k4.col.col.f32.f16.f16.f16", D8, A2, B2, C4, "", 8, 4, F16, F16,   \
      F16, F32, false, false, false, true)                                                         \
    _(22, SPARSE "m16n8k16.row.col.f32.f16.f16.f32", D4, A2, B2, C4, E(2), 16, 16, F16, F16, F32,  \
      F32, true, false, false, false, false, 2)                                                    \
    _(23, SPARSE "m16n8k32.row.col.f32.bf16.bf16.f32", D4, A4, B4, C4, E(1), 16, 32, BF16, BF16,   \
      F32, F32, true, false, false, false, false, 1)                                               \
    _(24, SPARSE "m16n8k8.row.col.f32.tf32.tf32.f32", D4, A2, B2, C4, E(3), 16, 8, TF32, TF32,     \
      F32, F32, true, false, false, false, false, 3)                                               \
    _(25, SPARSE "m16n8k16.row.col.f32.tf32.tf32.f32", D4, A4, B4, C4, E(0), 16, 16, TF32, TF32,   \
      F32, F32, true)                                                                              \
    _(26, SPARSE "m16n8k32.row.col.satfinite.s32.s8.u8.s32", D4, A2, B2, C4, E(1), 16, 32, S8, U8, \
      S32, S32, true, true, false, false, false, 1)                                                \
    _(27, SPARSE "m16n8k64.row.col.s32.u8.u8.s32", D4, A4, B4, C4, E(0), 16, 64, U8, U8, S32, S32, \
      true)                                                                                        \
    _(28, SPARSE "m16n8k64.row.col.s32.s4.s4.s32", D4, A2, B2, C4, E(1), 16, 64, S4, S4, S32, S32, \
      true, false, false, false, false, 1)                                                         \
    _(29, SPARSE "m16n8k128.row.col.s32.u4.s4.s32", D4, A4, B4, C4, E(0), 16, 128, U4, S4, S32,    \
      S32, true)                                                                                   \
    _(30, SPARSE "m16n8k64.row.col.f32.e4m3.e4m3.f32", D4, A4, B4, C4, E(0), 16, 64, E4M3, E4M3,   \
      F32, F32, true)                                                                              \
    _(31, SPARSE "m16n8k32.row.col.f16.f16.f16.f16", D2, A4, B4, C2, E(0), 16, 32, F16, F16, F16,  \
      F16, true)

#define DOUBLES(_)                                                                                 \
    _(32, "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%4}, {%12}, {%16, %17};", 8, \
      4)                                                                                           \
    _(33,                                                                                          \
      "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%12}, {%16, " \
      "%17, %18, %19};",                                                                           \
      16, 4)                                                                                       \
    _(34,                                                                                          \
      "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "      \
      "{%12, %13}, "                                                                               \
      "{%16, %17, %18, %19};",                                                                     \
      16, 8)                                                                                       \
    _(35,                                                                                          \
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, "  \
      "%9, %10, %11}, "                                                                            \
      "{%12, %13, %14, %15}, {%16, %17, %18, %19};",                                               \
      16, 16)
#define SPARSE "mma.sp::ordered_metadata.sync.aligned."

template <int number>
__device__ void multiply(const fragment &a, const fragment &b, const fragment &c, uint32_t e,
                         bool is_wanted, fragment &d);

/* Without the guard d keeps what it was. */
#define MMA(number, words, d, a, b, c, ending, ...)                                                \
    template <>                                                                                    \
    __device__ void multiply<number>(const fragment &fa, const fragment &fb, const fragment &fc,   \
                                     uint32_t e, bool is_wanted, fragment &fd)                     \
    {                                                                                              \
        uint32_t o[8] = {};                                                                        \
        const auto in = [](const fragment &f, int i) { return uint32_t(f.of[i]); };                \
        asm volatile("{.reg .pred p;\n setp.ne.s32 p, %25, 0;\n @p " words " " d ", " a ", " b     \
                     ", " c ending ";}"                                                            \
                     : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]), "=r"(o[4]), "=r"(o[5]),     \
                       "=r"(o[6]), "=r"(o[7])                                                      \
                     : "r"(in(fa, 0)), "r"(in(fa, 1)), "r"(in(fa, 2)), "r"(in(fa, 3)),             \
                       "r"(in(fb, 0)), "r"(in(fb, 1)), "r"(in(fb, 2)), "r"(in(fb, 3)),             \
                       "r"(in(fc, 0)), "r"(in(fc, 1)), "r"(in(fc, 2)), "r"(in(fc, 3)),             \
                       "r"(in(fc, 4)), "r"(in(fc, 5)), "r"(in(fc, 6)), "r"(in(fc, 7)), "r"(e),     \
                       "r"(int(is_wanted)));                                                       \
        for (int i = 0; is_wanted && i < int(sizeof d - 1) / 4; i++)                               \
            fd.of[i] = o[i];                                                                       \
    }
SHAPES(MMA)

#define MMA_DOUBLE(number, text, high, depth)                                                      \
    template <>                                                                                    \
    __device__ void multiply<number>(const fragment &fa, const fragment &fb, const fragment &fc,   \
                                     uint32_t, bool, fragment &fd)                                 \
    {                                                                                              \
        double o[4] = {};                                                                          \
        const auto in = [](const fragment &f, int i) {                                             \
            return __longlong_as_double((long long)f.of[i]);                                       \
        };                                                                                         \
        asm volatile(text                                                                          \
                     : "=d"(o[0]), "=d"(o[1]), "=d"(o[2]), "=d"(o[3])                              \
                     : "d"(in(fa, 0)), "d"(in(fa, 1)), "d"(in(fa, 2)), "d"(in(fa, 3)),             \
                       "d"(in(fa, 4)), "d"(in(fa, 5)), "d"(in(fa, 6)), "d"(in(fa, 7)),             \
                       "d"(in(fb, 0)), "d"(in(fb, 1)), "d"(in(fb, 2)), "d"(in(fb, 3)),             \
                       "d"(in(fc, 0)), "d"(in(fc, 1)), "d"(in(fc, 2)), "d"(in(fc, 3)));            \
        for (int i = 0; i < (high) / 4; i++)                                                       \
            fd.of[i] = uint64_t(__double_as_longlong(o[i]));                                       \
    }
DOUBLES(MMA_DOUBLE)

/* The second warp has no product. */
template <int number>
__global__ void products(fragment *d, const fragment *a, const fragment *b, const fragment *c,
                         const uint32_t *e)
{
    const int lane = threadIdx.x % LANES;
    fragment sum = {};
    multiply<number>(a[lane], b[lane], c[lane], e[lane], threadIdx.x < LANES, sum);
    d[threadIdx.x] = sum;
}

typedef void (*launcher)(fragment *d, const fragment *a, const fragment *b, const fragment *c,
                         const uint32_t *e);

template <int number>
static void launch(fragment *d, const fragment *a, const fragment *b, const fragment *c,
                   const uint32_t *e)
{
    products<number><<<1, 2 * LANES>>>(d, a, b, c, e);
}

struct row {
    launcher launch;
    shape s;
};

#define ROW(number, words, d, a, b, c, ending, ...) {launch<number>, {words, __VA_ARGS__}},
#define ROW_DOUBLE(number, text, high, depth)                                                      \
    {launch<number>, {text, high, depth, F64, F64, F64, F64}},
static const row rows[] = {SHAPES(ROW) DOUBLES(ROW_DOUBLE)};

/* ---- Products ---- */

static int a[16][256], b[256][8], c[16][8];
static fragment *parts[4]; /* a, b, c, d; each for two warps */
static uint32_t *indices;

/* Of each four pieces of a row of a, of 16 bits or 8, two that are not zero: which, goes to the warp's indices. */
static void put_index(const shape &s, int row, int chunk, int low, int high)
{
    const uint32_t both = uint32_t(low | high << 2);
    const bool is_byte = bits_of(s.a) < 16;
    const int chunks = is_byte ? 8 : 4, part = chunk / chunks;
    const bool is_long = s.depth * bits_of(s.a) > (is_byte ? 256 : 256);
    const int owner = is_byte ? (is_long ? 2 * part + row / 8 : 2 * s.selector + row / 8)
                              : (is_long ? 2 * s.selector + part : s.selector);
    const int bit = is_byte ? chunk % chunks * 4 : row / 8 * 16 + chunk % chunks * 4;
    indices[row % 8 * 4 + owner] |= both << bit;
}

static void fill(const shape &s, uint32_t seed)
{
    uint32_t state = seed * 2654435761u + 12345;
    const auto random = [&state] { return (state = state * 1664525u + 1013904223u) >> 8; };
    const bool is_exact = s.now == S32;
    memset(a, 0, sizeof a);
    for (int i = 0; i < 3; i++)
        memset(parts[i], 0, LANES * sizeof(fragment));
    memset(indices, 0, LANES * sizeof *indices);
    for (int k = 0; k < s.depth; k++)
        for (int j = 0; j < 8; j++)
            put(parts[1], place_of_b(s, k, j), s.b, b[k][j] = any_of(s.b, random()));
    for (int i = 0; i < s.high; i++)
        for (int j = 0; j < 8; j++) {
            c[i][j] = is_exact ? int(random() * 2654435761u) : int(random() % 64) - 32;
            if (s.is_saturating)
                c[i][j] =
                    j % 2 ? INT32_MAX - int(random() % 1000) : INT32_MIN + int(random() % 1000);
            put(parts[2], place_of_sum(s, s.before, i, j), s.before, c[i][j]);
        }
    /* pieces are elements, but pairs of 4 bits, and halves of 32 bits */
    const int bits = bits_of(s.a), piece = bits == 4 ? 2 : 1, chunk = bits == 32 ? 2 : 4 * piece;
    for (int i = 0; i < s.high; i++) {
        for (int k = 0; k < s.depth && !s.is_sparse; k++)
            put(parts[0], place_of_a(s, i, k), s.a, a[i][k] = any_of(s.a, random()));
        for (int n = 0; n < s.depth / chunk && s.is_sparse; n++) {
            int low = int(random() % 3), high = low + 1 + int(random() % uint32_t(3 - low));
            if (bits == 32)
                low = low / 2 * 2, high = low + 1;
            put_index(s, i, n, low, high);
            for (int k = 0; k < chunk / 2; k++) {
                const int at = bits == 32 ? low / 2 : (k / piece ? high : low) * piece + k % piece;
                put(parts[0], place_of_a(s, i, n * chunk / 2 + k), s.a,
                    a[i][n * chunk + at] = any_of(s.a, random()));
            }
        }
    }
}

static int wanted(const shape &s, int row, int column)
{
    int64_t sum = c[row][column];
    for (int k = 0; k < s.depth; k++)
        sum += s.a != B1  ? a[row][k] * b[k][column]
               : s.is_and ? a[row][k] & b[k][column]
                          : a[row][k] ^ b[k][column];
    if (s.is_saturating)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return int(sum);
}

static void check(const row &r)
{
    const shape &s = r.s;
    int wrong = 0;
    fill(s, 7);
    r.launch(parts[3], parts[0], parts[1], parts[2], indices);
    LAUNCHED();
    for (int i = 0; i < s.high; i++)
        for (int j = 0; j < 8; j++) {
            const place at = place_of_sum(s, s.now, i, j);
            const uint64_t bits =
                parts[3][at.lane].of[at.index] >> (s.now == F16 ? 16 * at.part : 0);
            if (decode(s.now, s.now == F16 ? bits & 0xffff : bits) != wanted(s, i, j) &&
                wrong++ == 0)
                printf("%s: row %d, column %d: %d, not %d\n", s.name, i, j,
                       decode(s.now, bits & (s.now == F16 ? 0xffff : ~0ull)), wanted(s, i, j));
        }
    for (int lane = LANES; lane < 2 * LANES && s.a != F64; lane++)
        wrong += parts[3][lane].of[0] != 0;
    EXPECT(wrong == 0);
    result(s.name, parts[3], LANES * sizeof(fragment));
}

/* ---- ldmatrix, stmatrix, movmatrix ---- */

/* Four matrices of 8 by 8, whose element is 8 times its row and its column, and 64 times its number. */
__global__ void turn(uint32_t *out)
{
    __shared__ __align__(16) uint16_t from[256], to[256];
    for (int i = threadIdx.x; i < 256; i += LANES)
        from[i] = uint16_t(i), to[i] = 0;
    __syncthreads();
    uint32_t w[4], moved;
    const uint32_t row = uint32_t(__cvta_generic_to_shared(from + threadIdx.x * 8)),
                   into = uint32_t(__cvta_generic_to_shared(to + threadIdx.x * 8));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3])
                 : "r"(row)
                 : "memory");
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(moved) : "r"(w[3]));
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(into),
                 "r"(w[1]), "r"(w[2])
                 : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0+256], {%1};" ::"r"(into), "r"(moved)
                 : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared::cta.b16 [%0+384], {%1};" ::"r"(into),
                 "r"(w[0])
                 : "memory");
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += LANES)
        out[i] = to[i];
}

static void check_turns(void)
{
    uint32_t *out;
    int wrong = 0;
    CUDA(cudaMallocManaged(&out, 256 * sizeof *out));
    turn<<<1, LANES>>>(out);
    LAUNCHED();
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t j = 0; j < 8; j++) {
            wrong += out[8 * i + j] != 64 + 8 * j + i;
            wrong += out[64 + 8 * i + j] != 128 + 8 * j + i;
            wrong += out[128 + 8 * i + j] != 192 + 8 * j + i;
            wrong += out[192 + 8 * i + j] != 8 * i + j;
        }
    EXPECT(wrong == 0);
    result("turns", out, 256 * sizeof *out);
    CUDA(cudaFree(out));
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    for (auto &part : parts)
        CUDA(cudaMallocManaged(&part, 2 * LANES * sizeof *part));
    CUDA(cudaMallocManaged(&indices, LANES * sizeof *indices));
    for (const row &r : rows)
        check(r);
    check_turns();
    for (auto &part : parts)
        CUDA(cudaFree(part));
    CUDA(cudaFree(indices));
    return program_end();
}
