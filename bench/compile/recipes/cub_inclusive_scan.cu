// CUB's prefix sums, each with its own element.
// SPDX-License-Identifier: Apache-2.0
#include "recipe.h"

#include <cub/device/device_scan.cuh>

#include <numeric>

int main(int count, char **words)
{
    const int n = elements(count, words);
    std::vector<int> values = numbers(n, 1000);
    device_memory<int> in(values), out((size_t)n);
    with_room([&](void *room, size_t &bytes) { return cub::DeviceScan::InclusiveSum(room, bytes, in.data, out.data, n); });
    std::partial_sum(values.begin(), values.end(), values.begin());
    return judge(out.host(), values);
}
