/* atom and red: OpenCL C's own functions where it has them, those of library/atomic.cl otherwise.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/emit/access.h"

/* How one operation on one type is written. */
struct variant {
    uint8_t operation;  /* enum ptx_operation */
    uint8_t type;       /* enum ptx_type */
    const char *call;   /* OpenCL C's function, or of the library without "_global" and "_shared" */
    const char *native; /* of the library by NVIDIA's instruction, likewise */
    uint8_t value;      /* enum ptx_type of value and result */
    const char *memory; /* what the pointer points to */
};

static const struct variant variants[] = {
    {PTX_OP_ADD, PTX_U32, "atomic_add", NULL, PTX_U32, "uint"},
    {PTX_OP_ADD, PTX_S32, "atomic_add", NULL, PTX_S32, "int"},
    {PTX_OP_ADD, PTX_U64, "atom_add", NULL, PTX_U64, "ulong"},
    {PTX_OP_ADD, PTX_S64, "atom_add", NULL, PTX_S64, "long"},
    {PTX_OP_ADD, PTX_F32, "clem_atomic_add_f32", "clem_native_add_f32", PTX_F32, "uint"},
    {PTX_OP_ADD, PTX_F64, "clem_atomic_add_f64", "clem_native_add_f64", PTX_F64, "ulong"},
    {PTX_OP_ADD, PTX_F16, "clem_atomic_add_f16", NULL, PTX_F16, "ushort"},
    {PTX_OP_ADD, PTX_BF16, "clem_atomic_add_bf16", NULL, PTX_BF16, "ushort"},
    {PTX_OP_ADD, PTX_F16X2, "clem_atomic_add_f16x2", NULL, PTX_F16X2, "uint"},
    {PTX_OP_ADD, PTX_BF16X2, "clem_atomic_add_bf16x2", NULL, PTX_BF16X2, "uint"},
    {PTX_OP_INC, PTX_U32, "clem_atomic_inc", "clem_native_inc", PTX_U32, "uint"},
    {PTX_OP_DEC, PTX_U32, "clem_atomic_dec", "clem_native_dec", PTX_U32, "uint"},
    {PTX_OP_MIN, PTX_U32, "atomic_min", NULL, PTX_U32, "uint"},
    {PTX_OP_MIN, PTX_S32, "atomic_min", NULL, PTX_S32, "int"},
    {PTX_OP_MIN, PTX_U64, "atom_min", NULL, PTX_U64, "ulong"},
    {PTX_OP_MIN, PTX_S64, "atom_min", NULL, PTX_S64, "long"},
    {PTX_OP_MAX, PTX_U32, "atomic_max", NULL, PTX_U32, "uint"},
    {PTX_OP_MAX, PTX_S32, "atomic_max", NULL, PTX_S32, "int"},
    {PTX_OP_MAX, PTX_U64, "atom_max", NULL, PTX_U64, "ulong"},
    {PTX_OP_MAX, PTX_S64, "atom_max", NULL, PTX_S64, "long"},
    {PTX_OP_AND, PTX_B32, "atomic_and", NULL, PTX_B32, "uint"},
    {PTX_OP_AND, PTX_B64, "atom_and", NULL, PTX_B64, "ulong"},
    {PTX_OP_OR, PTX_B32, "atomic_or", NULL, PTX_B32, "uint"},
    {PTX_OP_OR, PTX_B64, "atom_or", NULL, PTX_B64, "ulong"},
    {PTX_OP_XOR, PTX_B32, "atomic_xor", NULL, PTX_B32, "uint"},
    {PTX_OP_XOR, PTX_B64, "atom_xor", NULL, PTX_B64, "ulong"},
    {PTX_OP_EXCH, PTX_B32, "atomic_xchg", NULL, PTX_B32, "uint"},
    {PTX_OP_EXCH, PTX_B64, "atom_xchg", NULL, PTX_B64, "ulong"},
    {PTX_OP_EXCH, PTX_B16, "clem_atomic_xchg_16", NULL, PTX_B16, "ushort"},
    {PTX_OP_CAS, PTX_B32, "atomic_cmpxchg", NULL, PTX_B32, "uint"},
    {PTX_OP_CAS, PTX_B64, "atom_cmpxchg", NULL, PTX_B64, "ulong"},
    {PTX_OP_CAS, PTX_B16, "clem_atomic_cas_16", NULL, PTX_B16, "ushort"},
};

/* Bit operations and exchanges are the same for all types of a size. */
static uint8_t type_of(const struct ptx_instruction *in)
{
    static const uint8_t bits[] = {[2] = PTX_B16, [4] = PTX_B32, [8] = PTX_B64};
    const uint8_t type = in->types[0];
    const size_t bytes = ptx_type_bytes((enum ptx_type)type);
    switch (in->operation) {
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_XOR:
    case PTX_OP_EXCH:
    case PTX_OP_CAS:
        return bytes == 2 || bytes == 4 || bytes == 8 ? bits[bytes] : type;
    default:
        return type;
    }
}

static const struct variant *find_variant(const struct ptx_instruction *in)
{
    const uint8_t type = type_of(in);
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        if (variants[i].operation == in->operation && variants[i].type == type)
            return &variants[i];
    return NULL;
}

/* Without a result: atom with the sink, red. */
static bool wants_result(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_atom && in->operands[0].kind != PTX_OPERAND_SINK;
}

