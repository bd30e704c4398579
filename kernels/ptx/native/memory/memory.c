/* Loads, stores, copies and fences in the native form.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/native/memory/memory.h"

#include <stddef.h>
#include <string.h>

#include "kernels/ptx/host/runtime.h"

/* ---- One place for all lanes ---- */

static void one_place(struct ptx_native *n, struct ptx_native_transfer *t, bool is_store)
{
    const char *kept = is_store ? NULL : ptx_native_kept_word(n, t);
    if (kept) {
        t->values[0] = ptx_native_number(n, t->bits, kept);
        return;
    }
    if (ptx_native_is_whole(t)) {
        ptx_native_one_piece(n, t, is_store);
        return;
    }
    const struct ptx_native_value a = ptx_native_full_address(n, t->at);
    const char *type = ptx_native_integer(t->bits), *p = ptx_native_pointer_type(n, type);
    const char *v = t->is_volatile ? "volatile " : "";
    for (unsigned k = 0; k < t->width; k++) {
        const char *at = ptx_native_pointer(n, type, ptx_native_element_address(n, a, t, k).text);
        if (is_store)
            ptx_native_do(n, "store %s%s %s, %s %s, align %u", v, type,
                          ptx_native_first(n, t->values[k], t->lanes).text, p, at, t->bits / 8);
        else
            t->values[k] = ptx_native_number(
                n, t->bits,
                ptx_native_emit(n, "load %s%s, %s %s, align %u%s", v, type, p, at, t->bits / 8,
                                t->is_constant ? ", !invariant.load !0" : ""));
    }
}

/* ---- All of them ---- */

static void phi(struct ptx_native *n, const struct ptx_native_transfer *t,
                const struct ptx_native_value *a, const char *from_a,
                const struct ptx_native_value *b, const char *from_b)
{
    for (unsigned k = 0; k < t->width; k++) {
        t->values[k] = a[k];
        t->values[k].text =
            ptx_native_emit(n, "phi %s [%s, %%%s], [%s, %%%s]", ptx_native_value_type(n, a[k]),
                            a[k].text, from_a, b ? b[k].text : "undef", from_b);
    }
}

/* As a row, or at a distance from lane to lane. */
static void on_line(struct ptx_native *n, const struct ptx_native_transfer *t, bool is_store,
                    struct ptx_native_value *to)
{
    if (!ptx_native_is_row(t, is_store) && is_store)
        ptx_native_store_strided(n, t);
    else if (!ptx_native_is_row(t, is_store))
        ptx_native_load_strided(n, t, to);
    else if (is_store)
        ptx_native_store_on_line(n, t);
    else
        ptx_native_load_on_line(n, t, to);
}

static void near_places(struct ptx_native *n, const struct ptx_native_transfer *t, bool is_store,
                        const char *const starts[2], struct ptx_native_value *to)
{
    if (starts[1] && is_store)
        ptx_native_store_rows(n, t, starts);
    else if (starts[1])
        ptx_native_load_rows(n, t, starts, to);
    else if (is_store)
        ptx_native_store_neighbours(n, t, starts[0]);
    else
        ptx_native_load_neighbours(n, t, starts[0], to);
}

