// Thrust's sort.
// SPDX-License-Identifier: Apache-2.0
#include "recipe.h"

#include <thrust/device_ptr.h>
#include <thrust/sort.h>

#include <algorithm>

int main(int count, char **words)
{
    const int n = elements(count, words);
    std::vector<int> values = numbers(n, 1u << 24);
    device_memory<int> in(values);
    const thrust::device_ptr<int> first(in.data);
    thrust::sort(first, first + n);
    std::sort(values.begin(), values.end());
    return judge(in.host(), values);
}
