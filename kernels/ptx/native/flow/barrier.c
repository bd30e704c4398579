/* Barriers of the block in the native form: where a warp leaves its function, and enters it again.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <string.h>

#include "kernels/ptx/host/runtime.h"
#include "kernels/ptx/native/native_flow.h"

/* ---- The frame ---- */

/* The frame keeps what it has of lanes that are not here. */
static const char *blended(struct ptx_native *n, const char *type, const char *value, bool is_mask,
                           const char *p, unsigned alignment)
{
    const char *old = ptx_native_emit(n, "load %s, %s %s, align %u", type,
                                      ptx_native_pointer_type(n, type), p, alignment);
    if (is_mask)
        return ptx_native_blended_words(n, value, old);
    const char *here = ptx_native_emit(n, "bitcast i32 %s to <32 x i1>", n->flow->mask);
    return ptx_native_emit(n, "select <32 x i1> %s, %s %s, %s %s", here, type, value, type, old);
}

static void move_line(struct ptx_native *n, uint32_t index, bool is_saved)
{
    for (unsigned i = 0; i < ptx_native_line_places(n, index); i++) {
        const char *type = ptx_native_line_type(n, index, i),
                   *pt = ptx_native_pointer_type(n, type);
        const char *p = ptx_native_frame_place(n, index, 8 * (size_t)i, type),
                   *place = ptx_native_line_place(n, index, i);
        const char *value = ptx_native_emit(n, "load %s, %s %s", type, pt, is_saved ? place : p);
        ptx_native_do(n, "store %s %s, %s %s", type, value, pt, is_saved ? p : place);
    }
}

/* ---- Values of the block ---- */

static const char *place_of_block(struct ptx_native *n, uint32_t index)
{
    return ptx_format(n->e, "%%block.of.%u", (unsigned)index);
}

static void copy(struct ptx_native *n, uint32_t index, const char *from, const char *to)
{
    const char *type = ptx_native_place_type(n, index), *p = ptx_native_pointer_type(n, type);
    ptx_native_do(n, "store %s %s, %s %s", type,
                  ptx_native_emit(n, "load %s, %s %s", type, p, from), p, to);
}

static void take_of_block(struct ptx_native *n, uint32_t index)
{
    copy(n, index, place_of_block(n, index), ptx_native_place(n, index, 0));
}

/* Whichever warp was last, it has what all have. */
void ptx_native_keep_of_block(struct ptx_native *n)
{
    const struct ptx_native_flow *f = n->flow;
    for (uint32_t r = 0; r < f->function->register_count; r++)
        if (f->is_of_block[r])
            copy(n, r, ptx_native_place(n, r, 0), place_of_block(n, r));
}

void ptx_native_declare_of_block(struct ptx_native *n)
{
    const struct ptx_native_flow *f = n->flow;
    for (uint32_t r = 0; r < f->function->register_count; r++)
        if (f->is_of_block[r])
            ptx_native_do(n, "%s = alloca %s", place_of_block(n, r), ptx_native_place_type(n, r));
}

/* ---- Registers ---- */

static void move_register(struct ptx_native *n, uint32_t index, unsigned part, bool is_saved)
{
    if (n->flow->is_framed[index])
        return;
    if (n->flow->is_of_block[index]) {
        if (!is_saved)
            take_of_block(n, index);
        return;
    }
    if (ptx_native_is_line(n, index)) {
        if (part == 0)
            move_line(n, index, is_saved);
        return;
    }
    const char *type = ptx_native_place_type(n, index), *pt = ptx_native_pointer_type(n, type);
    const bool is_uniform = ptx_native_is_uniform(n, index);
    const bool is_mask = n->flow->function->registers[index].type == PTX_PRED && !is_uniform;
    const size_t bytes =
        is_uniform
            ? 16
            : 32 * (ptx_native_bits((enum ptx_type)n->flow->function->registers[index].type) + 7) /
                  8;
    const char *p = ptx_native_frame_place(n, index, part * bytes, type);
    const char *place = ptx_native_place(n, index, part);
    const unsigned alignment = is_uniform ? 16 : is_mask ? 4 : 32;
    if (is_saved) {
        const char *value = ptx_native_emit(n, "load %s, %s %s", type, pt, place);
        if (n->flow->is_late[n->flow->node] && !is_uniform)
            value = blended(n, type, value, is_mask, p, alignment);
        ptx_native_do(n, "store %s %s, %s %s, align %u", type, value, pt, p, alignment);
        return;
    }
    const char *value = ptx_native_emit(n, "load %s, %s %s, align %u", type, pt, p, alignment);
    ptx_native_do(n, "store %s %s, %s %s", type, value, pt, place);
}