static void many_places(struct ptx_native *n, struct ptx_native_transfer *t, bool is_store)
{
    struct ptx_native_value near[8], far[8];
    const char *fast = ptx_native_name(n, "near"), *slow = ptx_native_name(n, "far");
    const char *end = ptx_native_name(n, "did"), *starts[2];
    const bool is_known = ptx_native_is_row(t, is_store);
    const bool is_strided = !is_known && ptx_native_is_strided(t);
    const bool is_slow =
        !is_known && !is_strided && (t->at.is_line || t->at.is_strided || t->is_volatile);
    if (ptx_native_is_whole(t) && is_store) {
        ptx_native_store_pieces(n, t, ptx_native_full_address(n, t->at));
        return;
    }
    if (ptx_native_is_whole(t)) {
        ptx_native_load_pieces(n, t, ptx_native_full_address(n, t->at), t->values);
        return;
    }
    if (is_slow && is_store && t->at.is_numbered && !t->is_volatile) {
        ptx_native_scatter_numbered(n, t);
        return;
    }
    if (is_slow && is_store) {
        ptx_native_scatter(n, t, ptx_native_full_address(n, t->at));
        return;
    }
    if (is_slow && t->at.is_numbered && !t->is_volatile) {
        ptx_native_gather_numbered(n, t, t->values);
        return;
    }
    if (is_slow) {
        ptx_native_gather(n, t, ptx_native_full_address(n, t->at), t->values);
        return;
    }
    const char *condition = is_known     ? ptx_native_row_condition(n, t)
                            : is_strided ? ptx_native_is_straight(n, &t->at.term)
                                         : NULL;
    if ((is_known || is_strided) && !condition) {
        on_line(n, t, is_store, t->values);
        return;
    }
    if (is_known || is_strided)
        ptx_native_do(n, "br i1 %s, label %%%s, label %%%s, !prof !1", condition, fast, slow);
    else
        ptx_native_branch_on_neighbours(n, t, fast, slow, starts);
    ptx_native_label(n, fast);
    if (is_known || is_strided)
        on_line(n, t, is_store, near);
    else
        near_places(n, t, is_store, starts, near);
    ptx_native_jump(n, end);
    ptx_native_label(n, slow);
    const bool is_far = (is_known || is_strided) && t->at.term.line.is_whole;
    if (is_far)
        ptx_native_far_line(n, t, is_store, far);
    else if (is_store)
        ptx_native_scatter(n, t, ptx_native_full_address(n, t->at));
    else
        ptx_native_gather(n, t, ptx_native_full_address(n, t->at), far);
    ptx_native_jump(n, end);
    ptx_native_label(n, end);
    if (!is_store)
        phi(n, t, near, fast, far, slow);
}

static void make(struct ptx_native *n, struct ptx_native_transfer *t, bool is_store)
{
    if (!t->at.offset.is_vector)
        one_place(n, t, is_store);
    else
        many_places(n, t, is_store);
}

/* At the places that the host has listed. */
static void make_listed(struct ptx_native *n, struct ptx_native_transfer *t, bool is_store)
{
    if (is_store && ptx_native_is_done_by_host(t))
        return;
    t->at = (struct ptx_native_place){.offset = ptx_native_listed(n, !t->at.offset.is_vector)};
    if (!t->at.offset.is_vector || ptx_native_is_whole(t))
        make(n, t, is_store);
    else if (is_store)
        ptx_native_scatter(n, t, t->at.offset);
    else
        ptx_native_gather(n, t, t->at.offset, t->values);
}

/* Told to who checks, who may have it made elsewhere. */
static void make_checked(struct ptx_native *n, struct ptx_native_transfer *t, bool is_store)
{
    struct ptx_native_value near[8], far[8];
    struct ptx_native_transfer own = *t, listed = *t;
    if (!t->checked) {
        make(n, t, is_store);
        return;
    }
    const char *fast = ptx_native_name(n, "own"), *slow = ptx_native_name(n, "listed"),
               *end = ptx_native_name(n, "made");
    const char *elsewhere = ptx_native_check_transfer(n, t);
    const char *is_own = ptx_native_emit(n, "icmp eq i64 %s, 0", elsewhere);
    if (!is_store) {
        own.values = near;
        listed.values = far;
    }
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s, !prof !1", is_own, fast, slow);
    ptx_native_label(n, fast);
    make(n, &own, is_store);
    const char *after = n->flow->block;
    ptx_native_jump(n, end);
    ptx_native_label(n, slow);
    make_listed(n, &listed, is_store);
    const char *behind = n->flow->block;
    ptx_native_jump(n, end);
    ptx_native_label(n, end);
    if (!is_store)
        phi(n, t, near, after, far, behind);
}

static void transfer(struct ptx_native *n, struct ptx_native_transfer *t, bool is_store)
{
    if (!t->may_be_none || (!t->checked && ptx_native_takes_none(n, t, is_store))) {
        make_checked(n, t, is_store);
        return;
    }
    const char *some = ptx_native_name(n, "some"), *end = ptx_native_name(n, "none");
    const char *before = n->flow->block;
    const char *is_any = ptx_native_emit(n, "icmp ne i32 %s, 0", t->lanes);
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s", is_any, some, end);
    ptx_native_label(n, some);
    make_checked(n, t, is_store);
    const char *after = n->flow->block;
    ptx_native_jump(n, end);
    ptx_native_label(n, end);
    if (!is_store)
        phi(n, t, t->values, after, NULL, before);
}

