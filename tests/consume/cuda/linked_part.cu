/* See linked.cu.
 * SPDX-License-Identifier: Apache-2.0 */
__device__ int base = 100;
__managed__ int calls = 5;

__device__ int part(int x)
{
    return x * x;
}
