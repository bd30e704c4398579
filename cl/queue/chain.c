/* Pieces of work that follow each other as one command of the driver.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/queue/chain.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "cl/base/deadline.h"
#include "cl/base/steady.h"
#include "cl/thread.h"

/* Pieces that wait in a chain at most; a queue that gets more has another command for them. */
enum { ROOM = 128 };

/* Measured on PoCL 3.1: to give it a command takes 1.5 microseconds, and 10 to 30 until a thread of its has woken. So a thread
 * that has nothing left looks for as long whether something comes; so does who waits. */
enum { LOST_NS = 20000, BUSY_FOR_NS = 20000000 };
enum { LINGER_NS = 20000, AWAIT_NS = 40000, AWAIT_SHARE_NS = 1000000, LOOKS_PER_TIME = 16 };

/* The state: pieces that were added, in PIECES, and flags. Whoever sees IS_CLOSED adds none. */
enum { IS_CLOSED = 1, IS_NEW = 2, PIECES = 4 };

/* How far it is: pieces that are done, in DONE, and of the next one threads that have come to share it, in HELPERS, while it IS_OPEN to
 * more. One word, for whoever waits looks at it all the time. */
enum { IS_OPEN = 1, HELPERS = 2, DONE = 1 << 16 };

struct ocl_chain {
    void (*run)(struct ocl_chain *chain); /* first: the driver's command calls it */
    _Atomic uint32_t references; /* the queue's, the command's, and those of threads that look */
    bool is_patient;             /* there are processors to turn on the spot on */
    _Atomic bool has_begun;
    struct ocl_chain *later; /* in the queue's list */
    _Alignas(64) _Atomic uint64_t state;
    _Atomic uint64_t last_shared; /* the number, from 1 on, of the last piece that threads share */
    struct ocl_piece_of_chain *pieces[ROOM];
    _Alignas(64) _Atomic uint64_t progress;
    _Atomic uint64_t opened; /* when some of the pieces were */
    _Alignas(64) uint64_t added,
        seen_done; /* pieces, and of them as many are done at least; under the lock */
};

static void release(struct ocl_chain *chain)
{
    if (chain && atomic_fetch_sub(&chain->references, 1) == 1)
        free(chain);
}

static uint64_t done_of(const struct ocl_chain *chain)
{
    return atomic_load(&chain->progress) / DONE;
}

/* Whether it has no piece left and gets none. */
static bool is_over(const struct ocl_chain *chain)
{
    const uint64_t state = atomic_load(&chain->state);
    return (state & IS_CLOSED) && done_of(chain) >= state / PIECES;
}

