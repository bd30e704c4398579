/* Accesses of kernels that are checked: before each a call of the host (library/check.h).
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/emit/checked.h"

#include <sys/types.h>

#include "kernels/ptx/emit/emit_memory.h"
#include "kernels/ptx/library/check.h"

/* The arguments of one call, as expressions; NULL: 0. */
struct told {
    unsigned kind, space, flags;
    const char *bytes, *address, *thread, *value, *more;
};

static const char *or_zero(const char *text)
{
    return text ? text : "0ul";
}

/* The block's number in its grid. */
static const char block_number[] =
    "(((ulong)clem_ctaid_z * clem_grid.s1 + clem_ctaid_y) * clem_grid.s0 + clem_ctaid_x)";

static const char *what_text(struct ptx_emitter *e, const struct told *told)
{
    const struct ptx_instruction *in = e->instruction;
    const unsigned order = in ? in->order : 0, scope = in ? in->scope : 0;
    const unsigned bits =
        told->kind | told->space << 8 | order << 16 | scope << 20 | told->flags << 24;
    return ptx_format(e, "((ulong)(%s) << 32 | %uul)", told->bytes ? told->bytes : "0u", bits);
}

/* An expression, whose value is the address to be used. */
static const char *call_text(struct ptx_emitter *e, const struct told *told)
{
    const struct ptx_instruction *in = e->instruction;
    const bool is_shared = told->space == CLEM_CHECK_SHARED || told->space == CLEM_CHECK_GENERIC;
    const bool is_local = told->space == CLEM_CHECK_LOCAL || told->space == CLEM_CHECK_GENERIC;
    ptx_need(e, PTX_NEED_CHECK | (is_shared ? PTX_NEED_SHARED : 0u) |
                    (is_local ? PTX_NEED_LOCAL : 0u));
    return ptx_format(
        e, "clem_check(clem_checked, %s, %lluul, %s, %s, %s, %s, %s, %s, %s)", what_text(e, told),
        in ? (unsigned long long)in->location << 32 | (unsigned)in->line : 0ull,
        or_zero(told->address), told->thread ? told->thread : "clem_index", block_number,
        is_shared ? "(ulong)clem_shared" : "0ul", is_local ? "(ulong)clem_local" : "0ul",
        or_zero(told->value), or_zero(told->more));
}

static unsigned space_of(uint8_t space)
{
    switch (space) {
    case PTX_SPACE_SHARED:
        return CLEM_CHECK_SHARED;
    case PTX_SPACE_LOCAL:
        return CLEM_CHECK_LOCAL;
    case PTX_SPACE_GENERIC:
        return CLEM_CHECK_GENERIC;
    default:
        return CLEM_CHECK_GLOBAL;
    }
}

/* The name of a variable that has the address to be used. */
static const char *checked(struct ptx_emitter *e, const struct told *told)
{
    const char *name = ptx_temporary(e);
    ptx_line(e, "const ulong %s = %s;", name, call_text(e, told));
    return name;
}

static bool has_memory(const struct ptx_access *a)
{
    return !a->text && !a->write && (a->address || a->number) && a->space != PTX_SPACE_PARAM;
}

static const char *size_text(struct ptx_emitter *e, const struct ptx_access *a)
{
    const size_t bytes =
        a->bytes ? a->bytes : ptx_type_bytes((enum ptx_type)a->type) * (a->width ? a->width : 1u);
    return ptx_format(e, "%zuu", bytes);
}

static const char *address_text(struct ptx_emitter *e, const struct ptx_access *a)
{
    const char *number = a->number ? a->number : ptx_address_number(e, a->address);
    const char *index = a->index ? ptx_format(e, " + %zuul * (%s)",
                                              ptx_type_bytes((enum ptx_type)a->type), a->index)
                                 : "";
    return ptx_format(e, "((ulong)(%s)%s)", number, index);
}

