/* Accesses of kernels that are checked: before each a look at what is known, or a call of the host (library/check.h).
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/emit/checked.h"

#include "kernels/ptx/emit/emit_memory.h"

/* The arguments of one call, as expressions; NULL: 0. */
struct told {
    unsigned kind, space, flags;
    size_t size;      /* bytes, where they are constant */
    bool is_constant; /* of memory that no kernel writes */
    const char *bytes, *address, *thread, *value, *more;
    bool has_shared;             /* shared memory plays a part, whatever `space` is */
    uint32_t registers[4], base; /* names (library/check.h), where values are followed */
    unsigned values;             /* `more` of those */
};

static const char *or_zero(const char *text)
{
    return text ? text : "0ul";
}

/* The block's number in its grid. */
static const char block_number[] =
    "(((ulong)clem_ctaid_z * clem_grid.s1 + clem_ctaid_y) * clem_grid.s0 + clem_ctaid_x)";

/* Whoever arrives releases, and whoever finds that all have come acquires. */
static bool is_at_mbarrier(const struct ptx_instruction *in)
{
    return in && in->opcode == PTX_OPCODE_mbarrier && in->operation != PTX_OP_INIT;
}

/* .cg is how programs wrote relaxed accesses of the device's scope before PTX had those: CUB's scans look back by it. */
static unsigned order_of(const struct ptx_instruction *in)
{
    if (is_at_mbarrier(in))
        return PTX_ORDER_ACQ_REL;
    return in->order == PTX_ORDER_NONE && in->cache == PTX_CACHE_CG ? PTX_ORDER_RELAXED : in->order;
}

/* cp.async of one size, and bulk copies with groups: made at any time until they are waited for. */
static unsigned async_flags(const struct ptx_instruction *in)
{
    if (!in || in->opcode != PTX_OPCODE_cp)
        return 0;
    if (in->operation == PTX_OP_BULK && in->second_operation == PTX_OP_BULK_GROUP)
        return CLEM_CHECK_ASYNC | CLEM_CHECK_BULK;
    return in->operation == PTX_OP_NONE ? CLEM_CHECK_ASYNC : 0u;
}

/* The lower half of CLEM_CHECK_WHAT(). */
static unsigned what_of(const struct ptx_emitter *e, const struct told *told)
{
    const struct ptx_instruction *in = e->instruction;
    const unsigned order = in ? order_of(in) : 0u;
    const unsigned scope = in ? in->scope : 0;
    return told->kind | told->space << 8 | order << 16 | scope << 20 |
           (told->flags | async_flags(in)) << 24;
}

static const char *what_text(struct ptx_emitter *e, const struct told *told)
{
    return ptx_format(e, "((ulong)(%s) << 32 | %uul)", told->bytes ? told->bytes : "0u",
                      what_of(e, told));
}

static const char *names_text(struct ptx_emitter *e, const struct told *told)
{
    const uint32_t *r = told->registers;
    return ptx_format(e, ", %lluul, %lluul, %uul", (unsigned long long)r[1] << 32 | r[0],
                      (unsigned long long)r[3] << 32 | r[2], (unsigned)told->base);
}

/* The name of a register; 0: the operand is none. */
static uint32_t name_of(const struct ptx_emitter *e, const struct ptx_operand *operand)
{
    const size_t body = (size_t)(ptx_current_body(e) - e->plan->bodies);
    return operand->kind != PTX_OPERAND_REGISTER || operand->index >> CLEM_CHECK_REGISTER_BITS
               ? 0
               : (uint32_t)(body + 1) << CLEM_CHECK_REGISTER_BITS | (uint32_t)operand->index;
}

/* The name of the register that an address comes from. */
static uint32_t base_of(const struct ptx_emitter *e, const struct ptx_operand *address)
{
    const struct ptx_operand base = {.kind = PTX_OPERAND_REGISTER,
                                     .index = address ? address->index : -1};
    return address && !address->variable && address->index >= 0 ? name_of(e, &base) : 0;
}

/* Names of an operand's registers, up to four. */
static void name_all(const struct ptx_emitter *e, const struct ptx_operand *operand,
                     uint32_t names[4])
{
    if (operand->kind == PTX_OPERAND_REGISTER)
        names[0] = name_of(e, operand);
    for (uint32_t i = 0; operand->kind == PTX_OPERAND_VECTOR && i < operand->count && i < 4; i++)
        names[i] = name_of(e, &operand->list[i]);
}

static unsigned long long site_of(const struct ptx_instruction *in)
{
    return in ? (unsigned long long)in->location << 32 | (unsigned)in->line : 0ull;
}

/* An expression, whose value is the address to be used. */
static const char *call_text(struct ptx_emitter *e, const struct told *told)
{
    const struct ptx_instruction *in = e->instruction;
    const bool is_shared =
        told->space == CLEM_CHECK_SHARED || told->space == CLEM_CHECK_GENERIC || told->has_shared;
    const bool is_local = told->space == CLEM_CHECK_LOCAL || told->space == CLEM_CHECK_GENERIC;
    ptx_need(e, PTX_NEED_CHECK | (is_shared ? PTX_NEED_SHARED : 0u) |
                    (is_local ? PTX_NEED_LOCAL : 0u));
    const bool follows = e->target->checks & PTX_CHECK_INIT;
    return ptx_format(e, "clem_check%s(clem_checked, %s, %lluul, %s, %s, %s, %s, %s, %s, %s%s)",
                      follows ? "_values" : "", what_text(e, told), site_of(in),
                      or_zero(told->address), told->thread ? told->thread : "clem_index",
                      block_number, is_shared ? "(ulong)clem_shared" : "0ul",
                      is_local ? "(ulong)clem_local" : "0ul", or_zero(told->value),
                      or_zero(told->more), follows ? names_text(e, told) : "");
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
    case PTX_SPACE_PARAM:
        return CLEM_CHECK_PARAM;
    default:
        return CLEM_CHECK_GLOBAL;
    }
}

/* What stands for bytes of shared memory that were written. */
static const char *shadow_text(struct ptx_emitter *e)
{
    if (!(e->target->checks & PTX_CHECK_INIT))
        return "0ul";
    ptx_need(e, PTX_NEED_SHADOW);
    return "clem_shadow";
}

