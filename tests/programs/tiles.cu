/* Cooperative groups: the block, tiles of 4 to 32 threads with their shuffles, votes and reductions, and threads that
 * happen to be together.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

template <unsigned size> __global__ void sums(int *out, const int *in)
{
    const cg::thread_block block = cg::this_thread_block();
    const cg::thread_block_tile<size> tile = cg::tiled_partition<size>(block);
    const unsigned i = block.group_index().x * block.size() + block.thread_rank();
    int value = in[i];
    for (unsigned offset = tile.size() / 2; offset > 0; offset /= 2)
        value += tile.shfl_down(value, offset);
    const int by_reduce = cg::reduce(tile, in[i], cg::plus<int>());
    const int most = cg::reduce(tile, in[i], cg::greater<int>());
    const unsigned odd = tile.ballot(in[i] & 1);
    tile.sync();
    value = tile.shfl(value, 0);
    int *mine = out + 6 * i;
    mine[0] = value;
    mine[1] = by_reduce;
    mine[2] = most;
    mine[3] = __popc(odd);
    mine[4] = (int)(tile.meta_group_rank() * 100 + tile.thread_rank());
    mine[5] = tile.any(in[i] == 50) + 2 * tile.all(in[i] >= 0);
}

__global__ void whole_block(int *out, const int *in)
{
    __shared__ int values[128];
    const cg::thread_block block = cg::this_thread_block();
    const unsigned rank = block.thread_rank();
    values[rank] = in[rank];
    block.sync();
    out[rank] = values[block.size() - 1 - rank];
}

/* One atomic for all threads of a warp that got here. */
__global__ void aggregated(int *counter, int *order, const int *in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] % 3 == 0) {
        const cg::coalesced_group active = cg::coalesced_threads();
        int base = 0;
        if (active.thread_rank() == 0)
            base = atomicAdd(counter, (int)active.size());
        order[i] = active.shfl(base, 0) + (int)active.thread_rank();
    }
}

static const int n = 256;

template <unsigned size>
static void check(const std::vector<int> &values, const device_array<int> &in)
{
    device_array<int> out(6 * n);
    sums<size><<<n / 128, 128>>>(out.data, in.data);
    LAUNCHED();
    const std::vector<int> got = out.host();
    for (int i = 0; i < n; i++) {
        const int first = i / (int)size * (int)size;
        int sum = 0, most = 0, odd = 0, any = 0;
        for (int k = first; k < first + (int)size; k++) {
            sum += values[k], odd += values[k] & 1, any |= values[k] == 50;
            most = values[k] > most ? values[k] : most;
        }
        const int expected[6] = {sum,    sum, most, odd, i % 128 / (int)size * 100 + i % (int)size,
                                 any + 2};
        EXPECT(memcmp(&got[6 * i], expected, sizeof expected) == 0);
    }
    result("sums", got);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    std::vector<int> values(n);
    for (int i = 0; i < n; i++)
        values[i] = (int)(random_word(i) % 100);
    device_array<int> in(values), reversed(128), counter(1), order(n);
    check<32>(values, in);
    check<16>(values, in);
    check<4>(values, in);
    whole_block<<<1, 128>>>(reversed.data, in.data);
    aggregated<<<n / 64, 64>>>(counter.data, order.data, in.data);
    LAUNCHED();
    const std::vector<int> back = reversed.host(), places = order.host();
    for (int i = 0; i < 128; i++)
        EXPECT(back[i] == values[127 - i]);
    int total = 0;
    std::vector<int> taken(n);
    for (int v : values)
        total += v % 3 == 0;
    for (int i = 0; i < n; i++)
        if (values[i] % 3 == 0) {
            EXPECT(places[i] >= 0 && places[i] < total);
            taken[places[i] & (n - 1)]++;
        }
    for (int i = 0; i < total; i++)
        EXPECT(taken[i] == 1);
    EXPECT(counter.host()[0] == total);
    return program_end();
}
