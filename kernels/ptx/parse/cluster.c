/* Instructions of clusters as what they are where a cluster is one block: its shared memory is the block's own, and its
 * barrier the block's.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/ir/layout.h"

static struct ptx_operand number(int64_t bits)
{
    return (struct ptx_operand){.kind = PTX_OPERAND_INTEGER, .index = -1, .bits = bits};
}

/* mapa d, a, b: an address in the shared memory of block b, which is the only one. */
static void become_move(struct ptx_instruction *in, const char *words, uint8_t type)
{
    in->opcode = PTX_OPCODE_mov;
    in->words = words;
    in->types[0] = type;
    in->space = PTX_SPACE_GENERIC;
    in->operand_count = 2;
}

static void read_mapa(struct ptx_instruction *in)
{
    const bool is_wide = ptx_type_bytes((enum ptx_type)in->types[0]) == 8;
    become_move(in, is_wide ? "mov.u64" : "mov.u32", is_wide ? PTX_U64 : PTX_U32);
}

static void read_rank(struct ptx_instruction *in)
{
    become_move(in, "mov.u32", PTX_U32);
    in->operands[1] = number(0);
}

/* All wait for all in the end, so that it is enough to do so where a thread waits: arriving orders memory. */
static void read_barrier(struct ptx_module *module, struct ptx_instruction *in)
{
    if (in->operation == PTX_OP_ARRIVE) {
        in->opcode = PTX_OPCODE_fence;
        in->words = "fence.acq_rel.cta";
        in->operation = PTX_OP_NONE;
        in->order = PTX_ORDER_ACQ_REL;
        in->scope = PTX_SCOPE_CTA;
        in->flags = 0;
        return;
    }
    in->words = "barrier.sync";
    in->operation = PTX_OP_SYNC;
    in->order = PTX_ORDER_NONE;
    in->scope = PTX_SCOPE_NONE;
    in->flags = 0;
    in->operands = ptx_arena_array(&module->arena, 1, sizeof *in->operands);
    in->operands[0] = number(0);
    in->operand_count = 1;
}

bool ptx_read_cluster(struct ptx_module *module, struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OPCODE_mapa:
        read_mapa(in);
        return true;
    case PTX_OPCODE_getctarank:
        read_rank(in);
        return true;
    case PTX_OPCODE_barrier:
        if (in->scope != PTX_SCOPE_CLUSTER)
            return false;
        read_barrier(module, in);
        return true;
    default:
        return false;
    }
}
