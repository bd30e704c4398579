/* What the lanes of a warp do together in the native form.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/block/block.h"
#include "kernels/ptx/native/native_flow.h"

static struct ptx_native_value vector_of(struct ptx_native *n, const struct ptx_operand *o,
                                         enum ptx_type type)
{
    n->is_vector = true;
    return ptx_native_read(n, o, type);
}

/* Lanes that are here and named by the mask, an operand that may be missing: a word, or one for each lane. */
static struct ptx_native_value members(struct ptx_native *n, const struct ptx_instruction *in,
                                       uint32_t index)
{
    const struct ptx_native_value here = ptx_native_number(n, 32, n->flow->mask);
    if (index >= in->operand_count)
        return here;
    const struct ptx_operand *o = &in->operands[index];
    if (o->kind == PTX_OPERAND_INTEGER && (uint32_t)o->bits == UINT32_MAX)
        return here;
    n->is_vector = ptx_native_varies(n, o);
    struct ptx_native_value mask = ptx_native_read(n, o, PTX_U32);
    mask.text = ptx_native_emit(n, "and %s %s, %s", ptx_native_value_type(n, mask), mask.text,
                                ptx_native_spread(n, here).text);
    return mask;
}

static const char *lanes_as_bits(struct ptx_native *n, const char *lanes)
{
    return ptx_native_emit(n, "bitcast i32 %s to <32 x i1>", lanes);
}

/* ---- Shuffles ---- */

/* The lane that one reads, and in bit 5 whether it is within its segment, as library/block.cl has it. */
static unsigned lane_from(uint8_t operation, unsigned lane, unsigned b, unsigned c)
{
    const unsigned mask = c >> 8 & 31u, last = (lane & mask) | (c & 31u & ~mask);
    unsigned from;
    switch (operation) {
    case PTX_OP_UP:
        return (int)(lane - (b & 31u)) >= (int)last ? ((lane - (b & 31u)) & 31u) | 32u : lane;
    case PTX_OP_DOWN:
        from = lane + (b & 31u);
        break;
    case PTX_OP_BFLY:
        from = lane ^ (b & 31u);
        break;
    default:
        from = (lane & mask) | (b & 31u & ~mask);
    }
    return from <= last ? (from & 31u) | 32u : lane;
}

struct shuffled {
    struct ptx_native_value value, is_within, from;
};

static struct shuffled shuffle_by_constants(struct ptx_native *n, const struct ptx_instruction *in,
                                            struct ptx_native_value x, unsigned b, unsigned c)
{
    const char *list = "", *within = "";
    for (unsigned i = 0; i < PTX_NATIVE_LANES; i++) {
        const unsigned from = lane_from(in->operation, i, b, c);
        list = ptx_format(n->e, "%s%si32 %u", list, i ? "," : "<", from & 31u);
        within = ptx_format(n->e, "%s%si1 %u", within, i ? "," : "<", from >> 5);
    }
    return (struct shuffled){
        {ptx_native_emit(n, "shufflevector <32 x i32> %s, <32 x i32> undef, <32 x i32> %s>", x.text,
                         list),
         32, true},
        {ptx_format(n->e, "%s>", within), 1, true},
        {ptx_format(n->e, "%s>", list), 32, true}};
}

/* A row of numbers, from first on. */
static const char *indices(struct ptx_native *n, unsigned first, unsigned step, unsigned count)
{
    const char *list = "<";
    for (unsigned i = 0; i < count; i++)
        list = ptx_format(n->e, "%s%si32 %u", list, i ? ", " : "", first + i * step);
    return ptx_format(n->e, "%s>", list);
}

/* Elements taken one by one, at indices of another vector's elements: LLVM makes one instruction of it where the processor
 * has that, and loads elsewhere. A gather would wait for its vector to be stored. */
static void define_permute_half(struct ptx_native *n)
{
    const char *body = "";
    for (unsigned i = 0; i < PTX_NATIVE_LANES / 2; i++)
        body =
            ptx_format(n->e,
                       "%s  %%j%u = extractelement <16 x i32> %%j, i32 %u\n"
                       "  %%x%u = extractelement <16 x i32> %%x, i32 %%j%u\n"
                       "  %%r%u = insertelement <16 x i32> %s, i32 %%x%u, i32 %u\n",
                       body, i, i, i, i, i, i ? ptx_format(n->e, "%%r%u", i - 1) : "undef", i, i);
    ptx_native_declare(n,
                       "define internal <16 x i32> @clem_permute_half(<16 x i32> %%x, <16 x i32> "
                       "%%j) alwaysinline nounwind {\n%s  ret <16 x i32> %%r15\n}",
                       body);
}

