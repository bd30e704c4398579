/* What the files around queues and events share, and transfers use. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_QUEUE_PRIVATE_H
#define OCL_QUEUE_PRIVATE_H

#include "cl/base/worker.h"
#include "cl/check/streams.h"
#include "cl/event.h"
#include "cl/queue.h"
#include "cl/state/state.h"

/* What a queue has waited for last: that the first position commands of others were complete. Older waits are
 * forgotten. */
enum { OCL_QUEUE_WAITS = 8 };
struct ocl_queue_waits {
    uint64_t ids[OCL_QUEUE_WAITS]; /* 0: none */
    uint64_t positions[OCL_QUEUE_WAITS];
    unsigned oldest;
};

struct ocl_queue {
    void *slab_word;
    _Atomic uint64_t id; /* unique in the process, never used again; 0 while the memory is free */
    struct ocl_context *context;
    enum ocl_queue_kind kind;
    int priority;
    /* Made at the first command, for which ocl_command_begin() sees; NULL before. */
    _Atomic(cl_command_queue) cl;
    _Atomic(struct ocl_lane *) lane; /* lane.c: what a trace wants to know of it, or NULL */
    cl_kernel clock_kernel;          /* reads the clock, or NULL (lock) */
    struct ocl_clock_slot
        *reading; /* the last one, behind reading_position commands, or NULL (lock) */
    void (*release_reading)(struct ocl_clock_slot *slot);
    uint64_t reading_position;
    unsigned reading_stamps;     /* that share it */
    _Atomic uint32_t references; /* the owner's, and one for each task or loop that needs it */
    bool is_destroyed;           /* the owner's is on its way back (queue_lock) */
    _Atomic bool is_covered;     /* who waits for the other queues waits for all of it */
    bool has_locks;              /* the locks outlive the queue, as the memory does */
    pthread_mutex_t order_lock, lock;
    pthread_mutex_t chain_lock; /* a leaf: who has a chain from the next */
    _Atomic(struct ocl_chain *)
        chain; /* the last command, where more may be added to it (chain.h), or NULL */
    struct ocl_chain
        *oldest; /* of those that the driver has, as far as is known, or NULL (chain_lock) */
    _Atomic bool is_lent; /* the program has the driver's queue, and may give it commands */
    cl_event mark;        /* a marker behind the first mark_position commands, or NULL (lock) */
    uint64_t mark_position;
    bool mark_is_pushed;          /* the driver was flushed behind it (lock) */
    struct ocl_queue_waits waits; /* for other queues (lock) */
    _Atomic uint64_t submitted;   /* commands given to the driver so far */
    _Atomic uint64_t finished;    /* how many of them are known to be complete; only grows */
    _Atomic uint64_t flushed;     /* how many of them the driver was told to start; only grows */
    _Atomic uint64_t
        pushed; /* where drivers start them unasked: how many clFlush() has followed; only grows */
    _Atomic uint64_t ending; /* submitted when the program returned; before that 0 */
    /* Blocking queue: legacy.submitted when it last waited for the legacy queue; legacy queue:
     * context.blocking_work when it last waited for the blocking ones. */
    _Atomic uint64_t seen;
    _Atomic uint64_t seen_by_legacy; /* submitted when the legacy queue last waited for this one */
    _Atomic uint64_t seen_until;     /* which of the legacy queue's commands complete after that */
    _Atomic uint64_t entered; /* how many commands of the context's entrance it has waited for */
    struct ocl_worker
        *turns; /* gate.c: does what the host has to do in the queue's turn, or NULL (lock) */
    struct ocl_worker_task release; /* posted when the work of a destroyed queue is complete */
    bool awaits_release;            /* nobody has posted it yet (lock) */
    struct ocl_queue *next, *previous;
    struct ocl_queue_link links[OCL_QUEUE_LINKS];
    unsigned walkers; /* walks over the busy queues that have come to this one (queue_lock) */
};

/* Whether all submitted commands are known to be complete, without asking the driver; true for a fresh queue. Takes the
 * legacy queue's and the blocking queues' relation into account: true means that the host may touch device memory in
 * place of a command on this queue. */
bool ocl_queue_is_idle(struct ocl_queue *queue);

/* Before the host does something in place of a command: waits for all that a command submitted now would wait for. More than
 * ocl_queue_finish() where the queue has no command yet that waits for the legacy queue; nearly free when all is idle.
 * Errors: the context's sticky failure. */
ocl_status ocl_queue_settle(struct ocl_queue *queue);

/* As ocl_queue_finish(), of which the program knows nothing: for the checks it has not waited. */
ocl_status ocl_queue_finish_unseen(struct ocl_queue *queue);

