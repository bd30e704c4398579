// A program with Thrust and CUB, from vectors to results.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cub/device/device_scan.cuh>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>

struct square {
    __host__ __device__ int operator()(int x) const
    {
        return x * x % 1000;
    }
};

static bool scans(const thrust::device_vector<int> &values)
{
    const int count = (int)values.size();
    thrust::device_vector<int> sums(count);
    const int *from = thrust::raw_pointer_cast(values.data());
    int *to = thrust::raw_pointer_cast(sums.data()), wanted = 0;
    size_t bytes = 0;
    if (cub::DeviceScan::ExclusiveSum(nullptr, bytes, from, to, count))
        return false;
    thrust::device_vector<char> room(bytes);
    if (cub::DeviceScan::ExclusiveSum(thrust::raw_pointer_cast(room.data()), bytes, from, to,
                                      count))
        return false;
    const thrust::host_vector<int> before = values, after = sums;
    for (int i = 0; i < count; wanted += before[i++])
        if (after[i] != wanted)
            return false;
    return true;
}

int main()
{
    const int count = 30000;
    const thrust::counting_iterator<int> first(0);
    thrust::device_vector<int> values(count);
    int wanted = 0;
    for (int i = 0; i < count; i++)
        wanted += square()(i);
    thrust::transform(first, first + count, values.begin(), square());
    const bool is_right = thrust::reduce(values.begin(), values.end()) == wanted && scans(values);
    puts(is_right ? "ok" : "wrong");
    return !is_right;
}
