/* Structures that are copied element by element: compilers load thousands of bytes from one place into registers, and
 * store them in another. Written one by one, each would be a statement, and the device's compiler takes time that grows
 * with their square. Here such loads and stores are found, for which loops stand in the text (ptx_emit_copied()).
 *
 * A run is some of the stores in a straight piece of text whose values are loaded in the same piece, all from one variable
 * or register to one other, at one distance. It is carried out where its last store stands: loads and stores move down to
 * there, so nothing that they pass may write what they read, or touch what they write.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "kernels/ptx/analyse/flow.h"
#include "kernels/ptx/analyse/plan.h"

enum {
    LEAST_COPIED = 64, /* elements of a loop, of all its turns; fewer are better in registers */
    MOST_PARTS = 16,   /* elements of one turn: members of a structure of which there is an array */
    MOST_OTHERS = 32   /* stores beside the run's that are looked at: no load moves over more */
};

/* What a register that is written once points into; NULL: what its value says. */
struct origin {
    const struct ptx_variable *variable;
    int64_t offset;
};

/* Bytes of memory. Within a variable, or from a register that is written once, or somewhere (index -1, no variable). */
struct range {
    uint8_t space; /* enum ptx_space; PTX_SPACE_GENERIC: may be of any but .param and .const */
    const struct ptx_variable *variable;
    int32_t index;
    int64_t first, end;
};

struct element {
    uint32_t load, store; /* instructions */
    struct range from, to;
};

/* Another store, or all of a run that was ended. */
struct other {
    uint32_t instruction;
    struct range to;
};

struct search {
    struct ptx_emitter *e;
    struct ptx_body *body;
    const struct ptx_function *function;
    uint32_t *writes, *reads; /* per register: how many instructions */
    struct origin *origins;   /* per register */
    uint32_t *loaded;         /* per register: 1 + the load that it has its value from, or 0 */
    uint32_t at, floor;       /* the instruction looked at; that from which on loads may be moved */
    struct other others[MOST_OTHERS];
    size_t other_count;
    struct element *run;
    size_t run_count, run_room;
    struct range from, to; /* of all of the run: from the first byte to the last */
    uint32_t *moved;       /* per store: elements of it that loops stand for */
    bool has_moved;
};

/* ---- Addresses ---- */

static void count(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    ((uint32_t *)with)[index]++;
}

static bool is_variable(const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_VARIABLE && (operand->variable->space == PTX_SPACE_LOCAL ||
                                                     operand->variable->space == PTX_SPACE_PARAM);
}

static const struct origin *origin_of(const struct search *s, const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_REGISTER && operand->part == 0 &&
                   s->origins[operand->index].variable
               ? &s->origins[operand->index]
               : NULL;
}

static bool is_small(const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_INTEGER && operand->bits > INT32_MIN &&
           operand->bits < INT32_MAX;
}

/* Of `or`: bits that are zero in the address, as it is aligned, are added. */
static bool is_sum(const struct ptx_instruction *in, const struct origin *from)
{
    const struct ptx_operand *plus = &in->operands[2];
    if (in->operand_count != 3 || (in->flags & PTX_CC) || !is_small(plus))
        return false;
    return in->opcode == PTX_OPCODE_add ||
           (in->opcode == PTX_OPCODE_or && plus->bits >= 0 && (plus->bits & from->offset) == 0 &&
            (uint64_t)plus->bits < from->variable->alignment);
}

static void note_origin(struct search *s, const struct ptx_instruction *in)
{
    const struct ptx_operand *o = in->operands;
    if (in->guard >= 0 || in->operand_count < 2 || o[0].kind != PTX_OPERAND_REGISTER ||
        o[0].part != 0 || s->writes[o[0].index] != 1)
        return;
    struct origin *made = &s->origins[o[0].index];
    const struct origin *from = origin_of(s, &o[1]);
    const bool is_move = in->opcode == PTX_OPCODE_mov && in->operand_count == 2;
    const bool is_cast = in->opcode == PTX_OPCODE_cvta && in->space == PTX_SPACE_LOCAL;
    if ((is_move || is_cast) && is_variable(&o[1]))
        *made = (struct origin){o[1].variable, o[1].bits};
    else if (from && (is_move || (is_cast && from->variable->space == PTX_SPACE_LOCAL)))
        *made = *from;
    else if (from && is_sum(in, from))
        *made = (struct origin){from->variable, from->offset + o[2].bits};
    if (made->offset > INT32_MAX || made->offset < INT32_MIN)
        *made = (struct origin){0};
}

