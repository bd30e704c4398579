/* reduce.h: one value from those of a group's threads. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _COOPERATIVE_GROUPS_REDUCE_H_
#define _COOPERATIVE_GROUPS_REDUCE_H_

#include "../cooperative_groups.h"

/* Source: CUDA C++ Programming Guide 13.0, Cooperative Groups, Reduce Operators and Reduce. */
#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

#define CLEM_DEVICE __device__ __forceinline__

namespace cooperative_groups
{

#define CLEM_OPERATOR(name, expression)                                                            \
    template <class T = void> struct name {                                                        \
        CLEM_DEVICE T operator()(const T &a, const T &b) const                                     \
        {                                                                                          \
            return expression;                                                                     \
        }                                                                                          \
    };
CLEM_OPERATOR(plus, a + b)
CLEM_OPERATOR(less, b < a ? b : a)
CLEM_OPERATOR(greater, a < b ? b : a)
CLEM_OPERATOR(bit_and, a &b)
CLEM_OPERATOR(bit_or, a | b)
CLEM_OPERATOR(bit_xor, a ^ b)
#undef CLEM_OPERATOR

/* Each step halves what is left to be joined; every thread ends with the same value. */
template <unsigned int Size, class T, class Operation>
CLEM_DEVICE T reduce(const clem_tile<Size, false> &group, T value, Operation operation)
{
    for (unsigned int other = Size / 2; other > 0; other /= 2)
        value = operation(value, group.shfl_xor(value, other));
    return value;
}
template <unsigned int Size, class T, class Operation>
CLEM_DEVICE T reduce(const clem_tile<Size, true> &group, T value, Operation operation)
{
    const clem_tile<32, false> warp(clem_part(0, 1), nullptr);
    return group.clem_join(reduce(warp, value, operation), operation);
}

/* Of any number of threads: rank r takes in rank r + step, then rank 0 tells all. */
template <class T, class Operation>
CLEM_DEVICE T reduce(const coalesced_group &group, T value, Operation operation)
{
    const unsigned int rank = group.thread_rank(), size = group.size();
    for (unsigned int step = 1; step < size; step *= 2) {
        const T other = group.shfl_down(value, static_cast<int>(step));
        if (rank % (2 * step) == 0 && rank + step < size)
            value = operation(value, other);
    }
    return group.shfl(value, 0);
}

/* One thread of the group stores the value in a cuda::atomic, or joins it with what is there. Both are done when that thread's
 * call returns. */
template <class Group, class Atomic, class T, class Operation>
CLEM_DEVICE void reduce_store_async(const Group &group, Atomic &atomic, T value,
                                    Operation operation)
{
    value = reduce(group, value, operation);
    if (group.thread_rank() == 0)
        atomic.store(value);
}
template <class Group, class Atomic, class T, class Operation>
CLEM_DEVICE void reduce_update_async(const Group &group, Atomic &atomic, T value,
                                     Operation operation)
{
    value = reduce(group, value, operation);
    if (group.thread_rank() != 0)
        return;
    auto old = atomic.load();
    while (!atomic.compare_exchange_weak(old, operation(old, value)))
        ;
}

} // namespace cooperative_groups

#undef CLEM_DEVICE

#endif

#endif
