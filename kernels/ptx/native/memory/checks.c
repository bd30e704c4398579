/* What kernels that are checked tell the host in the native form (checks.h), and which have to do without it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/host/checks.h"

#include <stddef.h>
#include <string.h>

#include "kernels/ptx/block/block.h"
#include "kernels/ptx/emit/checked.h"
#include "kernels/ptx/native/memory/memory.h"

#define OF_BLOCK(member) offsetof(struct ptx_native_block, member)
#define OF_LIST(member)  offsetof(struct ptx_native_list, member)
#define LIST_TYPE        "[2 x <32 x i64>]"

/* ---- Kernels that are not told of lane by lane ---- */

/* A function that only computes. */
static bool calls_math(const struct ptx_instruction *in)
{
    const struct ptx_function *callee = in->operand_count > 1 ? in->operands[1].function : NULL;
    return in->opcode == PTX_OPCODE_call && callee && ptx_native_has_math(callee);
}

/* What the host takes as done by threads one by one, or in an order that warps do not have. */
static const char *why_not(struct ptx_native *n, const struct ptx_instruction *in)
{
    if (calls_math(in))
        return NULL;
    switch (in->opcode) {
    case PTX_OPCODE_call:
    case PTX_OPCODE_trap:
    case PTX_OPCODE_cp:
    case PTX_OPCODE_mbarrier:
        return "an instruction that is checked thread by thread";
    default:
        break;
    }
    if (ptx_native_is_picture(in))
        return "a texture or surface, which is checked thread by thread";
    if (ptx_is_barrier(in) &&
        (!ptx_native_is_plain_barrier(n->flow, in) || in->operands[0].bits != 0))
        return "a barrier that is checked thread by thread";
    return NULL;
}

/* Whether lanes that meet there may be some of those that go on. */
static bool may_lack_threads(const struct ptx_native *n, const struct ptx_uniformity *of_block,
                             int32_t node, const struct ptx_instruction *in)
{
    const struct ptx_native_flow *f = n->flow;
    if (ptx_is_barrier(in))
        return f->uniform.is_divergent[node] || of_block->is_divergent[node];
    return ptx_is_warp_operation(in) && f->uniform.is_divergent[node] && f->is_thin[node];
}

void ptx_native_refuse_unchecked(struct ptx_native *n)
{
    struct ptx_native_flow *const f = n->flow;
    const struct ptx_uniformity of_block = ptx_flow_uniformity(n->e->arena, f->graph);
    if (f->is_parted || f->is_tangled || n->e->plan->local_bytes > 0) {
        ptx_refuse(n->e, "lanes that part for long, or have local memory, are checked one by one");
        return;
    }
    for (size_t i = 0; i < f->function->instruction_count; i++) {
        const struct ptx_instruction *in = &f->function->instructions[i];
        const int32_t node = f->graph->node_of[i];
        const char *why = why_not(n, in);
        if (!why && f->graph->position[node] != PTX_NO_NODE &&
            may_lack_threads(n, &of_block, node, in))
            why = "threads that may not all meet are checked one by one";
        n->e->instruction = in;
        if (why)
            ptx_refuse(n->e, "%s", why);
    }
    if (n->e->status != PTX_OK)
        return;
    f->cut = ptx_block_cut(n->e, f->body->function)->straight;
    f->stores = ptx_native_reach_of_stores(n);
    ptx_native_find_calm(n);
}

/* ---- The list, and constants ---- */

void ptx_native_declare_list(struct ptx_native *n)
{
    if (ptx_native_is_checked(n))
        ptx_native_do(n, "%%checks = alloca " LIST_TYPE ", align 256");
}

static const char *list_number(struct ptx_native *n)
{
    return ptx_native_emit(n, "ptrtoint %s %%checks to i64", ptx_native_pointer_type(n, LIST_TYPE));
}

static const char *in_list(struct ptx_native *n, size_t at, const char *type)
{
    return ptx_native_pointer(n, type, ptx_native_emit(n, "add i64 %s, %zu", list_number(n), at));
}

