/* Functions that the text of kernels in the native form calls. Private to kernels/ptx/host/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_HOST_NATIVE_RUNTIME_H
#define KERNELS_PTX_HOST_NATIVE_RUNTIME_H

#include <stdbool.h>

#include "kernels/ptx/host/runtime.h"

/* Adds a number of floating point, of so many bits, to a word of global memory, no later than when no block is left. */
void clem_native_add_later(struct ptx_native_block *block, uint64_t at, uint64_t value,
                           uint32_t bits);
/* Of a block whose warps are told of late: those from one up to another have come to a site, 0: to their end. common: where others
 * have, 0: all to their end, or PTX_NATIVE_NOBODY. Where nothing is noted yet (is_noted), all before `from` are there. Sites
 * above `barriers` are none of the block's. Returns where those that wait are, and 1 << 32 where that is not one place. */
uint64_t clem_native_come(const struct ptx_native_block *block, uint32_t from, uint32_t to,
                          uint32_t site, uint32_t common, uint32_t is_noted, uint32_t barriers);
/* Some lanes come to a barrier and do not wait. */
void clem_native_arrive(struct ptx_native_block *block, uint32_t lanes, uint32_t number,
                        uint32_t count);
/* Of the lanes `here`, each of which names its members: those whose members are all here and name the same. */
uint32_t clem_native_gathered(const uint32_t members[32], uint32_t here);

/* What library/runtime.h describes, for each lane of a mask: its arguments are element `lane` of 32 in a row each; a result
 * comes in the place of the first. */
void clem_native_vprintf(const struct ptx_native_launch *launch, struct ptx_native_block *block,
                         uint32_t lanes, uint64_t *arguments);
void clem_native_malloc(const struct ptx_native_launch *launch, struct ptx_native_block *block,
                        uint32_t lanes, uint64_t *arguments);
void clem_native_aligned_malloc(const struct ptx_native_launch *launch,
                                struct ptx_native_block *block, uint32_t lanes,
                                uint64_t *arguments);
void clem_native_free(const struct ptx_native_launch *launch, struct ptx_native_block *block,
                      uint32_t lanes, uint64_t *arguments);
void clem_native_assertfail(const struct ptx_native_launch *launch, struct ptx_native_block *block,
                            uint32_t lanes, uint64_t *arguments);
void clem_native_set_conditional(const struct ptx_native_launch *launch,
                                 struct ptx_native_block *block, uint32_t lanes,
                                 uint64_t *arguments);
uint64_t clem_native_clock(uint64_t runtime);
uint64_t clem_native_timer(void); /* nanoseconds */
void clem_native_trap(const struct ptx_native_launch *launch, uint32_t lanes);
/* Whether a thread has failed, which ends all that wait. */
bool clem_native_has_failed(const struct ptx_native_launch *launch);
/* A block's threads wait for each other for ever. */
void clem_native_stick(const struct ptx_native_launch *launch);

/* Atomic sums of numbers of 16 bits, or of two at once: values come in, and what was there goes out. */
#define CLEM_NATIVE_ADD_HALVES(name)                                                               \
    void clem_native_add_halves_##name(const uint64_t addresses[32], uint32_t values[32],          \
                                       uint32_t lanes);
CLEM_NATIVE_ADD_HALVES(f16)
CLEM_NATIVE_ADD_HALVES(bf16)
CLEM_NATIVE_ADD_HALVES(f16x2)
CLEM_NATIVE_ADD_HALVES(bf16x2)
#undef CLEM_NATIVE_ADD_HALVES

/* All of them, and of runtime.h. */
#define CLEM_NATIVE_RUNTIME(FUNCTION)                                                              \
    FUNCTION(bytes)                                                                                \
    FUNCTION(blocks)                                                                               \
    FUNCTION(arrive)                                                                               \
    FUNCTION(come)                                                                                 \
    FUNCTION(add_row)                                                                              \
    FUNCTION(draw)                                                                                 \
    FUNCTION(add_later)                                                                            \
    FUNCTION(gathered)                                                                             \
    FUNCTION(vprintf)                                                                              \
    FUNCTION(malloc)                                                                               \
    FUNCTION(aligned_malloc)                                                                       \
    FUNCTION(free)                                                                                 \
    FUNCTION(assertfail)                                                                           \
    FUNCTION(set_conditional)                                                                      \
    FUNCTION(clock)                                                                                \
    FUNCTION(timer)                                                                                \
    FUNCTION(add_halves_f16)                                                                       \
    FUNCTION(add_halves_bf16)                                                                      \
    FUNCTION(add_halves_f16x2)                                                                     \
    FUNCTION(add_halves_bf16x2)                                                                    \
    FUNCTION(trap)

#endif