/* What a store writes, as 8 bytes. */
static const char *value_text(struct ptx_emitter *e, const struct ptx_access *a)
{
    if (a->kind != PTX_ACCESS_STORE || a->width > 1 || a->c_type ||
        ptx_type_bytes((enum ptx_type)a->type) > 8)
        return NULL;
    if (a->type == PTX_F32)
        return ptx_format(e, "(ulong)as_uint(%s)", a->value);
    if (a->type == PTX_F64)
        return ptx_format(e, "as_ulong(%s)", a->value);
    return ptx_format(e, "(ulong)(%s)", a->value);
}

static void check_memory(struct ptx_emitter *e, struct ptx_access *a)
{
    const char *value = value_text(e, a);
    static const unsigned kinds[] = {[PTX_ACCESS_LOAD] = CLEM_CHECK_LOAD,
                                     [PTX_ACCESS_STORE] = CLEM_CHECK_STORE,
                                     [PTX_ACCESS_ATOMIC] = CLEM_CHECK_ATOMIC};
    const struct told told = {.kind = kinds[a->kind],
                              .space = space_of(a->space),
                              .flags = (a->is_volatile ? CLEM_CHECK_VOLATILE : 0u) |
                                       (value ? CLEM_CHECK_VALUE : 0u),
                              .bytes = size_text(e, a),
                              .address = address_text(e, a),
                              .value = value};
    a->checked = checked(e, &told);
}

/* A load and a store; a copy that reads less than it writes fills up with zeros. */
static void check_copy(struct ptx_emitter *e, struct ptx_access *a)
{
    const struct told from = {
        .kind = CLEM_CHECK_LOAD,
        .space = space_of(a->from_space == PTX_SPACE_GENERIC ? PTX_SPACE_GLOBAL : a->from_space),
        .bytes = a->value,
        .address = ptx_format(e, "((ulong)(%s))", ptx_address_number(e, a->from))};
    const struct told to = {.kind = CLEM_CHECK_STORE,
                            .space = space_of(a->space),
                            .bytes = a->function ? a->value : size_text(e, a),
                            .address = address_text(e, a)};
    a->checked_from = checked(e, &from);
    a->checked = checked(e, &to);
}

static void check_fence(struct ptx_emitter *e)
{
    ptx_line(e, "(void)%s;",
             call_text(e, &(struct told){.kind = CLEM_CHECK_FENCE, .space = CLEM_CHECK_GLOBAL}));
}

void ptx_check_access(struct ptx_emitter *e, struct ptx_access *access)
{
    switch (access->kind) {
    case PTX_ACCESS_LOAD:
    case PTX_ACCESS_STORE:
    case PTX_ACCESS_ATOMIC:
        if (has_memory(access))
            check_memory(e, access);
        break;
    case PTX_ACCESS_COPY:
        check_copy(e, access);
        break;
    case PTX_ACCESS_FENCE:
        check_fence(e);
        break;
    default:
        break; /* where threads meet says so itself: ptx_check_meeting() */
    }
}

void ptx_check_meeting(struct ptx_emitter *e, const struct ptx_meeting *m)
{
    const struct ptx_instruction *in = e->instruction;
    ptx_need(e, PTX_NEED_CHECK);
    ptx_line(e, "(void)clem_check(clem_checked, %s, %lluul, %s, %s, %s, %s, 0ul, %s, %s);", m->kind,
             in ? (unsigned long long)in->location << 32 | (unsigned)in->line : 0ull,
             or_zero(m->address), m->thread ? m->thread : "0xfffffffful", block_number,
             or_zero(m->sites), or_zero(m->value), or_zero(m->more));
}

void ptx_check_event(struct ptx_emitter *e, const char *kind, const char *address,
                     const char *value)
{
    ptx_need(e, PTX_NEED_CHECK);
    ptx_line(e, "(void)clem_check(clem_checked, %s, 0ul, %s, 0xfffffffful, %s, 0ul, 0ul, %s, 0ul);",
             kind, or_zero(address), block_number, or_zero(value));
}
