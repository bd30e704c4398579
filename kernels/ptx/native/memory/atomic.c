/* atom and red in the native form: one lane after the other, the lowest first.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <string.h>

#include "kernels/ptx/host/runtime.h"
#include "kernels/ptx/native/memory/memory.h"
#include "kernels/ptx/native/native_flow.h"

/* How one operation is written: LLVM's word for it; NULL: by a loop of comparing and exchanging. */
struct way {
    const char *word, *name;
    bool is_float, is_exchange; /* is_exchange: cas */
    const char *identity;       /* of a reduction; NULL: none is made */
    const char *reduction;
};

/* Numbers of 16 bits, one or two: by a function of runtime_math.c. */
static const char *halves_of(enum ptx_type type)
{
    switch (type) {
    case PTX_F16:
        return "f16";
    case PTX_BF16:
        return "bf16";
    case PTX_F16X2:
        return "f16x2";
    case PTX_BF16X2:
        return "bf16x2";
    default:
        return NULL;
    }
}

static struct way way_of(const struct ptx_instruction *in)
{
    const enum ptx_type type = (enum ptx_type)in->types[0];
    const bool is_signed = ptx_type_is_signed(type);
    const bool is_float = type == PTX_F32 || type == PTX_F64;
    struct way w = {.name = ""};
    switch (in->operation) {
    case PTX_OP_ADD:
        if (halves_of(type)) {
            w = (struct way){NULL, halves_of(type), false, false, NULL, NULL};
            break;
        }
        w = is_float ? (struct way){"fadd", "fadd", true, false, NULL, NULL}
                     : (struct way){"add", "add", false, false, "0", "add"};
        break;
    case PTX_OP_AND:
        w = (struct way){"and", "and", false, false, "-1", "and"};
        break;
    case PTX_OP_OR:
        w = (struct way){"or", "or", false, false, "0", "or"};
        break;
    case PTX_OP_XOR:
        w = (struct way){"xor", "xor", false, false, "0", "xor"};
        break;
    case PTX_OP_MIN:
        w = is_signed ? (struct way){"min", "min", false, false, NULL, NULL}
                      : (struct way){"umin", "umin", false, false, "-1", "umin"};
        break;
    case PTX_OP_MAX:
        w = is_signed ? (struct way){"max", "max", false, false, NULL, NULL}
                      : (struct way){"umax", "umax", false, false, "0", "umax"};
        break;
    case PTX_OP_EXCH:
        w = (struct way){"xchg", "xchg", false, false, NULL, NULL};
        break;
    case PTX_OP_CAS:
        w = (struct way){NULL, "cas", false, true, NULL, NULL};
        break;
    case PTX_OP_INC:
        w = (struct way){NULL, "inc", false, false, NULL, NULL};
        break;
    case PTX_OP_DEC:
        w = (struct way){NULL, "dec", false, false, NULL, NULL};
        break;
    default:
        break;
    }
    return w;
}

static bool is_known(const struct ptx_instruction *in, struct way w)
{
    const enum ptx_type type = (enum ptx_type)in->types[0];
    const unsigned bits = ptx_native_bits(type);
    const bool is_number = type == PTX_F32 || type == PTX_F64 || !ptx_type_is_float(type);
    const bool is_bitwise = in->operation == PTX_OP_EXCH || in->operation == PTX_OP_CAS ||
                            in->operation == PTX_OP_AND || in->operation == PTX_OP_OR ||
                            in->operation == PTX_OP_XOR;
    if (!w.name[0] || in->width > 1)
        return false;
    if (bits > 64)
        return in->operation == PTX_OP_EXCH || in->operation == PTX_OP_CAS;
    if (halves_of(type) && in->operation == PTX_OP_ADD)
        return true;
    if (bits == 16)
        return in->operation == PTX_OP_EXCH || in->operation == PTX_OP_CAS;
    if (type == PTX_F32 || type == PTX_F64)
        return in->operation == PTX_OP_ADD || is_bitwise;
    return bits >= 32 && (is_number || is_bitwise);
}

/* Shared memory is that of one thread of the host at a time: how an operation is done there; NULL: as elsewhere. */
static const char *alone_text(struct way w)
{
    static const char *const words[][2] = {
        {"add", "add"},       {"and", "and"},       {"or", "or"},
        {"xor", "xor"},       {"min", "icmp slt"},  {"max", "icmp sgt"},
        {"umin", "icmp ult"}, {"umax", "icmp ugt"}, {"fadd", "fadd"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], w.name) == 0)
            return words[i][1];
    return NULL;
}

/* The unit that adds to global memory takes subnormal numbers for zeros of their sign. */
static bool flushes(struct way w, unsigned bits, bool is_shared)
{
    return w.is_float && bits == 32 && !is_shared;
}

/* %to is %from as that unit has it. */
static const char *flushed(struct ptx_native *n, const char *from, const char *to)
{
    return ptx_format(n->e,
                      "  %%%s.e = and i32 %%%s, 2139095040\n  %%%s.z = icmp eq i32 %%%s.e, 0\n"
                      "  %%%s.s = and i32 %%%s, -2147483648\n"
                      "  %%%s = select i1 %%%s.z, i32 %%%s.s, i32 %%%s\n",
                      to, from, to, to, to, from, to, to, to, from);
}

static const char *flushing_text(struct ptx_native *n)
{
    struct ptx_emitter *e = n->e;
    const char *p = ptx_native_pointer_type(n, "i32");
    return ptx_format(e,
                      "  %%was = load atomic i32, %s %%q monotonic, align 4\n%s  br label %%try\n"
                      "try:\n  %%old = phi i32 [%%was, %%do], [%%now, %%try]\n%s"
                      "  %%xf = bitcast i32 %%x2 to float\n  %%of = bitcast i32 %%old2 to float\n"
                      "  %%nf = fadd float %%of, %%xf\n  %%n1 = bitcast float %%nf to i32\n%s"
                      "  %%both = cmpxchg %s %%q, i32 %%old, i32 %%new monotonic monotonic\n"
                      "  %%now = extractvalue {i32, i1} %%both, 0\n"
                      "  %%won = extractvalue {i32, i1} %%both, 1\n"
                      "  br i1 %%won, label %%done, label %%try\ndone:\n",
                      p, flushed(n, "x1", "x2"), flushed(n, "old", "old2"), flushed(n, "n1", "new"),
                      p);
}