void ptx_native_save(struct ptx_native *n, uint32_t index, unsigned part)
{
    move_register(n, index, part, true);
}

/* Whether the frame has it. */
static bool is_there(const struct ptx_native_flow *f, uint32_t index)
{
    const bool *changed = f->is_changed ? f->is_changed[f->node] : NULL;
    return f->is_kept[index] || (changed && !changed[index]);
}

static void move_registers(struct ptx_native *n, bool is_saved)
{
    const struct ptx_native_flow *f = n->flow;
    for (uint32_t i = 0; i < f->function->register_count; i++)
        for (unsigned part = 0;
             f->has_place[i] && ptx_flow_is_live(f->graph, f->node, i) && !f->is_remade[i] &&
             !(is_saved && is_there(f, i)) && part < ptx_native_parts(n, i);
             part++)
            move_register(n, i, part, is_saved);
}

void ptx_native_save_at(struct ptx_native *n, int32_t node)
{
    n->flow->node = node;
    move_registers(n, true);
}

void ptx_native_restore_at(struct ptx_native *n, int32_t node)
{
    n->flow->node = node;
    move_registers(n, false);
}

static bool is_in_frame(const struct ptx_native_flow *f, uint32_t index, const bool *which)
{
    return which[index] && f->has_place[index] && !f->is_remade[index];
}

void ptx_native_save_all(struct ptx_native *n, const bool *which, const bool *is_set, bool set)
{
    const struct ptx_native_flow *f = n->flow;
    for (uint32_t i = 0; i < f->function->register_count; i++)
        for (unsigned part = 0; is_in_frame(f, i, which) && is_set[i] == set && !f->is_kept[i] &&
                                part < ptx_native_parts(n, i);
             part++)
            move_register(n, i, part, true);
}

void ptx_native_restore(struct ptx_native *n, const bool *which)
{
    struct ptx_native_flow *f = n->flow;
    for (uint32_t i = 0; i < f->function->register_count; i++)
        for (unsigned part = 0; is_in_frame(f, i, which) && part < ptx_native_parts(n, i); part++)
            move_register(n, i, part, false);
    f->stamp++;
    n->carry.text = NULL;
    f->is_entering = true;
    ptx_native_remake_of(n, which);
    f->put_back(n);
    f->is_entering = false;
}

/* ---- What the frame has already ---- */

/* Whether warps may rest at a barrier while the first has its turn. */
static bool is_rested_at(const struct ptx_native_flow *f, int32_t site)
{
    bool is = false;
    for (size_t i = 0; f->has_rests && i < f->graph->reachable; i++) {
        const struct ptx_native_rest *rest = &f->rests[f->graph->order[i]];
        is |= rest->compared && rest->site == site;
    }
    return is;
}

/* Whether a warp may go on at a barrier with what it has, and nothing of it in the frame. */
static bool may_go_on_alone(const struct ptx_native_flow *f, const struct ptx_instruction *in,
                            int32_t site)
{
    return f->is_full && ptx_native_is_plain_barrier(f, in) && is_rested_at(f, site);
}

static void note_change(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    ((bool *)with)[index] = true;
}

/* Whether lanes of a warp may come there one by one: some are noted in the frame while others go on. */
static bool is_apart(const struct ptx_native_flow *f, int32_t node)
{
    return f->is_parted && f->sites[node] > 0 && f->uniform.is_divergent[node];
}

