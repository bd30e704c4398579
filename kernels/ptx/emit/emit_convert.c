/* cvt: between any two types of numbers, with every rounding.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/emit/emit_number.h"

static bool is_float(enum ptx_type type)
{
    return type == PTX_F32 || type == PTX_F64 || type == PTX_F16 || type == PTX_BF16;
}

static bool is_integer(enum ptx_type type)
{
    return type >= PTX_U8 && type <= PTX_S64;
}

static unsigned bits_of(enum ptx_type type)
{
    return 8 * (unsigned)ptx_type_bytes(type);
}

static bool rounds_to_whole(const struct ptx_instruction *in)
{
    return in->rounding >= PTX_ROUND_RNI;
}

/* ---- Between integers ---- */

/* .sat: the nearest number of the destination's type. */
static const char *clamp(struct ptx_emitter *e, enum ptx_type to, enum ptx_type from,
                         const char *value)
{
    const bool is_signed = ptx_type_is_signed(to);
    const unsigned bits = bits_of(to) - (is_signed ? 1 : 0);
    const unsigned long long most = bits == 64 ? UINT64_MAX : (1ULL << bits) - 1;
    if (!ptx_type_is_signed(from))
        return ptx_format(e, "clem_clamp_u64(%s, %lluul)", value, most);
    return ptx_format(e, "clem_clamp_s64(%s, %s, %llul)", value,
                      is_signed ? ptx_format(e, "-%llul - 1l", most) : "0l",
                      most > INT64_MAX ? (unsigned long long)INT64_MAX : most);
}

static const char *integer_from_integer(struct ptx_emitter *e, const struct ptx_instruction *in,
                                        enum ptx_type to, enum ptx_type from, const char *value)
{
    if (in->flags & PTX_SAT)
        value = clamp(e, to, from, value);
    return ptx_format(e, "(%s)%s", ptx_c_type(to), value);
}

/* ---- From integers to floats ---- */

/* The digits and the width of the exponent that the library asks for. */
static const char *format_of(enum ptx_type type)
{
    switch (type) {
    case PTX_F16:
        return "11, 5";
    case PTX_BF16:
        return "8, 8";
    case PTX_F32:
        return "24, 8";
    default:
        return "53, 11";
    }
}

/* Bits from the library as what C holds the type in. */
static const char *from_bits(struct ptx_emitter *e, enum ptx_type type, const char *bits)
{
    if (type == PTX_F64)
        return ptx_format(e, "as_double(%s)", bits);
    return ptx_format(e, type == PTX_F32 ? "as_float((uint)%s)" : "(ushort)%s", bits);
}

static const char *float_from_integer(struct ptx_emitter *e, const struct ptx_instruction *in,
                                      enum ptx_type to, enum ptx_type from, const char *value)
{
    const bool is_c_type = to == PTX_F32 || to == PTX_F64;
    const bool is_exact = bits_of(from) < (to == PTX_F64 ? 64 : 32);
    if (is_c_type && !ptx_is_soft(e, to) && (is_exact || !ptx_is_directed(in)))
        return ptx_format(e, "(%s)%s", ptx_c_type(to), value);
    const char *bits =
        ptx_format(e, "clem_pack_%s64(%s, %s, %s)", ptx_type_is_signed(from) ? "s" : "u", value,
                   ptx_rounding_name(in), format_of(to));
    return from_bits(e, to, bits);
}

/* ---- From floats ---- */

/* A number of any float type as C's float or double: exact. */
static const char *widened(struct ptx_emitter *e, const struct ptx_instruction *in,
                           enum ptx_type from, const char *value)
{
    if (ptx_is_half(from))
        return ptx_format(e, "clem_f32_from_%s(%s)", ptx_type_name(from), value);
    return from == PTX_F32 && (in->flags & PTX_FTZ) ? ptx_format(e, "clem_ftz(%s)", value) : value;
}