void ptx_check_shadow(struct ptx_emitter *e)
{
    if (!(e->target->checks & PTX_CHECK_INIT))
        return;
    ptx_line(e,
             "const ulong clem_shadow = CLEM_SHARED_BEGIN == 0ul ? 0ul : clem_check(clem_checked, "
             "CLEM_CHECK_SHADOW, 0ul, CLEM_SHARED_BEGIN, 0xfffffffful, 0ul, 0ul, 0ul, 0ul, 0ul);");
    ptx_line(e, "(void)clem_shadow;");
}

static const char *local_shadow_text(struct ptx_emitter *e)
{
    if (!(e->target->checks & PTX_CHECK_INIT))
        return "0ul";
    return ptx_format(e, "((ulong)clem_local + %zuul)",
                      CLEM_CHECK_LOCAL_SHADOW(e->plan->local_bytes));
}

size_t ptx_local_stride(const struct ptx_emitter *e)
{
    const size_t bytes = (e->plan->local_bytes + 15) / 16 * 16;
    return e->target->checks & PTX_CHECK_INIT
               ? CLEM_CHECK_LOCAL_SHADOW(e->plan->local_bytes) + bytes
               : bytes;
}

/* log2 of bytes that one look can be at; -1: they are others. */
static int look_size(const struct told *told)
{
    for (int i = 0; i <= 4; i++)
        if (told->size == (size_t)1 << i)
            return i;
    return -1;
}

/* A condition: nothing is to be told of the access at the address `name`, or the offset `at`. */
static const char *look_text(struct ptx_emitter *e, const struct told *told, const char *name,
                             const char *at)
{
    const unsigned size = (unsigned)look_size(told);
    switch (told->space) {
    case CLEM_CHECK_SHARED:
        return ptx_format(e, "clem_check_shared(clem_checked, %s, %s, %uu, %uu)", shadow_text(e),
                          at, size, told->kind);
    case CLEM_CHECK_LOCAL:
        return ptx_format(e, "clem_check_local(clem_checked, %s, %s, %uu, %uu)",
                          local_shadow_text(e), at, size, told->kind);
    case CLEM_CHECK_GENERIC:
        ptx_need(e, PTX_NEED_LOCAL);
        return ptx_format(e, "clem_check_generic(clem_checked, %s, %s, %s, %uu, %uu)",
                          shadow_text(e), local_shadow_text(e), name, size, told->kind);
    default:
        return ptx_format(e, "clem_check_global(clem_checked, %s, %uu, %uu)", name, size,
                          told->kind);
    }
}

/* Likewise of races, after it. */
static const char *plain_text(struct ptx_emitter *e, const struct told *told, const char *name,
                              const char *at)
{
    const char *same = told->value ? ptx_format(e, " | clem_check_same(%s, %s, %uu)", name,
                                                told->value, (unsigned)look_size(told))
                                   : "";
    const char *space = told->space == CLEM_CHECK_SHARED    ? "shared"
                        : told->space == CLEM_CHECK_GENERIC ? "generic"
                                                            : "global";
    return ptx_format(e, "clem_check_%s_%s(clem_checked, %s%s, %lluul, (ulong)%s, %s, %s)", space,
                      told->kind == CLEM_CHECK_STORE ? "store" : "load", what_text(e, told), same,
                      site_of(e->instruction), at, told->thread ? told->thread : "clem_index",
                      block_number);
}

static bool looks_for_races(const struct ptx_emitter *e, const struct told *told)
{
    return (e->target->checks & PTX_CHECK_RACE) && told->space != CLEM_CHECK_LOCAL &&
           !told->is_constant;
}

static bool looks_at_memory(const struct ptx_emitter *e)
{
    return e->target->checks & (PTX_CHECK_MEMORY | PTX_CHECK_INIT);
}

static const char *both_text(struct ptx_emitter *e, const struct told *told, const char *name,
                             const char *at)
{
    const bool races = looks_for_races(e, told), looks = looks_at_memory(e);
    const char *look = looks ? look_text(e, told, name, at) : "";
    const char *plain = races ? plain_text(e, told, name, at) : "";
    return ptx_format(e, "(%s%s%s)", look, looks && races ? " && " : "", plain);
}

/* A call only of what is not seen to be right. */
static const char *looked_at(struct ptx_emitter *e, const struct told *told)
{
    const char *name = ptx_temporary(e), *at = name;
    struct told call = *told;
    if (told->space == CLEM_CHECK_SHARED || told->space == CLEM_CHECK_LOCAL) {
        at = ptx_temporary(e);
        ptx_need(e, told->space == CLEM_CHECK_SHARED ? PTX_NEED_SHARED : PTX_NEED_LOCAL);
        ptx_line(e, "const uint %s = (uint)%s;", at, told->address);
        ptx_line(e, "ulong %s = (ulong)clem_%s + %s;", name,
                 told->space == CLEM_CHECK_SHARED ? "shared" : "local", at);
    } else {
        ptx_line(e, "ulong %s = %s;", name, told->address);
    }
    call.address = ptx_format(e, "(ulong)%s", at);
    ptx_line(e, "if (CLEM_SELDOM(!%s))", both_text(e, told, name, at));
    ptx_line(e, "    %s = %s;", name, call_text(e, &call));
    return name;
}

/* A load or store that has no order with others. */
static bool is_without_order(const struct ptx_emitter *e, const struct told *told)
{
    return told->kind != CLEM_CHECK_ATOMIC && !(told->flags & CLEM_CHECK_VOLATILE) &&
           e->instruction && order_of(e->instruction) == PTX_ORDER_NONE &&
           !(told->kind == CLEM_CHECK_STORE && told->space == CLEM_CHECK_GENERIC);
}

/* Whether a look can be at the access, in place of a call. */
static bool is_seen(const struct ptx_emitter *e, const struct told *told)
{
    const unsigned checks = e->target->checks;
    if (look_size(told) < 0 || told->space == CLEM_CHECK_PARAM || is_at_mbarrier(e->instruction) ||
        async_flags(e->instruction))
        return false;
    return !(checks & PTX_CHECK_RACE) || told->space == CLEM_CHECK_LOCAL ||
           is_without_order(e, told);
}

