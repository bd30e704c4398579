/* Whether instructions have the operands that their opcode takes, so that no emitter needs to look:
 * one that has not is as unknown as an unknown opcode.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/ir/layout.h"

/* One letter for each operand, "?" behind those that may be missing:
 *   D  a register to write, or _         W  the same, or a vector of them
 *   V  a value                           U  a value or a vector of values
 *   A  an address in brackets            T  a texture with its coordinates
 *   L  a label                           G  branch targets
 * An opcode that may write `a|b` takes its first operand twice then. */
struct shape {
    const char *operands; /* NULL: not looked at, since no translation exists */
    uint8_t types;        /* at least */
    bool may_write_two;
};

#define ONE                                                                                        \
    {                                                                                              \
        "DV", 1, false                                                                             \
    }
#define TWO                                                                                        \
    {                                                                                              \
        "DVV", 1, false                                                                            \
    }
#define THREE                                                                                      \
    {                                                                                              \
        "DVVV", 1, false                                                                           \
    }
#define VIDEO                                                                                      \
    {                                                                                              \
        "DVVV?", 2, false                                                                          \
    }

static const struct shape shapes[PTX_OPCODES] = {
    [PTX_OPCODE_abs] = ONE,
    [PTX_OPCODE_activemask] = {"D", 1, false},
    [PTX_OPCODE_add] = TWO,
    [PTX_OPCODE_addc] = TWO,
    [PTX_OPCODE_alloca] = {"DVV?", 1, false},
    [PTX_OPCODE_and] = TWO,
    [PTX_OPCODE_applypriority] = {"AV?", 0, false},
    [PTX_OPCODE_atom] = {"WAUV?V?", 1, false},
    [PTX_OPCODE_bar] = {"VV?V?V?", 0, false},
    [PTX_OPCODE_barrier] = {"V?V?V?V?", 0, false},
    [PTX_OPCODE_bfe] = THREE,
    [PTX_OPCODE_bfi] = {"DVVVV", 1, false},
    [PTX_OPCODE_bfind] = ONE,
    [PTX_OPCODE_bmsk] = TWO,
    [PTX_OPCODE_bra] = {"L", 0, false},
    [PTX_OPCODE_brev] = ONE,
    [PTX_OPCODE_brkpt] = {"", 0, false},
    [PTX_OPCODE_brx] = {"VG", 0, false},
    [PTX_OPCODE_clz] = ONE,
    [PTX_OPCODE_cnot] = ONE,
    [PTX_OPCODE_copysign] = TWO,
    [PTX_OPCODE_cos] = ONE,
    [PTX_OPCODE_cvt] = {"DVV?V?", 2, false},
    [PTX_OPCODE_cvta] = ONE,
    [PTX_OPCODE_discard] = {"AV?", 0, false},
    [PTX_OPCODE_div] = TWO,
    [PTX_OPCODE_dp2a] = {"DVVV", 2, false},
    [PTX_OPCODE_dp4a] = {"DVVV", 2, false},
    [PTX_OPCODE_elect] = {"DV", 0, true},
    [PTX_OPCODE_ex2] = ONE,
    [PTX_OPCODE_exit] = {"", 0, false},
    [PTX_OPCODE_fence] = {"", 0, false},
    [PTX_OPCODE_fma] = THREE,
    [PTX_OPCODE_fns] = THREE,
    [PTX_OPCODE_getctarank] = ONE,
    [PTX_OPCODE_griddepcontrol] = {"", 0, false},
    [PTX_OPCODE_isspacep] = {"DV", 0, false},
    [PTX_OPCODE_ld] = {"WAV?", 1, false},
    [PTX_OPCODE_ldu] = {"WA", 1, false},
    [PTX_OPCODE_lg2] = ONE,
    [PTX_OPCODE_lop3] = {"DVVVVV?", 1, true},
    [PTX_OPCODE_mad] = THREE,
    [PTX_OPCODE_mad24] = THREE,
    [PTX_OPCODE_madc] = THREE,
    [PTX_OPCODE_mapa] = TWO,
    [PTX_OPCODE_match] = {"DVV", 1, true},
    [PTX_OPCODE_max] = {"DVVV?", 1, false},
    [PTX_OPCODE_membar] = {"", 0, false},
    [PTX_OPCODE_min] = {"DVVV?", 1, false},
    [PTX_OPCODE_mov] = {"WU", 1, false},
    [PTX_OPCODE_mul] = TWO,
    [PTX_OPCODE_mul24] = TWO,
    [PTX_OPCODE_nanosleep] = {"V", 0, false},
    [PTX_OPCODE_neg] = ONE,
    [PTX_OPCODE_not] = ONE,
    [PTX_OPCODE_or] = TWO,
    [PTX_OPCODE_pmevent] = {"V", 0, false},
    [PTX_OPCODE_popc] = ONE,
    [PTX_OPCODE_prefetch] = {"AV?", 0, false},
    [PTX_OPCODE_prefetchu] = {"A", 0, false},
    [PTX_OPCODE_prmt] = THREE,
    [PTX_OPCODE_rcp] = ONE,
    [PTX_OPCODE_red] = {"AUV?", 1, false},
    [PTX_OPCODE_redux] = TWO,
    [PTX_OPCODE_rem] = TWO,
    [PTX_OPCODE_ret] = {"", 0, false},
    [PTX_OPCODE_rsqrt] = ONE,
    [PTX_OPCODE_sad] = THREE,
    [PTX_OPCODE_selp] = THREE,
    [PTX_OPCODE_set] = {"DVVV?", 2, false},
    [PTX_OPCODE_setp] = {"DVVV?", 1, true},
    [PTX_OPCODE_shf] = THREE,
    [PTX_OPCODE_shfl] = {"DVVVV?", 1, true},
    [PTX_OPCODE_shl] = TWO,
    [PTX_OPCODE_shr] = TWO,
    [PTX_OPCODE_sin] = ONE,
    [PTX_OPCODE_slct] = {"DVVV", 2, false},
    [PTX_OPCODE_sqrt] = ONE,
    [PTX_OPCODE_st] = {"AUV?", 1, false},
    [PTX_OPCODE_stackrestore] = {"V", 1, false},
    [PTX_OPCODE_stacksave] = {"D", 1, false},
    [PTX_OPCODE_sub] = TWO,
    [PTX_OPCODE_subc] = TWO,
    [PTX_OPCODE_suld] = {"WT", 1, false},
    [PTX_OPCODE_suq] = {"DA", 1, false},
    [PTX_OPCODE_sured] = {"TV", 1, false},
    [PTX_OPCODE_sust] = {"TU", 1, false},
    [PTX_OPCODE_szext] = TWO,
    [PTX_OPCODE_tanh] = ONE,
    [PTX_OPCODE_testp] = ONE,
    [PTX_OPCODE_tex] = {"WTU?U?U?U?", 2, true},
    [PTX_OPCODE_tld4] = {"WTU?U?", 2, true},
    [PTX_OPCODE_trap] = {"", 0, false},
    [PTX_OPCODE_txq] = {"DAV?", 1, false},
    [PTX_OPCODE_vabsdiff] = VIDEO,
    [PTX_OPCODE_vabsdiff2] = VIDEO,
    [PTX_OPCODE_vabsdiff4] = VIDEO,
    [PTX_OPCODE_vadd] = VIDEO,
    [PTX_OPCODE_vadd2] = VIDEO,
    [PTX_OPCODE_vadd4] = VIDEO,
    [PTX_OPCODE_vavrg2] = VIDEO,
    [PTX_OPCODE_vavrg4] = VIDEO,
    [PTX_OPCODE_vmad] = VIDEO,
    [PTX_OPCODE_vmax] = VIDEO,
    [PTX_OPCODE_vmax2] = VIDEO,
    [PTX_OPCODE_vmax4] = VIDEO,
    [PTX_OPCODE_vmin] = VIDEO,
    [PTX_OPCODE_vmin2] = VIDEO,
    [PTX_OPCODE_vmin4] = VIDEO,
    [PTX_OPCODE_vote] = {"DVV?", 1, false},
    [PTX_OPCODE_vset] = VIDEO,
    [PTX_OPCODE_vset2] = VIDEO,
    [PTX_OPCODE_vset4] = VIDEO,
    [PTX_OPCODE_vshl] = VIDEO,
    [PTX_OPCODE_vshr] = VIDEO,
    [PTX_OPCODE_vsub] = VIDEO,
    [PTX_OPCODE_vsub2] = VIDEO,
    [PTX_OPCODE_vsub4] = VIDEO,
    [PTX_OPCODE_xor] = TWO,
};

