/* Arithmetic: which file writes an instruction.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/emit/emit_number.h"

static const uint16_t opcodes[] = {
    PTX_OPCODE_abs,   PTX_OPCODE_add,      PTX_OPCODE_addc,  PTX_OPCODE_and,  PTX_OPCODE_bfe,
    PTX_OPCODE_bfi,   PTX_OPCODE_bfind,    PTX_OPCODE_bmsk,  PTX_OPCODE_brev, PTX_OPCODE_clz,
    PTX_OPCODE_cnot,  PTX_OPCODE_copysign, PTX_OPCODE_cos,   PTX_OPCODE_div,  PTX_OPCODE_dp2a,
    PTX_OPCODE_dp4a,  PTX_OPCODE_ex2,      PTX_OPCODE_fma,   PTX_OPCODE_fns,  PTX_OPCODE_lg2,
    PTX_OPCODE_lop3,  PTX_OPCODE_mad,      PTX_OPCODE_mad24, PTX_OPCODE_madc, PTX_OPCODE_max,
    PTX_OPCODE_min,   PTX_OPCODE_mul,      PTX_OPCODE_mul24, PTX_OPCODE_neg,  PTX_OPCODE_not,
    PTX_OPCODE_or,    PTX_OPCODE_popc,     PTX_OPCODE_prmt,  PTX_OPCODE_rcp,  PTX_OPCODE_rem,
    PTX_OPCODE_rsqrt, PTX_OPCODE_sad,      PTX_OPCODE_shf,   PTX_OPCODE_shl,  PTX_OPCODE_shr,
    PTX_OPCODE_sin,   PTX_OPCODE_sqrt,     PTX_OPCODE_sub,   PTX_OPCODE_subc, PTX_OPCODE_szext,
    PTX_OPCODE_tanh,  PTX_OPCODE_xor,
};

bool ptx_is_arithmetic(const struct ptx_instruction *in)
{
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
        if (opcodes[i] == in->opcode)
            return true;
    return false;
}

bool ptx_emit_arithmetic(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    if (!ptx_is_arithmetic(in))
        return false;
    const enum ptx_type type = in->type_count ? (enum ptx_type)in->types[0] : PTX_NONE;
    if (in->operand_count < 2)
        ptx_refuse(e, "an operand is missing");
    else if (ptx_is_half(type))
        ptx_emit_half(e, in);
    else if (type == PTX_F32 || type == PTX_F64)
        ptx_emit_float(e, in);
    else if (type == PTX_TF32 || type == PTX_E4M3X2 || type == PTX_E5M2X2 || type == PTX_F32X2)
        ptx_refuse(e, "arithmetic in .%s has no translation", ptx_type_name(type));
    else if (!ptx_emit_integer(e, in))
        ptx_refuse(e, "this form of the instruction has no translation");
    return true;
}
