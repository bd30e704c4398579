/* Registers while a node is written: as vectors, as one variable for all lanes, as those of one lane in a loop over lanes.
 * What has a home in the frame is put there at once whenever it is set, so that the home is always right.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/warp/warp.h"

/* ---- Types ---- */

static bool is_c_float(enum ptx_type type)
{
    return type == PTX_F32 || type == PTX_F64;
}

const char *ptx_warp_vector_name(enum ptx_type type)
{
    static const char *const names[][2] = {
        [1] = {"u8", "s8"}, [2] = {"u16", "s16"}, [4] = {"u32", "s32"}, [8] = {"u64", "s64"}};
    if (is_c_float(type))
        return type == PTX_F32 ? "f32" : "f64";
    if (type == PTX_PRED)
        return "s32";
    const size_t bytes = type == PTX_NONE ? 4 : ptx_type_bytes(type);
    return names[bytes][ptx_type_is_signed(type) && type != PTX_S16X2];
}

static size_t element_bytes(const struct ptx_emitter *e, uint32_t index)
{
    const uint8_t width = e->function->registers[index].width;
    return ptx_type_bytes(ptx_register_type(e, index)) * (width > 1 ? width : 1);
}

size_t ptx_warp_home_bytes(struct ptx_emitter *e, uint32_t index)
{
    return element_bytes(e, index) * (e->warp_writer->is_uniform[index] ? 1 : 32);
}

static const char *plain_type(struct ptx_emitter *e, uint32_t index)
{
    const char *type = ptx_register_c_type(e, index);
    return strchr(type, '*') ? "clem_pointer" : type;
}

static const char *name_of(struct ptx_emitter *e, uint32_t index)
{
    return ptx_current_body(e)->names[index];
}

void ptx_warp_begin_node(struct ptx_emitter *e, int32_t node)
{
    struct ptx_warp_writer *w = e->warp_writer;
    const size_t count = e->function->register_count;
    w->node = node;
    memset(w->is_declared, 0, count * sizeof *w->is_declared);
    memset(w->is_cached, 0, count * sizeof *w->is_cached);
}

/* ---- One variable for all lanes ---- */

void ptx_warp_take_one(struct ptx_emitter *e, uint32_t index, bool wants_value)
{
    struct ptx_warp_writer *w = e->warp_writer;
    if (w->is_constant[index])
        return;
    const bool loads = wants_value && !w->is_cached[index] && w->homes[index] != PTX_NO_HOME;
    const char *declaration =
        w->is_declared[index] ? "" : ptx_format(e, "%s ", plain_type(e, index));
    if (loads)
        ptx_line(e, "%s%s = clem_one(%s, %d);", declaration, name_of(e, index),
                 plain_type(e, index), (int)w->homes[index]);
    else if (!w->is_declared[index])
        ptx_line(e, "%s%s;", declaration, name_of(e, index));
    w->is_declared[index] = true;
    w->is_cached[index] |= loads;
}

void ptx_warp_keep_one(struct ptx_emitter *e, uint32_t index)
{
    struct ptx_warp_writer *w = e->warp_writer;
    w->is_cached[index] = true;
    if (w->homes[index] != PTX_NO_HOME)
        ptx_line(e, "clem_one(%s, %d) = %s;", plain_type(e, index), (int)w->homes[index],
                 name_of(e, index));
}

/* ---- Vectors ---- */

static const char *home_of(struct ptx_emitter *e, uint32_t index)
{
    const enum ptx_type type = ptx_register_type(e, index);
    const int home = (int)e->warp_writer->homes[index];
    return type == PTX_PRED ? ptx_format(e, "clem_take_pred(%d)", home)
                            : ptx_format(e, "clem_home_%s(%d)", ptx_warp_vector_name(type), home);
}

/* `clem_u32v v_r5 = ...;`, the first time with its type. */
static void set_vector(struct ptx_emitter *e, uint32_t index, const char *value)
{
    struct ptx_warp_writer *w = e->warp_writer;
    const char *type = ptx_warp_vector_name(ptx_register_type(e, index));
    if (w->is_declared[index])
        ptx_line(e, "v_%s = %s;", name_of(e, index), value);
    else
        ptx_line(e, "clem_%sv v_%s = %s;", type, name_of(e, index), value);
    w->is_declared[index] = w->is_cached[index] = true;
}

static bool take_vector(struct ptx_emitter *e, uint32_t index)
{
    struct ptx_warp_writer *w = e->warp_writer;
    if (!w->is_cached[index] && w->homes[index] != PTX_NO_HOME)
        set_vector(e, index, home_of(e, index));
    return w->is_cached[index];
}

