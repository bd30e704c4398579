/* mbarrier in the native form, one lane after the other: shared memory is that of one thread of the host at a time.
 * library/mbarrier.cl has what the word counts.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/native/native_flow.h"

/* ---- What a lane does: %x1 and %y1 are its values, %q the pointer, %old the result ---- */

/* %x1: how many arrive, and in its upper half how many of them for the last time; %y1: bytes. */
static const char step_text[] =
    "  %%old = load volatile i64, %s %%q\n  %%come = and i64 %%x1, 4294967295\n"
    "  %%drop = lshr i64 %%x1, 32\n  %%e0 = lshr i64 %%old, 20\n  %%e1 = sub i64 %%e0, %%drop\n"
    "  %%expected = and i64 %%e1, 1048575\n  %%l0 = sub i64 %%old, %%come\n"
    "  %%left = and i64 %%l0, 1048575\n  %%b0 = lshr i64 %%old, 40\n"
    "  %%b1 = add i64 %%b0, %%y1\n  %%bytes = and i64 %%b1, 2097151\n"
    "  %%open = or i64 %%left, %%bytes\n  %%over = icmp eq i64 %%open, 0\n"
    "  %%p0 = lshr i64 %%old, 61\n  %%p1 = zext i1 %%over to i64\n  %%p2 = add i64 %%p0, %%p1\n"
    "  %%phase = shl i64 %%p2, 61\n  %%b2 = shl i64 %%bytes, 40\n  %%e2 = shl i64 %%expected, 20\n"
    "  %%l1 = select i1 %%over, i64 %%expected, i64 %%left\n  %%n0 = or i64 %%phase, %%b2\n"
    "  %%n1 = or i64 %%e2, %%l1\n  %%new = or i64 %%n0, %%n1\n"
    "  store volatile i64 %%new, %s %%q\n";

static const char look_text[] = "  %%old = load volatile i64, %s %%q\n";

static const char init_text[] = "  %%old = load volatile i64, %s %%q\n"
                                "  store volatile i64 %%x1, %s %%q\n";

/* The lanes of %m, the lowest first. */
static void define(struct ptx_native *n, const char *name, const char *text)
{
    struct ptx_emitter *e = n->e;
    const char *p = ptx_native_pointer_type(n, "i64");
    const char *pv = ptx_native_pointer_type(n, "<32 x i64>");
    ptx_native_declare(n, "declare i32 @llvm.cttz.i32(i32, i1)");
    ptx_native_declare(
        n,
        "define internal <32 x i64> @clem_mbarrier_%s(<32 x i64> %%a, <32 x i64> %%x, "
        "<32 x i64> %%y, i32 %%m) noinline nounwind {\n"
        "  %%A = alloca <32 x i64>\n  %%X = alloca <32 x i64>\n  %%Y = alloca <32 x i64>\n"
        "  store <32 x i64> %%a, %s %%A\n  store <32 x i64> %%x, %s %%X\n"
        "  store <32 x i64> %%y, %s %%Y\n  %%A0 = bitcast %s %%A to %s\n"
        "  %%X0 = bitcast %s %%X to %s\n  %%Y0 = bitcast %s %%Y to %s\n  br label %%next\n"
        "next:\n  %%rest = phi i32 [%%m, %%0], [%%less, %%do]\n"
        "  %%none = icmp eq i32 %%rest, 0\n  br i1 %%none, label %%end, label %%do\n"
        "do:\n  %%lane = call i32 @llvm.cttz.i32(i32 %%rest, i1 true)\n"
        "  %%bit = shl i32 1, %%lane\n  %%less = xor i32 %%rest, %%bit\n"
        "  %%pa = getelementptr i64, %s %%A0, i32 %%lane\n"
        "  %%px = getelementptr i64, %s %%X0, i32 %%lane\n"
        "  %%py = getelementptr i64, %s %%Y0, i32 %%lane\n"
        "  %%a1 = load i64, %s %%pa\n  %%q = inttoptr i64 %%a1 to %s\n"
        "  %%x1 = load i64, %s %%px\n  %%y1 = load i64, %s %%py\n"
        "%s  store i64 %%old, %s %%px\n  br label %%next\n"
        "end:\n  %%r = load <32 x i64>, %s %%X\n  ret <32 x i64> %%r\n}",
        name, pv, pv, pv, pv, p, pv, p, pv, p, p, p, p, p, p, p, p, ptx_format(e, text, p, p), p,
        pv);
}

static struct ptx_native_value act(struct ptx_native *n, const struct ptx_instruction *in,
                                   const struct ptx_operand *barrier, const char *name,
                                   const char *text, struct ptx_native_value x,
                                   struct ptx_native_value y)
{
    const struct ptx_native_value address = ptx_native_address(
        n, barrier, strstr(in->words, ".shared") ? PTX_SPACE_SHARED : PTX_SPACE_GENERIC);
    struct ptx_native_value old = {NULL, 64, true};
    define(n, name, text);
    old.text = ptx_native_emit(
        n, "call <32 x i64> @clem_mbarrier_%s(<32 x i64> %s, <32 x i64> %s, <32 x i64> %s, i32 %s)",
        name, ptx_native_vector(n, address).text, ptx_native_vector(n, x).text,
        ptx_native_vector(n, y).text, ptx_native_guarded(n, in));
    return old;
}

/* ---- Instructions ---- */

/* Of 64 bits. */
static struct ptx_native_value operand(struct ptx_native *n, const struct ptx_operand *o,
                                       enum ptx_type type)
{
    n->is_vector = ptx_native_varies(n, o);
    return ptx_native_resize(n, ptx_native_read(n, o, type), 64, false);
}