/* The name of a variable that has the address to be used. */
static const char *checked(struct ptx_emitter *e, const struct told *told)
{
    if (is_seen(e, told))
        return looked_at(e, told);
    const char *name = ptx_temporary(e);
    ptx_line(e, "const ulong %s = %s;", name, call_text(e, told));
    return name;
}

bool ptx_check_finds_parameter(const struct ptx_emitter *e, uint8_t space,
                               const struct ptx_operand *address)
{
    return (e->target->checks & PTX_CHECK_MEMORY) && space == PTX_SPACE_PARAM && address &&
           address->kind == PTX_OPERAND_ADDRESS && address->index >= 0;
}

static bool has_memory(const struct ptx_emitter *e, const struct ptx_access *a)
{
    return !a->text && !a->write && (a->address || a->number) &&
           (a->space != PTX_SPACE_PARAM || ptx_check_finds_parameter(e, a->space, a->address));
}

static size_t size_of(const struct ptx_access *a)
{
    return a->bytes ? a->bytes
                    : ptx_type_bytes((enum ptx_type)a->type) * (a->width ? a->width : 1u);
}

static const char *size_text(struct ptx_emitter *e, const struct ptx_access *a)
{
    return ptx_format(e, "%zuu", size_of(a));
}

static const char *address_text(struct ptx_emitter *e, const struct ptx_access *a)
{
    const char *number = a->number ? a->number : ptx_address_number(e, a->address);
    const char *index = a->index ? ptx_format(e, " + %zuul * (%s)",
                                              ptx_type_bytes((enum ptx_type)a->type), a->index)
                                 : "";
    return ptx_format(e, "((ulong)(%s)%s)", number, index);
}

static bool has_small_value(const struct ptx_access *a)
{
    return a->kind == PTX_ACCESS_STORE && a->width <= 1 && !a->c_type &&
           ptx_type_bytes((enum ptx_type)a->type) <= 8;
}

/* What a store writes, as 8 bytes. */
static const char *value_text(struct ptx_emitter *e, const struct ptx_access *a)
{
    if (!has_small_value(a))
        return NULL;
    if (a->type == PTX_F32)
        return ptx_format(e, "(ulong)as_uint(%s)", a->value);
    if (a->type == PTX_F64)
        return ptx_format(e, "as_ulong(%s)", a->value);
    return ptx_format(e, "(ulong)(%s)", a->value);
}

/* CLEM_CHECK_VALUES() of what an operand's registers get or have. */
static unsigned values_of(const struct ptx_emitter *e, const struct ptx_operand *operand,
                          bool is_signed)
{
    const bool is_vector = operand->kind == PTX_OPERAND_VECTOR;
    const struct ptx_operand *first = is_vector && operand->count > 0 ? &operand->list[0] : operand;
    const size_t bytes = first->kind == PTX_OPERAND_REGISTER
                             ? ptx_type_bytes(ptx_register_type(e, (uint32_t)first->index))
                             : 0;
    return CLEM_CHECK_VALUES(is_vector ? (unsigned)operand->count : 1u, (unsigned)bytes,
                             is_signed ? 1u : 0u);
}

/* What a copy reads and then writes has names of no register's, one for each 8 bytes. */
static void name_parts(struct ptx_emitter *e, size_t bytes, struct told *told)
{
    const struct ptx_operand last = {.kind = PTX_OPERAND_REGISTER,
                                     .index = (1 << CLEM_CHECK_REGISTER_BITS) - 1};
    const unsigned count = bytes > 8 ? 2 : 1;
    for (unsigned i = 0; i < count; i++)
        told->registers[i] = name_of(e, &last) - i;
    told->values = CLEM_CHECK_VALUES(count, 0u, 0u);
}

/* What goes to or comes from registers: loads' and stores' alone. */
static void name_values(struct ptx_emitter *e, const struct ptx_access *a, struct told *told)
{
    const struct ptx_instruction *in = e->instruction;
    if (!in || in->operand_count < 2 || !(e->target->checks & PTX_CHECK_INIT))
        return;
    if (in->opcode == PTX_OPCODE_cp) {
        name_parts(e, size_of(a), told);
        return;
    }
    told->base = base_of(e, a->address);
    if (in->opcode == PTX_OPCODE_ld || in->opcode == PTX_OPCODE_ldu || in->opcode == PTX_OPCODE_st)
        told->values = values_of(e, &in->operands[in->opcode == PTX_OPCODE_st],
                                 ptx_type_is_signed((enum ptx_type)a->type));
    if (in->opcode == PTX_OPCODE_ld || in->opcode == PTX_OPCODE_ldu)
        name_all(e, &in->operands[0], told->registers);
    else if (in->opcode == PTX_OPCODE_st || in->opcode == PTX_OPCODE_red)
        name_all(e, &in->operands[1], told->registers);
    else if (in->opcode == PTX_OPCODE_atom && in->operand_count > 2)
        name_all(e, &in->operands[in->operand_count - 1], told->registers);
}

/* Races are of memory that several threads may write. */
static bool is_told(const struct ptx_emitter *e, const struct ptx_access *a)
{
    const unsigned checks = e->target->checks;
    return checks & (PTX_CHECK_MEMORY | PTX_CHECK_INIT) ||
           (checks & PTX_CHECK_RACE && a->space != PTX_SPACE_LOCAL && a->space != PTX_SPACE_CONST);
}

/* An access to memory, but for where it is and its value. */
static struct told told_of(struct ptx_emitter *e, const struct ptx_access *a, bool has_value)
{
    static const unsigned kinds[] = {[PTX_ACCESS_LOAD] = CLEM_CHECK_LOAD,
                                     [PTX_ACCESS_STORE] = CLEM_CHECK_STORE,
                                     [PTX_ACCESS_ATOMIC] = CLEM_CHECK_ATOMIC};
    const bool is_of_host = a->space == PTX_SPACE_PARAM && e->plan->bank_is_global;
    struct told told = {.kind = kinds[a->kind],
                        .space = is_of_host ? CLEM_CHECK_GLOBAL : space_of(a->space),
                        .flags = (a->is_volatile ? CLEM_CHECK_VOLATILE : 0u) |
                                 (has_value ? CLEM_CHECK_VALUE : 0u) |
                                 (is_at_mbarrier(e->instruction) ? CLEM_CHECK_MBARRIER : 0u),
                        .size = size_of(a),
                        .is_constant = a->space == PTX_SPACE_CONST};
    name_values(e, a, &told);
    return told;
}

