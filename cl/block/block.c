/* Makes and frees the driver's allocations, by the strategy that the context chose.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/block/block.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "cl/block/block_strategy.h"
#include "cl/memory.h"
#include "cl/trace.h"

/* How often a block is made anew because the driver aligned it to less than any block before. */
enum { ALIGNMENT_TRIES = 4 };

ocl_status ocl_block_status(cl_int error)
{
    switch (error) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_INVALID_BUFFER_SIZE:
        return OCL_E_OUT_OF_MEMORY;
    default:
        return error;
    }
}

static const struct ocl_block_strategy *device_strategy(const struct ocl_context *context)
{
    static const struct ocl_block_strategy *const strategies[] = {
        [OCL_ADDRESS_BDA] = &ocl_block_bda,       [OCL_ADDRESS_USM] = &ocl_block_usm,
        [OCL_ADDRESS_RAW] = &ocl_block_raw,       [OCL_ADDRESS_SVM] = &ocl_block_svm,
        [OCL_ADDRESS_HANDLE] = &ocl_block_handle,
    };
    assert(context->capability.address != OCL_ADDRESS_NONE);
    return strategies[context->capability.address];
}

/* Puts a finished block on the context's list: kernels must declare it from now on. */
static void link_block(struct ocl_block *block)
{
    struct ocl_context *context = block->context;
    pthread_mutex_lock(&context->block_lock);
    block->next = context->blocks;
    if (block->next)
        block->next->previous = block;
    context->blocks = block;
    block->is_linked = true;
    pthread_mutex_unlock(&context->block_lock);
    atomic_fetch_add(&context->memory_generation, 1);
}

/* Block lock held. */
static void unlink_block(struct ocl_block *block)
{
    struct ocl_context *context = block->context;
    if (block->previous)
        block->previous->next = block->next;
    else
        context->blocks = block->next;
    if (block->next)
        block->next->previous = block->previous;
    atomic_fetch_add(&context->memory_generation, 1);
}

/* ---- Blocks that end ---- */

/* Whether the kernel must be told of the block: under svm, SVM allocations; under bda, buffers with
 * an address. */
static bool is_declared(const struct ocl_block *block)
{
    if (block->guarded)
        return false; /* the process's own memory: CPUs, which alone have it, reach that without a word */
    if (block->kind == OCL_BLOCK_DEVICE)
        return true;
    if (block->kind == OCL_BLOCK_MANAGED)
        return block->context->capability.address == OCL_ADDRESS_SVM;
    return block->kind == OCL_BLOCK_HOST &&
           block->context->capability.host_method == OCL_HOST_SVM &&
           block->context->capability.address == OCL_ADDRESS_SVM;
}

bool ocl_blocks_are_declared(struct ocl_context *context)
{
    pthread_mutex_lock(&context->block_lock);
    const struct ocl_block *block = context->blocks;
    while (block && !is_declared(block))
        block = block->next;
    pthread_mutex_unlock(&context->block_lock);
    return block != NULL;
}

static bool has_lists(const struct ocl_context *context)
{
    return context->capability.indirect_info != 0 && context->capability.address != OCL_ADDRESS_USM;
}

static void append(struct ocl_block **list, struct ocl_block *blocks)
{
    while (*list)
        list = &(*list)->next;
    *list = blocks;
}

/* The blocks that no launch names any more. Block lock held. */
static struct ocl_block *take_dead(struct ocl_endings *endings)
{
    struct ocl_block *dead = NULL;
    while (endings->launches[1 - endings->round] == 0) {
        append(&dead, endings->dying);
        endings->dying = endings->behind;
        endings->behind = NULL;
        if (!endings->dying)
            break;
        endings->round = 1 - endings->round;
    }
    return dead;
}

/* Takes them apart, which are in no list of the context. */
static void end_blocks(struct ocl_block *blocks)
{
    while (blocks) {
        struct ocl_block *next = blocks->next;
        if (ocl_block_end_export(blocks))
            blocks->strategy->destroy(blocks);
        free(blocks);
        blocks = next;
    }
}

