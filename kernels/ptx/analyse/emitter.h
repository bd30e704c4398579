/* What a translation writes with: the text, and refusals. Private to kernels/ptx/analyse/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_EMITTER_H
#define KERNELS_PTX_EMITTER_H

#include "kernels/ptx/ir/ir.h"

struct ptx_emitter;
struct ptx_plan;
struct ptx_block_writer;
struct ptx_warp_writer;
struct ptx_native;

/* What a form writes in its own way; any may be NULL. */
struct ptx_form_hooks {
    /* Writes the instruction if the form treats it itself (barriers, warp operations, exits,
     * special registers stay with ptx_special_value()). False: nobody else but the common
     * emitters. */
    bool (*instruction)(struct ptx_emitter *e, const struct ptx_instruction *in);
    /* The C expression (uint, or ulong for 64-bit ones) of a special register. */
    const char *(*special)(struct ptx_emitter *e, enum ptx_special special);
    /* The statement that ends the thread, and the one that goes to a label: NULL for "return;" and
     * "goto". */
    const char *(*leave)(struct ptx_emitter *e);
    const char *(*jump)(struct ptx_emitter *e, uint32_t label);
};

struct ptx_emitter {
    const struct ptx_module *module;
    const struct ptx_target *target;
    const struct ptx_function *function; /* the one being written */
    const struct ptx_form_hooks *hooks;
    struct ptx_plan *plan;                     /* of the kernel: plan.h */
    struct ptx_block_writer *block_writer;     /* PTX_FORM_BLOCK: block.h */
    struct ptx_warp_writer *warp_writer;       /* PTX_FORM_WARP: warp.h */
    struct ptx_native *native;                 /* PTX_FORM_NATIVE: native/native.h */
    const struct ptx_instruction *instruction; /* being written: for messages */
    /* Checked kernels: up to where instructions stand that are written one after the other, from `instruction` on, NULL: not
     * known; and those of them whose values were followed with one before them. */
    const struct ptx_instruction *run_end, *told, *told_end;
    const char *store_condition; /* before the statement that stores; NULL: none */
    bool is_hiding; /* ptx_value() gives integers that the device's compiler knows nothing of */
    struct ptx_arena *arena; /* of the translation: expressions live here */
    struct ptx_text *out;
    struct ptx_log *log;
    enum ptx_status status; /* PTX_OK until something was refused; the first one stays */
    uint32_t temporaries;   /* counts names of the emitters' own variables */
    unsigned facts;         /* those of enum ptx_fact that were asked */
};

/* The target, for one who asks it for a fact. */
static inline const struct ptx_target *ptx_ask(struct ptx_emitter *e, enum ptx_fact fact)
{
    e->facts |= fact;
    return e->target;
}

/* ---- Text ---- */

struct ptx_text {
    char *data;
    size_t used, capacity;
    unsigned depth;          /* open braces: ptx_line() indents by them */
    struct ptx_arena *arena; /* whose jump is taken without memory; data itself is malloc'ed */
};
__attribute__((format(printf, 2, 3))) void ptx_text_add(struct ptx_text *text, const char *format,
                                                        ...);
void ptx_text_put(struct ptx_text *text, const char *string);

/* An expression in the arena. */
__attribute__((format(printf, 2, 3))) const char *ptx_format(struct ptx_emitter *e,
                                                             const char *format, ...);
/* A statement, indented and ended by "\n"; the format brings the semicolon. */
__attribute__((format(printf, 2, 3))) void ptx_line(struct ptx_emitter *e, const char *format, ...);

/* A fresh name for a variable of the emitter's own; declare it within braces. */
const char *ptx_temporary(struct ptx_emitter *e);

/* For messages, where an instruction stands: "line 345", or where its source is known "k.cu:12, PTX line 345" and
 * "f.h:3, inlined at k.cu:12, PTX line 345". */
const char *ptx_line_text(struct ptx_emitter *e, const struct ptx_instruction *in);

/* Refuses the instruction being written: "kernel k, line 12: mma.sync...: why". Goes on, so that the
 * caller just returns. */
__attribute__((format(printf, 2, 3))) void ptx_refuse(struct ptx_emitter *e, const char *why, ...);

/* As ptx_refuse(), with PTX_E_NEEDS_ADDRESS. */
__attribute__((format(printf, 2, 3))) void ptx_refuse_address(struct ptx_emitter *e,
                                                              const char *why, ...);

#endif
