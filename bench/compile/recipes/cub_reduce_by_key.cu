// CUB's sums of runs with equal keys.
// SPDX-License-Identifier: Apache-2.0
#include "recipe.h"

#include <cub/device/device_reduce.cuh>

int main(int count, char **words)
{
    const int n = elements(count, words);
    const std::vector<int> values = numbers(n, 1000);
    std::vector<int> keys, sums;
    runs_of(values, keys, sums);
    device_memory<int> key(keys), in(values), key_out((size_t)n), out((size_t)n), runs(1);
    with_room([&](void *room, size_t &bytes) {
        return cub::DeviceReduce::ReduceByKey(room, bytes, key.data, key_out.data, in.data, out.data, runs.data, cub::Sum(), n);
    });
    std::vector<int> got = out.host();
    got.resize((size_t)runs.host()[0]);
    return judge(got, sums);
}