static inline void pause_a_moment(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* ---- One that turns on the spot ---- */

struct patience {
    uint64_t end, last;     /* 0: not known yet */
    unsigned looks, before; /* before: looks until it is asked how late it is */
};

/* Whoever has just shared a piece: the next one is likely to come at once. */
static const struct patience after_sharing = {.before = 200};

/* Until when nobody does: whoever loses his processor meanwhile keeps others from theirs, maybe those that he waits for. And until
 * when nobody does but for work that he can share: it was for nothing, and what comes next is likely to take as long. */
static _Atomic uint64_t busy_until, vain_until;

static void note(_Atomic uint64_t *until, uint64_t now)
{
    atomic_store_explicit(until, now + BUSY_FOR_NS, memory_order_relaxed);
}

static bool is_noted(const _Atomic uint64_t *until, uint64_t now)
{
    return now < atomic_load_explicit(until, memory_order_relaxed);
}

static bool is_busy(struct patience *patience, uint64_t now)
{
    if (patience->last != 0 && now - patience->last > LOST_NS)
        note(&busy_until, now);
    patience->last = now;
    return is_noted(&busy_until, now);
}

/* Whether to look once more. */
static bool stays(struct patience *patience, uint64_t nanoseconds)
{
    pause_a_moment();
    if (patience->before > 0) {
        patience->before--;
        return true;
    }
    if (++patience->looks % LOOKS_PER_TIME != 0)
        return true;
    const uint64_t now = ocl_now();
    if (patience->end == 0)
        patience->end = now + nanoseconds;
    return now < patience->end && !is_busy(patience, now) &&
           (nanoseconds == AWAIT_SHARE_NS || !is_noted(&vain_until, now));
}

/* ---- How far processors are from each other ---- */

static _Atomic uint32_t hearing_ns;

uint32_t ocl_chain_hearing_ns(void)
{
    return atomic_load_explicit(&hearing_ns, memory_order_relaxed);
}

/* Whoever was at something else hears of it late: less counts at once, more bit by bit. */
static void note_hearing(uint64_t nanoseconds)
{
    const uint32_t before = ocl_chain_hearing_ns();
    const uint64_t most = before > 0 ? before + before / 8 + 1 : UINT16_MAX;
    atomic_store_explicit(&hearing_ns, (uint32_t)(nanoseconds < most ? nanoseconds + 1 : most),
                          memory_order_relaxed);
}

/* To look at the clock takes as long as small pieces do. */
static bool is_timed(uint64_t done)
{
    enum { ONE_OF = 8 };
    return done % ONE_OF == 0;
}

/* ---- Pieces that several threads do ---- */

/* Who shares is at it already, and no part takes long. */
static void wait_for_helpers(struct ocl_chain *chain)
{
    enum { LOOKS_BEFORE_YIELD = 2000 };
    for (unsigned looks = 1;
         atomic_load_explicit(&chain->progress, memory_order_acquire) % DONE != 0; looks++) {
        pause_a_moment();
        if (looks % LOOKS_BEFORE_YIELD == 0)
            sched_yield();
    }
}

/* What is left is nothing, then, but the piece's end. */
static void do_shared(struct ocl_chain *chain, struct ocl_piece_of_chain *piece, uint64_t done)
{
    if (is_timed(done))
        atomic_store_explicit(&chain->opened, ocl_now(), memory_order_relaxed);
    atomic_store_explicit(&chain->progress, done * DONE | IS_OPEN, memory_order_release);
    (void)piece->share(piece, false);
    if (atomic_fetch_and(&chain->progress, ~(uint64_t)IS_OPEN) % DONE != IS_OPEN)
        wait_for_helpers(chain);
}

/* The piece that is open, behind so many that are done; NULL: none. */
static struct ocl_piece_of_chain *enter_shared(struct ocl_chain *chain, uint64_t done)
{
    uint64_t progress = atomic_load_explicit(&chain->progress, memory_order_relaxed);
    while (progress / DONE == done && (progress & IS_OPEN))
        if (atomic_compare_exchange_weak(&chain->progress, &progress, progress + HELPERS)) {
            if (is_timed(done))
                note_hearing(ocl_now() -
                             atomic_load_explicit(&chain->opened, memory_order_relaxed));
            return chain->pieces[done % ROOM];
        }
    return NULL;
}

/* ---- The driver's thread ---- */

/* Has what another thread wrote of a piece come to this one's processor. */
static void ask_for(const struct ocl_piece_of_chain *piece)
{
    enum { LINE = 64, LINES = 5 };
    for (unsigned line = 0; line < LINES; line++)
        __builtin_prefetch((const unsigned char *)piece + (size_t)line * LINE);
}

static void run_chain(struct ocl_chain *chain)
{
    const bool is_patient = chain->is_patient; /* threads that count references write beside it */
    struct patience patience = {0};
    uint64_t done = 0, state = 0;
    atomic_store_explicit(&chain->has_begun, true, memory_order_relaxed);
    for (;;) {
        if (done >= state / PIECES)
            state = atomic_load_explicit(&chain->state, memory_order_acquire);
        if (done < state / PIECES) {
            struct ocl_piece_of_chain *piece = chain->pieces[done % ROOM];
            if (done + 1 < state / PIECES)
                ask_for(chain->pieces[(done + 1) % ROOM]);
            if (piece->share && is_patient)
                do_shared(chain, piece, done);
            piece->run(piece);
            atomic_store_explicit(&chain->progress, ++done * DONE, memory_order_release);
            patience = (struct patience){0};
        } else if (state & IS_CLOSED) {
            break;
        } else if (!is_patient || !stays(&patience, LINGER_NS)) {
            atomic_compare_exchange_strong(&chain->state, &state, state | IS_CLOSED);
        }
    }
    release(chain);
}

/* ---- Adding ---- */

/* Whether so many pieces or more wait. What the driver's thread writes is looked at where it has to be: each look takes its line of
 * the cache from that thread. Lock held. */
static bool do_wait(struct ocl_chain *chain, uint64_t count)
{
    if (chain->added - chain->seen_done < count)
        return false;
    chain->seen_done = done_of(chain);
    return chain->added - chain->seen_done >= count;
}

/* Lock held. */
static bool add(struct ocl_chain *chain, struct ocl_piece_of_chain *piece)
{
    uint64_t state = atomic_load_explicit(&chain->state, memory_order_relaxed);
    if (state & (IS_CLOSED | IS_NEW) || do_wait(chain, ROOM))
        return false;
    chain->pieces[state / PIECES % ROOM] = piece;
    if (piece->share)
        atomic_store_explicit(&chain->last_shared, state / PIECES + 1, memory_order_relaxed);
    const bool is_added = atomic_compare_exchange_strong(&chain->state, &state, state + PIECES);
    chain->added += is_added;
    return is_added;
}

bool ocl_chain_add(struct ocl_queue *queue, struct ocl_piece_of_chain *piece)
{
    if (!atomic_load(&queue->chain))
        return false;
    pthread_mutex_lock(&queue->chain_lock);
    struct ocl_chain *chain = atomic_load(&queue->chain);
    const bool is_added = chain && add(chain, piece);
    pthread_mutex_unlock(&queue->chain_lock);
    return is_added;
}

/* The queue has it before the driver does: whoever gives the driver another command meanwhile closes it. */
struct ocl_chain *ocl_chain_make(struct ocl_queue *queue, struct ocl_piece_of_chain *piece)
{
    struct ocl_chain *chain = aligned_alloc(_Alignof(struct ocl_chain), sizeof *chain);
    if (!chain)
        return NULL;
    chain->run = run_chain;
    chain->is_patient = queue->context->device->facts.compute_units > 1;
    chain->added = 1;
    chain->seen_done = 0;
    chain->pieces[0] = piece;
    atomic_init(&chain->has_begun, false);
    atomic_init(&chain->references, 3); /* the queue, the command and the caller */
    atomic_init(&chain->state, PIECES | IS_NEW);
    atomic_init(&chain->last_shared, piece->share != NULL);
    atomic_init(&chain->progress, 0);
    atomic_init(&chain->opened, 0);
    ocl_chain_close(queue);
    pthread_mutex_lock(&queue->chain_lock);
    struct ocl_chain *other = atomic_exchange(&queue->chain, chain);
    pthread_mutex_unlock(&queue->chain_lock);
    if (other) { /* of another thread, at the same time */
        atomic_fetch_or(&other->state, IS_CLOSED);
        release(other);
    }
    return chain;
}

/* Another thread's chain may have taken its place, whose command the driver got before this one's: that is the last no
 * longer. */
static void close_others(struct ocl_queue *queue, const struct ocl_chain *chain)
{
    if (atomic_load(&queue->chain) != chain)
        ocl_chain_close(queue);
}

/* ---- Chains that the driver has: a list, from the oldest on, of those that nobody has seen to be over ---- */

/* Lock held. */
static void let_go(struct ocl_queue *queue)
{
    struct ocl_chain *first;
    while ((first = queue->oldest) && is_over(first)) {
        queue->oldest = first->later;
        release(first);
    }
}

static void enlist(struct ocl_queue *queue, struct ocl_chain *chain)
{
    atomic_fetch_add(&chain->references, 1);
    chain->later = NULL;
    pthread_mutex_lock(&queue->chain_lock);
    let_go(queue);
    struct ocl_chain **last = &queue->oldest;
    while (*last)
        last = &(*last)->later;
    *last = chain;
    pthread_mutex_unlock(&queue->chain_lock);
}

/* With a reference; NULL: all are over. */
static struct ocl_chain *take_oldest(struct ocl_queue *queue)
{
    pthread_mutex_lock(&queue->chain_lock);
    let_go(queue);
    struct ocl_chain *chain = queue->oldest;
    if (chain)
        atomic_fetch_add(&chain->references, 1);
    pthread_mutex_unlock(&queue->chain_lock);
    return chain;
}

void ocl_chain_opened(struct ocl_queue *queue, struct ocl_chain *chain, bool is_taken)
{
    if (is_taken) {
        close_others(queue, chain);
        enlist(queue, chain);
        atomic_fetch_and(&chain->state, ~(uint64_t)IS_NEW);
    } else {
        atomic_fetch_or(&chain->state, IS_CLOSED);
        atomic_fetch_sub(&chain->references, 1); /* the command's, which is not the last */
    }
    release(chain);
}

void ocl_chain_close_slowly(struct ocl_queue *queue)
{
    pthread_mutex_lock(&queue->chain_lock);
    struct ocl_chain *chain = atomic_exchange(&queue->chain, NULL);
    pthread_mutex_unlock(&queue->chain_lock);
    if (!chain)
        return;
    atomic_fetch_or(&chain->state, IS_CLOSED);
    release(chain);
}

void ocl_chain_forget(struct ocl_queue *queue)
{
    ocl_chain_close(queue);
    pthread_mutex_lock(&queue->chain_lock);
    while (queue->oldest) {
        struct ocl_chain *first = queue->oldest;
        queue->oldest = first->later;
        release(first);
    }
    pthread_mutex_unlock(&queue->chain_lock);
}

/* ---- How far it is ---- */

/* The queue's last command, where that is a chain which the driver has, with a reference; *pieces is what it has got. What
 * was counted before is complete when those are: another command would have closed it before it was counted. */
static struct ocl_chain *take_last(struct ocl_queue *queue, uint64_t *pieces)
{
    if (!atomic_load(&queue->chain))
        return NULL;
    pthread_mutex_lock(&queue->chain_lock);
    struct ocl_chain *chain = atomic_load(&queue->chain);
    const uint64_t state = chain ? atomic_load(&chain->state) : IS_NEW;
    if (state & IS_NEW)
        chain = NULL;
    if (chain)
        atomic_fetch_add(&chain->references, 1);
    pthread_mutex_unlock(&queue->chain_lock);
    *pieces = state / PIECES;
    return chain;
}

/* Kernels compute as threads of the driver do: to the nearest, with all denormals, whatever the program asked for its own
 * threads. */
#if defined(__x86_64__)
static uint64_t begin_floats(void)
{
    enum { DEFAULT_MXCSR = 0x1f80 };
    const uint64_t before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(DEFAULT_MXCSR);
    return before;
}

static void end_floats(uint64_t before)
{
    __builtin_ia32_ldmxcsr((unsigned)before);
}
#elif defined(__aarch64__)
static uint64_t begin_floats(void)
{
    uint64_t before;
    __asm__ volatile("mrs %0, fpcr\n\tmsr fpcr, xzr" : "=&r"(before) : : "memory");
    return before;
}

static void end_floats(uint64_t before)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(before) : "memory");
}
#else /* no other processor has machine code of clem's own, and so nothing to share */
static uint64_t begin_floats(void)
{
    return 0;
}

