/* Device time written by a kernel into pinned host memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/queue/clock.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "cl/base/deadline.h"
#include "cl/base/steady.h"
#include "cl/block/block.h"
#include "cl/device/driver_declarations.h"
#include "cl/queue/queue_private.h"
#include "cl/whole.h"
#include "kernels/kernels.h"

enum { PAGE_BYTES = 4096, PAGE_SLOTS = PAGE_BYTES / sizeof(uint64_t) };

/* What a word holds until its reading is written: a time that no clock shows. */
static const uint64_t unwritten = UINT64_MAX;

struct ocl_clock_slot {
    struct ocl_clock *clock;
    struct ocl_clock_slot *next; /* in one of the clock's lists */
    _Atomic uint32_t references;
    uint64_t *word;
    uint64_t address; /* of word, for the kernel */
};

struct page {
    struct page *next;
    struct ocl_block *block;
    struct ocl_clock_slot slots[PAGE_SLOTS];
};

struct ocl_clock {
    struct ocl_context *context;
    cl_program program;
    _Atomic uint32_t references; /* the context's, and one for each slot that is in use */
    pthread_mutex_t lock;        /* a leaf: what follows */
    bool is_closed;              /* the words are gone */
    struct page *pages;
    struct ocl_clock_slot *free;
    struct ocl_clock_slot
        *waiting; /* given back before their readings were written, oldest first */
    struct ocl_clock_slot **last_waiting;
};

/* ---- Life ---- */

static void free_clock(struct ocl_clock *clock)
{
    struct page *page;

    while ((page = clock->pages) != NULL) {
        clock->pages = page->next;
        free(page);
    }
    pthread_mutex_destroy(&clock->lock);
    free(clock);
}

static void release_clock(struct ocl_clock *clock)
{
    if (atomic_fetch_sub(&clock->references, 1) == 1)
        free_clock(clock);
}

void ocl_clock_close(struct ocl_clock *clock)
{
    if (!clock)
        return;
    pthread_mutex_lock(&clock->lock);
    clock->is_closed = true;
    pthread_mutex_unlock(&clock->lock);
    for (struct page *page = clock->pages; page; page = page->next)
        ocl_block_destroy(page->block);
    if (clock->program)
        clReleaseProgram(clock->program);
    release_clock(clock);
}

static const struct kernel_source *find_source(void)
{
    const struct kernel_source *source = kernel_sources;

    while (source->name && strcmp(source->name, "clock") != 0)
        source++;
    return source->name ? source : NULL;
}

static ocl_status build(struct ocl_clock *clock)
{
    const struct kernel_source *source = find_source();

    if (!source)
        return OCL_E_NOT_FOUND;
    const ocl_status error =
        ocl_driver_build_own(clock->context->device, clock->context->cl, source->text,
                             source->bytes, "-cl-std=CL1.2", &clock->program);
    return error == CL_BUILD_PROGRAM_FAILURE ? OCL_E_NOT_SUPPORTED : error;
}

ocl_status ocl_clock_create(struct ocl_context *context, struct ocl_clock **clock)
{
    struct ocl_clock *made = calloc(1, sizeof *made);

    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    made->context = context;
    made->last_waiting = &made->waiting;
    atomic_store(&made->references, 1);
    pthread_mutex_init(&made->lock, NULL);
    const ocl_status status = build(made);
    if (status == OCL_OK)
        *clock = made;
    else
        ocl_clock_close(made);
    return status;
}

/* ---- Slots ---- */

static void fill_page(struct ocl_clock *clock, struct page *page)
{
    for (size_t i = 0; i < PAGE_SLOTS; i++) {
        struct ocl_clock_slot *slot = &page->slots[i];
        slot->clock = clock;
        slot->word = (uint64_t *)page->block->pointer + i;
        slot->address = page->block->address + i * sizeof(uint64_t);
        slot->next = i + 1 < PAGE_SLOTS ? slot + 1 : NULL;
    }
}

static ocl_status add_page(struct ocl_clock *clock)
{
    struct page *page = calloc(1, sizeof *page);

    if (!page)
        return OCL_E_OUT_OF_MEMORY;
    const ocl_status status = ocl_block_create_host(clock->context, PAGE_BYTES, &page->block);
    if (status != OCL_OK) {
        free(page);
        return status;
    }
    fill_page(clock, page);
    pthread_mutex_lock(&clock->lock);
    page->next = clock->pages;
    clock->pages = page;
    page->slots[PAGE_SLOTS - 1].next = clock->free;
    clock->free = page->slots;
    pthread_mutex_unlock(&clock->lock);
    return OCL_OK;
}

/* The oldest waiting slot, when its reading has been written by now. Lock held. */
static struct ocl_clock_slot *take_waiting(struct ocl_clock *clock)
{
    struct ocl_clock_slot *slot = clock->waiting;

    if (!slot || !ocl_clock_is_written(slot))
        return NULL;
    clock->waiting = slot->next;
    if (!clock->waiting)
        clock->last_waiting = &clock->waiting;
    return slot;
}

static struct ocl_clock_slot *take_known(struct ocl_clock *clock)
{
    pthread_mutex_lock(&clock->lock);
    struct ocl_clock_slot *slot = take_waiting(clock);
    if (!slot && clock->free) {
        slot = clock->free;
        clock->free = slot->next;
    }
    pthread_mutex_unlock(&clock->lock);
    return slot;
}

