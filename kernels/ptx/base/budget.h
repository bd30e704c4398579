/* What a module of PTX may cost at most: a small text can ask for more memory and time than there is,
 * by calls that double, scopes, tables and loops. What compilers write stays far below: the largest
 * kernels of CUB become 500 KB of OpenCL C.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_BUDGET_H
#define KERNELS_PTX_BUDGET_H

#include "kernels/ptx/base/arena.h"
#include "kernels/ptx/ptx.h"

/* "text of a module": bytes of PTX. */
#define PTX_MOST_TEXT ((size_t)256 << 20)

/* "memory of a module": bytes while it is read, or while one of its kernels is translated. First values of
 * variables and emitted text are counted apart. */
static inline size_t ptx_most_memory(size_t text_bytes)
{
    return ((size_t)40 << 20) + 32 * text_bytes;
}

/* "kernels of a module": who loads one keeps some 3 KB for each kernel. */
static inline size_t ptx_most_kernels(size_t text_bytes)
{
    return 16384 + text_bytes / 80;
}

/* "emitted text": bytes of OpenCL C for one kernel. */
static inline size_t ptx_most_emitted(size_t text_bytes)
{
    return ((size_t)16 << 20) + 8 * text_bytes;
}

/* "inlined instructions": of one kernel and all that it calls, counted once for every call. OpenCL's
 * compilers put functions where they are called. */
static inline uint64_t ptx_most_inlined(size_t own_instructions)
{
    return 500000 + 2 * (uint64_t)own_instructions;
}

/* "steps of analysis": of reading a module, or of translating a kernel. About 10 ns each. */
static inline uint64_t ptx_most_steps(size_t text_bytes)
{
    return 250000000 + 20 * (uint64_t)text_bytes;
}

/* What is to be told where a translation or a reading left early: that a budget did not suffice, whose
 * name then stands in the log, or that there was no memory. */
enum ptx_status ptx_outcome(const struct ptx_budget *budget, struct ptx_log *log, const char *who);

#endif
