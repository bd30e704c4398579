/* Writing OpenCL C: what the emitters of single instructions share. Private to kernels/ptx/.
 *
 * An instruction becomes one or more statements of C. Registers are C variables of the type they
 * were declared with (.pred: uchar 0 or 1; .b8 .u8 .s8: uchar; 16 bits: ushort; .b32 .u32 .s32: uint;
 * .b64 ...: ulong; .f16: ushort; .f32: float; .f64: double; packed types: uint; .b128: ulong2), but
 * for those that pointer.c found to be pointers into global memory. No emitter knows names of
 * registers or where they are kept: it asks ptx_value() and ptx_set().
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_EMIT_H
#define KERNELS_PTX_EMIT_H

#include "kernels/ptx/analyse/plan.h"

/* ---- Operands ---- */

/* The C type that values of a PTX type are computed in: "uint" for .b32 and .u32, "int" for .s32,
 * "float", "double", "ulong", "long", "ushort", "short", "uchar", "char"; "ushort" for .f16 and
 * .bf16 (their bits), "uint" for packed ones, "uchar" for .pred, "ulong2" for .b128. */
const char *ptx_c_type(enum ptx_type type);

/* A C expression, safe as an operand of any C operator, that has the type ptx_c_type(type) and the
 * bits of the operand (registers wider than the type are cut, narrower ones extended with zeros,
 * as ld, st and cvt allow; otherwise the sizes agree). Registers, integers, floats, special
 * registers, addresses of variables and functions. A pointer register becomes a number here. */
const char *ptx_value(struct ptx_emitter *e, const struct ptx_operand *operand, enum ptx_type type);

/* Writes `destination = expression;` where the expression has the type ptx_c_type(type); converts
 * bits to what the register is declared as, extending by sign for signed and by zeros for other
 * types where the register is wider. Nothing for the sink. Sets pointers to numbers only where
 * pointer.c found none, so memory and address instructions do not use it for pointer registers. */
void ptx_set(struct ptx_emitter *e, const struct ptx_operand *destination, enum ptx_type type,
             const char *expression);

/* The predicate of an operand as 0 or 1, with its negation. */
const char *ptx_predicate(struct ptx_emitter *e, const struct ptx_operand *operand);

/* What C declares a register as: PTX_U8 U16 U32 U64 F32 F64 B128 PRED. Pointers are PTX_U64. */
enum ptx_type ptx_register_type(const struct ptx_emitter *e, uint32_t index);

/* A register in C: its name, with .x .y where part > 0. */
const char *ptx_register_name(struct ptx_emitter *e, uint32_t index, unsigned part);

/* A special register as uint, or ulong for the wide ones: the hook's, or FORM_ITEM's. */
const char *ptx_special_value(struct ptx_emitter *e, int32_t special);

/* A C expression of the type ptx_c_type(from) as one of ptx_c_type(to), by ptx_value()'s rules. A
 * cast may stand before it: a name, a cast, a call, or something in parentheses. */
const char *ptx_as_type(struct ptx_emitter *e, const char *x, enum ptx_type from, enum ptx_type to);

/* The space that an access goes to: that of the instruction, or for generic ones what is known of
 * the address; PTX_SPACE_GENERIC where that can only be seen at run time. */
enum ptx_space ptx_space_of(struct ptx_emitter *e, const struct ptx_operand *address,
                            uint8_t written);

/* An ADDRESS operand as a number (ulong). */
const char *ptx_address_number(struct ptx_emitter *e, const struct ptx_operand *address);

/* Whether a register holds a pointer and no number. */
bool ptx_is_pointer_register(const struct ptx_emitter *e, int32_t index);

/* For refusals: a register in words, with its name and the instruction that wrote it first; and one of a generic access
 * whose space must be known here. */
const char *ptx_described_register(struct ptx_emitter *e, int32_t index);
void ptx_refuse_unknown_address(struct ptx_emitter *e, const struct ptx_operand *address);

/* variable.c: the address of a variable + `plus` as a ulong: in its own space, or generic for .global, .const; as a pointer
 * to bytes of .global or .const; whether the variable is one of the kernel's own parameters. */
const char *ptx_variable_address(struct ptx_emitter *e, const struct ptx_variable *variable,
                                 int64_t plus);
const char *ptx_global_pointer(struct ptx_emitter *e, const struct ptx_variable *v, int64_t plus);
bool ptx_is_entry_parameter(const struct ptx_emitter *e, const struct ptx_variable *v);

/* C declaration type of a register: "uint", "__global uchar *". Without a blank at the end for
 * pointers' sake: "T name" is ("%s%s%s", type, ends in '*' ? "" : " ", name). */
