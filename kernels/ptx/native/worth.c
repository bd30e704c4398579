/* Whether the native form runs a kernel faster that a work-item for each thread would run as well.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/native/native.h"

/* A function takes longer than a sum; what is in a loop counts for so many turns of it. */
enum { SUMS_PER_FUNCTION = 8, TURNS = 8, MOST_WEIGHT = TURNS * TURNS * TURNS };

struct worth {
    uint64_t arithmetic, accesses;
    bool has_loops, gathers, has_pictures;
    bool scatters_atomically; /* operations of others' threads, at places that memory names */
    bool parts;               /* memory decides whether threads go on */
};

/* ---- Loops ---- */

/* Where a branch leads to, or -1. */
static int64_t target_of(const struct ptx_function *function, const struct ptx_instruction *in)
{
    if (in->opcode != PTX_OPCODE_bra || in->operand_count == 0)
        return -1;
    const struct ptx_operand *to = &in->operands[in->operand_count - 1];
    return to->kind == PTX_OPERAND_LABEL && to->index >= 0
               ? (int64_t)function->labels[to->index].instruction
               : -1;
}

/* How often each instruction counts: branches that lead back make loops of what lies between. */
static uint32_t *weigh(struct ptx_emitter *e, const struct ptx_function *function, bool *has_loops)
{
    const size_t count = function->instruction_count;
    uint32_t *weights = ptx_arena_array(e->arena, count + 1, sizeof *weights);
    int64_t *starts = ptx_arena_array(e->arena, count + 1, sizeof *starts);
    for (size_t i = 0; i < count; i++)
        starts[i] = target_of(function, &function->instructions[i]);
    /* From the end: of loops that begin together the last end counts, as one loop. */
    uint32_t depth = 0;
    int64_t *open = ptx_arena_array(e->arena, count + 1, sizeof *open);
    for (size_t i = count; i > 0; i--) {
        const int64_t at = (int64_t)i - 1, start = starts[at];
        while (depth > 0 && open[depth - 1] > at)
            depth--;
        if (start >= 0 && start <= at && (depth == 0 || open[depth - 1] < start)) {
            open[depth++] = start;
            *has_loops = true;
        }
        weights[at] = 1;
        for (uint32_t d = 0; d < depth && weights[at] < MOST_WEIGHT; d++)
            weights[at] *= TURNS;
    }
    return weights;
}

/* ---- What instructions do ---- */

static bool is_function(const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OPCODE_ex2:
    case PTX_OPCODE_lg2:
    case PTX_OPCODE_sin:
    case PTX_OPCODE_cos:
    case PTX_OPCODE_rsqrt:
    case PTX_OPCODE_rcp:
    case PTX_OPCODE_sqrt:
    case PTX_OPCODE_div:
    case PTX_OPCODE_rem:
    case PTX_OPCODE_tanh:
    case PTX_OPCODE_call: /* of the library of functions, mostly */
        return true;
    default:
        return false;
    }
}

static bool is_access(const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OPCODE_ld:
    case PTX_OPCODE_st:
    case PTX_OPCODE_atom:
    case PTX_OPCODE_red:
        return in->space != PTX_SPACE_PARAM;
    default:
        return false;
    }
}

/* Of values: what is a number for addresses, or goes from one register to another, LLVM makes little of. */
static bool is_sum(const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OPCODE_mov:
    case PTX_OPCODE_setp:
    case PTX_OPCODE_cvta:
        return false;
    default:
        return ptx_native_has_operation(in) &&
               (ptx_native_bits((enum ptx_type)in->types[0]) <= 32 || in->types[0] == PTX_F64);
    }
}

/* ---- Addresses that memory has brought ---- */

static bool *note(struct ptx_emitter *e, const struct ptx_function *function)
{
    return ptx_arena_array(e->arena, function->register_count + 1, sizeof(bool));
}

static bool reads(const struct ptx_operand *operand, const bool *is_brought)
{
    bool is = false;
    if (operand->kind == PTX_OPERAND_REGISTER || operand->kind == PTX_OPERAND_ADDRESS)
        return operand->index >= 0 && is_brought[operand->index];
    for (uint32_t i = 0; operand->kind == PTX_OPERAND_VECTOR && i < operand->count; i++)
        is |= reads(&operand->list[i], is_brought);
    return is;
}

static bool mark(const struct ptx_operand *operand, bool *is_brought)
{
    bool has_changed = false;
    if (operand->kind == PTX_OPERAND_REGISTER && operand->index >= 0) {
        has_changed = !is_brought[operand->index];
        is_brought[operand->index] = true;
    }
    for (uint32_t i = 0; operand->kind == PTX_OPERAND_VECTOR && i < operand->count; i++)
        has_changed |= mark(&operand->list[i], is_brought);
    return has_changed;
}

