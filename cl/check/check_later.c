/* Copies that are made at any time until their thread has waited for them (cp.async): other checks are told of them then.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check/check_later.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "cl/check/check_race.h"

/* An access that is still to come, in the order in which its thread asked for them. */
struct later {
    struct later *next;
    struct ocl_access access;
    struct clem_check_call call;
    uint32_t group; /* which of the thread's it is of */
};

/* Threads that have some, of bulk copies' groups or of the others'. */
struct thread {
    struct thread *next;
    const struct ocl_check_launch *launch;
    uint64_t block;
    uint32_t number, group; /* that copies become part of now */
    bool is_bulk;
    struct later *first, *last;
};

enum { ROWS = 1024 };
static struct thread *rows[ROWS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf */

/* ---- Threads; the lock is held ---- */

static struct thread **place_of(const struct ocl_access *a, bool is_bulk)
{
    struct thread **place = &rows[(a->block * 31 + a->thread) % ROWS];
    while (*place && !((*place)->number == a->thread && (*place)->block == a->block &&
                       (*place)->launch == a->launch && (*place)->is_bulk == is_bulk))
        place = &(*place)->next;
    return place;
}

static struct thread *find(const struct ocl_access *a, bool is_bulk, bool makes)
{
    struct thread **place = place_of(a, is_bulk);
    if (!*place && makes && (*place = calloc(1, sizeof **place)) != NULL) {
        (*place)->launch = a->launch;
        (*place)->block = a->block;
        (*place)->number = a->thread;
        (*place)->is_bulk = is_bulk;
    }
    return *place;
}

/* ---- Accesses ---- */

bool ocl_check_put_off(const struct ocl_access *a)
{
    struct later *made = a->thread == CLEM_CHECK_ALL ? NULL : malloc(sizeof *made);
    if (!made)
        return false;
    pthread_mutex_lock(&lock);
    struct thread *thread = find(a, a->flags & CLEM_CHECK_BULK, true);
    if (thread) {
        *made = (struct later){.access = *a, .call = *a->call, .group = thread->group};
        made->access.flags &= ~CLEM_CHECK_VALUE;
        if (thread->first)
            thread->last->next = made;
        else
            thread->first = made;
        thread->last = made;
        atomic_fetch_add(&a->launch->put_off, 1);
        atomic_store(&a->launch->groups_begun, true);
    }
    pthread_mutex_unlock(&lock);
    if (!thread)
        free(made);
    return thread != NULL;
}

static bool meets(const struct ocl_access *a, const struct ocl_access *other)
{
    return a->space == other->space && a->offset < other->offset + other->bytes &&
           other->offset < a->offset + a->bytes &&
           !(a->kind == CLEM_CHECK_LOAD && other->kind == CLEM_CHECK_LOAD);
}

/* Whether the thread's own access comes before a copy of its own is complete; *copy is it. */
static bool is_too_early(const struct ocl_access *a, struct ocl_access *copy)
{
    bool is_found = false;
    pthread_mutex_lock(&lock);
    for (unsigned bulk = 0; bulk < 2; bulk++) {
        const struct thread *thread = find(a, bulk, false);
        for (const struct later *at = thread ? thread->first : NULL; at && !is_found; at = at->next)
            if (meets(a, &at->access)) {
                *copy = at->access;
                is_found = true;
            }
    }
    pthread_mutex_unlock(&lock);
    return is_found;
}

void ocl_check_early(const struct ocl_access *a)
{
    struct ocl_access copy;
    char about[128];
    if (atomic_load_explicit(&a->launch->put_off, memory_order_relaxed) == 0 ||
        a->flags & CLEM_CHECK_ASYNC || !is_too_early(a, &copy) ||
        !ocl_check_is_first(a->launch, ((uint64_t)a->line * 31 + copy.line) * 31 + 1))
        return;
    (void)snprintf(about, sizeof about, "the copy is of PTX line %u", (unsigned)copy.line);
    ocl_check_report_access(
        a, &(struct ocl_finding){
               .check = OCL_CHECK_RACE,
               .what = a->kind == CLEM_CHECK_LOAD
                           ? "a thread reads what its asynchronous copy may not have written yet"
                           : "a thread writes where its asynchronous copy may not have ended yet",
               .about = about});
}

/* ---- Groups ---- */

/* Which of a thread's accesses are complete: of all groups but the last so many; or all; what is read alone, or also what is
 * written. */
struct wait {
    uint32_t left;
    bool is_all, is_bulk, is_of_reads;
};

/* The next one, or NULL. */
static struct later *take(const struct ocl_access *a, const struct wait *wait)
{
    struct later *taken = NULL, *before = NULL;
    pthread_mutex_lock(&lock);
    struct thread **place = place_of(a, wait->is_bulk), *thread = *place;
    for (struct later *at = thread ? thread->first : NULL; at && !taken; at = at->next) {
        if (!wait->is_all && at->group + wait->left >= thread->group)
            break;
        if (!wait->is_of_reads || at->access.kind == CLEM_CHECK_LOAD)
            taken = at;
        else
            before = at;
    }
    if (taken) {
        *(before ? &before->next : &thread->first) = taken->next;
        if (thread->last == taken)
            thread->last = before;
        atomic_fetch_sub(&a->launch->put_off, 1);
    } else if (thread && !thread->first && wait->is_all) {
        *place = thread->next;
        free(thread);
    }
    pthread_mutex_unlock(&lock);
    return taken;
}

static void make(const struct ocl_access *a, ocl_check_maker maker, const struct wait *wait)
{
    for (struct later *at = take(a, wait); at; at = take(a, wait)) {
        at->access.call = &at->call;
        maker(&at->access);
        free(at);
    }
}

void ocl_check_group(const struct ocl_access *a, ocl_check_maker maker)
{
    const struct wait wait = {(uint32_t)a->value, a->call->address == 2, a->more & 1, a->more & 2};
    pthread_mutex_lock(&lock);
    struct thread *thread = a->call->address == 0 ? find(a, wait.is_bulk, false) : NULL;
    if (thread)
        thread->group++;
    pthread_mutex_unlock(&lock);
    if (a->call->address != 0)
        make(a, maker, &wait);
}

void ocl_check_end_groups(const struct ocl_access *a, ocl_check_maker maker)
{
    const uint32_t threads = ocl_check_threads(a->launch);
    struct ocl_access of = *a;
    for (uint32_t i = 0; i < threads && atomic_load(&a->launch->groups_begun); i++) {
        of.thread = i;
        make(&of, maker, &(struct wait){.is_all = true});
        make(&of, maker, &(struct wait){.is_all = true, .is_bulk = true});
    }
}
