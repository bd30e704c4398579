/* What a translation knows about its kernel: the functions it uses, where their variables lie, what
 * the text must be given. Made by translate.c, read by the emitters and by both forms. Private to kernels/ptx/.
 *
 * The order of a translation (translate.c):
 *   1. Look through the call graph, choose the form.
 *   2. FORM_BLOCK: entry = ptx_block_inline(e, entry), which replaces calls by their bodies where
 *      they have barriers or warp operations.
 *   3. ptx_plan_make(): a struct ptx_body for the entry and each function still called.
 *   4. Each function is written (ptx_write_function()), then the kernel's body: ptx_item_kernel() or
 *      ptx_block_kernel(), into e->out from "{\n" to "}\n".
 *   5. Signature, context macros, prototypes and library go before it: they follow from `needs`,
 *      which emitters fill while they write, by ptx_need().
 *
 * Names in the text that any emitter may write after ptx_need():
 *   __local uchar *clem_shared            static shared variables, then the dynamic ones
 *   __global uchar *clem_constant, *clem_device, *clem_managed      the module's three blocks
 *   __global struct clem_runtime *clem_runtime
 *   uint clem_dynamic_bytes               of the launch's shared memory
 *   uint clem_zero                        0, which no compiler knows
 *   CLEM_LOCAL uchar *clem_local          the thread's .local memory; CLEM_LOCAL: __private, or
 *                                         with PTX_FORM_BLOCK CLEM_SCRATCH
 *   uchar *clem_exited                    *clem_exited != 0: an exit within a function was met
 *   __constant or __global uchar *clem_bank      the entry's parameters, where they are in a bank
 * In functions they are hidden parameters. A function is declared `static T name(CLEM_CONTEXT)` or
 * `(CLEM_CONTEXT_AND T x, ...)`, and called `name(CLEM_PASS)` or `name(CLEM_PASS_AND x, ...)`.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_PLAN_H
#define KERNELS_PTX_PLAN_H

#include "kernels/ptx/analyse/emitter.h"
#include "kernels/ptx/analyse/flow.h"

/* Bytes of memory as ptx_pointer() takes them, or of a .param variable. */
struct ptx_place {
    uint8_t space; /* enum ptx_space, not generic */
    struct ptx_operand address;
};

/* A loop that copies what some loads and stores of the function do: in each turn the parts, `stride` bytes behind those
 * of the turn before. */
struct ptx_copy {
    struct ptx_copied {
        size_t bytes;
        struct ptx_place from, to; /* of the first turn */
    } * parts;
    size_t part_count, turns, stride;
    struct ptx_copy *next; /* at the same instruction */
};

/* A function as this kernel uses it. */
struct ptx_body {
    const struct ptx_function *function;
    const char *name; /* in C; of the entry: the __kernel's */
    /* Per register: it always points into global memory, and is a __global uchar * in C. All others hold numbers: values,
     * addresses of which nothing is known, and those of shared and local memory, offsets from clem_shared and clem_local. */
    bool *is_pointer;
    /* Per register, known where pointers are buffers: an address computed from what the kernel was
     * given as a pointer or declares; one that is followed. */
    bool *is_made, *is_address;
    uint8_t *types;           /* enum ptx_type per register: what C declares it as; that of PTX but
                                * for .b32 and .b64 that only ever hold floats */
    const char **names;       /* C names per register; NULL where no instruction has it */
    const char **variables;   /* C names of .param variables, by position in function->variables */
    size_t local_bytes;       /* of its own .local variables */
    size_t local_offset;      /* of the first in clem_local: behind those of all callers */
    size_t *local_offsets;    /* by position in function->variables; from clem_local on */
    bool has_barriers;        /* bar, barrier: itself or in a function called from it */
    bool has_warp_operations; /* shfl, vote, match, redux, activemask, elect, ...: ditto */
    bool sees_others;         /* ptx_sees_others(): ditto */
    bool waits;               /* ptx_block_waits(): ditto */
    bool waits_without_end;   /* ptx_waits_without_end(): ditto */
    bool can_exit;            /* exit, a failure, or a wait that one ends: ditto */
    bool is_target;           /* may be called by number */
    bool is_jump,
        reaches_jump; /* ptx_plan_find_jumps(): it or one that it calls is of plan.jumps */
    uint64_t inlined; /* instructions, with those of each call's callee: at most 2^40 */
    bool *hides;      /* ptx_hides() per instruction; NULL before it was asked */
    bool *loses;      /* ptx_loses_order(), likewise */
    /* Per instruction: what is copied there, before anything else; and whether such copies stand for it. NULL: none. */
    struct ptx_copy **copies;
    bool *is_copied;
};

