/* What the files of the planner share. Private to cl/transfer/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_TRANSFER_PRIVATE_H
#define OCL_TRANSFER_PRIVATE_H

#include "cl/check.h"
#include "cl/state/state.h"
#include "cl/transfer.h"
#include "cl/transfer/side.h"
#include "cl/transfer/transfer_plan.h"

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

/* Whether source and target are of one device, and share bytes. */
bool ocl_transfer_overlaps(const struct ocl_transfer *transfer);

/* A transfer that needs the host when its turn has come, and whose caller does not wait: takes over the sides' references,
 * and carries it out in the queue's order. Needs: no end is pageable but a source that is to be read in that order. */
bool ocl_transfer_goes_later(const struct ocl_transfer *transfer);
ocl_status ocl_transfer_later(struct ocl_transfer *transfer);

/* A queue of a context that stays as long as the reference, for what is done in a turn. */
ocl_status ocl_transfer_borrow_queue(struct ocl_context *context, struct ocl_queue **queue);

/* Around giving a queue a copy that is to be done in its turn. One of a legacy queue that works on device memory of other
 * contexts has its place in the order of their legacy queues too; not so fills (two H100, NVIDIA's driver 580).
 *
 * begin: others are queues of such contexts, or of the queue's own, or NULL. end: passes status on, or the failure to
 * make the others wait. Owns: references to the others in between, since the turn may be over before its end.
 * Order: end follows begin, whatever came of it. */
struct ocl_turn {
    struct ocl_queue *queue, *others[2];
};
ocl_status ocl_turn_begin(struct ocl_turn *turn, struct ocl_queue *queue, struct ocl_queue *first,
                          struct ocl_queue *second);
ocl_status ocl_turn_end(struct ocl_turn *turn, ocl_status status);

/* Pageable memory to the device, and back (complete on return), through pinned chunks. The host end
 * may also be pinned memory when all earlier work is complete. */
ocl_status ocl_transfer_write_staged(struct ocl_transfer *transfer);
ocl_status ocl_transfer_read_staged(struct ocl_transfer *transfer);

/* Pinned memory to the device and back, rectangles and volumes. */
ocl_status ocl_transfer_pinned_rect(struct ocl_transfer *transfer);

/* For the check of what was never written: follows a copy, or a fill (source is NULL), when all earlier work of the queue has run;
 * with OCL_WAIT_ALL waits for that. Addresses are those that kernels know. */
void ocl_transfer_check(struct ocl_queue *queue, const struct ocl_check_rows *target,
                        const struct ocl_check_rows *source, const struct ocl_check_shape *shape,
                        enum ocl_transfer_wait wait);

#endif