static enum ptx_type without_sign(enum ptx_type type)
{
    switch (ptx_type_bytes(type)) {
    case 1:
        return PTX_U8;
    case 2:
        return PTX_U16;
    case 8:
        return PTX_U64;
    default:
        return PTX_U32;
    }
}

/* Bits of one type as another of the same size. */
static const char *as_vector(struct ptx_emitter *e, const char *x, enum ptx_type from,
                             enum ptx_type to)
{
    const char *name = ptx_warp_vector_name(to);
    return strcmp(ptx_warp_vector_name(from), name) == 0
               ? x
               : ptx_format(e, "clem_as(%s, clem_%sv)", x, name);
}

/* As ptx_as_type(): cut, or extended by the sign of what is converted. */
static const char *converted(struct ptx_emitter *e, const char *x, enum ptx_type from,
                             enum ptx_type to)
{
    if (ptx_type_bytes(from) == ptx_type_bytes(to))
        return as_vector(e, x, from, to);
    enum ptx_type whole = from, middle = without_sign(to);
    if (is_c_float(from))
        whole = without_sign(from);
    x = as_vector(e, x, from, whole);
    x = ptx_format(e, "clem_to(%s, clem_%sv)", x, ptx_warp_vector_name(middle));
    return as_vector(e, x, middle, to);
}

static const char *splat(struct ptx_emitter *e, enum ptx_type type, const char *value)
{
    return type == PTX_PRED ? ptx_format(e, "((clem_s32v)(-(int)%s))", value)
                            : ptx_format(e, "((clem_%sv)(%s))", ptx_warp_vector_name(type), value);
}

/* ---- Special registers ---- */

static const char *special_text(struct ptx_emitter *e, int32_t special)
{
    switch (special) {
    case PTX_TID_X:
    case PTX_TID_Y:
    case PTX_TID_Z:
        return ptx_format(e, "clem_home_u32(%d)",
                          (int)e->warp_writer->numbers + 128 * (special - PTX_TID_X));
    case PTX_LANEID:
        return "clem_iota";
    case PTX_WARPID:
        return "((clem_u32v)(clem_warp_at))";
    case PTX_LANEMASK_EQ:
        return "clem_lane_bits";
    case PTX_LANEMASK_LT:
        return "(clem_lane_bits - 1u)";
    case PTX_LANEMASK_LE:
        return "((clem_lane_bits << 1) - 1u)";
    case PTX_LANEMASK_GE:
        return "(0u - clem_lane_bits)";
    case PTX_LANEMASK_GT:
        return "(0u - (clem_lane_bits << 1))";
    default:
        return NULL;
    }
}

static const char *special_vector(struct ptx_emitter *e, const struct ptx_operand *operand,
                                  enum ptx_type type)
{
    const char *text = special_text(e, operand->index);
    return text ? converted(e, text, PTX_U32, type) : splat(e, type, ptx_value(e, operand, type));
}

/* ---- Operands ---- */

bool ptx_warp_has_value(struct ptx_emitter *e, const struct ptx_operand *operand)
{
    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
        return operand->part == 0 && e->function->registers[operand->index].width <= 1 &&
               ptx_register_type(e, (uint32_t)operand->index) != PTX_B128;
    case PTX_OPERAND_SPECIAL:
        return ptx_special_is_uniform(operand->index) || operand->index <= PTX_TID_Z ||
               special_text(e, operand->index);
    case PTX_OPERAND_INTEGER:
    case PTX_OPERAND_FLOAT:
    case PTX_OPERAND_VARIABLE:
        return true;
    default:
        return false;
    }
}

static const char *register_vector(struct ptx_emitter *e, const struct ptx_operand *operand,
                                   enum ptx_type type)
{
    const uint32_t index = (uint32_t)operand->index;
    if (e->warp_writer->is_uniform[index]) {
        ptx_warp_take_one(e, index, true);
        return splat(e, type, ptx_value(e, operand, type));
    }
    const enum ptx_type held = ptx_register_type(e, index);
    if (!take_vector(e, index))
        return splat(e, type, "0"); /* nothing has set it */
    const char *text = converted(e, ptx_format(e, "v_%s", name_of(e, index)), held, type);
    return operand->is_negated ? ptx_format(e, "~%s", text) : text;
}

const char *ptx_warp_value(struct ptx_emitter *e, const struct ptx_operand *operand,
                           enum ptx_type type)
{
    if (operand->kind == PTX_OPERAND_REGISTER)
        return register_vector(e, operand, type);
    if (operand->kind == PTX_OPERAND_SPECIAL)
        return special_vector(e, operand, type);
    return splat(e, type, ptx_value(e, operand, type));
}

