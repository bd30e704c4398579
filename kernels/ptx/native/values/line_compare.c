/* Comparisons of a line (lines.c) with a number that is the same for all lanes: where all lanes of a warp are on one side, as in most
 * turns of a loop over an array, the answer is a number that nothing has to be waited for, once the processor foresees the way.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/native/native_flow.h"

struct comparison {
    struct ptx_native_term line;
    const char *bound;
    uint8_t relation; /* PTX_LT, PTX_LE, PTX_GT or PTX_GE of a lane's number to the bound */
    bool is_signed;
};

/* As between signed numbers; PTX_COMPARE_NONE: another. */
static uint8_t relation_of(uint8_t compare, bool is_turned)
{
    static const uint8_t relations[][3] = {
        {PTX_LT, PTX_CMP_LO, PTX_GT},
        {PTX_LE, PTX_CMP_LS, PTX_GE},
        {PTX_GT, PTX_CMP_HI, PTX_LT},
        {PTX_GE, PTX_CMP_HS, PTX_LE},
    };
    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++)
        if (compare == relations[i][0] || compare == relations[i][1])
            return relations[i][is_turned ? 2 : 0];
    return PTX_COMPARE_NONE;
}

static bool is_rising(struct ptx_native_line line)
{
    enum { MOST_STEP = 1 << 20 };
    return line.kind == PTX_LINE_PLAIN && line.step >= 0 && line.step <= MOST_STEP;
}

/* Which operand is the line, where the other is a number; 0: it is no such comparison. */
static unsigned line_of(struct ptx_native *n, const struct ptx_instruction *in)
{
    const enum ptx_type type = (enum ptx_type)in->types[0];
    if (in->opcode != PTX_OPCODE_setp || in->guard >= 0 || in->operand_count != 3 ||
        in->has_second_destination || in->operands[0].kind != PTX_OPERAND_REGISTER ||
        in->operands[0].part || ptx_native_bits(type) != 32 || ptx_type_is_float(type) ||
        ptx_native_is_uniform(n, (uint32_t)in->operands[0].index))
        return 0;
    const unsigned line = ptx_native_varies(n, &in->operands[2]) ? 2 : 1;
    const struct ptx_operand *o = &in->operands[line];
    return !ptx_native_varies(n, &in->operands[3 - line]) && o->kind == PTX_OPERAND_REGISTER &&
                   !o->part && !o->is_negated && ptx_native_is_line(n, (uint32_t)o->index) &&
                   is_rising(n->flow->lines[o->index]) &&
                   relation_of(in->compare, line == 2) != PTX_COMPARE_NONE
               ? line
               : 0;
}

static void describe(struct ptx_native *n, const struct ptx_instruction *in, unsigned line,
                     struct comparison *comparison)
{
    comparison->relation = relation_of(in->compare, line == 2);
    comparison->is_signed =
        ptx_type_is_signed((enum ptx_type)in->types[0]) && in->compare < PTX_CMP_LO;
    comparison->line = ptx_native_term_of(n, &in->operands[line], 32);
    n->is_vector = false;
    comparison->bound = ptx_native_read(n, &in->operands[3 - line], PTX_U32).text;
}

static const char *word_of(const struct comparison *c, uint8_t relation)
{
    switch (relation) {
    case PTX_LT:
        return c->is_signed ? "slt" : "ult";
    case PTX_LE:
        return c->is_signed ? "sle" : "ule";
    case PTX_GT:
        return c->is_signed ? "sgt" : "ugt";
    default:
        return c->is_signed ? "sge" : "uge";
    }
}

static uint8_t opposite(uint8_t relation)
{
    switch (relation) {
    case PTX_LT:
        return PTX_GE;
    case PTX_LE:
        return PTX_GT;
    case PTX_GT:
        return PTX_LE;
    default:
        return PTX_LT;
    }
}

static bool is_below(uint8_t relation)
{
    return relation == PTX_LT || relation == PTX_LE;
}

static struct comparison with_opposite(struct comparison c)
{
    c.relation = opposite(c.relation);
    return c;
}

/* What is asked first: whether all are below the bound, where an array's elements are, unless the other way leads back. */
static struct comparison with_below(struct comparison c, bool is_round)
{
    return is_round || is_below(c.relation) ? c : with_opposite(c);
}

