/* Blocks of the user's memory, pinned in place.
 *
 * Pinning works on pages, and two ranges of the user's may lie in one. Where kernels reach pinned memory
 * by the host's address, no page is then pinned twice, for NVIDIA's OpenCL gives a second buffer over
 * pinned pages other memory behind: blocks share pins.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "cl/address_range.h"
#include "cl/block.h"
#include "cl/block_strategy.h"

/* Whole pages with a buffer over them, which live as long as any block that touches them. */
struct ocl_pin {
    struct ocl_pin *next;
    struct ocl_block pages; /* pointer and bytes; its buffer is the pin */
    unsigned references;
};

static uintptr_t first_of(const struct ocl_pin *pin)
{
    return (uintptr_t)pin->pages.pointer;
}

static uintptr_t end_of(const struct ocl_pin *pin)
{
    return first_of(pin) + pin->pages.bytes;
}

static struct ocl_pin *find_pin(const struct ocl_context *context, uintptr_t address)
{
    struct ocl_pin *pin = context->pins;
    while (pin && (address < first_of(pin) || address >= end_of(pin)))
        pin = pin->next;
    return pin;
}

static ocl_status add_pin(struct ocl_context *context, uintptr_t first, uintptr_t end,
                          struct ocl_pin **made)
{
    struct ocl_pin *pin = calloc(1, sizeof *pin);
    if (!pin)
        return OCL_E_OUT_OF_MEMORY;
    pin->pages.context = context;
    pin->pages.pointer = (void *)first;
    pin->pages.bytes = end - first;
    const ocl_status status = ocl_block_wrap_pointer(&pin->pages);
    if (status != OCL_OK) {
        ocl_block_release_buffer(&pin->pages);
        free(pin);
        return status;
    }
    pin->next = context->pins;
    context->pins = pin;
    *made = pin;
    return OCL_OK;
}

static void hold(struct ocl_block *block, struct ocl_pin *pin)
{
    size_t i = 0;
    while (block->pins[i])
        i++;
    block->pins[i] = pin;
    pin->references++;
}

/* Users' ranges have no byte in common, so that of a block's pages only the first and the last may be
 * pinned already. */
static ocl_status hold_pages(struct ocl_block *block, uintptr_t first, uintptr_t end)
{
    struct ocl_pin *pin = find_pin(block->context, first);
    if (pin) {
        hold(block, pin);
        first = end_of(pin);
    }
    if (first < end && (pin = find_pin(block->context, end - 1)) != NULL) {
        hold(block, pin);
        end = first_of(pin);
    }
    if (first >= end)
        return OCL_OK;
    const ocl_status status = add_pin(block->context, first, end, &pin);
    if (status == OCL_OK)
        hold(block, pin);
    return status;
}

/* One registration at a time: a page that another thread is pinning must be waited for. */
static ocl_status pin_block(struct ocl_block *block)
{
    const uintptr_t first = (uintptr_t)block->pointer, end = first + block->bytes;
    pthread_mutex_lock(&block->context->pin_lock);
    const ocl_status status = hold_pages(block, first, end);
    pthread_mutex_unlock(&block->context->pin_lock);
    const struct ocl_pin *only = block->pins[1] ? NULL : block->pins[0];
    if (status == OCL_OK && only && first_of(only) == first && end_of(only) == end)
        block->buffer = only->pages.buffer; /* commands need one over the whole block */
    return status;
}

static void drop_pin(struct ocl_context *context, struct ocl_pin *pin)
{
    if (--pin->references > 0)
        return;
    struct ocl_pin **link = &context->pins;
    while (*link != pin)
        link = &(*link)->next;
    *link = pin->next;
    ocl_block_release_buffer(&pin->pages);
    free(pin);
}

static ocl_status create_registered(struct ocl_block *block)
{
    const bool is_reached = block->context->capability.reaches_registered_host;
    const uintptr_t page = ocl_block_page_bytes();
    const uintptr_t first = (uintptr_t)block->pointer / page * page;
    if (block->bytes > UINTPTR_MAX - 2 * page - (uintptr_t)block->pointer)
        return OCL_E_INVALID_VALUE;
    block->bytes = ((uintptr_t)block->pointer + block->bytes + page - 1) / page * page - first;
    block->pointer = (void *)first;
    const ocl_status status = is_reached ? pin_block(block) : ocl_block_wrap_pointer(block);
    if (status == CL_INVALID_HOST_PTR || status == CL_MAP_FAILURE)
        return OCL_E_INVALID_VALUE;
    return status == OCL_OK ? ocl_block_choose_address(block, is_reached) : status;
}

static void destroy_registered(struct ocl_block *block)
{
    if (block->pins[0]) {
        pthread_mutex_lock(&block->context->pin_lock);
        for (size_t i = 0; i < sizeof block->pins / sizeof *block->pins && block->pins[i]; i++)
            drop_pin(block->context, block->pins[i]);
        pthread_mutex_unlock(&block->context->pin_lock);
        block->buffer = NULL;
    }
    ocl_block_release_buffer(block);
    ocl_address_range_release(block->reserved, block->reserved_bytes);
}

const struct ocl_block_strategy ocl_block_registered = {create_registered, destroy_registered};
