/* Kernels as machine code that clem makes itself: of LLVM IR, by the LLVM that PoCL has loaded. Private to cl/.
 *
 * A launch is a command of PoCL all the same: work-items of one small kernel, the same for all, call what runs the launch's
 * blocks. So what is true of the order and the progress of launches, and of the memory that they touch, stays true.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_NATIVE_H
#define OCL_NATIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cl/queue/chain.h"
#include "cl/state/state.h"
#include "kernels/ptx/host/abi.h"

/* ---- Code: native.c ---- */

/* The code of a kernel. Counted: its launches in flight have it as well as its kernel. */
struct ocl_native;

/* The number of the LLVM by which kernels of the context can have the form; 0, traced once: its device is none of PoCL's,
 * kernels do not see the host's addresses, or there is no such LLVM. */
unsigned ocl_native_llvm(const struct ocl_context *context);

/* Code of a text, from the cache where a process made it before. NULL, traced with the reason: it is too large, LLVM refuses it,
 * it calls what nobody has, or there is no memory that may be executed.
 * Needs:   ocl_native_llvm() of a context of the device is not 0. text ends with NUL; name is what people call it.
 * Threads: any, at once. It takes LLVM's stack, and its time; no lock is held meanwhile. */
struct ocl_native *ocl_native_make(const struct ocl_device *device, const char *name,
                                   const char *text, size_t bytes);
void ocl_native_release(struct ocl_native *native);

/* The name of the kernel that an instruction belongs to, which is running; NULL: none. For handlers of signals. */
const char *ocl_native_name_at(uint64_t code);

/* ---- Launches: native_launch.c ---- */

/* The program that has the kernel for PoCL, which takes the address of a launch as a ulong: kernels/native.cl. It is built at
 * the context's first request and is the caller's to release.
 * Errors: those of ocl_builtin_program(). */
#define OCL_NATIVE_KERNEL "clem_native"
ocl_status ocl_native_program(struct ocl_context *context, cl_program *program);

/* How many work-items a launch of so many thread blocks has: none of them waits for another. One where another would take
 * longer to come than to do its part, as far as that is known of the launches before. */
size_t ocl_native_items(const struct ocl_context *context, const struct ocl_native *native,
                        uint64_t blocks);

/* What the blocks of a launch share. */
struct ocl_native_launch;

struct ocl_native_shape {
    uint64_t blocks; /* thread blocks */
    uint64_t row;    /* of them that lie along x; 0: it does not matter */
    uint32_t joined; /* each is so many of the program's, side by side along x; 0: one */
    size_t items;    /* work-items that run them */
    size_t parameter_bytes;
    bool
        is_vast; /* what it goes through is more than caches hold, by blocks of much the same work */
    bool
        takes_turns; /* blocks may wait for others: each work-item takes one at a time, and more while it waits */
    const uint32_t *
        failure; /* not 0 once a kernel of the context has failed: a launch that begins then runs no block; NULL: none
                                before it can fail */
};

/* Makes a launch. The caller fills in its facts: all but the address of the parameters, which are zeros at a multiple of 16.
 * Errors: OCL_E_OUT_OF_MEMORY. */
ocl_status ocl_native_begin(struct ocl_context *context, struct ocl_native *native,
                            const struct ocl_native_shape *shape,
                            struct ocl_native_launch **launch);
struct ptx_native_launch *ocl_native_facts(struct ocl_native_launch *launch);

/* Of a launch with one work-item: as a piece of a chain, which is done in place of the work-item. */
struct ocl_piece_of_chain *ocl_native_piece(struct ocl_native_launch *launch);

/* Finds the memory that the blocks need while they run; the facts are final. Errors: OCL_E_OUT_OF_MEMORY. */
ocl_status ocl_native_reserve(struct ocl_native_launch *launch);

/* The thread block that the calling thread runs; of *count of a row that it runs at once, the first. false: it runs none. For
 * handlers of signals. */
bool ocl_native_block_here(uint32_t block[3], uint32_t *count);

/* The name of the kernel whose blocks the calling thread runs; NULL: it runs none. For handlers of signals. */
const char *ocl_native_name_here(void);

/* Of a launch that was not given to the driver. One that was goes when the last of its work-items ends. */
void ocl_native_cancel(struct ocl_native_launch *launch);

/* Of a context that closes. Where it has failed, launches may still be in flight. */
void ocl_native_forget(struct ocl_context *context);

#endif