/* ---- Instructions ---- */

static uint32_t parts_of(struct ptx_native *n, const struct ptx_instruction *in,
                         const struct ptx_operand *list, struct ptx_operand parts[8])
{
    if (list->kind == PTX_OPERAND_VECTOR) {
        for (uint32_t i = 0; i < list->count && i < 8; i++)
            parts[i] = list->list[i];
        return list->count > 8 ? 8 : list->count;
    }
    const bool is_whole = in->width > 1 && list->kind == PTX_OPERAND_REGISTER && list->part == 0 &&
                          n->flow->function->registers[list->index].width == in->width;
    for (uint32_t i = 0; is_whole && i < in->width; i++) {
        parts[i] = *list;
        parts[i].part = (uint8_t)(1 + i);
    }
    if (is_whole)
        return in->width;
    parts[0] = *list;
    return 1;
}

static void fence(struct ptx_native *n, uint8_t scope, uint8_t order)
{
    ptx_native_do(n, "fence %s%s", scope == PTX_SCOPE_CTA ? "syncscope(\"singlethread\") " : "",
                  order == PTX_ORDER_SC ? "seq_cst" : "acq_rel");
}

static void fence_before(struct ptx_native *n, const struct ptx_instruction *in)
{
    if (in->order == PTX_ORDER_RELEASE || in->order == PTX_ORDER_ACQ_REL ||
        in->order == PTX_ORDER_SC)
        fence(n, in->scope, in->order);
}

static void fence_after(struct ptx_native *n, const struct ptx_instruction *in)
{
    if (in->order == PTX_ORDER_ACQUIRE || in->order == PTX_ORDER_ACQ_REL ||
        in->order == PTX_ORDER_SC)
        fence(n, in->scope, in->order);
}

static struct ptx_native_transfer transfer_of(struct ptx_native *n,
                                              const struct ptx_instruction *in,
                                              const struct ptx_operand *address,
                                              struct ptx_native_value values[8])
{
    struct ptx_native_transfer t = {.bits = ptx_native_bits((enum ptx_type)in->types[0]),
                                    .width = 1,
                                    .is_volatile = ptx_is_volatile(in),
                                    .values = values};
    t.may_be_none = in->guard >= 0;
    t.lanes = ptx_native_guarded(n, in);
    t.at = ptx_native_place_of(n, address, in->space);
    if (n->flow->is_solo && ptx_native_space_of(address, in->space) == PTX_SPACE_SHARED &&
        address->kind == PTX_OPERAND_ADDRESS)
        t.shared = address;
    return t;
}

/* Before an access of shared memory that does not take, or leave, a row as a value: rows that wait are stored. Whether it is of such. */
static bool meet_late_rows(struct ptx_native *n, const struct ptx_native_transfer *t, uint8_t space,
                           bool is_store)
{
    const bool may_meet = space == PTX_SPACE_SHARED || space == PTX_SPACE_GENERIC;
    if (n->flow->late_count == 0 || !may_meet)
        return false;
    const bool is_one = !t->at.offset.is_vector;
    const unsigned count = is_one ? 1 : ptx_native_lanes_of_row(t);
    const bool is_row = count > 0 && (is_store ? !is_one && ptx_native_stores_late(n, t)
                                               : ptx_native_knows_row(n, t, count));
    if (!is_row)
        ptx_native_store_late(n);
    return is_row;
}

/* Whether addresses of a space are the host's. */
static bool is_of_host(const struct ptx_operand *address, uint8_t space)
{
    space = ptx_native_space_of(address, space);
    return space == PTX_SPACE_GLOBAL || space == PTX_SPACE_GENERIC;
}