static void give(struct ptx_native *n, size_t at, struct ptx_native_value value)
{
    value = ptx_native_vector(n, value);
    const char *type = ptx_native_value_type(n, value), *place = in_list(n, at, type);
    ptx_native_do(n, "store %s %s, %s %s, align 64", type, value.text,
                  ptx_native_pointer_type(n, type), place);
}

struct ptx_native_value ptx_native_listed(struct ptx_native *n, bool is_one)
{
    const char *type = is_one ? "i64" : "<32 x i64>";
    const char *place = in_list(n, OF_LIST(addresses), type);
    return (struct ptx_native_value){ptx_native_emit(n, "load %s, %s %s, align 64", type,
                                                     ptx_native_pointer_type(n, type), place),
                                     64, !is_one};
}

/* The address of what stands before all functions. */
static const char *constant(struct ptx_native *n, const char *type, const char *value)
{
    const char *name = ptx_native_name(n, "clem.told.");
    ptx_native_declare(n, "@%s = internal constant %s %s, align 8", name, type, value);
    return ptx_format(n->e, "ptrtoint (%s @%s to i64)", ptx_native_pointer_type(n, type), name);
}

static const char *told_text(struct ptx_native *n, const struct ptx_checked *c, uint64_t ways,
                             int64_t stride)
{
    const uint64_t number = n->flow->told_count++ % CLEM_CHECK_STILL;
    const uint64_t words[] = {c->what, c->site, c->more,          c->registers,    c->others,
                              c->base, ways,    (uint64_t)stride, n->flow->stores, number};
    const char *text = "[";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        text = ptx_format(n->e, "%s%si64 %lld", text, i ? ", " : "", (long long)words[i]);
    _Static_assert(sizeof words == sizeof(struct ptx_native_told), "words are its members");
    return constant(n, "[10 x i64]", ptx_format(n->e, "%s]", text));
}

/* Literals of C as one of LLVM: numbers and commas. */
static const char *string(struct ptx_native *n, const char *literals)
{
    const size_t length = strlen(literals);
    char *text = ptx_arena_take(n->e->arena, length + 1);
    size_t used = 0;
    for (const char *c = literals; *c; c++)
        if (*c != '"' && *c != '\n' && *c != ' ')
            text[used++] = *c;
    return constant(n, ptx_format(n->e, "[%zu x i8]", used + 1),
                    ptx_format(n->e, "c\"%s\\00\"", text));
}

/* ---- Memory ---- */

static bool is_of_still(const struct ptx_native *n, const struct ptx_checked *c)
{
    return n->flow->stores != PTX_REACHES_ALL && CLEM_CHECK_KIND(c->what) == CLEM_CHECK_LOAD &&
           CLEM_CHECK_SPACE(c->what) == CLEM_CHECK_GLOBAL && c->is_seen && c->looks && c->races;
}

static uint64_t ways_of(const struct ptx_native *n, const struct ptx_checked *c)
{
    const unsigned checks = n->e->target->checks;
    const size_t at = (size_t)(n->e->instruction - n->flow->function->instructions);
    const uint64_t first =
        ptx_block_is_contended(n->flow->cut, at) ? (uint64_t)PTX_NATIVE_FIRST : 0;
    const bool is_atomic = CLEM_CHECK_KIND(c->what) == CLEM_CHECK_ATOMIC;
    const uint64_t tells = c->is_seen ? 0 : (uint64_t)PTX_NATIVE_TELLS;
    if (!c->is_seen && !is_atomic)
        return first | tells;
    const bool is_calm = ptx_native_is_calm(n, c);
    return first | tells | (is_of_still(n, c) ? (uint64_t)PTX_NATIVE_STILL : 0) |
           (c->looks ? (uint64_t)PTX_NATIVE_LOOKS : 0) |
           (is_calm    ? (uint64_t)PTX_NATIVE_CALM
            : c->races ? (uint64_t)PTX_NATIVE_RACES
                       : 0) |
           (checks & PTX_CHECK_INIT ? (uint64_t)PTX_NATIVE_INIT : 0);
}

