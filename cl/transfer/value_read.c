/* Reading many small values of device memory at once.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/transfer/value_read.h"

#include <stdlib.h>
#include <string.h>

#include "cl/base/steady.h"
#include "cl/memory/transfer_command.h"
#include "cl/queue/command.h"

/* Values of one allocation with less than so much between them are read together, with that. */
enum { MOST_GAP_BYTES = 4096, MOST_RUN_BYTES = 64 << 10 };

struct run {
    struct ocl_value_read **first, **end; /* in the order of their addresses */
    uint64_t address;
    size_t bytes, at; /* in the memory that is read into */
    bool is_read;
};

static int compare(const void *a, const void *b)
{
    const struct ocl_side *x = (*(struct ocl_value_read *const *)a)->side;
    const struct ocl_side *y = (*(struct ocl_value_read *const *)b)->side;
    if (x->allocation != y->allocation)
        return (uintptr_t)x->allocation < (uintptr_t)y->allocation ? -1 : 1;
    return x->address < y->address ? -1 : x->address > y->address;
}

static bool joins(const struct run *run, const struct ocl_value_read *read)
{
    const uint64_t end = run->address + run->bytes;
    return (*run->first)->side->allocation == read->side->allocation &&
           (read->side->address < end || read->side->address - end < MOST_GAP_BYTES) &&
           read->side->address + read->bytes - run->address <= MOST_RUN_BYTES;
}

/* Returns how many there are, and the bytes of all. */
static size_t find_runs(struct ocl_value_read **all, size_t count, struct run *runs, size_t *bytes)
{
    size_t made = 0;
    *bytes = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t address = all[i]->side->address, end = address + all[i]->bytes;
        struct run *run = made > 0 ? &runs[made - 1] : NULL;
        if (!run || !joins(run, all[i])) {
            run = &runs[made++];
            *run = (struct run){.first = &all[i], .address = address};
        }
        run->end = &all[i] + 1;
        if (end > run->address + run->bytes)
            run->bytes = (size_t)(end - run->address);
    }
    for (size_t i = 0; i < made; i++) {
        runs[i].at = *bytes;
        *bytes += (runs[i].bytes + 7) / 8 * 8;
    }
    return made;
}

static ocl_status enqueue(struct ocl_queue *queue, const struct run *run, unsigned char *target,
                          cl_event *event)
{
    const struct ocl_place place = ocl_side_place((*run->first)->side, run->address);
    struct ocl_command command;
    ocl_status status = ocl_command_begin(&command, queue, OCL_COMMAND_APART);
    if (status != OCL_OK)
        return status;
    status = place.buffer
                 ? ocl_enqueue_read(&command, place.buffer, place.offset, run->bytes, target, event)
                 : ocl_enqueue_pointer_copy(&command, target, place.pointer, run->bytes, event);
    ocl_command_end(&command);
    return status;
}

/* All are complete with the last one. Returns whether they have their values. */
static bool read_runs(struct ocl_queue *queue, struct run *runs, size_t count,
                      unsigned char *memory)
{
    cl_event last = NULL, event;
    for (size_t i = 0; i < count; i++) {
        runs[i].is_read = enqueue(queue, &runs[i], memory + runs[i].at, &event) == OCL_OK;
        if (!runs[i].is_read)
            continue;
        if (last)
            clReleaseEvent(last);
        last = event;
    }
    if (!last)
        return false;
    const cl_int error = ocl_steady_event(last);
    clReleaseEvent(last);
    if (error != CL_SUCCESS)
        ocl_queue_wait_out(queue);
    return error == CL_SUCCESS;
}

static void hand_out(const struct run *run, const unsigned char *memory)
{
    for (struct ocl_value_read **read = run->first; read < run->end; read++) {
        (*read)->is_read = true;
        memcpy(&(*read)->value, memory + run->at + ((*read)->side->address - run->address),
               (*read)->bytes);
    }
}

static void read_sorted(struct ocl_queue *queue, struct ocl_value_read **all, size_t count,
                        struct run *runs)
{
    size_t bytes = 0;
    const size_t run_count = find_runs(all, count, runs, &bytes);
    unsigned char *memory = malloc(bytes);
    if (memory && read_runs(queue, runs, run_count, memory))
        for (size_t i = 0; i < run_count; i++)
            if (runs[i].is_read)
                hand_out(&runs[i], memory);
    free(memory);
}

void ocl_value_read_all(struct ocl_queue *queue, struct ocl_value_read *reads)
{
    size_t count = 0;
    for (struct ocl_value_read *read = reads; read; read = read->next) {
        read->is_read = false;
        read->value = 0;
        count++;
    }
    struct ocl_value_read **all = calloc(count + 1, sizeof(struct ocl_value_read *));
    struct run *runs = calloc(count + 1, sizeof *runs);
    if (all && runs && count > 0) {
        for (struct ocl_value_read *read = reads, **place = all; read; read = read->next)
            *place++ = read;
        qsort(all, count, sizeof(struct ocl_value_read *), compare);
        read_sorted(queue, all, count, runs);
    }
    free(runs);
    free(all);
}
