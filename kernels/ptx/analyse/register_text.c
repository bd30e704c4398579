/* What registers are in C: their types (which .b32 and .b64 are really floats) and their names.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/analyse/plan.h"

/* ---- Floats in .b32 and .b64 registers ---- */

enum vote { VOTE_FLOAT = 1, VOTE_OTHER = 2 };

static bool is_float_arithmetic(uint16_t opcode)
{
    switch (opcode) {
    case PTX_OPCODE_add:
    case PTX_OPCODE_sub:
    case PTX_OPCODE_mul:
    case PTX_OPCODE_fma:
    case PTX_OPCODE_mad:
    case PTX_OPCODE_div:
    case PTX_OPCODE_rcp:
    case PTX_OPCODE_sqrt:
    case PTX_OPCODE_rsqrt:
    case PTX_OPCODE_sin:
    case PTX_OPCODE_cos:
    case PTX_OPCODE_lg2:
    case PTX_OPCODE_ex2:
    case PTX_OPCODE_tanh:
    case PTX_OPCODE_neg:
    case PTX_OPCODE_abs:
    case PTX_OPCODE_min:
    case PTX_OPCODE_max:
    case PTX_OPCODE_copysign:
    case PTX_OPCODE_testp:
    case PTX_OPCODE_setp:
    case PTX_OPCODE_selp:
    case PTX_OPCODE_ld:
    case PTX_OPCODE_st:
    case PTX_OPCODE_ldu:
        return true;
    default:
        return false;
    }
}

static bool is_neutral(uint16_t opcode)
{
    return opcode == PTX_OPCODE_ld || opcode == PTX_OPCODE_st || opcode == PTX_OPCODE_mov ||
           opcode == PTX_OPCODE_selp || opcode == PTX_OPCODE_ldu || opcode == PTX_OPCODE_shfl;
}

/* What operand `position` of an instruction says of a register there. */
static uint8_t vote_of(const struct ptx_instruction *in, uint32_t position)
{
    if (in->opcode == PTX_OPCODE_cvt && in->type_count == 2) {
        const uint8_t type = in->types[position == 0 ? 0 : 1];
        return type == PTX_F32 || type == PTX_F64 ? VOTE_FLOAT : VOTE_OTHER;
    }
    const uint8_t type = in->types[0];
    if ((type == PTX_F32 || type == PTX_F64) && in->type_count == 1 &&
        is_float_arithmetic(in->opcode))
        return VOTE_FLOAT;
    return is_neutral(in->opcode) ? 0 : VOTE_OTHER;
}

static void vote(uint8_t *votes, const struct ptx_operand *operand, uint8_t ballot, bool is_packed)
{
    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
        votes[operand->index] |= ballot;
        break;
    case PTX_OPERAND_ADDRESS:
        if (operand->index >= 0)
            votes[operand->index] |= VOTE_OTHER;
        break;
    case PTX_OPERAND_VECTOR:
    case PTX_OPERAND_TEXTURE:
        for (uint32_t i = 0; i < operand->count; i++)
            vote(votes, &operand->list[i], is_packed ? VOTE_OTHER : ballot, is_packed);
        break;
    default:
        break;
    }
}

static const uint8_t *count_votes(struct ptx_emitter *e, const struct ptx_function *function)
{
    uint8_t *votes = ptx_arena_take(e->arena, function->register_count);
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        const bool is_packed = in->opcode == PTX_OPCODE_mov || in->opcode == PTX_OPCODE_call;
        for (uint32_t j = 0; j < in->operand_count; j++)
            vote(votes, &in->operands[j], vote_of(in, j), is_packed);
    }
    return votes;
}

static enum ptx_type type_in_c(enum ptx_type declared, uint8_t votes)
{
    if (declared == PTX_F32 || declared == PTX_F64 || declared == PTX_PRED)
        return declared;
    switch (ptx_type_bytes(declared)) {
    case 1:
        return PTX_U8;
    case 2:
        return PTX_U16;
    case 4:
        return declared == PTX_B32 && votes == VOTE_FLOAT ? PTX_F32 : PTX_U32;
    case 16:
        return PTX_B128;
    default:
        return declared == PTX_B64 && votes == VOTE_FLOAT ? PTX_F64 : PTX_U64;
    }
}

/* ---- Names ---- */

