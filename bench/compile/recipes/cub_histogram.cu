// CUB's histogram of 256 even bins.
// SPDX-License-Identifier: Apache-2.0
#include "recipe.h"

#include <cub/device/device_histogram.cuh>

int main(int count, char **words)
{
    const int n = elements(count, words);
    const std::vector<int> values = numbers(n, 256);
    std::vector<int> expected(256);
    for (int value : values)
        expected[(size_t)value]++;
    device_memory<int> in(values), out(256);
    with_room([&](void *room, size_t &bytes) {
        return cub::DeviceHistogram::HistogramEven(room, bytes, in.data, out.data, 257, 0, 256, n);
    });
    return judge(out.host(), expected);
}
