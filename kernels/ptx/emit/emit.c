/* Instructions: the order in which the emitters are asked, guards, and what nobody translates.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/emit/checked.h"
#include "kernels/ptx/emit/emit.h"

/* What no OpenCL C can say, and why. */
static const struct {
    uint16_t opcode;
    const char *why;
} refused[] = {
    {PTX_OPCODE_mma, "matrix instructions have no translation"},
    {PTX_OPCODE_wmma, "matrix instructions have no translation"},
    {PTX_OPCODE_wgmma, "matrix instructions have no translation"},
    {PTX_OPCODE_tcgen05, "matrix instructions have no translation"},
    {PTX_OPCODE_ldmatrix, "matrix instructions have no translation"},
    {PTX_OPCODE_stmatrix, "matrix instructions have no translation"},
    {PTX_OPCODE_movmatrix, "matrix instructions have no translation"},
    {PTX_OPCODE_createpolicy, "cache policies have no translation"},
    {PTX_OPCODE_multimem, "multicast memory has no translation"},
    {PTX_OPCODE_tensormap, "tensor maps have no translation"},
    {PTX_OPCODE_setmaxnreg, "register budgets have no translation"},
    {PTX_OPCODE_istypep, "references as values have no translation"},
};

/* Also where the reader knows the opcode alone and none of its modifiers. */
static bool has_opcode(const struct ptx_instruction *in, enum ptx_opcode opcode)
{
    const char *name = ptx_opcode_name(opcode);
    const size_t length = strcspn(in->words, ".");
    return strlen(name) == length && strncmp(name, in->words, length) == 0;
}

static void refuse_unknown(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (has_opcode(in, (enum ptx_opcode)refused[i].opcode)) {
            ptx_refuse(e, "%s", refused[i].why);
            return;
        }
    ptx_refuse(e, "this form of the instruction has no translation");
}

static void write_unguarded(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    static bool (*const emitters[])(struct ptx_emitter *, const struct ptx_instruction *) = {
        ptx_emit_memory,  ptx_emit_move,    ptx_emit_pointer,  ptx_emit_arithmetic, ptx_emit_flow,
        ptx_emit_compare, ptx_emit_convert, ptx_emit_call,     ptx_emit_atomic,     ptx_emit_warp,
        ptx_emit_texture, ptx_emit_video,   ptx_emit_mbarrier,
    };
    bool is_known = false;
    ptx_check_values(e, in);
    e->is_hiding = ptx_hides(e, in);
    for (size_t i = 0; i < sizeof emitters / sizeof *emitters && !is_known; i++)
        is_known = emitters[i](e, in);
    e->is_hiding = false;
    ptx_check_result(e, in);
    if (!is_known)
        refuse_unknown(e, in);
}

static const char *guard_text(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const bool *opaque = e->plan->opaque_guards;
    const char *place = ptx_register_name(e, (uint32_t)in->guard, 0);
    if (opaque && opaque[in - e->function->instructions])
        place = ptx_format(e, "clem_native_opaque(%s)", place);
    return in->guard_negated ? ptx_format(e, "!%s", place) : place;
}

/* Puts `if (...)` before what was written from `start` on, with braces unless it is one line. */
static void write_guard(struct ptx_emitter *e, const struct ptx_instruction *in, size_t start)
{
    struct ptx_text *out = e->out;
    const char *written = ptx_arena_text(e->arena, out->data + start, out->used - start);
    const char *end = strchr(written, '\n');
    const bool is_one_line = end && end[1] == '\0';
    out->used = start;
    out->depth--;
    if (!end)
        return;
    ptx_line(e, "if (%s)%s", guard_text(e, in), is_one_line ? "" : " {");
    ptx_text_put(out, written);
    if (!is_one_line)
        ptx_line(e, "}");
}

void ptx_emit_instruction(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    e->instruction = in;
    if ((e->hooks && e->hooks->instruction && e->hooks->instruction(e, in)) ||
        ptx_emit_copied(e, in))
        return;
    if (in->guard < 0) {
        write_unguarded(e, in);
        return;
    }
    const size_t start = e->out->used;
    e->out->depth++;
    write_unguarded(e, in);
    write_guard(e, in, start);
}
