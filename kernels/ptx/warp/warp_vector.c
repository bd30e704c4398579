/* Instructions as arithmetic of vectors: those that C has an operator for, or library/vector.cl a function. All others are
 * written lane after lane.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/emit/emit_number.h"
#include "kernels/ptx/warp/warp.h"

/* ---- Arithmetic ---- */

enum { WHOLE = 1 << 0, WIDE = 1 << 1, FLOAT = 1 << 2, PREDICATE = 1 << 3, SMALL = 1 << 4 };
enum {
    MODES = PTX_HI | PTX_LO | PTX_WIDE | PTX_SAT | PTX_CC | PTX_RELU | PTX_FTZ | PTX_NAN_FLAG |
            PTX_XORSIGN_ABS
};

/* kinds: whole numbers of 32 bits; of 64; of 16; floats of both sizes; predicates. `types` of the result and the sources as
 * in emit_integer.c: t: the type; n: its size without sign; i: .u32; w: twice the size; v: that without sign. In templates
 * $t is the type's name, and $w that of w. */
struct row {
    uint16_t opcode;
    uint32_t flags; /* of MODES, exactly these */
    uint8_t kinds;
    const char *types, *template;
};

enum { ALL = WHOLE | WIDE | SMALL };

static const struct row rows[] = {
    {PTX_OPCODE_add, 0, ALL, "nnn", "$a + $b"},
    {PTX_OPCODE_sub, 0, ALL, "nnn", "$a - $b"},
    {PTX_OPCODE_mul, PTX_LO, ALL, "nnn", "$a * $b"},
    {PTX_OPCODE_mul, PTX_HI, WHOLE, "ttt", "clem_vmul_hi_$t($a, $b)"},
    {PTX_OPCODE_mad, PTX_LO, ALL, "nnnn", "$a * $b + $c"},
    {PTX_OPCODE_neg, 0, ALL, "nn", "-$a"},
    {PTX_OPCODE_min, 0, ALL, "ttt", "$a < $b ? $a : $b"},
    {PTX_OPCODE_max, 0, ALL, "ttt", "$a > $b ? $a : $b"},
    {PTX_OPCODE_and, 0, ALL | PREDICATE, "nnn", "$a & $b"},
    {PTX_OPCODE_or, 0, ALL | PREDICATE, "nnn", "$a | $b"},
    {PTX_OPCODE_xor, 0, ALL | PREDICATE, "nnn", "$a ^ $b"},
    {PTX_OPCODE_not, 0, ALL | PREDICATE, "nn", "~$a"},
    {PTX_OPCODE_popc, 0, WHOLE, "in", "clem_vpopc_b32($a)"},
    {PTX_OPCODE_clz, 0, WHOLE, "in", "clem_vclz_b32($a)"},
    {PTX_OPCODE_shl, 0, WHOLE | WIDE, "nni", "clem_vshl_$z($a, $b)"},
    {PTX_OPCODE_shr, 0, WHOLE | WIDE, "tti", "clem_vshr_$t($a, $b)"},
    {PTX_OPCODE_add, 0, FLOAT, "ttt", "$a + $b"},
    {PTX_OPCODE_sub, 0, FLOAT, "ttt", "$a - $b"},
    {PTX_OPCODE_mul, 0, FLOAT, "ttt", "$a * $b"},
    {PTX_OPCODE_fma, 0, FLOAT, "tttt", "clem_vfma_$t($a, $b, $c)"},
    {PTX_OPCODE_mad, 0, FLOAT, "tttt", "clem_vfma_$t($a, $b, $c)"},
    {PTX_OPCODE_neg, 0, FLOAT, "tt", "-$a"},
};

static uint8_t kind_of(enum ptx_type type)
{
    if (type == PTX_PRED)
        return PREDICATE;
    if (type == PTX_F32 || type == PTX_F64)
        return FLOAT;
    if (ptx_type_is_float(type) || ptx_is_packed(type))
        return 0;
    switch (ptx_type_bytes(type)) {
    case 2:
        return SMALL;
    case 4:
        return WHOLE;
    case 8:
        return WIDE;
    default:
        return 0;
    }
}

static const struct row *find_row(const struct ptx_instruction *in, enum ptx_type type)
{
    const bool has_form = in->operation != PTX_OP_NONE || ptx_is_directed(in) || in->type_count > 1;
    for (size_t i = 0; !has_form && i < sizeof rows / sizeof *rows; i++)
        if (rows[i].opcode == in->opcode && rows[i].flags == (in->flags & MODES) &&
            (rows[i].kinds & kind_of(type)) && in->operand_count >= strlen(rows[i].types))
            return &rows[i];
    return NULL;
}