/* What may be changed at a node's end, of what may be at its start. */
static void find_changed_behind(const struct ptx_native_flow *f, int32_t node, const bool *before,
                                bool *behind)
{
    const struct ptx_node *range = &f->graph->nodes[node];
    const struct ptx_instruction *first = &f->function->instructions[range->first];
    const int32_t site = f->sites[node];
    const bool is_taken = site > 0 && !is_apart(f, node) && !may_go_on_alone(f, first, site);
    for (uint32_t r = 0; r < f->function->register_count; r++)
        behind[r] = before[r] && !is_taken;
    for (uint32_t i = range->first; i < range->end; i++)
        ptx_flow_writes(&f->function->instructions[i], note_change, behind);
}

/* Behind a barrier a warp has what the frame has, until it sets something: at the next one only that is to be stored. Where lanes may
 * part, at a place that they come to one by one those store it that wait, and the others have it still to store; what none has set
 * the frame has for all of them. */
void ptx_native_find_changed(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    const size_t count = f->function->register_count;
    if (f->barrier_count == 0)
        return;
    bool *behind = ptx_arena_take(n->e->arena, count + 1), has_more = true;
    f->is_changed = ptx_arena_array(n->e->arena, f->graph->count + 1, sizeof *f->is_changed);
    for (size_t i = 0; i < f->graph->count; i++)
        f->is_changed[i] = ptx_arena_take(n->e->arena, count + 1);
    memset(f->is_changed[f->graph->order[0]], true, count);
    while (has_more) {
        has_more = false;
        for (size_t i = 0; i < f->graph->reachable; i++) {
            const int32_t node = f->graph->order[i];
            const struct ptx_node *range = &f->graph->nodes[node];
            ptx_steps(n->e->arena, count);
            find_changed_behind(f, node, f->is_changed[node], behind);
            for (uint32_t j = 0; j < range->next_count; j++)
                for (uint32_t r = 0; r < count; r++) {
                    bool *there = &f->is_changed[range->next[j]][r];
                    has_more |= behind[r] && !*there;
                    *there |= behind[r];
                }
        }
    }
}

/* ---- Barriers ---- */

bool ptx_native_ends_leg(const struct ptx_native_flow *f, const struct ptx_instruction *in)
{
    return f->has_legs && ptx_is_barrier(in) && f->sites[f->node] != f->leg;
}

static struct ptx_native_value number_of(struct ptx_native *n, const struct ptx_operand *o)
{
    n->is_vector = false;
    return ptx_native_read(n, o, PTX_U32);
}

static void tell(struct ptx_native *n, size_t at, const char *value)
{
    if (n->flow->is_quiet || (at == offsetof(struct ptx_native_turn, lanes) && n->flow->is_full))
        return;
    ptx_native_do(n, "store i32 %s, %s %s", value, ptx_native_pointer_type(n, "i32"),
                  ptx_native_of_turn(n, at));
}

/* What of a barrier's operands is the number, the count (0: none), and of a reduction the predicate. */
struct parts {
    uint32_t number, count, predicate;
};

static struct parts parts_of(const struct ptx_instruction *in)
{
    if (!ptx_barrier_reduces(in))
        return (struct parts){0, in->operand_count > 1 ? 1 : 0, 0};
    return (struct parts){1, in->operand_count > 3 ? 2 : 0, in->operand_count > 3 ? 3 : 2};
}

static void take_result(struct ptx_native *n, const struct ptx_instruction *in)
{
    const uint8_t operation = in->operation == PTX_OP_RED ? in->second_operation : in->operation;
    const char *result = ptx_native_of_block(n, offsetof(struct ptx_native_block, result), "i32");
    const char *votes = ptx_native_emit(n, "and i32 %s, 65535", result);
    if (operation == PTX_OP_POPC) {
        ptx_native_set(n, in, &in->operands[0], PTX_U32, ptx_native_number(n, 32, votes));
        return;
    }
    const char *all = ptx_native_emit(n, "lshr i32 %s, 16", result);
    const char *holds = operation == PTX_OP_AND
                            ? ptx_native_emit(n, "icmp eq i32 %s, %s", votes, all)
                            : ptx_native_emit(n, "icmp ne i32 %s, 0", votes);
    ptx_native_set(n, in, &in->operands[0], PTX_PRED, ptx_native_number(n, 1, holds));
}

