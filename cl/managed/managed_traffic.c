/* Who may go on: commands that are enqueued, or pages that move.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/base/steady.h"
#include "cl/managed/managed_private.h"
#include "cl/queue/queue_private.h"
#include "cl/signals.h"
#include "cl/state/contexts.h"
#include "cl/thread.h"

/* ---- Moves ---- */

void ocl_migration_begin_move(struct ocl_migration *migration)
{
    pthread_mutex_lock(&migration->lock);
    migration->waiting_moves++;
    atomic_fetch_add(&migration->closed, 1);
    while (migration->is_moving || atomic_load(&migration->entered) > 0)
        ocl_steady_wait(&migration->changed, &migration->lock);
    migration->waiting_moves--;
    migration->is_moving = true;
    pthread_mutex_unlock(&migration->lock);
}

/* The commands that are being enqueued need not be waited for: those behind the function find what
 * it got back in place, since that is sent before they begin. And they must not be: a driver whose
 * queue is full blocks them until the function is over. */
void ocl_migration_begin_move_in_function(struct ocl_migration *migration)
{
    pthread_mutex_lock(&migration->lock);
    atomic_fetch_add(&migration->closed, 1);
    while (migration->is_moving)
        ocl_steady_wait(&migration->changed, &migration->lock);
    migration->is_moving = true;
    pthread_mutex_unlock(&migration->lock);
}

/* Whether what the thread does is part of a command: a function of the host, or a turn that gives commands of its own. */
static bool is_within_command(void)
{
    const struct ocl_thread *thread = ocl_thread_if_any();

    return thread && (thread->in_function || thread->in_turn);
}

void ocl_migration_begin_any_move(struct ocl_migration *migration)
{
    if (is_within_command())
        ocl_migration_begin_move_in_function(migration);
    else
        ocl_migration_begin_move(migration);
}

void ocl_migration_end_move(struct ocl_migration *migration)
{
    pthread_mutex_lock(&migration->lock);
    migration->is_moving = false;
    atomic_fetch_sub(&migration->closed, 1);
    pthread_cond_broadcast(&migration->changed);
    pthread_mutex_unlock(&migration->lock);
}

/* ---- Commands ---- */

/* Whether a command of queue has to wait before it is enqueued. What a queue's turn has come for is among what others wait
 * for, and so waits for none of them. Lock held. */
static bool must_wait(const struct ocl_migration *migration, const struct ocl_queue *queue)
{
    if (is_within_command())
        return migration->is_moving;
    if (migration->is_moving || migration->waiting_moves > 0)
        return true;
    return migration->is_quiet && (!migration->quiet_queue || migration->quiet_queue == queue);
}

/* Lock held. */
static bool has_pages_of(const struct ocl_migration *migration, const struct ocl_queue *queue)
{
    for (const struct ocl_region *region = migration->regions; region; region = region->next)
        if (region->map_count > 0 && ocl_region_is_used_by(region, queue))
            return true;
    return false;
}

static void leave(struct ocl_migration *migration)
{
    if (atomic_fetch_sub(&migration->entered, 1) != 1 || atomic_load(&migration->closed) == 0)
        return;
    pthread_mutex_lock(&migration->lock);
    pthread_cond_broadcast(&migration->changed);
    pthread_mutex_unlock(&migration->lock);
}

/* In at once, where nothing is in the way and no page is with the host. False: not in. */
static bool enter_at_once(struct ocl_migration *migration)
{
    /* Whoever begins a move raises closed before it reads entered: one of the two is seen. */
    atomic_fetch_add(&migration->entered, 1);
    if (atomic_load(&migration->closed) == 0 && atomic_load(&migration->resident) == 0)
        return true;
    leave(migration);
    return false;
}

/* Lock held. */
static void wait_for_others(struct ocl_migration *migration, const struct ocl_queue *queue)
{
    while (must_wait(migration, queue))
        ocl_steady_wait(&migration->changed, &migration->lock);
}

