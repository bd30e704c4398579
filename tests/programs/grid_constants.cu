/* Parameters that nobody changes and whose addresses are taken: what __isGridConstant() says of addresses of each kind, and
 * functions that are given such an address.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

/* Compilers that lack them give each thread a copy of its own. */
#if defined(__clang__) && !__has_attribute(grid_constant)
enum { HAS_CONSTANTS = 0 };
#else
enum { HAS_CONSTANTS = 1 };
#endif

struct table {
    int numbers[24];
    const int *more;
};

__device__ int somewhere[2];

__device__ __noinline__ int sum_of(const table *t, int from, int to)
{
    int sum = 0;
    for (int i = from; i < to; i++)
        sum += t->numbers[i];
    return sum;
}

/* Of an address whose variable the compiler does not see, NVIDIA's GPUs say no. */
__device__ __noinline__ unsigned int is_constant(const void *address)
{
    return __isGridConstant(address);
}

__global__ void look(const __grid_constant__ table t, const __grid_constant__ int factor,
                     unsigned int *kinds, int *sums)
{
    __shared__ int own[32];
    const int i = threadIdx.x;
    int local[4] = {i, i + 1, i + 2, i + 3};
    own[i] = i;
    sums[i] = factor * sum_of(&t, i % 8, 8 + i % 16) + t.more[i % 2];
    if (i == 0) {
        kinds[0] = is_constant(&t);
        kinds[1] = __isGridConstant(&t.numbers[23]);
        kinds[2] = is_constant(&factor);
        kinds[3] = is_constant(kinds);
        kinds[4] = is_constant(own + i);
        kinds[5] = is_constant(local + i);
        kinds[6] = is_constant(somewhere);
        const size_t at = __cvta_generic_to_grid_constant(&t);
        kinds[7] = __cvta_grid_constant_to_generic(at) == &t;
        kinds[8] = HAS_CONSTANTS;
    }
    sums[i] += local[(i + sums[i]) & 3] - i - ((i + sums[i]) & 3) + own[i] - i;
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    table t;
    const std::vector<int> more = {1000, 2000};
    for (int i = 0; i < 24; i++)
        t.numbers[i] = i * i - 7;
    device_array<int> given(more), sums(32);
    device_array<unsigned int> kinds(9);
    t.more = given.data;
    look<<<1, 32>>>(t, 3, kinds.data, sums.data);
    LAUNCHED();
    const std::vector<int> got = sums.host();
    for (int i = 0; i < 32; i++) {
        int sum = 0;
        for (int k = i % 8; k < 8 + i % 16; k++)
            sum += t.numbers[k];
        EXPECT(got[i] == 3 * sum + more[i % 2]);
    }
    const std::vector<unsigned int> told = kinds.host();
    const unsigned int is = told[8];
    const unsigned int far = told[0];
    EXPECT(far == 0 || far == is);
    EXPECT(told == std::vector<unsigned int>({far, is, far, 0, 0, 0, 0, 1, is}));
    result("sums", got);
    return program_end();
}
