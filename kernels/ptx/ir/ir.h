/* PTX as the translator keeps it: modules, functions, instructions, operands. Private to kernels/ptx/. Words as in the PTX ISA reference 9.0.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_IR_H
#define KERNELS_PTX_IR_H

#include <stdatomic.h>
#include <stdio.h>

#include "kernels/ptx/base/arena.h"
#include "kernels/ptx/ptx.h"

/* ---- Words ---- */

enum ptx_type {
    PTX_NONE,
    PTX_B8,
    PTX_B16,
    PTX_B32,
    PTX_B64,
    PTX_B128,
    PTX_U8,
    PTX_U16,
    PTX_U32,
    PTX_U64,
    PTX_S8,
    PTX_S16,
    PTX_S32,
    PTX_S64,
    PTX_F16,
    PTX_F16X2,
    PTX_BF16,
    PTX_BF16X2,
    PTX_F32,
    PTX_F64,
    PTX_TF32,
    PTX_E4M3X2,
    PTX_E5M2X2,
    PTX_F32X2, /* known so that they can be refused by name */
    PTX_U16X2,
    PTX_S16X2,
    PTX_PRED,
    PTX_TEXREF,
    PTX_SAMPLERREF,
    PTX_SURFREF,
    PTX_TYPES
};

/* Bytes of a type; 1 for predicates, 8 for references, 0 for PTX_NONE. */
size_t ptx_type_bytes(enum ptx_type type);
bool ptx_type_is_float(enum ptx_type type);    /* also half and bf16, single and packed */
bool ptx_type_is_signed(enum ptx_type type);   /* .s8 to .s64, .s16x2 */
const char *ptx_type_name(enum ptx_type type); /* "u32" */

enum ptx_space {
    PTX_SPACE_GENERIC, /* none written */
    PTX_SPACE_GLOBAL,
    PTX_SPACE_SHARED,
    PTX_SPACE_LOCAL,
    PTX_SPACE_CONST,
    PTX_SPACE_PARAM,
    PTX_SPACE_REG,
    PTX_SPACE_TEX
};

enum ptx_rounding { /* integer roundings are those to whole numbers */
                    PTX_ROUND_NONE,
                    PTX_ROUND_RN,
                    PTX_ROUND_RZ,
                    PTX_ROUND_RM,
                    PTX_ROUND_RP,
                    PTX_ROUND_RNA,
                    PTX_ROUND_RNI,
                    PTX_ROUND_RZI,
                    PTX_ROUND_RMI,
                    PTX_ROUND_RPI
};

enum ptx_compare {
    PTX_COMPARE_NONE,
    PTX_EQ,
    PTX_NE,
    PTX_LT,
    PTX_LE,
    PTX_GT,
    PTX_GE,
    PTX_CMP_LO,
    PTX_CMP_LS,
    PTX_CMP_HI,
    PTX_CMP_HS,
    PTX_EQU,
    PTX_NEU,
    PTX_LTU,
    PTX_LEU,
    PTX_GTU,
    PTX_GEU,
    PTX_NUM,
    PTX_NAN
};

enum ptx_cache {
    PTX_CACHE_NONE,
    PTX_CACHE_CA,
    PTX_CACHE_CG,
    PTX_CACHE_CS,
    PTX_CACHE_LU,
    PTX_CACHE_CV,
    PTX_CACHE_WB,
    PTX_CACHE_WT
};

enum ptx_order {
    PTX_ORDER_NONE /* .weak or none */,
    PTX_ORDER_RELAXED,
    PTX_ORDER_ACQUIRE,
    PTX_ORDER_RELEASE,
    PTX_ORDER_ACQ_REL,
    PTX_ORDER_SC,
    PTX_ORDER_VOLATILE,
    PTX_ORDER_MMIO
};

enum ptx_scope { PTX_SCOPE_NONE, PTX_SCOPE_CTA, PTX_SCOPE_CLUSTER, PTX_SCOPE_GPU, PTX_SCOPE_SYS };

/* What atom, red, bar.red, redux, setp's boolean, shfl, vote, match, prmt, vset and others do: one
 * word between dots. */
