/* Kernels that launch kernels. A grid's threads write down what they launch (kernels/ptx/library/launches.h). When the grid
 * has ended, the host reads that in the queue's turn, and launches one grid after the other in a queue of its own: each with
 * all that it launches itself before the next, and what is launched into the tail stream behind all else of its grid. Grids
 * that could run at the same time do not: CUDA promises no more.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/binding/ptx_launches.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "cl/base/steady.h"
#include "cl/check.h"
#include "cl/memory.h"
#include "cl/program.h"
#include "cl/queue/queue_private.h"
#include "cl/state/failure.h"
#include "cl/trace.h"
#include "cl/transfer.h"
#include "cl/virtual.h"
#include "kernels/ptx/library/launches.h"

/* Launches of the host's for each of which there is memory at once. */
enum { MOST_FOLLOWING = 256 };

/* The memory begins behind the allocation's first bytes, so that no user's free finds it. */
enum { LEAD_BYTES = 256, MOST_RECORD_BYTES = 256 << 20 };

struct ocl_launches {
    struct ocl_program *program; /* the module's */
    struct ocl_queue *queue;     /* of its own: for its bytes, and for what is launched */
    uint64_t allocation;
    struct clem_launches head;      /* as a launch begins with it */
    uint64_t conditions;            /* of the host's launch */
    struct ocl_check_origin origin; /* likewise */
    bool is_spoiled;                /* a kernel that nobody waits for may still write there */
    struct ocl_launches *next;      /* of those that nobody uses (program.lock) */
};

/* A launch that was written down, with its parameters behind. */
struct pending {
    struct pending *next; /* the one that begins after it */
    uint32_t depth;
    struct clem_launch_record record;
    unsigned char parameters[];
};

struct tree {
    struct ocl_launches *launches;
    struct pending *first;
    size_t count;
};

/* ---- Bytes ---- */

static uint64_t address_of(const struct ocl_launches *launches, size_t offset)
{
    return launches->allocation + LEAD_BYTES + offset;
}

static ocl_status copy(const struct ocl_launches *launches, uint64_t target, uint64_t source,
                       size_t bytes)
{
    const struct ocl_copy linear = ocl_copy_linear(target, source, bytes);
    return ocl_transfer_copy(launches->queue, &linear, OCL_WAIT_ALL);
}

static ocl_status write_bytes(const struct ocl_launches *launches, size_t offset, const void *from,
                              size_t bytes)
{
    const uint64_t target = address_of(launches, offset);
    if (!launches->program->context->capability.device_is_host_memory)
        return copy(launches, target, (uint64_t)(uintptr_t)from, bytes);
    memcpy((void *)(uintptr_t)target, from, bytes);
    return OCL_OK;
}

static ocl_status read_bytes(const struct ocl_launches *launches, size_t offset, void *to,
                             size_t bytes)
{
    const uint64_t source = address_of(launches, offset);
    if (!launches->program->context->capability.device_is_host_memory)
        return copy(launches, (uint64_t)(uintptr_t)to, source, bytes);
    memcpy(to, (const void *)(uintptr_t)source, bytes);
    return OCL_OK;
}

static ocl_status write_head(const struct ocl_launches *launches)
{
    return write_bytes(launches, 0, &launches->head, sizeof launches->head);
}

/* ---- Making ---- */

