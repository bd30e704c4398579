/* What a kernel in the native form is given, and what it calls. The kernel is LLVM IR; what is here in C it knows by
 * bytes from the start of the struct. For cl/, which launches such kernels.
 *
 * The object that becomes of the text has two symbols, of these types:
 *   clem_native_scratch   ptx_native_scratch_bytes
 *   clem_native_run       ptx_native_run
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_HOST_ABI_H
#define KERNELS_PTX_HOST_ABI_H

#include <stddef.h>
#include <stdint.h>

/* The same for all blocks of a launch. Addresses are the host's. */
struct ptx_native_launch {
    uint32_t grid[3], block[3]; /* gridDim, blockDim */
    uint32_t shared_bytes;      /* static, rounded up to 16, and dynamic */
    uint32_t dynamic_bytes;
    uint64_t blocks
        [3]; /* of the module's constant, device and managed variables: enum ptx_block; 0: none */
    uint64_t
        runtime; /* struct clem_runtime (library/runtime.h); 0 where the kernel has no PTX_ARGUMENT_RUNTIME */
    uint64_t conditions; /* uint32_t[]; 0: none */
    uint64_t table;      /* struct clem_texture[]; 0: none */
    uint64_t block_count;
    uint64_t
        begun; /* address of a uint64_t that counts blocks that were taken, also while others run: one that waits for
                          * others has more of them begin; 0: none but those that are run */
    uint64_t parameters;     /* all parameters as one struct: struct ptx_entry's offsets */
    uint32_t is_cooperative; /* kernels see the workspace */
    uint32_t workspace
        [2]; /* of the grid's barrier, as struct clem_rota's (library/turns.h): zeros at first, changed by kernels */
    uint32_t is_apart; /* blocks are never run several at once: who asks which one runs gets one */
    uint64_t
        pictures; /* struct clem_texture[]: a row as the table's for each PTX_ARGUMENT_TEXTURE, in their order; 0: none */
    uint64_t
        checked; /* struct clem_check_launch (library/check.h), where the kernel has PTX_ARGUMENT_CHECK; 0: none */
    /* Of blocks that wait for others, changed by runs and zeros at first: threads of the host that are at some, those of them whose
     * blocks have all waited for long, and the address of blocks that one of them has left to the others. */
    uint64_t workers, idle_workers, handed_on;
};

/* What scratch memory begins with: the block that runs in it now, for handlers of signals, while ptx_native_run() is at work, and what
 * runs leave each other. */
struct ptx_native_now {
    const uint32_t
        *_Atomic index;      /* blockIdx, of `columns` blocks the first; NULL: none has begun */
    const uint32_t *columns; /* so many of one row, which differ in blockIdx.x, are run at once */
    void *left;              /* with PTX_NATIVE_LATER: what waits; NULL before the first run */
    const void *numbered; /* where threads have their numbers already; NULL before the first run */
};

/* Bytes that one block needs while it runs: the above, shared memory, frames of warps, local memory. With PTX_NATIVE_LATER: what
 * blocks add to memory may wait in scratch, see below. */
#define PTX_NATIVE_LATER (UINT64_C(1) << 63)
typedef uint64_t ptx_native_scratch_bytes(const struct ptx_native_launch *launch);

/* Runs `count` blocks from number `first` on, one after the other; blocks are numbered with x fastest.
 * Needs: scratch has as many bytes as the other function says, at a multiple of 64. They need no values, but the struct
 *        ptx_native_now in front: zeros before the first run of a launch with that scratch, and what it left there before the
 *        runs that follow. With PTX_NATIVE_LATER one of no blocks comes last. */
typedef void ptx_native_run(const struct ptx_native_launch *launch, uint64_t first, uint64_t count,
                            void *scratch);

/* Functions that the text declares and calls; whoever loads the object defines these names. */
struct ptx_native_symbol {
    const char *name;
    void (*address)(void);
};
const struct ptx_native_symbol *ptx_native_symbols(size_t *count);

#endif