/* What one lane does: %x1 and %y1 are its values, %q the pointer, %old the result. */
static const char *step_text(struct ptx_native *n, struct way w, unsigned bits, bool is_shared)
{
    struct ptx_emitter *e = n->e;
    const char *i = ptx_native_integer(bits), *p = ptx_native_pointer_type(n, i);
    const char *alone = is_shared ? alone_text(w) : NULL;
    if (alone && w.is_float)
        return ptx_format(e,
                          "  %%old = load %s, %s %%q\n  %%of = bitcast %s %%old to %s\n"
                          "  %%xf = bitcast %s %%x1 to %s\n  %%nf = fadd %s %%of, %%xf\n"
                          "  %%new = bitcast %s %%nf to %s\n  store %s %%new, %s %%q\n",
                          i, p, i, bits == 32 ? "float" : "double", i,
                          bits == 32 ? "float" : "double", bits == 32 ? "float" : "double",
                          bits == 32 ? "float" : "double", i, i, p);
    if (alone && strncmp(alone, "icmp", 4) == 0)
        return ptx_format(e,
                          "  %%old = load %s, %s %%q\n  %%c = %s %s %%old, %%x1\n"
                          "  %%new = select i1 %%c, %s %%old, %s %%x1\n  store %s %%new, %s %%q\n",
                          i, p, alone, i, i, i, i, p);
    if (alone)
        return ptx_format(e,
                          "  %%old = load %s, %s %%q\n  %%new = %s %s %%old, %%x1\n"
                          "  store %s %%new, %s %%q\n",
                          i, p, alone, i, i, p);
    if (w.is_exchange)
        return ptx_format(e,
                          "  %%both = cmpxchg %s %%q, %s %%x1, %s %%y1 monotonic monotonic\n"
                          "  %%old = extractvalue {%s, i1} %%both, 0\n",
                          p, i, i, i);
    if (flushes(w, bits, is_shared))
        return flushing_text(n);
    if (w.is_float) {
        const char *f = bits == 32 ? "float" : "double";
        const char *pf = ptx_native_pointer_type(n, f);
        return ptx_format(e,
                          "  %%qf = bitcast %s %%q to %s\n  %%xf = bitcast %s %%x1 to %s\n"
                          "  %%of = atomicrmw fadd %s %%qf, %s %%xf monotonic\n"
                          "  %%old = bitcast %s %%of to %s\n",
                          p, pf, i, f, pf, f, f, i);
    }
    if (w.word)
        return ptx_format(e, "  %%old = atomicrmw %s %s %%q, %s %%x1 monotonic\n", w.word, p, i);
    const bool is_inc = strcmp(w.name, "inc") == 0;
    return ptx_format(
        e,
        "  %%was = load atomic %s, %s %%q monotonic, align 4\n  br label %%try\n"
        "try:\n  %%old = phi %s [%%was, %%do], [%%now, %%try]\n"
        "  %%stepped = %s %s %%old, 1\n  %%over = icmp %s %s %%old, %%x1\n"
        "  %%zero = icmp eq %s %%old, 0\n  %%edge = %s i1 %%over, %s\n"
        "  %%new = select i1 %%edge, %s %s, %s %%stepped\n"
        "  %%both = cmpxchg %s %%q, %s %%old, %s %%new monotonic monotonic\n"
        "  %%now = extractvalue {%s, i1} %%both, 0\n  %%won = extractvalue {%s, i1} %%both, 1\n"
        "  br i1 %%won, label %%done, label %%try\ndone:\n",
        i, p, i, is_inc ? "add" : "sub", i, is_inc ? "uge" : "ugt", i, i, "or",
        is_inc ? "%over" : "%zero", i, is_inc ? "0" : "%x1", i, p, i, i, i, i);
}

/* What one lane does, as a function of its own. */
static const char *define_one(struct ptx_native *n, struct way w, unsigned bits, bool is_shared)
{
    struct ptx_emitter *e = n->e;
    const char *i = ptx_native_integer(bits), *p = ptx_native_pointer_type(n, i);
    const char *name =
        ptx_format(e, "clem_atomic_one_%s%s_%u", is_shared ? "shared_" : "", w.name, bits);
    ptx_native_declare(n,
                       "define internal %s @%s(i64 %%a1, %s %%x1, %s %%y1) noinline nounwind {\n"
                       "do:\n  %%q = inttoptr i64 %%a1 to %s\n%s  ret %s %%old\n}",
                       i, name, i, i, p, step_text(n, w, bits, is_shared), i);
    return name;
}

/* One lane needs no list of lanes, and who reads the result then need not wait until it has been stored in one. */
static const char *single_text(struct ptx_native *n, struct way w, unsigned bits, bool is_shared)
{
    struct ptx_emitter *e = n->e;
    const char *i = ptx_native_integer(bits), *v = ptx_format(e, "<32 x %s>", i);
    return ptx_format(e,
                      "  %%m.less = sub i32 %%m, 1\n  %%m.rest = and i32 %%m, %%m.less\n"
                      "  %%is.few = icmp eq i32 %%m.rest, 0\n  %%is.any = icmp ne i32 %%m, 0\n"
                      "  %%is.one = and i1 %%is.few, %%is.any\n"
                      "  br i1 %%is.one, label %%one, label %%many\n"
                      "one:\n  %%l1 = call i32 @llvm.cttz.i32(i32 %%m, i1 true)\n"
                      "  %%l = and i32 %%l1, 31\n"
                      "  %%ea = extractelement <32 x i64> %%a, i32 %%l\n"
                      "  %%ex = extractelement %s %%x, i32 %%l\n"
                      "  %%ey = extractelement %s %%y, i32 %%l\n"
                      "  %%eo = call %s @%s(i64 %%ea, %s %%ex, %s %%ey)\n"
                      "  %%first = insertelement %s undef, %s %%eo, i32 0\n"
                      "  %%alike = shufflevector %s %%first, %s undef, <32 x i32> zeroinitializer\n"
                      "  ret %s %%alike\nmany:\n",
                      v, v, i, define_one(n, w, bits, is_shared), i, i, v, i, v, v, v);
}