/* What lanes wait for, told by `to`; false: refused. */
static bool tell_barrier(struct ptx_native *n, const struct ptx_instruction *in,
                         void (*to)(struct ptx_native *n, size_t at, const char *value),
                         const size_t places[4])
{
    const struct parts parts = parts_of(in);
    const char *votes = "0";
    if (in->operand_count <= parts.number || in->operand_count <= parts.predicate) {
        ptx_refuse(n->e, "a barrier without a number");
        return false;
    }
    if (parts.predicate) {
        n->is_vector = true;
        const struct ptx_native_value p =
            ptx_native_read(n, &in->operands[parts.predicate], PTX_PRED);
        votes = ptx_native_emit(n, "and i32 %s, %s", ptx_native_lanes(n, p), n->flow->mask);
    }
    const char *number = number_of(n, &in->operands[parts.number]).text;
    to(n, places[1], ptx_native_emit(n, "and i32 %s, 15", number));
    to(n, places[2], parts.count ? number_of(n, &in->operands[parts.count]).text : "0");
    to(n, places[3], votes);
    to(n, places[0], n->flow->mask);
    return true;
}

static void tell_whole(struct ptx_native *n, const struct ptx_instruction *in)
{
    static const size_t places[4] = {
        offsetof(struct ptx_native_turn, lanes), offsetof(struct ptx_native_turn, number),
        offsetof(struct ptx_native_turn, count), offsetof(struct ptx_native_turn, votes)};
    tell_barrier(n, in, tell, places);
}

/* ---- Sites of lanes that wait while others go on ---- */

static const char *site_word(struct ptx_native *n, int32_t site, size_t at)
{
    const char *frame = ptx_native_of_block(n, offsetof(struct ptx_native_block, frame), "i64");
    const char *address = ptx_native_emit(n, "add i64 %s, %zu", frame,
                                          ((size_t)site - 1) * sizeof(struct ptx_native_site) + at);
    return ptx_native_pointer(n, "i32", address);
}

static const char *load_site(struct ptx_native *n, int32_t site)
{
    return ptx_native_emit(n, "load i32, %s %s", ptx_native_pointer_type(n, "i32"),
                           site_word(n, site, 0));
}

/* Lanes are added, all else is as it is told last. */
static void tell_site(struct ptx_native *n, size_t at, const char *value)
{
    const int32_t site = n->flow->sites[n->flow->node];
    if (at == 0 || at == offsetof(struct ptx_native_site, votes)) {
        const char *before = ptx_native_emit(
            n, "load i32, %s %s", ptx_native_pointer_type(n, "i32"), site_word(n, site, at));
        if (at != 0) { /* of those that were there before */
            const char *there = load_site(n, site);
            before = ptx_native_emit(n, "and i32 %s, %s", before, there);
        }
        value = ptx_native_emit(n, "or i32 %s, %s", before, value);
    }
    ptx_native_do(n, "store i32 %s, %s %s", value, ptx_native_pointer_type(n, "i32"),
                  site_word(n, site, at));
}

static struct ptx_native_value members_of(struct ptx_native *n, const struct ptx_operand *o)
{
    n->is_vector = true;
    return ptx_native_read(n, o, PTX_U32);
}

/* Whom lanes wait for: each its own, behind the sites. */
static void tell_members(struct ptx_native *n, const struct ptx_operand *o)
{
    const char *p = ptx_native_pointer_type(n, "<32 x i32>");
    const char *frame = ptx_native_of_block(n, offsetof(struct ptx_native_block, frame), "i64");
    const char *at = ptx_native_emit(n, "add i64 %s, %zu", frame,
                                     (size_t)n->flow->site_count * sizeof(struct ptx_native_site));
    const char *place = ptx_native_pointer(n, "<32 x i32>", at);
    const char *members = members_of(n, o).text;
    const char *lanes = ptx_native_emit(n, "bitcast i32 %s to <32 x i1>", n->flow->mask);
    const char *others = ptx_native_emit(n, "load <32 x i32>, %s %s, align 4", p, place);
    const char *all = ptx_native_emit(n, "select <32 x i1> %s, <32 x i32> %s, <32 x i32> %s", lanes,
                                      members, others);
    ptx_native_do(n, "store <32 x i32> %s, %s %s, align 4", all, p, place);
}