enum ptx_need {
    PTX_NEED_SHARED = 1 << 0,
    PTX_NEED_CONSTANT = 1 << 1, /* the three blocks: PTX_NEED_CONSTANT << enum ptx_block */
    PTX_NEED_DEVICE = 1 << 2,
    PTX_NEED_MANAGED = 1 << 3,
    PTX_NEED_RUNTIME = 1 << 4,
    PTX_NEED_DYNAMIC = 1 << 5, /* clem_dynamic_bytes */
    PTX_NEED_LOCAL = 1 << 6,
    PTX_NEED_EXITED = 1 << 7,
    PTX_NEED_BANK = 1 << 8,
    PTX_NEED_TABLE = 1 << 9,          /* __global const struct clem_texture *clem_table */
    PTX_NEED_DEVICE_HEADER = 1 << 10, /* #include "clem_device.h" */
    PTX_NEED_SHARED_BYTES = 1 << 11,  /* accesses to .shared itself, not only the base of windows */
    PTX_NEED_TABLE_WRITES = 1 << 12,  /* surfaces of the table are written */
    PTX_NEED_ZERO = 1 << 13,          /* clem_zero */
    PTX_NEED_TURNS = 1 << 14,         /* clem_rota */
    PTX_NEED_CONDITIONS = 1 << 15,    /* clem_conditions */
    PTX_NEED_GATHERING = 1 << 16,     /* clem_gathering */
    PTX_NEED_LAUNCHES = 1 << 17,      /* clem_launches */
    PTX_NEED_CHECK = 1 << 18,         /* clem_checked */
    PTX_NEED_SHADOW = 1 << 19         /* clem_shadow */
};

/* A .shared variable and its place. */
struct ptx_shared {
    const struct ptx_variable *variable;
    size_t offset; /* from clem_shared; unsized ones begin behind all sized ones */
};

/* A bundle of kernel arguments that a texture emitter asked for. */
struct ptx_texture_argument {
    struct ptx_argument argument; /* PTX_ARGUMENT_TEXTURE */
    const char *declaration;      /* "CLEM_TEXTURE2D(t0)": the device header's macro */
    struct ptx_texture_argument *next;
};

/* A C struct for .param arrays of so many bytes. */
struct ptx_structure {
    const char *name;
    size_t bytes, element; /* element: bytes of what it is an array of */
    struct ptx_structure *next;
};

/* A pointer within a structure that the entry takes: passed beside it, as PTX_ARGUMENT_POINTER. */
struct ptx_member {
    size_t parameter, offset;
    const char *name;
    struct ptx_member *next;
};