/* ---- Single operands ---- */

static bool is_target(const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_SINK ||
           (operand->kind == PTX_OPERAND_REGISTER && !operand->is_negated);
}

static bool is_value(const struct ptx_operand *operand)
{
    return (operand->kind >= PTX_OPERAND_REGISTER && operand->kind <= PTX_OPERAND_FUNCTION);
}

static bool all_are(const struct ptx_operand *vector, bool (*is)(const struct ptx_operand *))
{
    bool all = vector->kind == PTX_OPERAND_VECTOR && vector->count > 0;
    for (uint32_t i = 0; all && i < vector->count; ++i)
        all = is(&vector->list[i]);
    return all;
}

static bool is_texture(const struct ptx_operand *operand)
{
    bool fits = operand->kind == PTX_OPERAND_TEXTURE && is_value(&operand->list[0]);
    for (uint32_t i = 1; fits && i < operand->count; ++i)
        fits = is_value(&operand->list[i]) || all_are(&operand->list[i], is_value);
    return fits;
}

static bool fits(const struct ptx_operand *operand, char letter)
{
    switch (letter) {
    case 'D':
        return is_target(operand);
    case 'W':
        return is_target(operand) || all_are(operand, is_target);
    case 'V':
        return is_value(operand);
    case 'U':
        return is_value(operand) || all_are(operand, is_value);
    case 'A':
        return operand->kind == PTX_OPERAND_ADDRESS;
    case 'T':
        return is_texture(operand);
    case 'L':
        return operand->kind == PTX_OPERAND_LABEL;
    default:
        return operand->kind == PTX_OPERAND_TARGETS;
    }
}