const char *ptx_register_c_type(const struct ptx_emitter *e, uint32_t index);

/* `uint r1, r2;` for each register that instructions name and `wanted` (NULL: all) is true of. */
void ptx_declare_registers(struct ptx_emitter *e, const bool *wanted);

/* The .param variables within the body and, in functions, the variable of the result. */
void ptx_declare_parameters(struct ptx_emitter *e);

/* parameter_text.c: C types and names of parameters: of functions, of calls (.param variables within a
 * body), of the kernel; what the function being written returns. */
const char *ptx_parameter_c_type(struct ptx_emitter *e, const struct ptx_variable *variable);
const char *ptx_parameter_name(struct ptx_emitter *e, const struct ptx_variable *variable);
enum ptx_type ptx_parameter_type(const struct ptx_variable *variable);
const char *ptx_result_value(struct ptx_emitter *e);
/* Whether it is a struct in C, and not a number; what holds the bits of a number of 1, 2, 4 or 8 bytes. */
bool ptx_is_structure(const struct ptx_variable *v);
enum ptx_type ptx_type_of_bits(size_t bytes);

/* call_text.c: the type that a call's argument is handed over in; that argument as the callee's parameter has it; `result =
 * call;` into a .param variable or a register. */
enum ptx_type ptx_argument_type(const struct ptx_function *callee, size_t index);
const char *ptx_call_argument(struct ptx_emitter *e, const struct ptx_instruction *in,
                              const struct ptx_function *callee, uint32_t index);
void ptx_write_result(struct ptx_emitter *e, const struct ptx_instruction *in,
                      const struct ptx_function *callee, const char *call);

/* emit_flow.c: ends the function being written; ends the thread, here, as failed, or after the call that met an exit. */
void ptx_write_return(struct ptx_emitter *e);
void ptx_write_exit(struct ptx_emitter *e);
void ptx_write_trap(struct ptx_emitter *e);
void ptx_write_exit_check(struct ptx_emitter *e);

/* fence.c: what .release and .acquire ask for before and after an access, and what keeps the
 * device's compiler from moving accesses across a barrier that is none to it. */
void ptx_keep_order(struct ptx_emitter *e);
void ptx_fence_before(struct ptx_emitter *e, const struct ptx_instruction *in);
void ptx_fence_after(struct ptx_emitter *e, const struct ptx_instruction *in);
void ptx_write_fence(struct ptx_emitter *e, uint8_t scope, uint8_t order);

/* ---- Instructions: one file each. True: written (or refused). False: not theirs. ---- */

bool ptx_emit_arithmetic(struct ptx_emitter *e, const struct ptx_instruction *in);
/* Whether a function has add.cc, addc and kin: then its text declares `uint clem_carry = 0;`. */
bool ptx_uses_carry(const struct ptx_function *function);
bool ptx_is_carry(const struct ptx_instruction *in);
bool ptx_emit_convert(struct ptx_emitter *e, const struct ptx_instruction *in); /* cvt */
bool ptx_emit_compare(struct ptx_emitter *e,
                      const struct ptx_instruction *in); /* setp set selp slct */
bool ptx_emit_video(struct ptx_emitter *e, const struct ptx_instruction *in);
bool ptx_emit_memory(struct ptx_emitter *e,
                     const struct ptx_instruction *in); /* ld st cp.async, fences, hints */
bool ptx_emit_move(struct ptx_emitter *e,
                   const struct ptx_instruction *in); /* mov cvta isspacep, the stack */
bool ptx_emit_pointer(struct ptx_emitter *e,
                      const struct ptx_instruction *in); /* results in pointer registers: mov
    cvta add sub mad selp */
bool ptx_emit_atomic(struct ptx_emitter *e, const struct ptx_instruction *in);
bool ptx_emit_mbarrier(struct ptx_emitter *e, const struct ptx_instruction *in);
bool ptx_emit_call(struct ptx_emitter *e, const struct ptx_instruction *in);
/* emit_launch.c: a call of CUDA's device runtime. False: the function is none of it. */
bool ptx_emit_device_runtime(struct ptx_emitter *e, const struct ptx_instruction *in,
                             const struct ptx_function *callee);
bool ptx_emit_texture(struct ptx_emitter *e, const struct ptx_instruction *in);
bool ptx_emit_warp(struct ptx_emitter *e, const struct ptx_instruction *in); /* PTX_FORM_ITEM: bar,
    shfl, vote, match, redux, activemask, elect */
bool ptx_emit_flow(struct ptx_emitter *e,
                   const struct ptx_instruction *in); /* bra brx ret exit trap */

/* An instruction with operand `which` as a list of its parts, if that is a vector register of the instruction's width; as
 * it is otherwise. */
