/* Packed bytes that a queue unpacks in its order.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_UNPACK_H
#define OCL_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#include "cl/queue.h"

/* Unpacks bytes of from into to, which has room bytes, and returns how many those became; 0 for what cannot be unpacked, or
 * has no room. Runs on a thread of the queue's. */
typedef size_t ocl_unpack_function(const unsigned char *from, size_t bytes, unsigned char *to,
                                   size_t room);

/* Addresses of device or managed memory. Where count points, 4 bytes say at the end how many were written at target. */
struct ocl_packed {
    uint64_t source, target, count;
    size_t bytes, room;
    ocl_unpack_function *unpack;
};

/* Unpacks all of the list, which is copied, after earlier work of the queue and before later work. Of what cannot be
 * unpacked nothing is written but the 4 bytes, which then are 0. Waits for nothing. Needs: count, and each bytes and room, are
 * not 0. Errors: OCL_E_OUT_OF_MEMORY; the driver's; the sticky failure. */
ocl_status ocl_transfer_unpack(struct ocl_queue *queue, const struct ocl_packed *list,
                               size_t count);

#endif
