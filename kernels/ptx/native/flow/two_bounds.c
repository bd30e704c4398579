/* Comparisons of the larger or the smaller of two numbers: compilers make max(x, y) < n of x < n && y < n, as most kernels over a
 * picture begin. Of two comparisons each is one of a line (line_compare.c) or of a number that all threads have, and tells without a
 * vector what all lanes of a warp do (quick_way.c): sobel takes 0.82 of the time, life 0.96. Where a warp is one row of threads, kernels that
 * do little lose by it (gauss and relaxation a twentieth, jacobi_2d 0.03), and keep the one comparison.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/native/native_flow.h"

/* Instructions between the two that are looked through. */
enum { FARTHEST = 32 };

/* Instructions of a kernel that does little. */
enum { LITTLE = 56 };

struct bounds {
    const struct ptx_function *from;
    struct ptx_function *to;
    uint32_t *writes, *reads, *setter; /* per register; setter: the last instruction that sets it */
    uint32_t at;
    bool *begins, *is_gone; /* per instruction: a label stands before it; it is no more */
    uint32_t *extreme,
        *operand; /* per comparison: of which, and which operand that is; operand 0: it stays */
};

static void count_read(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct bounds *b = with;
    b->reads[index]++;
}

static void count_write(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct bounds *b = with;
    b->writes[index]++;
    b->setter[index] = b->at;
}

static void count(struct bounds *b)
{
    for (b->at = 0; b->at < b->from->instruction_count; b->at++) {
        ptx_flow_reads(&b->from->instructions[b->at], count_read, b);
        ptx_flow_writes(&b->from->instructions[b->at], count_write, b);
    }
    for (size_t i = 0; i < b->from->label_count; i++)
        b->begins[b->from->labels[i].instruction] = true;
}

static struct bounds look_at(struct ptx_arena *arena, const struct ptx_function *from)
{
    const size_t registers = from->register_count + 1, all = from->instruction_count + 1;
    struct bounds b = {.from = from,
                       .writes = ptx_arena_array(arena, registers, sizeof *b.writes),
                       .reads = ptx_arena_array(arena, registers, sizeof *b.reads),
                       .setter = ptx_arena_array(arena, registers, sizeof *b.setter),
                       .begins = ptx_arena_take(arena, all),
                       .is_gone = ptx_arena_take(arena, all),
                       .extreme = ptx_arena_array(arena, all, sizeof *b.extreme),
                       .operand = ptx_arena_array(arena, all, sizeof *b.operand)};
    ptx_steps(arena, all);
    count(&b);
    return b;
}

/* ---- Which comparisons ---- */

static bool is_plain(const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_REGISTER && !o->part && !o->is_negated;
}

static bool is_number(const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_INTEGER || is_plain(o);
}

/* Whether a relation asks for a lesser number, as `compare` with or without a sign; of others, whether for a greater one. */
static bool is_less(uint8_t compare)
{
    return compare == PTX_LT || compare == PTX_LE || compare == PTX_CMP_LO || compare == PTX_CMP_LS;
}

static bool is_greater(uint8_t compare)
{
    return compare == PTX_GT || compare == PTX_GE || compare == PTX_CMP_HI || compare == PTX_CMP_HS;
}

static bool has_sign(const struct ptx_instruction *in)
{
    return ptx_type_is_signed((enum ptx_type)in->types[0]) && in->compare < PTX_CMP_LO;
}

static bool is_comparison(const struct ptx_instruction *in)
{
    const enum ptx_type type = (enum ptx_type)in->types[0];
    return in->opcode == PTX_OPCODE_setp && in->guard < 0 && in->operand_count == 3 &&
           !in->has_second_destination && is_plain(&in->operands[0]) &&
           is_number(&in->operands[1]) && is_number(&in->operands[2]) &&
           ptx_native_bits(type) == 32 && !ptx_type_is_float(type) &&
           (is_less(in->compare) || is_greater(in->compare));
}

static bool is_extreme(const struct ptx_instruction *in)
{
    const enum ptx_type type = (enum ptx_type)in->types[0];
    return (in->opcode == PTX_OPCODE_max || in->opcode == PTX_OPCODE_min) && in->guard < 0 &&
           in->operand_count == 3 && in->flags == 0 && (type == PTX_S32 || type == PTX_U32) &&
           is_number(&in->operands[1]) && is_number(&in->operands[2]);
}

static bool is_changed(const struct ptx_instruction *in, const struct ptx_operand *number)
{
    return number->kind == PTX_OPERAND_REGISTER &&
           ptx_flow_writes_register(in, (uint32_t)number->index);
}

/* What stands between the two changes neither the way nor the numbers. */
static bool is_kept(const struct bounds *b, uint32_t extreme, uint32_t at)
{
    const struct ptx_instruction *all = b->from->instructions;
    bool is = at > extreme && at - extreme <= FARTHEST && !b->begins[at];
    for (uint32_t i = extreme + 1; is && i < at; i++)
        is = !b->begins[i] && ptx_flow_is_pure(b->from, &all[i]) &&
             !is_changed(&all[i], &all[extreme].operands[1]) &&
             !is_changed(&all[i], &all[extreme].operands[2]);
    return is;
}

