/* Functions: OpenCL C's own as instructions and intrinsics of the IR, the library's put in the place of their calls, or C of
 * the host, called lane after lane.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/host/host_math.h"
#include "kernels/ptx/library/library.h"
#include "kernels/ptx/native/values/lanes.h"

/* ---- Intrinsics ---- */

/* "llvm.NAME" of a type, with what else it takes behind its operands. */
static struct ptx_lane_value intrinsic(struct ptx_lanes *l, const char *name,
                                       enum ptx_lane_type type, const struct ptx_lane_value *a,
                                       unsigned count, bool has_flag)
{
    struct ptx_emitter *e = l->n->e;
    const char *text = ptx_lane_type_text(l, type);
    const char *taken = "", *given = "";
    const char *full =
        ptx_format(e, "@llvm.%s.%s", name, ptx_native_suffix(l->n, ptx_lane_element(type)));
    for (unsigned i = 0; i < count; i++) {
        const char *comma = i ? ", " : "";
        taken = ptx_format(e, "%s%s%s", taken, comma, text);
        given = ptx_format(e, "%s%s%s %s", given, comma, text,
                           ptx_lane_text(l, ptx_lane_convert(l, a[i], type)));
    }
    LANE_DECLARE(l, "declare %s %s(%s%s)", text, full, taken, has_flag ? ", i1" : "");
    return ptx_lane_of(
        type, LANE_EMIT(l, "call %s %s(%s%s)", text, full, given, has_flag ? ", i1 false" : ""));
}

static struct ptx_lane_value of_float(struct ptx_lanes *l, const char *name,
                                      const struct ptx_lane_value *a, unsigned count)
{
    enum ptx_lane_type type = a[0].type;
    for (unsigned i = 1; i < count; i++)
        type = ptx_lane_common(type, a[i].type);
    return intrinsic(l, name, type, a, count, false);
}

static struct ptx_lane_value least_or_most(struct ptx_lanes *l, const char *name,
                                           const struct ptx_lane_value *a)
{
    const enum ptx_lane_type type =
        a[0].type == a[1].type ? a[0].type : ptx_lane_common(a[0].type, a[1].type);
    const struct ptx_lane_value first = ptx_lane_convert(l, a[0], type),
                                second = ptx_lane_convert(l, a[1], type);
    if (!first.text && !second.text) {
        const struct ptx_lane_value is_less = ptx_lane_binary(l, "<", first, second);
        return (is_less.bits != 0) == (name[1] == 'i') ? first : second;
    }
    return intrinsic(l, ptx_format(l->n->e, "%c%s", ptx_lane_is_signed(type) ? 's' : 'u', name),
                     type, a, 2, false);
}

static struct ptx_lane_value saturated(struct ptx_lanes *l, const char *name,
                                       const struct ptx_lane_value *a)
{
    const enum ptx_lane_type type = a[0].type;
    return intrinsic(l,
                     ptx_format(l->n->e, "%c%.3s.sat", ptx_lane_is_signed(type) ? 's' : 'u', name),
                     type, a, 2, false);
}

/* The upper half of a product, in twice the bits. */
static struct ptx_lane_value upper_product(struct ptx_lanes *l, const struct ptx_lane_value *a)
{
    const enum ptx_lane_type type = a[0].type;
    const unsigned bits = ptx_lane_bits(type);
    const char *half = ptx_lane_type_text(l, type);
    const char *whole = ptx_native_type(l->n, ptx_native_integer(2 * bits));
    const char *extend = ptx_lane_is_signed(type) ? "sext" : "zext";
    const char *x = ptx_lane_text(l, a[0]);
    const char *y = ptx_lane_text(l, ptx_lane_convert(l, a[1], type));
    if (l->muted)
        return ptx_lane_of(type, "undef");
    x = LANE_EMIT(l, "%s %s %s to %s", extend, half, x, whole);
    y = LANE_EMIT(l, "%s %s %s to %s", extend, half, y, whole);
    const char *product = LANE_EMIT(l, "mul %s %s, %s", whole, x, y);
    product =
        LANE_EMIT(l, "lshr %s %s, %s", whole, product, ptx_native_constant(l->n, 2 * bits, bits));
    return ptx_lane_of(type, LANE_EMIT(l, "trunc %s %s to %s", whole, product, half));
}

static struct ptx_lane_value reciprocal_root(struct ptx_lanes *l, const struct ptx_lane_value *a)
{
    const struct ptx_lane_value root = of_float(l, "sqrt", a, 1);
    const struct ptx_lane_value one =
        ptx_lane_constant(root.type, root.type == LANE_FLOAT ? 0x3f800000u : 0x3ff0000000000000u);
    return ptx_lane_binary(l, "/", one, root);
}