static void check_memory(struct ptx_emitter *e, struct ptx_access *a)
{
    const char *value = value_text(e, a);
    struct told told = told_of(e, a, value != NULL);
    told.bytes = size_text(e, a);
    told.address = address_text(e, a);
    told.value = value;
    told.more = told.values ? ptx_format(e, "%uul", told.values) : NULL;
    a->checked = checked(e, &told);
}

bool ptx_check_lanes(struct ptx_emitter *e, const struct ptx_access *a, struct ptx_checked *to)
{
    if (!is_told(e, a))
        return false;
    const struct told told = told_of(e, a, has_small_value(a));
    const uint32_t *r = told.registers;
    *to = (struct ptx_checked){.what = (uint64_t)told.size << 32 | what_of(e, &told),
                               .site = site_of(e->instruction),
                               .more = told.values,
                               .registers = (uint64_t)r[1] << 32 | r[0],
                               .others = (uint64_t)r[3] << 32 | r[2],
                               .base = told.base,
                               .is_seen = is_seen(e, &told),
                               .looks = looks_at_memory(e),
                               .races = looks_for_races(e, &told),
                               .has_value = told.flags & CLEM_CHECK_VALUE};
    ptx_need(e, PTX_NEED_CHECK);
    return true;
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
                            .flags = CLEM_CHECK_COPIES,
                            .has_shared = from.space == CLEM_CHECK_SHARED,
                            .registers = {from.space},
                            .value = from.address,
                            .more = ptx_format(e, "(ulong)(%s)", a->value),
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
    if (e->native) /* which asks for its lanes: ptx_check_lanes() */
        return;
    switch (access->kind) {
    case PTX_ACCESS_LOAD:
    case PTX_ACCESS_STORE:
    case PTX_ACCESS_ATOMIC:
        if (has_memory(e, access) && is_told(e, access))
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

const char *ptx_checked_call(struct ptx_emitter *e, const char *name, const char *arguments)
{
    ptx_need(e, PTX_NEED_CHECK);
    return ptx_format(e, "clem_checked_%s%s, clem_checked, %lluul, clem_index, %s)",
                      name + strlen("clem_"), arguments, site_of(e->instruction), block_number);
}

/* ---- Values that nobody wrote ---- */

struct sources {
    struct ptx_emitter *e;
    const struct ptx_instruction *in;
    uint32_t names[4];
    size_t count;
};

static void add_source(void *with, uint32_t index, bool is_whole)
{
    struct sources *s = with;
    const struct ptx_operand operand = {.kind = PTX_OPERAND_REGISTER, .index = (int32_t)index};
    (void)is_whole;
    if ((int32_t)index != s->in->guard && s->count < 4)
        s->names[s->count++] = name_of(s->e, &operand);
}

/* Whether a register is a guard somewhere in the function. */
static bool is_guard(const struct ptx_function *f, int32_t index)
{
    for (size_t i = 0; i < f->instruction_count; i++)
        if (f->instructions[i].guard == index)
            return true;
    return false;
}

/* How a value comes about, where that is more than from all that is read. */
struct flow {
    unsigned how;   /* CLEM_CHECK_MIX and the like */
    uint64_t value; /* its constant */
    bool is_placed; /* names are those of operands from `first` on, by place */
    uint32_t first;
};

static const struct flow mix = {CLEM_CHECK_MIX, 0, false, 0};

/* An integer among the operands that are read. */
static const struct ptx_operand *constant_of(const struct ptx_instruction *in)
{
    for (uint32_t i = 1; i < in->operand_count; i++)
        if (in->operands[i].kind == PTX_OPERAND_INTEGER)
            return &in->operands[i];
    return NULL;
}

/* Whether operands from `first` on are integers, two at most. */
static bool are_constant(const struct ptx_instruction *in, uint32_t first, uint32_t count)
{
    bool all = in->operand_count >= first + count;
    for (uint32_t i = first; all && i < first + count; i++)
        all = in->operands[i].kind == PTX_OPERAND_INTEGER;
    return all;
}

static uint64_t at_most_255(const struct ptx_operand *operand)
{
    const uint64_t bits = (uint32_t)operand->bits & 0xff; /* as the instructions read them */
    return bits;
}

static struct flow flow_of_conversion(const struct ptx_instruction *in)
{
    const enum ptx_type to = (enum ptx_type)in->types[0], from = (enum ptx_type)in->types[1];
    if (ptx_type_is_float(to) || ptx_type_is_float(from))
        return mix;
    return (struct flow){CLEM_CHECK_EXTEND,
                         ptx_type_bytes(from) | (ptx_type_is_signed(from) ? 256u : 0u), false, 0};
}

static struct flow flow_of_move(const struct ptx_instruction *in)
{
    if (in->operands[1].kind != PTX_OPERAND_VECTOR)
        return (struct flow){CLEM_CHECK_MOVE, 0, false, 0};
    return (struct flow){CLEM_CHECK_PACK,
                         ptx_type_bytes((enum ptx_type)in->types[0]) / in->operands[1].count, true,
                         1};
}

static struct flow flow_of_extract(const struct ptx_instruction *in)
{
    if (!are_constant(in, 2, 2))
        return mix;
    return (struct flow){CLEM_CHECK_EXTRACT,
                         at_most_255(&in->operands[2]) | at_most_255(&in->operands[3]) << 8 |
                             (ptx_type_is_signed((enum ptx_type)in->types[0]) ? 1u << 16 : 0u),
                         true, 1};
}

static struct flow flow_of_insert(const struct ptx_instruction *in)
{
    if (!are_constant(in, 3, 2))
        return mix;
    return (struct flow){CLEM_CHECK_INSERT,
                         at_most_255(&in->operands[3]) | at_most_255(&in->operands[4]) << 8, true,
                         1};
}

static struct flow flow_of_permutation(const struct ptx_instruction *in)
{
    if (!are_constant(in, 3, 1) || in->operation != PTX_OP_NONE)
        return mix;
    return (struct flow){CLEM_CHECK_PERMUTE, (uint64_t)in->operands[3].bits & 0xffff, true, 1};
}

static struct flow flow_of_funnel(const struct ptx_instruction *in)
{
    if (!are_constant(in, 3, 1))
        return mix;
    const uint64_t asked = (uint32_t)in->operands[3].bits;
    const uint64_t by = in->flags & PTX_SHIFT_WRAP ? asked & 31 : asked < 32 ? asked : 32;
    return (struct flow){CLEM_CHECK_FUNNEL, in->operation == PTX_OP_L ? 32 - by : by, true, 1};
}

/* Of two operands, of which one is constant: how, or otherwise. */
static struct flow flow_of_two(const struct ptx_instruction *in, unsigned how, unsigned otherwise)
{
    const struct ptx_operand *constant = constant_of(in);
    return (struct flow){constant ? how : otherwise, constant ? (uint64_t)constant->bits : 0, false,
                         0};
}

static struct flow flow_of_shift(const struct ptx_instruction *in, unsigned how)
{
    if (!are_constant(in, 2, 1))
        return mix;
    return (struct flow){how, (uint32_t)in->operands[2].bits, true, 1};
}

static struct flow flow_of(const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OPCODE_mov:
        return flow_of_move(in);
    case PTX_OPCODE_cvta:
        return (struct flow){CLEM_CHECK_MOVE, 0, false, 0};
    case PTX_OPCODE_cvt:
        return flow_of_conversion(in);
    case PTX_OPCODE_or:
        return flow_of_two(in, CLEM_CHECK_JOIN, CLEM_CHECK_JOIN);
    case PTX_OPCODE_xor:
    case PTX_OPCODE_not:
    case PTX_OPCODE_lop3:
        return (struct flow){CLEM_CHECK_BITS, 0, false, 0};
    case PTX_OPCODE_and:
        return flow_of_two(in, CLEM_CHECK_MASK, CLEM_CHECK_BITS);
    case PTX_OPCODE_shl:
        return flow_of_shift(in, CLEM_CHECK_LEFT);
    case PTX_OPCODE_shr:
        return flow_of_shift(in, ptx_type_is_signed((enum ptx_type)in->types[0])
                                     ? CLEM_CHECK_SIGNED
                                     : CLEM_CHECK_RIGHT);
    case PTX_OPCODE_bfe:
        return flow_of_extract(in);
    case PTX_OPCODE_bfi:
        return flow_of_insert(in);
    case PTX_OPCODE_prmt:
        return flow_of_permutation(in);
    case PTX_OPCODE_shf:
        return flow_of_funnel(in);
    default:
        return mix;
    }
}

/* A value goes to a name, from up to four: CLEM_CHECK_FLOWS. */
static void write_flow_of(struct ptx_emitter *e, uint32_t to, size_t bytes, const uint32_t names[4],
                          unsigned flow, uint64_t value, bool decides)
{
    if (to != 0)
        ptx_text_add(e->out, "\"%llx,%x,%zx,%x,%x,%llx,%x,%x,%x,%x,\"\n", site_of(e->instruction),
                     decides ? CLEM_CHECK_DECIDES : 0u, bytes, (unsigned)to, flow,
                     (unsigned long long)value, (unsigned)names[0], (unsigned)names[1],
                     (unsigned)names[2], (unsigned)names[3]);
}

static size_t followed_bytes(const struct ptx_emitter *e, const struct ptx_operand *to)
{
    const enum ptx_type type = ptx_register_type(e, (uint32_t)to->index);
    return type == PTX_PRED ? 1 : ptx_type_bytes(type);
}

/* Whether the thread goes on by the register. */
static bool decides(const struct ptx_emitter *e, const struct ptx_operand *to)
{
    return ptx_register_type(e, (uint32_t)to->index) == PTX_PRED &&
           is_guard(e->function, to->index);
}

static void write_flow(struct ptx_emitter *e, const struct sources *s, const struct ptx_operand *to,
                       unsigned flow, uint64_t value)
{
    write_flow_of(e, name_of(e, to), followed_bytes(e, to), s->names, flow, value, decides(e, to));
}

/* Parts of a register, by mov; those of other results come from all that is read. */
static void write_flow_to(struct ptx_emitter *e, const struct sources *s,
                          const struct ptx_operand *to, const struct flow *flow)
{
    const struct ptx_instruction *in = s->in;
    const bool unpacks = in->opcode == PTX_OPCODE_mov;
    if (to->kind == PTX_OPERAND_REGISTER)
        write_flow(e, s, to, flow->how, flow->value);
    for (uint32_t i = 0; to->kind == PTX_OPERAND_VECTOR && i < to->count; i++) {
        const size_t bits = 8 * ptx_type_bytes((enum ptx_type)in->types[0]) / to->count;
        if (to->list[i].kind == PTX_OPERAND_REGISTER)
            write_flow(e, s, &to->list[i], unpacks ? CLEM_CHECK_RIGHT : CLEM_CHECK_MIX,
                       unpacks ? i * bits : 0);
    }
}

/* Where there are values to follow. */
static void tell_flows(struct ptx_emitter *e, const char *text)
{
    const struct told told = {
        .kind = CLEM_CHECK_FLOWS, .space = CLEM_CHECK_GLOBAL, .address = text};
    ptx_line(e, "if (CLEM_SELDOM(CLEM_FOLLOWS(clem_checked))) {");
    ptx_line(e, "(void)%s;", call_text(e, &told));
    ptx_line(e, "}");
}

/* The flows that were written from `start` on are told of. */
static void where_followed(struct ptx_emitter *e, size_t start)
{
    struct ptx_text *out = e->out;
    if (out->used == start)
        return;
    const char *flows = ptx_arena_text(e->arena, out->data + start, out->used - start);
    out->used = start;
    tell_flows(e, ptx_format(e, "(ulong)\n%s    ", flows));
}

/* Accesses tell of their own registers. */
static bool tells_itself(const struct ptx_instruction *in)
{
    const bool is_load = in->opcode == PTX_OPCODE_ld || in->opcode == PTX_OPCODE_ldu;
    const struct ptx_variable *v = in->operand_count > 1 ? in->operands[1].variable : NULL;
    return is_load && in->space != PTX_SPACE_PARAM && !(v && v->space == PTX_SPACE_PARAM);
}

/* What comes from elsewhere counts as written. */
static bool computes(const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OPCODE_call:
    case PTX_OPCODE_ld:
    case PTX_OPCODE_ldu:
    case PTX_OPCODE_atom:
        return false;
    default:
        return true;
    }
}

