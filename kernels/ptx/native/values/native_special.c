/* Special registers and addresses of variables in the native form.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "kernels/ptx/host/runtime.h"
#include "kernels/ptx/native/native_flow.h"

/* ---- What the function's two arguments point to ---- */

/* Writes a load into the function's entry block, once for each name. */
static const char *of_argument(struct ptx_native *n, const char *argument, size_t at,
                               const char *type, bool *is_there)
{
    struct ptx_emitter *e = n->e;
    const char *name = ptx_format(e, "%%%s.%zu", argument, at);
    if (*is_there)
        return name;
    *is_there = true;
    struct ptx_text *const out = e->out;
    e->out = n->flow->head;
    const char *address = ptx_native_emit(n, "add i64 %%%s, %zu", argument, at);
    const char *pointer = ptx_native_pointer(n, type, address);
    ptx_native_do(n, "%s = load %s, %s %s", name, type, ptx_native_pointer_type(n, type), pointer);
    e->out = out;
    return name;
}

const char *ptx_native_of_launch(struct ptx_native *n, size_t at, const char *type)
{
    return of_argument(n, "launch", at, type, &n->flow->has_launch[at]);
}

/* Whether a member of struct ptx_native_block is of the warp being run; write_turn() names it. */
static bool is_of_warp(size_t at)
{
    return at == offsetof(struct ptx_native_block, frame) ||
           at == offsetof(struct ptx_native_block, local) ||
           at == offsetof(struct ptx_native_block, tids) ||
           at == offsetof(struct ptx_native_block, warp) ||
           at == offsetof(struct ptx_native_block, lanes) ||
           at == offsetof(struct ptx_native_block, result);
}

const char *ptx_native_of_block(struct ptx_native *n, size_t at, const char *type)
{
    if (at == offsetof(struct ptx_native_block, frame) && n->flow->frame)
        return n->flow->frame;
    if (!n->flow->is_parted && is_of_warp(at))
        return ptx_format(n->e, "%%state.%zu", at);
    return of_argument(n, "state", at, type,
                       &n->flow->has_launch[sizeof(struct ptx_native_launch) + at]);
}

/* Blocks that go leg by leg are each run whole, in one call. */
const char *ptx_native_first_warp(struct ptx_native *n)
{
    return n->flow->has_legs
               ? "0"
               : ptx_native_of_block(n, offsetof(struct ptx_native_block, first), "i32");
}

const char *ptx_native_are_together(struct ptx_native *n)
{
    if (n->flow->has_legs)
        return "true";
    return ptx_native_emit(
        n, "icmp ne i32 %s, 0",
        ptx_native_of_block(n, offsetof(struct ptx_native_block, is_together), "i32"));
}

const char *ptx_native_frame_place(struct ptx_native *n, uint32_t index, size_t behind,
                                   const char *type)
{
    const char *frame = ptx_native_of_block(n, offsetof(struct ptx_native_block, frame), "i64");
    return ptx_native_pointer(
        n, type, ptx_native_emit(n, "add i64 %s, %zu", frame, n->flow->frame_at[index] + behind));
}

const char *ptx_native_of_turn(struct ptx_native *n, size_t at)
{
    return ptx_native_pointer(n, "i32", ptx_native_emit(n, "add i64 %%turn.at, %zu", at));
}

const char *ptx_native_word_of(struct ptx_native *n, int32_t node)
{
    return ptx_format(n->e, "%%m.%d", (int)node);
}

#define OF_LAUNCH(member) offsetof(struct ptx_native_launch, member)
#define OF_BLOCK(member)  offsetof(struct ptx_native_block, member)

/* ---- Special registers ---- */

bool ptx_native_tid_is_alike(const struct ptx_native *n, int32_t axis)
{
    const enum ptx_threads threads = n->e->target->threads;
    return n->flow->by_thread ||
           (axis == 1 && (ptx_native_has_rows(threads) || threads == PTX_THREADS_ROW)) ||
           (axis == 2 && threads != PTX_THREADS_ANY);
}