static void tell_of_site(struct ptx_native *n, const struct ptx_instruction *in)
{
    static const size_t places[4] = {
        offsetof(struct ptx_native_site, lanes), offsetof(struct ptx_native_site, number),
        offsetof(struct ptx_native_site, count), offsetof(struct ptx_native_site, votes)};
    const struct ptx_native_flow *f = n->flow;
    if (f->meets[f->node]) {
        tell_site(n, places[1], ptx_format(n->e, "%d", PTX_NATIVE_MEETING));
        tell_site(n, places[2], "0");
        tell_members(n, ptx_native_members(n, in));
        tell_site(n, places[0], f->mask);
        return;
    }
    if (!f->waits[f->node]) {
        tell_barrier(n, in, tell_site, places);
        return;
    }
    tell_site(n, places[1], ptx_format(n->e, "%d", PTX_NATIVE_TURN));
    tell_site(n, places[2], "0");
    tell_site(n, places[0], f->mask);
}

void ptx_native_clear_sites(struct ptx_native *n)
{
    for (int32_t i = 1; i <= n->flow->site_count; i++)
        ptx_native_store_word(n, site_word(n, i, 0), "0");
}

/* Takes from the frame what lives at sites that lanes may come to apart. */
static void restore_apart(struct ptx_native *n)
{
    const struct ptx_native_flow *f = n->flow;
    const size_t count = f->function->register_count;
    bool *lives = ptx_arena_take(n->e->arena, count + 1);
    for (int32_t i = 1; i <= f->site_count; i++) {
        const int32_t node = ptx_native_node_of_site(f, i);
        ptx_steps(n->e->arena, count);
        for (uint32_t r = 0; f->uniform.is_divergent[node] && r < count; r++)
            lives[r] |= f->is_across[r] && ptx_flow_is_live(f->graph, node, r);
    }
    for (uint32_t r = 0; r < count; r++)
        for (unsigned part = 0; lives[r] && part < ptx_native_parts(n, r); part++)
            move_register(n, r, part, false);
}

/* Sites that lanes come to in step are gone on from by all that live, and take their registers themselves. */
void ptx_native_enter_again(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    const char *lanes = ptx_native_of_block(n, offsetof(struct ptx_native_block, lanes), "i32");
    for (int32_t i = 1; i <= f->site_count; i++) {
        if (f->uniform.is_divergent[ptx_native_node_of_site(f, i)])
            continue;
        const char *all = ptx_native_name(n, "all"), *rest = ptx_native_name(n, "rest");
        const char *there = load_site(n, i);
        const char *go = ptx_native_emit(n, "and i32 %s, %s", there, lanes);
        const char *is_here = ptx_native_emit(n, "icmp ne i32 %s, 0", go);
        ptx_native_do(n, "br i1 %s, label %%%s, label %%%s", is_here, all, rest);
        ptx_native_label(n, all);
        ptx_native_store_word(n, site_word(n, i, 0),
                              ptx_native_emit(n, "xor i32 %s, %s", there, go));
        ptx_native_jump(n, ptx_format(n->e, "S%d", (int)i));
        ptx_native_label(n, rest);
    }
    restore_apart(n);
    for (int32_t i = 1; i <= f->site_count; i++) {
        const int32_t node = ptx_native_node_of_site(f, i);
        if (!f->uniform.is_divergent[node])
            continue;
        const char *there = load_site(n, i);
        const char *go = ptx_native_emit(n, "and i32 %s, %s", there, lanes);
        ptx_native_store_word(n, site_word(n, i, 0),
                              ptx_native_emit(n, "xor i32 %s, %s", there, go));
        ptx_native_store_word(n, ptx_format(n->e, "%%w.%d", (int)node), go);
    }
    ptx_native_jump(n, ptx_format(n->e, "C%d", (int)f->graph->order[0]));
}

void ptx_native_return(struct ptx_native *n)
{
    const char *all = "0";
    for (int32_t i = 1; i <= n->flow->site_count; i++)
        all = ptx_native_emit(n, "or i32 %s, %s", all, load_site(n, i));
    const char *is_any = ptx_native_emit(n, "icmp ne i32 %s, 0", all);
    ptx_native_do(n, "ret i32 %s", ptx_native_emit(n, "zext i1 %s to i32", is_any));
}

