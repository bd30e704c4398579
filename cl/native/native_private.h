/* What code and launches of native kernels share. Private to cl/native/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_NATIVE_PRIVATE_H
#define OCL_NATIVE_PRIVATE_H

#include <stdatomic.h>

#include "cl/base/holders.h"
#include "cl/native/code.h"
#include "kernels/ptx/host/abi.h"

struct ocl_native {
    struct ocl_holders holders; /* launches, and whose kernel it is */
    struct ocl_code code;
    ptx_native_scratch_bytes *scratch;
    ptx_native_run *run;
    /* What one of its blocks took when it ran last, in picoseconds, and what counts; 0: not known yet. */
    _Atomic uint32_t last_ps, block_ps;
    _Atomic bool is_steady;      /* it took as long again, the last time that somebody looked */
    struct jit_code_entry *told; /* debugger.c, or NULL */
    bool is_noted;               /* where.c has it */
    char name[];                 /* of the kernel */
};

/* native.c: of a launch that held it. */
void ocl_native_let_go(struct ocl_native *native);

/* where.c: that code is there, and is no longer. */
void ocl_native_note_code(struct ocl_native *native);
void ocl_native_forget_code(struct ocl_native *native);

/* debugger.c: the same, for debuggers. */
void ocl_native_tell_debugger(struct ocl_native *native);
void ocl_native_forget_debugger(struct ocl_native *native);

#endif