const struct ptx_checked *ptx_native_checked(struct ptx_native *n, const struct ptx_instruction *in,
                                             enum ptx_access_kind kind,
                                             const struct ptx_operand *address)
{
    struct ptx_emitter *e = n->e;
    const uint8_t space = ptx_native_space_of(address, in->space);
    if (!ptx_native_is_checked(n))
        return NULL;
    const bool is_generic = space == PTX_SPACE_GENERIC && e->plan->has_windows;
    if (is_generic || space == PTX_SPACE_LOCAL || ptx_check_finds_parameter(e, space, address)) {
        ptx_refuse(e, "an access of this space is checked thread by thread");
        return NULL;
    }
    if (space == PTX_SPACE_PARAM)
        return NULL;
    struct ptx_checked *c = ptx_arena_take(e->arena, sizeof *c);
    const struct ptx_access access = {
        .kind = (uint8_t)kind,
        .space = space == PTX_SPACE_GENERIC ? (uint8_t)PTX_SPACE_GLOBAL : space,
        .is_volatile = ptx_is_volatile(in),
        .address = address,
        .type = in->types[0],
        .width = in->width};
    return ptx_check_lanes(e, &access, c) ? c : NULL;
}

/* Words of global memory, or two at once, side by side, that are looked at in all ways. */
static uint64_t ways_of_line(const struct ptx_native *n, const struct ptx_checked *c,
                             int64_t stride)
{
    const uint64_t ways = ways_of(n, c), looks = PTX_NATIVE_LOOKS | PTX_NATIVE_RACES;
    const bool are_words = (stride == 4 || stride == 8) && CLEM_CHECK_BYTES(c->what) == stride &&
                           CLEM_CHECK_SPACE(c->what) == CLEM_CHECK_GLOBAL &&
                           CLEM_CHECK_KIND(c->what) != CLEM_CHECK_ATOMIC;
    const bool is_plain = (ways & (looks | PTX_NATIVE_TELLS | PTX_NATIVE_FIRST)) == looks;
    return ways | (are_words && is_plain ? (uint64_t)PTX_NATIVE_WORDS : 0);
}

/* Whether it is one for clem_native_check_shared(). */
static bool is_row_of_shared(const struct ptx_checked *c, uint64_t ways, int64_t stride)
{
    const uint64_t looks = PTX_NATIVE_LOOKS | PTX_NATIVE_RACES,
                   bars = PTX_NATIVE_TELLS | PTX_NATIVE_FIRST;
    const uint32_t bytes = CLEM_CHECK_BYTES(c->what);
    return CLEM_CHECK_SPACE(c->what) == CLEM_CHECK_SHARED && (ways & (looks | bars)) == looks &&
           CLEM_CHECK_KIND(c->what) != CLEM_CHECK_ATOMIC && bytes >= 4 &&
           (stride == 0 || stride == (int64_t)bytes);
}

/* Lanes' first places of both half warps. */
struct line {
    const char *first, *second;
    int64_t stride;
};

static const char *call(struct ptx_native *n, const struct ptx_native_transfer *t, const char *name,
                        const char *told, const struct line *line)
{
    ptx_native_declare(n, "declare i64 @clem_native_check_%s(i64, i64, i64, i32, i64, i64, i64)",
                       name);
    return ptx_native_emit(n,
                           "call i64 @clem_native_check_%s(i64 %%launch, i64 %%state, i64 %s, i32 "
                           "%s, i64 %s, i64 %s, i64 %s)",
                           name, told, t->lanes, line->first, line->second, list_number(n));
}

