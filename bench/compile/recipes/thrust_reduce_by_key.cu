// Thrust's sums of runs with equal keys.
// SPDX-License-Identifier: Apache-2.0
#include "recipe.h"

#include <thrust/device_ptr.h>
#include <thrust/reduce.h>

int main(int count, char **words)
{
    const int n = elements(count, words);
    const std::vector<int> values = numbers(n, 1000);
    std::vector<int> keys, sums;
    runs_of(values, keys, sums);
    device_memory<int> key(keys), in(values), key_out((size_t)n), out((size_t)n);
    const thrust::device_ptr<int> first(key.data), to(out.data);
    const auto ends = thrust::reduce_by_key(first, first + n, thrust::device_ptr<int>(in.data),
                                            thrust::device_ptr<int>(key_out.data), to);
    std::vector<int> got = out.host();
    got.resize((size_t)(ends.second - to));
    return judge(got, sums);
}