/* Operations on memory that other threads of the host have wait for each other, and each for a line of its own if places are any. So
 * lanes ask for the lines of lanes behind them: as many as the cache waits for at once, since more would have to wait themselves.
 * Places that nobody is to ask for, of lanes that are not here and behind the last, are those of the list. */
enum { LANES_AHEAD = 16 };

static const char *ask_text(struct ptx_native *n, const char *lane)
{
    return ptx_format(n->e,
                      "  %%p.%s = getelementptr i64, %s %%A0, i32 %%%s\n"
                      "  %%a.%s = load i64, %s %%p.%s\n  %%q.%s = inttoptr i64 %%a.%s to %s\n"
                      "  call void @%s(%s %%q.%s, i32 1, i32 3, i32 1)\n",
                      lane, ptx_native_pointer_type(n, "i64"), lane, lane,
                      ptx_native_pointer_type(n, "i64"), lane, lane, lane,
                      ptx_native_pointer_type(n, "i8"), ptx_native_prefetch(n),
                      ptx_native_pointer_type(n, "i8"), lane);
}

/* Keeps the list of places in memory, and asks for the first lanes'. */
static const char *keep_places_text(struct ptx_native *n, bool asks)
{
    const char *pv = ptx_native_pointer_type(n, "<32 x i64>"),
               *p = ptx_native_pointer_type(n, "i64");
    const char *begin = ptx_format(n->e, "  %%A0 = bitcast %s %%A to %s\n", pv, p);
    if (!asks)
        return ptx_format(n->e, "%s  store <32 x i64> %%a, %s %%A\n  br label %%next\n", begin, pv);
    return ptx_format(
        n->e,
        "%s  %%here = bitcast i32 %%m to <32 x i1>\n  %%list = ptrtoint %s %%A to i64\n"
        "  %%list1 = insertelement <32 x i64> undef, i64 %%list, i32 0\n"
        "  %%none1 = shufflevector <32 x i64> %%list1, <32 x i64> undef, <32 x i32> "
        "zeroinitializer\n"
        "  %%places = select <32 x i1> %%here, <32 x i64> %%a, <32 x i64> %%none1\n"
        "  store <32 x i64> %%places, %s %%A\n"
        "  %%B = getelementptr <32 x i64>, %s %%A, i32 1\n  store <32 x i64> %%none1, %s %%B\n"
        "  br label %%ask\n"
        "ask:\n  %%early = phi i32 [0, %%many], [%%later, %%ask]\n%s"
        "  %%later = add i32 %%early, 1\n  %%more = icmp ult i32 %%later, %d\n"
        "  br i1 %%more, label %%ask, label %%next\n",
        begin, pv, pv, pv, pv, ask_text(n, "early"), LANES_AHEAD);
}

static const char *define(struct ptx_native *n, struct way w, unsigned bits, bool is_shared)
{
    struct ptx_emitter *e = n->e;
    const char *i = ptx_native_integer(bits), *p = ptx_native_pointer_type(n, i);
    const char *v = ptx_format(e, "<32 x %s>", i), *pv = ptx_native_pointer_type(n, v);
    const char *pa = ptx_native_pointer_type(n, "i64");
    const char *name =
        ptx_format(e, "clem_atomic_%s%s_%u", is_shared ? "shared_" : "", w.name, bits);
    const bool has_loop = !(w.word || w.is_exchange) || flushes(w, bits, is_shared);
    const char *last = has_loop ? "done" : "do", *before = is_shared ? "many" : "ask";
    const char *ask = is_shared ? ""
                                : ptx_format(e, "  %%behind = add i32 %%lane, %d\n%s", LANES_AHEAD,
                                             ask_text(n, "behind"));
    ptx_native_declare(n, "declare i32 @llvm.cttz.i32(i32, i1)");
    ptx_native_declare(
        n,
        "define internal %s @%s(<32 x i64> %%a, %s %%x, %s %%y, i32 %%m) noinline nounwind {\n"
        "  %%A = alloca <32 x i64>, i32 %d\n  %%X = alloca %s\n  %%Y = alloca %s\n%s"
        "  store %s %%x, %s %%X\n  store %s %%y, %s %%Y\n%s"
        "next:\n  %%rest = phi i32 [%%m, %%%s], [%%less, %%%s]\n"
        "  %%none = icmp eq i32 %%rest, 0\n  br i1 %%none, label %%end, label %%do\n"
        "do:\n  %%lane = call i32 @llvm.cttz.i32(i32 %%rest, i1 true)\n"
        "  %%bit = shl i32 1, %%lane\n  %%less = xor i32 %%rest, %%bit\n%s"
        "  %%X0 = bitcast %s %%X to %s\n"
        "  %%Y0 = bitcast %s %%Y to %s\n"
        "  %%pA = getelementptr i64, %s %%A0, i32 %%lane\n"
        "  %%px = getelementptr %s, %s %%X0, i32 %%lane\n"
        "  %%py = getelementptr %s, %s %%Y0, i32 %%lane\n"
        "  %%a1 = load i64, %s %%pA\n  %%q = inttoptr i64 %%a1 to %s\n"
        "  %%x1 = load %s, %s %%px\n  %%y1 = load %s, %s %%py\n"
        "%s  store %s %%old, %s %%px\n  br label %%next\n"
        "end:\n  %%r = load %s, %s %%X\n  ret %s %%r\n}",
        v, name, v, v, is_shared ? 1 : 2, v, v, single_text(n, w, bits, is_shared), v, pv, v, pv,
        keep_places_text(n, !is_shared), before, last, ask, pv, p, pv, p, pa, i, p, i, p, pa, p, i,
        p, i, p, step_text(n, w, bits, is_shared), i, p, v, pv, v);
    return name;
}

