/* Works: counting who uses them.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "facade/graph/work.h"

struct facade_work *facade_work_new(const struct facade_work_kind *kind, size_t bytes)
{
    struct facade_work *work = calloc(1, bytes);
    if (work == NULL)
        return NULL;
    work->kind = kind;
    atomic_init(&work->references, 1);
    return work;
}

struct facade_work *facade_work_hold(struct facade_work *work)
{
    if (work != NULL)
        atomic_fetch_add_explicit(&work->references, 1, memory_order_relaxed);
    return work;
}

void facade_work_let_go(struct facade_work *work)
{
    if (work == NULL || atomic_fetch_sub_explicit(&work->references, 1, memory_order_acq_rel) != 1)
        return;
    if (work->kind->end != NULL)
        work->kind->end(work);
    free(work);
}
