/* Where every access is written. No other file has a pointer to memory of the kernel's to write one by.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/emit/access.h"

#include "kernels/ptx/emit/checked.h"
#include "kernels/ptx/emit/emit_memory.h"

/* ---- Pointers into .global, .const, .shared and .local ---- */

/* `rd4 + 8` and the like: a pointer to bytes in global memory. */
static const char *global_bytes(struct ptx_emitter *e, const struct ptx_operand *address)
{
    if (address->variable)
        return ptx_global_pointer(e, address->variable, address->bits);
    if (!ptx_is_pointer_register(e, address->index)) {
        ptx_refuse_unknown_address(e, address);
        return ptx_address_number(e, address);
    }
    const char *place = ptx_register_name(e, (uint32_t)address->index, 0);
    return address->bits == 0  ? place
           : address->bits < 0 ? ptx_format(e, "(%s - %lld)", place, -(long long)address->bits)
                               : ptx_format(e, "(%s + %lld)", place, (long long)address->bits);
}

/* The offset within a window: constants, and registers of 32 and 64 bits. */
static const char *window_offset(struct ptx_emitter *e, const struct ptx_operand *address)
{
    if (address->variable || address->index < 0)
        return ptx_address_number(e, address);
    const enum ptx_type type = ptx_register_type(e, (uint32_t)address->index);
    const char *place = ptx_register_name(e, (uint32_t)address->index, 0);
    if (ptx_type_bytes(type) == 4 && address->bits != 0)
        return ptx_format(e, "(%s + %uu)", ptx_as_type(e, place, type, PTX_U32),
                          (unsigned)(uint32_t)address->bits);
    return ptx_type_bytes(type) == 4 ? ptx_as_type(e, place, type, PTX_U32)
                                     : ptx_address_number(e, address);
}

/* `(__global clem_u32_a *)(rd4 + 8)`: qualifiers are "" or end in a blank. */
static const char *operand_pointer(struct ptx_emitter *e, const struct ptx_operand *address,
                                   enum ptx_space space, const char *qualifiers, const char *type)
{
    switch (space) {
    case PTX_SPACE_SHARED:
        ptx_need(e, PTX_NEED_SHARED | PTX_NEED_SHARED_BYTES);
        return ptx_format(e, "(%s__local %s *)(clem_shared + %s)", qualifiers, type,
                          window_offset(e, address));
    case PTX_SPACE_LOCAL:
        ptx_need(e, PTX_NEED_LOCAL);
        return ptx_format(e, "(%sCLEM_LOCAL %s *)(clem_local + %s)", qualifiers, type,
                          window_offset(e, address));
    default:
        return ptx_format(e, "(%s__global %s *)%s", qualifiers, type, global_bytes(e, address));
    }
}

/* Likewise of an address that is a number. */
static const char *number_pointer(struct ptx_emitter *e, const struct ptx_access *a,
                                  const char *qualifiers, const char *type)
{
    switch (a->space) {
    case PTX_SPACE_SHARED:
        return ptx_format(e, "(%s__local %s *)(clem_shared + (uint)%s)", qualifiers, type,
                          a->number);
    case PTX_SPACE_LOCAL:
        return ptx_format(e, "(%s%s *)(%s)", qualifiers, type, a->number);
    default:
        return ptx_format(e, "(%s__global %s *)%s", qualifiers, type, a->number);
    }
}

/* Likewise of an address of the host's. */
static const char *checked_pointer(struct ptx_emitter *e, enum ptx_space space, const char *checked,
                                   const char *qualifiers, const char *type)
{
    const char *name = space == PTX_SPACE_SHARED  ? "__local "
                       : space == PTX_SPACE_LOCAL ? "CLEM_LOCAL "
                                                  : "__global ";
    return ptx_format(e, "(%s%s%s *)%s", qualifiers, name, type, checked);
}

/* ---- Pointers into .param ---- */

bool ptx_is_whole_parameter(const struct ptx_variable *v, enum ptx_type type, int64_t offset)
{
    return !v->is_array && v->width <= 1 && offset == 0 && ptx_type_bytes(type) == v->bytes &&
           v->bytes <= 8;
}

static bool is_in_bank(const struct ptx_emitter *e, const struct ptx_variable *v)
{
    return !v || (e->plan->has_bank && ptx_is_entry_parameter(e, v));
}