/* Through what it computes from them, the registers that hold what memory had. */
static bool follow(const struct ptx_instruction *in, bool *is_brought)
{
    if (in->operand_count == 0)
        return false;
    const bool is_load = (in->opcode == PTX_OPCODE_ld && in->space != PTX_SPACE_PARAM) ||
                         in->opcode == PTX_OPCODE_atom;
    bool is = is_load;
    for (uint32_t i = 1; !is && ptx_native_has_operation(in) && i < in->operand_count; i++)
        is = reads(&in->operands[i], is_brought);
    return is && mark(&in->operands[0], is_brought);
}

static const bool *find_brought(struct ptx_emitter *e, const struct ptx_function *function)
{
    enum { LOOKS = 4 }; /* loops bring little more */
    bool *is_brought = note(e, function), has_changed = true;
    for (int look = 0; has_changed && look < LOOKS; look++) {
        has_changed = false;
        for (size_t i = 0; i < function->instruction_count; i++)
            has_changed |= follow(&function->instructions[i], is_brought);
    }
    return is_brought;
}

static bool gathers(const struct ptx_instruction *in, const bool *is_brought)
{
    bool is = false;
    for (uint32_t i = 0; is_access(in) && i < in->operand_count; i++)
        is |= in->operands[i].kind == PTX_OPERAND_ADDRESS && reads(&in->operands[i], is_brought);
    return is;
}

static bool parts(const struct ptx_instruction *in, const bool *is_brought)
{
    const bool is_way = in->opcode == PTX_OPCODE_bra || in->opcode == PTX_OPCODE_ret ||
                        in->opcode == PTX_OPCODE_exit;
    return is_way && in->guard >= 0 && is_brought[in->guard];
}

/* ---- All of it ---- */

static void look_at(struct ptx_emitter *e, const struct ptx_function *function, struct worth *worth)
{
    const uint32_t *weights = weigh(e, function, &worth->has_loops);
    const bool *is_brought = find_brought(e, function);
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        worth->accesses += is_access(in) ? weights[i] : 0;
        worth->has_pictures |= ptx_native_is_picture(in);
        if (is_function(in))
            worth->arithmetic += (uint64_t)SUMS_PER_FUNCTION * weights[i];
        else if (is_sum(in))
            worth->arithmetic += weights[i];
        if (in->opcode == PTX_OPCODE_atom || in->opcode == PTX_OPCODE_red)
            worth->scatters_atomically |= gathers(in, is_brought);
        else
            worth->gathers |= gathers(in, is_brought);
        worth->parts |= parts(in, is_brought);
    }
}

/* Measured on PoCL 3.1 with LLVM 15 (bench/pairs, small inputs; times of the OpenCL form through those of the native one, with
 * sums for each access): loops hash 19 (257), mandelbrot 5 (262), kmeans 6 (2.2), heat_3d 8 (1.0), a product of matrices 0.5
 * (1.3); places that memory names spmv_scalar 0.3 (0.6), bfs 0.3 (0.2); neither black_scholes 9, life 2.4, convolution_2d 1.2,
 * saxpy 0.8, jacobi_2d 0.7, and 0.9 on large inputs. Many short launches, which only native kernels have in one command: chain
 * 4.8, gauss 2.4, relaxation 1.6. Of textures a fetch takes 1.0 to 1.5 times as long (nanoseconds of a core, native and OpenCL:
 * floats 3.1 and 2.3, filtered 4.8 and 4.5, filtered float4s 5.3 and 5.0, bytes 10.2 and 7.4, volumes 39 and 41; of linear memory
 * 1.7 and 0.8; surfaces read and written 3.0 and 0.8), and PoCL takes 0.2 to 0.5 s for the text of each such kernel.
 * Places that memory names, thread after thread (threads.c): spmv_scalar 1.1; bfs, whose threads memory lets go on, 0.95 on large
 * inputs and 1.7 on small ones, of 13 launches. Atomic operations at such places, whose lines lanes ask for ahead (AMD Zen 4):
 * scatter_add 2.8 on large inputs and 1.8 on small ones, histogram_global 1.1. */
static struct worth look_at_all(struct ptx_emitter *e)
{
    struct worth worth = {0};
    for (size_t i = 0; i < e->plan->body_count; i++)
        look_at(e, e->plan->bodies[i].function, &worth);
    return worth;
}

bool ptx_native_goes_where_told(struct ptx_emitter *e)
{
    const struct worth worth = look_at_all(e);
    return worth.gathers && (worth.has_loops || worth.parts);
}

bool ptx_native_is_worth(struct ptx_emitter *e)
{
    enum { SUMS_BESIDE_GATHER = 8 };
    const struct worth worth = look_at_all(e);
    if (worth.has_pictures)
        return true;
    if (worth.gathers)
        return worth.arithmetic >= SUMS_BESIDE_GATHER * worth.accesses;
    if (worth.scatters_atomically)
        return true;
    return !worth.has_loops || 10 * worth.arithmetic >= 9 * worth.accesses;
}