/* The move is traffic of its own: when it has ended others may be in the way again. */
static void send_pages_of(struct ocl_migration *migration, const struct ocl_queue *queue)
{
    ocl_migration_begin_any_move(migration);
    ocl_migration_send(migration, queue);
    ocl_migration_end_move(migration);
}

static void enter_behind_others(struct ocl_migration *migration, const struct ocl_queue *queue)
{
    pthread_mutex_lock(&migration->lock);
    wait_for_others(migration, queue);
    while (has_pages_of(migration, queue)) {
        pthread_mutex_unlock(&migration->lock);
        send_pages_of(migration, queue);
        pthread_mutex_lock(&migration->lock);
        wait_for_others(migration, queue);
    }
    atomic_fetch_add(&migration->entered, 1);
    pthread_mutex_unlock(&migration->lock);
}

/* What the thread's command enters, or NULL. Reading what kernels printed touches no managed memory, and who waits to enter
 * may be waited for: by the thread that reads before a host function, whose queue a touch waits for. */
static struct ocl_migration *concerned(const struct ocl_queue *queue)
{
    return ocl_thread()->is_printing ? NULL : atomic_load(&queue->context->migration);
}

void ocl_migration_enter(struct ocl_queue *queue)
{
    struct ocl_migration *migration = concerned(queue);

    ocl_thread()->entered =
        migration; /* leave() leaves this one, whatever the context has by then */
    if (!migration)
        return;
    if (!enter_at_once(migration))
        enter_behind_others(migration, queue);
    atomic_fetch_add(&migration->uses, 1);
}

void ocl_migration_leave(void)
{
    struct ocl_thread *thread = ocl_thread();

    if (thread->entered)
        leave(thread->entered);
    thread->entered = NULL;
}

void ocl_migration_begin_transfer(const struct ocl_region *source, const struct ocl_region *target)
{
    struct ocl_thread *thread = ocl_thread();

    thread->copied[0] = source;
    thread->copied[1] = target;
}

void ocl_migration_end_transfer(void)
{
    ocl_migration_begin_transfer(NULL, NULL);
}

/* ---- Waiting for the device ---- */

/* The queue of a region with a reference, or NULL when it is gone, and its work with it. */
static struct ocl_queue *queue_of(const struct ocl_region *region)
{
    return ocl_queue_acquire(atomic_load(&region->queue), atomic_load(&region->queue_id));
}

bool ocl_migration_is_quiet(const struct ocl_region *region)
{
    struct ocl_queue *queue;

    if (atomic_load(&region->attachment) == OCL_MANAGED_HOST)
        return true;
    if (atomic_load(&region->attachment) == OCL_MANAGED_GLOBAL)
        return ocl_queues_are_idle(region->block->context);
    queue = queue_of(region);
    const bool is_idle = !queue || ocl_queue_has_no_work(queue);
    if (queue)
        ocl_queue_release(queue);
    return is_idle;
}

/* A failure is the context's: the host gets what there is, and hears of it at its next call. */
static void wait_for(const struct ocl_region *region)
{
    struct ocl_queue *queue = NULL;

    ocl_thread()->in_wait = true;
    if (atomic_load(&region->attachment) == OCL_MANAGED_GLOBAL)
        (void)ocl_queues_finish(region->block->context);
    else if (atomic_load(&region->attachment) == OCL_MANAGED_SINGLE &&
             (queue = queue_of(region)) != NULL)
        (void)ocl_queue_finish(queue);
    ocl_thread()->in_wait = false;
    if (queue)
        ocl_queue_release(queue);
}

void ocl_migration_begin_quiet(struct ocl_migration *migration, const struct ocl_region *region)
{
    pthread_mutex_lock(&migration->lock);
    atomic_fetch_add(&migration->closed, 1);
    while (migration->is_quiet)
        ocl_steady_wait(&migration->changed, &migration->lock);
    migration->is_quiet = true;
    migration->quiet_queue =
        atomic_load(&region->attachment) == OCL_MANAGED_SINGLE ? atomic_load(&region->queue) : NULL;
    while (atomic_load(&migration->entered) > 0)
        ocl_steady_wait(&migration->changed, &migration->lock);
    pthread_mutex_unlock(&migration->lock);
    wait_for(region);
}

