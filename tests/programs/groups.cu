/* Cooperative groups beyond a warp's even tiles: tiles of several warps, groups by label and by side, tiles of tiles, and
 * copies that a group makes together.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

enum { BLOCK = 128, LARGE_VALUES = 5, SMALL_VALUES = 6 };

template <unsigned size> __global__ void large_tiles(int *out, const int *in)
{
    __shared__ cg::block_tile_memory<BLOCK> scratch;
    const cg::thread_block block = cg::this_thread_block(scratch);
    const auto tile = cg::tiled_partition<size>(block);
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    int *mine = out + LARGE_VALUES * i;
    mine[0] = cg::reduce(tile, in[i], cg::plus<int>());
    mine[1] = cg::reduce(tile, in[i], cg::greater<int>());
    mine[2] = tile.shfl(in[i], size - 3);
    mine[3] = tile.any(in[i] == 7) + 2 * tile.all(in[i] < 90);
    mine[4] =
        (int)(tile.meta_group_rank() * 1000 + tile.meta_group_size() * 10000 + tile.thread_rank());
}

__global__ void small_groups(int *out, const int *in)
{
    __shared__ int copy[BLOCK];
    const cg::thread_block block = cg::this_thread_block();
    const cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    const auto eight = cg::tiled_partition<8>(warp);
    cg::memcpy_async(block, copy, in + blockIdx.x * BLOCK, sizeof copy);
    cg::wait(block);
    const int value = copy[threadIdx.x];
    const auto label = cg::labeled_partition(warp, value % 3);
    const auto side = cg::binary_partition(warp, (value & 1) != 0);
    int *mine = out + SMALL_VALUES * (blockIdx.x * BLOCK + threadIdx.x);
    mine[0] = cg::reduce(label, value, cg::plus<int>());
    mine[1] = label.shfl(value, (int)label.size() - 1);
    mine[2] = (int)(label.size() * 100 + label.thread_rank());
    mine[3] = value & 1 ? cg::reduce(side, value, cg::less<int>())
                        : -cg::reduce(side, value, cg::greater<int>());
    mine[4] =
        (int)(eight.meta_group_rank() * 100 + eight.meta_group_size() * 1000 + eight.thread_rank());
    mine[5] = (int)(side.size() * 100 + side.meta_group_rank());
}

static const int n = 2 * BLOCK;

template <unsigned size> static void check_large(const std::vector<int> &in)
{
    device_array<int> from(in), to(LARGE_VALUES * n);
    large_tiles<size><<<n / BLOCK, BLOCK>>>(to.data, from.data);
    LAUNCHED();
    const std::vector<int> got = to.host();
    for (int i = 0; i < n; i++) {
        const int first = i / (int)size * (int)size;
        int sum = 0, most = 0, has_seven = 0, all_below = 1;
        for (int k = first; k < first + (int)size; k++) {
            sum += in[k], most = in[k] > most ? in[k] : most;
            has_seven |= in[k] == 7, all_below &= in[k] < 90;
        }
        const int expected[LARGE_VALUES] = {
            sum, most, in[first + (int)size - 3], has_seven + 2 * all_below,
            i % BLOCK / (int)size * 1000 + BLOCK / (int)size * 10000 + i % (int)size};
        EXPECT(memcmp(&got[LARGE_VALUES * i], expected, sizeof expected) == 0);
    }
    result("large", got);
}

static void check_small(const std::vector<int> &in)
{
    device_array<int> from(in), to(SMALL_VALUES * n);
    small_groups<<<n / BLOCK, BLOCK>>>(to.data, from.data);
    LAUNCHED();
    const std::vector<int> got = to.host();
    for (int i = 0; i < n; i++) {
        int sum = 0, last = 0, labels = 0, before = 0, sides = 0, least = in[i], most = in[i];
        for (int k = i / 32 * 32; k < i / 32 * 32 + 32; k++) {
            if (in[k] % 3 == in[i] % 3)
                sum += in[k], last = in[k], labels++, before += k < i;
            if ((in[k] & 1) == (in[i] & 1))
                sides++, least = in[k] < least ? in[k] : least, most = in[k] > most ? in[k] : most;
        }
        const int expected[SMALL_VALUES] = {sum,
                                            last,
                                            labels * 100 + before,
                                            in[i] & 1 ? least : -most,
                                            i % 32 / 8 * 100 + 4 * 1000 + i % 8,
                                            sides * 100 + (in[i] & 1)};
        /* Which side is the first of the two is nowhere said. */
        EXPECT(memcmp(&got[SMALL_VALUES * i], expected, 5 * sizeof *expected) == 0);
        EXPECT(got[SMALL_VALUES * i + 5] / 100 == sides && got[SMALL_VALUES * i + 5] % 100 < 2);
    }
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    std::vector<int> values(n);
    for (int i = 0; i < n; i++)
        values[i] = (int)(random_word(i) % 100);
    values[3] = 7;
    for (int i = 64; i < 128; i++)
        values[i] %= 90;
    check_large<64>(values);
    check_large<128>(values);
    check_small(values);
    return program_end();
}