/* Tells the driver to start what was submitted. */
ocl_status ocl_queue_flush(struct ocl_queue *queue);

/* Waits for the work of all queues of the context, destroyed ones included; nearly free when they are idle. Returns the
 * context's sticky failure. */
ocl_status ocl_queues_finish(struct ocl_context *context);

/* The same without waiting: OCL_E_NOT_READY while any queue has work. */
ocl_status ocl_queues_query(struct ocl_context *context);

/* When the program returns: what the queues have got so far is what it leaves. And whether that is complete, whatever other
 * threads go on to submit. */
void ocl_queues_note_ending(struct ocl_context *context);
ocl_status ocl_queues_query_ending(struct ocl_context *context);

/* Waits for all work, pending host functions included, and destroys every queue, the legacy one last. Afterwards nothing
 * of the queues is left in the workers, which the caller may then destroy.
 * Errors: OCL_E_NOT_READY when the driver of a failed context never ended its work: the workers and the context must then
 *         stay in memory. */
ocl_status ocl_queues_close(struct ocl_context *context);

/* How the counters are read. submitted says how many commands were counted; a command is counted
 * after it was enqueued. So a marker enqueued after submitted was read as n comes after these n
 * commands, and its completion makes finished at least n. Markers themselves are not counted:
 * nothing needs to wait for them. Barriers that wait for others are: the queue is not idle before
 * they are passed. */

/* Raises *counter to value, unless it is there already. */
void ocl_counter_raise(_Atomic uint64_t *counter, uint64_t value);

/* Makes queue wait for all that another queue has got so far. Errors: the driver's. */
ocl_status ocl_queue_wait_for(struct ocl_queue *queue, struct ocl_queue *other);

/* Makes queue wait for what the whole context waits for, if it has not yet. Errors: the driver's. */
ocl_status ocl_queue_enter(struct ocl_queue *queue);

/* What queue has to wait for so, as long as that is not known to be complete; or NULL. */
struct ocl_queue *ocl_queue_entrance(struct ocl_queue *queue);

/* Makes the driver's queue, unless it has been made: for ocl_command_begin(). Errors: the driver's. */
ocl_status ocl_queue_open(struct ocl_queue *queue);

/* A queue of the driver; the only place where they are made. NULL: *error says why. */
cl_command_queue ocl_queue_make(const struct ocl_context *context, int priority, bool is_profiled,
                                cl_int *error);

/* The habits of the context's driver. */
struct ocl_queue_tuning ocl_queue_tuning_of(const struct ocl_context *context);

/* Whether the driver is NVIDIA's: it alone has the extension that is asked for. For habits that
 * were measured there. */
bool ocl_queue_is_nvidia(const struct ocl_context *context);

/* A fresh queue that is on no list, or NULL without memory; gives such a one back; from here on others may find it, and the
 * caller has a reference. */
struct ocl_queue *ocl_queue_take(struct ocl_context *context, enum ocl_queue_kind kind,
                                 int priority);
void ocl_queue_give(struct ocl_queue *queue);
void ocl_queue_link(struct ocl_queue *queue);

/* A further reference to a queue that may be on its way out: false when it is gone. Whose it is by then only those know who
 * hold queue_lock, on whose lists it is, or have a reference already. */
bool ocl_queue_retain(struct ocl_queue *queue);
void ocl_queue_release(struct ocl_queue *queue);

/* Whether its owner has destroyed it: it gets nothing more of the program's. */
bool ocl_queue_is_going(struct ocl_queue *queue);

/* A reference to the queue that had this id, of whatever context; NULL when it is gone, and another one may be in its place. */
struct ocl_queue *ocl_queue_acquire(const struct ocl_queue *queue, uint64_t id);

/* The next queue of all with a reference, newest first, or NULL. *cursor is UINT64_MAX at first. Costs time for each queue
 * that there is: for what is rare. */
struct ocl_queue *ocl_queue_next(struct ocl_context *context, uint64_t *cursor);

/* Waits until the work of this queue alone has ended, as far as the driver tells. */
void ocl_queue_wait_out(struct ocl_queue *queue);

/* An event behind everything submitted to queue, started, for the caller to release; *position is
 * what it covers. */
ocl_status ocl_queue_mark(struct ocl_queue *queue, cl_event *event, uint64_t *position);

/* Counts commands that the driver took: for ocl_command_end(). */
void ocl_queue_count(struct ocl_queue *queue, unsigned commands);

/* Tells the driver to start what was enqueued, of which submitted commands were counted; nothing
 * for drivers that do so by themselves. Errors: the driver's; a failure becomes the context's. */
ocl_status ocl_queue_start(struct ocl_queue *queue, uint64_t submitted);