struct ptx_instruction ptx_spread_registers(struct ptx_emitter *e, const struct ptx_instruction *in,
                                            uint32_t which);

/* Instructions of one opcode and how they are written; NULL: nothing is. */
struct ptx_emit_row {
    uint16_t opcode; /* enum ptx_opcode */
    void (*emit)(struct ptx_emitter *e, const struct ptx_instruction *in);
};
static inline bool ptx_emit_by_row(struct ptx_emitter *e, const struct ptx_instruction *in,
                                   const struct ptx_emit_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i].opcode != in->opcode)
            continue;
        if (rows[i].emit)
            rows[i].emit(e, in);
        return true;
    }
    return false;
}

/* Writes any one instruction with its guard: the form's hook first, then each of the above. */
void ptx_emit_instruction(struct ptx_emitter *e, const struct ptx_instruction *in);

/* emit_parameter.c: writes what is copied at an instruction. True: nothing else is to be written for it. */
bool ptx_emit_copied(struct ptx_emitter *e, const struct ptx_instruction *in);

/* "static T name(CLEM_CONTEXT_AND ...)" of a body; enters it. */
const char *ptx_function_signature(struct ptx_emitter *e, struct ptx_body *body);

/* A whole function "static T name(...) {...}" of the plan, not the entry. In FORM_BLOCK with the
 * hooks that the block form set in e->hooks. */
void ptx_write_function(struct ptx_emitter *e, struct ptx_body *body);

/* The body of the __kernel in PTX_FORM_ITEM, with its braces. */
void ptx_item_kernel(struct ptx_emitter *e, struct ptx_body *entry);

/* resume.c: whether threads of a block may come to the entry's barriers not all alike; the hooks for an
 * entry that they may; a barrier in it; the loop around what was written of it from `start` on. */
bool ptx_resume_is_needed(struct ptx_emitter *e, const struct ptx_function *entry);
void ptx_resume_prepare(struct ptx_emitter *e);
void ptx_resume_barrier(struct ptx_emitter *e);
void ptx_resume_wrap(struct ptx_emitter *e, size_t start);

/* A statement: nothing is taken of the stack for alloca, whose counter is at a pointer. */
const char *ptx_empty_stack(struct ptx_emitter *e, const char *c_type, const char *pointer);

/* Declarations at the head of that body which depend on what was written: the array behind
 * clem_local, the flag behind clem_exited. translate.c puts them behind the first "{\n". */
const char *ptx_item_head(struct ptx_emitter *e);

/* ---- Blocks that may wait for each other: turns.c, library/turns.h ---- */

/* Whether the entry, or what it calls, reads where the grid's workspace is. */
bool ptx_reads_workspace(const struct ptx_plan *plan);
/* Fills the plan's takes_turns and waits_for_blocks. Needs: the form, and the entry with what was put into it. */
void ptx_find_turns(struct ptx_emitter *e);

/* Of a block's text, nothing where none are taken. At its start: clem_resumes, clem_moved. Before a statement that one
 * which goes on leaves out. Under a condition, the end of the turn, and the block's barriers keep who has arrived; NULL:
 * where clem_left says that threads wait, and there are no barriers. */
void ptx_turn_begin(struct ptx_emitter *e);
void ptx_turn_unless_resumed(struct ptx_emitter *e);
void ptx_turn_leave(struct ptx_emitter *e, const char *condition);
/* The condition where a block as a whole may wait: barriers have opened often enough. */
#define PTX_TURN_OF_ROUNDS "clem_outcome == CLEM_RELEASED && ++clem_rounds >= CLEM_ROUNDS"
/* One that goes on: from where its registers are declared, behind a statement more, to the place that is named. NULL: its
 * barriers have nobody who has arrived. */
void ptx_turn_resume(struct ptx_emitter *e, const char *before);
void ptx_turn_name_resume(struct ptx_emitter *e);

/* ---- The block form (block.c) ---- */

/* Sets e->hooks and the plan's launch_..., before functions are written. */
void ptx_block_prepare(struct ptx_emitter *e);

/* The body of the __kernel, with its braces; sets the plan's scratch_bytes. The parameters of the
 * entry have the names that ptx_value() and ld.param use; `clem_grid` is uint8: s012 gridDim, s456
 * blockDim. */
void ptx_block_kernel(struct ptx_emitter *e, struct ptx_body *entry);

/* ---- The warp form (warp.c): the same of it; and whether it can have the kernel ---- */

bool ptx_warp_suits(const struct ptx_emitter *e);
void ptx_warp_prepare(struct ptx_emitter *e);
void ptx_warp_kernel(struct ptx_emitter *e, struct ptx_body *entry);

#endif
