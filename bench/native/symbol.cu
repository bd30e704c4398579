/* The variable of kernels/symbol.cl in CUDA C++.
 * SPDX-License-Identifier: Apache-2.0 */
extern "C" {
__constant__ unsigned bench_constant[16384];
}

extern "C" __global__ void symbol_read(unsigned *target)
{
    target[get_global_id(0)] = bench_constant[get_global_id(0) % 16384];
}
