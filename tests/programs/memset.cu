/* The first listings: a grid-stride memset, and writes of any component size, block and grid.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

template <class T> __global__ void gpu_memset(T *base, T value, size_t n)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        base[i] = value;
}

struct rgb {
    unsigned char r, g, b;
};

template <class T> static void fill(const char *name, T value, T guard)
{
    static const unsigned blocks[] = {1, 3, 64};
    static const unsigned threads[] = {1, 32, 100, 256};
    static const size_t counts[] = {0, 1, 255, 1000, 4099};
    const std::vector<T> untouched(4200, guard);
    std::vector<T> all;
    for (unsigned grid : blocks)
        for (unsigned block : threads)
            for (size_t n : counts) {
                device_array<T> memory(untouched);
                gpu_memset<T><<<grid, block>>>(memory.data, value, n);
                LAUNCHED();
                const std::vector<T> got = memory.host();
                size_t wrong = 0;
                for (size_t i = 0; i < got.size(); i++)
                    wrong += memcmp(&got[i], i < n ? &value : &guard, sizeof(T)) != 0;
                EXPECT(wrong == 0);
                all = got;
            }
    result(name, all);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    fill<unsigned char>("bytes", 0xa5, 0x11);
    fill<unsigned short>("shorts", 0xa55a, 0x1111);
    fill<int>("ints", -123456789, 7);
    fill<float>("floats", 3.25f, -1.0f);
    fill<double>("doubles", 1.0 / 3, -1.0);
    fill<float2>("float2", make_float2(1, 2), make_float2(0, -1));
    fill<int4>("int4", make_int4(1, 2, 3, 4), make_int4(9, 9, 9, 9));
    fill<rgb>("three bytes", rgb{1, 2, 3}, rgb{7, 8, 9});
    return program_end();
}