static void define_permute(struct ptx_native *n)
{
    static const char *const halves[] = {"low", "high"};
    const char *body = "";
    for (unsigned i = 0; i < 4; i++)
        body = ptx_format(
            n->e,
            "%s  %%%s%u = shufflevector <32 x i32> %%%s, <32 x i32> undef, <16 x i32> "
            "%s\n",
            body, i < 2 ? "x" : "j", i % 2, i < 2 ? "x" : "i", indices(n, i % 2 * 16, 1, 16));
    for (unsigned i = 0; i < 4; i++)
        body = ptx_format(n->e,
                          "%s  %%%s%u = call <16 x i32> @clem_permute_half(<16 x i32> %%x%u, <16 x "
                          "i32> %%j%u)\n",
                          body, halves[i / 2], i % 2, i / 2, i % 2);
    for (unsigned i = 0; i < 2; i++)
        body = ptx_format(n->e,
                          "%s  %%%s = shufflevector <16 x i32> %%%s0, <16 x i32> %%%s1, <32 x i32> "
                          "%s\n",
                          body, halves[i], halves[i], halves[i], indices(n, 0, 1, 32));
    const char *last = indices(n, 15, 0, 32);
    define_permute_half(n);
    ptx_native_declare(n,
                       "define internal <32 x i32> @clem_permute(<32 x i32> %%x, <32 x i32> %%j) "
                       "noinline nounwind {\n  %%i = and <32 x i32> %%j, %s\n%s"
                       "  %%is.high = icmp ugt <32 x i32> %%j, %s\n"
                       "  %%r = select <32 x i1> %%is.high, <32 x i32> %%high, <32 x i32> %%low\n"
                       "  ret <32 x i32> %%r\n}",
                       last, body, last);
}

static const char *v(struct ptx_native *n, const char *operation, const char *a, const char *b)
{
    return ptx_native_emit(n, "%s <32 x i32> %s, %s", operation, a, b);
}

static struct shuffled shuffle_by_values(struct ptx_native *n, const struct ptx_instruction *in,
                                         struct ptx_native_value x, const struct ptx_operand *o)
{
    const char *b = vector_of(n, &o[1], PTX_U32).text, *c = vector_of(n, &o[2], PTX_U32).text;
    const char *iota = ptx_native_iota(32), *all = ptx_native_constant(n, 32, 31);
    const char *ones = ptx_native_constant(n, 32, UINT32_MAX);
    const char *by = v(n, "and", b, all);
    const char *mask = v(n, "and", v(n, "lshr", c, ptx_native_constant(n, 32, 8)), all);
    const char *rest = v(n, "xor", mask, ones);
    const char *own = v(n, "and", iota, mask);
    const char *last = v(n, "or", own, v(n, "and", v(n, "and", c, all), rest));
    const char *from;
    switch (in->operation) {
    case PTX_OP_UP:
        from = v(n, "sub", iota, by);
        break;
    case PTX_OP_DOWN:
        from = v(n, "add", iota, by);
        break;
    case PTX_OP_BFLY:
        from = v(n, "xor", iota, by);
        break;
    default:
        from = v(n, "or", own, v(n, "and", by, rest));
    }
    const char *within = v(n, in->operation == PTX_OP_UP ? "icmp sge" : "icmp ule", from, last);
    const char *chosen =
        ptx_native_emit(n, "select <32 x i1> %s, <32 x i32> %s, <32 x i32> %s", within, from, iota);
    const char *safe = v(n, "and", chosen, all);
    define_permute(n);
    return (struct shuffled){
        {ptx_native_emit(n, "call <32 x i32> @clem_permute(<32 x i32> %s, <32 x i32> %s)", x.text,
                         safe),
         32, true},
        {within, 1, true},
        {safe, 32, true}};
}

/* What has set a register for the lanes that come to an instruction, or NULL where that may be several. */
static const struct ptx_instruction *setter_before(const struct ptx_native_flow *f,
                                                   const struct ptx_instruction *in, int32_t index)
{
    const struct ptx_instruction *const all = f->function->instructions;
    const struct ptx_instruction *const first =
        &all[f->graph->nodes[f->graph->node_of[in - all]].first];
    while (in-- > first)
        if (ptx_flow_writes_register(in, (uint32_t)index))
            return in;
    return f->definitions[index] == 1 ? f->set_by[index] : NULL;
}