/* Whether the relation holds for all lanes: of the first it follows for the others, or of the last. */
static const char *holds_for_all(struct ptx_native *n, const struct comparison *c, uint8_t relation,
                                 const char *first, const char *last)
{
    return ptx_native_emit(n, "icmp %s i32 %s, %s", word_of(c, relation),
                           is_below(relation) ? last : first, c->bound);
}

/* Numbers that go up by one from a multiple of 32 on are all below a multiple of 32, or none is. */
bool ptx_native_may_compare_alike(const struct ptx_instruction *in)
{
    if (in->opcode != PTX_OPCODE_setp || in->guard >= 0 || in->operand_count != 3 ||
        in->has_second_destination || in->operands[0].kind != PTX_OPERAND_REGISTER ||
        in->operands[0].part || in->operands[1].kind != PTX_OPERAND_REGISTER ||
        in->operands[1].part || in->operands[2].kind != PTX_OPERAND_INTEGER ||
        ptx_native_bits((enum ptx_type)in->types[0]) != 32 ||
        ptx_type_is_float((enum ptx_type)in->types[0]))
        return false;
    const uint32_t bound = (uint32_t)in->operands[2].bits;
    switch (relation_of(in->compare, false)) {
    case PTX_LT:
    case PTX_GE:
        return bound % PTX_NATIVE_LANES == 0;
    case PTX_LE:
    case PTX_GT:
        return bound % PTX_NATIVE_LANES == PTX_NATIVE_LANES - 1;
    default:
        return false;
    }
}

bool ptx_native_compares_alike(struct ptx_native *n, const struct ptx_instruction *in)
{
    enum { ROW_ZEROS = 5 };
    const struct ptx_native_flow *f = n->flow;
    const uint32_t index = (uint32_t)in->operands[1].index;
    const struct ptx_native_line line = f->lines[index];
    const int32_t node = f->graph->node_of[in - f->function->instructions];
    const bool is_row = line.kind == PTX_LINE_PLAIN && line.is_whole && line.step == 1 &&
                        line.zeros >= ROW_ZEROS &&
                        ptx_native_bits((enum ptx_type)f->function->registers[index].type) == 32;
    return (is_row || f->uniform.registers[index]) &&
           !ptx_native_is_wanted(n, node, (uint32_t)in->operands[0].index);
}

/* Of a row that begins at a multiple of 32, the lanes below a bound: all, none, or as many as the bound's rest. */
static const char *lanes_below(struct ptx_native *n, const struct comparison *c, uint32_t bound)
{
    const uint32_t rest = bound % PTX_NATIVE_LANES;
    const char *start = ptx_format(n->e, "%d", (int)(int32_t)(bound - rest));
    const char *first = c->line.base[0];
    const char *is_below =
        ptx_native_emit(n, "icmp %s i32 %s, %s", c->is_signed ? "slt" : "ult", first, start);
    const char *is_there = ptx_native_emit(n, "icmp eq i32 %s, %s", first, start);
    const char *lanes = ptx_native_emit(n, "select i1 %s, i32 -1, i32 0", is_below);
    return rest == 0 ? lanes
                     : ptx_native_emit(n, "select i1 %s, i32 %d, i32 %s", is_there,
                                       (int)((UINT32_C(1) << rest) - 1), lanes);
}

static bool is_whole_row(const struct comparison *c)
{
    enum { ROW_ZEROS = 5 };
    return c->line.line.step == 1 && c->line.line.zeros >= ROW_ZEROS;
}

/* NULL: the bound is no such number. */
static const char *compare_row(struct ptx_native *n, const struct comparison *c,
                               const struct ptx_operand *bound)
{
    const bool is_over = c->relation == PTX_LE || c->relation == PTX_GT;
    const uint32_t most = c->is_signed ? (uint32_t)INT32_MAX : UINT32_MAX;
    if (bound->kind != PTX_OPERAND_INTEGER || !is_whole_row(c) ||
        (is_over && (uint32_t)bound->bits == most))
        return NULL;
    const char *below = lanes_below(n, c, (uint32_t)bound->bits + is_over);
    return c->relation == PTX_LT || c->relation == PTX_LE
               ? below
               : ptx_native_emit(n, "xor i32 %s, -1", below);
}

