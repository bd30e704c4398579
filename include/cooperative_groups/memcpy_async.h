/* memcpy_async.h: a group's threads copy together. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _COOPERATIVE_GROUPS_MEMCPY_ASYNC_H_
#define _COOPERATIVE_GROUPS_MEMCPY_ASYNC_H_

#include "../cooperative_groups.h"

/* Copies are done when the call returns; waiting for them is the group's own meeting.
 *
 * Source: CUDA C++ Programming Guide 13.0, Cooperative Groups, memcpy_async.
 */
#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

#define CLEM_DEVICE __device__ __forceinline__

namespace cooperative_groups
{

/* Elements of T while whole ones are left, then bytes: neighbours copy neighbours. */
template <class Group, class T>
CLEM_DEVICE void clem_copy(const Group &group, T *to, const T *from, unsigned long long bytes)
{
    const unsigned long long count = bytes / sizeof(T);
    for (unsigned long long i = group.thread_rank(); i < count; i += group.size())
        to[i] = from[i];
    for (unsigned long long i = count * sizeof(T) + group.thread_rank(); i < bytes;
         i += group.size())
        reinterpret_cast<char *>(to)[i] = reinterpret_cast<const char *>(from)[i];
}

template <class Group, class T, class Shape>
CLEM_DEVICE void memcpy_async(const Group &group, T *to, const T *from, const Shape &bytes)
{
    clem_copy(group, to, from, static_cast<unsigned long long>(bytes));
}
template <class Group, class Shape>
CLEM_DEVICE void memcpy_async(const Group &group, void *to, const void *from, const Shape &bytes)
{
    clem_copy(group, static_cast<char *>(to), static_cast<const char *>(from),
              static_cast<unsigned long long>(bytes));
}
/* With elements on both sides: as many as both have room for. */
template <class Group, class T, class ToLayout, class FromLayout>
CLEM_DEVICE void memcpy_async(const Group &group, T *to, const ToLayout &to_count, const T *from,
                              const FromLayout &from_count)
{
    const unsigned long long room = static_cast<unsigned long long>(to_count),
                             there = static_cast<unsigned long long>(from_count);
    clem_copy(group, to, from, (room < there ? room : there) * sizeof(T));
}

template <class Group> CLEM_DEVICE void wait(const Group &group)
{
    group.sync();
}
template <unsigned int Stages, class Group> CLEM_DEVICE void wait_prior(const Group &group)
{
    group.sync();
}

} // namespace cooperative_groups

#undef CLEM_DEVICE

#endif

#endif