/* The number that an operand of an instruction is there, or the operand. */
static const struct ptx_operand *known(const struct ptx_native *n, const struct ptx_instruction *in,
                                       const struct ptx_operand *o)
{
    enum { MOST_MOVES = 4 };
    const struct ptx_operand *from = o;
    for (int moves = 0; moves < MOST_MOVES && from->kind == PTX_OPERAND_REGISTER; moves++) {
        in = setter_before(n->flow, in, from->index);
        if (!in || !ptx_native_is_move(in))
            return o;
        from = &in->operands[1];
    }
    return from->kind == PTX_OPERAND_INTEGER ? from : o;
}

/* Of a value that all lanes have, those that are not here among them. */
static struct ptx_native_value first_of(struct ptx_native *n, struct ptx_native_value value)
{
    return ptx_native_number(n, 32,
                             ptx_native_emit(n, "extractelement <32 x i32> %s, i32 0", value.text));
}

/* A lane that is not here brings 0: see library/block.cl. */
static void shuffle(struct ptx_native *n, const struct ptx_instruction *in)
{
    const uint32_t first = in->has_second_destination ? 2 : 1;
    if (in->operation < PTX_OP_UP || in->operation > PTX_OP_IDX || in->operand_count < first + 3) {
        ptx_refuse(n->e, "a shuffle of a kind that has no translation");
        return;
    }
    const struct ptx_operand *o = &in->operands[first];
    struct ptx_native_value x = vector_of(n, &o[0], PTX_U32);
    const char *here = lanes_as_bits(n, n->flow->mask);
    x.text = ptx_native_emit(n, "select <32 x i1> %s, <32 x i32> %s, <32 x i32> zeroinitializer",
                             here, x.text);
    const struct ptx_operand *b = known(n, in, &o[1]), *c = known(n, in, &o[2]);
    const bool is_constant = b->kind == PTX_OPERAND_INTEGER && c->kind == PTX_OPERAND_INTEGER;
    struct shuffled s = is_constant
                            ? shuffle_by_constants(n, in, x, (unsigned)b->bits, (unsigned)c->bits)
                            : shuffle_by_values(n, in, x, o);
    ptx_native_check_exchange(n, in, s.from);
    if (in->operands[0].kind == PTX_OPERAND_REGISTER &&
        ptx_native_is_uniform(n, (uint32_t)in->operands[0].index))
        s.value = first_of(n, s.value);
    ptx_native_set(n, in, &in->operands[0], PTX_U32, s.value);
    if (in->has_second_destination)
        ptx_native_set(n, in, &in->operands[1], PTX_PRED, s.is_within);
}

/* ---- Votes ---- */

static void vote(struct ptx_native *n, const struct ptx_instruction *in)
{
    if (in->operation < PTX_OP_ALL || in->operation > PTX_OP_BALLOT || in->operand_count < 2) {
        ptx_refuse(n->e, "a vote of a kind that has no translation");
        return;
    }
    const struct ptx_native_value here = members(n, in, 2);
    const struct ptx_native_value p = vector_of(n, &in->operands[1], PTX_PRED);
    const struct ptx_native_value none = ptx_native_number(n, 32, "0");
    const struct ptx_native_value bits =
        ptx_native_both(n, "and", ptx_native_number(n, 32, ptx_native_lanes(n, p)), here);
    struct ptx_native_value result = bits;
    if (in->operation == PTX_OP_ANY)
        result = ptx_native_both(n, "icmp ne", bits, none);
    else if (in->operation == PTX_OP_ALL)
        result = ptx_native_both(n, "icmp eq", bits, here);
    else if (in->operation == PTX_OP_UNI)
        result = ptx_native_both(n, "or", ptx_native_both(n, "icmp eq", bits, here),
                                 ptx_native_both(n, "icmp eq", bits, none));
    ptx_native_set(n, in, &in->operands[0], in->operation == PTX_OP_BALLOT ? PTX_U32 : PTX_PRED,
                   result);
}

/* ---- Matches ---- */

