/* Numbers at the ends of their types, of which a compiler knows much: what C leaves undefined of them CUDA's functions do as its
 * instructions do. The least numbers come from one bit of a parameter, of which only that bit is not known.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <climits>

#include <cuda/atomic>

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
    return program_end();
}
