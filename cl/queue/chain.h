/* Short pieces of work of the host that follow each other in a queue, as one command of the driver: to give a driver a command
 * and to have one of its threads woken for it takes longer than they do. Private to cl/.
 *
 * The command calls one function, which does what was added, piece after piece. While it is at it, and for a moment after,
 * further pieces are added to the same command, as long as the queue has got no other since: every other command closes
 * the chain. So the order of the queue is what it would be with a command for each.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_CHAIN_H
#define OCL_CHAIN_H

#include "cl/profile.h"
#include "cl/queue/queue_private.h"

/* A piece: what begins with the function that does it, once, and may free the piece. share: does parts of it that nobody has
 * begun, until there are none, in any thread and in several at once, frees nothing, and says whether there were any; is_waiting:
 * the thread is not the driver's; NULL: one thread does it best. */
struct ocl_piece_of_chain {
    void (*run)(struct ocl_piece_of_chain *piece);
    bool (*share)(struct ocl_piece_of_chain *piece, bool is_waiting);
};

/* piece_memory.c: memory for a piece, at a multiple of 16, of whatever values; NULL: there is none. Whoever frees the piece gives it
 * back. Threads: any; neither waits. */
void *ocl_piece_take(size_t bytes);
void ocl_piece_give(void *piece);

/* Parts of a piece that threads share: who waits takes the second half, from the end on, the driver's thread the first, from the start,
 * and then each what the other has not come to. So each has the same ones the next time, and finds in its processor's caches what they
 * wrote; and neither has to wait for the other's line of the cache until the end. */
struct ocl_parts {
    uint64_t count;
    struct {
        unsigned char apart[64];
        _Atomic uint64_t taken;
    } halves[2];
    unsigned char apart[64];
};

static inline void ocl_parts_begin(struct ocl_parts *parts, uint64_t count)
{
    parts->count = count;
    atomic_init(&parts->halves[0].taken, 0);
    atomic_init(&parts->halves[1].taken, 0);
}

/* Of one half: one, or most of what is left of it. */
static inline uint64_t ocl_parts_take_half(struct ocl_parts *parts, bool is_second, bool is_one,
                                           uint64_t *first)
{
    const uint64_t all = is_second ? parts->count / 2 : parts->count - parts->count / 2;
    _Atomic uint64_t *const taken = &parts->halves[is_second].taken;
    const uint64_t seen = atomic_load_explicit(taken, memory_order_relaxed);
    if (seen >= all)
        return 0;
    const uint64_t wanted = is_one ? 1 : (all - seen) * 3 / 4 + 1;
    const uint64_t before = atomic_fetch_add_explicit(taken, wanted, memory_order_relaxed);
    const uint64_t rest = before < all ? all - before : 0, count = rest < wanted ? rest : wanted;
    *first = is_second ? parts->count - before - count : before;
    return count;
}

/* Takes one of them, or most of what a half has left; returns how many, from *first on, and 0 where there are none. */
static inline uint64_t ocl_parts_take(struct ocl_parts *parts, bool is_waiting, bool is_one,
                                      uint64_t *first)
{
    const uint64_t count = ocl_parts_take_half(parts, is_waiting, is_one, first);
    return count > 0 ? count : ocl_parts_take_half(parts, !is_waiting, is_one, first);
}

/* Counted. The command is given its address, where the address of a function of the same type as above is. */
struct ocl_chain;

/* Whether the piece has come behind all that the queue has got; otherwise it needs a command of its own. The caller counts it
 * as a command. Needs: between ocl_command_begin() for OCL_COMMAND_CHAINED and its end. Locks: queue.chain_lock. */
bool ocl_chain_add(struct ocl_queue *queue, struct ocl_piece_of_chain *piece);

/* Does the same as a command of its own, of little work, where the queue's last command is a chain; otherwise, and where it is
 * full, *is_taken is false. Returns what ocl_command_begin() does. Needs: no command has begun. */
ocl_status ocl_chain_try(struct ocl_queue *queue, struct ocl_piece_of_chain *piece, bool *is_taken);

/* Whether that may be worth making a piece. */
static inline bool ocl_chain_is_there(struct ocl_queue *queue)
{
    return atomic_load(&queue->chain) && !atomic_load(&queue->is_lent) && !ocl_profile_is_on();
}

/* Where a chain is full, gives it a moment for half of its pieces, of which the calling thread does its share. Needs: no command
 * has begun. Locks: queue.chain_lock. */
void ocl_chain_make_room(struct ocl_queue *queue);

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

/* Of a queue that goes: closes its chain, and lets go of all. Locks: queue.chain_lock. */
void ocl_chain_forget(struct ocl_queue *queue);

/* Whether all that the queue has got is known to be complete because its last command is a chain, and has no piece left: *position
 * is then how much that is. The second waits for that a little while, turning on the spot, and does its share of what chains of the
 * queue have left as long as there is some, also where the last command is none. Locks: queue.chain_lock. */
bool ocl_chain_is_done(struct ocl_queue *queue, uint64_t *position);
bool ocl_chain_await(struct ocl_queue *queue, uint64_t *position);

/* After how many nanoseconds a thread that waits for a piece which it can share has lately heard of one; 0: nobody knows yet. */
uint32_t ocl_chain_hearing_ns(void);

#endif
