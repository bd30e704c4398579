// Thrust's inclusive scan.
// SPDX-License-Identifier: Apache-2.0
#include "recipe.h"

#include <thrust/device_ptr.h>
#include <thrust/scan.h>

#include <numeric>

int main(int count, char **words)
{
    const int n = elements(count, words);
    std::vector<int> values = numbers(n, 1000);
    device_memory<int> in(values);
    const thrust::device_ptr<int> first(in.data);
    thrust::inclusive_scan(first, first + n, first);
    std::partial_sum(values.begin(), values.end(), values.begin());
    return judge(in.host(), values);
}