struct ptx_plan {
    const struct ptx_entry *info;
    const struct ptx_function
        *original;                    /* the entry as in the module: for parameters and messages */
    const struct ptx_function *entry; /* what is written: in FORM_BLOCK after inlining */
    enum ptx_form form;
    struct ptx_body *bodies; /* callees before callers, the entry last */
    uint32_t *body_of;       /* per function number: where it is in bodies, if it is there */
    size_t body_count;
    struct ptx_shared *shared;
    size_t shared_count, shared_room;
    size_t shared_bytes; /* static; rounded up to 16 where dynamic ones follow */
    size_t local_bytes;  /* per thread, of the deepest chain of calls */
    size_t local_alignment;
    bool
        can_fail; /* trap, __assertfail, alloca: a thread may end as failed while others wait for it */
    bool has_wide_accesses; /* ptx_is_wide_access() */
    bool has_stack;  /* alloca: a uint at stack_at says how many of the bytes behind it are taken */
    size_t stack_at; /* from clem_local on; the bytes begin 16 behind it */
    bool has_windows;    /* generic addresses may be of shared or local memory */
    bool has_bank;       /* parameters are read from clem_bank */
    bool bank_is_global; /* its address is taken: __global, not __constant */
    bool *is_pointer;    /* per parameter of the entry: passed as PTX_ARGUMENT_POINTER */
    struct ptx_member *members;
    const struct ptx_function **targets; /* functions of the module that may be called by number */
    size_t target_count;
    bool launches;  /* it, or what it calls, launches kernels */
    bool has_cycle; /* calls may lead back to where they come from */
    /* Functions that calls are jumps to: those of a cycle, those called by number that have barriers,
     * warp operations or, on CPUs, loops that wait, and all that call one. Their text stands once, in the entry. */
    const struct ptx_function **jumps;
    size_t jump_count;
    uint32_t needs;                   /* enum ptx_need */
    struct ptx_body *current;         /* being written */
    struct ptx_structure *structures; /* types of .param arrays that the text uses */
    struct ptx_text *dispatchers;     /* functions that call by number */
    size_t dispatcher_count;
    struct ptx_texture_argument *textures;
    const bool *opaque_guards; /* of the body being written: ptx_opaque_guards() */
    /* What functions are given of the launch: "uint clem_tid_x, uint8 clem_grid", and "clem_tid_x, clem_grid", as
     * it is passed on. NULL: nothing; otherwise the kernel gets clem_grid, PTX_ARGUMENT_GRID. */
    const char *launch_parameters, *launch_names;
    bool resumes; /* FORM_ITEM: barriers are met as in resume.c */
    unsigned resume_count;
    /* FORM_BLOCK and FORM_WARP: blocks may wait for each other, so that one which gets no further leaves its work-item to
     * another; all that it has is in global memory. library/turns.h. */
    bool takes_turns, waits_for_blocks; /* as of struct ptx_kernel */

    bool by_thread; /* FORM_NATIVE: a block's threads run one after the other, native/threads.c */
    enum ptx_vast vast; /* as of struct ptx_kernel */

    /* Set by ptx_block_kernel(). */
    bool joins_blocks; /* FORM_BLOCK: a work-item may run several blocks, see struct ptx_kernel */
    size_t scratch_bytes; /* per thread: the kernel gets `__local uchar *clem_scratch`; 0: none */
};

/* Whether the kernel is given shared memory. Where it is not, clem_shared is declared as a null
 * pointer, for what looks at generic addresses. */
static inline bool ptx_has_shared(const struct ptx_plan *plan)
{
    return (plan->needs & PTX_NEED_SHARED) &&
           (plan->shared_count > 0 || (plan->needs & PTX_NEED_SHARED_BYTES));
}

static inline bool ptx_shared_is_global(const struct ptx_emitter *e)
{
    return e->target->shared_is_global || e->plan->takes_turns;
}

/* Notes that the text uses clem_shared and the like. */
static inline void ptx_need(struct ptx_emitter *e, uint32_t needs)
{
    e->plan->needs |= needs;
}

/* The body of a function that the plan has; NULL for others. */
struct ptx_body *ptx_plan_body(const struct ptx_plan *plan, const struct ptx_function *function);

enum {
    PTX_STACK_BYTES = 1024, /* for alloca, per thread: as CUDA's stack is at first */
    PTX_FRAMES_BYTES = 8192 /* for functions that lead back to themselves, likewise */
};

/* plan.c: bodies with their facts (entry set); and everything but targets' text. */
void ptx_plan_survey(struct ptx_emitter *e);
void ptx_plan_make(struct ptx_emitter *e);
/* After the first: fills jumps. */
void ptx_plan_find_jumps(struct ptx_emitter *e);

/* Whether a barrier names a number, a count or a reduction: more than barrier() can do. */
bool ptx_has_partial_barriers(const struct ptx_plan *plan);

/* Functions that one switch can call alike; what a call through a register says of its callee, or
 * NULL. */
bool ptx_same_shape(const struct ptx_function *a, const struct ptx_function *b);
const struct ptx_function *ptx_call_prototype(const struct ptx_function *caller,
                                              const struct ptx_instruction *in);

