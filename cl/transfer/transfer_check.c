/* What copies and fills do to what is known of written bytes, in the queue's order, for the check `init`.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdatomic.h>
#include <stdlib.h>

#include "cl/queue/queue_private.h"
#include "cl/transfer/transfer_private.h"

struct later {
    struct ocl_check_rows target, source;
    struct ocl_check_shape shape;
    bool is_fill;
    struct ocl_stack stack;
};

/* While some have not had their turn, others must not come before them. */
static _Atomic unsigned pending;

static ocl_status take_turn(void *data, ocl_status failure)
{
    struct later *later = data;
    if (failure == OCL_OK)
        ocl_check_copied(&later->target, later->is_fill ? NULL : &later->source, &later->shape,
                         &later->stack);
    free(later);
    atomic_fetch_sub(&pending, 1);
    return OCL_OK;
}

/* false: without memory, or a turn. */
static bool put_off(struct ocl_queue *queue, const struct ocl_check_rows *target,
                    const struct ocl_check_rows *source, const struct ocl_check_shape *shape)
{
    struct later *later = malloc(sizeof *later);
    if (!later)
        return false;
    *later = (struct later){.target = *target, .shape = *shape, .is_fill = source == NULL};
    if (source)
        later->source = *source;
    ocl_check_stack(&later->stack);
    atomic_fetch_add(&pending, 1);
    if (ocl_queue_take_turn(queue, take_turn, later) == OCL_OK)
        return true;
    atomic_fetch_sub(&pending, 1);
    free(later);
    return false;
}

void ocl_transfer_check(struct ocl_queue *queue, const struct ocl_check_rows *target,
                        const struct ocl_check_rows *source, const struct ocl_check_shape *shape,
                        enum ocl_transfer_wait wait)
{
    if (!ocl_check_wants(OCL_CHECK_INIT))
        return;
    const bool is_after = (source && ocl_check_follows(source)) || atomic_load(&pending) != 0;
    if (is_after && wait != OCL_WAIT_ALL && put_off(queue, target, source, shape))
        return;
    if (is_after)
        (void)ocl_queue_finish_unseen(queue);
    ocl_check_copied(target, source, shape, NULL);
}