static enum ptx_type type_of(char letter, enum ptx_type type)
{
    switch (letter) {
    case 't':
        return type;
    case 'i':
        return PTX_U32;
    default:
        return type == PTX_PRED ? type : ptx_unsigned_type(type);
    }
}

static enum ptx_type numeric(enum ptx_type type)
{
    return ptx_type_is_signed(type) || ptx_type_is_float(type) ? type : ptx_unsigned_type(type);
}

/* The distance of a shift is most often a constant. */
static const char *template_of(const struct ptx_instruction *in, const struct row *row)
{
    const int64_t bits = 8 * (int64_t)ptx_type_bytes((enum ptx_type)in->types[0]);
    const bool is_shift = in->opcode == PTX_OPCODE_shl || in->opcode == PTX_OPCODE_shr;
    if (!is_shift || in->operands[2].kind != PTX_OPERAND_INTEGER || in->operands[2].bits < 0 ||
        in->operands[2].bits >= bits)
        return row->template;
    return in->opcode == PTX_OPCODE_shl ? "$a << $b" : "$a >> $b";
}

static void write_row(struct ptx_emitter *e, const struct ptx_instruction *in,
                      const struct row *row)
{
    const enum ptx_type type = numeric((enum ptx_type)in->types[0]);
    const char *template = template_of(in, row);
    struct ptx_fill fill = {.type = type};
    for (size_t i = 1; row->types[i]; i++) {
        const bool is_distance = i == 2 && template != row->template;
        fill.arguments[i - 1] =
            is_distance ? ptx_format(e, "%lld", (long long)in->operands[2].bits)
                        : ptx_warp_value(e, &in->operands[i], type_of(row->types[i], type));
    }
    ptx_warp_set(e, in, &in->operands[0], type_of(row->types[0], type),
                 ptx_format(e, "(%s)", ptx_expression(e, template, &fill)));
}

/* ---- Products of twice the size ---- */

static bool is_wide(const struct ptx_instruction *in)
{
    return (in->opcode == PTX_OPCODE_mul || in->opcode == PTX_OPCODE_mad) &&
           (in->flags & MODES) == PTX_WIDE && ptx_type_bytes((enum ptx_type)in->types[0]) <= 4;
}

static void write_wide(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const enum ptx_type type = (enum ptx_type)in->types[0], wide = ptx_wide_type(type);
    const enum ptx_type whole = ptx_unsigned_type(wide);
    const char *name = ptx_warp_vector_name(wide);
    const char *product = ptx_format(e, "(clem_to(%s, clem_%sv) * clem_to(%s, clem_%sv))",
                                     ptx_warp_value(e, &in->operands[1], type), name,
                                     ptx_warp_value(e, &in->operands[2], type), name);
    if (in->opcode == PTX_OPCODE_mul) {
        ptx_warp_set(e, in, &in->operands[0], wide, product);
        return;
    }
    if (wide != whole)
        product = ptx_format(e, "clem_as(%s, clem_%sv)", product, ptx_warp_vector_name(whole));
    ptx_warp_set(e, in, &in->operands[0], whole,
                 ptx_format(e, "(%s + %s)", product, ptx_warp_value(e, &in->operands[3], whole)));
}

/* ---- lop3 ---- */

static bool is_lop3(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_lop3 && !in->has_second_destination && in->operand_count == 5 &&
           in->operands[4].kind == PTX_OPERAND_INTEGER;
}

static void write_lop3(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    struct ptx_fill fill = {.type = PTX_B32};
    for (uint32_t i = 0; i < 3; i++)
        fill.arguments[i] = ptx_warp_value(e, &in->operands[1 + i], PTX_U32);
    ptx_warp_set(
        e, in, &in->operands[0], PTX_U32,
        ptx_format(
            e, "(clem_u32v)(%s)",
            ptx_expression(e, ptx_lop3_template(e, (unsigned)in->operands[4].bits & 255), &fill)));
}

/* ---- bfe ---- */

static bool is_between(const struct ptx_operand *operand, int64_t least, int64_t most)
{
    return operand->kind == PTX_OPERAND_INTEGER && operand->bits >= least && operand->bits <= most;
}

static bool is_field(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_bfe && in->operand_count == 4 && in->type_count == 1 &&
           (in->types[0] == PTX_U32 || in->types[0] == PTX_S32) &&
           is_between(&in->operands[2], 0, 31) && is_between(&in->operands[3], 1, 32);
}

