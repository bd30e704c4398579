// Thrust's copy of what passes.
// SPDX-License-Identifier: Apache-2.0
#include "recipe.h"

#include <thrust/device_ptr.h>
#include <thrust/copy.h>

int main(int count, char **words)
{
    const int n = elements(count, words);
    const std::vector<int> values = numbers(n, 1000);
    device_memory<int> in(values), out((size_t)n);
    const thrust::device_ptr<int> first(in.data), to(out.data);
    const auto end = thrust::copy_if(first, first + n, to, is_small());
    std::vector<int> got = out.host();
    got.resize((size_t)(end - to));
    return judge(got, small_of(values));
}