/* The same by the host's function, which takes the lanes' values as words. */
static const char *define_halves(struct ptx_native *n, const char *kind, unsigned bits)
{
    struct ptx_emitter *e = n->e;
    const char *v = ptx_format(e, "<32 x i%u>", bits),
               *name = ptx_format(e, "clem_atomic_%s", kind);
    const char *pa = ptx_native_pointer_type(n, "<32 x i64>");
    const char *pw = ptx_native_pointer_type(n, "<32 x i32>");
    const bool is_narrow = bits < 32;
    ptx_native_declare(n, "declare void @clem_native_add_halves_%s(i64, i64, i32)", kind);
    ptx_native_declare(
        n,
        "define internal %s @%s(<32 x i64> %%a, %s %%x, %s %%y, i32 %%m) noinline nounwind {\n"
        "  %%A = alloca <32 x i64>\n  %%X = alloca <32 x i32>\n"
        "  %%w = %s %s %%x to <32 x i32>\n"
        "  store <32 x i64> %%a, %s %%A\n  store <32 x i32> %%w, %s %%X\n"
        "  %%A0 = ptrtoint %s %%A to i64\n  %%X0 = ptrtoint %s %%X to i64\n"
        "  call void @clem_native_add_halves_%s(i64 %%A0, i64 %%X0, i32 %%m)\n"
        "  %%r = load <32 x i32>, %s %%X\n  %%o = %s <32 x i32> %%r to %s\n  ret %s %%o\n}",
        v, name, v, v, is_narrow ? "zext" : "bitcast", v, pa, pw, pa, pw, kind, pw,
        is_narrow ? "trunc" : "bitcast", v, v);
    return name;
}

static bool is_simple(struct way w)
{
    const char *operation = alone_text(w);
    return operation && !w.is_float && strncmp(operation, "icmp", 4) != 0;
}

/* ---- Sums that wait for more blocks ---- */

/* Nobody may tell whether a sum has been added before its block ends: behind it threads compute, add again and end. */
static bool ends_quietly(const struct ptx_native_flow *f, const struct ptx_instruction *from)
{
    const struct ptx_flow *g = f->graph;
    const uint32_t at = (uint32_t)(from - f->function->instructions);
    bool *seen = ptx_arena_take(g->arena, g->count + 1), is_quiet = true;
    int32_t *queue = ptx_arena_array(g->arena, g->count + 1, sizeof *queue);
    size_t count = 0;
    queue[count++] = g->node_of[at];
    for (size_t i = 0; is_quiet && i < count; i++) {
        const struct ptx_node *node = &g->nodes[queue[i]];
        ptx_steps(g->arena, node->end - node->first);
        for (uint32_t j = i == 0 ? at : node->first; j < node->end; j++) {
            const struct ptx_instruction *in = &f->function->instructions[j];
            is_quiet &= in == from || in->opcode == PTX_OPCODE_bra ||
                        in->opcode == PTX_OPCODE_ret || in->opcode == PTX_OPCODE_exit ||
                        ptx_flow_is_pure(f->function, in);
        }
        for (uint32_t j = 0; j < node->next_count; j++) {
            if (node->next[j] == queue[0])
                is_quiet = false; /* its start may do anything */
            else if (!seen[node->next[j]])
                seen[queue[count++] = node->next[j]] = true;
        }
    }
    return is_quiet;
}

/* Whether all of a block have come by a barrier before a node, and will come to none behind it. */
static bool is_behind_barriers(const struct ptx_native_flow *f, int32_t node)
{
    const struct ptx_flow *g = f->graph;
    bool *seen = ptx_arena_take(g->arena, g->count + 1), is = false;
    int32_t *queue = ptx_arena_array(g->arena, g->count + 1, sizeof *queue), last = node;
    size_t count = 0;
    for (; !is && last != PTX_NO_NODE; last = is ? last : g->dominator[last])
        is = f->sites[last] > 0 && !f->uniform.is_divergent[last] &&
             ptx_native_is_plain_barrier(f, &f->function->instructions[g->nodes[last].first]);
    if (is)
        queue[count++] = last;
    for (size_t i = 0; is && i < count; i++) {
        ptx_steps(g->arena, g->nodes[queue[i]].next_count);
        for (uint32_t j = 0; j < g->nodes[queue[i]].next_count; j++) {
            const int32_t next = g->nodes[queue[i]].next[j];
            is &= f->sites[next] == 0;
            if (!seen[next])
                seen[queue[count++] = next] = true;
        }
    }
    return is;
}

/* What a generic address is of is not known, and blocks that follow have the same shared memory. */
static bool is_global(const struct ptx_instruction *in)
{
    const struct ptx_variable *variable = in->operands[in->opcode == PTX_OPCODE_atom].variable;
    return in->space == PTX_SPACE_GLOBAL ||
           (in->space == PTX_SPACE_GENERIC && variable && variable->space == PTX_SPACE_GLOBAL);
}

/* A warp that has ended is no longer waited for at barriers, and what it added may be read behind them: where the block has some,
 * all must lie before. */
static bool may_wait(const struct ptx_native *n, const struct ptx_instruction *in)
{
    const struct ptx_native_flow *f = n->flow;
    return in->operation == PTX_OP_ADD && is_global(in) && !f->is_parted &&
           !ptx_native_is_checked(n) && ptx_native_is_relaxed(in) && in->scope != PTX_SCOPE_SYS &&
           ends_quietly(f, in) &&
           (f->barrier_count == 0 ||
            is_behind_barriers(f, f->graph->node_of[in - f->function->instructions]));
}