/* Where lanes have elements that are any, how their places are made, which may take less than their addresses. */
static void find_numbers(struct ptx_native *n, const struct ptx_operand *address, uint8_t space,
                         struct ptx_native_transfer *t)
{
    if (!t->at.is_strided || t->at.is_line || !t->at.offset.is_vector || t->is_volatile)
        return;
    if (is_of_host(address, space))
        ptx_native_find_numbers(n, address, &t->at);
    else if (ptx_native_space_of(address, space) == PTX_SPACE_SHARED)
        ptx_native_number_offsets(&t->at);
}

/* Whether a load stands in the function's entry block, before all turns of a sweep, of threads or of legs: that of a parameter. */
static bool is_before_turns(const struct ptx_native *n, const struct ptx_instruction *in)
{
    const struct ptx_operand *address = &in->operands[1];
    const struct ptx_native_flow *f = n->flow;
    return (f->is_swept || f->by_thread || f->has_legs) && in->guard < 0 && !ptx_is_volatile(in) &&
           address->index < 0 && address->variable &&
           ptx_native_space_of(address, in->space) == PTX_SPACE_PARAM;
}

/* All of them, for those beside it too (memory_fields.c). */
static void load_fields(struct ptx_native *n, const struct ptx_instruction *in,
                        struct ptx_native_value values[8])
{
    const struct ptx_operand *address = ptx_native_first_field(n, in);
    struct ptx_native_transfer t = transfer_of(n, in, address, values);
    t.width = ptx_native_count_fields(n, in);
    if (ptx_native_space_of(address, in->space) == PTX_SPACE_GLOBAL)
        ptx_native_ask_ahead(n, address, &t);
    (void)meet_late_rows(n, &t, ptx_native_space_of(address, in->space), false);
    transfer(n, &t, false);
    ptx_native_set(n, in, &in->operands[0], (enum ptx_type)in->types[0],
                   ptx_native_note_loaded(n, in, values));
}

/* Likewise, where it is the last; what the others store waits for that. */
static void store_fields(struct ptx_native *n, const struct ptx_instruction *in,
                         struct ptx_native_value values[8])
{
    if (!ptx_native_has_all(n, in, values))
        return;
    const struct ptx_operand *address = ptx_native_first_field(n, in);
    struct ptx_native_transfer t = transfer_of(n, in, address, values);
    t.width = ptx_native_count_fields(n, in);
    (void)meet_late_rows(n, &t, ptx_native_space_of(address, in->space), true);
    transfer(n, &t, true);
}

static void write_load(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    struct ptx_native *n = e->native;
    struct ptx_operand parts[8];
    struct ptx_native_value values[8];
    const struct ptx_operand *address = &in->operands[1];
    if (ptx_is_wide_access(in)) {
        ptx_native_store_late(n);
        ptx_native_wide_access(e, in);
        return;
    }
    struct ptx_text *const out = e->out;
    if (ptx_native_has_loaded(n, in, values)) {
        ptx_native_set(n, in, &in->operands[0], (enum ptx_type)in->types[0], values[0]);
        return;
    }
    if (is_before_turns(n, in))
        e->out = n->flow->head;
    struct ptx_native_transfer t = transfer_of(n, in, address, values);
    const uint32_t count = parts_of(n, in, &in->operands[0], parts);
    t.width = count;
    t.is_constant = ptx_native_space_of(address, in->space) == PTX_SPACE_PARAM;
    t.checked = ptx_native_checked(n, in, PTX_ACCESS_LOAD, address);
    if (count == 0 || (count & (count - 1)) != 0) {
        ptx_refuse(e, "a vector of this size");
        return;
    }
    if (ptx_native_joins(n, in, &t)) {
        load_fields(n, in, values);
        return;
    }
    if (ptx_native_space_of(address, in->space) == PTX_SPACE_GLOBAL)
        ptx_native_ask_ahead(n, address, &t);
    find_numbers(n, address, in->space, &t);
    const bool is_kept = meet_late_rows(n, &t, ptx_native_space_of(address, in->space), false);
    if (is_kept || !ptx_native_is_of_chunks(n, in, address) ||
        !ptx_native_load_of_chunks(n, address, &t, values))
        transfer(n, &t, false);
    e->out = out;
    fence_after(n, in);
    ptx_native_note_row(n, in, &t);
    for (uint32_t i = 0; i < count; i++)
        ptx_native_set(n, in, &parts[i], (enum ptx_type)in->types[0], values[i]);
}