static void set_lanes(struct ptx_native *n, const struct ptx_instruction *in, const char *word)
{
    const struct ptx_native_value result = {ptx_native_emit(n, "bitcast i32 %s to <32 x i1>", word),
                                            1, true};
    n->is_vector = true;
    ptx_native_keep(n, in, &result, 1);
}

/* Whether all lanes are below the bound, with numbers so wide that none of them wraps around. */
static const char *are_all_below(struct ptx_native *n, const struct ptx_instruction *in,
                                 const struct comparison *c, int64_t reach)
{
    const char *limit = ptx_native_closes_round(n->flow, in)
                            ? ptx_native_limit_of_rounds(n, &in->operands[2], c->is_signed,
                                                         c->relation == PTX_LT ? reach : reach - 1)
                            : NULL;
    if (limit)
        return ptx_native_emit(n, "icmp %s i32 %s, %s", c->is_signed ? "slt" : "ult",
                               c->line.base[0], limit);
    const char *extend = c->is_signed ? "sext" : "zext";
    const char *first = ptx_native_emit(n, "%s i32 %s to i64", extend, c->line.base[0]);
    const char *bound = ptx_native_emit(n, "%s i32 %s to i64", extend, c->bound);
    const char *end = ptx_native_emit(n, "sub i64 %s, %lld", bound, (long long)reach);
    return ptx_native_emit(n, "icmp %s i64 %s, %s", c->relation == PTX_LT ? "slt" : "sle", first,
                           end);
}

/* The number of the last lane of a warp, or of a half of one, behind the first; and whether none has wrapped around until there. */
static const char *find_last(struct ptx_native *n, const struct comparison *c, const char *first,
                             const char **last)
{
    const int64_t lanes = c->line.line.is_whole ? PTX_NATIVE_LANES : PTX_NATIVE_LANES / 2;
    const int64_t reach = c->line.line.step * (lanes - 1);
    const int64_t most = (c->is_signed ? (int64_t)INT32_MAX : (int64_t)UINT32_MAX) - reach;
    *last = ptx_native_emit(n, "add i32 %s, %lld", first, (long long)reach);
    return ptx_native_emit(n, "icmp %s i32 %s, %d", c->is_signed ? "sle" : "ule", first,
                           (int)(int32_t)(uint32_t)most);
}

bool ptx_native_may_hold_for_all(struct ptx_native *n, const struct ptx_instruction *in)
{
    return line_of(n, in) != 0;
}

const char *ptx_native_holds_for_all(struct ptx_native *n, const struct ptx_instruction *in,
                                     bool wanted)
{
    struct comparison c;
    const char *all = NULL;
    describe(n, in, line_of(n, in), &c);
    const bool is_one = c.line.line.is_whole || c.line.line.is_twin;
    for (unsigned half = 0; half < (is_one ? 1 : 2); half++) {
        const char *first = c.line.base[half], *last;
        const char *is_straight = find_last(n, &c, first, &last);
        const char *holds =
            holds_for_all(n, &c, wanted ? c.relation : opposite(c.relation), first, last);
        holds = ptx_native_emit(n, "and i1 %s, %s", is_straight, holds);
        all = all ? ptx_native_emit(n, "and i1 %s, %s", all, holds) : holds;
    }
    return all;
}

/* Of numbers that go up by one and do not wrap around, the lanes that hold where some do and some do not: those before or behind the
 * bound. */
static const char *lanes_at_bound(struct ptx_native *n, const struct comparison *c)
{
    const bool is_over = c->relation == PTX_LE || c->relation == PTX_GT;
    const char *count =
        ptx_native_emit(n, "sub i32 %s, %s", c->bound, ptx_native_held_apart(n, c->line.base[0]));
    if (is_over)
        count = ptx_native_emit(n, "add i32 %s, 1", count);
    const char *behind = ptx_native_emit(n, "shl i32 -1, %s", count);
    return c->relation == PTX_LT || c->relation == PTX_LE
               ? ptx_native_emit(n, "xor i32 %s, -1", behind)
               : behind;
}

/* Whether a comparison decides alone which lanes go on where its node ends: then how many there are is waited for, and otherwise
 * vectors are made of its truths. */
static bool is_way(const struct ptx_native_flow *f, const struct ptx_instruction *in)
{
    const struct ptx_node *node = &f->graph->nodes[f->node];
    const struct ptx_instruction *last = &f->function->instructions[node->end - 1];
    return last->opcode == PTX_OPCODE_bra && last->guard == in->operands[0].index;
}