/* OpenCL's: the second of copysign's operands has the sign. */
static const struct {
    const char *name;
    uint8_t count;
    bool is_of_float, has_flag;
    const char *intrinsic;
} intrinsics[] = {
    {"fma", 3, true, false, "fma"},
    {"sqrt", 1, true, false, "sqrt"},
    {"fabs", 1, true, false, "fabs"},
    {"copysign", 2, true, false, "copysign"},
    {"rint", 1, true, false, "rint"},
    {"clem_rint_f32", 1, true, false, "rint"},
    {"clem_rint_f64", 1, true, false, "rint"},
    {"floor", 1, true, false, "floor"},
    {"ceil", 1, true, false, "ceil"},
    {"trunc", 1, true, false, "trunc"},
    {"popcount", 1, false, false, "ctpop"},
    {"clz", 1, false, true, "ctlz"},
    {"clem_brev_b32", 1, false, false, "bitreverse"},
    {"clem_brev_b64", 1, false, false, "bitreverse"},
    {"clem_sqrt_by_double", 1, true, false, "sqrt"},
};

static bool is(const char *name, size_t length, const char *text)
{
    return strlen(text) == length && memcmp(name, text, length) == 0;
}

/* "as_uint" and kin. */
static enum ptx_lane_type recast_type(const char *name, size_t length)
{
    return length > 3 && memcmp(name, "as_", 3) == 0 ? ptx_lane_type_of(name + 3, length - 3)
                                                     : LANE_TYPES;
}

static bool call_builtin(struct ptx_lanes *l, const char *name, size_t length,
                         const struct ptx_lane_value *a, unsigned count,
                         struct ptx_lane_value *result)
{
    const enum ptx_lane_type recast = recast_type(name, length);
    for (size_t i = 0; i < sizeof intrinsics / sizeof *intrinsics; i++)
        if (is(name, length, intrinsics[i].name) && intrinsics[i].count == count) {
            *result = intrinsics[i].is_of_float ? of_float(l, intrinsics[i].intrinsic, a, count)
                                                : intrinsic(l, intrinsics[i].intrinsic, a[0].type,
                                                            a, 1, intrinsics[i].has_flag);
            return true;
        }
    if (recast != LANE_TYPES && count == 1)
        *result = ptx_lane_recast(l, a[0], recast);
    else if ((is(name, length, "min") || is(name, length, "max")) && count == 2)
        *result = least_or_most(l, *name == 'm' && name[1] == 'i' ? "min" : "max", a);
    else if ((is(name, length, "add_sat") || is(name, length, "sub_sat")) && count == 2)
        *result = saturated(l, name, a);
    else if (is(name, length, "mul_hi") && count == 2)
        *result = upper_product(l, a);
    else if (is(name, length, "rsqrt") && count == 1)
        *result = reciprocal_root(l, a);
    else if (is(name, length, "clem_div_by_double") && count == 2)
        *result = ptx_lane_binary(l, "/", a[0], a[1]);
    else
        return false;
    return true;
}

/* ---- The library's ---- */

/* What is computed otherwise over lanes, by library/lanes.cl; `of_vectors`: over vectors alone. */
static const struct {
    const char *name;
    bool of_vectors;
    const char *instead;
} replaced[] = {
    {"sin", false, "clem_lane_sinf"},
    {"cos", false, "clem_lane_cosf"},
    {"exp2", false, "clem_approx_exp2"},
    {"log2", false, "clem_approx_log2"},
    {"clem_tanhf", false, "clem_approx_tanh"},
    {"clem_fma_bf16", false, "clem_lane_fma_bf16"},
    {"clem_add_f32", false, "clem_lane_add_f32"},
    {"clem_mul_f32", false, "clem_lane_mul_f32"},
    {"clem_fma_f32", false, "clem_lane_fma_f32"},
    {"clem_div_f32", false, "clem_lane_div_f32"},
    {"clem_sqrt_f32", false, "clem_lane_sqrt_f32"},
    {"clem_narrow_f64", false, "clem_lane_narrow_f64"},
    {"clem_pack_s64", false, "clem_lane_pack_s64"},
    {"clem_pack_u64", false, "clem_lane_pack_u64"},
    {"clem_div_u32", true, "clem_lane_div_u32"},
    {"clem_div_s32", true, "clem_lane_div_s32"},
    {"clem_rem_u32", true, "clem_lane_rem_u32"},
    {"clem_rem_s32", true, "clem_lane_rem_s32"},
};

/* What is computed instead, but by itself; NULL: nothing. */
static const char *replacement_of(struct ptx_lanes *l, const char *name, size_t length)
{
    if (l->what && is(name, length, l->what))
        return NULL;
    for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++)
        if (is(name, length, replaced[i].name) && (l->n->is_vector || !replaced[i].of_vectors))
            return replaced[i].instead;
    return NULL;
}