/* Unless the block does what the one before did, which nobody is told. */
static const char *call_shared(struct ptx_native *n, const struct ptx_native_transfer *t,
                               const char *told, const struct line *line)
{
    struct ptx_native_course course;
    const char *is =
        ptx_native_takes_course(n, t, told, line->first, line->second, line->stride, &course);
    const char *on = ptx_native_name(n, "course"), *ask = ptx_native_name(n, "leave"),
               *end = ptx_native_name(n, "row");
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s, !prof !1", is, on, ask);
    ptx_native_label(n, on);
    ptx_native_go_on_in_course(n, &course);
    ptx_native_jump(n, end);
    ptx_native_label(n, ask);
    if (t->checked->has_value)
        give(n, OF_LIST(values), t->values[0]);
    const char *elsewhere = call(n, t, "shared", told, line);
    ptx_native_jump(n, end);
    ptx_native_label(n, end);
    return ptx_native_emit(n, "phi i64 [0, %%%s], [%s, %%%s]", on, elsewhere, ask);
}

static const char *call_line(struct ptx_native *n, const struct ptx_native_transfer *t,
                             const struct line *line, uint64_t more)
{
    const uint64_t ways = ways_of_line(n, t->checked, line->stride) | more;
    const char *told = told_text(n, t->checked, ways, line->stride);
    const bool is_shared = is_row_of_shared(t->checked, ways, line->stride);
    if (is_shared && t->at.base)
        return call_shared(n, t, told, line);
    if (t->checked->has_value)
        give(n, OF_LIST(values), t->values[0]);
    return call(n, t, ways & PTX_NATIVE_SEEN ? "still" : is_shared ? "shared" : "line", told, line);
}

/* Of stores that have values those have been given. */
static const char *call_list(struct ptx_native *n, const struct ptx_checked *checked,
                             struct ptx_native_value addresses, const char *lanes)
{
    give(n, OF_LIST(addresses), addresses);
    ptx_native_declare(n, "declare i64 @clem_native_check_list(i64, i64, i64, i32, i64)");
    return ptx_native_emit(
        n,
        "call i64 @clem_native_check_list(i64 %%launch, i64 %%state, i64 %s, i32 "
        "%s, i64 %s)",
        told_text(n, checked, ways_of(n, checked), 0), lanes, list_number(n));
}

static const char *call_on_line(struct ptx_native *n, const struct ptx_native_transfer *t,
                                uint64_t more)
{
    struct line line = {.first = ptx_native_line_start(n, &t->at, 0),
                        .stride = ptx_native_stride_of(&t->at)};
    line.second = t->at.term.line.is_whole
                      ? ptx_native_emit(n, "add i64 %s, %lld", line.first,
                                        (long long)line.stride * (PTX_NATIVE_LANES / 2))
                      : ptx_native_line_start(n, &t->at, 1);
    return call_line(n, t, &line, more);
}

static const char *call_on_list(struct ptx_native *n, const struct ptx_native_transfer *t)
{
    if (t->checked->has_value)
        give(n, OF_LIST(values), t->values[0]);
    return call_list(n, t->checked, ptx_native_full_address(n, t->at), t->lanes);
}

/* more: ways of lines. */
static const char *call_host(struct ptx_native *n, const struct ptx_native_transfer *t,
                             uint64_t more)
{
    if (!t->at.offset.is_vector) {
        const char *at = ptx_native_full_address(n, t->at).text;
        return call_line(n, t, &(const struct line){at, at, 0}, more);
    }
    if (!t->at.is_line)
        return call_on_list(n, t);
    const char *is_straight = ptx_native_is_straight(n, &t->at.term);
    if (!is_straight)
        return call_on_line(n, t, more);
    const char *line = ptx_native_name(n, "line"), *list = ptx_native_name(n, "list"),
               *end = ptx_native_name(n, "told");
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s, !prof !1", is_straight, line, list);
    ptx_native_label(n, line);
    const char *by_line = call_on_line(n, t, more), *behind = n->flow->block;
    ptx_native_jump(n, end);
    ptx_native_label(n, list);
    const char *by_list = call_on_list(n, t);
    ptx_native_jump(n, end);
    ptx_native_label(n, end);
    return ptx_native_emit(n, "phi i64 [%s, %%%s], [%s, %%%s]", by_line, behind, by_list, list);
}