unsigned ocl_blocks_hold(struct ocl_context *context)
{
    unsigned round = 0;
    if (!has_lists(context))
        return round;
    pthread_mutex_lock(&context->block_lock);
    round = context->endings.round;
    context->endings.launches[round]++;
    pthread_mutex_unlock(&context->block_lock);
    return round;
}

void ocl_blocks_let_go(struct ocl_context *context, unsigned round)
{
    if (!has_lists(context))
        return;
    pthread_mutex_lock(&context->block_lock);
    context->endings.launches[round]--;
    struct ocl_block *dead = take_dead(&context->endings);
    pthread_mutex_unlock(&context->block_lock);
    end_blocks(dead);
}

void ocl_block_destroy(struct ocl_block *block)
{
    if (!block)
        return;
    struct ocl_context *context = block->context;
    struct ocl_block *dead = block;
    if (block->is_linked) {
        pthread_mutex_lock(&context->block_lock);
        unlink_block(block);
        block->next = NULL;
        if (has_lists(context) && is_declared(block)) {
            append(&context->endings.behind, block);
            dead = take_dead(&context->endings);
        }
        pthread_mutex_unlock(&context->block_lock);
    }
    end_blocks(dead);
}

/* What may be shared consists of whole pages. */
static size_t alignment_of(const struct ocl_context *context)
{
    return context->capability.shares_memory ? ocl_block_page_bytes() : OCL_MEMORY_ALIGNMENT;
}

size_t ocl_block_first(const struct ocl_block *block)
{
    return (size_t)(-block->address & (alignment_of(block->context) - 1));
}

/* Memory that is there, and that no single allocation can have. */
static void name_limit(const struct ocl_context *context, size_t bytes)
{
    const struct ocl_device_facts *facts = &context->device->facts;
    if (bytes > facts->max_alloc_bytes)
        ocl_log(true,
                "%zu bytes cannot be had as one allocation: the driver of %s says that %llu can be "
                "(CL_DEVICE_MAX_MEM_ALLOC_SIZE)",
                bytes, facts->name, (unsigned long long)facts->max_alloc_bytes);
}

/* The host's memory of a device that has no other has few pages as yet, and takes large ones from here on where the system gives
 * them to who asks: kernels that go through memory in wide steps, or everywhere, wait less for the processor's tables of pages.
 * What others have made is left as it is. */
static void ask_for_large_pages(const struct ocl_block *block)
{
    const struct ocl_capability *capability = &block->context->capability;
    const uint64_t page = UINT64_C(2) << 20;
    const uint64_t first = (block->address + page - 1) / page * page,
                   end = (block->address + block->bytes) / page * page;
    if (capability->device_is_host_memory && capability->address != OCL_ADDRESS_HANDLE &&
        (block->kind == OCL_BLOCK_DEVICE || block->kind == OCL_BLOCK_HOST) && first < end)
        (void)madvise((void *)(uintptr_t)first, end - first, MADV_HUGEPAGE);
}

static ocl_status make_block(struct ocl_context *context, enum ocl_block_kind kind,
                             const struct ocl_block_strategy *strategy, void *pointer, size_t bytes,
                             struct ocl_block **made)
{
    struct ocl_block *block = calloc(1, sizeof *block);
    if (!block)
        return OCL_E_OUT_OF_MEMORY;
    block->context = context;
    block->kind = kind;
    block->strategy = strategy;
    block->pointer = pointer;
    block->bytes = bytes;
    ocl_status status = ocl_block_status(strategy->create(block));
    if (status != OCL_OK) {
        name_limit(context, bytes);
        ocl_block_destroy(block);
        return status;
    }
    ask_for_large_pages(block);
    *made = block;
    return OCL_OK;
}

/* Asks for more on top from now on, enough for the alignment that address has. */
static void raise_slack(struct ocl_context *context, uint64_t address)
{
    size_t needed = alignment_of(context) - (size_t)(address & -address);
    size_t slack = atomic_load(&context->block_slack);
    while (slack < needed && !atomic_compare_exchange_weak(&context->block_slack, &slack, needed))
        continue;
}