const char *ptx_warp_mask(struct ptx_emitter *e, const char *mask, size_t bytes)
{
    static const char *const names[] = {[1] = "s8", [2] = "s16", [8] = "s64"};
    return bytes == 4 ? mask : ptx_format(e, "clem_to(%s, clem_%sv)", mask, names[bytes]);
}

/* ---- Setting ---- */

static void store_vector(struct ptx_emitter *e, uint32_t index)
{
    const struct ptx_warp_writer *w = e->warp_writer;
    const enum ptx_type type = ptx_register_type(e, index);
    if (w->homes[index] == PTX_NO_HOME)
        return;
    const char *kind = type == PTX_PRED ? "pred" : ptx_warp_vector_name(type);
    const bool blends = w->crosses[index] && !w->is_whole[w->node];
    if (blends || type == PTX_PRED)
        ptx_line(e, "clem_%s_%s(%d, v_%s);", blends ? "blend" : "put", kind, (int)w->homes[index],
                 name_of(e, index));
    else
        ptx_line(e, "clem_home_%s(%d) = v_%s;", kind, (int)w->homes[index], name_of(e, index));
}

void ptx_warp_set(struct ptx_emitter *e, const struct ptx_instruction *in,
                  const struct ptx_operand *destination, enum ptx_type type, const char *value)
{
    if (destination->kind == PTX_OPERAND_SINK)
        return;
    if (destination->kind != PTX_OPERAND_REGISTER) {
        ptx_refuse(e, "a destination that is no register");
        return;
    }
    const uint32_t index = (uint32_t)destination->index;
    const enum ptx_type held = ptx_register_type(e, index);
    if (held != PTX_PRED)
        value = converted(e, value, type, held);
    if (in->guard >= 0 && take_vector(e, index)) {
        const struct ptx_operand guard = {
            .kind = PTX_OPERAND_REGISTER, .index = in->guard, .is_negated = in->guard_negated};
        value = ptx_format(e, "%s ? %s : v_%s",
                           ptx_warp_mask(e, ptx_warp_value(e, &guard, PTX_PRED),
                                         held == PTX_PRED ? 4 : ptx_type_bytes(held)),
                           value, name_of(e, index));
    }
    set_vector(e, index, value);
    store_vector(e, index);
}

/* ---- Loops over lanes ---- */

struct lane_needs {
    struct ptx_emitter *e;
    bool *loads, *touched, *written;
    bool is_guarded;
};

static void note_read(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct lane_needs *n = with;
    if (!name_of(n->e, index))
        return; /* only a run of copies reads it, in its own way */
    n->loads[index] |= !n->touched[index];
    n->touched[index] = true;
}

static void note_write(void *with, uint32_t index, bool is_whole)
{
    struct lane_needs *n = with;
    if (!name_of(n->e, index))
        return;
    n->loads[index] |= !n->touched[index] && !is_whole;
    n->touched[index] = n->written[index] = true;
}

static const char *lane_home(struct ptx_emitter *e, uint32_t index)
{
    return ptx_format(e, "clem_of_lane(%s, %d)", plain_type(e, index),
                      (int)e->warp_writer->homes[index]);
}

/* Those that are one variable for all lanes stand before the loop. */
bool ptx_warp_is_one_place(const struct ptx_emitter *e, const struct ptx_operand *address)
{
    return address->variable || address->index < 0 || e->warp_writer->is_uniform[address->index];
}

/* Of stores at one place for all lanes only one is done. Where a guard says who stores, each lane is asked. */
static enum ptx_warp_lanes lanes_of(const struct ptx_emitter *e, uint32_t first)
{
    const struct ptx_warp_writer *w = e->warp_writer;
    const struct ptx_instruction *in = &e->function->instructions[first];
    if (w->items[first] != PTX_ITEM_STORE)
        return PTX_LANES_UPWARD;
    const bool is_one =
        in->guard < 0 && (in->space == PTX_SPACE_GLOBAL || in->space == PTX_SPACE_SHARED) &&
        in->operands[0].kind == PTX_OPERAND_ADDRESS && ptx_warp_is_one_place(e, &in->operands[0]);
    return is_one ? PTX_LANES_WINNER : PTX_LANES_DOWNWARD;
}

static const struct {
    const char *lane, *end;
} lane_loops[] = {
    [PTX_LANES_UPWARD] = {"CLEM_LANE_OF_WARP", "} while (CLEM_LANES_OF_WARP);"},
    [PTX_LANES_DOWNWARD] = {"CLEM_HIGHEST_LANE", "} while (CLEM_LANES_DOWNWARD);"},
    [PTX_LANES_WINNER] = {"CLEM_LANE_THAT_WINS", NULL},
};

/* Those that are one variable for all lanes stand before the loop. Its condition stands at its end, for there is a lane:
 * compilers turn other loops round, and look through the whole kernel for each that they turn. */
