/* What programs make and have to give back.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/check/report.h"
#include "cl/check/stack.h"
#include "cl/check_made.h"

/* Things that were given back are remembered until there are so many younger ones. */
enum { FREED_KEPT = 1 << 14, FIRST_PLACES = 1 << 10 };

struct thing {
    struct thing *next; /* of the same place */
    const char *what;
    uint64_t name, bytes;
    const void *owner;
    uint64_t number; /* in the order in which they were made */
    uint32_t made, freed;
    bool is_freed, is_lost; /* lost: it could not be given back */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf */
static struct thing **places;
static size_t place_count, thing_count;
static uint64_t last_number;
static uint64_t freed_names[FREED_KEPT]; /* a ring */
static size_t freed_next;

bool ocl_made_is_wanted(void)
{
    return ocl_check_wants(OCL_CHECK_LEAK | OCL_CHECK_MEMORY | OCL_CHECK_GUARD);
}

/* ---- The table: lock is held ---- */

static struct thing **place_of(uint64_t name)
{
    return &places[(name * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (place_count - 1)];
}

static struct thing **find(uint64_t name)
{
    struct thing **link = place_count ? place_of(name) : NULL;
    while (link && *link && (*link)->name != name)
        link = &(*link)->next;
    return link && *link ? link : NULL;
}

static void insert(struct thing *thing)
{
    struct thing **const place = place_of(thing->name);
    thing->next = *place;
    *place = thing;
}

static bool grow(void)
{
    const size_t old_count = place_count, count = old_count ? 2 * old_count : FIRST_PLACES;
    struct thing **const old = places, **const made = calloc(count, sizeof(struct thing *));
    if (!made)
        return old_count > 0;
    places = made;
    place_count = count;
    for (size_t i = 0; i < old_count; i++)
        for (struct thing *thing = old[i], *next; thing; thing = next) {
            next = thing->next;
            insert(thing);
        }
    free(old);
    return true;
}

static void drop(struct thing **link)
{
    struct thing *const thing = *link;
    *link = thing->next;
    thing_count--;
    free(thing);
}

static void keep_freed(struct thing *thing, uint32_t stack)
{
    uint64_t *const slot = &freed_names[freed_next++ % FREED_KEPT];
    struct thing **const oldest = *slot && *slot != thing->name ? find(*slot) : NULL;
    thing->is_freed = true;
    thing->freed = stack;
    if (oldest && (*oldest)->is_freed)
        drop(oldest);
    *slot = thing->name;
}

/* ---- The interface ---- */

void ocl_made_add(const char *what, uint64_t name, uint64_t bytes, const void *owner)
{
    if (!ocl_made_is_wanted() || name == 0)
        return;
    struct thing *const made = malloc(sizeof *made);
    const uint32_t stack = ocl_stack_take();
    if (!made)
        return;
    *made =
        (struct thing){.what = what, .name = name, .bytes = bytes, .owner = owner, .made = stack};
    pthread_mutex_lock(&lock);
    struct thing **const old = find(name);
    if (old)
        drop(old);
    if (thing_count < place_count || grow()) {
        made->number = ++last_number;
        insert(made);
        thing_count++;
    } else {
        free(made);
    }
    pthread_mutex_unlock(&lock);
}

void ocl_made_remove(uint64_t name)
{
    if (!ocl_made_is_wanted() || name == 0)
        return;
    const uint32_t stack = ocl_stack_take();
    pthread_mutex_lock(&lock);
    struct thing **const link = find(name);
    if (link && !(*link)->is_freed)
        keep_freed(*link, stack);
    pthread_mutex_unlock(&lock);
}

void ocl_made_forget(const void *handle)
{
    if (!ocl_made_is_wanted())
        return;
    pthread_mutex_lock(&lock);
    struct thing **const link = find((uint64_t)(uintptr_t)handle);
    if (link)
        drop(link);
    pthread_mutex_unlock(&lock);
}

void ocl_made_lose(const void *owner)
{
    if (!ocl_made_is_wanted() || !owner)
        return;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < place_count; i++)
        for (struct thing *thing = places[i]; thing; thing = thing->next)
            thing->is_lost |= thing->owner == owner;
    pthread_mutex_unlock(&lock);
}

bool ocl_made_find(uint64_t name, struct ocl_made_view *view)
{
    if (!ocl_made_is_wanted())
        return false;
    pthread_mutex_lock(&lock);
    struct thing **const link = find(name);
    if (link)
        *view = (struct ocl_made_view){(*link)->what, (*link)->bytes, ocl_stack_of((*link)->made),
                                       (*link)->is_freed ? ocl_stack_of((*link)->freed) : NULL};
    pthread_mutex_unlock(&lock);
    return link != NULL;
}

const struct ocl_stack *ocl_made_stack(uint64_t name)
{
    struct ocl_made_view view;
    return ocl_made_find(name, &view) ? view.made : NULL;
}

/* ---- Leaks ---- */

static int compare(const void *one, const void *other)
{
    const uint64_t a = ((const struct thing *)one)->number,
                   b = ((const struct thing *)other)->number;
    return a < b ? -1 : a > b;
}

/* Copies of what is left, in the order in which it was made; of one owner, or of all. They are in the table no more. */
static struct thing *take_left(const void *owner, size_t *count)
{
    struct thing *left = NULL;
    pthread_mutex_lock(&lock);
    left = thing_count > 0 ? malloc(thing_count * sizeof *left) : NULL;
    for (size_t i = 0; left && i < place_count; i++)
        for (struct thing **link = &places[i]; *link;) {
            const bool is_left =
                !(*link)->is_freed && !(*link)->is_lost && (!owner || (*link)->owner == owner);
            if (is_left) {
                left[(*count)++] = **link;
                drop(link);
            } else {
                link = &(*link)->next;
            }
        }
    pthread_mutex_unlock(&lock);
    if (left)
        qsort(left, *count, sizeof *left, compare);
    return left;
}

/* What a call would have done to the thing that gives it back; most are freed where they have bytes, or destroyed. */
static const char *verb_of(const struct thing *thing)
{
    static const char *const verbs[][2] = {
        {"registered host memory", "unregistered"},
        {"module", "unloaded"},
        {"library", "unloaded"},
        {"physical memory", "released"},
        {"user object", "released"},
        {"opened memory of a process", "closed"},
        {"graphics resource", "unregistered"},
    };
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(thing->what, verbs[i][0]) == 0)
            return verbs[i][1];
    return thing->bytes > 0 ? "freed" : "destroyed";
}

