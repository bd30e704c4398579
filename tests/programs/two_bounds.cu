/* Threads that end where the larger or the smaller of two numbers is beyond a bound, with and without a sign, in blocks that are two rows
 * of a warp and in others.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

enum { WIDTH = 70, HEIGHT = 45, FORMS = 8 };

template <int FORM> __host__ __device__ bool is_within(int x, int y, int from, int to)
{
    const unsigned u = (unsigned)(x - 7), v = (unsigned)(y - 7);
    switch (FORM) {
    case 0:
        return (x > y ? x : y) < to;
    case 1:
        return (x > y ? x : y) <= to;
    case 2:
        return !((x < y ? x : y) < from);
    case 3:
        return (x < y ? x : y) > from;
    case 4:
        return (x < y ? x : y) < from;
    case 5:
        return to <= (x > y ? x : y);
    case 6:
        return (u > v ? u : v) < (unsigned)to; /* what is below 7 is large */
    default:
        return (u < v ? u : v) >= (unsigned)from;
    }
}

template <int FORM> __global__ void mark(int *marks, int from, int to)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (is_within<FORM>(x, y, from, to))
        marks[y * 128 + x] += 1 + FORM;
}

template <int FORM> static void check(dim3 threads, int from, int to)
{
    const dim3 blocks((WIDTH + threads.x - 1) / threads.x, (HEIGHT + threads.y - 1) / threads.y);
    device_array<int> marks(128 * 128);
    std::vector<int> expected(128 * 128);
    for (unsigned y = 0; y < blocks.y * threads.y; y++)
        for (unsigned x = 0; x < blocks.x * threads.x; x++)
            if (is_within<FORM>((int)x, (int)y, from, to))
                expected[y * 128 + x] += 1 + FORM;
    mark<FORM><<<blocks, threads>>>(marks.data, from, to);
    LAUNCHED();
    EXPECT(marks.host() == expected);
    result("marks", marks.host());
}

template <int FORM> static void check_all()
{
    const dim3 shapes[] = {dim3(16, 4), dim3(32, 2), dim3(20, 3)};
    for (const dim3 &shape : shapes) {
        check<FORM>(shape, 5, 40);
        check<FORM>(shape, 33, 64);
        check<FORM>(shape, -1, 1000);
    }
    if (FORM + 1 < FORMS)
        check_all<(FORM + 1 < FORMS ? FORM + 1 : FORM)>();
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    check_all<0>();
    return program_end();
}