enum ptx_operation {
    PTX_OP_NONE,
    PTX_OP_AND,
    PTX_OP_OR,
    PTX_OP_XOR,
    PTX_OP_ADD,
    PTX_OP_INC,
    PTX_OP_DEC,
    PTX_OP_MIN,
    PTX_OP_MAX,
    PTX_OP_EXCH,
    PTX_OP_CAS,
    PTX_OP_POPC, /* bar.red */
    PTX_OP_UP,
    PTX_OP_DOWN,
    PTX_OP_BFLY,
    PTX_OP_IDX, /* shfl */
    PTX_OP_ALL,
    PTX_OP_ANY,
    PTX_OP_UNI,
    PTX_OP_BALLOT, /* vote; .all and .any of match */
    PTX_OP_F4E,
    PTX_OP_B4E,
    PTX_OP_RC8,
    PTX_OP_ECL,
    PTX_OP_ECR,
    PTX_OP_RC16, /* prmt */
    PTX_OP_L,
    PTX_OP_R,      /* shf */
    PTX_OP_TO,     /* cvta.to */
    PTX_OP_ARRIVE, /* of mbarrier, too */
    PTX_OP_LAUNCH_DEPENDENTS,
    PTX_OP_WAIT,
    PTX_OP_WAIT_ALL,
    PTX_OP_WAIT_GROUP,
    PTX_OP_COMMIT_GROUP,
    PTX_OP_RED,
    PTX_OP_SYNC,
    PTX_OP_WARP, /* bar */
    PTX_OP_EXIT,
    PTX_OP_B,
    PTX_OP_P, /* suld.b, sust.b and .p */
    PTX_OP_FINITE,
    PTX_OP_INFINITE,
    PTX_OP_NUMBER,
    PTX_OP_NOTANUMBER,
    PTX_OP_NORMAL,
    PTX_OP_SUBNORMAL, /* testp */
    PTX_OP_WIDTH,
    PTX_OP_HEIGHT,
    PTX_OP_DEPTH,
    PTX_OP_CHANNEL_DATA_TYPE,
    PTX_OP_CHANNEL_ORDER,
    PTX_OP_NORMALIZED_COORDS,
    PTX_OP_ARRAY_SIZE,
    PTX_OP_NUM_MIPMAP_LEVELS,
    PTX_OP_NUM_SAMPLES,
    PTX_OP_FILTER_MODE,
    PTX_OP_ADDR_MODE_0,
    PTX_OP_ADDR_MODE_1,
    PTX_OP_ADDR_MODE_2, /* txq, suq */
    PTX_OP_COMPONENT_R,
    PTX_OP_COMPONENT_G,
    PTX_OP_COMPONENT_B,
    PTX_OP_COMPONENT_A, /* tld4 */
    PTX_OP_TRAP,
    PTX_OP_CLAMP,
    PTX_OP_ZERO, /* of surfaces; shf.clamp, .wrap */
    PTX_OP_WRAP,
    PTX_OP_SHIFTAMT,
    PTX_OP_L1,
    PTX_OP_L2,
    PTX_OP_PO,
    PTX_OP_SHR7,
    PTX_OP_SHR15, /* vmad */
    PTX_OP_INIT,
    PTX_OP_INVAL,
    PTX_OP_ARRIVE_DROP,
    PTX_OP_EXPECT_TX,
    PTX_OP_COMPLETE_TX,
    PTX_OP_TEST_WAIT,
    PTX_OP_TRY_WAIT,
    PTX_OP_PENDING_COUNT, /* mbarrier */
    PTX_OP_MBARRIER,
    PTX_OP_BULK,
    PTX_OP_BULK_GROUP, /* cp.async */
    PTX_OP_OTHER
};

enum ptx_geometry {
    PTX_GEOMETRY_NONE,
    PTX_1D,
    PTX_2D,
    PTX_3D,
    PTX_A1D,
    PTX_A2D,
    PTX_CUBE,
    PTX_ACUBE,
    PTX_2DMS,
    PTX_A2DMS
};

/* Bits of ptx_instruction.flags. */
enum ptx_flag {
    PTX_FTZ = 1 << 0,
    PTX_SAT = 1 << 1,
    PTX_APPROX = 1 << 2,
    PTX_FULL = 1 << 3,
    PTX_HI = 1 << 4,
    PTX_LO = 1 << 5,
    PTX_WIDE = 1 << 6,
    PTX_CC = 1 << 7, /* add.cc */
    PTX_UNI = 1 << 8,
    PTX_SYNC = 1 << 9 /* shfl.sync, vote.sync */,
    PTX_NC = 1 << 10,
    PTX_RELU = 1 << 11,
    PTX_SATFINITE = 1 << 12,
    PTX_NAN_FLAG = 1 << 13 /* min.NaN */,
    PTX_XORSIGN_ABS = 1 << 14,
    PTX_SHIFT_WRAP = 1 << 15,
    PTX_SHIFT_CLAMP = 1 << 16,
    PTX_LEVEL = 1 << 17 /* tex.level */,
    PTX_GRAD = 1 << 18,
    PTX_BASE = 1 << 19,
    PTX_UNIFIED = 1 << 20,
    PTX_NOFTZ = 1 << 21,
    PTX_NOINC = 1 << 22,
    PTX_OOB = 1 << 23,
    PTX_ALIGNED = 1 << 24,
    PTX_PARITY = 1 << 25 /* mbarrier.test_wait.parity */
};