/* As the host's cudaGetErrorName() and cudaGetErrorString() have them. The last row is of all other errors. */
static const struct {
    uint32_t error;
    const char *name, *text;
} words[] = {
    {CLEM_LAUNCH_OK, "cudaSuccess", "no error"},
    {CLEM_LAUNCH_VALUE, "cudaErrorInvalidValue", "invalid argument"},
    {CLEM_LAUNCH_MEMORY, "cudaErrorMemoryAllocation", "out of memory"},
    {CLEM_LAUNCH_CONFIGURATION, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {CLEM_LAUNCH_DEPTH, "cudaErrorLaunchMaxDepthExceeded", "nested launches are too deep"},
    {CLEM_LAUNCH_PENDING, "cudaErrorLaunchPendingCountExceeded",
     "more nested launches pending than cudaLimitDevRuntimePendingLaunchCount"},
    {CLEM_LAUNCH_FUNCTION, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {CLEM_LAUNCH_HANDLE, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {UINT32_MAX, "unrecognized error code", "unrecognized error code"},
};
enum { WORD_COUNT = sizeof words / sizeof *words };

static void fill_words(struct clem_launch_word *rows)
{
    for (size_t i = 0; i < WORD_COUNT; i++) {
        rows[i].error = words[i].error;
        memcpy(rows[i].name, words[i].name, strlen(words[i].name));
        memcpy(rows[i].text, words[i].text, strlen(words[i].text));
    }
}

/* Offsets and sizes, of which the number of records is the last. */
static void lay_out(const struct ptx_module *module, struct clem_launches *head)
{
    size_t largest = 3 * sizeof(uint64_t);
    head->functions = 1;
    for (size_t i = 0; i < ptx_module_entry_count(module); i++) {
        const size_t bytes = ptx_module_entry(module, i)->parameter_bytes;
        const uint32_t number = (uint32_t)ptx_module_entry_number(module, i);
        largest = bytes > largest ? bytes : largest;
        head->functions = number >= head->functions ? number + 1 : head->functions;
    }
    head->largest =
        (uint32_t)((sizeof(struct clem_launch_record) + largest + CLEM_LAUNCH_ALIGNMENT - 1) /
                   CLEM_LAUNCH_ALIGNMENT * CLEM_LAUNCH_ALIGNMENT);
    head->words = WORD_COUNT;
    head->words_at = sizeof *head;
    head->functions_at = head->words_at + WORD_COUNT * (uint32_t)sizeof(struct clem_launch_word);
    head->errors = CLEM_LAUNCH_ERRORS;
    head->errors_at = head->functions_at + head->functions * (uint32_t)sizeof(uint32_t);
    head->records_at =
        (head->errors_at + CLEM_LAUNCH_ERRORS * (uint32_t)sizeof(struct clem_launch_error) +
         LEAD_BYTES - 1) /
        LEAD_BYTES * LEAD_BYTES;
}

static void limit(struct clem_launches *head, const struct ocl_launch *launch)
{
    const uint32_t most = MOST_RECORD_BYTES / head->largest;
    head->limit =
        launch->nesting.pending < UINT32_MAX ? (uint32_t)launch->nesting.pending : UINT32_MAX;
    head->most = head->limit < most ? head->limit : most;
    head->device = (uint32_t)launch->nesting.device_number;
}

/* All but the records. */
static ocl_status write_all(const struct ocl_launches *launches)
{
    const struct clem_launches *head = &launches->head;
    const struct ptx_module *module = launches->program->ptx->module;
    unsigned char *bytes = calloc(1, head->records_at);
    if (!bytes)
        return OCL_E_OUT_OF_MEMORY;
    memcpy(bytes, head, sizeof *head);
    fill_words((struct clem_launch_word *)(void *)(bytes + head->words_at));
    for (size_t i = 0; i < ptx_module_entry_count(module); i++) {
        const uint32_t value = (uint32_t)ptx_module_entry(module, i)->parameter_bytes + 1;
        memcpy(bytes + head->functions_at + ptx_module_entry_number(module, i) * sizeof value,
               &value, sizeof value);
    }
    const ocl_status status = write_bytes(launches, 0, bytes, head->records_at);
    free(bytes);
    return status;
}

static void destroy(struct ocl_launches *launches)
{
    if (launches->allocation && launches->is_spoiled)
        (void)ocl_memory_free(OCL_MEMORY_DEVICE, (const void *)(uintptr_t)launches->allocation);
    else
        ocl_memory_discard(launches->allocation);
    if (launches->queue)
        ocl_queue_destroy(launches->queue);
    free(launches);
}

static ocl_status make(struct ocl_program *program, const struct ocl_launch *launch,
                       struct ocl_launches **launches)
{
    struct ocl_launches *made = calloc(1, sizeof *made);
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    made->program = program;
    lay_out(program->ptx->module, &made->head);
    limit(&made->head, launch);
    const size_t bytes = made->head.records_at + (size_t)made->head.most * made->head.largest;
    ocl_status status = ocl_queue_create(program->context, OCL_QUEUE_APART, 0, &made->queue);
    if (status == OCL_OK)
        status = ocl_memory_allocate(program->context, LEAD_BYTES + bytes, 0, &made->allocation);
    if (status == OCL_OK) {
        ocl_check_filled(made->allocation);
        status = write_all(made);
    }
    if (status == OCL_OK)
        *launches = made;
    else
        destroy(made);
    return status;
}

/* ---- Those that nobody uses ---- */

static bool suits(const struct ocl_launches *launches, const struct ocl_launch *launch)
{
    struct clem_launches head = launches->head;
    limit(&head, launch);
    return !launches->is_spoiled && memcmp(&head, &launches->head, sizeof head) == 0;
}

/* Lock held. NULL where none suits. */
static struct ocl_launches *take_idle(struct ocl_program *program, const struct ocl_launch *launch)
{
    struct ocl_launches **link = &program->ptx->launches;
    while (*link && !suits(*link, launch))
        link = &(*link)->next;
    struct ocl_launches *found = *link;
    if (found)
        *link = found->next;
    return found;
}

/* Where many are in use, as in a loop of launches that nobody waits for, the caller waits for one, as CUDA's callers do. */
static struct ocl_launches *wait_for_idle(struct ocl_program *program,
                                          const struct ocl_launch *launch)
{
    pthread_mutex_lock(&program->lock);
    struct ocl_launches *found = take_idle(program, launch);
    while (!found && program->ptx->following >= MOST_FOLLOWING) {
        ocl_steady_wait(&program->changed, &program->lock);
        found = take_idle(program, launch);
    }
    pthread_mutex_unlock(&program->lock);
    return found;
}

static void give_back(struct ocl_launches *launches)
{
    struct ocl_program *program = launches->program;
    pthread_mutex_lock(&program->lock);
    launches->next = program->ptx->launches;
    program->ptx->launches = launches;
    pthread_mutex_unlock(&program->lock);
}

ocl_status ocl_launches_begin(struct ocl_call *call)
{
    struct ocl_program *program = ocl_program_origin(call->kernel->program);
    struct ocl_launches *found = call->launch->nesting.launches;
    ocl_status status = OCL_OK;
    if (!found)
        found = wait_for_idle(program, call->launch);
    if (!found)
        status = make(program, call->launch, &found);
    if (found && !call->launch->nesting.launches)
        found->conditions = call->launch->conditions;
    call->memory.launches = found;
    return status;
}

uint64_t ocl_launches_address(const struct ocl_launches *launches)
{
    return launches ? address_of(launches, 0) : 0;
}

struct ocl_check_origin *ocl_launches_origin(struct ocl_launches *launches)
{
    return &launches->origin;
}

void ocl_launches_end(const struct ocl_call *call)
{
    struct ocl_launches *launches = call->memory.launches;
    if (!launches || call->launch->nesting.launches)
        return;
    launches->is_spoiled |= call->memory.is_spoiled;
    give_back(launches);
}

/* ---- What was written down ---- */

static int compare_order(const void *a, const void *b)
{
    const struct pending *one = *(struct pending *const *)a, *other = *(struct pending *const *)b;
    const bool is_tail = one->record.stream == CLEM_LAUNCH_TAIL,
               is_other = other->record.stream == CLEM_LAUNCH_TAIL;
    if (is_tail != is_other)
        return is_tail ? 1 : -1;
    return (one->record.order > other->record.order) - (one->record.order < other->record.order);
}

static void drop(struct pending *list)
{
    while (list) {
        struct pending *next = list->next;
        free(list);
        list = next;
    }
}

static ocl_status take_record(const unsigned char *bytes, uint32_t depth, struct pending **list,
                              size_t *count)
{
    struct clem_launch_record record;
    memcpy(&record, bytes, sizeof record);
    if (record.order == 0)
        return OCL_OK;
    struct pending *made = malloc(sizeof *made + record.bytes - sizeof record);
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    made->record = record;
    /* What comes in the grid's stead is as deep as the grid. */
    made->depth = record.stream == CLEM_LAUNCH_TAIL ? depth : depth + 1;
    memcpy(made->parameters, bytes + sizeof record, record.bytes - sizeof record);
    list[(*count)++] = made;
    return OCL_OK;
}

/* Before what the tree has still to do. */
static void put_in_order(struct tree *tree, struct pending **list, size_t count)
{
    qsort(list, count, sizeof *list, compare_order);
    for (size_t i = count; i > 0; i--) {
        list[i - 1]->next = tree->first;
        tree->first = list[i - 1];
    }
    tree->count += count;
}

static ocl_status take_records(struct tree *tree, const unsigned char *bytes,
                               const struct clem_launches *head)
{
    struct pending **list = calloc((size_t)head->begun + 1, sizeof(struct pending *));
    size_t count = 0;
    ocl_status status = list ? OCL_OK : OCL_E_OUT_OF_MEMORY;
    for (uint32_t at = 0; status == OCL_OK && at < head->used && count < head->begun;) {
        struct clem_launch_record record;
        memcpy(&record, bytes + at, sizeof record);
        if (record.bytes < sizeof record || record.bytes > head->used - at)
            status = OCL_E_EXECUTION; /* the kernels have written over it */
        else
            status = take_record(bytes + at, head->depth, list, &count);
        at += record.bytes;
    }
    if (list)
        put_in_order(tree, list, count);
    free(list);
    return status;
}

static ocl_status clear_errors(const struct ocl_launches *launches)
{
    const struct clem_launches *head = &launches->head;
    const size_t bytes = head->errors * sizeof(struct clem_launch_error);
    void *zeros = calloc(1, bytes);
    const ocl_status status =
        zeros ? write_bytes(launches, head->errors_at, zeros, bytes) : OCL_E_OUT_OF_MEMORY;
    free(zeros);
    return status;
}

/* What the grid that has ended launched, before all else. The memory is ready for another grid then. */
static ocl_status read_grid(struct tree *tree)
{
    const struct ocl_launches *launches = tree->launches;
    struct clem_launches head;
    ocl_status status = read_bytes(launches, 0, &head, sizeof head);
    const uint64_t most = (uint64_t)launches->head.most * launches->head.largest;
    if (status == OCL_OK && (head.used > most || head.begun > launches->head.most))
        return OCL_E_EXECUTION; /* the kernels have written over it */
    if (status == OCL_OK && head.failures != 0)
        status = clear_errors(launches);
    if (status != OCL_OK || head.begun == 0)
        return status;
    unsigned char *bytes = malloc(head.used);
    if (!bytes)
        return OCL_E_OUT_OF_MEMORY;
    status = read_bytes(launches, launches->head.records_at, bytes, head.used);
    if (status == OCL_OK)
        status = take_records(tree, bytes, &head);
    /* Another grid writes there next, which has nothing to do with this one. */
    ocl_check_race_forget(address_of(launches, launches->head.records_at), head.used);
    free(bytes);
    return status;
}

/* ---- Launching ---- */

static struct ocl_kernel *kernel_of(const struct ocl_program *program, uint32_t number)
{
    const struct ptx_module *module = program->ptx->module;
    for (size_t i = 0; i < program->kernel_count; i++)
        if (ptx_module_entry_number(module, i) == number)
            return &program->kernels[i];
    return NULL;
}

/* The host may make the copy, and would fault where a kernel's access fails. */
static bool is_there(const struct ocl_context *context, uint64_t address, uint64_t bytes,
                     enum ocl_access access)
{
    struct ocl_memory_view view;
    if (ocl_virtual_is_reserved(address))
        return ocl_virtual_allows(address, bytes, access);
    if (!ocl_memory_find((const void *)(uintptr_t)address, &view))
        return ocl_device_reaches_pageable(&context->device->facts);
    const uint64_t host = (uintptr_t)view.host;
    const bool is_host = view.host && address - host < view.bytes;
    return bytes <= view.bytes - (address - (is_host ? host : view.address));
}

static ocl_status move_bytes(const struct tree *tree, const struct pending *pending)
{
    uint64_t given[3];
    const struct ocl_context *context = tree->launches->program->context;
    const bool is_copy = pending->record.function == CLEM_LAUNCH_COPY;
    memcpy(given, pending->parameters, sizeof given);
    if (!is_there(context, given[0], given[2], OCL_ACCESS_WRITE) ||
        (is_copy && !is_there(context, given[1], given[2], OCL_ACCESS_READ)))
        return OCL_E_ACCESS;
    const struct ocl_copy linear = ocl_copy_linear(given[0], given[1], given[2]);
    const struct ocl_fill fill = {.address = given[0],
                                  .pitch = given[2],
                                  .slice_bytes = given[2],
                                  .count = given[2],
                                  .height = 1,
                                  .depth = 1,
                                  .element_bytes = 1,
                                  .value = (uint32_t)given[1]};
    const ocl_status status =
        is_copy ? ocl_transfer_copy(tree->launches->queue, &linear, OCL_WAIT_ALL)
                : ocl_transfer_fill(tree->launches->queue, &fill, OCL_WAIT_SOURCE);
    /* Where the device reaches all that the host has, what nobody has is met here. */
    return status == OCL_E_INVALID_VALUE || status == OCL_E_NOT_FOUND ? OCL_E_ACCESS : status;
}

static ocl_status launch(const struct tree *tree, struct ocl_kernel *kernel,
                         const struct pending *pending)
{
    const struct clem_launch_record *record = &pending->record;
    const struct ocl_kernel_facts *facts = ocl_kernel_facts(kernel);
    void **arguments = calloc(facts->parameter_count + 1, sizeof *arguments);
    if (!arguments)
        return OCL_E_OUT_OF_MEMORY;
    for (size_t i = 0; facts->status == OCL_OK && i < facts->parameter_count; i++)
        arguments[i] =
            (void *)(uintptr_t)(pending->parameters + ocl_kernel_parameter(kernel, i)->offset);
    const struct ocl_launch call = {
        .groups = {record->grid[0], record->grid[1], record->grid[2]},
        .items = {record->block[0], record->block[1], record->block[2]},
        .local_bytes = record->shared,
        .arguments = arguments,
        .nesting = {.launches = tree->launches,
                    .told = record->told,
                    .is_tail = record->stream == CLEM_LAUNCH_TAIL},
        .conditions = tree->launches->conditions,
    };
    const ocl_status status = ocl_kernel_launch(kernel, tree->launches->queue, &call);
    free(arguments);
    if (status != OCL_OK)
        ocl_log(true, "kernel %s, which a kernel launched, cannot be launched",
                ocl_kernel_name(kernel));
    return status;
}

/* What its threads may write down beside what is still to be launched. */
static ocl_status prepare(const struct tree *tree, uint32_t depth)
{
    struct clem_launches head = tree->launches->head;
    head.depth = depth;
    head.most = tree->count < head.most ? head.most - (uint32_t)tree->count : 0;
    return write_bytes(tree->launches, 0, &head, sizeof head);
}

static ocl_status run_kernel(struct tree *tree, const struct pending *pending)
{
    struct ocl_kernel *kernel = kernel_of(tree->launches->program, pending->record.function);
    ocl_status status = kernel ? ocl_kernel_ready(kernel) : OCL_E_EXECUTION;
    const bool launches = status == OCL_OK && kernel->ptx->has_launches;
    if (launches)
        status = ocl_queue_finish(tree->launches->queue);
    if (launches && status == OCL_OK)
        status = prepare(tree, pending->depth);
    if (status == OCL_OK)
        status = launch(tree, kernel, pending);
    if (launches && status == OCL_OK)
        status = ocl_queue_finish(tree->launches->queue);
    return launches && status == OCL_OK ? read_grid(tree) : status;
}

static ocl_status run_tree(struct tree *tree)
{
    ocl_status status = read_grid(tree);
    const struct ocl_context *context = tree->launches->program->context;
    while (status == OCL_OK && tree->first && !atomic_load(&context->ends_launches)) {
        struct pending *pending = tree->first;
        tree->first = pending->next;
        tree->count--;
        status = pending->record.function >= CLEM_LAUNCH_COPY ? move_bytes(tree, pending)
                                                              : run_kernel(tree, pending);
        free(pending);
    }
    const ocl_status end = ocl_queue_finish(tree->launches->queue);
    return status == OCL_OK ? end : status;
}

/* In the queue's turn, on a thread of its own. Nobody waits for what fails here: it becomes the context's failure. */
static ocl_status take_turn(void *data, ocl_status failure)
{
    struct ocl_launches *launches = data;
    struct ocl_program *program = launches->program;
    struct tree tree = {.launches = launches};
    ocl_status status = failure == OCL_OK ? run_tree(&tree) : OCL_OK;
    drop(tree.first);
    if (status == OCL_OK && failure == OCL_OK)
        status = write_head(launches);
    launches->is_spoiled |= status != OCL_OK;
    give_back(launches);
    pthread_mutex_lock(&program->lock);
    program->ptx->following--;
    pthread_cond_broadcast(&program->changed);
    pthread_mutex_unlock(&program->lock);
    return status == OCL_OK || status == OCL_E_ACCESS || ocl_tells_failure(status)
               ? status
               : OCL_E_EXECUTION;
}

ocl_status ocl_launches_follow(struct ocl_call *call, struct ocl_queue *queue)
{
    struct ocl_launches *launches = call->memory.launches;
    if (call->launch->nesting.launches || !launches)
        return OCL_OK;
    pthread_mutex_lock(&launches->program->lock);
    launches->program->ptx->following++;
    pthread_mutex_unlock(&launches->program->lock);
    call->memory.launches = NULL;
    if (ocl_queue_take_turn(queue, take_turn, launches) == OCL_OK)
        return OCL_OK;
    /* The grid is on its way, and cannot be launched once more. */
    const ocl_status status = take_turn(launches, ocl_queue_finish(queue));
    return status == OCL_OK ? OCL_OK : ocl_context_fail(queue->context, status);
}

void ocl_launches_release(struct ocl_program *program)
{
    if (!program->ptx)
        return;
    pthread_mutex_lock(&program->lock);
    while (program->ptx->following > 0)
        ocl_steady_wait(&program->changed, &program->lock);
    struct ocl_launches *launches = program->ptx->launches;
    program->ptx->launches = NULL;
    pthread_mutex_unlock(&program->lock);
    while (launches) {
        struct ocl_launches *next = launches->next;
        destroy(launches);
        launches = next;
    }
}