enum { MOST_TURNS = 64 }; /* of a loop that waits, before others have theirs */

/* Those of whom all are here that they wait for go on; in the block `stay` the others, of whom there are some. */
static void pass_together(struct ptx_native *n, const struct ptx_instruction *in, const char *word,
                          const char *stay, const char *goes)
{
    struct ptx_native_flow *f = n->flow;
    const struct ptx_operand *o = ptx_native_members(n, in);
    const char *p = ptx_native_pointer_type(n, "<32 x i32>"), *passing = NULL;
    if (o->kind == PTX_OPERAND_INTEGER) {
        const char *others = ptx_native_emit(n, "xor i32 %s, -1", f->mask);
        const char *missing = ptx_native_emit(n, "and i32 %s, %s", number_of(n, o).text, others);
        const char *is_whole = ptx_native_emit(n, "icmp eq i32 %s, 0", missing);
        passing = ptx_native_emit(n, "select i1 %s, i32 %s, i32 0", is_whole, f->mask);
    } else {
        ptx_native_declare(n, "declare i32 @clem_native_gathered(i64, i32)");
        ptx_native_do(n, "store <32 x i32> %s, %s %%members", members_of(n, o).text, p);
        const char *list = ptx_native_emit(n, "ptrtoint %s %%members to i64", p);
        passing =
            ptx_native_emit(n, "call i32 @clem_native_gathered(i64 %s, i32 %s)", list, f->mask);
    }
    ptx_native_store_word(
        n, word, ptx_native_emit(n, "or i32 %s, %s", ptx_native_load_word(n, word), passing));
    f->mask = ptx_native_emit(n, "xor i32 %s, %s", f->mask, passing);
    const char *is_all = ptx_native_emit(n, "icmp eq i32 %s, 0", f->mask);
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s", is_all, goes, stay);
    ptx_native_label(n, stay);
}

static void write_wait(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    struct ptx_native *n = e->native;
    struct ptx_native_flow *f = n->flow;
    const int32_t node = f->node;
    const char *stay = ptx_native_name(n, "stay"), *goes = ptx_format(e, "G%d", (int)node);
    const char *turns = ptx_format(e, "%%t.%d", (int)node),
               *word = ptx_format(e, "%%w.%d", (int)node);
    if (f->waits[node]) {
        const char *spin = ptx_native_name(n, "spin");
        const char *turn = ptx_native_emit(n, "add i32 %s, 1", ptx_native_load_word(n, turns));
        ptx_native_store_word(n, turns, turn);
        const char *is_over = ptx_native_emit(n, "icmp ugt i32 %s, %d", turn, MOST_TURNS);
        ptx_native_do(n, "br i1 %s, label %%%s, label %%%s", is_over, stay, spin);
        ptx_native_label(n, spin);
        ptx_native_store_word(
            n, word, ptx_native_emit(n, "or i32 %s, %s", ptx_native_load_word(n, word), f->mask));
        ptx_native_jump(n, goes);
        ptx_native_label(n, stay);
    }
    if (f->meets[node])
        pass_together(n, in, word, stay, goes);
    move_registers(n, true);
    tell_of_site(n, in);
    ptx_native_jump(n, goes);
    f->stamp++;
    ptx_native_label(n, goes);
    const char *here = ptx_native_load_word(n, word);
    const char *body = ptx_native_name(n, "body");
    const char *is_none = ptx_native_emit(n, "icmp eq i32 %s, 0", here);
    ptx_native_do(n, "br i1 %s, label %%X%d, label %%%s", is_none, (int)node, body);
    ptx_native_label(n, body);
    ptx_native_store_word(n, word, "0");
    f->mask = here;
    if (ptx_is_barrier(in) && ptx_barrier_reduces(in))
        take_result(n, in);
}

void ptx_native_wait(struct ptx_native *n, const struct ptx_instruction *in)
{
    ptx_access(n->e, &(struct ptx_access){.kind = PTX_ACCESS_BARRIER, .write = write_wait});
    (void)in;
}