static void write_store(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    struct ptx_native *n = e->native;
    struct ptx_operand parts[8];
    struct ptx_native_value values[8];
    if (ptx_is_wide_access(in)) {
        ptx_native_store_late(n);
        ptx_native_wide_access(e, in);
        return;
    }
    fence_before(n, in);
    struct ptx_native_transfer t = transfer_of(n, in, &in->operands[0], values);
    const uint32_t count = parts_of(n, in, &in->operands[1], parts);
    t.width = count;
    if (count == 0 || (count & (count - 1)) != 0) {
        ptx_refuse(e, "a vector of this size");
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        n->is_vector = ptx_native_varies(n, &parts[i]);
        values[i] = ptx_native_read(n, &parts[i], (enum ptx_type)in->types[0]);
    }
    if (ptx_native_joins(n, in, &t)) {
        store_fields(n, in, values);
        return;
    }
    t.checked = ptx_native_checked(n, in, PTX_ACCESS_STORE, &in->operands[0]);
    (void)meet_late_rows(n, &t, ptx_native_space_of(&in->operands[0], in->space), true);
    const char *end = ptx_native_store_packed(n, in, &t);
    if (count == 1)
        find_numbers(n, &in->operands[0], in->space, &t);
    transfer(n, &t, true);
    if (end) {
        ptx_native_jump(n, end);
        ptx_native_label(n, end);
    }
}

/* What lanes want fewer bytes of has zeros there. */
static void cut_values(struct ptx_native *n, struct ptx_native_value values[4], uint32_t count,
                       struct ptx_native_value bytes)
{
    bytes = ptx_native_vector(n, bytes);
    const bool is_vector = n->is_vector;
    n->is_vector = true;
    for (uint32_t k = 0; k < count; k++) {
        const struct ptx_native_value value = ptx_native_vector(n, values[k]);
        const char *lack =
            ptx_native_emit(n, "sub <32 x i32> %s, %s",
                            ptx_native_constant(n, 32, 4 * ((uint64_t)k + 1)), bytes.text);
        const char *over = ptx_native_emit(n, "icmp sgt <32 x i32> %s, zeroinitializer", lack);
        const char *all =
            ptx_native_emit(n, "icmp sgt <32 x i32> %s, %s", lack, ptx_native_constant(n, 32, 3));
        const char *eight =
            ptx_native_emit(n, "shl <32 x i32> %s, %s", lack, ptx_native_constant(n, 32, 3));
        const char *safe =
            ptx_native_emit(n, "and <32 x i32> %s, %s", eight, ptx_native_constant(n, 32, 31));
        const char *some = ptx_native_emit(n, "lshr <32 x i32> %s, %s",
                                           ptx_native_constant(n, 32, UINT32_MAX), safe);
        const char *mask = ptx_native_emit(n, "select <32 x i1> %s, <32 x i32> %s, <32 x i32> %s",
                                           over, some, ptx_native_constant(n, 32, UINT32_MAX));
        const char *last = ptx_native_emit(
            n, "select <32 x i1> %s, <32 x i32> zeroinitializer, <32 x i32> %s", all, mask);
        values[k] = (struct ptx_native_value){
            ptx_native_emit(n, "and <32 x i32> %s, %s", value.text, last), 32, true};
    }
    n->is_vector = is_vector;
}

/* How many bytes lanes want of a copy's source. */
static struct ptx_native_value wanted_bytes(struct ptx_native *n, const struct ptx_operand *o,
                                            int64_t size)
{
    const bool is_ignored =
        o->kind == PTX_OPERAND_REGISTER && n->flow->function->registers[o->index].type == PTX_PRED;
    n->is_vector = ptx_native_varies(n, o);
    struct ptx_native_value value = ptx_native_read(n, o, is_ignored ? PTX_PRED : PTX_U32);
    if (!is_ignored)
        return value;
    value = ptx_native_vector(n, value);
    n->is_vector = true;
    return (struct ptx_native_value){
        ptx_native_emit(n, "select <32 x i1> %s, <32 x i32> zeroinitializer, <32 x i32> %s",
                        value.text, ptx_native_constant(n, 32, (uint64_t)size)),
        32, true};
}

