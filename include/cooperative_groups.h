/* cooperative_groups.h: groups of threads as objects. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_

#include "crt/device_functions.h"
#include "vector_types.h"

/* Grids, clusters of one block, blocks, tiles and the threads of a warp that are together. The threads of a grid can wait for each other in a
 * cooperative launch, where is_valid() says so.
 *
 * Source: CUDA C++ Programming Guide 13.0, Cooperative Groups.
 */
#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

#define CLEM_DEVICE __device__ __forceinline__

namespace cooperative_groups
{

/* ---- the grid -------------------------------------------------------------------------------- */

class grid_group
{
    /* Two words, of which the second is the barrier: all blocks add to it, the first so much that the upper bit changes
     * when all have come. Its address is told by registers; 0: this is no cooperative launch. */
    CLEM_DEVICE static unsigned long long workspace()
    {
        unsigned int upper, lower;
        __asm__ volatile("mov.u32 %0, %%envreg1;" : "=r"(upper));
        __asm__ volatile("mov.u32 %0, %%envreg2;" : "=r"(lower));
        return static_cast<unsigned long long>(upper) << 32 | lower;
    }
    CLEM_DEVICE static bool is_first()
    {
        return threadIdx.x + threadIdx.y + threadIdx.z == 0;
    }

  public:
    typedef unsigned int arrival_token;