/* Of a parameter that is a C variable, or of those of a kernel that are in a bank. */
static const char *parameter_pointer(struct ptx_emitter *e, const struct ptx_access *a,
                                     const char *type)
{
    const struct ptx_operand *address = a->address;
    const struct ptx_variable *v = address->variable;
    if (a->is_read_only)
        return ptx_format(e, "(const %s *)&%s", type, ptx_parameter_name(e, v));
    if (!is_in_bank(e, v) || (a->kind == PTX_ACCESS_STORE && !a->index))
        return ptx_format(e, "(%s *)((uchar *)&%s + %lld)", type, ptx_parameter_name(e, v),
                          (long long)address->bits);
    if (!e->plan->has_bank) {
        ptx_refuse(e, "a parameter of a function at an address that is not constant");
        return "0";
    }
    ptx_need(e, PTX_NEED_BANK);
    return ptx_format(e,
                      e->plan->bank_is_global ? "(const __global %s *)%s"
                                              : "(__constant %s *)(clem_bank + %s)",
                      type, a->checked ? a->checked : ptx_address_number(e, address));
}

/* ---- Marks ---- */

static const char *const kinds[PTX_ACCESS_KINDS] = {
    [PTX_ACCESS_LOAD] = "load",       [PTX_ACCESS_STORE] = "store",
    [PTX_ACCESS_ATOMIC] = "atomic",   [PTX_ACCESS_COPY] = "copy",
    [PTX_ACCESS_FENCE] = "fence",     [PTX_ACCESS_TEXTURE] = "texture",
    [PTX_ACCESS_SURFACE] = "surface", [PTX_ACCESS_BARRIER] = "barrier",
    [PTX_ACCESS_WARP] = "warp",       [PTX_ACCESS_BRANCH] = "branch",
    [PTX_ACCESS_CALL] = "call"};

static const char *begin_mark(struct ptx_emitter *e, const struct ptx_access *a)
{
    static const char *const spaces[] = {
        [PTX_SPACE_GENERIC] = "generic", [PTX_SPACE_GLOBAL] = "global",
        [PTX_SPACE_SHARED] = "shared",   [PTX_SPACE_LOCAL] = "local",
        [PTX_SPACE_CONST] = "const",     [PTX_SPACE_PARAM] = "param",
        [PTX_SPACE_REG] = "reg",         [PTX_SPACE_TEX] = "tex"};
    const struct ptx_instruction *in = a->is_own ? NULL : e->instruction;
    const struct ptx_location *at = in ? ptx_location_of(e->module, in) : NULL;
    const size_t bytes =
        a->bytes ? a->bytes : ptx_type_bytes((enum ptx_type)a->type) * (a->width ? a->width : 1u);
    return ptx_format(e, "/*{%s %s %zu %u %u:%u*/", kinds[a->kind],
                      bytes > 0 ? spaces[a->space] : "none", bytes, in ? in->line : 0,
                      at ? at->file : 0, at ? at->line : 0);
}

static const char *between(struct ptx_emitter *e, const char *begin, const char *text,
                           const char *end)
{
    return e->target->marks_accesses ? ptx_format(e, "%s%s%s", begin, text, end) : text;
}

/* What an access is given, which must be none. */
static const char *given(struct ptx_emitter *e, const char *value)
{
    return between(e, "/*[*/", value, "/*]*/");
}

/* ---- Accesses as C ---- */

static const char *type_text(struct ptx_emitter *e, const struct ptx_access *a)
{
    return a->c_type ? a->c_type
                     : ptx_memory_type(e, (enum ptx_type)a->type, a->width ? a->width : 1);
}

static const char *pointer_text(struct ptx_emitter *e, const struct ptx_access *a)
{
    const char *qualifiers = a->is_volatile ? "volatile " : a->is_read_only ? "const " : "";
    const char *type = type_text(e, a);
    if (a->space == PTX_SPACE_PARAM)
        return parameter_pointer(e, a, type);
    if (a->checked)
        return checked_pointer(e, (enum ptx_space)a->space, a->checked, qualifiers, type);
    if (a->number)
        return number_pointer(e, a, qualifiers, type);
    return operand_pointer(e, a->address, (enum ptx_space)a->space, qualifiers, type);
}

static bool is_variable(const struct ptx_emitter *e, const struct ptx_access *a)
{
    return a->space == PTX_SPACE_PARAM && !a->index && a->address->variable &&
           (a->kind == PTX_ACCESS_STORE || !is_in_bank(e, a->address->variable)) &&
           ptx_is_whole_parameter(a->address->variable, (enum ptx_type)a->type, a->address->bits);
}

