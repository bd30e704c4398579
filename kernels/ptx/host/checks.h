/* What kernels that are checked tell the host in the native form: the lanes of a warp at once. Each access has a constant in the
 * text, what is told of it, and a list in the function's frame. Private to kernels/ptx/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_HOST_CHECKS_H
#define KERNELS_PTX_HOST_CHECKS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/ptx/host/runtime.h"

/* As the text has it, word by word. */
struct ptx_native_told {
    /* As of struct clem_check_call (library/check.h). */
    uint64_t what, site, more, registers, others, base;
    uint64_t ways;  /* PTX_NATIVE_LOOKS and the like */
    int64_t stride; /* between lanes of a half warp, where they lie on a line */
    uint64_t
        stores; /* the kernel's: a bit for each parameter, by its offset in words of 8 bytes, that may lead to what they write */
    uint64_t number; /* of the access among the kernel's, below CLEM_CHECK_STILL */
};
/* In place of a parameter: a number that was read from memory. In place of all of them: stores may go anywhere. */
#define PTX_REACHES_LOADED 62
#define PTX_REACHES_ALL    UINT64_MAX

enum {
    PTX_NATIVE_LOOKS = 1, /* memory and init, without a call of who checks */
    PTX_NATIVE_RACES = 2, /* likewise races */
    PTX_NATIVE_INIT = 4,  /* shared memory has what stands for its bytes */
    PTX_NATIVE_TELLS =
        8, /* each access is told, whatever is known; of atomic operations those that may order something */
    PTX_NATIVE_FIRST = 16, /* of neighbours that store at one place the first does it for all */
    PTX_NATIVE_STILL = 32, /* a plain load of memory that may be still: still.h */
    PTX_NATIVE_WORDS = 64, /* 4 or 8 bytes of global memory each, side by side: words_check.c */
    PTX_NATIVE_CALM = 128, /* a load of shared memory for which PTX_NATIVE_LOOKS is all (phase.h) */
    PTX_NATIVE_SEEN =
        256 /* of PTX_NATIVE_STILL: the text has looked whether all was read before, and calls clem_native_check_still() */
};

/* For each lane an address of the host's, and a value of as many bytes as its store has: side by side. */
struct ptx_native_list {
    uint64_t addresses[32];
    uint64_t values[32];
};

/* Lanes load or store. Returns whether some have to do so elsewhere; then the list says where each does, a lane that is not there
 * where the first one is. On lines: first and second are the addresses of the first lanes of both half warps. */
uint64_t clem_native_check_line(const struct ptx_native_launch *launch,
                                const struct ptx_native_block *block,
                                const struct ptx_native_told *told, uint32_t lanes, uint64_t first,
                                uint64_t second, struct ptx_native_list *list);
/* Likewise, plainly, of shared memory, where races are looked for: words, or two or four at once, side by side or at one place. */
uint64_t clem_native_check_shared(const struct ptx_native_launch *launch,
                                  const struct ptx_native_block *block,
                                  const struct ptx_native_told *told, uint32_t lanes,
                                  uint64_t first, uint64_t second, struct ptx_native_list *list);
/* Likewise of what has PTX_NATIVE_SEEN. */
uint64_t clem_native_check_still(const struct ptx_native_launch *launch,
                                 const struct ptx_native_block *block,
                                 const struct ptx_native_told *told, uint32_t lanes, uint64_t first,
                                 uint64_t second, struct ptx_native_list *list);
uint64_t clem_native_check_list(const struct ptx_native_launch *launch,
                                const struct ptx_native_block *block,
                                const struct ptx_native_told *told, uint32_t lanes,
                                struct ptx_native_list *list);
/* Likewise of what has no memory: each lane. */
void clem_native_check_each(const struct ptx_native_launch *launch,
                            const struct ptx_native_block *block,
                            const struct ptx_native_told *told, uint32_t lanes);
/* Lanes, of which `live` have not ended, name those that they wait for: each in `values` of the list, or all `mask`, without a
 * list. */
void clem_native_check_warp(const struct ptx_native_launch *launch,
                            const struct ptx_native_block *block,
                            const struct ptx_native_told *told, uint32_t lanes, uint32_t live,
                            uint32_t mask, struct ptx_native_list *list);
/* All warps that have not ended have come to one barrier. */
void clem_native_check_meeting(const struct ptx_native_launch *launch,
                               const struct ptx_native_block *block);
/* CLEM_CHECK_FLOWS, CLEM_CHECK_EXCHANGE: a text, and for the latter what each lane has in `values`, and what stands above the
 * lanes. */
void clem_native_check_flows(const struct ptx_native_launch *launch,
                             const struct ptx_native_block *block, uint64_t text, uint32_t lanes);
void clem_native_check_exchange(const struct ptx_native_launch *launch,
                                const struct ptx_native_block *block,
                                const struct ptx_native_told *told, uint64_t text, uint32_t lanes,
                                uint32_t how, struct ptx_native_list *list);

#define CLEM_NATIVE_CHECKS(FUNCTION)                                                               \
    FUNCTION(check_line)                                                                           \
    FUNCTION(check_shared)                                                                         \
    FUNCTION(check_still)                                                                          \
    FUNCTION(check_list)                                                                           \
    FUNCTION(check_each)                                                                           \
    FUNCTION(check_warp)                                                                           \
    FUNCTION(check_meeting)                                                                        \
    FUNCTION(check_flows)                                                                          \
    FUNCTION(check_exchange)

/* quick_check.c: whether lanes, some at least, are seen to be right, and are done with. As clem_native_check_line(). */
bool ptx_check_quickly(const struct ptx_native_launch *launch, const struct ptx_native_block *block,
                       const struct ptx_native_told *told, uint32_t lanes, uint64_t first,
                       uint64_t second, const struct ptx_native_list *list);

/* words_check.c: likewise, of what has PTX_NATIVE_WORDS. Some of the lanes may have been done with. */
bool ptx_check_words(const struct ptx_native_launch *launch, const struct ptx_native_block *block,
                     const struct ptx_native_told *told, uint32_t lanes, uint64_t first,
                     uint64_t second, const struct ptx_native_list *list);

/* Whether lanes' places in a list follow each other, up or down, so that none is another's. */
bool ptx_are_apart(const struct ptx_native_list *list, uint32_t lanes, uint32_t bytes);

/* Likewise of a list: lanes that are left, and have to be looked at again. */
uint32_t ptx_check_list_quickly(const struct ptx_native_launch *launch,
                                const struct ptx_native_block *block,
                                const struct ptx_native_told *told, uint32_t lanes,
                                const struct ptx_native_list *list);

/* runtime_check.c: a block begins, has come to a barrier with so many threads, ends. Needs: the launch is checked. */
void clem_native_block_begins(const struct ptx_native_launch *launch,
                              struct ptx_native_block *block);
void clem_native_block_meets(const struct ptx_native_launch *launch,
                             const struct ptx_native_block *block, uint32_t live);
void clem_native_block_ends(const struct ptx_native_launch *launch, struct ptx_native_block *block);

#endif
