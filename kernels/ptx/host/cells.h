/* Cells of races, many at once. Private to kernels/ptx/host/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_HOST_CELLS_H
#define KERNELS_PTX_HOST_CELLS_H

#include <stdbool.h>
#include <stdint.h>

enum { PTX_CELLS_MOST = 64, PTX_CELLS_SAME_AT = 17 /* CLEM_RACE_SAME */ };

/* Accesses to cells that lie side by side. like, old, clear, turn, barrier: as struct clem_race_look has them (library/check.h), and as
 * clem_race_at_first() is given them. */
struct ptx_cells {
    uint64_t like, old, clear, turn, barrier, alone; /* `alone` is all ones where not `relaxed` */
    bool writes;
    uint64_t slot;  /* what comes to the first cell; of those behind, threads are the next ones, */
    unsigned shift; /* of each so many cells: 1 << shift */
    uint64_t absent, same; /* cells that nothing comes to, and where it is CLEM_RACE_SAME */
};

static inline uint64_t ptx_cells_slot(const struct ptx_cells *x, uint32_t cell)
{
    return (x->slot + ((uint64_t)(cell >> x->shift) << 32)) | (x->same >> cell & 1)
                                                                  << (32 + PTX_CELLS_SAME_AT);
}

/* To `count` first slots of cells does what clem_race_at_first() does, and notes second readers, for all of which that is enough.
 * Returns a bit for each that is left as it was. others: of the first cell, CLEM_RACE_SLOTS - 1 for each. count: up to
 * PTX_CELLS_MOST. The second and third are for processors that have AVX2, or AVX-512. */
uint64_t ptx_cells_any(const struct ptx_cells *x, uint64_t *first, uint64_t *others,
                       uint32_t count);
uint64_t ptx_cells_avx2(const struct ptx_cells *x, uint64_t *first, uint64_t *others,
                        uint32_t count);
uint64_t ptx_cells_avx512(const struct ptx_cells *x, uint64_t *first, uint64_t *others,
                          uint32_t count);

/* The one for this processor. */
static inline uint64_t ptx_cells_pass(const struct ptx_cells *x, uint64_t *first, uint64_t *others,
                                      uint32_t count)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        return ptx_cells_avx512(x, first, others, count);
    if (__builtin_cpu_supports("avx2"))
        return ptx_cells_avx2(x, first, others, count);
#endif
    return ptx_cells_any(x, first, others, count);
}

#endif
