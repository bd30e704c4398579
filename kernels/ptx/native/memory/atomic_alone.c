/* Atomic operations on shared memory whose results nobody wants: that memory is one thread's of the host at a time, so that each is a
 * load, an operation and a store, as in a histogram. What takes most of the time is to get each lane's place out of a vector: places
 * are numbers of as few bits as they are known to fit into, times the size of an element, behind an origin. Numbers come in words
 * of 64 bits.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <string.h>

#include "kernels/ptx/host/runtime.h"
#include "kernels/ptx/native/memory/memory.h"

enum { WORD_BITS = 64 };

/* Lane k's place is at origin + numbers[k] * scale. */
struct places {
    const char *origin, *numbers;
    unsigned bits; /* of a number: 8, 16 or 32 */
    int64_t scale;
};

/* ---- Places ---- */

/* Offsets take half as many bytes as addresses. */
static struct places offsets_of(struct ptx_native *n, struct ptx_native_value address)
{
    const char *shared = ptx_native_of_block(n, offsetof(struct ptx_native_block, shared), "i64");
    const struct ptx_native_value offsets =
        ptx_native_both(n, "sub", ptx_native_vector(n, address), ptx_native_number(n, 64, shared));
    return (struct places){shared, ptx_native_resize(n, offsets, 32, false).text, 32, 1};
}

static struct places places_of(struct ptx_native *n, const struct ptx_operand *place,
                               struct ptx_native_value address)
{
    struct ptx_native_place at = {.is_numbered = false};
    if (place->index >= 0)
        ptx_native_find_numbers(n, place, &at);
    if (!at.is_numbered || at.number_bits > 16)
        return offsets_of(n, address);
    const char *shared = ptx_native_of_block(n, offsetof(struct ptx_native_block, shared), "i64");
    const char *numbers =
        ptx_native_emit(n, "trunc <32 x i32> %s to <32 x i%u>", at.numbers, at.number_bits);
    return (struct places){ptx_native_emit(n, "add i64 %s, %s", shared, at.origin), numbers,
                           at.number_bits, at.scale};
}

/* ---- The text of one lane ---- */

/* Numbers that take a word for two lanes: those of the first lanes come by way of memory, those of the others out of the vector. All one
 * way they take longer than what is done there. */
enum { LANES_BY_MEMORY = 16 };

static bool is_by_memory(const struct places *at, unsigned lane)
{
    return at->bits == 32 && lane < LANES_BY_MEMORY;
}

/* A word of lanes, and of it the number of one, as 64 bits. */
static const char *number_text(struct ptx_native *n, const struct places *at, unsigned lane)
{
    struct ptx_emitter *e = n->e;
    const unsigned many = WORD_BITS / at->bits, word = lane / many, piece = lane % many;
    const char *pw = ptx_native_pointer_type(n, "i64");
    const char *first = "", *before = ptx_format(e, "%%e%u", word);
    if (piece == 0 && is_by_memory(at, lane))
        first = ptx_format(e,
                           "  %%b%u = getelementptr i64, %s %%A0, i32 %u\n"
                           "  %%e%u = load volatile i64, %s %%b%u\n",
                           word, pw, word, word, pw, word);
    else if (piece == 0)
        first = ptx_format(e, "  %%e%u = extractelement <%u x i64> %%E, i32 %u\n", word,
                           PTX_NATIVE_LANES / many, word);
    if (piece > 0) {
        first = ptx_format(e, "  %%s%u = lshr i64 %%e%u, %u\n", lane, word, piece * at->bits);
        before = ptx_format(e, "%%s%u", lane);
    }
    return ptx_format(e, "%s  %%w%u = and i64 %s, %llu\n", first, lane, before,
                      (1ull << at->bits) - 1);
}

/* What is done at %wLANE, with a value that has a name. */
static const char *step_text(struct ptx_native *n, const struct ptx_native_alone *how,
                             const struct places *at, const char *lane, const char *x)
{
    struct ptx_emitter *e = n->e;
    const char *i = ptx_native_integer(how->bits), *p = ptx_native_pointer_type(n, i);
    return ptx_format(e,
                      "  %%m%s = mul i64 %%w%s, %lld\n  %%a%s = add i64 %%s, %%m%s\n"
                      "  %%q%s = inttoptr i64 %%a%s to %s\n  %%o%s = load %s, %s %%q%s\n"
                      "  %%n%s = %s %s %%o%s, %s\n  store %s %%n%s, %s %%q%s\n",
                      lane, lane, (long long)at->scale, lane, lane, lane, lane, p, lane, i, p, lane,
                      lane, how->operation, i, lane, x, i, lane, p, lane);
}

static const char *lane_text(struct ptx_native *n, const struct ptx_native_alone *how,
                             const struct places *at, unsigned lane)
{
    struct ptx_emitter *e = n->e;
    const char *name = ptx_format(e, "%u", lane), *value = "";
    if (how->x.is_vector)
        value = ptx_format(e, "  %%x%u = extractelement <32 x i%u> %%x, i32 %u\n", lane, how->bits,
                           lane);
    return ptx_format(
        e, "%s%s%s", value, number_text(n, at, lane),
        step_text(n, how, at, name, how->x.is_vector ? ptx_format(e, "%%x%u", lane) : "%x"));
}

/* ---- All lanes, and some ---- */