/* What is beyond the word is 0, or its sign. */
static void write_field(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const enum ptx_type type = (enum ptx_type)in->types[0];
    const unsigned at = (unsigned)in->operands[2].bits, bits = (unsigned)in->operands[3].bits;
    const char *value = ptx_warp_value(e, &in->operands[1], type);
    if (at + bits >= 32)
        value = ptx_format(e, "(%s >> %u)", value, at);
    else if (type == PTX_U32)
        value = ptx_format(e, "(%s >> %u & %uu)", value, at, (1u << bits) - 1u);
    else
        value = ptx_format(e, "(clem_as(clem_as(%s, clem_u32v) << %u, clem_s32v) >> %u)", value,
                           32 - at - bits, 32 - bits);
    ptx_warp_set(e, in, &in->operands[0], type, value);
}

/* ---- Comparisons ---- */

static enum ptx_type compared_type(const struct ptx_instruction *in)
{
    const enum ptx_type type = (enum ptx_type)in->types[0];
    const bool is_without_sign = in->compare >= PTX_CMP_LO && in->compare <= PTX_CMP_HS;
    return is_without_sign ? ptx_unsigned_type(type) : numeric(type);
}

static bool is_comparison(const struct ptx_instruction *in)
{
    if (in->opcode != PTX_OPCODE_setp || in->has_second_destination || (in->flags & PTX_FTZ) ||
        in->operand_count < 3)
        return false;
    const enum ptx_type type = (enum ptx_type)in->types[0];
    const uint8_t kind = kind_of(type);
    return (kind & (ALL | FLOAT)) && ptx_comparison(in->compare, kind == FLOAT, true);
}

static void write_comparison(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const enum ptx_type type = compared_type(in);
    const struct ptx_fill fill = {
        type,
        {ptx_warp_value(e, &in->operands[1], type), ptx_warp_value(e, &in->operands[2], type)}};
    const char *value = ptx_format(
        e, "(%s)",
        ptx_expression(e, ptx_comparison(in->compare, ptx_type_is_float(type), true), &fill));
    if (ptx_type_bytes(type) != 4)
        value = ptx_format(e, "clem_to(%s, clem_s32v)", value);
    if (in->operand_count > 3)
        value = ptx_format(e, "(%s %s %s)", value,
                           in->operation == PTX_OP_AND  ? "&"
                           : in->operation == PTX_OP_OR ? "|"
                                                        : "^",
                           ptx_warp_value(e, &in->operands[3], PTX_PRED));
    ptx_warp_set(e, in, &in->operands[0], PTX_PRED, value);
}

/* ---- Choosing ---- */

static bool is_choice(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_selp && in->operand_count > 3 &&
           (kind_of((enum ptx_type)in->types[0]) & (ALL | FLOAT));
}

static void write_choice(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const enum ptx_type type = numeric((enum ptx_type)in->types[0]);
    const char *mask =
        ptx_warp_mask(e, ptx_warp_value(e, &in->operands[3], PTX_PRED), ptx_type_bytes(type));
    ptx_warp_set(e, in, &in->operands[0], type,
                 ptx_format(e, "(%s ? %s : %s)", mask, ptx_warp_value(e, &in->operands[1], type),
                            ptx_warp_value(e, &in->operands[2], type)));
}

/* ---- Moves and conversions ---- */

static bool is_move(const struct ptx_instruction *in)
{
    if (in->operand_count != 2 || in->width > 1)
        return false;
    const enum ptx_type type = (enum ptx_type)in->types[0];
    const bool is_global = in->space == PTX_SPACE_GLOBAL || in->second_space == PTX_SPACE_GLOBAL;
    return in->opcode == PTX_OPCODE_mov
               ? ptx_type_bytes(type) <= 8 && in->operands[1].kind != PTX_OPERAND_FUNCTION
               : in->opcode == PTX_OPCODE_cvta && is_global && ptx_type_bytes(type) == 8;
}

static void write_move(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    enum ptx_type type = (enum ptx_type)in->types[0];
    if (in->operands[1].kind == PTX_OPERAND_REGISTER && type != PTX_PRED)
        type = ptx_register_type(e, (uint32_t)in->operands[1].index);
    ptx_warp_set(e, in, &in->operands[0], type, ptx_warp_value(e, &in->operands[1], type));
}

/* mov.b64 {lo, hi}, d and back. */
static bool is_pair(const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_VECTOR && operand->count == 2;
}

static bool is_packing(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_mov && in->operand_count == 2 && in->width <= 1 &&
           in->guard < 0 && ptx_type_bytes((enum ptx_type)in->types[0]) == 8 &&
           (is_pair(&in->operands[0]) != is_pair(&in->operands[1]));
}