static void add_now(struct ptx_native *n, unsigned bits, const char *address, const char *sum)
{
    const char *i = ptx_native_integer(bits), *p = ptx_native_pointer(n, i, address);
    ptx_native_emit(n, "atomicrmw add %s %s, %s %s monotonic", ptx_native_pointer_type(n, i), p, i,
                    sum);
}

/* What waits at a site, where there is any, is added. Nothing waits at -1, which no sum can be at; a null pointer is told of as
 * in every other access. */
static void add_waiting(struct ptx_native *n, uint32_t site, unsigned bits)
{
    const char *i = ptx_native_integer(bits), *p = ptx_native_pointer_type(n, i);
    const char *some = ptx_native_name(n, "add"), *end = ptx_native_name(n, "add");
    const char *at =
        ptx_native_emit(n, "load i64, %s %%wait.%u.at", ptx_native_pointer_type(n, "i64"), site);
    const char *is_any = ptx_native_emit(n, "icmp ne i64 %s, -1", at);
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s", is_any, some, end);
    ptx_native_label(n, some);
    add_now(n, bits, at, ptx_native_emit(n, "load %s, %s %%wait.%u", i, p, site));
    ptx_native_jump(n, end);
    ptx_native_label(n, end);
}

/* Of the block's sums: a member's place, before all turns. */
static const char *place_of_sum(struct ptx_native *n, uint32_t site, size_t member,
                                const char *type)
{
    const size_t at =
        offsetof(struct ptx_native_block, sums) + site * sizeof(struct ptx_native_sum) + member;
    return ptx_native_pointer(n, type, ptx_native_emit(n, "add i64 %%state, %zu", at));
}

static void begin_waiting(struct ptx_native *n, uint32_t site, const char *i)
{
    const char *p = ptx_native_pointer_type(n, i), *p64 = ptx_native_pointer_type(n, "i64");
    const char *at = place_of_sum(n, site, offsetof(struct ptx_native_sum, at), "i64"),
               *sum = place_of_sum(n, site, offsetof(struct ptx_native_sum, sum), i);
    ptx_native_do(n, "%%wait.%u.at = alloca i64", site);
    ptx_native_do(n, "%%wait.%u = alloca %s", site, i);
    ptx_native_do(n, "store i64 %s, %s %%wait.%u.at",
                  ptx_native_emit(n, "load i64, %s %s", p64, at), p64, site);
    ptx_native_do(n, "store %s %s, %s %%wait.%u", i,
                  ptx_native_emit(n, "load %s, %s %s", i, p, sum), p, site);
}

/* One place of all lanes: it waits with what is added there until no block is left, or another place comes. */
static void add_later(struct ptx_native *n, unsigned bits, const char *address, const char *sum)
{
    struct ptx_native_flow *f = n->flow;
    const char *i = ptx_native_integer(bits), *p = ptx_native_pointer_type(n, i),
               *p64 = ptx_native_pointer_type(n, "i64");
    const uint32_t site = f->waiting_count++;
    f->waiting_bits[site] = (uint8_t)bits;
    f->adds_later = true;
    struct ptx_text *const out = n->e->out;
    n->e->out = f->head;
    begin_waiting(n, site, i);
    n->e->out = out;
    const char *other = ptx_native_name(n, "add"), *same = ptx_native_name(n, "add");
    const char *at = ptx_native_emit(n, "load i64, %s %%wait.%u.at", p64, site);
    const char *is_same = ptx_native_emit(n, "icmp eq i64 %s, %s", at, address);
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s", is_same, same, other);
    ptx_native_label(n, other);
    add_waiting(n, site, bits);
    ptx_native_do(n, "store i64 %s, %s %%wait.%u.at", address, p64, site);
    ptx_native_do(n, "store %s 0, %s %%wait.%u", i, p, site);
    ptx_native_jump(n, same);
    ptx_native_label(n, same);
    const char *before = ptx_native_emit(n, "load %s, %s %%wait.%u", i, p, site);
    ptx_native_do(n, "store %s %s, %s %%wait.%u", i,
                  ptx_native_emit(n, "add %s %s, %s", i, before, sum), p, site);
}

static void leave_waiting(struct ptx_native *n, uint32_t site, unsigned bits)
{
    const char *i = ptx_native_integer(bits), *p = ptx_native_pointer_type(n, i),
               *p32 = ptx_native_pointer_type(n, "i32"), *p64 = ptx_native_pointer_type(n, "i64");
    const char *at = ptx_native_emit(n, "load i64, %s %%wait.%u.at", p64, site),
               *sum = ptx_native_emit(n, "load %s, %s %%wait.%u", i, p, site);
    ptx_native_do(n, "store i64 %s, %s %s", at, p64,
                  place_of_sum(n, site, offsetof(struct ptx_native_sum, at), "i64"));
    ptx_native_do(n, "store %s %s, %s %s", i, sum, p,
                  place_of_sum(n, site, offsetof(struct ptx_native_sum, sum), i));
    ptx_native_do(n, "store i32 %u, %s %s", bits, p32,
                  place_of_sum(n, site, offsetof(struct ptx_native_sum, bits), "i32"));
}

void ptx_native_leave_waiting(struct ptx_native *n)
{
    for (uint32_t i = 0; i < n->flow->waiting_count; i++)
        leave_waiting(n, i, n->flow->waiting_bits[i]);
}