ocl_status ocl_block_create(struct ocl_context *context, size_t bytes, struct ocl_block **block)
{
    struct ocl_block *made = NULL;
    const size_t unit = context->capability.shares_memory ? ocl_block_page_bytes() : 1;
    if (bytes > SIZE_MAX - unit)
        return OCL_E_OUT_OF_MEMORY;
    bytes = (bytes + unit - 1) / unit * unit;
    for (int i = 0; i < ALIGNMENT_TRIES; i++) {
        size_t slack = atomic_load(&context->block_slack);
        if (bytes > SIZE_MAX - slack)
            return OCL_E_OUT_OF_MEMORY;
        ocl_status status = make_block(context, OCL_BLOCK_DEVICE, device_strategy(context), NULL,
                                       bytes + slack, &made);
        if (status != OCL_OK)
            return status;
        if (ocl_block_first(made) <= slack) {
            link_block(made);
            *block = made;
            return OCL_OK;
        }
        raise_slack(context, made->address);
        ocl_block_destroy(made);
    }
    return OCL_E_NOT_SUPPORTED;
}

ocl_status ocl_block_create_by(struct ocl_context *context, enum ocl_block_kind kind,
                               const struct ocl_block_strategy *strategy, void *pointer,
                               size_t bytes, struct ocl_block **block)
{
    const ocl_status status = make_block(context, kind, strategy, pointer, bytes, block);
    if (status == OCL_OK)
        link_block(*block);
    return status;
}

ocl_status ocl_block_create_host(struct ocl_context *context, size_t bytes,
                                 struct ocl_block **block)
{
    return ocl_block_create_by(context, OCL_BLOCK_HOST, &ocl_block_host, NULL, bytes, block);
}

ocl_status ocl_block_wrap_host(struct ocl_context *context, void *host, size_t bytes,
                               struct ocl_block **block)
{
    return ocl_block_create_by(context, OCL_BLOCK_REGISTERED, &ocl_block_registered, host, bytes,
                               block);
}

/* usm: one flag per kind of memory. A device without one of the kinds may refuse its flag, and then
 * there is nothing of that kind to reach; so only the first one's error counts.
 * Source: cl_intel_unified_shared_memory 1.1.0, clSetKernelExecInfo. */
static ocl_status declare_kinds(cl_kernel kernel)
{
    const cl_bool yes = CL_TRUE;
    clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, sizeof yes, &yes);
    clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL, sizeof yes, &yes);
    return clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, sizeof yes,
                               &yes);
}

/* Block lock held. */
static ocl_status declare_list(struct ocl_context *context, cl_kernel kernel)
{
    size_t count = 0;
    for (struct ocl_block *block = context->blocks; block; block = block->next)
        count += is_declared(block);
    if (count == 0)
        return OCL_OK;
    uint64_t *list = malloc(count * sizeof *list);
    if (!list)
        return OCL_E_OUT_OF_MEMORY;
    size_t filled = 0;
    for (struct ocl_block *block = context->blocks; block; block = block->next)
        if (is_declared(block))
            list[filled++] = block->address;
    cl_int error =
        clSetKernelExecInfo(kernel, context->capability.indirect_info, filled * sizeof *list, list);
    free(list);
    return error;
}

_Static_assert(sizeof(void *) == sizeof(uint64_t), "a list of SVM pointers is a list of addresses");

ocl_status ocl_block_declare_indirect(struct ocl_context *context, cl_kernel kernel)
{
    if (context->capability.indirect_info == 0)
        return OCL_OK;
    if (context->capability.address == OCL_ADDRESS_USM)
        return declare_kinds(kernel);
    pthread_mutex_lock(&context->block_lock);
    ocl_status status = declare_list(context, kernel);
    pthread_mutex_unlock(&context->block_lock);
    return status;
}
