/* Compiling translations in another process: large ones that a launch needs, and those that it may need next. Private to
 * cl/ptx/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_PTX_APART_H
#define OCL_PTX_APART_H

#include "cl/program/translation.h"
#include "cl/ptx/ptx_facts.h"

/* What a translation was told of the device. */
struct ocl_ptx_told {
    struct ptx_target target;
    unsigned known; /* of enum ptx_fact */
};

/* Has a large text of PoCL's compiled in a process of its own, unless that was done before, so that the build here finds it
 * in PoCL's cache; and begins with the module's other kernels, which nobody waits for.
 * Needs:   the kernel's program has its text and options.
 * Returns false where the compiler ended over it, and would end this process: the kernel is refused.
 * Threads: any; it blocks for as long as the compiler takes. */
bool ocl_ptx_compile_apart(struct ocl_kernel *kernel, const struct ocl_ptx_told *told);

/* What tells one text with its options from another. */
struct ocl_ptx_mark {
    uint64_t hashes[2];
};

/* A text on its way to another process. */
struct ocl_ptx_apart_text {
    const struct ocl_device *device;
    const char *text, *options, *name;
    size_t bytes;
    struct ocl_ptx_mark mark;
};

/* Fills in the mark. Whether the text takes PoCL a while, and is not known to be in its cache. */
bool ocl_ptx_apart_wants(struct ocl_ptx_apart_text *text);

/* Notes that it is there, for later processes. */
void ocl_ptx_apart_note(const struct ocl_ptx_apart_text *text);

/* ---- ptx_ahead.c ---- */

/* Compiles the module's kernels but this one, as their first launches would, in the background. Programs mostly launch kernels
 * in the order of the module's text, or against it: the next is always the one that is farthest from what was needed last.
 * Threads: any; it never blocks. */
void ocl_ptx_begin_ahead(const struct ocl_kernel *needed, const struct ocl_ptx_told *told);

/* The text is needed now: who compiles it ahead ends. */
void ocl_ptx_end_ahead(const struct ocl_ptx_mark *mark);

/* Whether a text divides or takes roots: then it depends on how the device does. */
bool ocl_ptx_divides(const struct ptx_kernel *translated);

#endif