static void write_packing(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const struct ptx_operand *to = &in->operands[0], *from = &in->operands[1];
    if (is_pair(from)) {
        ptx_warp_set(e, in, to, PTX_U64,
                     ptx_format(e, "(clem_to(%s, clem_u64v) | clem_to(%s, clem_u64v) << 32)",
                                ptx_warp_value(e, &from->list[0], PTX_U32),
                                ptx_warp_value(e, &from->list[1], PTX_U32)));
        return;
    }
    const char *name = ptx_temporary(e);
    ptx_line(e, "const clem_u64v %s = %s;", name, ptx_warp_value(e, from, PTX_U64));
    ptx_warp_set(e, in, &to->list[0], PTX_U32, ptx_format(e, "clem_to(%s, clem_u32v)", name));
    ptx_warp_set(e, in, &to->list[1], PTX_U32, ptx_format(e, "clem_to(%s >> 32, clem_u32v)", name));
}

static bool is_integer(enum ptx_type type)
{
    return type >= PTX_U8 && type <= PTX_S64;
}

/* Those that C's own conversions do alike: between whole numbers, from them to floats, between floats; nearest. */
static bool is_conversion(const struct ptx_instruction *in)
{
    if (in->opcode != PTX_OPCODE_cvt || in->operand_count != 2 || in->type_count != 2 ||
        (in->flags & (PTX_SAT | PTX_FTZ | PTX_RELU | PTX_SATFINITE)) || ptx_is_directed(in))
        return false;
    const enum ptx_type to = (enum ptx_type)in->types[0], from = (enum ptx_type)in->types[1];
    const bool is_to_float = to == PTX_F32 || to == PTX_F64;
    const bool is_from_float = from == PTX_F32 || from == PTX_F64;
    if (is_integer(from))
        return is_integer(to) || is_to_float;
    return is_from_float && is_to_float && in->rounding < PTX_ROUND_RNI;
}

static void write_conversion(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const enum ptx_type to = (enum ptx_type)in->types[0], from = (enum ptx_type)in->types[1];
    const char *value = ptx_warp_value(e, &in->operands[1], from);
    if (strcmp(ptx_warp_vector_name(to), ptx_warp_vector_name(from)) != 0)
        value = ptx_format(e, "clem_to(%s, clem_%sv)", value, ptx_warp_vector_name(to));
    ptx_warp_set(e, in, &in->operands[0], to, value);
}

/* ---- All of them ---- */

struct writer {
    bool (*is_such)(const struct ptx_instruction *in);
    void (*write)(struct ptx_emitter *e, const struct ptx_instruction *in);
};

static const struct writer writers[] = {
    {is_wide, write_wide},     {is_lop3, write_lop3},
    {is_field, write_field},   {is_comparison, write_comparison},
    {is_choice, write_choice}, {is_packing, write_packing},
    {is_move, write_move},     {is_conversion, write_conversion},
};

static const struct writer *find_writer(const struct ptx_instruction *in)
{
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
        if (writers[i].is_such(in))
            return &writers[i];
    return NULL;
}

static bool is_plain_register(struct ptx_emitter *e, const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_REGISTER && ptx_warp_has_value(e, operand);
}

static bool has_values(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    for (uint32_t i = 0; i < in->operand_count; i++) {
        const struct ptx_operand *operand = &in->operands[i];
        const bool is_list = is_packing(in) && operand->kind == PTX_OPERAND_VECTOR;
        for (uint32_t j = 0; j < (is_list ? operand->count : 1); j++) {
            const struct ptx_operand *one = is_list ? &operand->list[j] : operand;
            if (i == 0 ? !is_plain_register(e, one) && one->kind != PTX_OPERAND_SINK
                       : !ptx_warp_has_value(e, one))
                return false;
        }
    }
    return true;
}

/* A register that is one variable for all lanes is not set by vectors. */
static bool sets_one(const struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const struct ptx_operand *to = &in->operands[0];
    for (uint32_t i = 0; to->kind == PTX_OPERAND_VECTOR && i < to->count; i++)
        if (to->list[i].kind == PTX_OPERAND_REGISTER &&
            e->warp_writer->is_uniform[to->list[i].index])
            return true;
    return to->kind == PTX_OPERAND_REGISTER && e->warp_writer->is_uniform[to->index];
}

bool ptx_warp_is_vector(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    if (in->operand_count < 2)
        return false;
    if (ptx_warp_is_access(e, in))
        return !sets_one(e, in);
    const bool is_row = in->type_count && find_row(in, (enum ptx_type)in->types[0]);
    return (is_row || find_writer(in)) && has_values(e, in) && !sets_one(e, in);
}

void ptx_warp_write_vector(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    e->instruction = in;
    if (ptx_warp_is_access(e, in)) {
        ptx_warp_write_access(e, in);
        return;
    }
    const struct writer *writer = find_writer(in);
    if (writer)
        writer->write(e, in);
    else
        write_row(e, in, find_row(in, (enum ptx_type)in->types[0]));
}