static const char *define_match(struct ptx_native *n, unsigned bits)
{
    const char *i = ptx_native_integer(bits), *p = ptx_native_pointer_type(n, i);
    const char *pv = ptx_native_pointer_type(n, ptx_format(n->e, "<32 x %s>", i));
    const char *name = ptx_format(n->e, "clem_match_%u", bits);
    ptx_native_declare(n, "declare i32 @llvm.cttz.i32(i32, i1)");
    ptx_native_declare(
        n,
        "define internal <32 x i32> @%s(<32 x %s> %%x, i32 %%m) noinline nounwind {\n"
        "  %%X = alloca <32 x %s>, align 64\n  store <32 x %s> %%x, %s %%X\n"
        "  %%X0 = bitcast %s %%X to %s\n  br label %%next\n"
        "next:\n  %%rest = phi i32 [%%m, %%0], [%%less, %%do]\n"
        "  %%r = phi <32 x i32> [zeroinitializer, %%0], [%%r2, %%do]\n"
        "  %%none = icmp eq i32 %%rest, 0\n  br i1 %%none, label %%end, label %%do\n"
        "do:\n  %%lane = call i32 @llvm.cttz.i32(i32 %%rest, i1 true)\n"
        "  %%px = getelementptr %s, %s %%X0, i32 %%lane\n  %%x1 = load %s, %s %%px\n"
        "  %%i1 = insertelement <32 x %s> undef, %s %%x1, i32 0\n"
        "  %%s1 = shufflevector <32 x %s> %%i1, <32 x %s> undef, <32 x i32> zeroinitializer\n"
        "  %%same = icmp eq <32 x %s> %%x, %%s1\n"
        "  %%b = bitcast <32 x i1> %%same to i32\n  %%g = and i32 %%b, %%m\n"
        "  %%not = xor i32 %%g, -1\n  %%less = and i32 %%rest, %%not\n"
        "  %%i2 = insertelement <32 x i32> undef, i32 %%g, i32 0\n"
        "  %%s2 = shufflevector <32 x i32> %%i2, <32 x i32> undef, <32 x i32> zeroinitializer\n"
        "  %%r2 = select <32 x i1> %%same, <32 x i32> %%s2, <32 x i32> %%r\n"
        "  br label %%next\n"
        "end:\n  ret <32 x i32> %%r\n}",
        name, i, i, i, pv, pv, p, i, p, i, p, i, i, i, i, i);
    return name;
}

static void match(struct ptx_native *n, const struct ptx_instruction *in)
{
    const uint32_t first = in->has_second_destination ? 2 : 1;
    if (in->operand_count < first + 2) {
        ptx_refuse(n->e, "operands are missing");
        return;
    }
    const unsigned bits = 8 * (unsigned)ptx_type_bytes((enum ptx_type)in->types[0]);
    const struct ptx_native_value here = members(n, in, first + 1);
    const struct ptx_native_value x =
        vector_of(n, &in->operands[first], bits == 64 ? PTX_U64 : PTX_U32);
    const char *name = define_match(n, bits);
    struct ptx_native_value same = {ptx_native_emit(n, "call <32 x i32> @%s(<32 x %s> %s, i32 %s)",
                                                    name, ptx_native_integer(bits), x.text,
                                                    n->flow->mask),
                                    32, true};
    if (in->operation == PTX_OP_ALL && !here.is_vector)
        same = ptx_native_first(n, same, here.text);
    same = ptx_native_both(n, "and", same, here);
    if (in->operation != PTX_OP_ALL) {
        ptx_native_set(n, in, &in->operands[0], PTX_U32, same);
        return;
    }
    const struct ptx_native_value is_all = ptx_native_both(n, "icmp eq", same, here);
    struct ptx_native_value lanes = is_all;
    lanes.bits = 32;
    lanes.text = ptx_native_emit(n, "sext %s %s to %s", ptx_native_value_type(n, is_all),
                                 is_all.text, ptx_native_value_type(n, lanes));
    ptx_native_set(n, in, &in->operands[0], PTX_U32, ptx_native_both(n, "and", lanes, here));
    if (in->has_second_destination)
        ptx_native_set(n, in, &in->operands[1], PTX_PRED, is_all);
}

/* ---- Reductions ---- */