/* Rounded to a whole number, still a float. */
static const char *whole(struct ptx_emitter *e, const struct ptx_instruction *in, bool is_double,
                         const char *value)
{
    if (is_double && ptx_is_soft(e, PTX_F64))
        return ptx_format(e, "clem_soft_whole(%s, %s)", value, ptx_rounding_name(in));
    const char *nearest = !e->target->is_cpu ? "rint"
                          : is_double        ? "clem_rint_f64"
                                             : "clem_rint_f32";
    const char *function = in->rounding == PTX_ROUND_RNI   ? nearest
                           : in->rounding == PTX_ROUND_RMI ? "floor"
                           : in->rounding == PTX_ROUND_RPI ? "ceil"
                                                           : "trunc";
    return ptx_format(e, "%s(%s)", function, value);
}

/* Casts of C cut off what follows the point, so .rzi needs no more. */
static const char *integer_from_float(struct ptx_emitter *e, const struct ptx_instruction *in,
                                      enum ptx_type to, enum ptx_type from, const char *value)
{
    const bool is_double = from == PTX_F64, is_signed = ptx_type_is_signed(to);
    const char *source = is_double ? "f64" : "f32";
    const bool is_soft = ptx_is_soft(e, from);
    value = widened(e, in, from, value);
    if (rounds_to_whole(in) && in->rounding != PTX_ROUND_RZI)
        value = whole(e, in, is_double, value);
    if (bits_of(to) >= 32 && is_soft)
        return ptx_format(e, "clem_soft_to_%s(%s)", ptx_type_name(to), value);
    if (bits_of(to) >= 32)
        return ptx_format(e, "clem_%s_from_%s(%s)", ptx_type_name(to), source, value);
    const int ones = (1 << (bits_of(to) - (is_signed ? 1 : 0))) - 1;
    const int least = is_signed ? -ones - 1 : 0;
    const char *of_nan = is_double ? ptx_format(e, ", %d", is_signed ? least : (ones + 1) / 2) : "";
    if (is_soft)
        return ptx_format(e, "(%s)clem_soft_narrow(%s, %d, %d%s)", ptx_c_type(to), value, least,
                          ones, of_nan);
    return ptx_format(e, "(%s)clem_narrow_from_%s(%s, %d, %d%s)", ptx_c_type(to), source, value,
                      least, ones, of_nan);
}

/* A C float or double as any float type. */
static const char *narrowed(struct ptx_emitter *e, const struct ptx_instruction *in,
                            enum ptx_type to, bool is_double, const char *value)
{
    const bool is_directed = ptx_is_directed(in), is_soft = ptx_is_soft(e, PTX_F64);
    if (to == PTX_F64 && is_soft)
        return is_double ? value : ptx_format(e, "clem_soft_from_f32(%s)", value);
    if (is_double && is_soft)
        return from_bits(
            e, to,
            ptx_format(e, "clem_soft_to(%s, %s, %s)", value, ptx_rounding_name(in), format_of(to)));
    if (to == PTX_F64)
        return ptx_format(e, "(double)%s", value);
    if (to == PTX_F32 && !is_double)
        return value;
    if (to == PTX_F32 && !is_directed)
        return ptx_format(e, "(float)%s", value);
    if (is_double)
        return from_bits(e, to,
                         ptx_format(e, "clem_narrow_f64(%s, %s, %s)", value, ptx_rounding_name(in),
                                    format_of(to)));
    return is_directed ? ptx_format(e, "clem_%s_from_f32_mode(%s, %s)", ptx_type_name(to), value,
                                    ptx_rounding_name(in))
                       : ptx_format(e, "clem_%s_from_f32(%s)", ptx_type_name(to), value);
}

static const char *float_from_float(struct ptx_emitter *e, const struct ptx_instruction *in,
                                    enum ptx_type to, enum ptx_type from, const char *value)
{
    value = widened(e, in, from, value);
    if (rounds_to_whole(in))
        value = whole(e, in, from == PTX_F64, value);
    else if (to == from && ptx_is_half(to) && !(in->flags & (PTX_SAT | PTX_RELU)))
        return ptx_source(e, in, 1, from);
    value = narrowed(e, in, to, from == PTX_F64, value);
    return to == PTX_F32 && (in->flags & PTX_FTZ) ? ptx_format(e, "clem_ftz(%s)", value) : value;
}