/* All lanes at one place, and nobody wants to know what was there. */
static void combine(struct ptx_native *n, const struct ptx_instruction *in, struct way w,
                    unsigned bits, struct ptx_native_value address, struct ptx_native_value value)
{
    const char *i = ptx_native_integer(bits), *lanes = n->flow->mask;
    const bool is_vector = n->is_vector;
    const char *sum = value.text;
    const int32_t lane = ptx_native_only_lane(lanes);
    if (lane >= 0) {
        sum = value.is_vector ? ptx_native_emit(n, "extractelement <32 x %s> %s, i32 %d", i,
                                                value.text, (int)lane)
                              : value.text;
    } else if (value.is_vector || strcmp(w.word, "add") == 0 || strcmp(w.word, "xor") == 0) {
        n->is_vector = true;
        const char *identity =
            ptx_native_constant(n, bits, strcmp(w.identity, "0") == 0 ? 0 : UINT64_MAX);
        n->is_vector = is_vector;
        const char *k = ptx_native_emit(n, "bitcast i32 %s to <32 x i1>", lanes);
        const char *here = ptx_native_emit(n, "select <32 x i1> %s, <32 x %s> %s, <32 x %s> %s", k,
                                           i, ptx_native_vector(n, value).text, i, identity);
        ptx_native_declare(n, "declare %s @llvm.vector.reduce.%s.v32%s(<32 x %s>)", i, w.reduction,
                           i, i);
        sum = ptx_native_emit(n, "call %s @llvm.vector.reduce.%s.v32%s(<32 x %s> %s)", i,
                              w.reduction, i, i, here);
    }
    if (n->flow->waiting_count < PTX_NATIVE_SUMS && bits >= 32 && may_wait(n, in)) {
        add_later(n, bits, address.text, sum);
        return;
    }
    const char *p = ptx_native_pointer(n, i, address.text);
    ptx_native_emit(n, "atomicrmw %s %s %s, %s %s monotonic", w.word, ptx_native_pointer_type(n, i),
                    p, i, sum);
}

static void fence(struct ptx_native *n, const struct ptx_instruction *in, bool is_before)
{
    const bool is_asked = in->order == PTX_ORDER_ACQ_REL || in->order == PTX_ORDER_SC ||
                          in->order == (is_before ? PTX_ORDER_RELEASE : PTX_ORDER_ACQUIRE);
    if (is_asked)
        ptx_native_do(n, "fence %s%s",
                      in->scope == PTX_SCOPE_CTA ? "syncscope(\"singlethread\") " : "",
                      in->order == PTX_ORDER_SC ? "seq_cst" : "acq_rel");
}

static struct ptx_native_value operand(struct ptx_native *n, const struct ptx_operand *o,
                                       enum ptx_type type)
{
    n->is_vector = ptx_native_varies(n, o);
    return ptx_native_read(n, o, type);
}

static const char *of_first_lane(struct ptx_native *n, struct ptx_native_value value)
{
    return value.is_vector ? ptx_native_emit(n, "extractelement %s %s, i32 0",
                                             ptx_native_value_type(n, value), value.text)
                           : value.text;
}

/* The first lane alone. */
static struct ptx_native_value act_once(struct ptx_native *n, struct way w, unsigned bits,
                                        bool is_shared, const struct ptx_native_value given[3])
{
    const char *name = define_one(n, w, bits, is_shared), *i = ptx_native_integer(bits);
    const char *address = of_first_lane(n, given[0]), *x = of_first_lane(n, given[1]);
    const char *old = ptx_native_emit(n, "call %s @%s(i64 %s, %s %s, %s %s)", i, name, address, i,
                                      x, i, of_first_lane(n, given[2]));
    return (struct ptx_native_value){
        ptx_native_emit(n, "insertelement <32 x %s> undef, %s %s, i32 0", i, i, old), (uint8_t)bits,
        true};
}

/* Lane after lane; given: the address and two values. */
static struct ptx_native_value act(struct ptx_native *n, struct way w, unsigned bits,
                                   bool is_shared, const struct ptx_native_value given[3],
                                   const char *lanes)
{
    const bool is_halves = !w.word && strstr(w.name, "f16");
    if (!is_halves && strcmp(lanes, "1") == 0)
        return act_once(n, w, bits, is_shared, given);
    const char *name = is_halves ? define_halves(n, w.name, bits) : define(n, w, bits, is_shared);
    const char *i = ptx_native_integer(bits);
    struct ptx_native_value old = {NULL, (uint8_t)bits, true};
    old.text = ptx_native_emit(
        n, "call <32 x %s> @%s(<32 x i64> %s, <32 x %s> %s, <32 x %s> %s, i32 %s)", i, name,
        ptx_native_vector(n, given[0]).text, i, ptx_native_vector(n, given[1]).text, i,
        ptx_native_vector(n, given[2]).text, lanes);
    return old;
}

/* Floating point sums of one lane at one place wait as they are: added one after the other in one operation, they give what they
 * would if nobody else came between. false: they may not wait. */
static bool list(struct ptx_native *n, const struct ptx_instruction *in, struct way w,
                 unsigned bits, struct ptx_native_value address, struct ptx_native_value value)
{
    if (!w.is_float || address.is_vector || in->guard >= 0 || in->space != PTX_SPACE_GLOBAL ||
        !may_wait(n, in))
        return false;
    const char *lanes = n->flow->mask;
    const char *one = ptx_native_name(n, "list"), *many = ptx_native_name(n, "list"),
               *end = ptx_native_name(n, "list");
    const char *less = ptx_native_emit(n, "sub i32 %s, 1", lanes);
    const char *others = ptx_native_emit(n, "and i32 %s, %s", lanes, less);
    const char *is_one = ptx_native_emit(n, "icmp eq i32 %s, 0", others);
    n->flow->adds_later = true;
    ptx_native_declare(n, "declare void @clem_native_add_later(i64, i64, i64, i32)");
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s", is_one, one, many);
    ptx_native_label(n, one);
    const char *word = ptx_native_first(n, value, lanes).text;
    if (bits < 64)
        word = ptx_native_emit(n, "zext i%u %s to i64", bits, word);
    ptx_native_do(n, "call void @clem_native_add_later(i64 %%state, i64 %s, i64 %s, i32 %u)",
                  address.text, word, bits);
    ptx_native_jump(n, end);
    ptx_native_label(n, many);
    (void)act(n, w, bits, false, (struct ptx_native_value[]){address, value, value}, lanes);
    ptx_native_jump(n, end);
    ptx_native_label(n, end);
    return true;
}