const char *ptx_native_check_transfer(struct ptx_native *n, const struct ptx_native_transfer *t)
{
    const char *is_right = is_of_still(n, t->checked)
                               ? ptx_native_seen_still(n, t, n->flow->told_count % CLEM_CHECK_STILL)
                               : ptx_native_seen_calm(n, t);
    if (!is_right)
        return call_host(n, t, 0);
    const uint64_t more = is_of_still(n, t->checked) ? (uint64_t)PTX_NATIVE_SEEN : 0;
    const char *before = n->flow->block, *ask = ptx_native_name(n, "ask"),
               *end = ptx_native_name(n, "seen");
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s, !prof !1", is_right, end, ask);
    ptx_native_label(n, ask);
    const char *told = call_host(n, t, more), *after = n->flow->block;
    ptx_native_jump(n, end);
    ptx_native_label(n, end);
    return ptx_native_emit(n, "phi i64 [0, %%%s], [%s, %%%s]", before, told, after);
}

bool ptx_native_is_done_by_host(const struct ptx_native_transfer *t)
{
    return t->checked->has_value;
}

struct ptx_native_value ptx_native_check_atomic(struct ptx_native *n,
                                                const struct ptx_instruction *in,
                                                const struct ptx_operand *operand,
                                                struct ptx_native_value address)
{
    const struct ptx_checked *c = ptx_native_checked(n, in, PTX_ACCESS_ATOMIC, operand);
    if (!c)
        return address;
    (void)call_list(n, c, address, ptx_native_guarded(n, in));
    return ptx_native_listed(n, !address.is_vector);
}

/* ---- What has no memory ---- */

static const char *told_of(struct ptx_native *n, unsigned kind, unsigned scope)
{
    const struct ptx_instruction *in = n->e->instruction;
    const struct ptx_checked c = {
        .what =
            kind |
            (kind == CLEM_CHECK_BARRIER || kind == CLEM_CHECK_WARP ? 0u : CLEM_CHECK_GLOBAL << 8) |
            (uint64_t)scope << 20 | (uint64_t)in->order << 16,
        .site = (uint64_t)in->location << 32 | in->line};
    return told_text(n, &c, PTX_NATIVE_TELLS, 0);
}

void ptx_native_check_fence(struct ptx_native *n, const struct ptx_instruction *in)
{
    if (!ptx_native_is_checked(n))
        return;
    ptx_native_declare(n, "declare void @clem_native_check_each(i64, i64, i64, i32)");
    ptx_native_do(n, "call void @clem_native_check_each(i64 %%launch, i64 %%state, i64 %s, i32 %s)",
                  told_of(n, CLEM_CHECK_FENCE, in->scope), ptx_native_guarded(n, in));
}

/* Whether warps that have all come to one barrier go on without the runtime, which else tells of that. */
static bool go_on_by_themselves(const struct ptx_native *n)
{
    return !n->flow->is_quiet && !n->flow->ticket;
}

void ptx_native_check_meeting(struct ptx_native *n)
{
    if (!ptx_native_is_checked(n) || !go_on_by_themselves(n))
        return;
    ptx_native_declare(n, "declare void @clem_native_check_meeting(i64, i64)");
    ptx_native_do(n, "call void @clem_native_check_meeting(i64 %%launch, i64 %%state)");
}

void ptx_native_check_barrier(struct ptx_native *n, const struct ptx_instruction *in)
{
    if (!ptx_native_is_checked(n))
        return;
    const uint64_t site = (uint64_t)in->location << 32 | in->line;
    const char *at = ptx_native_emit(n, "add i64 %%state, %zu", OF_BLOCK(met));
    ptx_native_do(n, "store i64 %llu, %s %s", (unsigned long long)site,
                  ptx_native_pointer_type(n, "i64"), ptx_native_pointer(n, "i64", at));
    if (!go_on_by_themselves(n))
        ptx_native_store_word(n, "%mixed", "1");
}

