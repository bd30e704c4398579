/* Values in memory that queues write, and wait for.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_VALUE_H
#define OCL_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "cl/queue.h"

/* What must hold of the bytes in memory. Source: CUDA Driver API 13.0, CUstreamWaitValue_flags. */
enum ocl_value_test {
    OCL_VALUE_AT_LEAST, /* their difference from value, as a signed number, is not negative */
    OCL_VALUE_EQUAL,
    OCL_VALUE_AND, /* they have a bit of value */
    OCL_VALUE_NOR  /* a bit is in neither */
};

/* 4 or 8 bytes, aligned to as much, of device or pinned memory. */
struct ocl_value {
    uint64_t address, value;
    unsigned bytes;
};

/* Writes the value after earlier work of the queue, all bytes at once. Waits for nothing where the host reaches the memory.
 * Errors: OCL_E_NOT_FOUND when the address is in no allocation; OCL_E_OUT_OF_MEMORY; the driver's; the sticky failure. */
ocl_status ocl_queue_write_value(struct ocl_queue *queue, const struct ocl_value *value);

/* Makes later commands of the queue wait until the test has held once after earlier work of the queue: the memory is looked at
 * again at each write of a value, and every few milliseconds. Waits for nothing itself. The wait ends too when the context fails, when
 * ocl_values_end() is called, and when the context that has the memory is closed. Errors: as above. */
ocl_status ocl_queue_wait_value(struct ocl_queue *queue, const struct ocl_value *value,
                                enum ocl_value_test test);

/* Something else that a queue waits for, looked at in the same way. */
struct ocl_awaited {
    bool (*is_over)(struct ocl_awaited *awaited); /* asked again and again, by one thread */
    void (*end)(
        struct ocl_awaited *awaited); /* called once, when it is over or the wait ends without */
};

/* The same for that: end() is called before the queue goes on. Errors: as above, and end() is not called then. */
ocl_status ocl_queue_await(struct ocl_queue *queue, struct ocl_awaited *awaited);

/* What the context's queues wait for may have come: it is looked at without delay. */
void ocl_values_tell(struct ocl_context *context);

/* Ends all waits of the context, and those that come later as soon as they begin. */
void ocl_values_end(struct ocl_context *context);

/* Ends the thread that looks. Needs: the context's queues are gone. */
void ocl_values_close(struct ocl_context *context);

#endif