/* .satfinite, .sat and .relu of a result. The first and the last are for halves alone. */
static const char *limited(struct ptx_emitter *e, const struct ptx_instruction *in,
                           enum ptx_type type, const char *value)
{
    if ((in->flags & (PTX_RELU | PTX_SATFINITE)) && !ptx_is_half(type)) {
        ptx_refuse(e, "this form of the instruction has no translation");
        return "0";
    }
    if (in->flags & PTX_RELU)
        value = ptx_format(e, "clem_relu_%s(%s)", ptx_type_name(type), value);
    if (in->flags & PTX_SATFINITE)
        value = ptx_format(e, "clem_satfinite_half(%s, %s)", value,
                           type == PTX_F16 ? "0x7c00u" : "0x7f80u");
    if (in->flags & PTX_SAT)
        value = ptx_format(e, "clem_%s(%s)",
                           ptx_is_soft(e, type) ? "soft_sat"
                                                : ptx_format(e, "sat_%s", ptx_type_name(type)),
                           value);
    return value;
}

/* ---- Whole instructions ---- */

/* cvt.rn.f16x2.f32 d, a, b: a goes to the upper half. */
static void write_pair(struct ptx_emitter *e, const struct ptx_instruction *in, enum ptx_type to)
{
    const enum ptx_type single = ptx_single_type(to);
    const char *halves[2];
    for (uint32_t i = 0; i < 2; i++) {
        const char *value = widened(e, in, PTX_F32, ptx_source(e, in, i + 1, PTX_F32));
        halves[i] = limited(e, in, single, narrowed(e, in, single, false, value));
    }
    ptx_set(e, &in->operands[0], to, ptx_format(e, "clem_pair(%s, %s)", halves[1], halves[0]));
}

static bool is_of_bytes(enum ptx_type type)
{
    return type == PTX_E4M3X2 || type == PTX_E5M2X2;
}

static const char *relu(struct ptx_emitter *e, const struct ptx_instruction *in, const char *value)
{
    return in->flags & PTX_RELU ? ptx_format(e, "clem_relu_f32(%s)", value) : value;
}

/* cvt.rn.satfinite.e4m3x2.f32 d, a, b, a above b;  cvt.rn.satfinite.e4m3x2.f16x2 d, a: pairs of floats of 8 bits. */
static void write_bytes(struct ptx_emitter *e, const struct ptx_instruction *in, enum ptx_type to,
                        enum ptx_type from)
{
    const char *low, *high;
    if (from == PTX_F32) {
        high = ptx_source(e, in, 1, PTX_F32);
        low = ptx_source(e, in, 2, PTX_F32);
    } else {
        const char *pair = ptx_source(e, in, 1, PTX_B32);
        high = ptx_format(e, "clem_f32_from_f16((ushort)(%s >> 16))", pair);
        low = ptx_format(e, "clem_f32_from_f16((ushort)%s)", pair);
    }
    ptx_set(e, &in->operands[0], PTX_B16,
            ptx_format(e, "clem_%s_from_f32(%s, %s)", ptx_type_name(to), relu(e, in, low),
                       relu(e, in, high)));
}

/* cvt.rn.f16x2.e4m3x2 d, a; */
static void write_from_bytes(struct ptx_emitter *e, const struct ptx_instruction *in,
                             enum ptx_type from)
{
    const char *value =
        ptx_format(e, "clem_f16x2_from_%s(%s)", ptx_type_name(from), ptx_source(e, in, 1, PTX_B16));
    if (in->flags & PTX_RELU)
        value = ptx_format(e, "clem_relu_f16x2(%s)", value);
    ptx_set(e, &in->operands[0], PTX_B32, value);
}

/* cvt.pack.sat.u16.s32 d, a, b;  cvt.pack.sat.u8.s32.b32 d, a, b, c: two clamped numbers, a above b,
 * and c above them. */
static void write_pack(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    static const enum ptx_type types[] = {PTX_B32, PTX_S32, PTX_S32, PTX_B32};
    const enum ptx_type to = (enum ptx_type)in->types[0];
    const unsigned bits = bits_of(to), mask = (1u << bits) - 1;
    const bool has_third = in->operand_count == 4;
    if (!is_integer(to) || in->types[1] != PTX_S32 || bits != (has_third ? 8 : 16)) {
        ptx_refuse(e, "this form of the instruction has no translation");
        return;
    }
    if (e->target->has_nvidia_asm) {
        ptx_native(e, in, types, in->operand_count);
        return;
    }
    const char *high = clamp(e, to, PTX_S32, ptx_source(e, in, 1, PTX_S32));
    const char *low = clamp(e, to, PTX_S32, ptx_source(e, in, 2, PTX_S32));
    const char *third = has_third ? ptx_source(e, in, 3, PTX_B32) : "0u";
    ptx_set(e, &in->operands[0], PTX_B32,
            ptx_format(e, "%s << 16 | ((uint)%s & %uu) << %u | ((uint)%s & %uu)", third, high, mask,
                       bits, low, mask));
}