/* What is loaded from or stored to, at an address in a known space. */
static const char *place_text(struct ptx_emitter *e, const struct ptx_access *a)
{
    if (is_variable(e, a))
        return ptx_parameter_name(e, a->address->variable);
    if (a->checked)
        return ptx_format(e, "*%s", pointer_text(e, a));
    if (a->number && !a->c_type && a->space == PTX_SPACE_LOCAL)
        return ptx_format(e, "%s[%s]", a->number, a->index);
    const char *pointer = pointer_text(e, a);
    return a->index ? ptx_format(e, "(%s)[%s]", pointer, a->index) : ptx_format(e, "*%s", pointer);
}

static const char *load_text(struct ptx_emitter *e, const struct ptx_access *a)
{
    if (a->space == PTX_SPACE_GENERIC)
        return ptx_format(e, "clem_generic_load(%s, %s, %s, clem_shared, clem_local)",
                          a->is_volatile ? "volatile " : "", type_text(e, a),
                          a->checked ? a->checked : a->number);
    const char *place = place_text(e, a);
    return is_variable(e, a) ? ptx_as_type(e, place, ptx_parameter_type(a->address->variable),
                                           (enum ptx_type)a->type)
                             : place;
}

static const char *store_text(struct ptx_emitter *e, const struct ptx_access *a)
{
    const char *value = given(e, a->value);
    if (a->space == PTX_SPACE_GENERIC)
        return ptx_format(e, "clem_generic_store(%s, %s, %s, clem_shared, clem_local, %s)",
                          a->is_volatile ? "volatile " : "", type_text(e, a),
                          a->checked ? a->checked : a->number, value);
    return ptx_format(e, "%s = %s", place_text(e, a), value);
}

static const char *copied_pointer(struct ptx_emitter *e, const struct ptx_operand *address,
                                  enum ptx_space space, const char *checked, const char *qualifiers,
                                  const char *type)
{
    return checked ? checked_pointer(e, space, checked, qualifiers, type)
                   : operand_pointer(e, address, space, qualifiers, type);
}

static const char *copy_text(struct ptx_emitter *e, const struct ptx_access *a)
{
    const enum ptx_space space = (enum ptx_space)a->space, from = (enum ptx_space)a->from_space;
    if (a->function)
        return ptx_format(e, "%s(%s, %s, %s)", a->function,
                          copied_pointer(e, a->address, space, a->checked, "", "ulong2"),
                          copied_pointer(e, a->from, from, a->checked_from, "const ", "ulong2"),
                          given(e, a->value));
    return ptx_format(
        e, "clem_copy_async(%s, %s, %uu, %s)",
        copied_pointer(e, a->address, PTX_SPACE_SHARED, a->checked, "", "uchar"),
        copied_pointer(e, a->from, PTX_SPACE_GLOBAL, a->checked_from, "const ", "uchar"), a->bytes,
        given(e, a->value));
}

/* An atomic operation on a surface: `index` bytes from its start. */
static const char *surface_text(struct ptx_emitter *e, const struct ptx_access *a)
{
    return ptx_format(e, "%s((volatile __global %s *)(clem_surface_memory__%s + %s), %s)",
                      a->function, a->c_type, a->object, a->index, given(e, a->value));
}

static const char *access_text(struct ptx_emitter *e, const struct ptx_access *a)
{
    if (a->text)
        return a->text;
    switch (a->kind) {
    case PTX_ACCESS_LOAD:
        return load_text(e, a);
    case PTX_ACCESS_STORE:
        return store_text(e, a);
    case PTX_ACCESS_ATOMIC:
        return ptx_format(e, "%s(%s, %s)", a->function, pointer_text(e, a), given(e, a->value));
    case PTX_ACCESS_COPY:
        return copy_text(e, a);
    case PTX_ACCESS_SURFACE:
        return surface_text(e, a);
    default:
        return a->text;
    }
}

const char *ptx_access(struct ptx_emitter *e, const struct ptx_access *access)
{
    const bool is_marked = e->target->marks_accesses;
    struct ptx_access checked = *access;
    if (e->target->checks && !access->is_own)
        ptx_check_access(e, &checked);
    access = &checked;
    if (!access->write)
        return between(e, is_marked ? begin_mark(e, access) : "", access_text(e, access), "/*}*/");
    const char *before = e->native ? "; " : "", *after = e->native ? "\n" : "";
    if (is_marked)
        ptx_text_add(e->out, "%s%s%s", before, begin_mark(e, access), after);
    access->write(e, e->instruction);
    if (is_marked)
        ptx_text_add(e->out, "%s/*}*/%s", before, after);
    return "";
}
