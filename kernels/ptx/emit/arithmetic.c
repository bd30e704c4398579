/* What the emitters of arithmetic share.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/emit/emit_number.h"

/* ---- Types ---- */

enum ptx_type ptx_unsigned_type(enum ptx_type type)
{
    switch (ptx_type_bytes(type)) {
    case 1:
        return type == PTX_PRED ? PTX_PRED : PTX_U8;
    case 2:
        return PTX_U16;
    case 4:
        return PTX_U32;
    default:
        return PTX_U64;
    }
}

enum ptx_type ptx_wide_type(enum ptx_type type)
{
    const bool is_signed = ptx_type_is_signed(type);
    if (ptx_type_bytes(type) == 2)
        return is_signed ? PTX_S32 : PTX_U32;
    return is_signed ? PTX_S64 : PTX_U64;
}

bool ptx_is_half(enum ptx_type type)
{
    return type == PTX_F16 || type == PTX_BF16 || type == PTX_F16X2 || type == PTX_BF16X2;
}

bool ptx_is_packed(enum ptx_type type)
{
    return type == PTX_F16X2 || type == PTX_BF16X2 || type == PTX_U16X2 || type == PTX_S16X2;
}

enum ptx_type ptx_single_type(enum ptx_type type)
{
    switch (type) {
    case PTX_F16X2:
        return PTX_F16;
    case PTX_BF16X2:
        return PTX_BF16;
    case PTX_U16X2:
        return PTX_U16;
    case PTX_S16X2:
        return PTX_S16;
    default:
        return type;
    }
}

/* ---- Templates ---- */

static const char *word_of(char letter, const struct ptx_fill *fill)
{
    const bool is_wide = ptx_type_bytes(fill->type) == 8;
    const bool is_signed = ptx_type_is_signed(fill->type);
    switch (letter) {
    case 't':
        return ptx_type_name(fill->type);
    case 'm':
        return is_signed ? (is_wide ? "s64" : "s32") : is_wide ? "u64" : "u32";
    case 'z':
        return is_wide ? "b64" : "b32";
    case 'k':
        return is_wide ? "ulong" : "uint";
    case 'y':
        return ptx_c_type(fill->type);
    case 'w':
        return ptx_c_type(ptx_wide_type(fill->type));
    case 'v':
        return ptx_c_type(ptx_unsigned_type(ptx_wide_type(fill->type)));
    default:
        return fill->arguments[letter - 'a'];
    }
}

const char *ptx_expression(struct ptx_emitter *e, const char *template, const struct ptx_fill *fill)
{
    const char *done = "";
    for (;;) {
        const size_t plain = strcspn(template, "$");
        done = ptx_format(e, "%s%.*s", done, (int)plain, template);
        if (template[plain] == '\0')
            return done;
        done = ptx_format(e, "%s%s", done, word_of(template[plain + 1], fill));
        template += plain + 2;
    }
}

/* ---- Operands ---- */

const char *ptx_source(struct ptx_emitter *e, const struct ptx_instruction *in, uint32_t index,
                       enum ptx_type type)
{
    if (index >= in->operand_count) {
        ptx_refuse(e, "an operand is missing");
        return "0";
    }
    return ptx_value(e, &in->operands[index], type);
}

const char *ptx_rounding_name(const struct ptx_instruction *in)
{
    static const char *const names[] = {
        [PTX_ROUND_RZ] = "clem_rz",   [PTX_ROUND_RM] = "clem_rm",  [PTX_ROUND_RP] = "clem_rp",
        [PTX_ROUND_RNA] = "clem_rna", [PTX_ROUND_RZI] = "clem_rz", [PTX_ROUND_RMI] = "clem_rm",
        [PTX_ROUND_RPI] = "clem_rp"};
    const char *name = in->rounding < sizeof names / sizeof *names ? names[in->rounding] : NULL;
    return name ? name : "clem_rn";
}

const char *ptx_hold(struct ptx_emitter *e, enum ptx_type type, const char *value)
{
    const char *name = ptx_temporary(e);
    ptx_line(e, "%s %s = %s;", ptx_c_type(type), name, value);
    return name;
}

/* ---- Inline PTX ---- */

/* How asm() takes a value. Bytes travel in registers of 32 bits. */
static char constraint(enum ptx_type type)
{
    if (type == PTX_F32)
        return 'f';
    if (type == PTX_F64)
        return 'd';
    switch (ptx_type_bytes(type)) {
    case 8:
        return 'l';
    case 2:
        return 'h';
    default:
        return 'r';
    }
}

void ptx_native(struct ptx_emitter *e, const struct ptx_instruction *in, const enum ptx_type *types,
                unsigned count)
{
    const enum ptx_type result = types[0];
    const bool is_byte = ptx_type_bytes(result) == 1;
    const char *target = ptx_temporary(e);
    const char *places = "%0", *sources = "";
    for (unsigned i = 1; i < count; i++) {
        const char *value = ptx_source(e, in, i, types[i]);
        if (ptx_type_bytes(types[i]) == 1)
            value = ptx_format(e, "(uint)%s", value);
        places = ptx_format(e, "%s, %%%u", places, i);
        sources = ptx_format(e, "%s%s\"%c\"(%s)", sources, i > 1 ? ", " : "", constraint(types[i]),
                             value);
    }
    ptx_line(e, "{");
    ptx_line(e, "%s %s;", is_byte ? "uint" : ptx_c_type(result), target);
    ptx_line(e, "asm(\"%s %s;\" : \"=%c\"(%s) : %s);", in->words, places, constraint(result),
             target, sources);
    ptx_set(e, &in->operands[0], result,
            is_byte ? ptx_format(e, "(%s)%s", ptx_c_type(result), target) : target);
    ptx_line(e, "}");
}

/* ---- Packed numbers ---- */

void ptx_write_packed(struct ptx_emitter *e, const struct ptx_instruction *in,
                      const char *(*one)(struct ptx_emitter *, const struct ptx_instruction *,
                                         const struct ptx_fill *))
{
    const enum ptx_type packed = (enum ptx_type)in->types[0];
    struct ptx_fill low = {.type = ptx_single_type(packed)};
    struct ptx_fill high = low;
    const char *c_type = ptx_c_type(low.type);
    ptx_line(e, "{");
    for (uint32_t i = 1; i < in->operand_count && i <= PTX_ARGUMENTS; i++) {
        const char *word = ptx_hold(e, packed, ptx_source(e, in, i, packed));
        low.arguments[i - 1] = ptx_format(e, "(%s)%s", c_type, word);
        high.arguments[i - 1] = ptx_format(e, "(%s)(%s >> 16)", c_type, word);
    }
    const char *first = ptx_hold(e, low.type, one(e, in, &low));
    const char *second = ptx_hold(e, low.type, one(e, in, &high));
    ptx_set(e, &in->operands[0], packed,
            ptx_format(e, "clem_pair((ushort)%s, (ushort)%s)", first, second));
    ptx_line(e, "}");
}

bool ptx_is_soft(const struct ptx_emitter *e, enum ptx_type type)
{
    return type == PTX_F64 && !e->target->has_double;
}