void ptx_check_step(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const struct sources none = {.e = e, .in = in};
    const uint32_t count = ptx_destination_count(in);
    const size_t start = e->out->used;
    for (uint32_t i = 0; (e->target->checks & PTX_CHECK_INIT) && i < count; i++)
        write_flow_to(e, &none, &in->operands[i], &mix);
    where_followed(e, start);
}

/* ---- Values that calls are given ---- */

/* Which of a function's parameters, results or variables it is, with a body's number: a name as registers have. 0: none, or
 * more than a register holds. */
static uint32_t name_among(struct ptx_variable *const *all, size_t count,
                           const struct ptx_variable *v, uint32_t first)
{
    for (size_t i = 0; i < count && i < 1u << 16; i++)
        if (all[i] == v)
            return first + (uint32_t)i;
    return 0;
}

static uint32_t name_of_variable(const struct ptx_emitter *e, const struct ptx_body *body,
                                 const struct ptx_variable *v)
{
    enum { PARAMETERS = 1 << 19, RESULTS = PARAMETERS + (1 << 16), OTHERS = RESULTS + (1 << 16) };
    const struct ptx_function *f = body->function;
    if (!v || v->bytes > 8 || (f->is_entry && ptx_is_entry_parameter(e, v)))
        return 0;
    const uint32_t found = name_among(f->parameters, f->parameter_count, v, PARAMETERS) |
                           name_among(f->results, f->result_count, v, RESULTS) |
                           name_among(f->variables, f->variable_count, v, OTHERS);
    const size_t number = (size_t)(body - e->plan->bodies);
    return found ? (uint32_t)(number + 1) << CLEM_CHECK_REGISTER_BITS | found : 0;
}

