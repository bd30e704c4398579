/* How registers change along a row of threads.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/analyse/step.h"

static int32_t step_from(int64_t step)
{
    return step > PTX_STEP_SLOW && step <= INT32_MAX ? (int32_t)step : PTX_STEP_UNKNOWN;
}

static int32_t step_of_product(int32_t step, int64_t factor)
{
    if (step <= PTX_STEP_SLOW || step == 0)
        return step;
    return factor > INT32_MAX || factor < INT32_MIN ? PTX_STEP_UNKNOWN : step_from(step * factor);
}

static int32_t step_of_sum(int32_t a, int32_t b)
{
    if (a == PTX_STEP_UNKNOWN || b == PTX_STEP_UNKNOWN)
        return PTX_STEP_UNKNOWN;
    if (a == PTX_STEP_NONE || b == PTX_STEP_NONE)
        return PTX_STEP_NONE;
    if (a == PTX_STEP_SLOW || b == PTX_STEP_SLOW)
        return (a == 0 || a == PTX_STEP_SLOW) && (b == 0 || b == PTX_STEP_SLOW) ? PTX_STEP_SLOW
                                                                                : PTX_STEP_UNKNOWN;
    return step_from((int64_t)a + b);
}

int32_t ptx_step_of_operand(const int32_t *steps, const struct ptx_operand *operand)
{
    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
    case PTX_OPERAND_ADDRESS:
        if (operand->index < 0)
            return 0;
        return operand->part ? PTX_STEP_UNKNOWN : steps[operand->index];
    case PTX_OPERAND_SPECIAL:
        if (operand->index == PTX_TID_X)
            return 1;
        return operand->index == PTX_TID_Y || operand->index == PTX_TID_Z ||
                       ptx_special_is_uniform(operand->index)
                   ? 0
                   : PTX_STEP_UNKNOWN;
    case PTX_OPERAND_VECTOR:
    case PTX_OPERAND_TEXTURE:
        return PTX_STEP_UNKNOWN;
    default:
        return 0;
    }
}

/* Of what is computed from what an instruction reads, in no way that is known: 0 where all that is the same for the row. */
static int32_t step_of_rest(const int32_t *steps, const struct ptx_instruction *in)
{
    int32_t step = 0;
    for (uint32_t i = ptx_destination_count(in); i < in->operand_count && step == 0; i++)
        step = ptx_step_of_operand(steps, &in->operands[i]);
    return step == 0 || step == PTX_STEP_NONE ? step : PTX_STEP_UNKNOWN;
}

static int32_t step_of_factors(const int32_t *steps, const struct ptx_operand *o)
{
    const int32_t a = ptx_step_of_operand(steps, &o[0]), b = ptx_step_of_operand(steps, &o[1]);
    if (o[1].kind == PTX_OPERAND_INTEGER)
        return step_of_product(a, o[1].bits);
    if (o[0].kind == PTX_OPERAND_INTEGER)
        return step_of_product(b, o[0].bits);
    return a == 0 && b == 0                           ? 0
           : a == PTX_STEP_NONE || b == PTX_STEP_NONE ? PTX_STEP_NONE
                                                      : PTX_STEP_UNKNOWN;
}

static int32_t step_of_shift(const int32_t *steps, const struct ptx_instruction *in)
{
    const struct ptx_operand *o = in->operands;
    return o[2].kind == PTX_OPERAND_INTEGER && o[2].bits >= 0 && o[2].bits < 31
               ? step_of_product(ptx_step_of_operand(steps, &o[1]), INT64_C(1) << o[2].bits)
               : step_of_rest(steps, in);
}

/* Of what is without the lowest bits of something; the sign of a number counts as the same for all, which it is where
 * compilers ask for it: in divisions of what is not negative. */
