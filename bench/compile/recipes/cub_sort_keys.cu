// CUB's radix sort of keys.
// SPDX-License-Identifier: Apache-2.0
#include "recipe.h"

#include <cub/device/device_radix_sort.cuh>

#include <algorithm>

int main(int count, char **words)
{
    const int n = elements(count, words);
    std::vector<int> values = numbers(n, 1u << 24);
    device_memory<int> in(values), out((size_t)n);
    with_room([&](void *room, size_t &bytes) { return cub::DeviceRadixSort::SortKeys(room, bytes, in.data, out.data, n); });
    std::sort(values.begin(), values.end());
    return judge(out.host(), values);
}