/* Lanes whose addresses are in shared memory, and the others. */
static struct ptx_native_value act_by_space(struct ptx_native *n, struct way w, unsigned bits,
                                            struct ptx_native_value address,
                                            struct ptx_native_value x, const char *lanes)
{
    const struct ptx_native_value given[3] = {address, x, x};
    const struct ptx_native_value is_shared =
        ptx_native_vector(n, ptx_native_is_in_space(n, address, PTX_SPACE_SHARED));
    const char *inner = ptx_native_emit(n, "and i32 %s, %s", ptx_native_lanes(n, is_shared), lanes);
    const char *outer = ptx_native_emit(n, "xor i32 %s, %s", inner, lanes);
    struct ptx_native_value old = act(n, w, bits, true, given, inner);
    const struct ptx_native_value other = act(n, w, bits, false, given, outer);
    old.text = ptx_native_emit(n, "select <32 x i1> %s, <32 x i%u> %s, <32 x i%u> %s",
                               is_shared.text, bits, old.text, bits, other.text);
    return old;
}

/* ---- Sums in rows that wait for more blocks ---- */

static bool may_wait_in_row(const struct ptx_native *n, const struct ptx_instruction *in)
{
    const struct ptx_native_flow *f = n->flow;
    const uint32_t first = in->opcode == PTX_OPCODE_atom;
    if ((in->opcode != PTX_OPCODE_atom && in->opcode != PTX_OPCODE_red) || in->guard >= 0 ||
        in->operation != PTX_OP_ADD || in->space != PTX_SPACE_GLOBAL ||
        (in->types[0] != PTX_U32 && in->types[0] != PTX_S32) || in->operand_count != first + 2 ||
        in->operands[first].kind != PTX_OPERAND_ADDRESS || in->operands[first].index < 0)
        return false;
    const uint32_t index = (uint32_t)in->operands[first].index;
    const int32_t node = f->graph->node_of[in - f->function->instructions];
    return ptx_native_is_line(n, index) && f->lines[index].is_whole &&
           ptx_native_step_of(f->lines[index]) == 4 && f->graph->position[node] != PTX_NO_NODE &&
           !ptx_native_wants_result(f, in) && ptx_native_is_relaxed(in) &&
           in->scope != PTX_SCOPE_SYS && ends_quietly(f, in) && is_behind_barriers(f, node);
}

void ptx_native_find_rows(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    const bool may = !f->is_parted && f->barrier_count > 0 && !ptx_native_is_checked(n);
    for (size_t i = 0; may && f->row_count < PTX_NATIVE_ROWS && i < f->function->instruction_count;
         i++)
        if (may_wait_in_row(n, &f->function->instructions[i]))
            f->rows[f->row_count++] = &f->function->instructions[i];
}

/* The lanes' words are one row; what waits of another is added first. */
static void add_to_row(struct ptx_native *n, size_t row, const char *first,
                       struct ptx_native_value value)
{
    const char *p = ptx_native_pointer_type(n, "i64"),
               *pv = ptx_native_pointer_type(n, "<32 x i32>");
    const char *frame = ptx_native_of_block(n, offsetof(struct ptx_native_block, frame), "i64");
    const char *at =
        ptx_native_emit(n, "add i64 %s, %zu", frame, row * sizeof(struct ptx_native_row));
    const char *to = ptx_native_pointer(n, "i64", at);
    const char *sums = ptx_native_pointer(
        n, "<32 x i32>",
        ptx_native_emit(n, "add i64 %s, %zu", at, offsetof(struct ptx_native_row, sums)));
    const char *other = ptx_native_name(n, "row"), *same = ptx_native_name(n, "row");
    const char *is_same = ptx_native_emit(n, "icmp eq i64 %s, %s",
                                          ptx_native_emit(n, "load i64, %s %s", p, to), first);
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s", is_same, same, other);
    ptx_native_label(n, other);
    ptx_native_declare(n, "declare void @clem_native_add_row(i64)");
    ptx_native_do(n, "call void @clem_native_add_row(i64 %s)", at);
    ptx_native_do(n, "store i64 %s, %s %s", first, p, to);
    ptx_native_jump(n, same);
    ptx_native_label(n, same);
    const char *here = ptx_native_emit(n, "bitcast i32 %s to <32 x i1>", n->flow->mask);
    const char *added =
        ptx_native_emit(n, "select <32 x i1> %s, <32 x i32> %s, <32 x i32> zeroinitializer", here,
                        ptx_native_vector(n, value).text);
    const char *before = ptx_native_emit(n, "load <32 x i32>, %s %s, align 64", pv, sums);
    ptx_native_do(n, "store <32 x i32> %s, %s %s, align 64",
                  ptx_native_emit(n, "add <32 x i32> %s, %s", before, added), pv, sums);
}

/* false: it is none that may wait. */
static bool add_in_row(struct ptx_native *n, const struct ptx_instruction *in, struct way w,
                       struct ptx_native_value address, struct ptx_native_value value)
{
    struct ptx_native_flow *f = n->flow;
    size_t row = 0;
    while (row < f->row_count && f->rows[row] != in)
        row++;
    if (row == f->row_count || !address.is_vector)
        return false;
    const struct ptx_native_value given[3] = {address, value, value};
    const char *all = ptx_native_name(n, "row"), *apart = ptx_native_name(n, "row"),
               *end = ptx_native_name(n, "row");
    const char *first = of_first_lane(n, address);
    const char *words =
        ptx_native_both(n, "add", ptx_native_number(n, 64, first),
                        (struct ptx_native_value){ptx_native_ramp(n, 64, 4, true), 64, true})
            .text;
    const char *are = ptx_native_emit(n, "icmp eq <32 x i64> %s, %s", words, address.text);
    const char *is_row = ptx_native_emit(n, "icmp eq i32 %s, -1",
                                         ptx_native_emit(n, "bitcast <32 x i1> %s to i32", are));
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s", is_row, all, apart);
    ptx_native_label(n, all);
    f->adds_later = true;
    add_to_row(n, row, first, value);
    ptx_native_jump(n, end);
    ptx_native_label(n, apart);
    (void)act(n, w, 32, false, given, f->mask);
    ptx_native_jump(n, end);
    ptx_native_label(n, end);
    return true;
}