static bool is_parameter(const struct ptx_instruction *in, const struct ptx_operand *address)
{
    return in->space == PTX_SPACE_PARAM ||
           (address->variable && address->variable->space == PTX_SPACE_PARAM);
}

/* ld and st of .param. */
static void follow_parameter(struct ptx_emitter *e, const struct ptx_instruction *in, bool is_load)
{
    const struct ptx_operand *address = &in->operands[is_load], *value = &in->operands[!is_load];
    const uint32_t name = name_of_variable(e, ptx_current_body(e), address->variable);
    const uint32_t own = name_of(e, value);
    const uint32_t from[4] = {is_load ? name : own};
    if (value->kind == PTX_OPERAND_REGISTER || !is_load)
        write_flow_of(e, is_load ? own : name, ptx_type_bytes((enum ptx_type)in->types[0]), from,
                      CLEM_CHECK_MOVE, 0, false);
}

static const struct ptx_variable *listed(const struct ptx_operand *list, uint32_t i)
{
    return list->kind == PTX_OPERAND_VECTOR && i < list->count ? list->list[i].variable : NULL;
}

static const struct ptx_body *callee_of(const struct ptx_emitter *e,
                                        const struct ptx_instruction *in)
{
    const struct ptx_function *callee = in->operand_count > 1 ? in->operands[1].function : NULL;
    return callee && callee->has_body ? ptx_plan_body(e->plan, callee) : NULL;
}

/* Arguments go to the parameters of a function that has a text here; the results of others come from them. */
static void follow_arguments(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const struct ptx_body *own = ptx_current_body(e), *callee = callee_of(e, in);
    const struct ptx_operand none = {.kind = PTX_OPERAND_NONE},
                             *arguments = in->operand_count > 2 ? &in->operands[2] : &none;
    uint32_t given[4] = {0};
    const uint32_t count = arguments->kind == PTX_OPERAND_VECTOR ? arguments->count : 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t from[4] = {name_of_variable(e, own, listed(arguments, i))};
        if (i < 4)
            given[i] = from[0];
        if (callee && i < callee->function->parameter_count)
            write_flow_of(e, name_of_variable(e, callee, callee->function->parameters[i]), 8, from,
                          CLEM_CHECK_MOVE, 0, false);
    }
    if (!callee && in->operand_count > 1)
        write_flow_of(e, name_of_variable(e, own, listed(&in->operands[0], 0)), 8, given,
                      CLEM_CHECK_MIX, 0, false);
}

void ptx_check_result(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    if (!(e->target->checks & PTX_CHECK_INIT) || in->opcode != PTX_OPCODE_call)
        return;
    const struct ptx_body *callee = callee_of(e, in);
    if (!callee || callee->function->result_count == 0)
        return;
    const size_t start = e->out->used;
    const uint32_t from[4] = {name_of_variable(e, callee, callee->function->results[0])};
    write_flow_of(e, name_of_variable(e, ptx_current_body(e), listed(&in->operands[0], 0)), 8, from,
                  CLEM_CHECK_MOVE, 0, false);
    where_followed(e, start);
}

/* By place, from an operand on, or the parts of a vector. */
static void place_sources(struct sources *s, const struct ptx_operand *first)
{
    const struct ptx_operand *const end = s->in->operands + s->in->operand_count;
    if (first->kind == PTX_OPERAND_VECTOR)
        name_all(s->e, first, s->names);
    for (uint32_t i = 0; first->kind != PTX_OPERAND_VECTOR && i < 4 && first + i < end; i++)
        s->names[i] = name_of(s->e, &first[i]);
}

/* Of several ways on, one is chosen by a register. */
static void follow_index(struct ptx_emitter *e, const struct ptx_operand *index)
{
    const uint32_t names[4] = {name_of(e, index)};
    write_flow_of(e, names[0], 8, names, CLEM_CHECK_MOVE, 0, true);
}

/* ---- Results that predicates decide on ---- */