/* Whether an address that the instruction calls generic is of global memory. */
static bool is_global(const struct search *s, const struct ptx_operand *address)
{
    return (address->index >= 0 && s->body->is_pointer[address->index]) || !s->e->plan->has_windows;
}

static struct range range_of(const struct search *s, const struct ptx_instruction *in,
                             const struct ptx_operand *address, int64_t plus, int64_t bytes)
{
    struct range r = {.space = in->space, .index = -1};
    const int64_t offset = address->bits;
    if (offset > INT32_MAX || offset < INT32_MIN) {
        r.space = PTX_SPACE_GENERIC;
        return r;
    }
    r.first = offset + plus;
    r.variable = address->variable;
    if (!r.variable && address->index >= 0 && s->origins[address->index].variable) {
        r.variable = s->origins[address->index].variable;
        r.first += s->origins[address->index].offset;
    } else if (!r.variable && address->index >= 0 && address->part == 0 &&
               s->writes[address->index] == 1)
        r.index = address->index;
    r.end = r.first + bytes;
    if (r.space == PTX_SPACE_GENERIC)
        r.space = r.variable              ? r.variable->space
                  : is_global(s, address) ? (uint8_t)PTX_SPACE_GLOBAL
                                          : (uint8_t)PTX_SPACE_GENERIC;
    const bool is_within = !r.variable || (r.space == r.variable->space && r.first >= 0 &&
                                           (uint64_t)r.end <= r.variable->bytes);
    return is_within ? r : (struct range){.space = PTX_SPACE_GENERIC, .index = -1};
}

static bool has_base(const struct range *r)
{
    return r->variable || r->index >= 0;
}

static bool is_same_base(const struct range *a, const struct range *b)
{
    return has_base(a) && a->space == b->space && a->variable == b->variable &&
           a->index == b->index;
}

/* Whether two accesses, one of which writes, may be of the same byte. Nobody writes what an entry is given or .const
 * variables, and parameters of calls have no address but their name. */
static bool may_meet(const struct range *a, const struct range *b)
{
    if (is_same_base(a, b))
        return a->first < b->end && b->first < a->end;
    if (a->space == PTX_SPACE_PARAM || b->space == PTX_SPACE_PARAM || a->space == PTX_SPACE_CONST ||
        b->space == PTX_SPACE_CONST || (a->variable && b->variable && a->variable != b->variable))
        return false;
    return a->space == b->space || a->space == PTX_SPACE_GENERIC || b->space == PTX_SPACE_GENERIC;
}

/* ---- Loops ---- */

static struct ptx_place place_of(const struct range *r)
{
    return (struct ptx_place){.space = r->space,
                              .address = {.kind = PTX_OPERAND_ADDRESS,
                                          .index = r->index,
                                          .variable = r->variable,
                                          .bits = r->first}};
}

static int64_t bytes_of(const struct element *element)
{
    return element->to.end - element->to.first;
}

/* How many turns of `parts` elements each are alike from a place of the run on. */
static size_t turns_at(const struct search *s, size_t at, size_t parts)
{
    if (at + 2 * parts > s->run_count)
        return 0;
    const struct element *x = &s->run[at];
    const int64_t stride = x[parts].to.first - x[0].to.first;
    for (size_t i = 0; i < parts; i++)
        if (stride % bytes_of(&x[i]) != 0)
            return 0;
    size_t i = parts;
    while (at + i < s->run_count && x[i].to.first == x[i - parts].to.first + stride &&
           bytes_of(&x[i]) == bytes_of(&x[i - parts]))
        i++;
    ptx_steps(s->e->arena, i);
    return i / parts;
}

static void add_copy(struct search *s, size_t at, size_t parts, size_t turns, uint32_t instruction)
{
    struct ptx_copy *made = ptx_arena_take(s->e->arena, sizeof *made);
    made->parts = ptx_arena_array(s->e->arena, parts, sizeof *made->parts);
    made->part_count = parts;
    made->turns = turns;
    made->stride = (size_t)(s->run[at + parts].to.first - s->run[at].to.first);
    for (size_t i = 0; i < parts; i++)
        made->parts[i] = (struct ptx_copied){.bytes = (size_t)bytes_of(&s->run[at + i]),
                                             .from = place_of(&s->run[at + i].from),
                                             .to = place_of(&s->run[at + i].to)};
    struct ptx_copy **last = &s->body->copies[instruction];
    while (*last)
        last = &(*last)->next;
    *last = made;
    for (size_t i = at; i < at + parts * turns; i++)
        s->moved[s->run[i].store]++;
    s->has_moved = true;
}

