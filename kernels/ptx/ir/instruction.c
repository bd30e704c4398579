/* What an instruction is and does, from its words alone.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/ir/ir.h"

#include <string.h>

static bool is_warp_barrier(const struct ptx_instruction *in)
{
    return in->operation == PTX_OP_WARP || in->second_operation == PTX_OP_WARP;
}

bool ptx_is_wide_access(const struct ptx_instruction *in)
{
    const bool has_order = in->order == PTX_ORDER_RELAXED || in->order == PTX_ORDER_ACQUIRE ||
                           in->order == PTX_ORDER_RELEASE;
    return in->type_count > 0 && in->types[0] == PTX_B128 &&
           (in->opcode == PTX_OPCODE_atom ||
            ((in->opcode == PTX_OPCODE_ld || in->opcode == PTX_OPCODE_st) && has_order));
}

bool ptx_is_barrier(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_barrier ||
           (in->opcode == PTX_OPCODE_bar && !is_warp_barrier(in));
}

bool ptx_is_warp_operation(const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OPCODE_bar:
        return is_warp_barrier(in);
    case PTX_OPCODE_shfl:
    case PTX_OPCODE_vote:
    case PTX_OPCODE_match:
    case PTX_OPCODE_redux:
    case PTX_OPCODE_activemask:
    case PTX_OPCODE_elect:
        return true;
    default:
        return false;
    }
}

bool ptx_orders_memory(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_bar || in->opcode == PTX_OPCODE_barrier;
}

bool ptx_is_lockstep(const struct ptx_instruction *in)
{
    return (in->opcode == PTX_OPCODE_ld || in->opcode == PTX_OPCODE_st) &&
           in->order == PTX_ORDER_VOLATILE &&
           (in->space == PTX_SPACE_SHARED || in->space == PTX_SPACE_GENERIC);
}

bool ptx_is_volatile(const struct ptx_instruction *in)
{
    return in->order != PTX_ORDER_NONE || in->cache == PTX_CACHE_CV || in->cache == PTX_CACHE_CG ||
           in->cache == PTX_CACHE_WT;
}

static bool returns_nothing(uint8_t mbarrier_operation)
{
    return mbarrier_operation == PTX_OP_INIT || mbarrier_operation == PTX_OP_INVAL ||
           mbarrier_operation == PTX_OP_EXPECT_TX || mbarrier_operation == PTX_OP_COMPLETE_TX;
}

static bool has_no_destination(const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OPCODE_st:
    case PTX_OPCODE_red:
    case PTX_OPCODE_bra:
    case PTX_OPCODE_brx:
    case PTX_OPCODE_ret:
    case PTX_OPCODE_exit:
    case PTX_OPCODE_trap:
    case PTX_OPCODE_brkpt:
    case PTX_OPCODE_nanosleep:
    case PTX_OPCODE_pmevent:
    case PTX_OPCODE_membar:
    case PTX_OPCODE_fence:
    case PTX_OPCODE_prefetch:
    case PTX_OPCODE_prefetchu:
    case PTX_OPCODE_discard:
    case PTX_OPCODE_applypriority:
    case PTX_OPCODE_cp:
    case PTX_OPCODE_sust:
    case PTX_OPCODE_sured:
    case PTX_OPCODE_stackrestore:
    case PTX_OPCODE_griddepcontrol:
    case PTX_OPCODE_setmaxnreg:
        return true;
    case PTX_OPCODE_mbarrier:
        return returns_nothing(in->operation);
    case PTX_OPCODE_bar:
    case PTX_OPCODE_barrier:
        return in->operation != PTX_OP_RED && in->second_operation != PTX_OP_RED;
    default:
        return false;
    }
}

unsigned ptx_destination_count(const struct ptx_instruction *in)
{
    if (in->operand_count == 0 || has_no_destination(in))
        return 0;
    return in->has_second_destination && in->operand_count > 1 ? 2 : 1;
}

bool ptx_special_is_uniform(int32_t special)
{
    return (special >= PTX_NTID_X && special <= PTX_NCTAID_Z) || special == PTX_NWARPID ||
           special == PTX_WARP_SZ || special == PTX_SMID || special == PTX_NSMID ||
           special == PTX_GRIDID ||
           (special >= PTX_TOTAL_SMEM_SIZE && special <= PTX_AGGR_SMEM_SIZE);
}

bool ptx_special_is_wide(int32_t special)
{
    return special == PTX_CLOCK64 || special == PTX_GLOBALTIMER || special == PTX_GRIDID;
}

static const struct ptx_operand *address_of(const struct ptx_instruction *in)
{
    for (uint32_t i = 0; i < in->operand_count; i++)
        if (in->operands[i].kind == PTX_OPERAND_ADDRESS)
            return &in->operands[i];
    return NULL;
}

bool ptx_is_same_place(const struct ptx_instruction *a, const struct ptx_instruction *b)
{
    const struct ptx_operand *x = address_of(a), *y = address_of(b);
    return x && y && x->index == y->index && x->variable == y->variable && x->bits == y->bits;
}

/* What programs declare .extern; library/runtime.h describes it. */
bool ptx_call_is_last(const struct ptx_instruction *call)
{
    return call->operand_count >= 2 && call->operands[1].kind == PTX_OPERAND_FUNCTION &&
           strcmp(call->operands[1].function->name, "__assertfail") == 0;
}
