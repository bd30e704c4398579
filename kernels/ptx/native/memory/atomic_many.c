/* Atomic operations on shared memory whose results are wanted, where many lanes of a warp have one: each is a load, an operation and
 * a store, and all of them are text without a loop. A loop over those that are there ends where the processor does not foresee it,
 * and takes longer for each. Lanes that are not there do what changes nothing, where the first one is that is there.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <string.h>

#include "kernels/ptx/host/runtime.h"
#include "kernels/ptx/native/memory/memory.h"

/* As many as a loop takes as long for, measured on AMD's Zen 4 (32 lanes: 28 ns, and 35 to 42 by the loop). */
enum { MANY_LANES = 20 };

/* The value with which an operation leaves what is there; NULL: there is none. */
static const char *identity_of(const char *name, unsigned bits)
{
    static const char *const identities[][3] = {
        {"add", "0", "0"},
        {"or", "0", "0"},
        {"xor", "0", "0"},
        {"umax", "0", "0"},
        {"and", "-1", "-1"},
        {"umin", "-1", "-1"},
        {"min", "2147483647", "9223372036854775807"},
        {"max", "-2147483648", "-9223372036854775808"},
    };
    for (size_t i = 0; i < sizeof identities / sizeof *identities; i++)
        if (strcmp(identities[i][0], name) == 0)
            return identities[i][bits == 32 ? 1 : 2];
    return NULL;
}

bool ptx_native_may_act_together(const char *name, unsigned bits)
{
    return (bits == 32 || bits == 64) && identity_of(name, bits);
}

/* An element of a list, at an address that is a number: LLVM would take it out of the vector again that has just been stored. */
static const char *element_text(struct ptx_native *n, const char *list, const char *type,
                                unsigned bytes, unsigned lane)
{
    return ptx_format(
        n->e, "  %%%sn%u = add i64 %%%sN, %u\n  %%%sp%u = inttoptr i64 %%%sn%u to %s\n", list, lane,
        list, lane * bytes, list, lane, list, lane, ptx_native_pointer_type(n, type));
}

/* %newLANE, of %oldLANE and %xLANE. */
static const char *operation_text(struct ptx_native *n, const struct ptx_native_alone *how,
                                  unsigned lane)
{
    const char *i = ptx_native_integer(how->bits);
    if (strncmp(how->operation, "icmp", 4) != 0)
        return ptx_format(n->e, "  %%new%u = %s %s %%old%u, %%x%u\n", lane, how->operation, i, lane,
                          lane);
    return ptx_format(n->e,
                      "  %%c%u = %s %s %%old%u, %%x%u\n"
                      "  %%new%u = select i1 %%c%u, %s %%old%u, %s %%x%u\n",
                      lane, how->operation, i, lane, lane, lane, lane, i, lane, i, lane);
}

static const char *lane_text(struct ptx_native *n, const struct ptx_native_alone *how,
                             unsigned lane)
{
    const char *i = ptx_native_integer(how->bits), *p = ptx_native_pointer_type(n, i);
    return ptx_format(
        n->e,
        "%s%s%s  %%o%u = load i32, %s %%Op%u\n  %%w%u = zext i32 %%o%u to i64\n"
        "  %%a%u = add i64 %%s, %%w%u\n  %%q%u = inttoptr i64 %%a%u to %s\n"
        "  %%x%u = load %s, %s %%Xp%u\n  %%old%u = load %s, %s %%q%u\n%s"
        "  store %s %%new%u, %s %%q%u\n  store %s %%old%u, %s %%Rp%u\n",
        element_text(n, "O", "i32", 4, lane), element_text(n, "X", i, how->bits / 8, lane),
        element_text(n, "R", i, how->bits / 8, lane), lane, ptx_native_pointer_type(n, "i32"), lane,
        lane, lane, lane, lane, lane, lane, p, lane, i, p, lane, lane, i, p, lane,
        operation_text(n, how, lane), i, lane, p, lane, i, lane, p, lane);
}