static int by_place(const void *a, const void *b)
{
    const struct element *x = a, *y = b;
    return (x->to.first > y->to.first) - (x->to.first < y->to.first);
}

/* Stores that write a byte twice must stay in their order. */
static bool has_overlap(const struct search *s)
{
    for (size_t i = 1; i < s->run_count; i++)
        if (s->run[i].to.first < s->run[i - 1].to.end)
            return true;
    return false;
}

static void make_loops(struct search *s, uint32_t instruction)
{
    qsort(s->run, s->run_count, sizeof *s->run, by_place);
    ptx_steps(s->e->arena, 16 * s->run_count);
    const size_t all = has_overlap(s) ? 0 : s->run_count;
    for (size_t at = 0; at < all;) {
        size_t best = 0, turns = 0;
        for (size_t parts = 1; parts <= MOST_PARTS; parts++) {
            const size_t found = turns_at(s, at, parts);
            if (found * parts >= LEAST_COPIED && found * parts > best * turns) {
                best = parts;
                turns = found;
            }
        }
        if (best)
            add_copy(s, at, best, turns, instruction);
        at += best ? best * turns : 1;
    }
}

/* ---- Runs ---- */

static void add_other(struct search *s, uint32_t instruction, const struct range *to)
{
    if (s->other_count == MOST_OTHERS) {
        s->other_count = 0;
        s->floor = s->at + 1;
    }
    s->others[s->other_count++] = (struct other){instruction, *to};
}

static void end_run(struct search *s)
{
    if (s->run_count == 0)
        return;
    uint32_t last = 0;
    for (size_t i = 0; i < s->run_count; i++)
        if (s->run[i].store > last)
            last = s->run[i].store;
    add_other(s, last, &s->to);
    if (s->run_count >= LEAST_COPIED)
        make_loops(s, last);
    s->run_count = 0;
}

/* Nothing moves over an instruction: the next piece begins with `next`. */
static void end_piece(struct search *s, size_t next)
{
    end_run(s);
    s->other_count = 0;
    s->floor = (uint32_t)next;
}

static void widen(struct range *all, const struct range *by)
{
    all->first = by->first < all->first ? by->first : all->first;
    all->end = by->end > all->end ? by->end : all->end;
}

/* What is not known of others that came before the floor may have written it too. */
static bool is_overwritten(const struct search *s, const struct element *element)
{
    if (element->load < s->floor)
        return true;
    for (size_t i = 0; i < s->other_count; i++)
        if (s->others[i].instruction > element->load && may_meet(&s->others[i].to, &element->from))
            return true;
    return false;
}

/* Adds an element to the run, or begins another with it. False: it can be of none. */
static bool add_element(struct search *s, const struct element *element)
{
    if (s->run_count) {
        struct range from = s->from, to = s->to;
        widen(&from, &element->from);
        widen(&to, &element->to);
        if (!is_same_base(&s->from, &element->from) || !is_same_base(&s->to, &element->to) ||
            element->to.first - element->from.first != s->run[0].to.first - s->run[0].from.first ||
            may_meet(&from, &to))
            end_run(s);
    }
    if (is_overwritten(s, element) || may_meet(&element->from, &element->to))
        return false;
    if (s->run_count == 0) {
        s->from = element->from;
        s->to = element->to;
    }
    widen(&s->from, &element->from);
    widen(&s->to, &element->to);
    s->run = ptx_arena_grow(s->e->arena, s->run, s->run_count, &s->run_room, sizeof *s->run);
    s->run[s->run_count++] = *element;
    return true;
}

/* ---- Instructions ---- */

static bool is_loading(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_ld || in->opcode == PTX_OPCODE_ldu;
}

static uint32_t values_of(const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_VECTOR ? operand->count : 1;
}

static const struct ptx_operand *value_at(const struct ptx_operand *operand, uint32_t at)
{
    return operand->kind == PTX_OPERAND_VECTOR ? &operand->list[at] : operand;
}

static int64_t value_bytes(const struct ptx_instruction *in)
{
    return (int64_t)ptx_type_bytes((enum ptx_type)in->types[0]);
}

/* Whether an access is like any other to the same place: in order with nothing. Shared memory is left to warps. */
static bool is_plain(const struct ptx_instruction *in)
{
    const uint32_t address = in->opcode == PTX_OPCODE_st ? 0 : 1;
    return in->guard < 0 && !ptx_is_volatile(in) && in->space != PTX_SPACE_SHARED &&
           in->operand_count == 2 && in->operands[address].kind == PTX_OPERAND_ADDRESS;
}