/* The type that stands before a name. */
static enum ptx_lane_type type_before(const char *name)
{
    const char *end = name;
    while (end[-1] == ' ')
        end--;
    const char *start = end;
    while (start[-1] >= 'a' && start[-1] <= 'z')
        start--;
    return ptx_lane_type_of(start, (size_t)(end - start));
}

/* The types and names of parameters from l->at on, behind the bracket; how many. */
struct parameter {
    const char *name;
    size_t length;
    enum ptx_lane_type type;
};

static unsigned read_parameters(struct ptx_lanes *l, struct parameter parameters[LANE_ARGUMENTS])
{
    unsigned count = 0;
    while (!ptx_lanes_take(l, ")") && *l->at && count < LANE_ARGUMENTS) {
        struct parameter *p = &parameters[count++];
        const char *word;
        const size_t length = ptx_lanes_word(l, &word);
        p->type = ptx_lane_type_of(word, length);
        p->length = ptx_lanes_word(l, &p->name);
        ptx_lanes_take(l, ",");
        if (p->type == LANE_TYPES)
            ptx_lanes_refuse(l, "a parameter");
    }
    return count;
}

/* ---- C of the host ---- */

/* Whether runtime.h lists it, without "clem_". */
static bool is_of_host(const char *name, size_t length)
{
    static const char *const names[] = {
#define FUNCTION(name) #name,
        CLEM_NATIVE_MATH(FUNCTION)
#undef FUNCTION
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (length > 5 && is(name + 5, length - 5, names[i]))
            return true;
    return false;
}

/* Whether lanes of which the first argument is zero have the second for a result (library/far.cl): where all have, none is
 * called. */
static bool has_far(const char *name)
{
    static const char begin[] = "clem_far_";
    return strncmp(name, begin, strlen(begin)) == 0;
}

/* A function of vectors that calls one of the host for each lane. */
static const char *over_lanes(struct ptx_lanes *l, const char *name, size_t length,
                              enum ptx_lane_type type, const struct parameter *parameters,
                              unsigned count)
{
    struct ptx_emitter *e = l->n->e;
    const char *result = ptx_lane_element(type), *taken = "", *given = "", *parts = "";
    for (unsigned i = 0; i < count; i++) {
        const char *element = ptx_lane_element(parameters[i].type), *comma = i ? ", " : "";
        taken = ptx_format(e, "%s%s<32 x %s> %%a%u", taken, comma, element, i);
        given = ptx_format(e, "%s%s%s %%x%u", given, comma, element, i);
        parts = ptx_format(e, "%s  %%x%u = extractelement <32 x %s> %%a%u, i32 %%i\n", parts, i,
                           element, i);
    }
    const char *full = ptx_format(e, "@clem_lanes_%.*s", (int)length - 5, name + 5);
    const char *begin = has_far(name)
                            ? ptx_format(e,
                                         "  %%f = icmp ne <32 x i32> %%a0, zeroinitializer\n"
                                         "  %%m = bitcast <32 x i1> %%f to i32\n"
                                         "  %%n = icmp eq i32 %%m, 0\n"
                                         "  br i1 %%n, label %%q, label %%l\n"
                                         "q:\n  ret <32 x %s> %%a1\n",
                                         result)
                            : "  br label %l\n";
    LANE_DECLARE(
        l,
        "define internal <32 x %s> %s(%s) noinline {\nb:\n%sl:\n"
        "  %%i = phi i32 [0, %%b], [%%next, %%l]\n  %%r = phi <32 x %s> [undef, %%b], [%%s, %%l]\n"
        "%s  %%y = call %s @clem_native_%.*s(%s)\n"
        "  %%s = insertelement <32 x %s> %%r, %s %%y, i32 %%i\n  %%next = add i32 %%i, 1\n"
        "  %%done = icmp eq i32 %%next, 32\n  br i1 %%done, label %%e, label %%l\ne:\n"
        "  ret <32 x %s> %%s\n}",
        result, full, taken, begin, result, parts, result, (int)length - 5, name + 5, given, result,
        result, result);
    return full;
}

static struct ptx_lane_value call_host(struct ptx_lanes *l, const char *name, size_t length,
                                       enum ptx_lane_type type, const struct parameter *parameters,
                                       const struct ptx_lane_value *arguments, unsigned count)
{
    struct ptx_emitter *e = l->n->e;
    const char *taken = "", *given = "";
    for (unsigned i = 0; i < count; i++) {
        const char *comma = i ? ", " : "";
        taken = ptx_format(e, "%s%s%s", taken, comma, ptx_lane_element(parameters[i].type));
        given = ptx_format(e, "%s%s%s %s", given, comma, ptx_lane_type_text(l, parameters[i].type),
                           ptx_lane_text(l, ptx_lane_convert(l, arguments[i], parameters[i].type)));
    }
    const char *full = ptx_format(e, "@clem_native_%.*s", (int)length - 5, name + 5);
    LANE_DECLARE(l, "declare %s %s(%s)", ptx_lane_element(type), full, taken);
    if (l->n->is_vector)
        full = over_lanes(l, name, length, type, parameters, count);
    return ptx_lane_of(type,
                       LANE_EMIT(l, "call %s %s(%s)", ptx_lane_type_text(l, type), full, given));
}

/* ---- Calls ---- */

/* Reads the body in the place of the call, with the parameters as its variables. */
static struct ptx_lane_value put_in(struct ptx_lanes *l, const char *name, enum ptx_lane_type type,
                                    const struct parameter *parameters,
                                    const struct ptx_lane_value *arguments, unsigned count)
{
    struct ptx_lane_variable *const scope = l->scope;
    const char *const what = l->what;
    l->scope = NULL;
    l->what = name;
    for (unsigned i = 0; i < count; i++)
        ptx_lanes_declare(l, parameters[i].name, parameters[i].length, parameters[i].type)->value =
            ptx_lane_convert(l, arguments[i], parameters[i].type);
    ptx_lanes_take(l, "{");
    const struct ptx_lane_value result = ptx_lanes_body(l, type);
    l->scope = scope;
    l->what = what;
    return result;
}

/* The type, name and parameters of a definition, from l->at on behind them. LANE_TYPES: it has others than were given. */
static enum ptx_lane_type read_head(struct ptx_lanes *l, const char *found,
                                    struct parameter parameters[LANE_ARGUMENTS], unsigned count)
{
    const enum ptx_lane_type type = found ? type_before(found) : LANE_TYPES;
    const char *word;
    if (type == LANE_TYPES)
        return type;
    l->at = found;
    ptx_lanes_word(l, &word);
    ptx_lanes_take(l, "(");
    return read_parameters(l, parameters) == count ? type : LANE_TYPES;
}

struct ptx_lane_value ptx_lane_call(struct ptx_lanes *l, const char *name, size_t length,
                                    const struct ptx_lane_value *arguments, unsigned count)
{
    struct ptx_lane_value result = ptx_lane_constant(LANE_INT, 0);
    struct parameter parameters[LANE_ARGUMENTS];
    const char *const back = l->at;
    if (call_builtin(l, name, length, arguments, count, &result))
        return result;
    const char *instead = replacement_of(l, name, length);
    const char *own = ptx_format(l->n->e, "%.*s", (int)length, name);
    const char *found = ptx_library_find(l->n->e, instead ? instead : own);
    const enum ptx_lane_type type = read_head(l, found, parameters, count);
    if (type == LANE_TYPES)
        ptx_lanes_refuse(l, "a call");
    else if (!instead && is_of_host(name, length))
        result = call_host(l, name, length, type, parameters, arguments, count);
    else
        result = put_in(l, own, type, parameters, arguments, count);
    l->at = l->n->e->status == PTX_OK ? back : "";
    return result;
}

/* Its result, of arguments that are the bits of its own. */
static struct ptx_lane_value call_bits(struct ptx_lanes *l, const char *name,
                                       const struct ptx_lane_value *bits, unsigned count,
                                       bool is_hosts)
{
    struct parameter parameters[LANE_ARGUMENTS];
    struct ptx_lane_value arguments[LANE_ARGUMENTS];
    const enum ptx_lane_type type =
        read_head(l, ptx_library_find(l->n->e, name), parameters, count);
    if (type == LANE_TYPES) {
        ptx_lanes_refuse(l, "a call");
        return ptx_lane_constant(LANE_INT, 0);
    }
    for (unsigned i = 0; i < count; i++)
        arguments[i] = ptx_lane_recast(l, bits[i], parameters[i].type);
    return is_hosts ? call_host(l, name, strlen(name), type, parameters, arguments, count)
                    : put_in(l, name, type, parameters, arguments, count);
}

struct ptx_lane_value ptx_lane_call_host(struct ptx_lanes *l, const char *name,
                                         const struct ptx_lane_value *bits, unsigned count)
{
    return call_bits(l, name, bits, count, true);
}

struct ptx_lane_value ptx_lane_call_bits(struct ptx_lanes *l, const char *name,
                                         const struct ptx_lane_value *bits, unsigned count)
{
    return call_bits(l, name, bits, count, false);
}

struct ptx_lane_value ptx_lane_macro(struct ptx_lanes *l, const char *name, size_t length)
{
    const char *const back = l->at;
    const char *found = ptx_library_find(l->n->e, ptx_format(l->n->e, "%.*s", (int)length, name));
    if (!found || found[length] != ' ') {
        ptx_lanes_refuse(l, "a name");
        return ptx_lane_constant(LANE_INT, 0);
    }
    l->at = found + length;
    const struct ptx_lane_value value = ptx_lanes_expression(l);
    l->at = back;
    return value;
}