static int32_t step_of_upper(const int32_t *steps, const struct ptx_instruction *in)
{
    const struct ptx_operand *o = in->operands;
    const int32_t step = ptx_step_of_operand(steps, &o[1]);
    if (in->opcode == PTX_OPCODE_shr && o[2].kind == PTX_OPERAND_INTEGER && o[2].bits >= 31)
        return step == PTX_STEP_NONE || step == PTX_STEP_UNKNOWN ? step : 0;
    const bool is_cut = o[2].kind == PTX_OPERAND_INTEGER &&
                        (in->opcode == PTX_OPCODE_and ? (int32_t)o[2].bits < 0 : o[2].bits > 0);
    return is_cut && (step > PTX_STEP_SLOW ? step != 0 : step == PTX_STEP_SLOW)
               ? PTX_STEP_SLOW
               : step_of_rest(steps, in);
}

/* Of what is kept within bounds that are the same for all: most threads are. */
static int32_t step_of_clamp(const int32_t *steps, const struct ptx_instruction *in)
{
    const int32_t a = ptx_step_of_operand(steps, &in->operands[1]),
                  b = ptx_step_of_operand(steps, &in->operands[2]);
    const int32_t step = a == 0 ? b : b == 0 ? a : PTX_STEP_UNKNOWN;
    return step > PTX_STEP_SLOW && !ptx_type_is_float(in->types[0]) ? step
                                                                    : step_of_rest(steps, in);
}

/* Of what an instruction writes. */
static int32_t step_of_result(const int32_t *steps, const struct ptx_instruction *in)
{
    const struct ptx_operand *o = in->operands;
    switch (in->operand_count > 2 || in->opcode == PTX_OPCODE_mov ? in->opcode : PTX_OPCODE_cvt) {
    case PTX_OPCODE_mov:
        return ptx_step_of_operand(steps, &o[1]);
    case PTX_OPCODE_or: /* a sum whose terms have no bit in common */
    case PTX_OPCODE_add:
        return step_of_sum(ptx_step_of_operand(steps, &o[1]), ptx_step_of_operand(steps, &o[2]));
    case PTX_OPCODE_sub:
        return step_of_sum(ptx_step_of_operand(steps, &o[1]),
                           step_of_product(ptx_step_of_operand(steps, &o[2]), -1));
    case PTX_OPCODE_mul:
        return step_of_factors(steps, &o[1]);
    case PTX_OPCODE_mad:
        return step_of_sum(step_of_factors(steps, &o[1]), ptx_step_of_operand(steps, &o[3]));
    case PTX_OPCODE_shl:
        return step_of_shift(steps, in);
    case PTX_OPCODE_min:
    case PTX_OPCODE_max:
        return step_of_clamp(steps, in);
    case PTX_OPCODE_shr:
    case PTX_OPCODE_and:
    case PTX_OPCODE_div:
        return step_of_upper(steps, in);
    default:
        return (in->opcode == PTX_OPCODE_cvt && !ptx_type_is_float(in->types[0])) ||
                       in->opcode == PTX_OPCODE_cvta
                   ? ptx_step_of_operand(steps, &o[1])
                   : step_of_rest(steps, in);
    }
}

struct writing {
    int32_t *steps, step;
    bool is_changed;
};

static void note_step(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct writing *w = with;
    const int32_t before = w->steps[index];
    if (before == PTX_STEP_NONE)
        w->steps[index] = w->step;
    else if (w->step != PTX_STEP_NONE && w->step != before)
        w->steps[index] = PTX_STEP_UNKNOWN;
    w->is_changed |= w->steps[index] != before;
}

/* What is known to be the same for all threads is so; all else is as it is written. */
int32_t *ptx_find_steps(struct ptx_arena *arena, const struct ptx_function *f, const bool *uniform)
{
    int32_t *steps = ptx_arena_array(arena, f->register_count + 1, sizeof *steps);
    for (size_t i = 0; i < f->register_count; i++)
        steps[i] = uniform && uniform[i] ? 0 : PTX_STEP_NONE;
    struct writing w = {.steps = steps, .is_changed = true};
    while (w.is_changed) {
        w.is_changed = false;
        ptx_steps(arena, f->instruction_count);
        for (size_t i = 0; i < f->instruction_count; i++) {
            const struct ptx_instruction *in = &f->instructions[i];
            w.step = in->operand_count < 2 ? PTX_STEP_UNKNOWN : step_of_result(steps, in);
            ptx_flow_writes(in, note_step, &w);
        }
    }
    return steps;
}