/* Lanes that name different members: group after group. */
static void reduce_groups(struct ptx_native *n, const struct ptx_instruction *in, const char *word,
                          uint32_t identity, struct ptx_native_value x,
                          struct ptx_native_value groups)
{
    n->is_vector = true;
    ptx_native_declare(n, "declare i32 @llvm.cttz.i32(i32, i1)");
    ptx_native_declare(
        n,
        "define internal <32 x i32> @clem_reduce_%s(<32 x i32> %%x, <32 x i32> %%g, i32 %%m) "
        "noinline nounwind {\n  br label %%next\n"
        "next:\n  %%rest = phi i32 [%%m, %%0], [%%less, %%do]\n"
        "  %%r = phi <32 x i32> [zeroinitializer, %%0], [%%r2, %%do]\n"
        "  %%none = icmp eq i32 %%rest, 0\n  br i1 %%none, label %%end, label %%do\n"
        "do:\n  %%lane = call i32 @llvm.cttz.i32(i32 %%rest, i1 true)\n"
        "  %%g1 = extractelement <32 x i32> %%g, i32 %%lane\n  %%in = and i32 %%g1, %%m\n"
        "  %%k = bitcast i32 %%in to <32 x i1>\n"
        "  %%c = select <32 x i1> %%k, <32 x i32> %%x, <32 x i32> %s\n"
        "  %%s = call i32 @llvm.vector.reduce.%s.v32i32(<32 x i32> %%c)\n"
        "  %%i2 = insertelement <32 x i32> undef, i32 %%s, i32 0\n"
        "  %%s2 = shufflevector <32 x i32> %%i2, <32 x i32> undef, <32 x i32> zeroinitializer\n"
        "  %%r2 = select <32 x i1> %%k, <32 x i32> %%s2, <32 x i32> %%r\n"
        "  %%bit = shl i32 1, %%lane\n  %%out = or i32 %%in, %%bit\n"
        "  %%not = xor i32 %%out, -1\n  %%less = and i32 %%rest, %%not\n  br label %%next\n"
        "end:\n  ret <32 x i32> %%r\n}",
        word, ptx_native_constant(n, 32, identity), word);
    ptx_native_set(n, in, &in->operands[0], (enum ptx_type)in->types[0],
                   (struct ptx_native_value){
                       ptx_native_emit(n,
                                       "call <32 x i32> @clem_reduce_%s(<32 x i32> %s, <32 x i32> "
                                       "%s, i32 %s)",
                                       word, x.text, groups.text, n->flow->mask),
                       32, true});
}

static void reduce(struct ptx_native *n, const struct ptx_instruction *in)
{
    const enum ptx_type type = (enum ptx_type)in->types[0];
    const bool is_signed = ptx_type_is_signed(type);
    const char *word = NULL;
    uint32_t identity = 0;
    switch (in->operation) {
    case PTX_OP_AND:
        word = "and";
        identity = UINT32_MAX;
        break;
    case PTX_OP_OR:
        word = "or";
        break;
    case PTX_OP_XOR:
        word = "xor";
        break;
    case PTX_OP_ADD:
        word = "add";
        break;
    case PTX_OP_MIN:
        word = is_signed ? "smin" : "umin";
        identity = is_signed ? INT32_MAX : UINT32_MAX;
        break;
    case PTX_OP_MAX:
        word = is_signed ? "smax" : "umax";
        identity = is_signed ? (uint32_t)INT32_MIN : 0;
        break;
    default:
        break;
    }
    if (!word || in->operand_count < 3 || ptx_type_bytes(type) != 4 || ptx_type_is_float(type)) {
        ptx_refuse(n->e, "a reduction of a kind that has no translation");
        return;
    }
    const struct ptx_native_value here = members(n, in, 2);
    const struct ptx_native_value x = vector_of(n, &in->operands[1], type);
    ptx_native_declare(n, "declare i32 @llvm.vector.reduce.%s.v32i32(<32 x i32>)", word);
    if (here.is_vector) {
        reduce_groups(n, in, word, identity, x, here);
        return;
    }
    const char *chosen =
        ptx_native_emit(n, "select <32 x i1> %s, <32 x i32> %s, <32 x i32> %s",
                        lanes_as_bits(n, here.text), x.text, ptx_native_constant(n, 32, identity));
    ptx_native_set(n, in, &in->operands[0], type,
                   ptx_native_number(n, 32,
                                     ptx_native_emit(n,
                                                     "call i32 @llvm.vector.reduce.%s.v32i32("
                                                     "<32 x i32> %s)",
                                                     word, chosen)));
}