static void write_tf32(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    if (in->flags & PTX_SATFINITE) {
        ptx_refuse(e, "a saturating conversion to .tf32 has no translation");
        return;
    }
    const char *value = relu(e, in, ptx_source(e, in, 1, PTX_F32));
    ptx_set(e, &in->operands[0], PTX_B32,
            ptx_format(e, "clem_tf32_from_f32(%s, %s)", value, ptx_rounding_name(in)));
}

static void write_single(struct ptx_emitter *e, const struct ptx_instruction *in, enum ptx_type to,
                         enum ptx_type from)
{
    const char *value = ptx_source(e, in, 1, from);
    if (is_integer(to) && is_integer(from))
        value = integer_from_integer(e, in, to, from, value);
    else if (is_integer(to))
        value = integer_from_float(e, in, to, from, value);
    else if (is_integer(from))
        value = limited(e, in, to, float_from_integer(e, in, to, from, value));
    else
        value = limited(e, in, to, float_from_float(e, in, to, from, value));
    ptx_set(e, &in->operands[0], to, value);
}

/* What C says alike: between integers, and to float and double rounded to nearest. */
static bool is_plain(const struct ptx_instruction *in, enum ptx_type to, enum ptx_type from)
{
    if (is_integer(to) && is_integer(from))
        return true;
    return (to == PTX_F32 || to == PTX_F64) && !ptx_is_half(from) && !ptx_is_directed(in) &&
           !rounds_to_whole(in) && !(in->flags & (PTX_SAT | PTX_FTZ));
}

static bool is_pair(const struct ptx_instruction *in, enum ptx_type to, enum ptx_type from)
{
    return (to == PTX_F16X2 || to == PTX_BF16X2) && from == PTX_F32 && in->operand_count == 3;
}

/* To bytes only what saturates. */
static bool is_bytes(const struct ptx_instruction *in, enum ptx_type to, enum ptx_type from)
{
    if (is_of_bytes(to))
        return (in->flags & PTX_SATFINITE) && ((from == PTX_F32 && in->operand_count == 3) ||
                                               (from == PTX_F16X2 && in->operand_count == 2));
    return to == PTX_F16X2 && is_of_bytes(from) && in->operand_count == 2;
}

bool ptx_emit_convert(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    if (in->opcode != PTX_OPCODE_cvt)
        return false;
    if (in->operation == PTX_OP_OTHER && in->operand_count >= 3) {
        write_pack(e, in);
        return true;
    }
    const enum ptx_type to = (enum ptx_type)in->types[0], from = (enum ptx_type)in->types[1];
    const bool is_single = (is_float(to) || is_integer(to)) &&
                           (is_float(from) || is_integer(from)) && in->operand_count == 2;
    const bool is_tf32 = to == PTX_TF32 && from == PTX_F32 && in->operand_count == 2;
    if (in->type_count != 2 ||
        !(is_single || is_tf32 || is_pair(in, to, from) || is_bytes(in, to, from))) {
        ptx_refuse(e, "a conversion from .%s to .%s has no translation", ptx_type_name(from),
                   ptx_type_name(to));
    } else if (e->target->has_nvidia_asm && !is_plain(in, to, from)) {
        const enum ptx_type types[] = {to == PTX_TF32    ? PTX_B32
                                       : is_of_bytes(to) ? PTX_B16
                                                         : to,
                                       is_of_bytes(from) ? PTX_B16 : from, from};
        ptx_native(e, in, types, in->operand_count);
    } else if (is_single) {
        write_single(e, in, to, from);
    } else if (is_tf32) {
        write_tf32(e, in);
    } else if (is_of_bytes(to)) {
        write_bytes(e, in, to, from);
    } else if (is_of_bytes(from)) {
        write_from_bytes(e, in, from);
    } else {
        write_pair(e, in, to);
    }
    return true;
}
