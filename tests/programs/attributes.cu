/* Marks of functions and types that tell a compiler something, and change nothing of what is computed.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

struct __builtin_align__(16) quad
{
    int x, y;
};

__device__ __inline_hint__ int doubled(int x)
{
    return 2 * x;
}

__device__ __nv_pure__ int sum_of(const int *values, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

__global__ void __maxnreg__(64) compute(int *values, const quad *quads)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH_HAS_FEATURE__(SM10_ALL)
    values[4] = 1;
#endif
    values[2] = doubled(values[0] + quads[1].x);
    values[3] = sum_of(values, 3);
}

int main(int argc, char **argv)
{
    program_begin(argc, argv);
    EXPECT(sizeof(quad) == 16 && alignof(quad) == 16);
    device_array<int> values(std::vector<int>{3, 5, 0, 0, 0});
    device_array<quad> quads(std::vector<quad>{{1, 2}, {4, 8}});
    compute<<<1, 1>>>(values.data, quads.data);
    LAUNCHED();
    const std::vector<int> found = values.host();
    EXPECT(found[2] == 14 && found[3] == 22 && found[4] == 0);
    result("values", found);
    return program_end();
}