/* Finds the operand of a comparison that is such a number, of which nothing else is read. */
static bool find(struct bounds *b, uint32_t at)
{
    const struct ptx_instruction *in = &b->from->instructions[at];
    for (unsigned i = 1; is_comparison(in) && i < 3; i++) {
        const struct ptx_operand *o = &in->operands[i];
        if (!is_plain(o) || b->writes[o->index] != 1 || b->reads[o->index] != 1)
            continue;
        const uint32_t extreme = b->setter[o->index];
        const struct ptx_instruction *made = &b->from->instructions[extreme];
        if (!is_extreme(made) ||
            has_sign(in) != ptx_type_is_signed((enum ptx_type)made->types[0]) ||
            !is_kept(b, extreme, at))
            continue;
        b->extreme[at] = extreme;
        b->operand[at] = i;
        b->is_gone[extreme] = true;
        return true;
    }
    return false;
}

/* ---- What becomes of them ---- */

/* Both numbers are on the side that is asked for if the larger is on the lesser one, or the smaller on the greater one. */
static bool wants_both(const struct ptx_instruction *in, unsigned which, uint16_t extreme)
{
    const bool is_below = which == 1 ? is_less(in->compare) : is_greater(in->compare);
    return is_below == (extreme == PTX_OPCODE_max);
}

static struct ptx_operand new_truth(struct ptx_function *to, const struct ptx_operand *like)
{
    to->registers[to->register_count] = to->registers[like->index];
    return (struct ptx_operand){.kind = PTX_OPERAND_REGISTER,
                                .index = (int32_t)to->register_count++};
}

static void write_both(struct ptx_arena *arena, const struct bounds *b, uint32_t from,
                       struct ptx_instruction *at)
{
    const struct ptx_instruction *in = &b->from->instructions[from],
                                 *extreme = &b->from->instructions[b->extreme[from]];
    const unsigned which = b->operand[from];
    at[2] = *in;
    at[2].opcode = wants_both(in, which, extreme->opcode) ? PTX_OPCODE_and : PTX_OPCODE_or;
    at[2].types[0] = PTX_PRED;
    at[2].compare = PTX_COMPARE_NONE;
    at[2].operands = ptx_arena_array(arena, 3, sizeof *at[2].operands);
    at[2].operands[0] = in->operands[0];
    for (unsigned i = 0; i < 2; i++) {
        at[i] = *in;
        at[i].operands = ptx_arena_array(arena, 3, sizeof *at[i].operands);
        at[i].operands[0] = at[2].operands[1 + i] = new_truth(b->to, &in->operands[0]);
        at[i].operands[which] = extreme->operands[1 + i];
        at[i].operands[3 - which] = in->operands[3 - which];
    }
}

static void write_all(struct ptx_arena *arena, const struct bounds *b)
{
    struct ptx_function *to = b->to;
    const size_t before = b->from->instruction_count;
    uint32_t *now = ptx_arena_array(arena, before + 1, sizeof *now), count = 0;
    for (uint32_t i = 0; i < before; i++) {
        now[i] = count;
        if (b->operand[i] > 0) {
            write_both(arena, b, i, &to->instructions[count]);
            count += 3;
        } else if (!b->is_gone[i]) {
            to->instructions[count++] = b->from->instructions[i];
        }
    }
    now[before] = count;
    to->instruction_count = count;
    for (size_t i = 0; i < to->label_count; i++) {
        to->labels[i] = b->from->labels[i];
        to->labels[i].instruction = now[to->labels[i].instruction];
    }
}

const struct ptx_function *ptx_native_with_two_bounds(struct ptx_native *n,
                                                      const struct ptx_function *from)
{
    struct ptx_arena *arena = n->e->arena;
    if (from->instruction_count < LITTLE && n->e->target->threads != PTX_THREADS_HALVES)
        return from;
    struct bounds b = look_at(arena, from);
    size_t found = 0;
    for (uint32_t i = 0; i < from->instruction_count; i++)
        found += find(&b, i);
    if (found == 0)
        return from;
    b.to = ptx_arena_take(arena, sizeof *b.to);
    *b.to = *from;
    b.to->registers =
        ptx_arena_array(arena, from->register_count + 2 * found, sizeof *b.to->registers);
    memcpy(b.to->registers, from->registers, from->register_count * sizeof *from->registers);
    b.to->instructions =
        ptx_arena_array(arena, from->instruction_count + 2 * found, sizeof *b.to->instructions);
    b.to->labels = ptx_arena_array(arena, from->label_count + 1, sizeof *b.to->labels);
    write_all(arena, &b);
    return b.to;
}