/* The name of a function of CUDA's device runtime, which kernels that launch kernels call, without what its version puts
 * before and behind it: "LaunchDeviceV2"; NULL of others. */
const char *ptx_device_runtime_name(struct ptx_emitter *e, const struct ptx_function *function);

/* parameters.c: the entry with its parameters read by name where it only moves their addresses about;
 * the entry itself where it does not. Lives in e->arena. */
const struct ptx_function *ptx_name_parameters(struct ptx_emitter *e,
                                               const struct ptx_function *entry);

/* What is known of a body's registers, each from what those before it found. pointer.c: fills is_pointer; origin.c:
 * is_made and is_address; copies.c: copies and is_copied; register_text.c: types and names. */
void ptx_find_pointers(struct ptx_emitter *e, struct ptx_body *body);
void ptx_find_origins(struct ptx_emitter *e, struct ptx_body *body);
void ptx_find_copies(struct ptx_emitter *e, struct ptx_body *body);
void ptx_name_registers(struct ptx_emitter *e, struct ptx_body *body);

/* Shows what is read where a body has an instruction: by itself, and by the copies that are carried out there, whose loads
 * may stand far before it. */
void ptx_body_reads(const struct ptx_body *body, size_t index, ptx_show_register *show, void *with);

/* The register that st.param stores into a variable, or NULL of other instructions. */
const struct ptx_operand *ptx_stored_argument(const struct ptx_instruction *in);
/* Whether a call hands a .param variable to a function that takes its bytes from `offset` on as a
 * pointer. Needs: the origins of what is called are known. origin.c. */
bool ptx_is_followed(struct ptx_emitter *e, const struct ptx_function *caller,
                     const struct ptx_variable *variable, int64_t offset);

/* Points the emitter at a body: e->function, plan->current. Every ptx_value() then speaks of it. */
void ptx_enter_body(struct ptx_emitter *e, struct ptx_body *body);
struct ptx_body *ptx_current_body(const struct ptx_emitter *e);

/* hidden.c: whether an instruction of the current body must read its operands so that the device's compiler
 * knows nothing of them. */
bool ptx_hides(struct ptx_emitter *e, const struct ptx_instruction *in);

/* convergence.c: per instruction of the body being written, whether compilers must not know what its
 * guard is; NULL: they may know all. */
const bool *ptx_opaque_guards(struct ptx_emitter *e);

/* ---- For the block form ---- */

/* At how many accesses threads hand values through shared memory with no barrier between, as warps in lockstep may. */
size_t ptx_block_silent_meetings(struct ptx_emitter *e, const struct ptx_function *function);
/* Whether the function has loops that threads had better run in step; marks in `starts`, per
 * instruction, where those begin, unless it is NULL. block_stride.c. */
bool ptx_block_strides(struct ptx_emitter *e, const struct ptx_function *function, bool *starts);

/* Whether the function, without those it calls, has loops in which threads wait for what others do; marks
 * in `waits`, per instruction, where those begin, unless it is NULL. Needs: the survey. block_wait.c. */
bool ptx_block_waits(struct ptx_emitter *e, const struct ptx_function *function, bool *waits);
/* Whether one of those does not end by itself after some number of turns. */
bool ptx_waits_without_end(struct ptx_emitter *e, const struct ptx_function *function);
/* Whether there are loops in which threads, or a block as a whole, wait for what other blocks do; marks in `loops` all
 * instructions that are in one, unless it is NULL. */
bool ptx_waits_for_blocks(struct ptx_emitter *e, const struct ptx_function *function, bool *loops);

/* A load or an atomic operation that brings what another thread may have written since the last one. */
bool ptx_sees_others(const struct ptx_instruction *in);

/* The entry with calls replaced by what they call, where that has barriers, warp operations or loops that wait; the
 * entry itself where there are none. Lives in e->arena. Needs: the survey, and the plan's
 * original, form and info. */
const struct ptx_function *ptx_block_inline(struct ptx_emitter *e,
                                            const struct ptx_function *entry);

#endif
