/* Integer arithmetic at its edges, the same expressions on both sides: division and remainder of all widths, products,
 * bit counting, funnel shifts, saturation, SIMD in a word.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

struct answers {
    int quotient, remainder, high, least, absolute, zeros, first, count, dot;
    unsigned uquotient, uremainder, uhigh, reversed, left, right, bytes, sad, average, vadd, vmax,
        vabs, vcompare;
    long long lquotient, lremainder, lhigh, product;
    unsigned long long ulquotient, ulremainder, ulhigh, lreversed;
    int lzeros, lcount, lfirst;
    short squotient;
    signed char cremainder;
};

__global__ void compute(answers *out, const unsigned *x, const unsigned *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned a = x[i], b = y[i];
    const int sa = (int)a, sb = sa == INT32_MIN && b == ~0u ? 1 : (int)b;
    const unsigned long long la = (unsigned long long)a << 32 | b,
                             lb = (unsigned long long)b * b + 1;
    answers r = {};
    r.quotient = sa / sb, r.remainder = sa % sb, r.high = __mulhi(sa, sb);
    r.least = min(sa, sb), r.absolute = abs(sa >> 1), r.zeros = __clz(sa), r.first = __ffs(sa);
    r.count = __popc(a), r.dot = (int)(a * (unsigned)sb + (unsigned)max(sa, sb));
    r.uquotient = a / b, r.uremainder = a % b, r.uhigh = __umulhi(a, b), r.reversed = __brev(a);
    r.left = __funnelshift_l(a, b, b & 63), r.right = __funnelshift_rc(a, b, b & 63);
    r.bytes = __byte_perm(a, b, 0x5142), r.sad = __usad(a, b, 7), r.average = __uhadd(a, b);
    r.vadd = __vadd4(a, b), r.vmax = __vmaxs2(a, b), r.vabs = __vabsdiffu4(a, b);
    r.vcompare = __vcmpgtu2(a, b);
    r.lquotient = (long long)la / (long long)sb, r.lremainder = (long long)la % (long long)sb;
    r.lhigh = __mul64hi((long long)la, sb), r.product = (long long)sa * sb;
    r.ulquotient = la / lb, r.ulremainder = la % lb, r.ulhigh = __umul64hi(la, lb);
    r.lreversed = __brevll(la), r.lzeros = __clzll((long long)la), r.lcount = __popcll(la);
    r.lfirst = __ffsll((long long)la);
    r.squotient = (short)((short)a / (short)(b | 1)),
    r.cremainder = (signed char)((signed char)a % 7);
    out[i] = r;
}

static unsigned lanes(unsigned a, unsigned b, unsigned bits, unsigned (*f)(unsigned, unsigned))
{
    unsigned all = 0;
    for (unsigned at = 0; at < 32; at += bits) {
        const unsigned mask = (1u << bits) - 1;
        all |= (f(a >> at & mask, b >> at & mask) & mask) << at;
    }
    return all;
}

static unsigned reversed(unsigned word)
{
    unsigned bits = 0;
    for (int bit = 0; bit < 32; bit++)
        bits |= (word >> bit & 1) << (31 - bit);
    return bits;
}

static void check(const answers &r, unsigned a, unsigned b)
{
    const int sa = (int)a, sb = sa == INT32_MIN && b == ~0u ? 1 : (int)b;
    const unsigned long long la = (unsigned long long)a << 32 | b,
                             lb = (unsigned long long)b * b + 1;
    EXPECT(r.quotient == sa / sb && r.remainder == sa % sb);
    EXPECT(r.high == (int)((long long)sa * sb >> 32) && r.product == (long long)sa * sb);
    EXPECT(r.least == (sa < sb ? sa : sb) && r.absolute == abs(sa >> 1));
    EXPECT(r.zeros == (a ? __builtin_clz(a) : 32) && r.first == __builtin_ffs(sa));
    EXPECT(r.count == __builtin_popcount(a) &&
           r.dot == (int)(a * (unsigned)sb + (unsigned)(sa > sb ? sa : sb)));
    EXPECT(r.uquotient == a / b && r.uremainder == a % b);
    EXPECT(r.uhigh == (unsigned)((unsigned long long)a * b >> 32));
    EXPECT(r.reversed == reversed(a));
    EXPECT(r.lreversed == ((unsigned long long)reversed(b) << 32 | reversed(a)));
    const unsigned shift = b & 31, clamped = (b & 63) > 32 ? 32 : b & 63;
    const unsigned long long joined = (unsigned long long)b << 32 | a;
    EXPECT(r.left == (unsigned)(joined << shift >> 32));
    EXPECT(r.right == (unsigned)(joined >> clamped));
    unsigned bytes = 0;
    for (int k = 0; k < 4; k++)
        bytes |= (unsigned)(joined >> (8 * (0x5142 >> (4 * k) & 7)) & 255) << (8 * k);
    EXPECT(r.bytes == bytes && r.sad == (a > b ? a - b : b - a) + 7);
    EXPECT(r.average == (unsigned)(((unsigned long long)a + b) >> 1));
    EXPECT(r.vadd == lanes(a, b, 8, [](unsigned p, unsigned q) { return p + q; }));
    EXPECT(r.vmax ==
           lanes(a, b, 16, [](unsigned p, unsigned q) { return (short)p > (short)q ? p : q; }));
    EXPECT(r.vabs == lanes(a, b, 8, [](unsigned p, unsigned q) { return p > q ? p - q : q - p; }));
    EXPECT(r.vcompare == lanes(a, b, 16, [](unsigned p, unsigned q) { return p > q ? ~0u : 0u; }));
    EXPECT(r.lquotient == (long long)la / sb && r.lremainder == (long long)la % sb);
    EXPECT(r.lhigh == (long long)((__int128)(long long)la * sb >> 64));
    EXPECT(r.ulquotient == la / lb && r.ulremainder == la % lb);
    EXPECT(r.ulhigh == (unsigned long long)((unsigned __int128)la * lb >> 64));
    EXPECT(r.lzeros == (la ? __builtin_clzll(la) : 64) && r.lcount == __builtin_popcountll(la));
    EXPECT(r.lfirst == __builtin_ffsll((long long)la));
    EXPECT(r.squotient == (short)((short)a / (short)(b | 1)));
    EXPECT(r.cremainder == (signed char)((signed char)a % 7));
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const int n = 1024;
    std::vector<unsigned> a = random_words(n), b = random_words(n, n);
    static const unsigned edges[] = {0,      1,          2,          0x7f,       0x80,
                                     0xffff, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff};
    for (int i = 0; i < 100; i++)
        a[i] = edges[i / 10], b[i] = edges[i % 10];
    for (int i = 0; i < n; i++)
        b[i] = b[i] ? i % 3 ? b[i] : b[i] >> (b[i] & 15) : 1;
    for (int i = 0; i < n; i++)
        b[i] = b[i] ? b[i] : 3;
    device_array<unsigned> x(a), y(b);
    device_array<answers> out(n);
    compute<<<n / 64, 64>>>(out.data, x.data, y.data);
    LAUNCHED();
    const std::vector<answers> got = out.host();
    for (int i = 0; i < n; i++)
        check(got[i], a[i], b[i]);
    std::vector<unsigned> words;
    for (const answers &r : got) {
        const unsigned some[] = {
            (unsigned)r.quotient,  (unsigned)r.remainder,   r.uhigh, r.bytes, r.vadd, r.vabs,
            (unsigned)r.lquotient, (unsigned)r.ulremainder, r.left};
        words.insert(words.end(), some, some + 9);
    }
    result("answers", words);
    return program_end();
}
