/* Where a thread goes on: bra, brx, ret, exit, trap, and what only waits.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/emit/access.h"
#include "kernels/ptx/emit/checked.h"

static const char *jump(struct ptx_emitter *e, uint32_t label)
{
    const char *by_form = e->hooks && e->hooks->jump ? e->hooks->jump(e, label) : NULL;
    return ptx_access_text(e, PTX_ACCESS_BRANCH,
                           by_form ? by_form : ptx_format(e, "goto L%u;", (unsigned)label));
}

/* The statement that ends the function being written, in an entry the thread. */
static const char *leave(struct ptx_emitter *e)
{
    const bool is_entry = e->function->is_entry;
    const char *text = is_entry && e->hooks && e->hooks->leave ? e->hooks->leave(e) : NULL;
    if (!text)
        text = !is_entry && e->function->result_count
                   ? ptx_format(e, "return %s;", ptx_result_value(e))
                   : "return;";
    return ptx_access_text(e, PTX_ACCESS_BRANCH, text);
}

void ptx_write_return(struct ptx_emitter *e)
{
    ptx_line(e, "%s", leave(e));
}

void ptx_write_exit(struct ptx_emitter *e)
{
    if (!e->function->is_entry) {
        ptx_need(e, PTX_NEED_EXITED);
        ptx_line(e, "*clem_exited = 1;");
    }
    ptx_write_return(e);
}

void ptx_write_trap(struct ptx_emitter *e)
{
    ptx_need(e, PTX_NEED_RUNTIME);
    ptx_line(e, "%s;", ptx_access_text(e, PTX_ACCESS_BRANCH, "clem_trap(clem_runtime)"));
    ptx_write_exit(e);
}

void ptx_write_exit_check(struct ptx_emitter *e)
{
    ptx_need(e, PTX_NEED_EXITED);
    const char *text = leave(e);
    ptx_line(e, "if (*clem_exited)");
    ptx_line(e, "    %s", text);
}

static void emit_switch(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    if (in->operand_count < 2 || in->operands[1].kind != PTX_OPERAND_TARGETS) {
        ptx_refuse(e, "a list of targets is missing");
        return;
    }
    const struct ptx_targets *targets = &e->function->targets[in->operands[1].index];
    const char **jumps = ptx_arena_array(e->arena, targets->count, sizeof *jumps);
    for (size_t i = 0; i < targets->count; i++)
        jumps[i] = jump(e, (uint32_t)targets->labels[i]);
    ptx_line(e, "switch (%s) {", ptx_value(e, &in->operands[0], PTX_U32));
    for (size_t i = 0; i < targets->count; i++)
        ptx_line(e, "case %zu: %s", i, jumps[i]);
    ptx_line(e, "}");
}

static void emit_branch(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    if (in->operand_count < 1 || in->operands[0].kind != PTX_OPERAND_LABEL)
        ptx_refuse(e, "a branch to what is no label");
    else
        ptx_line(e, "%s", jump(e, (uint32_t)in->operands[0].index));
}

/* A barrier of the grid traps where the launch is not cooperative. */
static void check_trap(struct ptx_emitter *e)
{
    if (e->target->checks && ptx_reads_workspace(e->plan))
        ptx_check_told(e, &(struct ptx_told){.kind = CLEM_CHECK_TRAP, .checks = PTX_CHECK_SYNC});
}

bool ptx_emit_flow(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OPCODE_bra:
        emit_branch(e, in);
        return true;
    case PTX_OPCODE_brx:
        emit_switch(e, in);
        return true;
    case PTX_OPCODE_ret:
        ptx_write_return(e);
        return true;
    case PTX_OPCODE_exit:
        ptx_write_exit(e);
        return true;
    case PTX_OPCODE_trap:
        check_trap(e);
        ptx_write_trap(e);
        return true;
    case PTX_OPCODE_brkpt:
    case PTX_OPCODE_nanosleep:
    case PTX_OPCODE_pmevent:
        return true;
    default:
        return false;
    }
}