    CLEM_DEVICE arrival_token barrier_arrive() const
    {
        unsigned int before = 0;
        const unsigned long long barrier = workspace() + 4;
        if (barrier == 4)
            __trap();
        __syncthreads();
        if (is_first()) {
            const bool is_first_block = blockIdx.x + blockIdx.y + blockIdx.z == 0;
            const unsigned int others = gridDim.x * gridDim.y * gridDim.z - 1;
            __asm__ volatile("atom.add.release.gpu.u32 %0, [%1], %2;"
                             : "=r"(before)
                             : "l"(barrier), "r"(is_first_block ? 0x80000000u - others : 1u)
                             : "memory");
        }
        return before;
    }
    CLEM_DEVICE void barrier_wait(arrival_token &&before) const
    {
        if (is_first()) {
            const unsigned long long barrier = workspace() + 4;
            unsigned int now;
            do
                __asm__ volatile("ld.acquire.gpu.u32 %0, [%1];"
                                 : "=r"(now)
                                 : "l"(barrier)
                                 : "memory");
            while (((now ^ before) & 0x80000000u) == 0);
        }
        __syncthreads();
    }
    CLEM_DEVICE void sync() const
    {
        barrier_wait(barrier_arrive());
    }
    CLEM_DEVICE bool is_valid() const
    {
        return workspace() != 0;
    }
    CLEM_DEVICE unsigned long long block_rank() const
    {
        return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x +
               blockIdx.x;
    }
    CLEM_DEVICE unsigned long long num_blocks() const
    {
        return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
    }
    CLEM_DEVICE unsigned long long num_threads() const
    {
        return num_blocks() * (blockDim.x * blockDim.y * blockDim.z);
    }
    CLEM_DEVICE unsigned long long size() const
    {
        return num_threads();
    }
    CLEM_DEVICE unsigned long long thread_rank() const
    {
        return block_rank() * (blockDim.x * blockDim.y * blockDim.z) +
               (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
    CLEM_DEVICE dim3 dim_blocks() const
    {
        return dim3(gridDim.x, gridDim.y, gridDim.z);
    }
    CLEM_DEVICE dim3 group_dim() const
    {
        return dim_blocks();
    }
    CLEM_DEVICE dim3 block_index() const
    {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
    /* Every block is a cluster of its own. */
    CLEM_DEVICE unsigned long long cluster_rank() const
    {
        return block_rank();
    }
    CLEM_DEVICE unsigned long long num_clusters() const
    {
        return num_blocks();
    }
    CLEM_DEVICE dim3 dim_clusters() const
    {
        return dim_blocks();
    }
    CLEM_DEVICE dim3 cluster_index() const
    {
        return block_index();
    }
};

CLEM_DEVICE grid_group this_grid()
{
    return grid_group();
}

/* ---- the block ------------------------------------------------------------------------------- */

/* What tiles of several warps hand values over in: 32 bytes for each warp. */
constexpr unsigned int clem_warp_bytes = 32;
template <unsigned int MaxBlockSize = 1024> struct alignas(16) block_tile_memory {
    unsigned char bytes[(MaxBlockSize + 31) / 32 * clem_warp_bytes];
};

class thread_block
{
    unsigned char *memory;

  public:
    struct arrival_token {
    };
    CLEM_DEVICE explicit thread_block(unsigned char *scratch = nullptr) : memory(scratch)
    {
    }
    CLEM_DEVICE unsigned char *clem_memory() const
    {
        return memory;
    }
    CLEM_DEVICE static void sync()
    {
        __syncthreads();
    }
    CLEM_DEVICE arrival_token barrier_arrive() const
    {
        return arrival_token();
    }
    /* The wait alone is the barrier: no thread passes before all have arrived. */
    CLEM_DEVICE void barrier_wait(arrival_token &&) const
    {
        __syncthreads();
    }
    CLEM_DEVICE static unsigned int thread_rank()
    {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
    CLEM_DEVICE static unsigned int num_threads()
    {
        return blockDim.x * blockDim.y * blockDim.z;
    }
    CLEM_DEVICE static unsigned int size()
    {
        return num_threads();
    }
    CLEM_DEVICE static dim3 group_index()
    {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
    CLEM_DEVICE static dim3 thread_index()
    {
        return dim3(threadIdx.x, threadIdx.y, threadIdx.z);
    }
    CLEM_DEVICE static dim3 dim_threads()
    {
        return dim3(blockDim.x, blockDim.y, blockDim.z);
    }
    CLEM_DEVICE static dim3 group_dim()
    {
        return dim_threads();
    }
};

CLEM_DEVICE thread_block this_thread_block()
{
    return thread_block();
}
template <unsigned int MaxBlockSize>
CLEM_DEVICE thread_block this_thread_block(block_tile_memory<MaxBlockSize> &scratch)
{
    return thread_block(scratch.bytes);
}

/* ---- the cluster: one block -------------------------------------------------------------------- */

class cluster_group
{
  public:
    struct arrival_token {
    };
    CLEM_DEVICE static void sync()
    {
        __syncthreads();
    }
    CLEM_DEVICE static arrival_token barrier_arrive()
    {
        return arrival_token();
    }
    /* As of a block, the wait alone is the barrier. */
    CLEM_DEVICE static void barrier_wait(arrival_token && = arrival_token())
    {
        __syncthreads();
    }
    /* An address in the shared memory of a block of the cluster, and whose memory one is in: of the only block. */
    template <class T> CLEM_DEVICE static T *map_shared_rank(T *address, int)
    {
        return address;
    }
    CLEM_DEVICE static unsigned int query_shared_rank(const void *)
    {
        return 0;
    }
    CLEM_DEVICE static unsigned int thread_rank()
    {
        return thread_block::thread_rank();
    }
    CLEM_DEVICE static dim3 thread_index()
    {
        return thread_block::thread_index();
    }
    CLEM_DEVICE static unsigned int num_threads()
    {
        return thread_block::num_threads();
    }
    CLEM_DEVICE static unsigned int size()
    {
        return num_threads();
    }
    CLEM_DEVICE static dim3 dim_threads()
    {
        return thread_block::dim_threads();
    }
    CLEM_DEVICE static unsigned int block_rank()
    {
        return 0;
    }
    CLEM_DEVICE static dim3 block_index()
    {
        return dim3(0, 0, 0);
    }
    CLEM_DEVICE static unsigned int num_blocks()
    {
        return 1;
    }
    CLEM_DEVICE static dim3 dim_blocks()
    {
        return dim3(1, 1, 1);
    }
};

CLEM_DEVICE cluster_group this_cluster()
{
    return cluster_group();
}

/* ---- shuffles of any type, word by word ------------------------------------------------------- */

template <class T> struct clem_value {
    unsigned int word[(sizeof(T) + 3) / 4];
};

template <class T, class Move> CLEM_DEVICE T clem_moved(const T &value, Move move)
{
    clem_value<T> words = {};
    __builtin_memcpy(&words, &value, sizeof(T));
    for (unsigned int &word : words.word)
        word = move(word);
    T r;
    __builtin_memcpy(&r, &words, sizeof(T));
    return r;
}

/* ---- threads of a warp ------------------------------------------------------------------------ */

/* Which of the groups that a group was parted into one is. */
class clem_part
{
    unsigned int rank, count;

  public:
    CLEM_DEVICE clem_part(unsigned int number, unsigned int of) : rank(number), count(of)
    {
    }
    CLEM_DEVICE unsigned int meta_group_rank() const
    {
        return rank;
    }
    CLEM_DEVICE unsigned int meta_group_size() const
    {
        return count;
    }
};

/* What tiles and coalesced threads share: a mask of lanes. */
class clem_lanes : public clem_part
{
  protected:
    unsigned int mask;

  public:
    CLEM_DEVICE explicit clem_lanes(unsigned int lanes, clem_part part = clem_part(0, 1))
        : clem_part(part), mask(lanes)
    {
    }
    CLEM_DEVICE static unsigned int lane()
    {
        unsigned int r;
        __asm__("mov.u32 %0, %%laneid;" : "=r"(r));
        return r;
    }
    CLEM_DEVICE unsigned int lanes() const
    {
        return mask;
    }
    CLEM_DEVICE void sync() const
    {
        __syncwarp(mask);
    }
    CLEM_DEVICE int any(int predicate) const
    {
        return __any_sync(mask, predicate);
    }
    CLEM_DEVICE int all(int predicate) const
    {
        return __all_sync(mask, predicate);
    }
};

/* Lanes in any pattern; ranks count those below. */
class coalesced_group : public clem_lanes
{
    /* Bits of lanes to bits of ranks. */
    CLEM_DEVICE unsigned int packed(unsigned int of_lanes) const
    {
        unsigned int r = 0, rank = 0;
        for (unsigned int left = mask; left != 0; left &= left - 1, rank++)
            r |= (of_lanes >> (__ffs(static_cast<int>(left)) - 1) & 1u) << rank;
        return r;
    }
    CLEM_DEVICE int lane_of(unsigned int rank) const
    {
        return static_cast<int>(__fns(mask, 0, static_cast<int>(rank) + 1));
    }

  public:
    CLEM_DEVICE explicit coalesced_group(unsigned int lanes, clem_part part = clem_part(0, 1))
        : clem_lanes(lanes, part)
    {
    }
    CLEM_DEVICE unsigned int num_threads() const
    {
        return static_cast<unsigned>(__popc(mask));
    }
    CLEM_DEVICE unsigned int size() const
    {
        return num_threads();
    }
    CLEM_DEVICE unsigned int thread_rank() const
    {
        return static_cast<unsigned>(__popc(mask & ((1u << lane()) - 1)));
    }
    CLEM_DEVICE unsigned int ballot(int predicate) const
    {
        return packed(__ballot_sync(mask, predicate));
    }
    template <class T> CLEM_DEVICE unsigned int match_any(T value) const
    {
        return packed(__match_any_sync(mask, value));
    }
    template <class T> CLEM_DEVICE unsigned int match_all(T value, int &equal) const
    {
        return packed(__match_all_sync(mask, value, &equal));
    }
    template <class T> CLEM_DEVICE T shfl(T value, int rank) const
    {
        const int from = lane_of(static_cast<unsigned>(rank));
        return clem_moved(value, [&](unsigned int w) { return __shfl_sync(mask, w, from); });
    }
    /* A rank outside the group gives the caller's own value. */
    template <class T> CLEM_DEVICE T shfl_up(T value, int delta) const
    {
        const int rank = static_cast<int>(thread_rank()) - delta;
        const int from = rank < 0 ? static_cast<int>(lane()) : lane_of(static_cast<unsigned>(rank));
        return clem_moved(value, [&](unsigned int w) { return __shfl_sync(mask, w, from); });
    }
    template <class T> CLEM_DEVICE T shfl_down(T value, int delta) const
    {
        const unsigned int rank = thread_rank() + static_cast<unsigned>(delta);
        const int from = rank >= size() ? static_cast<int>(lane()) : lane_of(rank);
        return clem_moved(value, [&](unsigned int w) { return __shfl_sync(mask, w, from); });
    }
};

CLEM_DEVICE coalesced_group coalesced_threads()
{
    return coalesced_group(__activemask());
}

/* Size neighbours of a warp, from a multiple of Size on. */
template <unsigned int Size, bool IsOfSeveralWarps> class clem_tile : public clem_lanes
{
    static_assert(Size != 0 && (Size & (Size - 1)) == 0, "the threads of a tile are a power of 2");
    static constexpr unsigned int all_lanes = Size == 32 ? ~0u : (1u << (Size & 31)) - 1;
    CLEM_DEVICE static unsigned int first()
    {
        return lane() & ~(Size - 1);
    }

  public:
    CLEM_DEVICE clem_tile(clem_part part, unsigned char *) : clem_lanes(all_lanes << first(), part)
    {
    }
    CLEM_DEVICE static constexpr unsigned int num_threads()
    {
        return Size;
    }
    CLEM_DEVICE static constexpr unsigned int size()
    {
        return Size;
    }
    CLEM_DEVICE static unsigned int thread_rank()
    {
        return lane() & (Size - 1);
    }
    CLEM_DEVICE unsigned int ballot(int predicate) const
    {
        return __ballot_sync(mask, predicate) >> first() & all_lanes;
    }
    template <class T> CLEM_DEVICE unsigned int match_any(T value) const
    {
        return __match_any_sync(mask, value) >> first() & all_lanes;
    }
    template <class T> CLEM_DEVICE unsigned int match_all(T value, int &equal) const
    {
        return __match_all_sync(mask, value, &equal) >> first() & all_lanes;
    }
    template <class T> CLEM_DEVICE T shfl(T value, int rank) const
    {
        return clem_moved(value, [&](unsigned int w) { return __shfl_sync(mask, w, rank, Size); });
    }
    template <class T> CLEM_DEVICE T shfl_up(T value, unsigned int delta) const
    {
        return clem_moved(value,
                          [&](unsigned int w) { return __shfl_up_sync(mask, w, delta, Size); });
    }
    template <class T> CLEM_DEVICE T shfl_down(T value, unsigned int delta) const
    {
        return clem_moved(value,
                          [&](unsigned int w) { return __shfl_down_sync(mask, w, delta, Size); });
    }
    template <class T> CLEM_DEVICE T shfl_xor(T value, unsigned int ranks) const
    {
        return clem_moved(value, [&](unsigned int w) {
            return __shfl_xor_sync(mask, w, static_cast<int>(ranks), Size);
        });
    }
};

/* Whole warps, as many as hold Size threads. They wait for each other at the barriers that PTX names
 * by 1 to 15, and hand values over in the block's memory for tiles. */
template <unsigned int Size> class clem_tile<Size, true> : public clem_part
{
    static_assert((Size & (Size - 1)) == 0 && Size <= 1024,
                  "the threads of a tile are a power of 2, 1024 at most");
    unsigned char *memory;
    template <class T> CLEM_DEVICE T *slot(unsigned int warp) const
    {
        static_assert(sizeof(T) <= clem_warp_bytes,
                      "tiles of several warps exchange 32 bytes at most for each thread");
        if (memory == nullptr)
            __trap(); /* this_thread_block() was not given block_tile_memory */
        return reinterpret_cast<T *>(memory + warp * clem_warp_bytes);
    }
    CLEM_DEVICE static unsigned int first_warp()
    {
        return thread_block::thread_rank() / Size * (Size / 32);
    }

  public:
    CLEM_DEVICE clem_tile(clem_part part, unsigned char *scratch) : clem_part(part), memory(scratch)
    {
    }
    CLEM_DEVICE unsigned char *clem_memory() const
    {
        return memory;
    }
    CLEM_DEVICE static constexpr unsigned int num_threads()
    {
        return Size;
    }
    CLEM_DEVICE static constexpr unsigned int size()
    {
        return Size;
    }
    CLEM_DEVICE static unsigned int thread_rank()
    {
        return thread_block::thread_rank() & (Size - 1);
    }
    CLEM_DEVICE void sync() const
    {
        const unsigned int barrier = thread_block::thread_rank() / Size + 1;
        if (barrier > 15)
            __trap(); /* a 16th tile of 64 threads has no barrier left */
        __asm__ volatile("barrier.sync %0, %1;" ::"r"(barrier), "r"(Size) : "memory");
    }
    /* What every warp's first lane has, joined in the order of the warps. */
    template <class T, class Operation>
    CLEM_DEVICE T clem_join(T of_warp, Operation operation) const
    {
        const unsigned int warp = thread_block::thread_rank() / 32;
        if (clem_lanes::lane() == 0)
            *slot<T>(warp) = of_warp;
        sync();
        T r = *slot<T>(first_warp());
        for (unsigned int i = 1; i < Size / 32; i++)
            r = operation(r, *slot<T>(first_warp() + i));
        sync();
        return r;
    }
    CLEM_DEVICE int any(int predicate) const
    {
        return clem_join(__any_sync(~0u, predicate), [](int a, int b) { return a | b; });
    }
    CLEM_DEVICE int all(int predicate) const
    {
        return clem_join(__all_sync(~0u, predicate), [](int a, int b) { return a & b; });
    }
    template <class T> CLEM_DEVICE T shfl(T value, unsigned int rank) const
    {
        if (thread_rank() == (rank & (Size - 1)))
            *slot<T>(first_warp()) = value;
        sync();
        const T r = *slot<T>(first_warp());
        sync();
        return r;
    }
};

/* What a tile is part of does not matter to what it is. */
template <unsigned int Size, class Parent = void>
class thread_block_tile : public clem_tile<Size, (Size > 32)>
{
    using tile = clem_tile<Size, (Size > 32)>;

  public:
    using tile::tile;
    template <class Other>
    CLEM_DEVICE thread_block_tile(const thread_block_tile<Size, Other> &other) : tile(other)
    {
    }
};

CLEM_DEVICE unsigned char *clem_memory_of(const clem_lanes &)
{
    return nullptr;
}
template <unsigned int Size>
CLEM_DEVICE unsigned char *clem_memory_of(const clem_tile<Size, true> &tile)
{
    return tile.clem_memory();
}

template <unsigned int Size>
CLEM_DEVICE thread_block_tile<Size, thread_block> tiled_partition(const thread_block &block)
{
    const clem_part part(thread_block::thread_rank() / Size,
                         (thread_block::size() + Size - 1) / Size);
    return thread_block_tile<Size, thread_block>(part, block.clem_memory());
}
template <unsigned int Size, unsigned int Whole, class Parent>
CLEM_DEVICE thread_block_tile<Size, thread_block_tile<Whole, Parent>>
tiled_partition(const thread_block_tile<Whole, Parent> &whole)
{
    static_assert(Size <= Whole, "a tile is no larger than what it is a part of");
    const clem_part part(whole.thread_rank() / Size, Whole / Size);
    return thread_block_tile<Size, thread_block_tile<Whole, Parent>>(part, clem_memory_of(whole));
}

/* Groups whose size is known when the program runs: as lanes. */
CLEM_DEVICE coalesced_group tiled_partition(const thread_block &, unsigned int size)
{
    const unsigned int first = clem_lanes::lane() & ~(size - 1);
    const unsigned int lanes = size >= 32 ? ~0u : ((1u << size) - 1) << first;
    const clem_part part(thread_block::thread_rank() / size,
                         (thread_block::size() + size - 1) / size);
    return coalesced_group(lanes, part);
}
CLEM_DEVICE coalesced_group tiled_partition(const coalesced_group &group, unsigned int size)
{
    const unsigned int tile = group.thread_rank() / size;
    unsigned int lanes = 0, rank = 0;
    for (unsigned int left = group.lanes(); left != 0; left &= left - 1, rank++)
        if (rank / size == tile)
            lanes |= left & (0u - left);
    return coalesced_group(lanes, clem_part(tile, (group.size() + size - 1) / size));
}

/* The threads whose value is the caller's. */
template <class Group, class T>
CLEM_DEVICE coalesced_group labeled_partition(const Group &group, T label)
{
    return coalesced_group(__match_any_sync(group.lanes(), label));
}
template <class Group> CLEM_DEVICE coalesced_group binary_partition(const Group &group, bool side)
{
    const unsigned int yes = __ballot_sync(group.lanes(), side);
    return coalesced_group(side ? yes : group.lanes() & ~yes, clem_part(side, 2));
}

/* ---- any group -------------------------------------------------------------------------------- */

/* Holds one of the groups above; a number of lanes of 0 is the block. */
class thread_group
{
    unsigned int mask;

  public:
    CLEM_DEVICE thread_group(const thread_block &) : mask(0)
    {
    }
    CLEM_DEVICE thread_group(const clem_lanes &group) : mask(group.lanes())
    {
    }
    CLEM_DEVICE unsigned int clem_lanes_or_block() const
    {
        return mask;
    }
    CLEM_DEVICE unsigned int size() const
    {
        return mask ? coalesced_group(mask).size() : thread_block::size();
    }
    CLEM_DEVICE unsigned int num_threads() const
    {
        return size();
    }
    CLEM_DEVICE unsigned int thread_rank() const
    {
        return mask ? coalesced_group(mask).thread_rank() : thread_block::thread_rank();
    }
    CLEM_DEVICE void sync() const
    {
        if (mask)
            __syncwarp(mask);
        else
            __syncthreads();
    }
};

CLEM_DEVICE thread_group tiled_partition(const thread_group &group, unsigned int size)
{
    const unsigned int lanes = group.clem_lanes_or_block();
    return lanes ? tiled_partition(coalesced_group(lanes), size)
                 : tiled_partition(this_thread_block(), size);
}

/* One thread of the group, the first, does it; the second form tells all what came out. */
template <class Group, class Function>
CLEM_DEVICE void invoke_one(const Group &group, Function &&function)
{
    if (group.thread_rank() == 0)
        function();
}
template <class Group, class Function>
CLEM_DEVICE auto invoke_one_broadcast(const Group &group, Function &&function)
    -> decltype(function())
{
    decltype(function()) r = {};
    if (group.thread_rank() == 0)
        r = function();
    return group.shfl(r, 0);
}

template <class Group> CLEM_DEVICE void sync(const Group &group)
{
    group.sync();
}
template <class Group>
CLEM_DEVICE auto thread_rank(const Group &group) -> decltype(group.thread_rank())
{
    return group.thread_rank();
}
template <class Group> CLEM_DEVICE auto group_size(const Group &group) -> decltype(group.size())
{
    return group.size();
}

} // namespace cooperative_groups

#undef CLEM_DEVICE

#endif

#endif
