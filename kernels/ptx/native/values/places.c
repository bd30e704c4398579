/* Which addresses may be those of neighbours: what follows from values that memory or other lanes brought is taken to be spread
 * all over, and nobody looks whether it is not.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/native/native_flow.h"

struct spreading {
    struct ptx_native_flow *flow;
    bool is_read, is_changed;
};

static void read_register(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct spreading *s = with;
    s->is_read |= s->flow->is_spread[index];
}

static void write_register(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct spreading *s = with;
    if (s->flow->uniform.registers[index] || s->flow->is_spread[index])
        return;
    s->flow->is_spread[index] = s->is_changed = true;
}

static bool brings_values(const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OPCODE_ld:
    case PTX_OPCODE_ldu:
        return in->space != PTX_SPACE_PARAM;
    case PTX_OPCODE_atom:
    case PTX_OPCODE_shfl:
    case PTX_OPCODE_match:
        return true;
    default:
        return false;
    }
}

static bool look(void *with, const struct ptx_instruction *in)
{
    struct spreading *s = with;
    s->is_changed = false;
    s->is_read = brings_values(in);
    ptx_flow_reads(in, read_register, s);
    if (s->is_read)
        ptx_flow_writes(in, write_register, s);
    return s->is_changed;
}

void ptx_native_find_places(struct ptx_native *n)
{
    struct spreading s = {.flow = n->flow};
    n->flow->is_spread = ptx_arena_take(n->e->arena, n->flow->function->register_count + 1);
    ptx_flow_settle(n->e->arena, n->flow->function, PTX_FORWARDS, look, &s);
}