/* Which of a selp's, an and's or an or's operands, or of a setp with another predicate, does not matter, those say that do. */
struct choice_rule {
    unsigned how;
    uint32_t operands[2]; /* 0: none */
};

/* Where the second operand of an and does not hold it alone decides, and the first one likewise; where neither does, both have to
 * be unknown for the result to be. An or is the same for what does not hold. */
static struct choice_rule rule_of_junction(bool is_first_deciding, bool is_second_deciding)
{
    if (is_first_deciding && is_second_deciding)
        return (struct choice_rule){CLEM_CHECK_BOTH, {1, 2}};
    if (is_first_deciding || is_second_deciding)
        return (struct choice_rule){CLEM_CHECK_BITS, {is_first_deciding ? 1 : 2, 0}};
    return (struct choice_rule){CLEM_CHECK_BITS, {1, 2}};
}

static bool is_junction(const struct ptx_instruction *in)
{
    return (in->opcode == PTX_OPCODE_and || in->opcode == PTX_OPCODE_or) &&
           in->types[0] == PTX_PRED && in->operand_count == 3;
}

/* A comparison that counts only where a predicate holds, or does not. */
static bool is_conditional(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_setp && in->operand_count == 4 &&
           ptx_destination_count(in) == 1 &&
           (in->operation == PTX_OP_AND || in->operation == PTX_OP_OR);
}

static struct choice_rule rule_of(const struct ptx_instruction *in, bool first, bool second)
{
    const bool deciding = in->opcode == PTX_OPCODE_or || in->operation == PTX_OP_OR;
    if (is_junction(in))
        return rule_of_junction(first == deciding, second == deciding);
    if (in->opcode == PTX_OPCODE_selp)
        return (struct choice_rule){CLEM_CHECK_CHOOSE, {first ? 1 : 2, 3}};
    return (struct choice_rule){CLEM_CHECK_MIX, {first == deciding ? 3 : 0, 0}};
}

/* What has no name is not followed. */
static bool find_choice(const struct ptx_emitter *e, const struct ptx_instruction *in,
                        uint32_t by[2])
{
    const bool is_choice = in->opcode == PTX_OPCODE_selp && in->operand_count == 4;
    by[0] = is_junction(in) ? 1 : is_choice || is_conditional(in) ? 3 : 0;
    by[1] = is_junction(in) ? 2 : 0;
    for (int i = 0; i < 2; i++)
        if (by[i] != 0 && in->operands[by[i]].kind != PTX_OPERAND_REGISTER)
            by[0] = 0;
    return by[0] != 0 && name_of(e, &in->operands[0]) != 0;
}

static const char *choice_text(struct ptx_emitter *e, const struct ptx_instruction *in, bool first,
                               bool second)
{
    const struct choice_rule rule = rule_of(in, first, second);
    struct sources s = {.e = e, .in = in};
    const size_t start = e->out->used;
    for (unsigned i = 0; i < 2 && rule.operands[i] != 0; i++)
        s.names[s.count++] = name_of(e, &in->operands[rule.operands[i]]);
    if (rule.operands[0] == 0)
        ptx_flow_reads(in, add_source, &s);
    write_flow(e, &s, &in->operands[0], rule.how, 0);
    const char *text = ptx_arena_text(e->arena, e->out->data + start, e->out->used - start);
    e->out->used = start;
    return text;
}

static void write_choice(struct ptx_emitter *e, const struct ptx_instruction *in,
                         struct ptx_check_choice *choice)
{
    const unsigned count = choice->by[1] != 0 ? PTX_CHECK_CHOICES : PTX_CHECK_CHOICES / 2;
    for (unsigned i = 0; i < count; i++)
        choice->texts[i] = choice_text(e, in, !(i & 1), !(i & 2));
}

static const char *chosen_text(struct ptx_emitter *e, const struct ptx_instruction *in,
                               const struct ptx_check_choice *choice, unsigned first)
{
    return ptx_format(e, "(%s ?\n%s    :\n%s    )", ptx_predicate(e, &in->operands[choice->by[0]]),
                      choice->texts[first], choice->texts[first + 1]);
}

static void follow_choice(struct ptx_emitter *e, const struct ptx_instruction *in,
                          struct ptx_check_choice *choice)
{
    write_choice(e, in, choice);
    const char *text = chosen_text(e, in, choice, 0);
    if (choice->by[1] != 0)
        text = ptx_format(e, "(%s ? %s : %s)", ptx_predicate(e, &in->operands[choice->by[1]]), text,
                          chosen_text(e, in, choice, 2));
    tell_flows(e, ptx_format(e, "(ulong)%s", text));
}

static void follow(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    struct sources s = {.e = e, .in = in};
    const uint32_t count = ptx_destination_count(in);
    if (in->opcode == PTX_OPCODE_brx && in->operand_count > 0)
        follow_index(e, &in->operands[0]);
    if (in->opcode == PTX_OPCODE_st && is_parameter(in, &in->operands[0]))
        follow_parameter(e, in, false);
    if (in->opcode == PTX_OPCODE_call)
        follow_arguments(e, in);
    if (count == 0 || tells_itself(in))
        return;
    if (in->opcode == PTX_OPCODE_ld && in->operands[0].kind == PTX_OPERAND_REGISTER) {
        follow_parameter(e, in, true);
        return;
    }
    const bool has_sources = computes(in) && in->operand_count > count;
    const struct flow flow = has_sources ? flow_of(in) : mix;
    if (flow.is_placed)
        place_sources(&s, &in->operands[flow.first]);
    else if (has_sources)
        ptx_flow_reads(in, add_source, &s);
    for (uint32_t i = 0; i < count; i++)
        write_flow_to(e, &s, &in->operands[i], &flow);
}

