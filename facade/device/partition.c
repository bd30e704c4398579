/* Parts of a device's multiprocessors, as numbers.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/device/partition.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "facade/device/device.h"

/* Of compute capability 7.x. Source: CUDA Driver API 13.0, Green Contexts. */
enum { ALIGNMENT = 2 };

/* What a resource keeps to itself, in the bytes that CUDA reserves for that. */
struct mark {
    uint32_t word;
    int32_t device;
    uint64_t split; /* that it came from; 0: none */
    uint32_t first; /* which of the split's multiprocessors is its first */
};
static const uint32_t mark_word = 0x636c656d;

static struct mark read_mark(const CUdevResource *resource)
{
    struct mark mark;
    _Static_assert(sizeof mark <= sizeof resource->_internal_padding, "CUDA reserves enough");
    memcpy(&mark, resource->_internal_padding, sizeof mark);
    return mark;
}

static unsigned alignment_of(unsigned multiprocessors)
{
    return multiprocessors % ALIGNMENT == 0 ? ALIGNMENT : 1;
}

static CUdevResource make(const struct mark *mark, unsigned multiprocessors, unsigned alignment)
{
    CUdevResource made;
    memset(&made, 0, sizeof made);
    if (multiprocessors == 0)
        return made;
    made.type = CU_DEV_RESOURCE_TYPE_SM;
    made.sm = (CUdevSmResource){multiprocessors, alignment, alignment};
    memcpy(made._internal_padding, mark, sizeof *mark);
    return made;
}

cudaError_t facade_partition_tell(CUdevResource *resource, CUdevResourceType type, int device,
                                  unsigned multiprocessors)
{
    const struct mark mark = {.word = mark_word, .device = device};
    int all = 0;
    if (type != CU_DEV_RESOURCE_TYPE_SM)
        return cudaErrorInvalidResourceType;
    if (multiprocessors == 0) {
        (void)facade_device_attribute(&all, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
        multiprocessors = (unsigned)all;
    }
    *resource = make(&mark, multiprocessors, alignment_of(multiprocessors));
    return cudaSuccess;
}

/* --- splitting -------------------------------------------------------------------------------- */

static cudaError_t check_input(const CUdevResource *input, unsigned flags, unsigned least)
{
    const unsigned known = (unsigned)CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING |
                           (unsigned)CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE;
    if ((flags & ~known) != 0)
        return cudaErrorInvalidValue;
    if (input->type != CU_DEV_RESOURCE_TYPE_SM)
        return cudaErrorInvalidResourceType;
    const struct mark mark = read_mark(input);
    return mark.word == mark_word && mark.split == 0 && least <= input->sm.smCount
               ? cudaSuccess
               : cudaErrorInvalidResourceConfiguration;
}

static unsigned group_size(const CUdevResource *input, unsigned least)
{
    const unsigned alignment = input->sm.smCoscheduledAlignment;
    const unsigned wanted =
        least > input->sm.minSmPartitionSize ? least : input->sm.minSmPartitionSize;
    return (wanted + alignment - 1) / alignment * alignment;
}

cudaError_t facade_partition_split(CUdevResource *groups, unsigned *count,
                                   const CUdevResource *input, CUdevResource *remaining,
                                   unsigned flags, unsigned least)
{
    static _Atomic uint64_t last_split;
    if (count == NULL || input == NULL)
        return cudaErrorInvalidValue;
    const cudaError_t error = check_input(input, flags, least);
    if (error != cudaSuccess)
        return error;
    const unsigned all = input->sm.smCount, size = group_size(input, least);
    struct mark mark = read_mark(input);
    mark.split = atomic_fetch_add(&last_split, 1) + 1;
    if (groups == NULL || *count > all / size)
        *count = all / size;
    for (unsigned i = 0; i < *count; i++, mark.first += size)
        if (groups != NULL)
            groups[i] = make(&mark, size, input->sm.smCoscheduledAlignment);
    if (remaining != NULL)
        *remaining = make(&mark, all - *count * size, input->sm.smCoscheduledAlignment);
    return cudaSuccess;
}

/* --- describing ------------------------------------------------------------------------------- */

/* Whether it may come with the first of the list, and with those between. */
static bool fits(const CUdevResource *list, unsigned at)
{
    const struct mark first = read_mark(&list[0]), mark = read_mark(&list[at]);
    bool does = mark.word == mark_word && mark.device == first.device &&
                mark.split == first.split && (at == 0 || mark.split != 0);
    for (unsigned i = 0; does && i < at; i++)
        does = read_mark(&list[i]).first != mark.first;
    return does;
}

static struct facade_resources *intern(int device, unsigned multiprocessors)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf */
    static struct facade_resources *all;
    pthread_mutex_lock(&lock);
    struct facade_resources *found = all;
    while (found != NULL && (found->device != device || found->multiprocessors != multiprocessors))
        found = found->next;
    if (found == NULL && (found = facade_handle_new(FACADE_RESOURCES, sizeof *found)) != NULL) {
        *found = (struct facade_resources){device, multiprocessors, all};
        all = found;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

cudaError_t facade_partition_describe(const CUdevResource *list, unsigned count,
                                      struct facade_resources **made)
{
    unsigned multiprocessors = 0;
    if (list == NULL || count == 0)
        return cudaErrorInvalidValue;
    for (unsigned i = 0; i < count; i++) {
        if (list[i].type != CU_DEV_RESOURCE_TYPE_SM)
            return cudaErrorInvalidResourceType;
        if (!fits(list, i))
            return cudaErrorInvalidResourceConfiguration;
        multiprocessors += list[i].sm.smCount;
    }
    *made = intern(read_mark(&list[0]).device, multiprocessors);
    return *made != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
}