static void end_floats(uint64_t before)
{
    (void)before;
}
#endif

/* Blocks take as much stack as compilers made of their registers; a thread of the driver has what the system gives. */
static bool has_stack(void)
{
    struct ocl_thread *thread = ocl_thread();
    if (ocl_thread_is_shared(thread))
        return false;
    if (!thread->knows_stack && !own_thread_stack(&thread->stack))
        thread->stack = (struct own_stack){0};
    thread->knows_stack = true;
    return own_thread_has_room(&thread->stack);
}

/* A thread that waits for what the driver does of a queue, and shares it if it may. */
struct helper {
    bool may_share;
    struct ocl_chain *chain; /* which the driver is at, or comes to next; with a reference */
    uint64_t last;           /* the number, from 1 on, of its piece of which nothing is left */
    unsigned naps;
    struct patience patience;
};

/* Whether there was anything that the calling thread could share. */
static bool help(struct helper *helper)
{
    struct ocl_chain *const chain = helper->chain;
    const uint64_t number = done_of(chain) + 1;
    struct ocl_piece_of_chain *piece =
        helper->may_share && number != helper->last ? enter_shared(chain, number - 1) : NULL;
    if (!piece)
        return false;
    const uint64_t floats = begin_floats();
    const bool is_any = piece->share(piece, true);
    end_floats(floats);
    atomic_fetch_sub_explicit(&chain->progress, HELPERS, memory_order_release);
    helper->last = number;
    return is_any;
}