static bool is_of_library(const struct variant *variant)
{
    return variant->call[0] == 'c';
}

/* The function for one space, where the pointer has the type that the variant says. */
static const char *function_text(struct ptx_emitter *e, const struct variant *variant,
                                 bool is_shared)
{
    const bool is_native = variant->native && e->target->has_nvidia_asm;
    const bool is_local = is_shared && !ptx_shared_is_global(e);
    const bool is_soft = variant->type == PTX_F64 && !e->target->has_double;
    return ptx_format(e, "%s%s",
                      is_native ? variant->native
                      : is_soft ? "clem_atomic_add_soft"
                                : variant->call,
                      !is_native && !is_of_library(variant) ? ""
                      : is_local                            ? "_shared"
                                                            : "_global");
}

/* In a space that is known. */
static void write_call(struct ptx_emitter *e, const struct ptx_instruction *in,
                       const struct variant *variant, struct ptx_access access)
{
    access.function = function_text(e, variant, access.space == PTX_SPACE_SHARED);
    const char *call = ptx_access(e, &access);
    if (wants_result(in))
        ptx_set(e, &in->operands[0], (enum ptx_type)variant->value, call);
    else
        ptx_line(e, "%s;", call);
}

static void write_atomic(struct ptx_emitter *e, const struct ptx_instruction *in,
                         const struct variant *variant, const char *values)
{
    const struct ptx_operand *address = &in->operands[in->opcode == PTX_OPCODE_atom];
    struct ptx_access access = {.kind = PTX_ACCESS_ATOMIC,
                                .space = (uint8_t)ptx_space_of(e, address, in->space),
                                .is_volatile = true,
                                .address = address,
                                .type = in->types[0],
                                .c_type = variant->memory,
                                .value = values};
    if (access.space == PTX_SPACE_LOCAL) {
        ptx_refuse(e, "atomic operations on local memory have no translation");
        return;
    }
    if (access.space != PTX_SPACE_GENERIC) {
        write_call(e, in, variant, access);
        return;
    }
    ptx_need(e, PTX_NEED_SHARED);
    access.number = ptx_temporary(e);
    ptx_line(e, "{");
    ptx_line(e, "const ulong %s = %s;", access.number, ptx_address_number(e, address));
    ptx_line(e, "if (clem_is_shared(%s)) {", access.number);
    access.space = PTX_SPACE_SHARED;
    write_call(e, in, variant, access);
    ptx_line(e, "} else {");
    access.space = PTX_SPACE_GLOBAL;
    write_call(e, in, variant, access);
    ptx_line(e, "}");
    ptx_line(e, "}");
}

/* Operations of 64 bits without a result that two of 32 bits do as well. */
static const struct variant *by_halves(const struct ptx_instruction *in)
{
    static const struct variant halves[] = {
        {PTX_OP_ADD, PTX_U64, "clem_atomic_sum_64", NULL, PTX_U64, "uint"},
        {PTX_OP_AND, PTX_B64, "clem_atomic_and_64", NULL, PTX_B64, "uint"},
        {PTX_OP_OR, PTX_B64, "clem_atomic_or_64", NULL, PTX_B64, "uint"},
        {PTX_OP_XOR, PTX_B64, "clem_atomic_xor_64", NULL, PTX_B64, "uint"},
    };
    const bool is_float = ptx_type_is_float((enum ptx_type)in->types[0]);
    for (size_t i = 0; i < sizeof halves / sizeof *halves && !wants_result(in) && !is_float; i++)
        if (halves[i].operation == in->operation)
            return &halves[i];
    return NULL;
}

/* The variant to use, or NULL after a refusal. */
static const struct variant *choose_variant(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const struct variant *variant = in->width > 1 ? NULL : find_variant(in);
    if (!variant) {
        ptx_refuse(e, in->width > 1 ? "atomic operations on vectors have no translation"
                                    : "this atomic operation has no translation for this type");
        return NULL;
    }
    if (ptx_type_bytes((enum ptx_type)variant->type) < 8 ||
        ptx_ask(e, PTX_FACT_INT64_ATOMICS)->has_int64_atomics)
        return variant;
    variant = by_halves(in);
    if (!variant)
        ptx_refuse(e, "the device has no atomic operations of 64 bits");
    return variant;
}

bool ptx_emit_atomic(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    if (in->opcode != PTX_OPCODE_atom && in->opcode != PTX_OPCODE_red)
        return false;
    const uint32_t first = in->opcode == PTX_OPCODE_atom ? 1 : 0;
    const uint32_t values = in->operation == PTX_OP_CAS ? 2 : 1;
    if (in->operand_count < first + 1 + values || in->operands[first].kind != PTX_OPERAND_ADDRESS) {
        ptx_refuse(e, "operands of a kind that does not belong here");
        return true;
    }
    const struct variant *variant = choose_variant(e, in);
    if (!variant)
        return true;
    const char *list = ptx_value(e, &in->operands[first + 1], (enum ptx_type)variant->value);
    if (values == 2)
        list = ptx_format(e, "%s, %s", list,
                          ptx_value(e, &in->operands[first + 2], (enum ptx_type)variant->value));
    ptx_fence_before(e, in);
    write_atomic(e, in, variant, list);
    ptx_fence_after(e, in);
    return true;
}
