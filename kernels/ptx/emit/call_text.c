/* What calls of functions without a body are given, and where their results go.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/emit/emit.h"

/* An argument as the callee's parameter has it. */
static const char *argument_text(struct ptx_emitter *e, const struct ptx_operand *argument,
                                 enum ptx_type type)
{
    const bool is_parameter =
        argument->kind == PTX_OPERAND_VARIABLE && argument->variable->space == PTX_SPACE_PARAM;
    return is_parameter ? ptx_parameter_name(e, argument->variable) : ptx_value(e, argument, type);
}

enum ptx_type ptx_argument_type(const struct ptx_function *callee, size_t index)
{
    if (index >= callee->parameter_count)
        return PTX_U64;
    const struct ptx_variable *v = callee->parameters[index];
    const bool is_float = v->space == PTX_SPACE_REG && (v->type == PTX_F32 || v->type == PTX_F64);
    return is_float ? (enum ptx_type)v->type : ptx_type_of_bits(v->bytes);
}

const char *ptx_call_argument(struct ptx_emitter *e, const struct ptx_instruction *in,
                              const struct ptx_function *callee, uint32_t index)
{
    return argument_text(e, &in->operands[2].list[index], ptx_argument_type(callee, index));
}

void ptx_write_result(struct ptx_emitter *e, const struct ptx_instruction *in,
                      const struct ptx_function *callee, const char *call)
{
    const struct ptx_operand *results = &in->operands[0];
    if (callee->result_count == 0 || results->kind != PTX_OPERAND_VECTOR || results->count == 0) {
        ptx_line(e, "%s;", call);
        return;
    }
    const struct ptx_operand *to = &results->list[0];
    if (to->kind == PTX_OPERAND_VARIABLE)
        ptx_line(e, "%s = %s;", ptx_parameter_name(e, to->variable), call);
    else
        ptx_set(e, to, callee->results[0]->type, call);
}