static void open_lanes(struct ptx_emitter *e, const struct lane_needs *n, enum ptx_warp_lanes lanes)
{
    const struct ptx_warp_writer *w = e->warp_writer;
    for (uint32_t i = 0; i < e->function->register_count; i++)
        if (n->touched[i] && w->is_uniform[i])
            ptx_warp_take_one(e, i, true);
    ptx_line(e, "{");
    if (lanes != PTX_LANES_WINNER) {
        ptx_line(e, "uint clem_rest = clem_active;");
        ptx_text_put(e->out, PTX_BLOCK_PLAIN_LOOP);
        ptx_line(e, "do {");
    }
    ptx_line(e, "%s", lane_loops[lanes].lane);
    for (uint32_t i = 0; i < e->function->register_count; i++) {
        if (!n->touched[i] || w->is_uniform[i])
            continue;
        if (n->loads[i] && w->homes[i] != PTX_NO_HOME)
            ptx_line(e, "%s %s = %s;", plain_type(e, i), name_of(e, i), lane_home(e, i));
        else
            ptx_line(e, "%s %s;", plain_type(e, i), name_of(e, i));
    }
}

void ptx_warp_end_lanes(struct ptx_emitter *e, enum ptx_warp_lanes lanes)
{
    if (lane_loops[lanes].end)
        ptx_line(e, "%s", lane_loops[lanes].end);
    ptx_line(e, "}");
}

static void close_lanes(struct ptx_emitter *e, const struct lane_needs *n,
                        enum ptx_warp_lanes lanes)
{
    struct ptx_warp_writer *w = e->warp_writer;
    for (uint32_t i = 0; i < e->function->register_count; i++) {
        if (!n->written[i] || w->is_uniform[i])
            continue;
        w->is_cached[i] = false;
        if (w->homes[i] != PTX_NO_HOME)
            ptx_line(e, "%s = %s;", lane_home(e, i), name_of(e, i));
    }
    ptx_warp_end_lanes(e, lanes);
}

static struct lane_needs lend_needs(struct ptx_emitter *e)
{
    const size_t count = e->function->register_count + 1;
    return (struct lane_needs){.e = e,
                               .loads = ptx_arena_lend(e->arena, count, sizeof(bool)),
                               .touched = ptx_arena_lend(e->arena, count, sizeof(bool)),
                               .written = ptx_arena_lend(e->arena, count, sizeof(bool))};
}

static void return_needs(struct ptx_emitter *e, struct lane_needs *n)
{
    ptx_arena_return(e->arena, n->written);
    ptx_arena_return(e->arena, n->touched);
    ptx_arena_return(e->arena, n->loads);
}

static void declare_of_lane(struct ptx_emitter *e, bool has_carry)
{
    ptx_line(e, "CLEM_SCRATCH uchar *const clem_local = clem_locals + clem_index * %zuu;",
             (e->plan->local_bytes + 15) / 16 * 16);
    ptx_line(e, "(void)clem_local;");
    if (has_carry)
        ptx_line(e, "uint clem_carry = clem_of_lane(uint, %d);", (int)e->warp_writer->carries);
}

void ptx_warp_lanes(struct ptx_emitter *e, uint32_t first, uint32_t end)
{
    struct lane_needs n = lend_needs(e);
    const struct ptx_instruction *all = e->function->instructions;
    const struct ptx_warp_writer *w = e->warp_writer;
    bool has_carry = false;
    for (uint32_t i = first; i < end; i++) {
        if (w->items[i] == PTX_ITEM_NOTHING)
            continue;
        ptx_body_reads(ptx_current_body(e), i, note_read, &n);
        ptx_flow_writes(&all[i], note_write, &n);
        has_carry |= ptx_is_carry(&all[i]);
    }
    const enum ptx_warp_lanes lanes = lanes_of(e, first);
    open_lanes(e, &n, lanes);
    declare_of_lane(e, has_carry);
    for (uint32_t i = first; i < end && e->status == PTX_OK; i++)
        if (w->items[i] != PTX_ITEM_NOTHING)
            ptx_emit_instruction(e, &all[i]);
    if (has_carry)
        ptx_line(e, "clem_of_lane(uint, %d) = clem_carry;", (int)w->carries);
    close_lanes(e, &n, lanes);
    return_needs(e, &n);
}

void ptx_warp_begin_lanes(struct ptx_emitter *e, const struct ptx_instruction *reader)
{
    struct lane_needs n = lend_needs(e);
    ptx_flow_reads(reader, note_read, &n);
    open_lanes(e, &n, PTX_LANES_UPWARD);
    return_needs(e, &n);
}