/* %rd5 and kin, which no compiler or library of OpenCL C uses as a name, stay as they are. */
static bool is_plain_name(const char *name)
{
    static const char *const heads[] = {"r", "rd", "f", "fd", "p", "rs", "h", "hh", "rq", "b"};
    size_t letters = 0;
    while (name[letters] >= 'a' && name[letters] <= 'z')
        letters++;
    size_t digits = 0;
    while (name[letters + digits] >= '0' && name[letters + digits] <= '9')
        digits++;
    if (digits == 0 || name[letters + digits] != '\0')
        return false;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (strlen(heads[i]) == letters && strncmp(heads[i], name, letters) == 0)
            return true;
    return false;
}

/* A set of the plain names met, by hash; a name met twice gets a number behind it. */
struct name_set {
    const char **slots;
    size_t capacity; /* a power of two, twice the names */
};

static bool add_name(struct name_set *set, const char *name)
{
    size_t hash = 5381;
    for (const char *c = name; *c; c++)
        hash = hash * 33 + (unsigned char)*c;
    for (size_t i = hash & (set->capacity - 1);; i = (i + 1) & (set->capacity - 1)) {
        if (!set->slots[i]) {
            set->slots[i] = name;
            return true;
        }
        if (strcmp(set->slots[i], name) == 0)
            return false;
    }
}

static const char *name_in_c(struct ptx_emitter *e, struct name_set *set, const char *name,
                             size_t index)
{
    const char *plain = name[0] == '%' ? name + 1 : name;
    if (is_plain_name(plain) && add_name(set, plain))
        return plain;
    char *made = ptx_arena_format(e->arena, "v%s_%zu", plain, index);
    for (char *c = made; *c; c++)
        if (*c == '$' || *c == '%' || *c == '.')
            *c = '_';
    return made;
}

static void mark_used(bool *used, const struct ptx_operand *operand)
{
    const bool is_register =
        operand->kind == PTX_OPERAND_REGISTER || operand->kind == PTX_OPERAND_ADDRESS;
    if (is_register && operand->index >= 0)
        used[operand->index] = true;
    if (operand->kind == PTX_OPERAND_VECTOR || operand->kind == PTX_OPERAND_TEXTURE)
        for (uint32_t i = 0; i < operand->count; i++)
            mark_used(used, &operand->list[i]);
}

static void mark_copies_used(bool *used, const struct ptx_copy *copy)
{
    for (; copy; copy = copy->next)
        for (size_t i = 0; i < copy->part_count; i++) {
            mark_used(used, &copy->parts[i].from.address);
            mark_used(used, &copy->parts[i].to.address);
        }
}

static void mark_all_used(bool *used, const struct ptx_body *body)
{
    const struct ptx_function *function = body->function;
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        if (body->copies)
            mark_copies_used(used, body->copies[i]);
        if (body->is_copied && body->is_copied[i])
            continue;
        if (in->guard >= 0)
            used[in->guard] = true;
        for (uint32_t j = 0; j < in->operand_count; j++)
            mark_used(used, &in->operands[j]);
    }
    for (size_t i = 0; i < function->parameter_count; i++)
        if (function->parameters[i]->space == PTX_SPACE_REG)
            used[function->parameters[i]->number] = true;
    for (size_t i = 0; i < function->result_count; i++)
        if (function->results[i]->space == PTX_SPACE_REG)
            used[function->results[i]->number] = true;
}

void ptx_name_registers(struct ptx_emitter *e, struct ptx_body *body)
{
    const struct ptx_function *function = body->function;
    const size_t count = function->register_count;
    const uint8_t *votes = count_votes(e, function);
    bool *used = ptx_arena_array(e->arena, count, sizeof *used);
    mark_all_used(used, body);
    struct name_set set = {.capacity = 16};
    while (set.capacity < 2 * count)
        set.capacity *= 2;
    set.slots = ptx_arena_array(e->arena, set.capacity, sizeof *set.slots);
    body->types = ptx_arena_take(e->arena, count);
    body->names = ptx_arena_array(e->arena, count, sizeof *body->names);
    for (size_t i = 0; i < count; i++) {
        body->types[i] = (uint8_t)type_in_c(function->registers[i].type, votes[i]);
        if (used[i])
            body->names[i] = name_in_c(e, &set, function->registers[i].name, i);
    }
}