/* What one place of the program left is one report. */
static void tell(const struct thing *thing)
{
    char what[160];
    const uint64_t key[] = {thing->made, (uintptr_t)thing->what, thing->made ? 0 : thing->name};
    if (thing->bytes > 0)
        snprintf(what, sizeof what, "%llu bytes of %s at 0x%llx were not %s",
                 (unsigned long long)thing->bytes, thing->what, (unsigned long long)thing->name,
                 verb_of(thing));
    else
        snprintf(what, sizeof what, "the %s 0x%llx was not %s", thing->what,
                 (unsigned long long)thing->name, verb_of(thing));
    struct ocl_report report = {
        .kind = OCL_CHECK_LEAK, .key = ocl_report_key(key, 3), .what = what};
    if (thing->made)
        report.parts[0] = (struct ocl_report_part){
            .label = thing->bytes > 0 ? "allocated at" : "made at", .stack = thing->made};
    ocl_report_add(&report);
}

void ocl_made_leave(const void *owner)
{
    size_t count = 0;
    if (!ocl_made_is_wanted())
        return;
    struct thing *const left = take_left(owner, &count);
    for (size_t i = 0; i < count && ocl_check_wants(OCL_CHECK_LEAK); i++)
        tell(&left[i]);
    free(left);
}

void ocl_made_tell_left(void)
{
    ocl_made_leave(NULL);
}

/* ---- Misuse ---- */

void ocl_made_misuse(const char *what, uint64_t name)
{
    struct ocl_made_view view = {.what = NULL};
    if (!ocl_check_wants(OCL_CHECK_MEMORY | OCL_CHECK_GUARD))
        return;
    const uint32_t stack = ocl_stack_take();
    const uint64_t key[] = {stack};
    const bool is_known = name != 0 && ocl_made_find(name, &view);
    struct ocl_report report = {.kind = ocl_check_wants(OCL_CHECK_MEMORY) ? OCL_CHECK_MEMORY
                                                                          : OCL_CHECK_GUARD,
                                .key = ocl_report_key(key, 1),
                                .what = what};
    int part = 0;
    report.parts[part++] = (struct ocl_report_part){.label = "called at", .stack = stack};
    if (is_known && view.made)
        report.parts[part++] =
            (struct ocl_report_part){.label = "allocated at", .stack = ocl_stack_keep(view.made)};
    if (is_known && view.freed)
        report.parts[part] =
            (struct ocl_report_part){.label = "freed at", .stack = ocl_stack_keep(view.freed)};
    ocl_report_add(&report);
}
