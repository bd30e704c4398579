/* Addresses of variables.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/emit/emit.h"

static const char *const block_names[PTX_BLOCKS] = {"clem_constant", "clem_device", "clem_managed"};

/* The block of a variable of the module, noted as used. */
static const char *block_of(struct ptx_emitter *e, const struct ptx_variable *v)
{
    const enum ptx_block block = v->space == PTX_SPACE_CONST ? PTX_BLOCK_CONSTANT
                                 : v->is_managed             ? PTX_BLOCK_MANAGED
                                                             : PTX_BLOCK_DEVICE;
    ptx_need(e, (uint32_t)PTX_NEED_CONSTANT << block);
    return block_names[block];
}

static size_t shared_offset(struct ptx_emitter *e, const struct ptx_variable *v)
{
    const struct ptx_plan *plan = e->plan;
    ptx_need(e, PTX_NEED_SHARED);
    ptx_steps(e->arena, plan->shared_count / 4);
    for (size_t i = 0; i < plan->shared_count; i++)
        if (plan->shared[i].variable == v)
            return plan->shared[i].offset;
    ptx_refuse(e, "shared variable %s has no place", v->name);
    return 0;
}

static size_t local_offset(struct ptx_emitter *e, const struct ptx_variable *v)
{
    const struct ptx_body *body = ptx_current_body(e);
    ptx_need(e, PTX_NEED_LOCAL);
    size_t position;
    if (ptx_position_of(e->function, v, &position))
        return body->local_offsets[position];
    ptx_refuse(e, "local variable %s is of another function", v->name);
    return 0;
}

bool ptx_is_entry_parameter(const struct ptx_emitter *e, const struct ptx_variable *v)
{
    const struct ptx_function *entry = e->plan->original;
    for (size_t i = 0; i < entry->parameter_count; i++)
        if (entry->parameters[i] == v)
            return true;
    return false;
}

const char *ptx_global_pointer(struct ptx_emitter *e, const struct ptx_variable *v, int64_t plus)
{
    if (v->type == PTX_TEXREF || v->type == PTX_SURFREF || v->type == PTX_SAMPLERREF)
        ptx_refuse(e, "the address of reference %s has no translation", v->name);
    return ptx_format(e, "(%s + %lld)", block_of(e, v), (long long)v->offset + (long long)plus);
}

static const char *parameter_address(struct ptx_emitter *e, const struct ptx_variable *v,
                                     int64_t plus)
{
    const struct ptx_plan *plan = e->plan;
    if (!ptx_is_entry_parameter(e, v) || !plan->has_bank) {
        ptx_refuse(e, "the address of parameter %s of a function has no translation", v->name);
        return "0ul";
    }
    ptx_need(e, PTX_NEED_BANK);
    const unsigned long long offset = v->offset + (unsigned long long)plus;
    return ptx_format(e, plan->bank_is_global ? "(ulong)(clem_bank + %llu)" : "%lluul", offset);
}

const char *ptx_variable_address(struct ptx_emitter *e, const struct ptx_variable *variable,
                                 int64_t plus)
{
    switch (variable->space) {
    case PTX_SPACE_SHARED:
        return ptx_format(e, "%lluul", shared_offset(e, variable) + (unsigned long long)plus);
    case PTX_SPACE_LOCAL:
        return ptx_format(e, "%lluul", local_offset(e, variable) + (unsigned long long)plus);
    case PTX_SPACE_PARAM:
        return parameter_address(e, variable, plus);
    default:
        return ptx_format(e, "(ulong)%s", ptx_global_pointer(e, variable, plus));
    }
}
