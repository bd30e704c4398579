/* Loads and stores of all lanes at once. Most are of neighbours, which library/vector.cl sees from their addresses.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/emit/access.h"
#include "kernels/ptx/warp/warp.h"

static const struct ptx_operand *address_of(const struct ptx_instruction *in)
{
    return &in->operands[in->opcode == PTX_OPCODE_st ? 0 : 1];
}

static const struct ptx_operand *value_of(const struct ptx_instruction *in)
{
    return &in->operands[in->opcode == PTX_OPCODE_st ? 1 : 0];
}

/* Of one number of 1 to 8 bytes in memory that is known to be global or shared. */
bool ptx_warp_is_access(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    if ((in->opcode != PTX_OPCODE_ld && in->opcode != PTX_OPCODE_st) || in->operand_count != 2 ||
        in->width > 1 || in->guard >= 0 || ptx_is_volatile(in) ||
        address_of(in)->kind != PTX_OPERAND_ADDRESS || in->space == PTX_SPACE_PARAM ||
        ptx_type_bytes((enum ptx_type)in->types[0]) > 8)
        return false;
    const struct ptx_operand *address = address_of(in), *value = value_of(in);
    const enum ptx_space space = ptx_space_of(e, address, in->space);
    const bool is_known = space == PTX_SPACE_SHARED ||
                          (space == PTX_SPACE_GLOBAL &&
                           (address->variable || ptx_is_pointer_register(e, address->index)));
    const bool is_register = value->kind == PTX_OPERAND_REGISTER;
    return is_known && (in->opcode == PTX_OPCODE_st || is_register) && ptx_warp_has_value(e, value);
}

static enum ptx_type without_sign(enum ptx_type type)
{
    static const enum ptx_type types[] = {
        [1] = PTX_U8, [2] = PTX_U16, [4] = PTX_U32, [8] = PTX_U64};
    return types[ptx_type_bytes(type)];
}

static struct ptx_access access_of(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const bool is_store = in->opcode == PTX_OPCODE_st;
    return (struct ptx_access){.kind = is_store ? PTX_ACCESS_STORE : PTX_ACCESS_LOAD,
                               .space = (uint8_t)ptx_space_of(e, address_of(in), in->space),
                               .address = address_of(in),
                               .type = in->types[0]};
}

/* The addresses as a vector: numbers, or offsets in shared memory. */
static const char *places(struct ptx_emitter *e, const struct ptx_operand *address, bool is_shared)
{
    const enum ptx_type type = is_shared ? PTX_U32 : PTX_U64;
    const struct ptx_operand base = {.kind = PTX_OPERAND_REGISTER, .index = address->index};
    const char *text = ptx_warp_value(e, &base, type);
    if (address->bits == 0)
        return text;
    return is_shared ? ptx_format(e, "%s + %uu", text, (unsigned)(uint32_t)address->bits)
                     : ptx_format(e, "%s + %lluul", text, (unsigned long long)address->bits);
}

static void load_one(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const struct ptx_access access = access_of(e, in);
    const enum ptx_type type = (enum ptx_type)in->types[0];
    if (access.address->index >= 0)
        ptx_warp_take_one(e, (uint32_t)access.address->index, true);
    ptx_warp_set(
        e, in, value_of(in), type,
        ptx_format(e, "((clem_%sv)(%s))", ptx_warp_vector_name(type), ptx_access(e, &access)));
}

static void load_each(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    struct ptx_access access = access_of(e, in);
    const enum ptx_type type = (enum ptx_type)in->types[0], whole = without_sign(type);
    const bool is_shared = access.space == PTX_SPACE_SHARED;
    const char *name = ptx_warp_vector_name(type);
    if (is_shared)
        ptx_need(e, PTX_NEED_SHARED | PTX_NEED_SHARED_BYTES);
    access.text = ptx_format(
        e, "clem_%sload_%s_%s(%s%s, clem_active)", e->warp_writer->calls_memory ? "call_" : "",
        is_shared ? "shared" : "global", ptx_warp_vector_name(whole),
        is_shared ? "clem_shared, " : "", places(e, access.address, is_shared));
    const char *value = ptx_access(e, &access);
    const bool is_same = strcmp(ptx_warp_vector_name(whole), name) == 0;
    ptx_warp_set(e, in, value_of(in), type,
                 is_same ? value : ptx_format(e, "clem_as(%s, clem_%sv)", value, name));
}

static void store_each(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    struct ptx_access access = access_of(e, in);
    const enum ptx_type whole = without_sign((enum ptx_type)in->types[0]);
    const bool is_shared = access.space == PTX_SPACE_SHARED;
    if (is_shared)
        ptx_need(e, PTX_NEED_SHARED | PTX_NEED_SHARED_BYTES);
    access.text =
        ptx_format(e, "clem_%sstore_%s_%s(%s%s, %s, clem_active)",
                   e->warp_writer->calls_memory ? "call_" : "", is_shared ? "shared" : "global",
                   ptx_warp_vector_name(whole), is_shared ? "clem_shared, " : "",
                   places(e, access.address, is_shared), ptx_warp_value(e, value_of(in), whole));
    ptx_line(e, "%s;", ptx_access(e, &access));
}

/* What stays of stores to one place is what the lowest lane stores. */
static void store_one(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    struct ptx_access access = access_of(e, in);
    const struct ptx_operand *value = value_of(in);
    const enum ptx_type whole = without_sign((enum ptx_type)in->types[0]);
    if (access.address->index >= 0)
        ptx_warp_take_one(e, (uint32_t)access.address->index, true);
    access.type = (uint8_t)whole;
    access.value = ptx_format(e, "clem_lowest_%s(%s, clem_active)", ptx_warp_vector_name(whole),
                              ptx_warp_value(e, value, whole));
    ptx_line(e, "%s;", ptx_access(e, &access));
}

void ptx_warp_write_access(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const bool is_one = ptx_warp_is_one_place(e, address_of(in));
    if (in->opcode == PTX_OPCODE_ld)
        (is_one ? load_one : load_each)(e, in);
    else
        (is_one ? store_one : store_each)(e, in);
}
