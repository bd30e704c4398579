/* Blocks of the user's memory, pinned in place.
 *
 * Pinning works on pages, and two ranges of the user's may lie in one. Where kernels reach pinned memory
 * by the host's address, no page is then pinned twice, for NVIDIA's OpenCL gives a second buffer over
 * pinned pages other memory behind: blocks share pins. Where kernels get buffers, each block has one over all
 * of it, and capability.c has seen that two may share a page.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "cl/base/address_range.h"
#include "cl/base/steady.h"
#include "cl/block/block.h"
#include "cl/block/block_strategy.h"

/* Whole pages with a buffer over them, which live as long as any block that touches them. The lock is not
 * held while the driver pins or lets go: meanwhile the pin is in the list, and others wait for it. */
struct ocl_pin {
    struct ocl_pin *next;
    uintptr_t first, end;
    struct ocl_block pages; /* its buffer is the pin */
    unsigned references;
    bool is_settled; /* the driver has pinned it, and is not letting go */
};

static struct ocl_pin *find_pin(const struct ocl_context *context, uintptr_t address)
{
    struct ocl_pin *pin = context->pins;
    while (pin && (address < pin->first || address >= pin->end))
        pin = pin->next;
    return pin;
}

/* Users' ranges have no byte in common, so that of a block's pages only the first and the last may be
 * pinned already, by a neighbour. A pin anywhere else is of a range that was unregistered, and about to go. */
static bool is_in_the_way(const struct ocl_pin *pin, uintptr_t first, uintptr_t end)
{
    if (pin->end <= first || pin->first >= end)
        return false;
    return !pin->is_settled || (pin->first > first && pin->end < end);
}

/* Pin lock held; it is open while this waits. */
static void wait_for_pins(struct ocl_context *context, uintptr_t first, uintptr_t end)
{
    for (struct ocl_pin *pin = context->pins; pin;) {
        if (is_in_the_way(pin, first, end)) {
            ocl_steady_wait(&context->pin_changed, &context->pin_lock);
            pin = context->pins; /* the list may be another */
        } else {
            pin = pin->next;
        }
    }
}

/* Pin lock held. */
static void hold(struct ocl_block *block, struct ocl_pin *pin)
{
    size_t i = 0;
    while (block->pins[i])
        i++;
    block->pins[i] = pin;
    pin->references++;
}

/* Pin lock held; it is open while the driver lets go. */
static void end_pin(struct ocl_context *context, struct ocl_pin *pin)
{
    pin->is_settled = false;
    pthread_mutex_unlock(&context->pin_lock);
    ocl_block_release_buffer(&pin->pages);
    pthread_mutex_lock(&context->pin_lock);
    struct ocl_pin **link = &context->pins;
    while (*link != pin)
        link = &(*link)->next;
    *link = pin->next;
    free(pin);
    pthread_cond_broadcast(&context->pin_changed);
}

/* Pin lock held; it is open while the driver pins. Needs: no page of it is pinned. */
static ocl_status add_pin(struct ocl_block *block, uintptr_t first, uintptr_t end)
{
    struct ocl_context *context = block->context;
    struct ocl_pin *pin = calloc(1, sizeof *pin);
    if (!pin)
        return OCL_E_OUT_OF_MEMORY;
    pin->first = first;
    pin->end = end;
    pin->pages.context = context;
    pin->pages.pointer = (void *)first;
    pin->pages.bytes = end - first;
    pin->next = context->pins;
    context->pins = pin;
    pthread_mutex_unlock(&context->pin_lock);
    const ocl_status status = ocl_block_wrap_pointer(&pin->pages);
    pthread_mutex_lock(&context->pin_lock);
    if (status != OCL_OK) {
        end_pin(context, pin);
        return status;
    }
    pin->is_settled = true;
    hold(block, pin);
    pthread_cond_broadcast(&context->pin_changed);
    return OCL_OK;
}

/* Pin lock held. */
static ocl_status hold_pages(struct ocl_block *block, uintptr_t first, uintptr_t end)
{
    wait_for_pins(block->context, first, end);
    struct ocl_pin *pin = find_pin(block->context, first);
    if (pin) {
        hold(block, pin);
        first = pin->end;
    }
    if (first < end && (pin = find_pin(block->context, end - 1)) != NULL) {
        hold(block, pin);
        end = pin->first;
    }
    return first < end ? add_pin(block, first, end) : OCL_OK;
}

static ocl_status pin_block(struct ocl_block *block)
{
    const uintptr_t first = (uintptr_t)block->pointer, end = first + block->bytes;
    pthread_mutex_lock(&block->context->pin_lock);
    const ocl_status status = hold_pages(block, first, end);
    pthread_mutex_unlock(&block->context->pin_lock);
    const struct ocl_pin *only = block->pins[1] ? NULL : block->pins[0];
    if (status == OCL_OK && only && only->first == first && only->end == end)
        block->buffer = only->pages.buffer; /* commands need one over the whole block */
    return status;
}

static ocl_status create_registered(struct ocl_block *block)
{
    const struct ocl_capability *capability = &block->context->capability;
    const bool is_reached = capability->reaches_registered_host;
    const uintptr_t page = ocl_block_page_bytes();
    const uintptr_t first = (uintptr_t)block->pointer / page * page;
    if (block->bytes > UINTPTR_MAX - 2 * page - (uintptr_t)block->pointer)
        return OCL_E_INVALID_VALUE;
    block->bytes = ((uintptr_t)block->pointer + block->bytes + page - 1) / page * page - first;
    block->pointer = (void *)first;
    const ocl_status status =
        is_reached && capability->has_addresses ? pin_block(block) : ocl_block_wrap_pointer(block);
    if (status == CL_INVALID_HOST_PTR || status == CL_MAP_FAILURE)
        return OCL_E_INVALID_VALUE;
    return status == OCL_OK ? ocl_block_choose_address(block, is_reached) : status;
}

static void destroy_registered(struct ocl_block *block)
{
    if (block->pins[0]) {
        pthread_mutex_lock(&block->context->pin_lock);
        for (size_t i = 0; i < sizeof block->pins / sizeof *block->pins && block->pins[i]; i++)
            if (--block->pins[i]->references == 0)
                end_pin(block->context, block->pins[i]);
        pthread_mutex_unlock(&block->context->pin_lock);
        block->buffer = NULL;
    }
    ocl_block_release_buffer(block);
    ocl_address_range_release(block->reserved, block->reserved_bytes);
}

const struct ocl_block_strategy ocl_block_registered = {create_registered, destroy_registered};