static struct ptx_native_value number(struct ptx_native *n, const char *text)
{
    return ptx_native_number(n, 64, text);
}

static void fence(struct ptx_native *n, const struct ptx_instruction *in)
{
    const bool is_of_block = in->scope == PTX_SCOPE_CTA || in->scope == PTX_SCOPE_NONE;
    if (in->order != PTX_ORDER_RELAXED)
        ptx_native_do(n, "fence %sacq_rel", is_of_block ? "syncscope(\"singlethread\") " : "");
}

static void step(struct ptx_native *n, const struct ptx_instruction *in, struct ptx_native_value x,
                 struct ptx_native_value bytes)
{
    const uint32_t at = ptx_destination_count(in);
    const struct ptx_native_value old = act(n, in, &in->operands[at], "step", step_text, x, bytes);
    if (at > 0 && in->operands[0].kind != PTX_OPERAND_SINK)
        ptx_native_set(n, in, &in->operands[0], PTX_B64, old);
}

static void write_arrive(struct ptx_native *n, const struct ptx_instruction *in)
{
    const bool expects = in->second_operation == PTX_OP_EXPECT_TX;
    const struct ptx_native_value last =
        in->operand_count > 2 ? operand(n, &in->operands[2], PTX_U32) : number(n, "1");
    struct ptx_native_value count = expects ? number(n, "1") : last;
    fence(n, in);
    if (in->operation == PTX_OP_ARRIVE_DROP) /* in both halves */
        count = ptx_native_both(n, "mul", count, number(n, "4294967297"));
    step(n, in, count, expects ? last : number(n, "0"));
}

static void write_expect(struct ptx_native *n, const struct ptx_instruction *in)
{
    const struct ptx_native_value bytes = operand(n, &in->operands[1], PTX_U32);
    step(n, in, number(n, "0"),
         in->operation == PTX_OP_EXPECT_TX ? bytes
                                           : ptx_native_both(n, "sub", number(n, "0"), bytes));
}

static void write_init(struct ptx_native *n, const struct ptx_instruction *in)
{
    const struct ptx_native_value count =
        ptx_native_both(n, "and", operand(n, &in->operands[1], PTX_U32), number(n, "1048575"));
    act(n, in, &in->operands[0], "init", init_text,
        ptx_native_both(n, "mul", count, number(n, "1048577")), number(n, "0"));
}

/* What became of a phase: that of a state, or the last one of a parity. */
static void write_wait(struct ptx_native *n, const struct ptx_instruction *in)
{
    const bool by_parity = in->flags & PTX_PARITY;
    const struct ptx_native_value given =
        operand(n, &in->operands[2], by_parity ? PTX_U32 : PTX_U64);
    struct ptx_native_value now =
        act(n, in, &in->operands[1], "look", look_text, number(n, "0"), number(n, "0"));
    now = ptx_native_both(n, "lshr", now, number(n, "61"));
    struct ptx_native_value is_over;
    if (by_parity) {
        const struct ptx_native_value both = ptx_native_both(n, "xor", now, given);
        is_over = ptx_native_both(n, "icmp ne", ptx_native_both(n, "and", both, number(n, "1")),
                                  number(n, "0"));
    } else {
        is_over =
            ptx_native_both(n, "icmp ne", now, ptx_native_both(n, "lshr", given, number(n, "61")));
    }
    ptx_native_set(n, in, &in->operands[0], PTX_PRED, is_over);
    fence(n, in);
}

static void write(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    struct ptx_native *n = e->native;
    if (in->opcode == PTX_OPCODE_cp) { /* copies are made at once, so all have come */
        fence(n, in);
        step(n, in, number(n, "1"), number(n, "0"));
        return;
    }
    switch (in->operation) {
    case PTX_OP_INIT:
        write_init(n, in);
        break;
    case PTX_OP_ARRIVE:
    case PTX_OP_ARRIVE_DROP:
        write_arrive(n, in);
        break;
    case PTX_OP_TEST_WAIT:
    case PTX_OP_TRY_WAIT:
        write_wait(n, in);
        break;
    default:
        write_expect(n, in);
    }
}

static void access_barrier(struct ptx_native *n, enum ptx_access_kind kind)
{
    ptx_access(n->e, &(struct ptx_access){.kind = (uint8_t)kind,
                                          .space = PTX_SPACE_SHARED,
                                          .type = PTX_B64,
                                          .is_volatile = true,
                                          .write = write});
}

/* Of a state, which is a number. */
static void write_pending(struct ptx_native *n, const struct ptx_instruction *in)
{
    const struct ptx_native_value state = operand(n, &in->operands[1], PTX_U64);
    const struct ptx_native_value count = ptx_native_both(n, "and", state, number(n, "1048575"));
    ptx_native_set(n, in, &in->operands[0], PTX_U32, ptx_native_resize(n, count, 32, false));
}

void ptx_native_copies_arrive(struct ptx_native *n, const struct ptx_instruction *in)
{
    if (in->flags & PTX_NOINC)
        access_barrier(n, PTX_ACCESS_ATOMIC);
}

bool ptx_native_mbarrier(struct ptx_native *n, const struct ptx_instruction *in)
{
    if (in->opcode != PTX_OPCODE_mbarrier)
        return false;
    if (in->operation == PTX_OP_PENDING_COUNT)
        write_pending(n, in);
    else if (in->operation != PTX_OP_INVAL) /* its bytes are free for other things */
        access_barrier(n, in->operation == PTX_OP_INIT ? PTX_ACCESS_STORE
                          : ptx_is_mbarrier_wait(in)   ? PTX_ACCESS_LOAD
                                                       : PTX_ACCESS_ATOMIC);
    return true;
}
