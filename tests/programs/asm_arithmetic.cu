/* Arithmetic by its PTX: carries, bit fields, three-input logic, byte permutes, clamping shifts, saturating conversions,
 * dot products, video instructions, predicates.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

static const int results = 32;

__global__ void compute(unsigned *all, const unsigned *x, const unsigned *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned a = x[i], b = y[i];
    unsigned *r = all + i * results, low, high, top;
#define ASM2(n, text) asm(text : "=r"(r[n]) : "r"(a), "r"(b))
    asm("add.cc.u32 %0, %3, %4;\n\taddc.cc.u32 %1, %4, %3;\n\taddc.u32 %2, 0, 0;"
        : "=r"(low), "=r"(high), "=r"(top)
        : "r"(a), "r"(b));
    r[0] = low, r[1] = high, r[2] = top;
    asm("sub.cc.u32 %0, %2, %3;\n\tsubc.u32 %1, %3, %2;" : "=r"(low), "=r"(high) : "r"(a), "r"(b));
    r[3] = low, r[4] = high;
    asm("mad.lo.cc.u32 %0, %2, %3, %2;\n\tmadc.hi.u32 %1, %2, %3, 0;"
        : "=r"(low), "=r"(high)
        : "r"(a), "r"(b));
    r[5] = low, r[6] = high;
    ASM2(7, "bfe.u32 %0, %1, 5, 9;");
    ASM2(8, "bfe.s32 %0, %1, 20, 12;");
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(r[9]) : "r"(a), "r"(b & 63), "r"(b >> 8 & 63));
    asm("bfi.b32 %0, %1, %2, %3, %4;"
        : "=r"(r[10])
        : "r"(a), "r"(b), "r"(b & 31), "r"(b >> 8 & 31));
    asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(r[11]) : "r"(a), "r"(b), "r"(a * 3));
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r[12]) : "r"(a), "r"(b), "r"(a >> 3 & 0xffff));
    asm("shl.b32 %0, %1, %2;" : "=r"(r[13]) : "r"(a), "r"(b & 63));
    asm("shr.s32 %0, %1, %2;" : "=r"(r[14]) : "r"(a), "r"(b & 63));
    asm("shr.u32 %0, %1, %2;" : "=r"(r[15]) : "r"(a), "r"(b & 63));
    asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(r[16]) : "r"(a & 31), "r"(b & 15));
    asm("szext.clamp.s32 %0, %1, %2;" : "=r"(r[17]) : "r"(a), "r"((b & 30) + 1));
    ASM2(18, "bfind.u32 %0, %1;");
    ASM2(19, "add.sat.s32 %0, %1, %2;");
    asm("{.reg .s16 h;\n\tcvt.sat.s16.s32 h, %1;\n\tcvt.s32.s16 %0, h;}" : "=r"(r[20]) : "r"(a));
    asm("{.reg .u8 h;\n\tcvt.sat.u8.s32 h, %1;\n\tcvt.u32.u8 %0, h;}"
        : "=r"(r[21])
        : "r"((int)a >> 20));
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r[22]) : "r"(a), "r"(b), "r"(7));
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(r[23]) : "r"(a), "r"(b), "r"(9));
    asm("dp2a.lo.s32.u32 %0, %1, %2, %3;" : "=r"(r[24]) : "r"(a), "r"(b), "r"(1));
    asm("sad.s32 %0, %1, %2, %3;" : "=r"(r[25]) : "r"(a), "r"(b), "r"(5));
    asm("mad24.lo.u32 %0, %1, %2, %3;"
        : "=r"(r[26])
        : "r"(a & 0xffffff), "r"(b & 0xffffff), "r"(3));
    asm("{.reg .pred p, q;\n\tsetp.lt.s32 p|q, %1, %2;\n\tselp.u32 %0, 1, 2, p;\n\t@q add.u32 %0, "
        "%0, 10;}"
        : "=r"(r[27])
        : "r"(a), "r"(b));
    asm("slct.u32.s32 %0, %1, 77, %2;" : "=r"(r[28]) : "r"(a), "r"(b));
    asm("set.gt.u32.u32 %0, %1, %2;" : "=r"(r[29]) : "r"(a), "r"(b));
    asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(r[30]) : "r"(a), "r"(b), "r"(a));
    asm("cnot.b32 %0, %1;" : "=r"(r[31]) : "r"(a & b & 1));
}

static unsigned byte(unsigned word, int k)
{
    return word >> (8 * k) & 255;
}

static unsigned extract(unsigned a, unsigned at, unsigned length)
{
    const unsigned sign_at = at + length - 1 < 31 ? at + length - 1 : 31;
    const unsigned sign = length ? a >> sign_at & 1 : 0;
    unsigned value = 0;
    for (unsigned k = 0; k < 32; k++)
        value |= (k < length ? (at + k < 32 ? a >> (at + k) & 1 : sign) : sign) << k;
    return value;
}

static std::vector<unsigned> expected(unsigned a, unsigned b)
{
    std::vector<unsigned> r(results);
    const uint64_t sum = (uint64_t)a + b;
    const int64_t difference = (int64_t)a - b;
    const uint64_t product = (uint64_t)a * b, low = (product & 0xffffffff) + a;
    r[0] = (unsigned)sum;
    const uint64_t carried = (uint64_t)b + a + (sum >> 32);
    r[1] = (unsigned)carried, r[2] = (unsigned)(carried >> 32);
    r[3] = (unsigned)difference, r[4] = b - a - (a < b);
    r[5] = (unsigned)low, r[6] = (unsigned)(product >> 32) + (unsigned)(low >> 32);
    r[7] = a >> 5 & 511, r[8] = (unsigned)((int)a >> 20), r[9] = extract(a, b & 63, b >> 8 & 63);
    const unsigned at = b & 31, length = b >> 8 & 31;
    const unsigned mask = (unsigned)(((1ull << length) - 1) << at);
    r[10] = (b & ~mask) | (a << at & mask);
    r[11] = (a & b) | (a & a * 3) | (b & a * 3);
    for (int k = 0; k < 4; k++) {
        const unsigned selector = a >> 3 >> (4 * k) & 15,
                       v = byte(selector & 4 ? b : a, selector & 3);
        r[12] |= (selector & 8 ? (v & 128 ? 255u : 0u) : v) << (8 * k);
    }
    const unsigned shift = b & 63;
    r[13] = shift > 31 ? 0 : a << shift;
    r[14] = (unsigned)((int)a >> (shift > 31 ? 31 : shift));
    r[15] = shift > 31 ? 0 : a >> shift;
    r[16] = (unsigned)(((1ull << (b & 15)) - 1) << (a & 31));
    const unsigned bits = (b & 30) + 1;
    r[17] = (unsigned)((int)(a << (32 - bits)) >> (32 - bits));
    r[18] = a ? 31 - (unsigned)__builtin_clz(a) : ~0u;
    const int64_t exact = (int64_t)(int)a + (int)b;
    r[19] = exact > INT32_MAX ? 0x7fffffffu : exact < INT32_MIN ? 0x80000000u : (unsigned)exact;
    r[20] = (unsigned)((int)a > 32767 ? 32767 : (int)a < -32768 ? -32768 : (int)a);
    r[21] = (unsigned)((int)a >> 20 > 255 ? 255 : (int)a >> 20 < 0 ? 0 : (int)a >> 20);
    r[22] = 7, r[23] = 9;
    for (int k = 0; k < 4; k++) {
        r[22] += (unsigned)((signed char)byte(a, k) * (signed char)byte(b, k));
        r[23] += byte(a, k) * byte(b, k);
    }
    r[24] = 1 + (unsigned)((short)(a & 0xffff) * (int)byte(b, 0)) +
            (unsigned)((short)(a >> 16) * (int)byte(b, 1));
    r[25] = ((int)a > (int)b ? a - b : b - a) + 5;
    r[26] = (a & 0xffffff) * (b & 0xffffff) + 3;
    r[27] = (int)a < (int)b ? 1 : 12;
    r[28] = (int)b >= 0 ? a : 77;
    r[29] = a > b ? ~0u : 0;
    r[30] = (unsigned)(((uint64_t)b << 32 | a) << (a & 31) >> 32);
    r[31] = !(a & b & 1);
    return r;
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const int n = 512;
    std::vector<unsigned> a = random_words(n), b = random_words(n, n);
    static const unsigned edges[] = {0,          1,          0x7fffffff, 0x80000000,
                                     0xffffffff, 0x80808080, 0x00ff7f80};
    for (int i = 0; i < 49; i++)
        a[i] = edges[i / 7], b[i] = edges[i % 7];
    device_array<unsigned> x(a), y(b), out(n * results);
    compute<<<n / 64, 64>>>(out.data, x.data, y.data);
    LAUNCHED();
    const std::vector<unsigned> got = out.host();
    for (int i = 0; i < n; i++) {
        const std::vector<unsigned> right = expected(a[i], b[i]);
        for (int k = 0; k < results; k++)
            if (!EXPECT(got[i * results + k] == right[k]) && program_failures < 10)
                printf("    result %d of %#x, %#x: %#x, not %#x\n", k, a[i], b[i],
                       got[i * results + k], right[k]);
    }
    result("results", got);
    return program_end();
}
