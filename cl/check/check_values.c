/* Registers that have values which nobody wrote: few, in a table of all threads' together.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check/check_values.h"

#include <pthread.h>
#include <stdlib.h>

#include "cl/check/check_shadow.h"

/* Beyond so many a value counts as written. */
enum { ROWS = 1 << 14, MOST_VALUES = 1 << 20 };

struct value {
    struct value *next;
    const struct ocl_check_launch *launch;
    uint64_t block;
    uint32_t thread, name;
    uint64_t bits;
    struct ocl_unwritten from;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf: the next three */
static struct value *rows[ROWS], *spare;
static size_t count;

static size_t row_of(const struct ocl_access *a, uint32_t name)
{
    const uint64_t mixed =
        (a->block * 1024 + a->thread) * 0x9e3779b97f4a7c15u ^ (uint64_t)name * 0xc2b2ae3d27d4eb4fu;
    return (size_t)(mixed >> 40) % ROWS;
}

/* Lock held. Where the value's link is, or would be. */
static struct value **find(const struct ocl_access *a, uint32_t name)
{
    struct value **at = &rows[row_of(a, name)];
    while (*at && !((*at)->name == name && (*at)->thread == a->thread && (*at)->block == a->block &&
                    (*at)->launch == a->launch))
        at = &(*at)->next;
    return at;
}

/* Lock held. */
static void count_followed(const struct ocl_access *a, int64_t change)
{
    const uint64_t before =
        atomic_fetch_add((_Atomic uint64_t *)&a->launch->head.followed, (uint64_t)change);
    if (before == 0 || before + (uint64_t)change == 0)
        ocl_check_look(a->launch, before != 0);
}

uint64_t ocl_check_value(const struct ocl_access *a, uint32_t name, struct ocl_unwritten *from)
{
    uint64_t bits = 0;
    if (name == 0)
        return 0;
    pthread_mutex_lock(&lock);
    const struct value *found = *find(a, name);
    if (found) {
        bits = found->bits;
        *from = found->from;
    }
    pthread_mutex_unlock(&lock);
    return bits;
}

/* Lock held. */
static void drop(struct value **link)
{
    struct value *gone = *link;
    *link = gone->next;
    gone->next = spare;
    spare = gone;
    count--;
}

/* Lock held. NULL: there are too many, or no memory. */
static struct value *take(void)
{
    struct value *taken = spare;
    if (count >= MOST_VALUES)
        return NULL;
    if (taken)
        spare = taken->next;
    else
        taken = malloc(sizeof *taken);
    count += taken != NULL;
    return taken;
}

void ocl_check_set_value(const struct ocl_access *a, uint32_t name, uint64_t bits,
                         const struct ocl_unwritten *from)
{
    if (name == 0)
        return;
    pthread_mutex_lock(&lock);
    struct value **link = find(a, name);
    if (*link && bits == 0) {
        drop(link);
        count_followed(a, -1);
    } else if (bits != 0) {
        struct value *made = *link;
        if (!made && (made = take()) != NULL) {
            *made = (struct value){NULL, a->launch, a->block, a->thread, name, 0, {0}};
            *link = made;
            count_followed(a, 1);
        }
        if (made) {
            made->bits = bits;
            made->from = *from;
        }
    }
    pthread_mutex_unlock(&lock);
}

void ocl_check_forget_values(const struct ocl_access *a)
{
    if (atomic_load((_Atomic uint64_t *)&a->launch->head.followed) == 0)
        return;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < ROWS; i++)
        for (struct value **link = &rows[i]; *link;)
            if ((*link)->launch == a->launch && (*link)->block == a->block) {
                drop(link);
                count_followed(a, -1);
            } else {
                link = &(*link)->next;
            }
    pthread_mutex_unlock(&lock);
}