static void write_copy(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    struct ptx_native *n = e->native;
    const struct ptx_operand *o = in->operands;
    const int64_t size = in->operand_count >= 3 ? o[2].bits : 0;
    struct ptx_native_value values[8], bytes = {0};
    if (size != 4 && size != 8 && size != 16) {
        ptx_refuse(e, "a copy of this size has no translation");
        return;
    }
    struct ptx_native_transfer t = {.bits = 32, .width = (unsigned)(size / 4), .values = values};
    t.may_be_none = in->guard >= 0 || in->operand_count > 3;
    const char *all = t.lanes = ptx_native_guarded(n, in);
    t.at = ptx_native_place_of(n, &o[1], PTX_SPACE_GLOBAL);
    if (in->operand_count > 3) {
        bytes = wanted_bytes(n, &o[3], size);
        const struct ptx_native_value wanted = ptx_native_vector(n, bytes);
        const char *some =
            ptx_native_emit(n, "icmp ne <32 x i32> %s, zeroinitializer", wanted.text);
        const char *lanes = ptx_native_emit(n, "bitcast <32 x i1> %s to i32", some);
        t.lanes = ptx_native_emit(n, "and i32 %s, %s", lanes, all);
    }
    transfer(n, &t, false);
    if (in->operand_count > 3)
        cut_values(n, values, t.width, bytes);
    t.lanes = all;
    t.may_be_none = in->guard >= 0;
    t.at = ptx_native_place_of(n, &o[0], PTX_SPACE_SHARED);
    transfer(n, &t, true);
}

static void write_fence(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    ptx_native_check_fence(e->native, in);
    fence(e->native, in->scope, in->opcode == PTX_OPCODE_membar ? PTX_ORDER_SC : in->order);
}

static void access_memory(struct ptx_native *n, const struct ptx_instruction *in,
                          enum ptx_access_kind kind, uint8_t space,
                          void (*write)(struct ptx_emitter *, const struct ptx_instruction *))
{
    ptx_access(n->e, &(struct ptx_access){.kind = (uint8_t)kind,
                                          .space = space,
                                          .type = in->types[0],
                                          .width = in->width,
                                          .write = write});
}

static bool has_address(struct ptx_native *n, const struct ptx_instruction *in, uint32_t which)
{
    if (in->operand_count >= 2 && in->operands[which].kind == PTX_OPERAND_ADDRESS)
        return true;
    ptx_refuse(n->e, "operands of a kind that does not belong here");
    return false;
}

static void copy(struct ptx_native *n, const struct ptx_instruction *in)
{
    if (strncmp(in->words, "cp.async", 8) != 0 || strstr(in->words, ".bulk") ||
        strstr(in->words, ".reduce"))
        ptx_refuse(n->e, "bulk copies have no native form");
    else if (in->operation == PTX_OP_MBARRIER)
        ptx_native_copies_arrive(n, in);
    else if (!strstr(in->words, "_group") && !strstr(in->words, "wait_all"))
        access_memory(n, in, PTX_ACCESS_COPY, PTX_SPACE_SHARED, write_copy);
}

bool ptx_native_memory(struct ptx_native *n, const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OPCODE_ld:
    case PTX_OPCODE_ldu:
        if (has_address(n, in, 1))
            access_memory(n, in, PTX_ACCESS_LOAD, ptx_native_space_of(&in->operands[1], in->space),
                          write_load);
        return true;
    case PTX_OPCODE_st:
        if (has_address(n, in, 0))
            access_memory(n, in, PTX_ACCESS_STORE, ptx_native_space_of(&in->operands[0], in->space),
                          write_store);
        return true;
    case PTX_OPCODE_cp:
        copy(n, in);
        return true;
    case PTX_OPCODE_membar:
    case PTX_OPCODE_fence:
        access_memory(n, in, PTX_ACCESS_FENCE, PTX_SPACE_GENERIC, write_fence);
        return true;
    case PTX_OPCODE_prefetch:
    case PTX_OPCODE_prefetchu:
    case PTX_OPCODE_discard:
    case PTX_OPCODE_applypriority:
    case PTX_OPCODE_griddepcontrol:
        return true;
    default:
        return false;
    }
}
