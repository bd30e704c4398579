/* The kernels of clem-bench-native that are no study's. Those of kernels/peak.cl are read as they are.
 * SPDX-License-Identifier: Apache-2.0 */
#include "opencl_c.cuh"

namespace opencl_c
{
#include "../peak.cl"

extern "C" __global__ void bench_empty()
{
}

extern "C" __global__ void bench_arguments(unsigned *, unsigned *, unsigned long long)
{
}

#include "symbol.cu"
#include "touch.cu"
}
