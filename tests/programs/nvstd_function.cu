/* nvstd::function: functions, lambdas small and large, copies, and none.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <nvfunctional>

__host__ __device__ static int twice(int x)
{
    return 2 * x;
}

struct counter {
    int *alive, by;
    __host__ __device__ counter(int *alive_, int by_) : alive(alive_), by(by_)
    {
        ++*alive;
    }
    __host__ __device__ counter(const counter &other) : alive(other.alive), by(other.by)
    {
        ++*alive;
    }
    __host__ __device__ ~counter()
    {
        --*alive;
    }
    __host__ __device__ int operator()(int x) const
    {
        return x + by;
    }
};

__host__ __device__ static int apply(const nvstd::function<int(int)> &f, int x)
{
    return f ? f(x) : -1;
}

__host__ __device__ static int run(int k, int *out)
{
    int n = 0, alive = 0;
    {
        nvstd::function<int(int)> f, g = twice;
        out[n++] = f == nullptr && nullptr != g;
        out[n++] = apply(f, 3);
        out[n++] = g(21);
        f = [k](int x) { return x * k; };
        out[n++] = f(5);
        int large[20];
        for (int i = 0; i < 20; i++)
            large[i] = i + k;
        g = [large](int x) { return large[x]; };
        out[n++] = g(7);
        f.swap(g);
        out[n++] = 100 * f(2) + g(3);
        nvstd::function<int(int)> h(f), taken(static_cast<nvstd::function<int(int)> &&>(g));
        out[n++] = 100 * h(1) + taken(4) + (g == nullptr);
        h = nullptr;
        out[n++] = apply(h, 0) + apply(&twice, 4) + apply([](int x) { return x; }, 9);
        h = counter(&alive, 3);
        taken = h;
        f = taken;
        out[n++] = 10 * alive + f(4);
        int side = 0;
        const nvstd::function<void(int &, int)> set = [](int &to, int x) { to = x; };
        set(side, 17);
        out[n++] = side;
        const nvstd::function<int(int)> none = static_cast<int (*)(int)>(nullptr);
        out[n++] = !none;
    }
    out[n++] = alive;
    return n;
}

__global__ void run_all(int k, int *out)
{
    run(k + threadIdx.x, out + 16 * threadIdx.x);
}

int main(int argc, char **argv)
{
    program_begin(argc, argv);
    device_array<int> out(16 * 40);
    run_all<<<1, 40>>>(3, out.data);
    LAUNCHED();
    const std::vector<int> got = out.host();
    for (int t = 0; t < 40; t++) {
        int expected[16];
        const int n = run(3 + t, expected);
        for (int i = 0; i < n; i++)
            EXPECT(got[16 * t + i] == expected[i]);
    }
    const int k = 3,
              known[] = {1,  -1, 42, 5 * k, 7 + k, 100 * (2 + k) + 3 * k, 100 * (1 + k) + 4 * k + 1,
                         16, 37, 17, 1,     0};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        EXPECT(got[i] == known[i]);
    bool is_refused = false;
    try {
        nvstd::function<int()>()();
    } catch (const std::bad_function_call &) {
        is_refused = true;
    }
    EXPECT(is_refused);
    return program_end();
}
