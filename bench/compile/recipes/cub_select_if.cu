// CUB's selection by a function.
// SPDX-License-Identifier: Apache-2.0
#include "recipe.h"

#include <cub/device/device_select.cuh>

int main(int count, char **words)
{
    const int n = elements(count, words);
    const std::vector<int> values = numbers(n, 1000);
    device_memory<int> in(values), out((size_t)n), selected(1);
    with_room([&](void *room, size_t &bytes) {
        return cub::DeviceSelect::If(room, bytes, in.data, out.data, selected.data, n, is_small());
    });
    std::vector<int> got = out.host();
    got.resize((size_t)selected.host()[0]);
    return judge(got, small_of(values));
}