/* Only computes, so that it does not matter to others when its values are followed. */
static bool is_plain(const struct ptx_instruction *in)
{
    if (in->guard >= 0 || is_junction(in) || is_conditional(in))
        return false;
    switch (in->opcode) {
    case PTX_OPCODE_mov:
    case PTX_OPCODE_cvta:
    case PTX_OPCODE_cvt:
    case PTX_OPCODE_add:
    case PTX_OPCODE_sub:
    case PTX_OPCODE_mul:
    case PTX_OPCODE_mad:
    case PTX_OPCODE_fma:
    case PTX_OPCODE_div:
    case PTX_OPCODE_rem:
    case PTX_OPCODE_min:
    case PTX_OPCODE_max:
    case PTX_OPCODE_neg:
    case PTX_OPCODE_abs:
    case PTX_OPCODE_and:
    case PTX_OPCODE_or:
    case PTX_OPCODE_xor:
    case PTX_OPCODE_not:
    case PTX_OPCODE_shl:
    case PTX_OPCODE_shr:
    case PTX_OPCODE_shf:
    case PTX_OPCODE_lop3:
    case PTX_OPCODE_prmt:
    case PTX_OPCODE_bfe:
    case PTX_OPCODE_bfi:
    case PTX_OPCODE_popc:
    case PTX_OPCODE_clz:
    case PTX_OPCODE_setp:
    case PTX_OPCODE_set:
    case PTX_OPCODE_rcp:
    case PTX_OPCODE_sqrt:
    case PTX_OPCODE_rsqrt:
    case PTX_OPCODE_ex2:
    case PTX_OPCODE_lg2:
    case PTX_OPCODE_sin:
    case PTX_OPCODE_cos:
        return true;
    default:
        return false;
    }
}

/* Of a run of instructions that only compute at once: one look for all of them. */
static void follow_run(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const struct ptx_instruction *const all = e->function->instructions, *at = in;
    const bool is_known = e->run_end && in >= all && in < e->run_end && is_plain(in);
    follow(e, in);
    for (at++; is_known && at < e->run_end && is_plain(at); at++) {
        e->instruction = at;
        follow(e, at);
    }
    e->instruction = in;
    e->told = in;
    e->told_end = is_known ? at : NULL;
}

/* Whether it was followed with one before it. */
static bool was_followed(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    if (!e->told_end || in <= e->told || in >= e->told_end)
        return false;
    e->told = in;
    return true;
}

void ptx_check_flows(struct ptx_emitter *e, const struct ptx_instruction *in,
                     struct ptx_check_choice *choice)
{
    const size_t start = e->out->used;
    *choice = (struct ptx_check_choice){{0, 0}, {NULL}};
    if (!(e->target->checks & PTX_CHECK_INIT) || was_followed(e, in))
        return;
    if (find_choice(e, in, choice->by)) {
        write_choice(e, in, choice);
        return;
    }
    *choice = (struct ptx_check_choice){{0, 0}, {NULL}};
    follow_run(e, in);
    if (e->out->used > start)
        choice->texts[0] = ptx_arena_text(e->arena, e->out->data + start, e->out->used - start);
    e->out->used = start;
}

void ptx_check_values(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const size_t start = e->out->used;
    struct ptx_check_choice choice;
    if (!(e->target->checks & PTX_CHECK_INIT) || was_followed(e, in))
        return;
    if (find_choice(e, in, choice.by)) {
        follow_choice(e, in, &choice);
        return;
    }
    follow_run(e, in);
    where_followed(e, start);
}

/* ---- Values that lanes give each other ---- */

bool ptx_check_exchanges(const struct ptx_emitter *e, const struct ptx_instruction *in)
{
    if (!(e->target->checks & PTX_CHECK_INIT))
        return false;
    switch (in->opcode) {
    case PTX_OPCODE_shfl:
    case PTX_OPCODE_vote:
    case PTX_OPCODE_match:
    case PTX_OPCODE_redux:
        return true;
    default:
        return ptx_barrier_reduces(in);
    }
}

const char *ptx_check_exchanged(struct ptx_emitter *e, const struct ptx_instruction *in,
                                const struct ptx_operand *given, const struct ptx_operand *chosen)
{
    uint32_t to[2] = {0};
    size_t bytes = 4;
    bool any = false;
    for (uint32_t i = 0; i < ptx_destination_count(in) && i < 2; i++)
        if (in->operands[i].kind == PTX_OPERAND_REGISTER) {
            to[i] = name_of(e, &in->operands[i]);
            bytes = i == 0 ? followed_bytes(e, &in->operands[i]) : bytes;
            any |= decides(e, &in->operands[i]);
        }
    return ptx_format(e, "\"%x,%zx,%x,%x,%x,%x,\"", any ? CLEM_CHECK_DECIDES : 0u, bytes,
                      (unsigned)to[0], (unsigned)to[1], (unsigned)name_of(e, given),
                      chosen ? (unsigned)name_of(e, chosen) : 0u);
}

void ptx_check_exchange(struct ptx_emitter *e, const struct ptx_instruction *in,
                        const struct ptx_exchange *exchange)
{
    const struct told told = {
        .kind = CLEM_CHECK_EXCHANGE,
        .space = CLEM_CHECK_GLOBAL,
        .thread = exchange->lanes ? "clem_base" : "0ul",
        .address = ptx_format(e, "(ulong)%s",
                              ptx_check_exchanged(e, in, exchange->given, exchange->chosen)),
        .value = exchange->lanes ? ptx_format(e, "(ulong)%s", exchange->lanes) : NULL,
        .more = exchange->lanes ? ptx_format(e, "(ulong)clem_active | %uul << 32",
                                             in->opcode == PTX_OPCODE_shfl ? 0u : 1u)
                                : NULL};
    ptx_line(e, "(void)%s;", call_text(e, &told));
}

/* ---- What is told of else ---- */

void ptx_check_told(struct ptx_emitter *e, const struct ptx_told *told)
{
    if ((e->target->checks & told->checks) == 0)
        return;
    struct told text = {.kind = told->kind,
                        .space = told->is_generic ? CLEM_CHECK_GENERIC : CLEM_CHECK_GLOBAL,
                        .flags = told->is_known ? CLEM_CHECK_KNOWN : 0u,
                        .bytes = told->size ? told->size : ptx_format(e, "%uu", told->bytes),
                        .address = told->address,
                        .value = told->value,
                        .more = told->more};
    if (told->registers && e->target->checks & PTX_CHECK_INIT) {
        name_all(e, told->registers, text.registers);
        text.more = ptx_format(e, "%uul", values_of(e, told->registers, told->is_signed));
    }
    ptx_line(e, "(void)%s;", call_text(e, &text));
}