static void elect(struct ptx_native *n, const struct ptx_instruction *in)
{
    const struct ptx_native_value here = members(n, in, in->has_second_destination ? 2 : 1);
    const char *suffix = here.is_vector ? "v32i32" : "i32";
    const char *type = ptx_native_value_type(n, here);
    struct ptx_native_value lane = here;
    ptx_native_declare(n, "declare %s @llvm.cttz.%s(%s, i1)", type, suffix, type);
    lane.text =
        ptx_native_emit(n, "call %s @llvm.cttz.%s(%s %s, i1 false)", type, suffix, type, here.text);
    ptx_native_set(n, in, &in->operands[0], PTX_U32, lane);
    const struct ptx_native_value lanes = {ptx_native_iota(32), 32, true};
    if (in->has_second_destination)
        ptx_native_set(n, in, &in->operands[1], PTX_PRED,
                       ptx_native_both(n, "icmp eq", lane, lanes));
}

/* The lanes that each waits for, all of whose values matter to it. */
static struct ptx_native_value named(struct ptx_native *n, const struct ptx_instruction *in)
{
    const struct ptx_operand *mask = ptx_native_members(n, in);
    return mask ? vector_of(n, mask, PTX_U32) : ptx_native_number(n, 32, n->flow->mask);
}

/* The lanes that a warp operation names: a number where that is known. */
static const struct ptx_operand *mask_of(const struct ptx_native *n,
                                         const struct ptx_instruction *in)
{
    const struct ptx_operand *mask = ptx_member_mask(in), *known = ptx_native_members(n, in);
    return mask && known && known->kind == PTX_OPERAND_INTEGER ? known : mask;
}

/* Whether the same lanes have met in the same node, and nobody has accessed anything since: then nothing more is ordered. */
static bool meets_again(const struct ptx_native *n, const struct ptx_instruction *in,
                        const struct ptx_operand *mask)
{
    const struct ptx_native_flow *f = n->flow;
    const struct ptx_instruction *const all = f->function->instructions;
    const uint32_t first = f->graph->nodes[f->graph->node_of[in - all]].first;
    if (!mask || mask->kind != PTX_OPERAND_INTEGER || in->guard >= 0)
        return false;
    for (size_t i = (size_t)(in - all); i-- > first;) {
        const struct ptx_operand *before = mask_of(n, &all[i]);
        if (before && before->kind == PTX_OPERAND_INTEGER && before->bits == mask->bits &&
            all[i].guard < 0)
            return true;
        if (!ptx_is_warp_operation(&all[i]) && !ptx_flow_is_pure(f->function, &all[i]))
            return false;
    }
    return false;
}

static void write_warp(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    struct ptx_native *n = e->native;
    const struct ptx_operand *mask = mask_of(n, in);
    ptx_native_check_members(n, in, mask, ptx_native_is_checked(n) && meets_again(n, in, mask));
    if (in->opcode != PTX_OPCODE_shfl && ptx_native_is_checked(n))
        ptx_native_check_exchange(n, in, named(n, in));
    switch (in->opcode) {
    case PTX_OPCODE_shfl:
        shuffle(n, in);
        break;
    case PTX_OPCODE_vote:
        vote(n, in);
        break;
    case PTX_OPCODE_match:
        match(n, in);
        break;
    case PTX_OPCODE_redux:
        reduce(n, in);
        break;
    case PTX_OPCODE_activemask:
        ptx_native_set(n, in, &in->operands[0], PTX_U32, ptx_native_number(n, 32, n->flow->mask));
        break;
    case PTX_OPCODE_elect:
        elect(n, in);
        break;
    default: /* bar.warp: lanes go in step */
        break;
    }
}

const struct ptx_operand *ptx_native_members(const struct ptx_native *n,
                                             const struct ptx_instruction *in)
{
    if (!ptx_is_warp_operation(in) || in->operand_count == 0 ||
        in->opcode == PTX_OPCODE_activemask ||
        ((in->opcode == PTX_OPCODE_shfl || in->opcode == PTX_OPCODE_vote) &&
         !(in->flags & PTX_SYNC)))
        return NULL;
    const struct ptx_operand *last = &in->operands[in->operand_count - 1];
    if (last->kind != PTX_OPERAND_REGISTER)
        return last->kind == PTX_OPERAND_INTEGER ? last : NULL;
    return known(n, in, last);
}

bool ptx_native_warp(struct ptx_native *n, const struct ptx_instruction *in)
{
    if (!ptx_is_warp_operation(in))
        return false;
    ptx_access(n->e, &(struct ptx_access){.kind = PTX_ACCESS_WARP, .write = write_warp});
    return true;
}