void ptx_native_check_turn(struct ptx_native *n)
{
    if (!ptx_native_is_checked(n))
        return;
    const char *first = ptx_native_emit(n, "shl i32 %%state.%zu, 5", OF_BLOCK(warp));
    const char *at = ptx_native_emit(n, "add i64 %%state, %zu", OF_BLOCK(thread));
    ptx_native_store_word(n, ptx_native_pointer(n, "i32", at), first);
}

/* ---- Values ---- */

/* Jumps to a block for what is done where values are followed; behind it the text goes on at what this returns. */
static const char *begin_followed(struct ptx_native *n)
{
    const char *follow = ptx_native_name(n, "follow"), *go_on = ptx_native_name(n, "on");
    const char *checked =
        ptx_native_of_launch(n, offsetof(struct ptx_native_launch, checked), "i64");
    const char *at = ptx_native_emit(n, "add i64 %s, %zu", checked,
                                     offsetof(struct clem_check_launch, followed));
    const char *count =
        ptx_native_emit(n, "load volatile i64, %s %s", ptx_native_pointer_type(n, "i64"),
                        ptx_native_pointer(n, "i64", at));
    const char *is_none = ptx_native_emit(n, "icmp eq i64 %s, 0", count);
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s, !prof !1", is_none, go_on, follow);
    ptx_native_label(n, follow);
    return go_on;
}

static void end_followed(struct ptx_native *n, const char *go_on)
{
    ptx_native_jump(n, go_on);
    ptx_native_label(n, go_on);
}

static void call_flows(struct ptx_native *n, const char *text, const char *lanes)
{
    ptx_native_declare(n, "declare void @clem_native_check_flows(i64, i64, i64, i32)");
    ptx_native_do(n,
                  "call void @clem_native_check_flows(i64 %%launch, i64 %%state, i64 %s, i32 %s)",
                  string(n, text), lanes);
}

static const char *choosing_lanes(struct ptx_native *n, const struct ptx_operand *predicate)
{
    const bool is_vector = n->is_vector;
    n->is_vector = true;
    const char *lanes = ptx_native_lanes(n, ptx_native_read(n, predicate, PTX_PRED));
    n->is_vector = is_vector;
    return lanes;
}

/* Of `lanes` those that a text is for; holds: those where the predicates hold. */
static const char *lanes_of_text(struct ptx_native *n, const char *const holds[2], unsigned text,
                                 const char *lanes)
{
    for (unsigned i = 0; i < 2 && holds[i]; i++) {
        const char *own = holds[i];
        if (text >> i & 1)
            own = ptx_native_emit(n, "xor i32 %s, -1", own);
        lanes = ptx_native_emit(n, "and i32 %s, %s", own, lanes);
    }
    return lanes;
}

void ptx_native_check_values(struct ptx_native *n, const struct ptx_instruction *in)
{
    struct ptx_emitter *e = n->e;
    const struct ptx_instruction *const own =
        &e->function->instructions[in - n->flow->function->instructions];
    struct ptx_check_choice choice;
    if (!ptx_native_is_checked(n))
        return;
    e->instruction = own;
    ptx_check_flows(e, own, &choice);
    e->instruction = in;
    if (!choice.texts[0])
        return;
    const char *lanes = ptx_native_guarded(n, in);
    const char *holds[2] = {NULL, NULL};
    for (unsigned i = 0; i < 2 && choice.by[i] != 0; i++)
        holds[i] = choosing_lanes(n, &in->operands[choice.by[i]]);
    const char *go_on = begin_followed(n);
    for (unsigned i = PTX_CHECK_CHOICES; i-- > 0;)
        if (choice.texts[i])
            call_flows(n, choice.texts[i], lanes_of_text(n, holds, i, lanes));
    end_followed(n, go_on);
}