/* Whether the queues of a context are all known to have nothing to do; the same of its blocking queues. What these and a
 * walk cost depends on the queues that have had work since such a look last found them idle, not on how many there are. */
bool ocl_queues_are_idle(struct ocl_context *context);
bool ocl_queues_blocking_are_idle(struct ocl_context *context);

/* A walk over the queues that are not known to be idle, or the blocking ones of them; those that get work meanwhile are left
 * out. Each step gives back the queue of the step before; who does not walk up to NULL ends the walk. */
struct ocl_queue_walk {
    struct ocl_context *context;
    bool is_blocking; /* at first: whether only these are meant */
    struct ocl_queue *at;
};
struct ocl_queue *ocl_queue_walk_on(struct ocl_queue_walk *walk);
void ocl_queue_walk_end(struct ocl_queue_walk *walk);

/* How many blocking queues may have work that the legacy queue has not waited for; takes the one that has had it for the
 * longest time, with a reference. Who does not make the legacy queue wait for it calls ocl_queue_note_work(). */
unsigned ocl_queues_with_news(struct ocl_context *context);
struct ocl_queue *ocl_queue_take_news(struct ocl_context *context);

/* Lists a queue as one with work, after that was counted. */
void ocl_queue_note_work(struct ocl_queue *queue);

/* When it goes. Locks: queue_lock is held. */
void ocl_queue_unlist(struct ocl_queue *queue);

/* Whether everything submitted to this queue is known to be complete; not what others do. */
bool ocl_queue_has_no_work(struct ocl_queue *queue);

/* Makes the commands submitted from now on wait for events; counts as one command. Events are of
 * queue's cl_context. */
ocl_status ocl_queue_hold(struct ocl_queue *queue, cl_uint count, const cl_event *events);

/* Behind whose work the commands of a kind of queues come, beside their own queue's. All that waits, asks or lets the host act
 * in place of a command looks here.
 * Source: CUDA Runtime API 13.0, stream synchronization behavior, legacy default stream. */
struct ocl_queue_rule {
    bool legacy, blocking, entrance;
};
static inline const struct ocl_queue_rule *ocl_queue_is_behind(const struct ocl_queue *queue)
{
    static const struct ocl_queue_rule rules[] = {
        [OCL_QUEUE_LEGACY] = {.blocking = true, .entrance = true},
        [OCL_QUEUE_BLOCKING] = {.legacy = true, .entrance = true},
        [OCL_QUEUE_NON_BLOCKING] = {.entrance = true},
        [OCL_QUEUE_APART] = {.entrance = false},
    };
    return &rules[queue->kind];
}

/* The queue, for the checks of what is in order (cl/check/streams.h). */
struct ocl_stream ocl_queue_stream(const struct ocl_queue *queue);

/* The device-side wait of ocl_command_begin(), for what the queue's kind is behind. Errors: the sticky failure; the driver's. */
ocl_status ocl_queue_order(struct ocl_queue *queue);

/* Whether what queue gets after ocl_queue_order() comes so after the first position commands of the queue that has this id, in
 * this context. Safe when that queue is gone. */
bool ocl_queue_comes_after(const struct ocl_queue *queue, const struct ocl_queue *other,
                           uint64_t id, uint64_t position);

/* Notes that what queue gets from now on comes after the first position commands of the queue with
 * this id, of whatever context. Locks: queue.lock, as for the next. */
void ocl_queue_note_wait(struct ocl_queue *queue, uint64_t id, uint64_t position);
/* The same where the checks know of it. */
void ocl_queue_keep_wait(struct ocl_queue *queue, uint64_t id, uint64_t position);
void ocl_queue_copy_waits(struct ocl_queue *queue, struct ocl_queue_waits *waits);
bool ocl_queue_waits_have(const struct ocl_queue_waits *waits, uint64_t id, uint64_t position);

/* Whether the first position commands of the queue that had this id are known to be complete.
 * Lock-free; safe when the queue is gone (then false: unknown). */
bool ocl_queue_has_finished(const struct ocl_queue *queue, uint64_t id, uint64_t position);

/* Has the driver begin what leads to the queue's last marker, for those who ask for its state and do not wait. Does nothing
 * when the queue is no longer the one of that id. */
void ocl_queue_push(struct ocl_queue *queue, uint64_t id);

/* Notes that they are. Safe when the queue is gone. */
void ocl_queue_note_finished(struct ocl_queue *queue, uint64_t id, uint64_t position);

/* The same, and the one command more that tells so. */
void ocl_queue_note_reading(struct ocl_queue *queue, uint64_t id, uint64_t position);

/* CL_COMPLETE, another execution status, or a failure (negative): of the event, or of asking. */
cl_int ocl_event_state(cl_event event);