/* Lane by lane. */
static const char *lanes_of_each(struct ptx_native *n, const struct comparison *c)
{
    const char *truths =
        ptx_native_emit(n, "icmp %s <32 x i32> %s, %s", word_of(c, c->relation),
                        ptx_native_of_term(n, c->line, 32).text,
                        ptx_native_vector(n, ptx_native_number(n, 32, c->bound)).text);
    return ptx_native_emit(n, "bitcast <32 x i1> %s to i32", truths);
}

bool ptx_native_describe_bound(struct ptx_native *n, const struct ptx_instruction *in,
                               struct ptx_native_bound *bound)
{
    const unsigned line = line_of(n, in);
    if (line == 0 || !n->flow->lines[in->operands[line].index].is_whole ||
        n->flow->lines[in->operands[line].index].step == 0)
        return false;
    const uint8_t relation = relation_of(in->compare, line == 2);
    *bound = (struct ptx_native_bound){
        .number = &in->operands[line],
        .to = &in->operands[3 - line],
        .is_signed = ptx_type_is_signed((enum ptx_type)in->types[0]) && in->compare < PTX_CMP_LO,
        .is_strict = relation == PTX_LT || relation == PTX_GE,
        .holds = is_below(relation)};
    return true;
}

bool ptx_native_compare_line(struct ptx_native *n, const struct ptx_instruction *in)
{
    struct comparison c;
    const unsigned line = line_of(n, in);
    if (line == 0 || !n->flow->lines[in->operands[line].index].is_whole ||
        n->flow->lines[in->operands[line].index].step == 0)
        return false;
    describe(n, in, line, &c);
    const char *row = compare_row(n, &c, &in->operands[3 - line]);
    if (row) {
        set_lanes(n, in, row);
        return true;
    }
    const int64_t reach = c.line.line.step * (PTX_NATIVE_LANES - 1);
    const char *first = c.line.base[0], *last;
    const char *is_straight = find_last(n, &c, first, &last);
    const bool is_round = ptx_native_closes_round(n->flow, in);
    const struct comparison below = with_below(c, is_round), above = with_opposite(below);
    const char *all = is_below(below.relation)
                          ? are_all_below(n, in, &below, reach)
                          : ptx_native_emit(n, "and i1 %s, %s", is_straight,
                                            holds_for_all(n, &below, below.relation, first, last));
    const char *none = holds_for_all(n, &above, above.relation, first, last);
    const char *rest = ptx_native_name(n, "compare"), *each = ptx_native_name(n, "compare"),
               *end = ptx_native_name(n, "compare"), *before = n->flow->block;
    if (is_round)
        before = ptx_native_round(n, all, rest, end);
    else
        ptx_native_do(n, "br i1 %s, label %%%s, label %%%s", all, end, rest);
    ptx_native_label(n, rest);
    const int holds = below.relation == c.relation ? -1 : 0, fails = -1 - holds;
    const char *others;
    if (c.line.line.step == 1 && is_way(n->flow, in)) {
        const char *near = ptx_native_name(n, "compare"), *few = ptx_native_name(n, "compare");
        ptx_native_do(n, "br i1 %s, label %%%s, label %%%s, !prof !1", is_straight, near, each);
        ptx_native_label(n, near);
        ptx_native_do(n, "br i1 %s, label %%%s, label %%%s", none, end, few);
        ptx_native_label(n, few);
        const char *lanes = lanes_at_bound(n, &c);
        ptx_native_jump(n, end);
        others = ptx_format(n->e, "[%d, %%%s], [%s, %%%s]", fails, near, lanes, few);
    } else {
        ptx_native_do(n, "br i1 %s, label %%%s, label %%%s",
                      ptx_native_emit(n, "and i1 %s, %s", is_straight, none), end, each);
        others = ptx_format(n->e, "[%d, %%%s]", fails, rest);
    }
    ptx_native_label(n, each);
    others = ptx_format(n->e, "%s, [%s, %%%s]", others, lanes_of_each(n, &c), each);
    ptx_native_jump(n, end);
    ptx_native_label(n, end);
    const char *word = before ? ptx_native_emit(n, "phi i32 [%d, %%%s], %s", holds, before, others)
                              : ptx_native_emit(n, "phi i32 %s", others);
    set_lanes(n, in, word);
    return true;
}
