/* scan.h: to each thread of a group the values of the threads before it, joined. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _COOPERATIVE_GROUPS_SCAN_H_
#define _COOPERATIVE_GROUPS_SCAN_H_

#include "reduce.h"

/* Source: CUDA C++ Programming Guide 13.0, Cooperative Groups, inclusive_scan and exclusive_scan. */
#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

namespace cooperative_groups
{

template <class Group, class T, class Operation>
__device__ __forceinline__ T inclusive_scan(const Group &group, T value, Operation operation)
{
    const unsigned int rank = group.thread_rank();
    for (unsigned int step = 1; step < group.size(); step *= 2) {
        const T other = group.shfl_up(value, static_cast<int>(step));
        if (rank >= step)
            value = operation(other, value);
    }
    return value;
}
template <class Group, class T>
__device__ __forceinline__ T inclusive_scan(const Group &group, T value)
{
    return inclusive_scan(group, value, plus<T>());
}

/* The first thread's result is T(). */
template <class Group, class T, class Operation>
__device__ __forceinline__ T exclusive_scan(const Group &group, T value, Operation operation)
{
    const T whole = inclusive_scan(group, value, operation);
    const T before = group.shfl_up(whole, 1);
    return group.thread_rank() == 0 ? T() : before;
}
template <class Group, class T>
__device__ __forceinline__ T exclusive_scan(const Group &group, T value)
{
    return exclusive_scan(group, value, plus<T>());
}

} // namespace cooperative_groups

#endif

#endif