/* The same, but CL_QUEUED where asking fails: no news of the work, for those who may ask again. */
cl_int ocl_event_news(cl_event event);

/* Waits for an event in the way that suits the device. A failure becomes the context's. */
ocl_status ocl_queue_wait_for_event(struct ocl_context *context, cl_event event);

/* Looks for a clock that kernels can read; profiled queues are needed when context->stamp is not
 * OCL_STAMP_CLOCK then. */
void ocl_stamp_choose(struct ocl_context *context);

/* Finds out the rest before the first timed event. Errors: the driver's. */
ocl_status ocl_stamp_open(struct ocl_context *context);
void ocl_stamp_close(struct ocl_context *context);

/* A point in a queue with its time. Counted by retain and release. */
struct ocl_stamp {
    cl_event
        event; /* complete when the point is; NULL: the slot alone tells, or there is nothing to wait for */
    struct ocl_clock_slot *slot; /* where the time is written; NULL: the event's profile has it */
    unsigned after; /* nanoseconds after that: stamps with one reading keep their order */
};

/* CL_COMPLETE, another execution status, or a failure (negative). Of a slot without an event: never a failure. */
cl_int ocl_stamp_state(const struct ocl_stamp *stamp);
ocl_status ocl_stamp_retain(const struct ocl_stamp *stamp);
void ocl_stamp_release(const struct ocl_stamp *stamp);

/* A stamp with time behind everything submitted to queue, started; *position is what it covers, as
 * in ocl_queue_mark(). Where a clock is read the reading itself is one command more.
 * Needs:  ocl_stamp_open(). */
ocl_status ocl_queue_stamp(struct ocl_queue *queue, struct ocl_stamp *stamp, uint64_t *position);

/* The device time of a complete stamp in nanoseconds. Errors: the driver's. */
ocl_status ocl_stamp_read(const struct ocl_stamp *stamp, uint64_t *nanoseconds);

/* While a gate of the context is closed, nobody waits in the driver, which would wait for ever when the gate cannot be
 * opened. Waits for event, and returns what clWaitForEvents() would, or the failure of a context that was abandoned. */
ocl_status ocl_gate_await(struct ocl_context *context, cl_event event);

/* Waits for what queue has got so far, *covered commands, and for nothing behind it. Errors: the driver's; the failure of the
 * context. */
ocl_status ocl_queue_wait_at_mark(struct ocl_queue *queue, uint64_t *covered);

/* Waits so until queue may be given a command that blocks. */
ocl_status ocl_gate_pass(struct ocl_queue *queue);

/* As ocl_queue_host_function() after failures too, but on a thread of the queue's own: for what may wait for the device, and
 * must not wait for a program's function in another queue. Nor must it wait for this queue. */
ocl_status ocl_queue_in_turn(struct ocl_queue *queue, ocl_host_function *function, void *data);

/* Opens the gates whose sources are of the context, which will tell no more about them. */
void ocl_gate_open_all(const struct ocl_context *context, cl_int status);

/* Tries once more to open the gates of the context's queues that the driver refused to open, when the context closes: nothing
 * else is done with them any more. Returns whether all are open. */
bool ocl_gate_open_stuck(struct ocl_context *context);

/* An event behind everything that the queue has got, and what it is in order with, for what takes its turn there; the caller releases
 * it. Errors: OCL_E_OUT_OF_MEMORY; the driver's; the sticky failure. */
ocl_status ocl_gate_source(struct ocl_queue *queue, cl_event *source);

/* Makes later commands of queue wait until worker has run function(data, status) after source, an
 * event of the context from, is complete; status is negative when the source failed, or will never
 * end. Counts as a command.
 * Needs:  the caller flushes what source stands for.
 * Errors: OCL_E_OUT_OF_MEMORY; the driver's. function is not called then, and nothing waits. */
typedef void ocl_gate_function(void *data, cl_int status);
ocl_status ocl_gate_hold(struct ocl_queue *queue, const struct ocl_context *from, cl_event source,
                         struct ocl_worker *worker, ocl_gate_function *function, void *data);

/* As ocl_gate_hold() by the bridge worker, for a source of the queue's context; *gate, which is written before function may run,
 * stays closed until somebody opens it, function or another. Needs: that happens once, after function has begun. */
struct ocl_gate;
ocl_status ocl_gate_keep(struct ocl_queue *queue, cl_event source, ocl_gate_function *function,
                         void *data, struct ocl_gate **gate);
void ocl_gate_open(struct ocl_gate *gate);

/* As ocl_gate_hold() until function, which runs at once on a thread of its own and may wait for the device, has returned. */
ocl_status ocl_gate_hold_until(struct ocl_queue *queue, ocl_gate_function *function, void *data);

#endif