const char *ptx_native_tid_of_half(struct ptx_native *n, int32_t axis, unsigned half)
{
    struct ptx_emitter *e = n->e;
    const char *name = ptx_format(e, "%%tid.%d.%u", (int)axis, half);
    bool *const has = &n->flow->has_tid[2 * axis + (int32_t)half];
    if (n->flow->is_solo && n->flow->solo_warp == 0 && axis == 0)
        return half == 0 ? "0" : "16";
    if (*has || !n->flow->is_parted)
        return name;
    *has = true;
    const char *base = ptx_native_of_block(n, OF_BLOCK(tids), "i64");
    struct ptx_text *const out = e->out;
    e->out = n->flow->head;
    const char *address =
        ptx_native_emit(n, "add i64 %s, %u", base, (unsigned)axis * 128 + half * 64);
    const char *pointer = ptx_native_pointer(n, "i32", address);
    ptx_native_do(n, "%s = load i32, %s %s", name, ptx_native_pointer_type(n, "i32"), pointer);
    e->out = out;
    return name;
}

static struct ptx_native_value tid(struct ptx_native *n, int32_t axis)
{
    struct ptx_emitter *e = n->e;
    if (ptx_native_tid_is_alike(n, axis))
        return ptx_native_number(n, 32, ptx_native_tid_of_half(n, axis, 0));
    const char *name = ptx_format(e, "%%tid.%d", (int)axis);
    if (n->flow->is_parted && !n->flow->has_special[axis]) {
        n->flow->has_special[axis] = true;
        const char *base = ptx_native_of_block(n, OF_BLOCK(tids), "i64");
        struct ptx_text *const out = e->out;
        e->out = n->flow->head;
        const char *address = ptx_native_emit(n, "add i64 %s, %d", base, (int)axis * 128);
        const char *pointer = ptx_native_pointer(n, "<32 x i32>", address);
        ptx_native_do(n, "%s = load <32 x i32>, %s %s, align 64", name,
                      ptx_native_pointer_type(n, "<32 x i32>"), pointer);
        e->out = out;
    }
    return (struct ptx_native_value){name, 32, true};
}

/* Of each lane's number, a mask of lanes. */
static struct ptx_native_value lane_mask(struct ptx_native *n, int32_t special)
{
    char words[1024];
    size_t used = 0;
    for (unsigned i = 0; i < PTX_NATIVE_LANES; i++) {
        const uint32_t bit = 1u << i;
        const uint32_t value = special == PTX_LANEMASK_EQ   ? bit
                               : special == PTX_LANEMASK_LT ? bit - 1
                               : special == PTX_LANEMASK_LE ? bit | (bit - 1)
                               : special == PTX_LANEMASK_GE ? ~(bit - 1)
                                                            : ~(bit | (bit - 1));
        used += (size_t)snprintf(words + used, sizeof words - used, "%si32 %u", i ? "," : "<",
                                 (unsigned)value);
    }
    return (struct ptx_native_value){ptx_format(n->e, "%s>", words), 32, true};
}

static struct ptx_native_value warps_of_block(struct ptx_native *n)
{
    const char *x = ptx_native_of_launch(n, OF_LAUNCH(block), "i32");
    const char *y = ptx_native_of_launch(n, OF_LAUNCH(block) + 4, "i32");
    const char *z = ptx_native_of_launch(n, OF_LAUNCH(block) + 8, "i32");
    const char *xy = ptx_native_emit(n, "mul i32 %s, %s", x, y);
    const char *all = ptx_native_emit(n, "mul i32 %s, %s", xy, z);
    const char *up = ptx_native_emit(n, "add i32 %s, 31", all);
    return ptx_native_number(n, 32, ptx_native_emit(n, "lshr i32 %s, 5", up));
}

