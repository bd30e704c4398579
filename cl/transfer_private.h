/* What the files of the planner share. Private to transfer*.c and fill.c.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_TRANSFER_PRIVATE_H
#define OCL_TRANSFER_PRIVATE_H

#include "cl/state.h"
#include "cl/transfer.h"
#include "cl/transfer_plan.h"

enum ocl_side_kind { OCL_SIDE_PAGEABLE, OCL_SIDE_PINNED, OCL_SIDE_DEVICE };

/* What an address means. */
struct ocl_side {
    enum ocl_side_kind kind;
    struct ocl_allocation *allocation; /* a reference; NULL for pageable memory */
    uint64_t address; /* a host pointer for host memory, the device address for device memory */
    uint64_t
        kernel_address; /* what kernels of the allocation's context use; 0 for pageable memory */
};

/* Owns: the caller releases the side when the commands that use it are enqueued. */
struct ocl_side ocl_side_find(uint64_t address);
void ocl_side_release(struct ocl_side *side);

/* Before the first command that uses the side: managed memory goes to the device if nothing else would
 * send it. */
void ocl_side_prepare(const struct ocl_side *side);

/* Whether the host may take the bytes as they are, once all earlier work is complete. */
bool ocl_side_is_host_memory(const struct ocl_side *side);

/* Whether kernels of context reach the first byte of side by its kernel_address. */
bool ocl_side_is_reached(const struct ocl_side *side, const struct ocl_context *context);

/* The OpenCL name of address, which lies in the side's allocation. */
struct ocl_place ocl_side_place(const struct ocl_side *side, uint64_t address);

/* A copy on its way through the planner. Ends that are device memory belong to the queue's context,
 * except on the way to transfer_peer.c. */
struct ocl_transfer {
    struct ocl_queue *queue;
    const struct ocl_transfer_limits *limits;
    struct ocl_copy copy; /* collapsed; addresses are those of the sides */
    struct ocl_side source, target;
    enum ocl_transfer_wait wait;
};

/* Carries out a transfer whose device ends belong to the queue's context. */
ocl_status ocl_transfer_run(struct ocl_transfer *transfer);

/* Carries out a transfer with a device end in another context than the queue's: complete on return.
 */
ocl_status ocl_transfer_run_foreign(struct ocl_transfer *transfer);

/* The host's part of it, with two queues of the ends' contexts. */
bool ocl_transfer_is_between_devices(const struct ocl_transfer *transfer);
ocl_status ocl_transfer_pass_by_host(const struct ocl_transfer *transfer, struct ocl_queue *from,
                                     struct ocl_queue *to);

/* Between two ends that are the host's: at once, whatever the queue has to do. */
void ocl_transfer_copy_by_host(const struct ocl_transfer *transfer);

/* A transfer that needs the host when its turn has come, and whose caller does not wait: takes over the sides' references,
 * and carries it out in the queue's order. Needs: no end is pageable but a source that is to be read in that order. */
bool ocl_transfer_goes_later(const struct ocl_transfer *transfer);
ocl_status ocl_transfer_later(struct ocl_transfer *transfer);

/* A queue of a context that stays as long as the reference, for what is done in a turn. */
ocl_status ocl_transfer_borrow_queue(struct ocl_context *context, struct ocl_queue **queue);

/* Pageable memory to the device, and back (complete on return), through pinned chunks. The host end
 * may also be pinned memory when all earlier work is complete. */
ocl_status ocl_transfer_write_staged(struct ocl_transfer *transfer);
ocl_status ocl_transfer_read_staged(struct ocl_transfer *transfer);

/* Pinned memory to the device and back, rectangles and volumes. */
ocl_status ocl_transfer_pinned_rect(struct ocl_transfer *transfer);

/* The status, or that of waiting for the queue when the caller wants all to be complete. */
ocl_status ocl_transfer_conclude(const struct ocl_transfer *transfer, ocl_status status);

#endif