/* Where the first warp comes to a barrier, and all behind it rest there (rest.c), it goes on at once, with what it has. */
static void go_on_alone(struct ptx_native *n, int32_t site)
{
    const char *alone = ptx_native_name(n, "alone"), *park = ptx_native_name(n, "park");
    const char *warp = ptx_format(n->e, "%%state.%zu", offsetof(struct ptx_native_block, warp));
    const char *first = ptx_native_of_block(n, offsetof(struct ptx_native_block, first), "i32"),
               *together =
                   ptx_native_of_block(n, offsetof(struct ptx_native_block, is_together), "i32");
    const char *rests =
        ptx_native_emit(n, "icmp eq i32 %s, %d", ptx_native_load_word(n, "%rest"), (int)site);
    const char *is_first = ptx_native_emit(n, "icmp eq i32 %s, %s", warp, first);
    const char *are_all = ptx_native_emit(n, "icmp ne i32 %s, 0", together);
    const char *is_sole = ptx_native_emit(n, "and i1 %s, %s", is_first, are_all);
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s",
                  ptx_native_emit(n, "and i1 %s, %s", rests, is_sole), alone, park);
    ptx_native_label(n, alone);
    const int32_t to = ptx_native_go_solo(n);
    ptx_native_store_word(n, "%rest", to > 0 ? "-1" : "0");
    if (to > 0)
        ptx_native_store_word(n, "%site", ptx_format(n->e, "%d", (int)to));
    ptx_native_jump(n, to > 0 ? ptx_format(n->e, "J%d", (int)to) : "done");
    ptx_native_label(n, park);
}

static void write_barrier(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    struct ptx_native *n = e->native;
    struct ptx_native_flow *f = n->flow;
    const int32_t site = f->sites[f->node];
    const bool may_be_alone = !f->has_legs && may_go_on_alone(f, in, site);
    if (f->is_divergent) /* by write_wait() */
        return;
    if (may_be_alone)
        go_on_alone(n, site);
    const bool is_come_to = !f->has_legs || site != f->leg || f->leg_returns;
    if (is_come_to)
        move_registers(n, true);
    if (!is_come_to) {
        ptx_text_put(e->out, "  unreachable\n");
    } else if (f->is_parted) {
        tell_of_site(n, in);
        ptx_native_jump(n, ptx_format(e, "X%d", (int)f->node));
    } else {
        tell_whole(n, in);
        if (!f->has_legs || site != f->comes_to)
            ptx_native_store_word(n, "%came", ptx_format(e, "%d", (int)site));
        if (!ptx_native_is_plain_barrier(f, in))
            ptx_native_store_word(n, "%mixed", "1");
        ptx_native_check_barrier(n, in);
        ptx_native_jump(n, "arrived");
    }
    if (ptx_native_ends_leg(f, in))
        return;
    ptx_native_label(n, ptx_format(e, "S%d", (int)site));
    move_registers(n, false);
    if (may_be_alone) {
        ptx_native_jump(n, ptx_format(e, "J%d", (int)site));
        ptx_native_label(n, ptx_format(e, "J%d", (int)site));
    }
    f->mask =
        f->is_full ? "-1" : ptx_native_of_block(n, offsetof(struct ptx_native_block, lanes), "i32");
    f->stamp++;
    f->is_restored = !may_be_alone;
    n->carry.text = NULL;
    ptx_native_remake(n);
    if (ptx_barrier_reduces(in))
        take_result(n, in);
}

static void write_arrival(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    struct ptx_native *n = e->native;
    if (in->operand_count < 2) {
        ptx_refuse(e, "a barrier without a count");
        return;
    }
    ptx_native_declare(n, "declare void @clem_native_arrive(i64, i32, i32, i32)");
    const char *number = number_of(n, &in->operands[0]).text;
    const char *count = number_of(n, &in->operands[1]).text;
    ptx_native_do(n, "call void @clem_native_arrive(i64 %%state, i32 %s, i32 %s, i32 %s)",
                  n->flow->mask, number, count);
}

void ptx_native_park(struct ptx_native *n, const struct ptx_instruction *in)
{
    ptx_access(n->e, &(struct ptx_access){.kind = PTX_ACCESS_BARRIER,
                                          .write = ptx_barrier_arrives(in) ? write_arrival
                                                                           : write_barrier});
}