static const char *define(struct ptx_native *n, const struct ptx_native_alone *how)
{
    struct ptx_emitter *e = n->e;
    const char *i = ptx_native_integer(how->bits), *v = ptx_format(e, "<32 x %s>", i),
               *pv = ptx_native_pointer_type(n, v), *po = ptx_native_pointer_type(n, "<32 x i32>");
    const char *name = ptx_format(e, "clem_atomic_many_%s_%u", how->name, how->bits), *steps = "";
    if (ptx_native_has_declared(n, ptx_format(e, "define internal %s @%s(", v, name)))
        return name;
    for (unsigned lane = 0; lane < PTX_NATIVE_LANES; lane++)
        steps = ptx_format(e, "%s%s", steps, lane_text(n, how, lane));
    ptx_native_declare(n, "declare i32 @llvm.cttz.i32(i32, i1)");
    ptx_native_declare(
        n,
        "define internal %s @%s(i64 %%s, <32 x i32> %%o, %s %%x, i32 %%m) noinline nounwind {\n"
        "  %%O = alloca <32 x i32>, align 64\n  %%X = alloca %s, align 64\n"
        "  %%R = alloca %s, align 64\n  %%ON = ptrtoint %s %%O to i64\n"
        "  %%XN = ptrtoint %s %%X to i64\n  %%RN = ptrtoint %s %%R to i64\n"
        "  %%k = bitcast i32 %%m to <32 x i1>\n"
        "  %%f = call i32 @llvm.cttz.i32(i32 %%m, i1 true)\n  %%f1 = and i32 %%f, 31\n"
        "  %%of = extractelement <32 x i32> %%o, i32 %%f1\n"
        "  %%oi = insertelement <32 x i32> undef, i32 %%of, i32 0\n"
        "  %%os = shufflevector <32 x i32> %%oi, <32 x i32> undef, <32 x i32> zeroinitializer\n"
        "  %%o.safe = select <32 x i1> %%k, <32 x i32> %%o, <32 x i32> %%os\n"
        "  %%xi = insertelement %s undef, %s %s, i32 0\n"
        "  %%xs = shufflevector %s %%xi, %s undef, <32 x i32> zeroinitializer\n"
        "  %%x.safe = select <32 x i1> %%k, %s %%x, %s %%xs\n"
        "  store <32 x i32> %%o.safe, %s %%O, align 64\n  store %s %%x.safe, %s %%X, align 64\n%s"
        "  %%r = load %s, %s %%R, align 64\n  ret %s %%r\n}",
        v, name, v, v, v, po, pv, pv, v, i, identity_of(how->name, how->bits), v, v, v, v, po, v,
        pv, steps, v, pv, v);
    return name;
}

const char *ptx_native_act_together(struct ptx_native *n, const struct ptx_native_alone *how,
                                    struct ptx_native_value address, const char *few)
{
    const char *name = define(n, how), *v = ptx_native_value_type(n, how->x);
    const char *shared = ptx_native_of_block(n, offsetof(struct ptx_native_block, shared), "i64");
    const struct ptx_native_value offsets =
        ptx_native_both(n, "sub", address, ptx_native_number(n, 64, shared));
    const char *together = ptx_native_name(n, "together"), *apart = ptx_native_name(n, "together"),
               *end = ptx_native_name(n, "together");
    ptx_native_declare(n, "declare i32 @llvm.ctpop.i32(i32)");
    const char *count = ptx_native_emit(n, "call i32 @llvm.ctpop.i32(i32 %s)", how->lanes);
    const char *are_many = ptx_native_emit(n, "icmp ugt i32 %s, %d", count, MANY_LANES);
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s", are_many, together, apart);
    ptx_native_label(n, together);
    const char *all =
        ptx_native_emit(n, "call %s @%s(i64 %s, <32 x i32> %s, %s %s, i32 %s)", v, name, shared,
                        ptx_native_resize(n, offsets, 32, false).text, v, how->x.text, how->lanes);
    ptx_native_jump(n, end);
    ptx_native_label(n, apart);
    const char *some =
        ptx_native_emit(n, "call %s @%s(<32 x i64> %s, %s %s, %s %s, i32 %s)", v, few, address.text,
                        v, how->x.text, v, how->x.text, how->lanes);
    ptx_native_jump(n, end);
    ptx_native_label(n, end);
    return ptx_native_emit(n, "phi %s [%s, %%%s], [%s, %%%s]", v, all, together, some, apart);
}