/* ---- Operands ---- */

struct ptx_pending; /* parse.h */

enum ptx_special { /* special registers; those with .x .y .z keep 3 places in a row */
                   PTX_TID_X,
                   PTX_TID_Y,
                   PTX_TID_Z,
                   PTX_NTID_X,
                   PTX_NTID_Y,
                   PTX_NTID_Z,
                   PTX_CTAID_X,
                   PTX_CTAID_Y,
                   PTX_CTAID_Z,
                   PTX_NCTAID_X,
                   PTX_NCTAID_Y,
                   PTX_NCTAID_Z,
                   PTX_LANEID,
                   PTX_WARPID,
                   PTX_NWARPID,
                   PTX_WARP_SZ,
                   PTX_SMID,
                   PTX_NSMID,
                   PTX_GRIDID,
                   PTX_LANEMASK_EQ,
                   PTX_LANEMASK_LE,
                   PTX_LANEMASK_LT,
                   PTX_LANEMASK_GE,
                   PTX_LANEMASK_GT,
                   PTX_CLOCK,
                   PTX_CLOCK_HI,
                   PTX_CLOCK64,
                   PTX_GLOBALTIMER,
                   PTX_GLOBALTIMER_LO,
                   PTX_GLOBALTIMER_HI,
                   PTX_TOTAL_SMEM_SIZE,
                   PTX_DYNAMIC_SMEM_SIZE,
                   PTX_AGGR_SMEM_SIZE,
                   PTX_ENVREG, /* any but the next two, which hold the address of a grid's workspace */
                   PTX_ENVREG1, /* its upper half */
                   PTX_ENVREG2,
                   PTX_PM,
                   PTX_CLUSTER_RANK, /* a block within its cluster: 0 */
                   PTX_CLUSTER_SIZE, /* 1 */
                   PTX_IS_EXPLICIT_CLUSTER,
                   PTX_SPECIAL_OTHER
};

enum ptx_operand_kind {
    PTX_OPERAND_NONE,
    PTX_OPERAND_REGISTER, /* `index` in the function's registers; is_negated: !%p */
    PTX_OPERAND_INTEGER,  /* `bits`, sign-extended */
    PTX_OPERAND_FLOAT,    /* `bits` of a double (is_double) or of a float */
    PTX_OPERAND_SPECIAL,  /* `index` is an enum ptx_special */
    PTX_OPERAND_VARIABLE, /* address of `variable` + `bits` */
    PTX_OPERAND_FUNCTION, /* address of `function`, or the callee */
    PTX_OPERAND_ADDRESS,  /* [x + bits]: x is register `index` (>= 0), `variable`, or nothing */
    PTX_OPERAND_VECTOR,   /* {a, b, ...}: `list`, `count` */
    PTX_OPERAND_LABEL,    /* `index` of a label in the function */
    PTX_OPERAND_SINK,     /* _ */
    PTX_OPERAND_TARGETS,  /* `index` of a list of branch targets, call targets or a prototype */
    PTX_OPERAND_TEXTURE   /* [t, {x, y}] and [t, s, {x}]: list of operands within the brackets */
};

enum { PTX_PART_BYTES = 16, PTX_PART_HALVES = 32 };

struct ptx_operand {
    uint8_t kind;    /* enum ptx_operand_kind */
    bool is_negated; /* !%p; -%r of vmad */
    bool is_double;
    uint8_t part;  /* 0: whole; of a vector register: 1 + 0..3 for .x .y .z .w (or .r .g .b .a);
                    * SIMD video: PTX_PART_BYTES or PTX_PART_HALVES plus how many digits .b3210 or
                    * .h10 has, which are the nibbles of `count` (the last digit lowest) */
    int32_t index; /* -1: none */
    uint32_t count;
    int64_t bits;
    const struct ptx_variable *variable;
    const struct ptx_function *function;
    union {
        struct ptx_operand *list;
        struct ptx_pending *pending; /* while a LABEL or an ADDRESS is a name not declared yet */
    };
};

