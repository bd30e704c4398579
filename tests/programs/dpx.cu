/* Minimum and maximum of three, of sums, from zero on, and with what was chosen, of words and of halves, on the device and on
 * the host, against the same by wider arithmetic; and bytes in reverse order.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

enum { COUNT = 29, THREADS = 128, ROUNDS = 16 };

struct answers {
    unsigned int word[COUNT];
    bool first, second;
    unsigned long long reversed;
};

__host__ __device__ static answers ask(unsigned int x, unsigned int y, unsigned int z)
{
    const int a = (int)x, b = (int)y, c = (int)z;
    answers r = {};
    int at = 0;
#define ASK(call) r.word[at++] = (unsigned int)(call)
    ASK(__vimax_s32_relu(a, b)), ASK(__vimin_s32_relu(a, b));
    ASK(__vimax3_s32(a, b, c)), ASK(__vimin3_s32(a, b, c)), ASK(__vimax3_u32(x, y, z));
    ASK(__vimin3_u32(x, y, z)), ASK(__vimax3_s32_relu(a, b, c)), ASK(__vimin3_s32_relu(a, b, c));
    ASK(__viaddmax_s32(a, b, c)), ASK(__viaddmin_s32(a, b, c)), ASK(__viaddmax_u32(x, y, z));
    ASK(__viaddmin_u32(x, y, z)), ASK(__viaddmax_s32_relu(a, b, c));
    ASK(__viaddmin_s32_relu(a, b, c));
    ASK(__vimax_s16x2_relu(x, y)), ASK(__vimin_s16x2_relu(x, y));
    ASK(__vimax3_s16x2(x, y, z)), ASK(__vimin3_u16x2(x, y, z)), ASK(__vimax3_s16x2_relu(x, y, z));
    ASK(__viaddmax_s16x2(x, y, z)), ASK(__viaddmin_u16x2(x, y, z));
    ASK(__viaddmin_s16x2_relu(x, y, z));
    ASK(__vibmax_s32(a, b, &r.first)), ASK(__vibmin_u32(x, y, &r.second));
    bool high, low;
    ASK(__vibmax_s16x2(x, y, &high, &low)), ASK(high << 1 | low);
    ASK(__vibmin_u16x2(x, y, &high, &low)), ASK(high << 1 | low);
    ASK(__nv_bswap16((unsigned short)x) | __nv_bswap32(y) << 16);
#undef ASK
    r.reversed = __nv_bswap64((unsigned long long)x << 32 | y);
    return r;
}

static long long least(long long a, long long b)
{
    return a < b ? a : b;
}
static long long most(long long a, long long b)
{
    return a < b ? b : a;
}

static unsigned int both(long long high, long long low)
{
    return (unsigned int)(high & 0xffff) << 16 | (unsigned int)(low & 0xffff);
}

/* Halves as signed and as unsigned numbers, [1] the high one. */
struct halves {
    long long s[2], u[2];
    explicit halves(unsigned int x) : s{(int16_t)x, (int16_t)(x >> 16)}, u{x & 0xffff, x >> 16}
    {
    }
};

static answers expected(unsigned int x, unsigned int y, unsigned int z)
{
    const long long a = (int)x, b = (int)y, c = (int)z, ux = x, uy = y, uz = z;
    const long long sum = (int)(x + y), usum = (unsigned int)(x + y);
    const halves p(x), q(y), r(z);
    const halves added(both(p.u[1] + q.u[1], p.u[0] + q.u[0]));
    answers e = {};
    int at = 0;
#define TELL(value) e.word[at++] = (unsigned int)(value)
#define HALVES(value)                                                                              \
    at++, e.word[at - 1] = [&] {                                                                   \
        int i = 1;                                                                                 \
        const long long h = value;                                                                 \
        i = 0;                                                                                     \
        return both(h, value);                                                                     \
    }()
    TELL(most(most(a, b), 0)), TELL(most(least(a, b), 0));
    TELL(most(most(a, b), c)), TELL(least(least(a, b), c)), TELL(most(most(ux, uy), uz));
    TELL(least(least(ux, uy), uz)), TELL(most(most(a, b), most(c, 0)));
    TELL(most(least(least(a, b), c), 0));
    TELL(most(sum, c)), TELL(least(sum, c)), TELL(most(usum, uz)), TELL(least(usum, uz));
    TELL(most(most(sum, c), 0)), TELL(most(least(sum, c), 0));
    HALVES(most(most(p.s[i], q.s[i]), 0)), HALVES(most(least(p.s[i], q.s[i]), 0));
    HALVES(most(most(p.s[i], q.s[i]), r.s[i])), HALVES(least(least(p.u[i], q.u[i]), r.u[i]));
    HALVES(most(most(p.s[i], q.s[i]), most(r.s[i], 0)));
    HALVES(most(added.s[i], r.s[i])), HALVES(least(added.u[i], r.u[i]));
    HALVES(most(least(added.s[i], r.s[i]), 0));
    e.first = a >= b, e.second = ux <= uy;
    TELL(most(a, b)), TELL(least(ux, uy));
    HALVES(most(p.s[i], q.s[i])), TELL((p.s[1] >= q.s[1]) << 1 | (p.s[0] >= q.s[0]));
    HALVES(least(p.u[i], q.u[i])), TELL((p.u[1] <= q.u[1]) << 1 | (p.u[0] <= q.u[0]));
    TELL((x & 0xff) << 8 | (x >> 8 & 0xff) | (y >> 24) << 16 | (y >> 16 & 0xff) << 24);
#undef HALVES
#undef TELL
    for (int i = 0; i < 4; i++) {
        e.reversed |= (unsigned long long)(y >> 8 * i & 0xff) << (56 - 8 * i);
        e.reversed |= (unsigned long long)(x >> 8 * i & 0xff) << (24 - 8 * i);
    }
    return e;
}

/* Random words, some equal, some at the edges of what a half and a word hold. */
__host__ __device__ static unsigned int operand(unsigned int index)
{
    const unsigned int word = random_word(index);
    switch (word % 6) {
    case 0:
        return 0x80007fffu;
    case 1:
        return word & 0x10001u ? 0x7fff8000u : 0xffffffffu;
    case 2:
        return word >> 30;
    default:
        return word;
    }
}

__global__ void compute(answers *out)
{
    for (unsigned int i = threadIdx.x; i < THREADS * ROUNDS; i += THREADS)
        out[i] = ask(operand(3 * i), operand(3 * i + 1), operand(3 * i + 2));
}

static bool is_same(const answers &a, const answers &b)
{
    return memcmp(a.word, b.word, sizeof a.word) == 0 && a.first == b.first &&
           a.second == b.second && a.reversed == b.reversed;
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    device_array<answers> out(THREADS * ROUNDS);
    compute<<<1, THREADS>>>(out.data);
    LAUNCHED();
    const std::vector<answers> device = out.host();
    for (unsigned int i = 0; i < THREADS * ROUNDS; i++) {
        const unsigned int x = operand(3 * i), y = operand(3 * i + 1), z = operand(3 * i + 2);
        const answers right = expected(x, y, z);
        EXPECT(is_same(device[i], right));
        EXPECT(is_same(ask(x, y, z), right));
    }
    return program_end();
}
