// The kernels of some of Thrust's algorithms.
// SPDX-License-Identifier: Apache-2.0
#include <thrust/device_ptr.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

int algorithms(int *memory, int count)
{
    const thrust::device_ptr<int> first(memory), end = first + count;
    thrust::inclusive_scan(first, end, first);
    thrust::transform(first, end, first, first, thrust::plus<int>());
    thrust::sort(first, end);
    return thrust::reduce(first, end);
}
