/* Managed variables of two sources lie side by side; each source launches kernels of its own.
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>

__managed__ int count = 39;
static __managed__ int table[3] = {1, 2, 3};

__global__ void step()
{
    if (threadIdx.x == 0)
        count += STEP;
    table[threadIdx.x] *= 2;
}

int second_part(int *of_first);
int host_part(int value);

int main()
{
    step<<<1, 3>>>();
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    const bool is_right = count == 39 + STEP && table[2] == 6 && second_part(table) == 6 + 10 + 14 && table[0] == 3;
    printf("%d\n", host_part(is_right));
    return !is_right;
}