/* ---- Instructions ---- */

static bool fit_all(const struct ptx_operand *operands, uint32_t count, const char *letters)
{
    uint32_t used = 0;
    for (; *letters; ++letters) {
        const char letter = *letters;
        const bool is_optional = letters[1] == '?';
        letters += is_optional;
        if (used == count) {
            if (!is_optional)
                return false;
        } else if (!fits(&operands[used++], letter))
            return false;
    }
    return used == count;
}

static bool is_result(const struct ptx_operand *operand)
{
    return is_target(operand) || operand->kind == PTX_OPERAND_VARIABLE;
}

static bool is_call(const struct ptx_instruction *in)
{
    const struct ptx_operand *at = in->operands;
    const bool has_lists = in->operand_count >= 3 && in->operand_count <= 4 &&
                           (at[0].count == 0 || all_are(&at[0], is_result)) &&
                           (at[2].count == 0 || all_are(&at[2], is_value));
    return has_lists &&
           (at[1].kind == PTX_OPERAND_FUNCTION ||
            (at[1].kind == PTX_OPERAND_REGISTER && !at[1].is_negated)) &&
           (in->operand_count == 3 || at[3].kind == PTX_OPERAND_TARGETS ||
            at[3].kind == PTX_OPERAND_FUNCTION);
}

/* Into shared memory, with the barrier that hears of its bytes, or out of it; or a way of waiting. */
static bool is_bulk_copy(const struct ptx_instruction *in)
{
    const bool comes = in->space == PTX_SPACE_SHARED && (in->second_space == PTX_SPACE_GLOBAL ||
                                                         in->second_space == PTX_SPACE_SHARED);
    const bool goes = in->space == PTX_SPACE_GLOBAL && in->second_space == PTX_SPACE_SHARED;
    switch (in->second_operation) {
    case PTX_OP_COMPLETE_TX:
        return comes && fit_all(in->operands, in->operand_count, "AAVAV?");
    case PTX_OP_BULK_GROUP:
        return goes && fit_all(in->operands, in->operand_count, "AAVV?");
    case PTX_OP_COMMIT_GROUP:
        return in->operand_count == 0;
    case PTX_OP_WAIT_GROUP:
        return fit_all(in->operands, in->operand_count, "V");
    default:
        return false;
    }
}

/* cp.async: two addresses and sizes, a way of waiting, or a barrier that copies arrive at. */
static bool is_copy(const struct ptx_instruction *in)
{
    const char *letters = in->operation == PTX_OP_NONE         ? "AAVV?V?"
                          : in->operation == PTX_OP_WAIT_GROUP ? "V"
                          : in->operation == PTX_OP_MBARRIER   ? "A"
                                                               : "";
    if (in->operation == PTX_OP_BULK)
        return is_bulk_copy(in);
    return in->operation != PTX_OP_OTHER && fit_all(in->operands, in->operand_count, letters);
}