/* Whether work that it can share is on its way. */
static bool is_promising(const struct helper *helper)
{
    const struct ocl_chain *const chain = helper->chain;
    return helper->may_share &&
           atomic_load_explicit(&chain->last_shared, memory_order_relaxed) > done_of(chain);
}

static bool has_begun(const struct helper *helper)
{
    return atomic_load_explicit(&helper->chain->has_begun, memory_order_relaxed);
}

/* Other commands that the driver is at want all processors, and may take long. */
static bool naps_until_it_begins(struct helper *helper)
{
    enum { MOST_NAPS = 1000 };
    const struct timespec nap = {.tv_nsec = 50000};
    if (has_begun(helper) || !is_promising(helper) || helper->naps++ >= MOST_NAPS)
        return false;
    const int before = ocl_steady_begin();
    nanosleep(&nap, NULL);
    ocl_steady_end(before);
    helper->patience.last = 0;
    return true;
}

/* Helps once, or waits a moment for something to help with; false: there has been nothing for too long, or is no chain left. */
static bool help_on(struct helper *helper, struct ocl_queue *queue)
{
    if (!helper->chain || is_over(helper->chain)) {
        release(helper->chain);
        helper->chain = take_oldest(queue);
        helper->last = 0;
    }
    if (!helper->chain)
        return false;
    if (!help(helper))
        return stays(&helper->patience,
                     is_promising(helper) && has_begun(helper) ? AWAIT_SHARE_NS : AWAIT_NS) ||
               naps_until_it_begins(helper);
    helper->patience = after_sharing;
    return true;
}

