/* cuda::atomic and cuda::atomic_ref: each operation on objects of each size and kind, in global and shared memory and on the
 * host, data that a block hands to another, and groups that store their sum in one.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/std/atomic>

namespace cg = cooperative_groups;

enum { THREADS = 96, BLOCKS = 6, ALL = THREADS * BLOCKS };

enum class colour : unsigned short { none, red = 7 };

struct pair {
    float x, y;
};

/* The small ones share words with neighbours that must stay as they are. */
struct objects {
    cuda::atomic<int> sum, least, most, bits, flips;
    cuda::atomic<unsigned int, cuda::thread_scope_device> taken;
    cuda::atomic<unsigned long long> wide;
    cuda::atomic<long long, cuda::thread_scope_device> low;
    cuda::atomic<float> real;
    cuda::atomic<double> precise, highest;
    unsigned char before;
    cuda::atomic<unsigned char> byte;
    cuda::atomic<bool> is_set;
    unsigned char behind;
    cuda::atomic<short> half;
    cuda::atomic<colour> shade;
    cuda::atomic<pair> both;
    cuda::atomic<int *> address;
    int plain;
    int winners, same;
};

__global__ void compute(objects *o)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    o->sum += i;
    o->least.fetch_min(-i, cuda::memory_order_relaxed);
    o->most.fetch_max(i);
    o->bits |= 1 << i % 31;
    o->flips ^= 3;
    o->taken.fetch_sub(3, cuda::memory_order_acq_rel);
    o->wide.fetch_add(1ull << 33, cuda::std::memory_order_relaxed);
    o->low.fetch_min(-(7ll << 40) - i);
    o->real += 0.5f;
    o->precise.fetch_sub(0.25);
    o->highest.fetch_max(i * 1.5);
    o->byte++;
    --o->half;
    o->address += 2;
    if (!o->is_set.exchange(true))
        atomicAdd(&o->winners, 1);
    if (i == 5) {
        o->both.store({1.5f, -2.0f});
        pair expected = {0, 0};
        const bool is_first = o->both.compare_exchange_strong(expected, {9, 9});
        o->same = !is_first && expected.x == 1.5f && expected.y == -2.0f;
        o->both = {4, 5};
        colour shade = colour::none;
        o->same += o->shade.compare_exchange_weak(shade, colour::red, cuda::memory_order_release,
                                                  cuda::memory_order_relaxed);
    }
    cuda::atomic_ref<int, cuda::thread_scope_device> plain(o->plain);
    plain.fetch_add(2, cuda::memory_order_relaxed);
}

/* Block 0 writes, the others wait for its flag and read. */
__global__ void hand(int *data, cuda::atomic<int, cuda::thread_scope_device> *flag, int *sums)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        for (int i = 0; i < THREADS; i++)
            data[i] = i * i;
        cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
        flag->store(1, cuda::memory_order_relaxed);
        flag->notify_all();
        return;
    }
    flag->wait(0, cuda::memory_order_acquire);
    int sum = 0;
    for (int i = 0; i < THREADS; i++)
        sum += data[i];
    sums[blockIdx.x] = sum;
}

/* Each tile stores or adds its sum, and threads that happen to be together theirs. */
__global__ void by_groups(int *results)
{
    typedef cuda::atomic<int, cuda::thread_scope_block> counter;
    __shared__ counter stored, most, added;
    const cg::thread_block block = cg::this_thread_block();
    const cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    if (block.thread_rank() == 0) {
        new (static_cast<void *>(&stored)) int(-1);
        new (static_cast<void *>(&most)) int(-1);
        new (static_cast<void *>(&added)) int(0);
    }
    block.sync();
    const int rank = static_cast<int>(block.thread_rank());
    if (tile.meta_group_rank() == 2)
        cg::reduce_store_async(tile, stored, rank, cg::plus<int>());
    cg::reduce_update_async(tile, most, rank, cg::greater<int>());
    if (rank % 3 == 0)
        cg::reduce_update_async(cg::coalesced_threads(), added, rank, cg::plus<int>());
    block.sync();
    if (rank == 0)
        results[0] = stored, results[1] = most, results[2] = added;
}

static bool is_right_on_the_host()
{
    cuda::std::atomic<int> number(5);
    cuda::atomic<unsigned char> byte(200);
    cuda::atomic<double> real(1.5);
    int plain = 3, expected = 4;
    cuda::std::atomic_ref<int> named(plain);
    const bool is_changed = number.compare_exchange_strong(expected, 9);
    return !is_changed && expected == 5 && number.fetch_add(2) == 5 && number == 7 &&
           number.exchange(1) == 7 && (byte += 100) == 44 && real.fetch_add(0.5) == 1.5 &&
           real.load() == 2.0 && named.fetch_max(8) == 3 && plain == 8 && --number == 0;
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    EXPECT(is_right_on_the_host());
    objects *o;
    int *data, *results;
    CUDA(cudaMallocManaged(&o, sizeof *o));
    memset(static_cast<void *>(o), 0, sizeof *o);
    o->before = o->behind = 0xa5;
    o->highest = -1;
    compute<<<BLOCKS, THREADS>>>(o);
    LAUNCHED();
    EXPECT(o->sum == ALL * (ALL - 1) / 2 && o->least == 1 - ALL && o->most == ALL - 1);
    EXPECT(o->bits == 0x7fffffff && o->flips == 0 && o->taken == 0u - 3 * ALL);
    EXPECT(o->wide == (unsigned long long)ALL << 33 && o->low == -(7ll << 40) - (ALL - 1));
    EXPECT(o->real == ALL * 0.5f && o->precise == ALL * -0.25 && o->highest == (ALL - 1) * 1.5);
    EXPECT(o->byte == ALL % 256 && o->before == 0xa5 && o->behind == 0xa5 && o->half == -ALL);
    EXPECT(o->is_set && o->winners == 1 && o->same == 2 && o->shade == colour::red);
    EXPECT(o->both.load().x == 4 && o->both.load().y == 5 && o->plain == 2 * ALL);
    EXPECT(reinterpret_cast<size_t>(o->address.load()) == 2 * ALL * sizeof(int));

    cuda::atomic<int, cuda::thread_scope_device> *flag;
    CUDA(cudaMalloc(&data, THREADS * sizeof *data));
    CUDA(cudaMalloc(&flag, sizeof *flag));
    CUDA(cudaMemset(flag, 0, sizeof *flag));
    CUDA(cudaMallocManaged(&results, BLOCKS * sizeof *results));
    hand<<<BLOCKS, THREADS>>>(data, flag, results);
    LAUNCHED();
    for (int i = 1; i < BLOCKS; i++)
        EXPECT(results[i] == (THREADS - 1) * THREADS * (2 * THREADS - 1) / 6);

    by_groups<<<1, THREADS>>>(results);
    LAUNCHED();
    EXPECT(results[0] == 32 * 16 + 15 * 16 / 2 && results[1] == THREADS - 1);
    EXPECT(results[2] == 3 * (THREADS / 3) * (THREADS / 3 - 1) / 2);
    for (void *memory : {(void *)o, (void *)data, (void *)flag, (void *)results})
        CUDA(cudaFree(memory));
    return program_end();
}
