/* How registers change along a row of threads, and which stores compilers bring out of order for that. Private to kernels/ptx/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_STEP_H
#define KERNELS_PTX_STEP_H

#include "kernels/ptx/analyse/plan.h"

/* By how much a register grows from one thread of a row to the next, in the unit of its value: 0 where it is the same for
 * the row. Of all that a kernel writes to it, wherever that is. */
enum {
    PTX_STEP_UNKNOWN = INT32_MIN,
    PTX_STEP_NONE, /* nothing written was looked at yet */
    PTX_STEP_SLOW  /* it stays the same for some threads, then changes */
};

/* uniform: per register, whether it is known to be the same for all threads; NULL: of none. */
int32_t *ptx_find_steps(struct ptx_arena *arena, const struct ptx_function *f, const bool *uniform);
int32_t ptx_step_of_operand(const int32_t *steps, const struct ptx_operand *operand);

/* A load or store of memory that kernels write. */
bool ptx_is_plain_access(const struct ptx_instruction *in);

/* Whether it is a store of the first of some nodes, in the order that threads go through them, behind which stands what may be of the same
 * memory, and either is at a distance from thread to thread.
 * LLVM takes threads that are said not to depend on each other for accesses that do not either: it brings loads at a distance
 * from thread to thread to where the first of several that lie beside each other stands, and stores to the last, past what the same
 * thread stores there in between. */
bool ptx_may_lose_order(const struct ptx_flow *flow, const int32_t *steps, const int32_t *nodes,
                        size_t count, const struct ptx_instruction *store);

/* The same of the instruction that is being written, of a function without loops, for a CPU. */
bool ptx_loses_order(struct ptx_emitter *e);

#endif
