/* Kernels whose blocks may wait for each other: one that gets no further leaves its work-item to another. Each block has a
 * slot; library/turns.h says how work-items go round those.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/emit/emit.h"

/* ---- Which kernels ---- */

static bool reads_workspace(const struct ptx_function *f)
{
    for (size_t i = 0; i < f->instruction_count; i++)
        for (uint32_t j = 0; j < f->instructions[i].operand_count; j++) {
            const struct ptx_operand *o = &f->instructions[i].operands[j];
            if (o->kind == PTX_OPERAND_SPECIAL &&
                (o->index == PTX_ENVREG1 || o->index == PTX_ENVREG2))
                return true;
        }
    return false;
}

bool ptx_reads_workspace(const struct ptx_plan *plan)
{
    for (size_t i = 0; i < plan->body_count; i++)
        if (reads_workspace(plan->bodies[i].function))
            return true;
    return false;
}

static bool is_of_textures(uint16_t opcode)
{
    return opcode == PTX_OPCODE_tex || opcode == PTX_OPCODE_tld4 || opcode == PTX_OPCODE_txq ||
           opcode == PTX_OPCODE_suld || opcode == PTX_OPCODE_sust || opcode == PTX_OPCODE_sured ||
           opcode == PTX_OPCODE_suq;
}

/* The parameters of images cannot be handed on to the function that a block is. */
static bool has_textures(const struct ptx_plan *plan)
{
    for (size_t i = 0; i < plan->body_count; i++) {
        const struct ptx_function *f = plan->bodies[i].function;
        for (size_t j = 0; j < f->instruction_count; j++)
            if (is_of_textures(f->instructions[j].opcode))
                return true;
    }
    return false;
}

/* Calls that are left have no such loops, or are of forms whose blocks cannot be left. */
void ptx_find_turns(struct ptx_emitter *e)
{
    struct ptx_plan *plan = e->plan;
    bool waits = false;
    if (!e->target->is_cpu)
        return;
    for (size_t i = 0; i < plan->body_count && !waits; i++)
        waits = ptx_waits_for_blocks(e, plan->bodies[i].function, NULL);
    plan->takes_turns =
        plan->form != PTX_FORM_ITEM && !has_textures(plan) && (waits || ptx_reads_workspace(plan));
    plan->waits_for_blocks = waits && !plan->takes_turns;
}

/* ---- What a block's text has of it ---- */

void ptx_turn_begin(struct ptx_emitter *e)
{
    if (!e->plan->takes_turns)
        return;
    ptx_line(e, "const uint clem_resumes = clem_resumes_turn(clem_turn);");
    ptx_line(e, "uint clem_moved = !clem_resumes;");
    ptx_line(e, "uint clem_rounds = 0u;");
    ptx_line(e, "(void)clem_moved, (void)clem_rounds;");
}

void ptx_turn_unless_resumed(struct ptx_emitter *e)
{
    if (e->plan->takes_turns)
        ptx_line(e, "if (!clem_resumes)");
}

void ptx_turn_resume(struct ptx_emitter *e, const char *before)
{
    if (!e->plan->takes_turns)
        return;
    ptx_line(e, "if (clem_resumes) {");
    if (before)
        ptx_line(e, "clem_take_arrived(clem_turn, clem_arrived);");
    if (before && before[0])
        ptx_line(e, "%s", before);
    ptx_line(e, "goto clem_again;");
    ptx_line(e, "}");
}

void ptx_turn_name_resume(struct ptx_emitter *e)
{
    if (e->plan->takes_turns)
        ptx_text_put(e->out, "clem_again:;\n");
}

void ptx_turn_leave(struct ptx_emitter *e, const char *condition)
{
    if (!e->plan->takes_turns)
        return;
    if (condition)
        ptx_line(e, "if (%s) {", condition);
    else
        ptx_line(e, "if (clem_left) {");
    if (condition)
        ptx_line(e, "clem_keep_arrived(clem_turn, clem_arrived);");
    ptx_line(e, "clem_leave_turn(clem_turn, clem_moved);");
    ptx_line(e, "return;");
    ptx_line(e, "}");
}
