/* Races, and threads that meet. Private to check/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_CHECK_RACE_H
#define OCL_CHECK_RACE_H

#include "cl/check/check_launch.h"
#include "cl/race/race.h"

/* Source: enum ptx_order and enum ptx_scope of kernels/ptx/ir/ir.h. */
enum {
    CLEM_CHECK_ORDER_NONE,
    CLEM_CHECK_ORDER_RELAXED,
    CLEM_CHECK_ORDER_ACQUIRE,
    CLEM_CHECK_ORDER_RELEASE,
    CLEM_CHECK_ORDER_ACQ_REL,
    CLEM_CHECK_ORDER_SC,
    CLEM_CHECK_ORDER_VOLATILE,
    CLEM_CHECK_SCOPE_CTA = 1,
    CLEM_CHECK_SCOPE_SYS = 4
};

/* Of a block. */
static inline uint32_t ocl_check_threads(const struct ocl_check_launch *launch)
{
    return launch->threads[0] * launch->threads[1] * launch->threads[2];
}

/* Where threads meet: CLEM_CHECK_BARRIER, WARP and ROUND. block may be NULL. */
void ocl_check_meet(struct ocl_race *race, struct ocl_race_block *block,
                    const struct ocl_access *access);

/* Whether a launch of the kernel has not been told of before with that number. */
bool ocl_check_is_first(const struct ocl_check_launch *launch, uint64_t number);

/* What a kernel does to some of these bytes that nothing orders with a command: the kernel and its thread in words, its launch, and
 * where. false: nothing. */
struct ocl_race_other {
    char *about, *kernel; /* of `room` bytes each; no kernel: "" */
    size_t room;
    struct ocl_stack *stack;
    uint64_t *address;
    bool *writes;
    bool *is_open; /* whether it is an atomic or volatile access, or NULL */
};
bool ocl_check_race_rows(const struct ocl_stream_time *time, const struct ocl_check_rows *rows,
                         const struct ocl_check_shape *shape, bool writes,
                         const struct ocl_race_other *other);

/* What is said where the host touches what a kernel does, and has not waited for it. */
const char *ocl_check_host_sentence(bool host_writes, bool kernel_writes);

/* Whether kernels, of whatever launches, wrote some of these bytes. */
bool ocl_check_race_wrote(const struct ocl_check_rows *rows, const struct ocl_check_shape *shape);

/* Threads that are not in step, as the kernel's text has them. Source: kernels/ptx/library/block.cl. */
struct ocl_round {
    const uint32_t *state, *wait, *arrived;
    const uint64_t *sites; /* of the region that a state names */
    uint32_t threads;
};
enum {
    OCL_ROUND_REGION = 0xffff,
    OCL_ROUND_AT_WARP = 0x10000,
    OCL_ROUND_AT_BARRIER = 0x20000,
    OCL_ROUND_SPUN = 0x40000,
    OCL_ROUND_BARRIERS = 16
};
#define OCL_ROUND_ENDED UINT32_MAX

/* One barrier in a round. */
struct ocl_gathering {
    uint32_t lanes[OCL_RACE_THREADS / 32]; /* that wait there */
    uint32_t waiting, weight, expected;
    bool is_open; /* all have come that it is for */
};

struct ocl_round ocl_round_of(const struct ocl_access *access);
void ocl_round_gather(const struct ocl_round *round, uint32_t barrier, struct ocl_gathering *found);
static inline bool ocl_round_waits(const struct ocl_round *round, uint32_t thread)
{
    return round->state[thread] != OCL_ROUND_ENDED && round->state[thread] & OCL_ROUND_AT_BARRIER;
}

#endif