static struct ptx_native_value clock_value(struct ptx_native *n, int32_t special)
{
    ptx_need(n->e, PTX_NEED_RUNTIME);
    const char *runtime = ptx_native_of_launch(n, OF_LAUNCH(runtime), "i64");
    ptx_native_declare(n, "declare i64 @clem_native_clock(i64)");
    const char *now = ptx_native_emit(n, "call i64 @clem_native_clock(i64 %s)", runtime);
    if (special == PTX_CLOCK_HI)
        now = ptx_native_emit(n, "lshr i64 %s, 32", now);
    return ptx_native_number(n, 64, now);
}

/* Nanoseconds: other forms have nothing but a clock to count by. */
static struct ptx_native_value timer_value(struct ptx_native *n, int32_t special)
{
    ptx_native_declare(n, "declare i64 @clem_native_timer()");
    const char *now = ptx_native_emit(n, "call i64 @clem_native_timer()");
    if (special == PTX_GLOBALTIMER_HI)
        now = ptx_native_emit(n, "lshr i64 %s, 32", now);
    return ptx_native_number(n, 64, now);
}

/* The address of the grid's workspace, in halves; 0 in launches that are not cooperative. */
static struct ptx_native_value workspace_half(struct ptx_native *n, bool is_upper)
{
    const char *word = ptx_native_of_launch(n, OF_LAUNCH(is_cooperative), "i32");
    const char *is = ptx_native_emit(n, "icmp ne i32 %s, 0", word);
    const char *at = ptx_native_emit(n, "add i64 %%launch, %zu", OF_LAUNCH(workspace));
    at = ptx_native_emit(n, "select i1 %s, i64 %s, i64 0", is, at);
    if (is_upper)
        at = ptx_native_emit(n, "lshr i64 %s, 32", at);
    return ptx_native_number(n, 32, ptx_native_emit(n, "trunc i64 %s to i32", at));
}

struct ptx_native_value ptx_native_special(struct ptx_native *n, int32_t special)
{
    switch (special) {
    case PTX_TID_X:
    case PTX_TID_Y:
    case PTX_TID_Z:
        return tid(n, special - PTX_TID_X);
    case PTX_NTID_X:
    case PTX_NTID_Y:
    case PTX_NTID_Z:
        return ptx_native_number(
            n, 32,
            ptx_native_of_launch(n, OF_LAUNCH(block) + 4 * (size_t)(special - PTX_NTID_X), "i32"));
    case PTX_CTAID_X:
        if (n->flow->is_swept || n->flow->is_in_rows || n->flow->is_together)
            return ptx_native_number(n, 32, PTX_NATIVE_COLUMN);
        /* fall through */
    case PTX_CTAID_Y:
    case PTX_CTAID_Z:
        return ptx_native_number(
            n, 32,
            ptx_native_of_block(n, OF_BLOCK(index) + 4 * (size_t)(special - PTX_CTAID_X), "i32"));
    case PTX_NCTAID_X:
    case PTX_NCTAID_Y:
    case PTX_NCTAID_Z:
        return ptx_native_number(
            n, 32,
            ptx_native_of_launch(n, OF_LAUNCH(grid) + 4 * (size_t)(special - PTX_NCTAID_X), "i32"));
    case PTX_LANEID:
        return (struct ptx_native_value){ptx_native_iota(32), 32, true};
    case PTX_WARPID:
        return ptx_native_number(n, 32, ptx_native_of_block(n, OF_BLOCK(warp), "i32"));
    case PTX_NWARPID:
        return warps_of_block(n);
    case PTX_WARP_SZ:
        return ptx_native_number(n, 32, "32");
    case PTX_NSMID:
        return ptx_native_number(n, 32, "1");
    case PTX_SMID:
    case PTX_PM:
        return ptx_native_number(n, 32, "0");
    case PTX_GRIDID:
        return ptx_native_number(n, 64, "0");
    case PTX_LANEMASK_EQ:
    case PTX_LANEMASK_LE:
    case PTX_LANEMASK_LT:
    case PTX_LANEMASK_GE:
    case PTX_LANEMASK_GT:
        return lane_mask(n, special);
    case PTX_CLOCK:
    case PTX_CLOCK_HI:
    case PTX_CLOCK64:
        return clock_value(n, special);
    case PTX_GLOBALTIMER:
    case PTX_GLOBALTIMER_LO:
    case PTX_GLOBALTIMER_HI:
        return timer_value(n, special);
    case PTX_ENVREG1: /* the upper half, as in PTX that is given to a driver */
    case PTX_ENVREG2:
        return workspace_half(n, special == PTX_ENVREG1);
    case PTX_DYNAMIC_SMEM_SIZE:
        return ptx_native_number(n, 32, ptx_native_of_launch(n, OF_LAUNCH(dynamic_bytes), "i32"));
    case PTX_TOTAL_SMEM_SIZE:
    case PTX_AGGR_SMEM_SIZE:
        return ptx_native_number(
            n, 32,
            ptx_native_emit(n, "add i32 %s, %zu",
                            ptx_native_of_launch(n, OF_LAUNCH(dynamic_bytes), "i32"),
                            n->e->plan->shared_bytes));
    default:
        ptx_refuse(n->e, "a special register that has no value in the native form");
        return ptx_native_number(n, 32, "0");
    }
}

