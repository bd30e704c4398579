/* Short pieces of work of the host that follow each other in a queue, as one command of the driver: to give a driver a command
 * and to have one of its threads woken for it takes longer than they do. Private to cl/.
 *
 * The command calls one function, which does what was added, piece after piece. While it is at it, and for a moment after,
 * further pieces are added to the same command, as long as the queue has got no other since: every other command closes
 * the chain. So the order of the queue is what it would be with a command for each.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_CHAIN_H
#define OCL_CHAIN_H

#include "cl/queue/queue_private.h"

/* A piece: what begins with the function that does it, once, and may free the piece. */
struct ocl_piece_of_chain {
    void (*run)(struct ocl_piece_of_chain *piece);
};

/* Counted. The command is given its address, where the address of a function of the same type as above is. */
struct ocl_chain;

/* Whether the piece has come behind all that the queue has got; otherwise it needs a command of its own. The caller counts it
 * as a command. Needs: between ocl_command_begin() for OCL_COMMAND_CHAINED and its end. Locks: queue.chain_lock. */
bool ocl_chain_add(struct ocl_queue *queue, struct ocl_piece_of_chain *piece);

/* Makes a chain of one piece, for whose command the caller has as long as it wants; NULL without memory. Afterwards
 * ocl_chain_opened() says whether the driver took the command: where it did not, the piece is the caller's still.
 * Needs, Locks: as above. */
struct ocl_chain *ocl_chain_make(struct ocl_queue *queue, struct ocl_piece_of_chain *piece);
void ocl_chain_opened(struct ocl_queue *queue, struct ocl_chain *chain, bool is_taken);

/* Adds nothing more to the queue's last command. Nearly free where that is no chain. Locks: queue.chain_lock. */
void ocl_chain_close_slowly(struct ocl_queue *queue);
static inline void ocl_chain_close(struct ocl_queue *queue)
{
    if (atomic_load(&queue->chain))
        ocl_chain_close_slowly(queue);
}

/* Whether all that the queue has got is known to be complete because its last command is a chain, and has no piece left: *position
 * is then how much that is. The second waits for that a little while, turning on the spot. Locks: queue.chain_lock. */
bool ocl_chain_is_done(struct ocl_queue *queue, uint64_t *position);
bool ocl_chain_await(struct ocl_queue *queue, uint64_t *position);

#endif
