/* The variable of kernels/symbol.cl in CUDA C++.
 * SPDX-License-Identifier: Apache-2.0 */
extern "C" {
__constant__ unsigned bench_constant[16384];
}

extern "C" __global__ void symbol_read(unsigned *target)
{
    target[item()] = bench_constant[item() % 16384];
}