/* ---- Variables ---- */

size_t ptx_native_shared_offset(struct ptx_native *n, const struct ptx_variable *v)
{
    const struct ptx_plan *plan = n->e->plan;
    for (size_t i = 0; i < plan->shared_count; i++)
        if (plan->shared[i].variable == v)
            return plan->shared[i].offset;
    ptx_refuse(n->e, "shared variable %s has no place", v->name);
    return 0;
}

static struct ptx_native_value of_module(struct ptx_native *n, const struct ptx_variable *v,
                                         int64_t plus)
{
    const enum ptx_block block = v->space == PTX_SPACE_CONST ? PTX_BLOCK_CONSTANT
                                 : v->is_managed             ? PTX_BLOCK_MANAGED
                                                             : PTX_BLOCK_DEVICE;
    if (v->type == PTX_TEXREF || v->type == PTX_SURFREF || v->type == PTX_SAMPLERREF)
        ptx_refuse(n->e, "the address of reference %s has no translation", v->name);
    ptx_need(n->e, (uint32_t)PTX_NEED_CONSTANT << block);
    const char *base = ptx_native_of_launch(n, OF_LAUNCH(blocks) + 8 * (size_t)block, "i64");
    return ptx_native_number(
        n, 64,
        ptx_native_emit(n, "add i64 %s, %lld", base, (long long)v->offset + (long long)plus));
}

struct ptx_native_value ptx_native_variable(struct ptx_native *n, const struct ptx_variable *v,
                                            int64_t plus)
{
    size_t position;
    switch (v->space) {
    case PTX_SPACE_SHARED:
        ptx_need(n->e, PTX_NEED_SHARED | PTX_NEED_SHARED_BYTES);
        return ptx_native_number(
            n, 64,
            ptx_format(n->e, "%lld", (long long)ptx_native_shared_offset(n, v) + (long long)plus));
    case PTX_SPACE_LOCAL:
        if (!ptx_position_of(n->flow->function, v, &position)) {
            ptx_refuse(n->e, "local variable %s is of another function", v->name);
            return ptx_native_number(n, 64, "0");
        }
        return ptx_native_number(
            n, 64,
            ptx_format(n->e, "%lld",
                       (long long)n->flow->body->local_offsets[position] + (long long)plus));
    case PTX_SPACE_PARAM:
        if (!ptx_is_entry_parameter(n->e, v))
            ptx_refuse(n->e, "the address of parameter %s of a function", v->name);
        return ptx_native_number(
            n, 64,
            ptx_native_emit(n, "add i64 %s, %lld",
                            ptx_native_of_launch(n, OF_LAUNCH(parameters), "i64"),
                            (long long)v->offset + (long long)plus));
    default:
        return of_module(n, v, plus);
    }
}