void ocl_migration_end_quiet(struct ocl_migration *migration)
{
    pthread_mutex_lock(&migration->lock);
    migration->is_quiet = false;
    atomic_fetch_sub(&migration->closed, 1);
    pthread_cond_broadcast(&migration->changed);
    pthread_mutex_unlock(&migration->lock);
}

/* ---- After the host has waited ---- */

/* How often a region comes back before it is tried whether the host still wants it. */
enum { RETURNS_BEFORE_TRIAL = 8 };

/* A map that the host also writes costs its bytes twice, a fault costs more than that many. */
enum { WRITABLE_MOST = 256 * 1024 };

/* Whether the region should come back now. A region that the host never touches would cost its
 * bytes in every round of a loop that launches and waits. So now and then it stays away: a fault
 * shows that it is wanted (ocl_region_fault() resets this), and without one it is forgotten. */
static bool wants_return(struct ocl_region *region)
{
    if (region->extent > OCL_MIGRATION_SMALL || region->extent == 0 || region->is_forgotten ||
        atomic_load(&region->attachment) == OCL_MANAGED_HOST)
        return false;
    if (region->is_on_trial) {
        region->is_forgotten = true;
        return false;
    }
    if (region->returns == RETURNS_BEFORE_TRIAL) {
        region->is_on_trial = true;
        region->is_host_writing = false;
        return false;
    }
    region->returns++;
    return true;
}

static void return_regions(struct ocl_migration *migration, bool was_used)
{
    for (struct ocl_region *region = migration->regions; region; region = region->next) {
        ocl_region_fetch_wanted(region);
        if (was_used && wants_return(region))
            ocl_region_fetch(region, 0, region->extent,
                             region->is_host_writing && region->extent <= WRITABLE_MOST);
    }
}

static bool has_to_return(struct ocl_migration *migration)
{
    return atomic_load(&migration->wanted) > 0 ||
           atomic_load(&migration->uses) != atomic_load(&migration->returned);
}

void ocl_migration_let_touch(struct ocl_context *context)
{
    if (atomic_load(&context->migration) && !ocl_thread()->in_function)
        ocl_signals_unblock();
}

void ocl_migration_return(struct ocl_context *context)
{
    struct ocl_migration *migration = atomic_load(&context->migration);

    if (!migration || ocl_thread()->in_function || !has_to_return(migration) ||
        !ocl_queues_are_idle(context))
        return;
    ocl_migration_begin_move(migration);
    if (ocl_queues_are_idle(context)) {
        const uint64_t uses = atomic_load(&migration->uses);
        ocl_fault_watch_again();
        return_regions(migration, atomic_exchange(&migration->returned, uses) != uses);
    }
    ocl_migration_end_move(migration);
}

/* ---- Host functions ---- */

void ocl_migration_begin_function(void)
{
    ocl_thread()->in_function = true;
}

static _Atomic unsigned touched; /* migrations, of all contexts, that say so */

void ocl_migration_note_touch(struct ocl_migration *migration)
{
    if (migration->is_touched_by_function)
        return;
    migration->is_touched_by_function = true;
    atomic_fetch_add(&touched, 1);
}

/* Whoever finds nothing touched may go on: so that is said when all is sent. */
static void send_touched(struct ocl_context *context)
{
    struct ocl_migration *migration = atomic_load(&context->migration);

    if (!migration)
        return;
    ocl_migration_begin_move_in_function(migration);
    if (migration->is_touched_by_function) {
        ocl_migration_send(migration, NULL);
        migration->is_touched_by_function = false;
        atomic_fetch_sub(&touched, 1);
    }
    ocl_migration_end_move(migration);
}

void ocl_migration_end_function(void)
{
    ocl_thread()->in_function = false;
    if (atomic_load(&touched) > 0)
        ocl_contexts_visit(send_touched);
}

/* The handler for SIGSEGV asks too, and must not allocate. */
bool ocl_migration_in_function(void)
{
    const struct ocl_thread *thread = ocl_thread_if_any();

    return thread && thread->in_function;
}