/* ---- Instructions ---- */

enum ptx_opcode {
#define OPCODE(name) PTX_OPCODE_##name,
#include "kernels/ptx/ir/opcodes.def"
#undef OPCODE
    PTX_OPCODES
};
const char *ptx_opcode_name(enum ptx_opcode opcode);

/* `a|b` as first operand (setp, shfl, match, vote) is two operands: first a, then b, with
 * has_second_destination set. `(ret), f, (args), proto` of a call is: VECTOR of results (count 0 without
 * any), FUNCTION or REGISTER, VECTOR of arguments, and TARGETS where there are any. */
struct ptx_instruction {
    uint16_t opcode; /* enum ptx_opcode: the name before the first dot */
    uint8_t type_count : 3;
    bool guard_negated : 1, has_second_destination : 1;
    uint8_t types[4];            /* enum ptx_type, in the order written */
    uint8_t space, second_space; /* enum ptx_space; second: cp.async.shared.global; cvta.to.X has X
                                  * in both */
    uint8_t rounding, compare, operation, second_operation, cache, order, scope, geometry;
    uint8_t border;    /* PTX_OP_TRAP, PTX_OP_CLAMP or PTX_OP_ZERO of surfaces */
    uint8_t width;     /* .v2 .v4 .v8, otherwise 1 */
    int32_t guard;     /* register index of @%p, or -1 */
    uint32_t flags;    /* enum ptx_flag */
    uint32_t line;     /* of the text, from 1 */
    uint32_t location; /* 1 + index of the module's; 0: not known */
    uint32_t operand_count;
    struct ptx_operand *operands;
    const char *words; /* the whole word list as written, "mad.lo.s32", for messages */
};
_Static_assert(sizeof(struct ptx_instruction) <= 56, "modules have millions of them");

/* ---- Locations ---- */

/* .file: a source, by its number in .loc. */
struct ptx_file {
    const char *name; /* in the module's text, as it stands between the quotes */
    uint32_t name_length, number;
    bool has_facts; /* time and bytes are written */
    uint64_t time, bytes;
};

/* .loc: where in the CUDA sources the instructions behind it come from. Numbers are those of files; lines and columns are
 * counted from 1, and line 0 is none. */
struct ptx_location {
    uint32_t file, line, column;
    uint32_t at_file, at_line, at_column; /* the call in whose place they are; 0: no call's */
    /* Of what function then: a label in .debug_str, in the module's text, and so many bytes behind it; or NULL. */
    const char *function;
    uint32_t function_length, offset;
};

/* A part of the module's text. */
struct ptx_passage {
    size_t from, to;
};

/* ---- Variables, registers, functions ---- */

enum ptx_linkage {
    PTX_LINKAGE_NONE,
    PTX_LINKAGE_EXTERN,
    PTX_LINKAGE_VISIBLE,
    PTX_LINKAGE_WEAK,
    PTX_LINKAGE_COMMON
};

/* A part of an initialiser: an address, or numbers that stand near each other, with the zeros between
 * them. What is not listed is zero. */
struct ptx_initial {
    size_t offset;               /* bytes from the variable's start */
    size_t bytes;                /* stored */
    const unsigned char *values; /* numbers: those bytes; NULL of an address */
    int64_t bits;                /* addresses: the addend */
    const char *symbol;          /* NULL for numbers */
    bool is_generic;             /* generic(symbol) */
    uint8_t first; /* byte of the address that goes there: mask(symbol), 0xFF00(symbol) */
};

/* .global, .const, .shared, .local, .param and parameters of functions. */
struct ptx_variable {
    const char *name;
    uint8_t space, type, linkage; /* enum ptx_space, ptx_type, ptx_linkage */
    uint8_t width;                /* .v2, .v4; otherwise 1 */
    bool is_managed, is_array, is_unsized;
    bool is_placed;   /* offset was given by ptx_module_manage() */
    bool is_used;     /* an instruction names it */
    size_t alignment; /* bytes, at least that of the type */
    size_t bytes;     /* all; 0 for unsized arrays */
    uint32_t line;
    struct ptx_initial *initials;
    size_t initial_count;
    size_t offset; /* .global, .const: in its block. Parameters of entries: in the struct of all.
                    * .shared: set by the translation of an entry. */
    uint32_t
        number; /* of a function's variables and parameters: in the order of appearance, so that
                      * those of function->variables follow each other */
    const struct ptx_function *owner; /* NULL: of the module */
    /* A parameter of a function whose address is taken has a copy in .local; otherwise NULL. */
    const struct ptx_variable *copy, *copy_of;
};

