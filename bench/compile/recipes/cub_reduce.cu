// CUB's sum of all.
// SPDX-License-Identifier: Apache-2.0
#include "recipe.h"

#include <cub/device/device_reduce.cuh>

#include <numeric>

int main(int count, char **words)
{
    const int n = elements(count, words);
    const std::vector<int> values = numbers(n, 1000);
    device_memory<int> in(values), out(1);
    with_room([&](void *room, size_t &bytes) { return cub::DeviceReduce::Sum(room, bytes, in.data, out.data, n); });
    return judge(out.host()[0], std::accumulate(values.begin(), values.end(), 0));
}