static bool is_mbarrier(const struct ptx_instruction *in)
{
    static const char *const letters[PTX_OP_OTHER + 1] = {
        [PTX_OP_INIT] = "AV",          [PTX_OP_INVAL] = "A",        [PTX_OP_ARRIVE] = "DAV?",
        [PTX_OP_ARRIVE_DROP] = "DAV?", [PTX_OP_EXPECT_TX] = "AV",   [PTX_OP_COMPLETE_TX] = "AV",
        [PTX_OP_TEST_WAIT] = "DAV",    [PTX_OP_TRY_WAIT] = "DAVV?", [PTX_OP_PENDING_COUNT] = "DV",
    };
    const bool is_simple = in->second_operation == PTX_OP_NONE;
    const bool expects = in->second_operation == PTX_OP_EXPECT_TX && in->operand_count == 3 &&
                         (in->operation == PTX_OP_ARRIVE || in->operation == PTX_OP_ARRIVE_DROP);
    const bool is_of_wait = !(in->flags & PTX_PARITY) || ptx_is_mbarrier_wait(in);
    return (is_simple || expects) && is_of_wait && in->type_count == 1 && in->types[0] == PTX_B64 &&
           !in->has_second_destination && letters[in->operation] &&
           fit_all(in->operands, in->operand_count, letters[in->operation]);
}

/* How many values a vector has is said twice. Together they have 32 bytes at most.
 * Source: PTX ISA 8.8, ld and st. */
static bool agrees_with_width(const struct ptx_instruction *in)
{
    enum { MOST_BYTES = 32 };
    const bool is_load = in->opcode == PTX_OPCODE_ld || in->opcode == PTX_OPCODE_ldu;
    if (!is_load && in->opcode != PTX_OPCODE_st)
        return true;
    const struct ptx_operand *values = &in->operands[is_load ? 0 : 1];
    if (in->width * ptx_type_bytes(in->types[0]) > MOST_BYTES)
        return false;
    return (values->kind == PTX_OPERAND_VECTOR ? values->count : 1) == in->width ||
           values->kind == PTX_OPERAND_REGISTER;
}

/* barrier.cluster.arrive and .wait, which have neither numbers nor counts. */
static bool is_of_cluster(const struct ptx_instruction *in)
{
    return in->operand_count == 0 && in->second_operation == PTX_OP_NONE &&
           (in->operation == PTX_OP_ARRIVE || in->operation == PTX_OP_WAIT);
}

/* The least and the most of three numbers: of .f32 only. */
static bool has_operand_too_many(const struct ptx_instruction *in)
{
    return (in->opcode == PTX_OPCODE_min || in->opcode == PTX_OPCODE_max) &&
           in->operand_count > 3 && in->types[0] != PTX_F32;
}

static bool is_well_formed(const struct ptx_instruction *in)
{
    if (in->opcode == PTX_OPCODE_call)
        return is_call(in);
    if (in->opcode == PTX_OPCODE_cp)
        return is_copy(in);
    if (in->opcode == PTX_OPCODE_mbarrier)
        return is_mbarrier(in);
    const struct shape *shape = &shapes[in->opcode];
    if (!shape->operands)
        return true;
    if (in->type_count < shape->types || (in->has_second_destination && !shape->may_write_two))
        return false;
    if ((in->opcode == PTX_OPCODE_bar || in->opcode == PTX_OPCODE_barrier) &&
        in->operation == PTX_OP_RED && !fit_all(in->operands, in->operand_count, "DVVV?"))
        return false;
    if (in->opcode == PTX_OPCODE_barrier && in->scope == PTX_SCOPE_CLUSTER)
        return is_of_cluster(in);
    const bool skips = in->has_second_destination;
    return in->operand_count >= skips && (!skips || fits(&in->operands[0], shape->operands[0])) &&
           fit_all(skips ? in->operands + 1 : in->operands, in->operand_count - skips,
                   shape->operands) &&
           agrees_with_width(in) && !has_operand_too_many(in);
}

void ptx_check_instructions(struct ptx_module *module)
{
    for (size_t i = 0; i < module->function_count; ++i) {
        struct ptx_function *function = module->functions[i];
        for (size_t k = 0; k < function->instruction_count; ++k) {
            struct ptx_instruction *in = &function->instructions[k];
            if (in->opcode != PTX_OPCODES && !is_well_formed(in))
                in->opcode = PTX_OPCODES;
            function->has_cluster |= ptx_read_cluster(module, in);
        }
    }
}