struct ptx_register {
    const char *name; /* "%rd5" */
    uint8_t type;     /* enum ptx_type */
    uint8_t width;    /* .v2, .v4; otherwise 1 */
};

struct ptx_label {
    const char *name;
    uint32_t instruction; /* index of the one it stands before; may be the count */
};

/* name: .branchtargets a, b;  .calltargets f, g;  .callprototype (...) _ (...); */
struct ptx_targets {
    const char *name;
    int32_t *labels; /* branch targets: label indices */
    const struct ptx_function **functions;
    size_t count;
    const struct ptx_function *prototype; /* only its parameters and results are of use */
};

struct ptx_function {
    const char *name;
    bool is_entry;
    bool has_body;
    bool is_noreturn;
    uint8_t linkage;
    uint32_t line, number; /* number: address of the function, from 1 in a module */
    struct ptx_variable **parameters, **results; /* space PARAM, or REG where the ISA allows it:
                                                  * then `index of register` is in .number */
    size_t parameter_count, result_count;
    struct ptx_register *registers;
    size_t register_count;
    struct ptx_variable *
        *variables; /* .local .shared .param (and .global, .const) within the body */
    size_t variable_count;
    struct ptx_label *labels;
    size_t label_count;
    struct ptx_targets *targets;
    size_t target_count;
    struct ptx_instruction *instructions;
    size_t instruction_count;
    uint32_t first_location; /* of the module's, how many stand before the body */
    unsigned max_threads[3], required_threads[3], min_blocks;
    unsigned cluster[3]; /* .reqnctapercluster, or zeros */
    bool is_explicit_cluster,
        has_cluster; /* .explicitcluster; instructions that reach through a cluster */
};

/* What ptx_module_place() changes in a module's text, by bytes from its start. In the order of `from`
 * but for names that were declared after their use. */
enum ptx_edit_kind {
    PTX_EDIT_REMOVE,  /* the definition of a variable with its semicolon, or debug information */
    PTX_EDIT_ADDRESS, /* a variable's name with what is added to it */
    PTX_EDIT_LOAD,    /* before an instruction: its address into a register ... */
    PTX_EDIT_LOADED,  /* ... which stands for it where no number may: [x + 4] */
    PTX_EDIT_CONST,   /* the word const of an instruction's state space */
    PTX_EDIT_CVTA,    /* cvta.global.u64 of a variable, whose address is generic: addend is 64 */
    PTX_EDIT_ADD,     /* mov.u64 of .extern .shared memory + n: addend is 64 */
    PTX_EDIT_WORKSPACE, /* %envreg1 or 2: 0, since a launch of such a text is never a cooperative one */
    PTX_EDIT_ALIGN, /* in a declaration of shared memory: the alignment, or where one may stand */
    /* The name of an .extern .shared variable with what is added to it: within an address, or as a
     * number of 32 or 64 bits. */
    PTX_EDIT_DYNAMIC,
    PTX_EDIT_DYNAMIC_32,
    PTX_EDIT_DYNAMIC_64,
    /* Where an entry's parameters end (addend: enum ptx_parameters): of use in modules with .extern
     * .shared variables. Where a body begins (addend: 1 of an entry). */
    PTX_EDIT_PARAMETERS,
    PTX_EDIT_BODY
};

/* The registers for addresses; no instruction has more operands that are any. */
enum { PTX_EDIT_REGISTERS = 8 };

enum ptx_parameters { PTX_SOME_PARAMETERS, PTX_NO_PARAMETERS, PTX_NO_PARENTHESES };

struct ptx_edit {
    enum ptx_edit_kind kind;
    size_t from, to;
    const struct ptx_variable *variable;
    int64_t addend;
    unsigned number; /* PTX_EDIT_LOAD, PTX_EDIT_LOADED: of the register */
};

/* A variable whose bytes each launch gives. */
static inline bool ptx_is_dynamic(const struct ptx_variable *variable)
{
    return variable->space == PTX_SPACE_SHARED && variable->linkage == PTX_LINKAGE_EXTERN;
}