static bool is_full(struct ocl_queue *queue)
{
    enum { FULL = ROOM - 8 };
    if (!atomic_load(&queue->chain))
        return false;
    pthread_mutex_lock(&queue->chain_lock);
    struct ocl_chain *chain = atomic_load(&queue->chain);
    const bool is = chain && do_wait(chain, FULL);
    pthread_mutex_unlock(&queue->chain_lock);
    return is;
}

/* Pieces beyond those that a chain has room for wait in another. */
void ocl_chain_make_room(struct ocl_queue *queue)
{
    uint64_t pieces;
    struct ocl_chain *chain = is_full(queue) ? take_last(queue, &pieces) : NULL;
    if (!chain)
        return;
    const bool waits = chain->is_patient && has_stack();
    struct helper helper = {.may_share = true, .chain = waits ? take_oldest(queue) : NULL};
    while (helper.chain && done_of(helper.chain) > 0 && pieces - done_of(chain) > ROOM / 2 &&
           help_on(&helper, queue))
        ;
    release(helper.chain);
    release(chain);
}

static bool has_done(const struct ocl_chain *chain, uint64_t pieces)
{
    return chain && done_of(chain) >= pieces;
}

bool ocl_chain_is_done(struct ocl_queue *queue, uint64_t *position)
{
    uint64_t pieces = 0;
    *position = atomic_load(&queue->submitted);
    struct ocl_chain *chain = take_last(queue, &pieces);
    const bool is_done = has_done(chain, pieces);
    release(chain);
    return is_done;
}

bool ocl_chain_await(struct ocl_queue *queue, uint64_t *position)
{
    uint64_t pieces = 0;
    *position = atomic_load(&queue->submitted);
    struct ocl_chain *last = take_last(queue, &pieces);
    struct helper helper = {.may_share = has_stack()};
    const bool is_patient = queue->context->device->facts.compute_units > 1,
               was_vain = is_noted(&vain_until, ocl_now());
    bool has_ended;
    while (!(has_ended = has_done(last, pieces)) && is_patient && help_on(&helper, queue))
        ;
    if (!has_ended && helper.chain && !was_vain)
        note(&vain_until, ocl_now());
    release(helper.chain);
    release(last);
    return has_ended;
}
