// CUB's radix sort of keys with values, which is stable.
// SPDX-License-Identifier: Apache-2.0
#include "recipe.h"

#include <cub/device/device_radix_sort.cuh>

#include <algorithm>

int main(int count, char **words)
{
    const int n = elements(count, words);
    const std::vector<int> keys = numbers(n, 1000);
    std::vector<int> places((size_t)n);
    for (int i = 0; i < n; i++)
        places[(size_t)i] = i;
    device_memory<int> key_in(keys), key_out((size_t)n), value_in(places), value_out((size_t)n);
    with_room([&](void *room, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(room, bytes, key_in.data, key_out.data, value_in.data, value_out.data, n);
    });
    std::stable_sort(places.begin(), places.end(), [&](int a, int b) { return keys[(size_t)a] < keys[(size_t)b]; });
    return judge(value_out.host(), places);
}
