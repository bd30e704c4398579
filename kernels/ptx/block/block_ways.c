/* Which way a thread of a region took: noted by each thread, or found out again after the region, since a note of one
 * byte beside each element is a good part of the time of a loop that copies memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/block/block.h"

struct reading {
    const struct ptx_regions *regions;
    const struct ptx_region *region;
    bool *stale; /* per register: written after the comparison */
    bool is_at_hand;
};

static bool matters_after(const struct reading *r, uint32_t index)
{
    for (size_t i = 0; i < r->region->target_count; i++)
        if (ptx_flow_is_live(r->regions->flow, r->regions->all[r->region->targets[i]].head, index))
            return true;
    return false;
}

/* What all threads have in one variable is there after the region if any of its targets needs it, and is
 * each thread's own value if the threads that part have the same. */
static void look_at_read(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct reading *r = with;
    const uint8_t keep = r->regions->facts->keeps[index];
    const bool is_shared = ptx_keep_is_shared(keep);
    const bool is_known = keep == PTX_KEEP_CONSTANT || keep == PTX_KEEP_RECOMPUTED;
    const bool is_written = r->region->written[index];
    r->is_at_hand &=
        !r->stale[index] && (is_known || is_shared) &&
        (!is_shared || !is_written ||
         (matters_after(r, index) && !r->region->late[index] && !r->region->split[index]));
}

static void note_stale(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    ((bool *)with)[index] = true;
}

static bool is_comparison(const struct ptx_instruction *in, int32_t predicate)
{
    return in->opcode == PTX_OPCODE_setp && in->guard < 0 && !in->has_second_destination &&
           in->operands[0].kind == PTX_OPERAND_REGISTER && in->operands[0].part == 0 &&
           in->operands[0].index == predicate;
}

bool ptx_block_finds_way(struct ptx_emitter *e, struct ptx_choice *choice)
{
    const struct ptx_regions *regions = e->block_writer->regions;
    const struct ptx_region *region = e->block_writer->region;
    const struct ptx_function *f = regions->flow->function;
    if (region->node_count != 1 || region->turns)
        return false;
    const struct ptx_node *node = &regions->flow->nodes[region->nodes[0]];
    const struct ptx_instruction *branch = &f->instructions[node->end - 1];
    if (branch->opcode != PTX_OPCODE_bra || branch->guard < 0 ||
        regions->facts->keeps[branch->guard] != PTX_KEEP_NOT)
        return false;
    struct reading r = {regions, region, NULL, true};
    r.stale = ptx_arena_array(e->arena, f->register_count + 1, sizeof *r.stale);
    for (size_t i = node->end - 1; i-- > (size_t)node->first;) {
        const struct ptx_instruction *in = &f->instructions[i];
        if (is_comparison(in, branch->guard) && in != region->step && ptx_flow_is_pure(f, in)) {
            ptx_flow_reads(in, look_at_read, &r);
            *choice = (struct ptx_choice){in, branch};
            return r.is_at_hand && !r.stale[branch->guard];
        }
        ptx_flow_writes(in, note_stale, r.stale);
        if (r.stale[branch->guard])
            return false;
    }
    return false;
}

bool ptx_block_notes_state(const struct ptx_block_writer *writer)
{
    switch (writer->way) {
    case PTX_WAY_STRAIGHT:
        return !writer->region->is_decided;
    case PTX_WAY_PARTED:
    case PTX_WAY_EITHER:
        return true;
    default:
        return false;
    }
}

const char *ptx_block_ended_value(struct ptx_emitter *e)
{
    const struct ptx_block_writer *writer = e->block_writer;
    return writer->way == PTX_WAY_STRAIGHT ? ptx_format(e, "%zuu", writer->region->target_count)
                                           : "CLEM_ENDED";
}

const char *ptx_block_goes_on(struct ptx_emitter *e)
{
    const struct ptx_block_writer *writer = e->block_writer;
    return !writer->is_stepping && ptx_block_notes_state(writer)
               ? ptx_format(e, "clem_next != %s", ptx_block_ended_value(e))
               : NULL;
}