static const char *value_type(struct ptx_native *n, const struct ptx_native_alone *how)
{
    const char *i = ptx_native_integer(how->bits);
    return how->x.is_vector ? ptx_format(n->e, "<32 x %s>", i) : i;
}

/* One after the other, without a loop: in the place of its call, which takes less than one. */
static void define_row(struct ptx_native *n, const struct ptx_native_alone *how,
                       const struct places *at, const char *name)
{
    struct ptx_emitter *e = n->e;
    const char *v = ptx_format(e, "<32 x i%u>", at->bits), *pv = ptx_native_pointer_type(n, v);
    const char *pw = ptx_native_pointer_type(n, "i64"), *steps = "", *list = "";
    if (at->bits == 32) /* what memory has to give back is asked for later */
        list = ptx_format(e,
                          "  %%A = alloca %s\n  store %s %%a, %s %%A\n"
                          "  %%A0 = bitcast %s %%A to %s\n",
                          v, v, pv, pv, pw);
    for (unsigned k = 0; k < PTX_NATIVE_LANES; k++)
        steps = ptx_format(e, "%s%s", steps,
                           lane_text(n, how, at, (k + LANES_BY_MEMORY) % PTX_NATIVE_LANES));
    ptx_native_declare(n,
                       "define internal void @%s_row(i64 %%s, %s %%a, %s %%x) alwaysinline "
                       "nounwind {\n%s  %%E = bitcast %s %%a to <%u x i64>\n%s  ret void\n}",
                       name, v, value_type(n, how), list, v,
                       PTX_NATIVE_LANES * at->bits / WORD_BITS, steps);
}

/* In a loop over those that are there, of which all may be. */
static void define_some(struct ptx_native *n, const struct ptx_native_alone *how,
                        const struct places *at, const char *name)
{
    struct ptx_emitter *e = n->e;
    const char *i = ptx_native_integer(how->bits), *p = ptx_native_pointer_type(n, i);
    const char *t = value_type(n, how), *pt = ptx_native_pointer_type(n, t);
    const char *j = ptx_native_integer(at->bits), *pj = ptx_native_pointer_type(n, j);
    const char *v = ptx_format(e, "<32 x %s>", j), *pv = ptx_native_pointer_type(n, v);
    const char *values = "", *value = "";
    if (how->x.is_vector) {
        values = ptx_format(e,
                            "  %%X = alloca %s\n  store %s %%x, %s %%X\n"
                            "  %%X0 = bitcast %s %%X to %s\n",
                            t, t, pt, pt, p);
        value = ptx_format(e,
                           "  %%px = getelementptr %s, %s %%X0, i32 %%lane\n"
                           "  %%x1 = load %s, %s %%px\n",
                           i, p, i, p);
    }
    ptx_native_declare(n, "declare i32 @llvm.cttz.i32(i32, i1)");
    ptx_native_declare(
        n,
        "define internal void @%s(i64 %%s, %s %%a, %s %%x, i32 %%m) noinline nounwind {\n"
        "  %%all = icmp eq i32 %%m, -1\n  br i1 %%all, label %%row, label %%some\n"
        "row:\n  call void @%s_row(i64 %%s, %s %%a, %s %%x)\n  ret void\n"
        "some:\n  %%A = alloca %s\n  store %s %%a, %s %%A\n  %%A0 = bitcast %s %%A to %s\n%s"
        "  br label %%next\n"
        "next:\n  %%rest = phi i32 [%%m, %%some], [%%less, %%do]\n"
        "  %%none = icmp eq i32 %%rest, 0\n  br i1 %%none, label %%end, label %%do\n"
        "do:\n  %%lane = call i32 @llvm.cttz.i32(i32 %%rest, i1 true)\n"
        "  %%bit = shl i32 1, %%lane\n  %%less = xor i32 %%rest, %%bit\n%s"
        "  %%pn = getelementptr %s, %s %%A0, i32 %%lane\n  %%n1 = load %s, %s %%pn\n"
        "  %%w.l = zext %s %%n1 to i64\n%s  br label %%next\nend:\n  ret void\n}",
        name, v, t, name, v, t, v, v, pv, pv, pj, values, value, j, pj, j, pj, j,
        step_text(n, how, at, ".l", how->x.is_vector ? "%x1" : "%x"));
}

void ptx_native_act_alone(struct ptx_native *n, const struct ptx_native_alone *how,
                          const struct ptx_operand *place, struct ptx_native_value address)
{
    const struct places at = places_of(n, place, address);
    const char *name = ptx_format(n->e, "clem_atomic_alone_%s_%u%s", how->name, how->bits,
                                  how->x.is_vector ? "" : "_same");
    if (at.bits < 32)
        name = ptx_format(n->e, "%s_at_%u_%lld", name, at.bits, (long long)at.scale);
    const char *given = ptx_format(n->e, "i64 %s, <32 x i%u> %s, %s %s", at.origin, at.bits,
                                   at.numbers, ptx_native_value_type(n, how->x), how->x.text);
    define_row(n, how, &at, name);
    if (strcmp(how->lanes, "-1") == 0) {
        ptx_native_do(n, "call void @%s_row(%s)", name, given);
    } else {
        define_some(n, how, &at, name);
        ptx_native_do(n, "call void @%s(%s, i32 %s)", name, given, how->lanes);
    }
}
