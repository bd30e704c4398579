/* Numbers at the ends of their types, of which a compiler knows much: what C leaves undefined of them CUDA's functions do as its
 * instructions do. The least numbers come from one bit of a parameter, of which only that bit is not known.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <climits>

#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

struct answers {
    int first, absolute, is_below, taken, left, before, behind;
    int lfirst, is_lbelow;
    long long labsolute, ltaken, lleft;
    long long rounded[8];
};

__global__ void compute(answers *out, unsigned odd)
{
    const int least = (int)(odd << 31);
    const long long lleast = (long long)((unsigned long long)odd << 63);
    answers r = {};
    r.first = __ffs(least), r.absolute = abs(least), r.is_below = abs(least) < 0;
    r.lfirst = __ffsll(lleast), r.labsolute = llabs(lleast), r.is_lbelow = llabs(lleast) < 0;
    out->left = 5, out->lleft = 5, out->before = INT_MAX, out->behind = INT_MIN;
    cuda::atomic_ref<int> left(out->left), before(out->before), behind(out->behind);
    cuda::atomic_ref<long long> lleft(out->lleft);
    r.taken = left.fetch_sub(least), r.ltaken = lleft.fetch_sub(lleast);
    r.left = left, r.lleft = lleft;
    r.before = ++before, r.behind = --behind;
    r.rounded[0] = llrintf(1e30f), r.rounded[1] = llrint(-1e300), r.rounded[2] = lrintf(-1e30f);
    r.rounded[3] = lrint(1e300), r.rounded[4] = llroundf(-1e30f), r.rounded[5] = llround(1e300);
    r.rounded[6] = lroundf(1e30f), r.rounded[7] = lround(-1e300);
    *out = r;
}

/* Halves, each way. */
__global__ void turn(long long *out, double x)
{
    out[0] = llrint(x), out[1] = lrintf((float)x), out[2] = llroundf((float)x), out[3] = lround(x);
}

/* Floats of 16 bits as integers: the nearest that there is, and of what is no number 0, or in 64 bits the highest bit alone. */
struct integers {
    signed char small;
    unsigned char usmall;
    short half;
    unsigned short uhalf;
    int word;
    unsigned uword;
    long long wide;
    unsigned long long uwide;
};

template <class T> __host__ __device__ static inline integers integers_of(T x)
{
    return {(signed char)x, (unsigned char)x, (short)x,     (unsigned short)x,
            (int)x,         (unsigned)x,      (long long)x, (unsigned long long)x};
}

template <class T> __global__ void convert(const float *from, integers *to)
{
    to[threadIdx.x] = integers_of(T(from[threadIdx.x]));
}

__global__ void round_once(long long from, unsigned long long ufrom, float *to)
{
    to[0] = (float)__nv_bfloat16(from), to[1] = (float)__nv_bfloat16(ufrom);
}

static bool are_right(const integers &i, float x)
{
    if (x != x)
        return i.small == 0 && i.usmall == 0 && i.half == 0 && i.uhalf == 0 && i.word == 0 &&
               i.uword == 0 && i.wide == LLONG_MIN && i.uwide == 1ull << 63;
    const auto within = [=](double least, double most) {
        return trunc(x < least ? least : x > most ? most : x);
    };
    return i.small == within(SCHAR_MIN, SCHAR_MAX) && i.usmall == within(0, UCHAR_MAX) &&
           i.half == within(SHRT_MIN, SHRT_MAX) && i.uhalf == within(0, USHRT_MAX) &&
           i.word == within(INT_MIN, INT_MAX) && i.uword == within(0, UINT_MAX) &&
           (x >= 0x1p63f ? i.wide == LLONG_MAX : i.wide == within(LLONG_MIN, 0x1p63)) &&
           (x >= 0x1p64f ? i.uwide == ULLONG_MAX : i.uwide == within(0, 0x1p64));
}

template <class T> static void convert_all()
{
    const std::vector<float> from = {0,       -0.75f,   1.5f,     127.5f,   128,       -129,
                                     200,     255.5f,   256,      300,      -300,      32512,
                                     32768,   -33024,   65280,    -65280,   INFINITY,  -INFINITY,
                                     NAN,     0x1p20f,  -0x1p20f, 0x1p31f,  -0x1p31f,  0x1p32f,
                                     0x1p63f, -0x1p63f, 0x1p64f,  0x1p100f, -0x1p100f, -1};
    device_array<float> given(from);
    device_array<integers> out(from.size());
    convert<T><<<1, (unsigned)from.size()>>>(given.data, out.data);
    LAUNCHED();
    const std::vector<integers> got = out.host();
    for (size_t i = 0; i < from.size(); i++) {
        EXPECT(are_right(got[i], (float)T(from[i])));
        EXPECT(are_right(integers_of(T(from[i])), (float)T(from[i])));
    }
}

/* What is just above the middle of two, and is not once it was rounded to a double. */
static void round_here_and_there()
{
    const long long from = (1ll << 62) + (1ll << 54) + 1;
    device_array<float> out(2);
    round_once<<<1, 1>>>(-from, (unsigned long long)from, out.data);
    LAUNCHED();
    const float above = 0x1p62f + 0x1p55f;
    EXPECT(out.host()[0] == -above && out.host()[1] == above);
    EXPECT((float)__nv_bfloat16(from) == above);
}

static void compute_here()
{
    cuda::atomic<int> up(INT_MAX), down(INT_MIN), sum(INT_MAX);
    EXPECT(++up == INT_MIN && --down == INT_MAX);
    EXPECT((sum += 2) == INT_MIN + 1 && (sum -= 3) == INT_MAX - 1);
    EXPECT(sum.fetch_sub(INT_MIN) == INT_MAX - 1 && sum == -2);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    device_array<answers> out(1);
    compute<<<1, 1>>>(out.data, 77);
    LAUNCHED();
    const answers r = out.host()[0];
    EXPECT(r.first == 32 && r.absolute == INT_MIN && r.is_below == 1);
    EXPECT(r.lfirst == 64 && r.labsolute == LLONG_MIN && r.is_lbelow == 1);
    EXPECT(r.taken == 5 && r.left == INT_MIN + 5);
    EXPECT(r.ltaken == 5 && r.lleft == LLONG_MIN + 5);
    EXPECT(r.before == INT_MIN && r.behind == INT_MAX);
    static const bool is_most[] = {true, false, false, true, false, true, true, false};
    for (int i = 0; i < 8; i++)
        EXPECT(r.rounded[i] == (is_most[i] ? LLONG_MAX : LLONG_MIN));
    device_array<long long> turned(4);
    for (int i = -9; i <= 9; i++) {
        const double x = i / 2.0;
        turn<<<1, 1>>>(turned.data, x);
        LAUNCHED();
        const std::vector<long long> got = turned.host();
        EXPECT(got[0] == llrint(x) && got[1] == llrint(x));
        EXPECT(got[2] == llround(x) && got[3] == llround(x));
    }
    compute_here();
    convert_all<__half>();
    convert_all<__nv_bfloat16>();
    round_here_and_there();
    return program_end();
}