/* What changes nothing but registers, beside loads. */
static bool is_quiet(const struct search *s, const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_div || in->opcode == PTX_OPCODE_rem ||
           in->opcode == PTX_OPCODE_rcp || in->opcode == PTX_OPCODE_sqrt ||
           ptx_flow_is_pure(s->function, in);
}

static void see_load(struct search *s, uint32_t at)
{
    const struct ptx_instruction *in = &s->function->instructions[at];
    const struct ptx_operand *to = &in->operands[0];
    const struct range all = range_of(s, in, &in->operands[1], 0, value_bytes(in) * values_of(to));
    if (s->run_count && may_meet(&all, &s->to))
        end_run(s);
    for (uint32_t i = 0; i < values_of(to); i++) {
        const struct ptx_operand *value = value_at(to, i);
        if (value->kind == PTX_OPERAND_REGISTER && value->part == 0 &&
            s->writes[value->index] == 1 && s->function->registers[value->index].width <= 1)
            s->loaded[value->index] = at + 1;
    }
}

/* Where the value of a register is loaded from. False: nowhere that it could be copied from. */
static bool find_source(const struct search *s, uint32_t index, struct element *made)
{
    if (s->loaded[index] == 0 || s->loaded[index] <= s->floor || s->body->is_pointer[index])
        return false;
    made->load = s->loaded[index] - 1;
    const struct ptx_instruction *in = &s->function->instructions[made->load];
    uint32_t at = 0;
    while (value_at(&in->operands[0], at)->index != (int32_t)index)
        at++;
    const int64_t bytes = value_bytes(in);
    made->from = range_of(s, in, &in->operands[1], at * bytes, bytes);
    return bytes == bytes_of(made) && has_base(&made->from) &&
           made->from.space != PTX_SPACE_GENERIC &&
           (made->from.space != PTX_SPACE_PARAM ||
            (made->from.variable && made->from.variable->is_array));
}

static bool is_given(const struct search *s, const struct ptx_variable *variable)
{
    const struct ptx_function *original = s->e->plan->original;
    for (size_t i = 0; i < original->parameter_count; i++)
        if (original->parameters[i] == variable)
            return true;
    return false;
}

static bool find_element(const struct search *s, uint32_t at, uint32_t value, struct element *made)
{
    const struct ptx_instruction *in = &s->function->instructions[at];
    const struct ptx_operand *from = value_at(&in->operands[1], value);
    const int64_t bytes = value_bytes(in);
    *made = (struct element){.store = at};
    made->to = range_of(s, in, &in->operands[0], value * bytes, bytes);
    return from->kind == PTX_OPERAND_REGISTER && from->part == 0 && !from->is_negated &&
           has_base(&made->to) && made->to.space != PTX_SPACE_GENERIC &&
           made->to.space != PTX_SPACE_CONST &&
           (made->to.space != PTX_SPACE_PARAM ||
            (made->to.variable && made->to.variable->is_array &&
             !is_given(s, made->to.variable))) &&
           find_source(s, (uint32_t)from->index, made);
}

static bool copy_all(struct search *s, uint32_t at)
{
    const uint32_t values = values_of(&s->function->instructions[at].operands[1]);
    struct element element;
    for (uint32_t i = 0; i < values; i++)
        if (!find_element(s, at, i, &element))
            return false;
    bool is_copied = true;
    for (uint32_t i = 0; i < values; i++)
        is_copied &= find_element(s, at, i, &element) && add_element(s, &element);
    return is_copied;
}

static void see_store(struct search *s, uint32_t at)
{
    if (copy_all(s, at))
        return;
    const struct ptx_instruction *in = &s->function->instructions[at];
    const struct range all =
        range_of(s, in, &in->operands[0], 0, value_bytes(in) * values_of(&in->operands[1]));
    if (s->run_count && (may_meet(&all, &s->from) || may_meet(&all, &s->to)))
        end_run(s);
    add_other(s, at, &all);
}

static void see(struct search *s, uint32_t at)
{
    const struct ptx_instruction *in = &s->function->instructions[at];
    const bool is_load = is_loading(in);
    s->at = at;
    if (is_load && is_plain(in))
        see_load(s, at);
    else if (in->opcode == PTX_OPCODE_st && is_plain(in))
        see_store(s, at);
    else if (is_load || in->guard >= 0 || !is_quiet(s, in))
        end_piece(s, (size_t)at + 1);
}

/* ---- All of it ---- */

