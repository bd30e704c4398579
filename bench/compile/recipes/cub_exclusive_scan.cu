// CUB's prefix sums of what comes before.
// SPDX-License-Identifier: Apache-2.0
#include "recipe.h"

#include <cub/device/device_scan.cuh>

int main(int count, char **words)
{
    const int n = elements(count, words);
    std::vector<int> values = numbers(n, 1000);
    device_memory<int> in(values), out((size_t)n);
    with_room([&](void *room, size_t &bytes) { return cub::DeviceScan::ExclusiveSum(room, bytes, in.data, out.data, n); });
    int sum = 0;
    for (int &value : values) {
        const int own = value;
        value = sum;
        sum += own;
    }
    return judge(out.host(), values);
}
