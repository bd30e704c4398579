/* From LLVM IR to an object file in memory. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_NATIVE_COMPILE_H
#define OCL_NATIVE_COMPILE_H

#include <stdbool.h>
#include <stddef.h>

#include "cl/llvm/llvm.h"

/* An object file. */
struct ocl_object {
    unsigned char *data;
    size_t bytes;
};

/* How objects are made: what is kept of earlier clems' is of no use where it differs. */
#define OCL_NATIVE_PASSES_OF_LONG(combine)                                                         \
    "always-inline,function(sroa,early-cse," combine ",simplifycfg),globaldce"
#define OCL_NATIVE_PASSES_WITH(combine)                                                            \
    "always-inline,function(sroa,early-cse,jump-threading," combine                                \
    ",simplifycfg,early-cse<memssa>," combine ",simplifycfg,loop-mssa(licm)),globaldce"
#define OCL_NATIVE_PASSES OCL_NATIVE_PASSES_WITH("instcombine")

/* What objects are for, in LLVM's words. */
struct ocl_aim {
    const char *triple, *processor,
        *features; /* each NULL: those of the processor that this process runs on */
};

/* Compiles a text. The module is checked first: LLVM ends the process over one that is none.
 * Needs:   text ends with NUL; the aim's target is registered, as this processor's is.
 * Returns false where LLVM refuses it, or without memory; *why then says so in words, or is NULL.
 * Owns:    the caller frees object->data and *why.
 * Threads: any; it takes LLVM's stack. */
bool ocl_llvm_compile(const struct ocl_llvm *llvm, const struct ocl_aim *aim, const char *text,
                      size_t bytes, struct ocl_object *object, char **why);

#endif
