// CUB's selection of flagged elements.
// SPDX-License-Identifier: Apache-2.0
#include "recipe.h"

#include <cub/device/device_select.cuh>

int main(int count, char **words)
{
    const int n = elements(count, words);
    const std::vector<int> values = numbers(n, 1000);
    std::vector<char> flags((size_t)n);
    std::vector<int> expected;
    for (size_t i = 0; i < flags.size(); i++) {
        flags[i] = values[i] % 3 == 0;
        if (flags[i])
            expected.push_back(values[i]);
    }
    device_memory<int> in(values), out((size_t)n), selected(1);
    device_memory<char> flag(flags);
    with_room([&](void *room, size_t &bytes) {
        return cub::DeviceSelect::Flagged(room, bytes, in.data, flag.data, out.data, selected.data, n);
    });
    std::vector<int> got = out.host();
    got.resize((size_t)selected.host()[0]);
    return judge(got, expected);
}
