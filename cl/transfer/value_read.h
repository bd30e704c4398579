/* Reading many small values of device memory at once. Private to cl/transfer/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_VALUE_READ_H
#define OCL_VALUE_READ_H

#include "cl/queue/queue_private.h"
#include "cl/transfer/side.h"

struct ocl_value_read {
    const struct ocl_side *side; /* device memory */
    size_t bytes;                /* 4 or 8 */
    uint64_t value;              /* what was read, zeros above it */
    bool is_read;                /* false: it cannot be read now */
    struct ocl_value_read *next; /* of the caller's list */
};

/* Reads all of a list, one command for those that lie close together: drivers take some ten microseconds for each.
 * Threads: blocks until the device has read; the queue is the caller's alone, and waits for no other.
 * Errors:  none but is_read. */
void ocl_value_read_all(struct ocl_queue *queue, struct ocl_value_read *reads);

#endif