/* What loops stand for: stores all of whose elements were moved, and loads for none but those. */
static void find_copied(struct search *s)
{
    const struct ptx_function *f = s->function;
    uint32_t *left = s->reads;
    for (size_t i = 0; i < f->instruction_count; i++) {
        const struct ptx_instruction *in = &f->instructions[i];
        if (s->moved[i] == 0 || s->moved[i] < values_of(&in->operands[1]))
            continue;
        s->body->is_copied[i] = true;
        for (uint32_t j = 0; j < values_of(&in->operands[1]); j++)
            left[value_at(&in->operands[1], j)->index]--;
    }
    for (size_t i = 0; i < f->instruction_count; i++) {
        const struct ptx_instruction *in = &f->instructions[i];
        bool is_copied = is_loading(in) && is_plain(in);
        for (uint32_t j = 0; is_copied && j < values_of(&in->operands[0]); j++) {
            const struct ptx_operand *value = value_at(&in->operands[0], j);
            is_copied = value->kind == PTX_OPERAND_REGISTER && s->loaded[value->index] == i + 1 &&
                        left[value->index] == 0;
        }
        s->body->is_copied[i] |= is_copied;
    }
}

/* Callers write registers that are parameters, and read those that are results. */
static void count_uses(struct search *s)
{
    const struct ptx_function *f = s->function;
    for (size_t i = 0; i < f->instruction_count; i++) {
        ptx_flow_writes(&f->instructions[i], count, s->writes);
        ptx_flow_reads(&f->instructions[i], count, s->reads);
    }
    for (size_t i = 0; i < f->parameter_count; i++)
        if (f->parameters[i]->space == PTX_SPACE_REG)
            s->writes[f->parameters[i]->number]++;
    for (size_t i = 0; i < f->result_count; i++)
        if (f->results[i]->space == PTX_SPACE_REG)
            s->reads[f->results[i]->number]++;
}

static bool has_enough(const struct ptx_function *function)
{
    size_t loads = 0, stores = 0;
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        if (in->operand_count != 2)
            continue;
        loads += is_loading(in) ? values_of(&in->operands[0]) : 0;
        stores += in->opcode == PTX_OPCODE_st ? values_of(&in->operands[1]) : 0;
    }
    return loads >= LEAST_COPIED && stores >= LEAST_COPIED;
}

void ptx_find_copies(struct ptx_emitter *e, struct ptx_body *body)
{
    const struct ptx_function *f = body->function;
    if (!has_enough(f) || e->target->checks)
        return;
    const size_t all = f->instruction_count + 1, registers = f->register_count + 1;
    struct search s = {.e = e, .body = body, .function = f};
    s.writes = ptx_arena_array(e->arena, registers, sizeof *s.writes);
    s.reads = ptx_arena_array(e->arena, registers, sizeof *s.reads);
    s.origins = ptx_arena_array(e->arena, registers, sizeof *s.origins);
    s.loaded = ptx_arena_array(e->arena, registers, sizeof *s.loaded);
    s.moved = ptx_arena_array(e->arena, all, sizeof *s.moved);
    bool *is_label = ptx_arena_array(e->arena, all, sizeof *is_label);
    body->copies = ptx_arena_array(e->arena, all, sizeof(struct ptx_copy *));
    body->is_copied = ptx_arena_array(e->arena, all, sizeof *body->is_copied);
    for (size_t i = 0; i < f->label_count; i++)
        is_label[f->labels[i].instruction] = true;
    count_uses(&s);
    for (size_t i = 0; i < f->instruction_count; i++)
        note_origin(&s, &f->instructions[i]);
    ptx_steps(e->arena, 8 * all);
    for (size_t i = 0; i < f->instruction_count; i++) {
        if (is_label[i])
            end_piece(&s, i);
        see(&s, (uint32_t)i);
    }
    end_piece(&s, f->instruction_count);
    if (s.has_moved)
        find_copied(&s);
}

static void show_base(const struct ptx_place *place, ptx_show_register *show, void *with)
{
    if (place->address.index >= 0)
        show(with, (uint32_t)place->address.index, true);
}

void ptx_body_reads(const struct ptx_body *body, size_t index, ptx_show_register *show, void *with)
{
    ptx_flow_reads(&body->function->instructions[index], show, with);
    for (const struct ptx_copy *copy = body->copies ? body->copies[index] : NULL; copy;
         copy = copy->next)
        for (size_t i = 0; i < copy->part_count; i++) {
            show_base(&copy->parts[i].from, show, with);
            show_base(&copy->parts[i].to, show, with);
        }
}
