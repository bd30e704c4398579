/* The caller's stack. Unwinding takes microseconds, and a loop of the program's calls from the same place again and again: so what
 * was found there is looked at first, and stands while each return address is where it was.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdlib.h>
#include <unwind.h>

#include "cl/check.h"
#include "cl/thread.h"

/* Of a thread: the last stacks, each in a row that the place of its innermost frame names. Calls of one function are in one row. */
enum { ROWS = 8, ROW = 4, ROW_BYTES = 64 };
struct ocl_stacks_known {
    struct known {
        uintptr_t frame; /* of ocl_check_stack(); 0: none */
        struct ocl_stack stack;
        uintptr_t slots[OCL_STACK_DEPTH]; /* where the return addresses are in memory */
    } rows[ROWS][ROW];
    unsigned last; /* that was made, of its row */
};

struct walk {
    struct known *known;
    bool is_whole; /* each slot holds what the unwinder says */
};

/* Source: the System V ABI for AMD64, 3.2.2: the return address is right below the address that the callee's frame is known by.
 * Elsewhere it is not, and each walk is a new one. */
static _Unwind_Reason_Code note_frame(struct _Unwind_Context *context, void *argument)
{
    struct walk *const walk = argument;
    struct known *const known = walk->known;
    const uintptr_t at = _Unwind_GetIP(context), slot = _Unwind_GetCFA(context) - sizeof(void *);
    if (known->stack.depth == OCL_STACK_DEPTH || at == 0)
        return _URC_END_OF_STACK;
    walk->is_whole = walk->is_whole && slot % sizeof(void *) == 0 && *(uintptr_t *)slot == at;
    known->slots[known->stack.depth] = slot;
    known->stack.at[known->stack.depth++] = (void *)at;
    return _URC_NO_REASON;
}

/* From the innermost frame on: one that is still there has its caller's return address where it had it. The first is of this file. */
static bool is_there(const struct known *known, uintptr_t frame)
{
    if (known->frame != frame)
        return false;
    for (int i = 1; i < known->stack.depth; i++)
        if (*(const uintptr_t *)known->slots[i] != (uintptr_t)known->stack.at[i])
            return false;
    return true;
}

static void walk_from(uintptr_t frame, struct known *known)
{
    struct walk walk = {known, true};
    known->frame = 0;
    known->stack.depth = 0;
    _Unwind_Backtrace(note_frame, &walk);
    known->frame = walk.is_whole ? frame : 0;
}

/* NULL: the thread keeps none. */
static struct ocl_stacks_known *stacks_known(void)
{
    struct ocl_thread *const thread = ocl_thread();
    if (!thread->stacks && !ocl_thread_is_shared(thread))
        thread->stacks = calloc(1, sizeof *thread->stacks);
    return thread->stacks;
}

__attribute__((noinline)) void ocl_check_stack(struct ocl_stack *stack)
{
    const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    struct known fresh;
    struct ocl_stacks_known *const all = stacks_known();
    struct known *const row = all ? all->rows[frame / ROW_BYTES % ROWS] : &fresh;
    int at = 0;
    while (all && at < ROW && !is_there(&row[at], frame))
        at++;
    if (!all || at == ROW) {
        at = all ? (int)(++all->last % ROW) : 0;
        walk_from(frame, &row[at]);
    }
    *stack = row[at].stack;
}