/* ---- Lanes that do something together ---- */

/* Whether a mask names just the lanes that are there, and all that live, which is right: an i1; NULL: it does. */
static const char *names_all(struct ptx_native *n, const struct ptx_operand *mask, const char *live)
{
    const char *is_live = NULL, *are_named = NULL;
    if (strcmp(live, n->flow->mask) != 0)
        is_live = ptx_native_emit(n, "icmp eq i32 %s, %s", live, n->flow->mask);
    if ((uint32_t)mask->bits != UINT32_MAX || strcmp(n->flow->mask, "-1") != 0)
        are_named =
            ptx_native_emit(n, "icmp eq i32 %s, %d", n->flow->mask, (int)(int32_t)mask->bits);
    return is_live && are_named ? ptx_native_emit(n, "and i1 %s, %s", is_live, are_named)
           : is_live            ? is_live
                                : are_named;
}

static void tell_members(struct ptx_native *n, const struct ptx_instruction *in,
                         const struct ptx_operand *mask, const char *live)
{
    const bool is_constant = mask->kind == PTX_OPERAND_INTEGER;
    n->is_vector = true;
    if (!is_constant)
        give(n, OF_LIST(values), ptx_native_read(n, mask, PTX_U32));
    ptx_native_declare(n,
                       "declare void @clem_native_check_warp(i64, i64, i64, i32, i32, i32, i64)");
    ptx_native_do(
        n,
        "call void @clem_native_check_warp(i64 %%launch, i64 %%state, i64 %s, i32 %s, i32 "
        "%s, i32 %d, i64 %s)",
        told_of(n, CLEM_CHECK_WARP, in->scope), n->flow->mask, live,
        is_constant ? (int)(int32_t)(uint32_t)mask->bits : 0, is_constant ? "0" : list_number(n));
}

void ptx_native_check_members(struct ptx_native *n, const struct ptx_instruction *in,
                              const struct ptx_operand *mask, bool is_again)
{
    if (!ptx_native_is_checked(n) || !ptx_checks_meetings(n->e) || !mask)
        return;
    const char *live =
        n->flow->is_divergent ? ptx_native_of_block(n, OF_BLOCK(lanes), "i32") : n->flow->mask;
    if (!is_again) {
        tell_members(n, in, mask, live);
        return;
    }
    const char *is_right = names_all(n, mask, live);
    if (!is_right)
        return;
    const char *tell = ptx_native_name(n, "members"), *end = ptx_native_name(n, "met");
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s, !prof !1", is_right, end, tell);
    ptx_native_label(n, tell);
    tell_members(n, in, mask, live);
    ptx_native_jump(n, end);
    ptx_native_label(n, end);
}

void ptx_native_check_exchange(struct ptx_native *n, const struct ptx_instruction *in,
                               struct ptx_native_value from)
{
    const unsigned first = ptx_destination_count(in);
    const bool is_shuffle = in->opcode == PTX_OPCODE_shfl;
    if (!ptx_native_is_checked(n) || !ptx_check_exchanges(n->e, in))
        return;
    const char *text = ptx_check_exchanged(n->e, in, &in->operands[first],
                                           is_shuffle ? &in->operands[first + 1] : NULL);
    const char *go_on = begin_followed(n);
    give(n, OF_LIST(values), from);
    ptx_native_declare(
        n, "declare void @clem_native_check_exchange(i64, i64, i64, i64, i32, i32, i64)");
    ptx_native_do(
        n,
        "call void @clem_native_check_exchange(i64 %%launch, i64 %%state, i64 %s, i64 %s, "
        "i32 %s, i32 %d, i64 %s)",
        told_of(n, CLEM_CHECK_EXCHANGE, in->scope), string(n, text), n->flow->mask,
        is_shuffle ? 0 : 1, list_number(n));
    end_followed(n, go_on);
}