struct ptx_module {
    _Atomic unsigned holds; /* beside the first owner's */
    bool is_managed;        /* by ptx_module_manage() */
    struct ptx_arena arena; /* everything below lives in it */
    struct ptx_budget budget;
    unsigned version; /* 10 * major + minor */
    unsigned sm;      /* of .target sm_75: 75 */
    unsigned address_bits;
    struct ptx_variable **variables;
    size_t variable_count;
    struct ptx_function **functions; /* one per name: a definition replaces its declarations */
    size_t function_count;
    const char *text; /* a copy, for ptx_module_place() */
    size_t text_bytes;
    struct ptx_file *files; /* by number */
    size_t file_count;
    struct ptx_location *locations; /* in the order of the text */
    size_t location_count;
    struct ptx_passage *debug_strings; /* sections .debug_str, which locations name labels of */
    size_t debug_string_count;
    /* What ptx.h tells; made by layout.c after parsing. */
    struct ptx_entry *entries;
    const struct ptx_function **entry_functions;
    size_t entry_count;
    struct ptx_symbol *symbols;
    size_t symbol_count;
    size_t block_bytes[PTX_BLOCKS];
    unsigned char *block_values[PTX_BLOCKS];
    struct ptx_relocation *relocations;
    size_t relocation_count;
    struct ptx_reference *references;
    size_t reference_count;
    struct ptx_edit *edits;
    size_t edit_count;
    /* Both by name, for the two below. */
    struct ptx_variable **variable_index;
    struct ptx_function **function_index;
};

/* Where a variable stands in function->variables; false: it is another's. */
bool ptx_position_of(const struct ptx_function *function, const struct ptx_variable *variable,
                     size_t *position);

/* The one of that name, or NULL. */
const struct ptx_function *ptx_find_function(const struct ptx_module *module, const char *name);
const struct ptx_variable *ptx_find_variable(const struct ptx_module *module, const char *name);

/* The source of that number, or NULL. */
const struct ptx_file *ptx_find_file(const struct ptx_module *module, uint32_t number);
/* Where an instruction comes from, or NULL where no line is known. */
const struct ptx_location *ptx_location_of(const struct ptx_module *module,
                                           const struct ptx_instruction *in);

/* ---- Instructions (instruction.c) ---- */

bool ptx_is_barrier(const struct ptx_instruction *in); /* bar, barrier: not bar.warp */
bool ptx_is_wide_access(
    const struct ptx_instruction *in); /* of 16 bytes at once: atom, ld and st with an order */
bool ptx_is_warp_operation(const struct ptx_instruction *in); /* shfl vote match redux ... */

/* Barriers of the block and of the warp; shuffles and votes order nothing. */
bool ptx_orders_memory(const struct ptx_instruction *in);

/* How many operands from the first on are written and not read: 0, 1, or 2 for `a|b`. Those of a
 * call are within operand 0, a vector. */
unsigned ptx_destination_count(const struct ptx_instruction *in);
/* An access that may be neither merged with another nor left out: one that waits for what another thread
 * does ends when it has done it. Of weak ones those that pass the multiprocessor's cache by. */
bool ptx_is_volatile(const struct ptx_instruction *in);
/* A volatile access to what may be shared memory: threads of a warp may count on doing it in step. */
bool ptx_is_lockstep(const struct ptx_instruction *in);

/* Special registers that are the same for all threads of a block, at all times. */
bool ptx_special_is_uniform(int32_t special);
/* Whether a special register has 64 bits. */
bool ptx_special_is_wide(int32_t special);

/* What kind of a barrier an instruction is. */
static inline bool ptx_barrier_arrives(const struct ptx_instruction *in)
{
    return in->operation == PTX_OP_ARRIVE || in->second_operation == PTX_OP_ARRIVE;
}

static inline bool ptx_barrier_reduces(const struct ptx_instruction *in)
{
    return in->operation == PTX_OP_RED || in->second_operation == PTX_OP_RED;
}

/* Whether mbarrier looks if a phase is over: threads that it is not over for wait. */
static inline bool ptx_is_mbarrier_wait(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_mbarrier &&
           (in->operation == PTX_OP_TEST_WAIT || in->operation == PTX_OP_TRY_WAIT);
}

/* Whether two accesses name their address alike. */
bool ptx_is_same_place(const struct ptx_instruction *a, const struct ptx_instruction *b);

/* Whether no thread comes back from what is called. */
bool ptx_call_is_last(const struct ptx_instruction *call);

#endif