struct ocl_clock_slot *ocl_clock_take(struct ocl_clock *clock)
{
    struct ocl_clock_slot *slot = take_known(clock);

    while (!slot && add_page(clock) == OCL_OK)
        slot = take_known(clock); /* other threads may have taken the whole page */
    if (slot) {
        *(volatile uint64_t *)slot->word = unwritten;
        atomic_store(&slot->references, 1);
        atomic_fetch_add(&clock->references, 1);
    }
    return slot;
}

void ocl_clock_retain(struct ocl_clock_slot *slot)
{
    atomic_fetch_add(&slot->references, 1);
}

/* A slot is not used again before its reading has been written: a late one would overwrite the next. */
static void give_back(struct ocl_clock *clock, struct ocl_clock_slot *slot)
{
    pthread_mutex_lock(&clock->lock);
    if (clock->is_closed) {
        slot->next = NULL;
    } else if (ocl_clock_is_written(slot)) {
        slot->next = clock->free;
        clock->free = slot;
    } else {
        slot->next = NULL;
        *clock->last_waiting = slot;
        clock->last_waiting = &slot->next;
    }
    pthread_mutex_unlock(&clock->lock);
}

void ocl_clock_release(struct ocl_clock_slot *slot)
{
    struct ocl_clock *clock = slot->clock;

    if (atomic_fetch_sub(&slot->references, 1) != 1)
        return;
    give_back(clock, slot);
    release_clock(clock);
}

void ocl_clock_discard(struct ocl_clock_slot *slot)
{
    *(volatile uint64_t *)slot->word = 0;
    ocl_clock_release(slot);
}

/* ---- Readings ---- */

ocl_status ocl_clock_enqueue(struct ocl_clock *clock, struct ocl_command *command,
                             cl_kernel *kernel, struct ocl_clock_slot *slot)
{
    const cl_ulong address = slot->address;
    const size_t one = 1;
    cl_int error = CL_SUCCESS;

    if (!*kernel)
        *kernel = clCreateKernel(clock->program, "clock_write", &error);
    if (*kernel)
        error = clSetKernelArg(*kernel, 0, sizeof address, &address);
    if (error == CL_SUCCESS)
        error = ocl_enqueue_range(command, *kernel, 1, NULL, &one, &one, NULL);
    return error;
}

bool ocl_clock_is_written(const struct ocl_clock_slot *slot)
{
    const bool is_written = ocl_clock_read(slot) != unwritten;

    atomic_thread_fence(memory_order_acquire);
    return is_written;
}

uint64_t ocl_clock_read(const struct ocl_clock_slot *slot)
{
    return *(const volatile uint64_t *)slot->word;
}

/* ---- The proof ---- */

/* The host has to see the reading while the queue's work goes on: nobody asks the driver for it. */
static bool await_reading(const struct ocl_clock_slot *slot)
{
    enum { LONGEST = 200000000 };
    const uint64_t end = ocl_now() + LONGEST;

    while (!ocl_clock_is_written(slot) && ocl_now() < end)
        sched_yield();
    return ocl_clock_is_written(slot);
}

static ocl_status read_now(struct ocl_clock *clock, cl_command_queue cl, cl_kernel *kernel,
                           uint64_t *time)
{
    struct ocl_clock_slot *slot = ocl_clock_take(clock);
    struct ocl_command command;

    if (!slot)
        return OCL_E_OUT_OF_MEMORY;
    ocl_command_begin_own(&command, cl);
    const ocl_status status = ocl_clock_enqueue(clock, &command, kernel, slot);
    ocl_command_end(&command);
    if (status != OCL_OK) {
        ocl_clock_discard(slot);
        return status;
    }
    const bool is_seen = await_reading(slot);
    const ocl_status finished = ocl_steady_finish(cl);
    *time = ocl_clock_read(slot);
    ocl_clock_release(slot);
    return finished == OCL_OK && !is_seen ? OCL_E_NOT_SUPPORTED : finished;
}

/* Between two readings at least PAUSE passes, and no more than the host sees around them. The first
 * one is there to have the kernel ready. Clocks may tick in steps of a microsecond. */
static ocl_status check_rate(struct ocl_clock *clock, cl_command_queue cl, cl_kernel *kernel)
{
    enum { PAUSE = 200000, STEP = 2000 };
    uint64_t first = 0, last = 0;
    ocl_status status = read_now(clock, cl, kernel, &first);

    if (status == OCL_OK && first == 0)
        return OCL_E_NOT_SUPPORTED;
    const uint64_t start = ocl_now();
    if (status == OCL_OK)
        status = read_now(clock, cl, kernel, &first);
    whole_pause(PAUSE);
    if (status == OCL_OK)
        status = read_now(clock, cl, kernel, &last);
    const uint64_t passed = ocl_now() - start;
    if (status != OCL_OK)
        return status;
    return last > first && last - first >= PAUSE - STEP && last - first <= passed + STEP
               ? OCL_OK
               : OCL_E_NOT_SUPPORTED;
}

ocl_status ocl_clock_prove(struct ocl_clock *clock)
{
    cl_int error;
    cl_kernel kernel = NULL;
    cl_command_queue cl = ocl_queue_make(clock->context, 0, false, &error);

    if (!cl)
        return error;
    const ocl_status status = check_rate(clock, cl, &kernel);
    if (kernel)
        clReleaseKernel(kernel);
    clReleaseCommandQueue(cl);
    return status;
}