/* Of shared memory, when nobody wants to know what was there. */
static void act_alone(struct ptx_native *n, struct way w, unsigned bits,
                      const struct ptx_operand *place, struct ptx_native_value address,
                      struct ptx_native_value x, const char *lanes)
{
    const struct ptx_native_alone how = {
        .name = w.name, .operation = alone_text(w), .bits = bits, .x = x, .lanes = lanes};
    ptx_native_act_alone(n, &how, place, address);
}

/* Of shared memory, when what was there is wanted, and lanes may have many places. */
static struct ptx_native_value act_together(struct ptx_native *n, struct way w, unsigned bits,
                                            struct ptx_native_value address,
                                            struct ptx_native_value x, const char *lanes)
{
    const struct ptx_native_alone how = {.name = w.name,
                                         .operation = alone_text(w),
                                         .bits = bits,
                                         .x = ptx_native_vector(n, x),
                                         .lanes = lanes};
    return (struct ptx_native_value){
        ptx_native_act_together(n, &how, address, define(n, w, bits, true)), (uint8_t)bits, true};
}

/* Registers are others behind the wait. */
static void draw(struct ptx_native *n, const struct ptx_instruction *in,
                 struct ptx_native_value address, struct ptx_native_value x)
{
    const enum ptx_type type = (enum ptx_type)in->types[0];
    ptx_native_draw(n, (struct ptx_native_value[]){address, x});
    const struct ptx_native_value again = operand(n, &in->operands[2], type);
    ptx_native_set(n, in, &in->operands[0], type,
                   ptx_native_shares(n, ptx_native_drawn(n), again, n->flow->mask));
}

static void write_atomic(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    struct ptx_native *n = e->native;
    const struct way w = way_of(in);
    const enum ptx_type type = (enum ptx_type)in->types[0];
    const unsigned bits = ptx_native_bits(type);
    const uint32_t first = in->opcode == PTX_OPCODE_atom;
    const struct ptx_variable *variable = in->operands[first].variable;
    const bool is_shared =
        in->space == PTX_SPACE_SHARED || (variable && variable->space == PTX_SPACE_SHARED);
    const bool is_wanted = ptx_native_wants_result(n->flow, in);
    const struct ptx_native_value x = operand(n, &in->operands[first + 1], type);
    const struct ptx_native_value y =
        w.is_exchange ? operand(n, &in->operands[first + 2], type) : x;
    const struct ptx_native_value address = ptx_native_check_atomic(
        n, in, &in->operands[first], ptx_native_address(n, &in->operands[first], in->space));
    fence(n, in, true);
    if (!address.is_vector && !is_wanted && w.identity && in->guard < 0) {
        combine(n, in, w, bits, address, x);
        fence(n, in, false);
        return;
    }
    if (add_in_row(n, in, w, address, x) || (!is_wanted && list(n, in, w, bits, address, x)))
        return;
    const char *lanes = ptx_native_guarded(n, in);
    if (is_shared && !is_wanted && is_simple(w) && !ptx_native_is_checked(n)) {
        act_alone(n, w, bits, &in->operands[first], address, x, lanes);
        fence(n, in, false);
        return;
    }
    if (in == n->flow->ticket) {
        draw(n, in, address, x);
        return;
    }
    struct ptx_native_value old;
    if (is_shared && address.is_vector && ptx_native_may_act_together(w.name, bits) &&
        strcmp(lanes, "1") != 0 && !ptx_native_is_checked(n))
        old = act_together(n, w, bits, address, x, lanes);
    else if (flushes(w, bits, is_shared) && in->space == PTX_SPACE_GENERIC && !variable)
        old = act_by_space(n, w, bits, address, x, lanes);
    else
        old = act(n, w, bits, is_shared, (struct ptx_native_value[]){address, x, y}, lanes);
    fence(n, in, false);
    if (is_wanted)
        ptx_native_set(n, in, &in->operands[0], type, old);
}

void ptx_native_wide_access(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const bool is_load = in->opcode != PTX_OPCODE_st;
    const struct ptx_operand zero = {.kind = PTX_OPERAND_INTEGER};
    struct ptx_operand operands[] = {in->operands[0], in->operands[1], zero, zero};
    struct ptx_instruction as = *in;
    as.opcode = is_load ? PTX_OPCODE_atom : PTX_OPCODE_red;
    as.operation = is_load ? PTX_OP_CAS : PTX_OP_EXCH;
    as.operands = operands;
    as.operand_count = is_load ? 4 : 2;
    write_atomic(e, &as);
}

bool ptx_native_atomic(struct ptx_native *n, const struct ptx_instruction *in)
{
    if (in->opcode != PTX_OPCODE_atom && in->opcode != PTX_OPCODE_red)
        return false;
    const uint32_t first = in->opcode == PTX_OPCODE_atom;
    const uint32_t values = in->operation == PTX_OP_CAS ? 2 : 1;
    if (in->operand_count < first + 1 + values || in->operands[first].kind != PTX_OPERAND_ADDRESS)
        ptx_refuse(n->e, "operands of a kind that does not belong here");
    else if (!is_known(in, way_of(in)))
        ptx_refuse(n->e, "an atomic operation that the native form has not");
    else
        ptx_access(n->e, &(struct ptx_access){.kind = PTX_ACCESS_ATOMIC,
                                              .space = in->space,
                                              .type = in->types[0],
                                              .write = write_atomic});
    return true;
}
