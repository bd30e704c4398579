/* The table of what was said: for each allocation, runs of pages with the same advice.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/memory/managed_advice.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "facade/state/handles.h"
#include "facade/state/runtime.h"

/* Advice holds for whole pages. Source: CUDA Runtime API 13.0, cudaMemAdvise; NVIDIA's runtime
 * counts in these on every host. */
enum { PAGE = 4096 };

/* Pages from begin to the next run's begin, or to the allocation's end. */
struct run {
    size_t begin;
    struct facade_advice advice;
    struct run *next;
};

/* An allocation that something was said about, by its number, which is never used again. */
struct entry {
    uint64_t id;
    const struct facade_context *context;
    bool is_synchronous;
    struct run first; /* begin 0 */
    struct entry *next;
};

enum { BUCKETS = 256 };
static struct entry *buckets[BUCKETS];
static _Atomic size_t entry_count, synchronous_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* --- runs ------------------------------------------------------------------------------------- */

static bool is_same_place(struct cudaMemLocation a, struct cudaMemLocation b)
{
    return a.type == b.type && a.id == b.id;
}

static bool is_same(const struct facade_advice *a, const struct facade_advice *b)
{
    return a->is_read_mostly == b->is_read_mostly &&
           a->is_accessed_by_host == b->is_accessed_by_host && a->accessed_by == b->accessed_by &&
           is_same_place(a->preferred, b->preferred) && is_same_place(a->prefetched, b->prefetched);
}

static struct run *run_at(struct run *run, size_t page)
{
    while (run->next != NULL && run->next->begin <= page)
        run = run->next;
    return run;
}

/* Makes a run begin at page, out of spare, which is then NULL, unless one does. */
static void split(struct run *first, size_t page, struct run **spare)
{
    struct run *run = run_at(first, page);
    if (run->begin == page)
        return;
    **spare = *run;
    (*spare)->begin = page;
    run->next = *spare;
    *spare = NULL;
}

/* Joins neighbours that are alike, so that the list is as long as the advice is varied. */
static void join(struct run *run)
{
    while (run->next != NULL) {
        struct run *next = run->next;
        if (is_same(&run->advice, &next->advice)) {
            run->next = next->next;
            free(next);
        } else {
            run = next;
        }
    }
}

static void release(struct entry *entry)
{
    atomic_fetch_sub(&entry_count, 1);
    if (entry->is_synchronous)
        atomic_fetch_sub(&synchronous_count, 1);
    while (entry->first.next != NULL) {
        struct run *run = entry->first.next;
        entry->first.next = run->next;
        free(run);
    }
    free(entry);
}

/* --- the table; lock held --------------------------------------------------------------------- */

static struct entry **place_of(uint64_t id)
{
    struct entry **place = &buckets[id % BUCKETS];
    while (*place != NULL && (*place)->id != id)
        place = &(*place)->next;
    return place;
}

/* When the context closes. */
static void forget_of(struct facade_context *context)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < BUCKETS; i++) {
        struct entry **place = &buckets[i];
        while (*place != NULL) {
            struct entry *entry = *place;
            if (entry->context == context) {
                *place = entry->next;
                release(entry);
            } else {
                place = &entry->next;
            }
        }
    }
    pthread_mutex_unlock(&lock);
}

static struct entry *entry_of(const struct ocl_memory_view *view)
{
    struct entry **place = place_of(view->id);
    if (*place == NULL) {
        struct facade_context *owner = facade_context_owning(view->context);
        *place = owner != NULL ? calloc(1, sizeof **place) : NULL;
        if (*place != NULL) {
            (*place)->id = view->id;
            (*place)->context = owner;
            atomic_fetch_add(&entry_count, 1);
            atomic_store(&owner->forget[FACADE_PART_ADVICE], forget_of);
        }
    }
    return *place;
}

static size_t page_of(size_t offset)
{
    return offset - offset % PAGE;
}

/* --- public ----------------------------------------------------------------------------------- */

cudaError_t facade_advice_change(const struct ocl_memory_view *view, size_t offset, size_t bytes,
                                 void (*change)(struct facade_advice *advice, const void *argument),
                                 const void *argument)
{
    const size_t begin = page_of(offset), end = page_of(offset + bytes - 1) + PAGE;
    struct run *spares[2] = {malloc(sizeof(struct run)), malloc(sizeof(struct run))};
    pthread_mutex_lock(&lock);
    struct entry *entry = spares[0] != NULL && spares[1] != NULL ? entry_of(view) : NULL;
    if (entry != NULL) {
        split(&entry->first, begin, &spares[0]);
        if (end < view->bytes)
            split(&entry->first, end, &spares[1]);
        for (struct run *run = run_at(&entry->first, begin); run != NULL && run->begin < end;
             run = run->next)
            change(&run->advice, argument);
        join(&entry->first);
    }
    pthread_mutex_unlock(&lock);
    free(spares[0]);
    free(spares[1]);
    return entry != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
}

static void keep_common(struct facade_advice *common, const struct facade_advice *other)
{
    static const struct cudaMemLocation none;
    common->is_read_mostly &= other->is_read_mostly;
    common->is_accessed_by_host &= other->is_accessed_by_host;
    common->accessed_by &= other->accessed_by;
    if (!is_same_place(common->preferred, other->preferred))
        common->preferred = none;
    if (!is_same_place(common->prefetched, other->prefetched))
        common->prefetched = none;
}

struct facade_advice facade_advice_common(const struct ocl_memory_view *view, size_t offset,
                                          size_t bytes)
{
    struct facade_advice common = {0};
    pthread_mutex_lock(&lock);
    struct entry *entry = *place_of(view->id);
    if (entry != NULL) {
        const struct run *run = run_at(&entry->first, offset);
        common = run->advice;
        for (run = run->next; run != NULL && run->begin < offset + bytes; run = run->next)
            keep_common(&common, &run->advice);
    }
    pthread_mutex_unlock(&lock);
    return common;
}

cudaError_t facade_advice_set_synchronous(const struct ocl_memory_view *view, bool is_synchronous)
{
    pthread_mutex_lock(&lock);
    struct entry *entry = is_synchronous ? entry_of(view) : *place_of(view->id);
    if (entry != NULL && entry->is_synchronous != is_synchronous) {
        entry->is_synchronous = is_synchronous;
        if (is_synchronous)
            atomic_fetch_add(&synchronous_count, 1);
        else
            atomic_fetch_sub(&synchronous_count, 1);
    }
    pthread_mutex_unlock(&lock);
    return entry != NULL || !is_synchronous ? cudaSuccess : cudaErrorMemoryAllocation;
}

bool facade_advice_is_synchronous(uint64_t address)
{
    struct ocl_memory_view view;
    if (atomic_load_explicit(&synchronous_count, memory_order_relaxed) == 0 ||
        !ocl_memory_find((const void *)(uintptr_t)address, &view))
        return false;
    pthread_mutex_lock(&lock);
    const struct entry *entry = *place_of(view.id);
    const bool is_synchronous = entry != NULL && entry->is_synchronous;
    pthread_mutex_unlock(&lock);
    return is_synchronous;
}

/* Nearly always there is nothing to forget. */
void facade_advice_forget(uint64_t allocation_id)
{
    if (atomic_load_explicit(&entry_count, memory_order_relaxed) == 0)
        return;
    pthread_mutex_lock(&lock);
    struct entry **place = place_of(allocation_id);
    struct entry *entry = *place;
    if (entry != NULL)
        *place = entry->next;
    pthread_mutex_unlock(&lock);
    if (entry != NULL)
        release(entry);
}
