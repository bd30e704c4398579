/* Where lanes access memory, in the native form.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/native/memory/memory.h"

#include <stddef.h>
#include <string.h>

#include "kernels/ptx/host/runtime.h"

/* "<i32 0,i32 4,...>": count numbers, of which number i is i / many * major + i % many * minor. */
const char *ptx_native_numbers(struct ptx_native *n, unsigned bits, unsigned count, size_t many,
                               size_t major, size_t minor)
{
    char words[4096];
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(words + used, sizeof words - used, "%si%u %zu", i ? "," : "<",
                                 bits, i / many * major + i % many * minor);
    return ptx_format(n->e, "%s>", words);
}

static struct ptx_native_value add(struct ptx_native *n, struct ptx_native_value a,
                                   struct ptx_native_value b)
{
    if (a.is_vector || b.is_vector) {
        a = ptx_native_vector(n, a);
        b = ptx_native_vector(n, b);
    }
    if (!a.is_vector && strcmp(b.text, "0") == 0)
        return a;
    a.text = ptx_native_emit(n, "add %s %s, %s", ptx_native_value_type(n, a), a.text, b.text);
    return a;
}

static struct ptx_native_value number(struct ptx_native *n, unsigned bits, int64_t value)
{
    return ptx_native_number(n, bits, ptx_format(n->e, "%lld", (long long)value));
}

/* An ADDRESS as its own space counts. */
static struct ptx_native_value offset_of(struct ptx_native *n, const struct ptx_operand *address,
                                         unsigned bits)
{
    if (address->variable)
        return ptx_native_resize(n, ptx_native_variable(n, address->variable, address->bits), bits,
                                 false);
    if (address->index < 0)
        return number(n, bits, address->bits);
    const struct ptx_operand name = {.kind = PTX_OPERAND_REGISTER, .index = address->index};
    const bool is_vector = n->is_vector;
    n->is_vector = ptx_native_varies(n, &name);
    const struct ptx_native_value value = ptx_native_read(n, &name, bits == 64 ? PTX_B64 : PTX_B32);
    n->is_vector = is_vector;
    return address->bits == 0
               ? value
               : add(n, value,
                     number(n, bits, bits == 64 ? address->bits : (int32_t)address->bits));
}

static struct ptx_native_value local_address(struct ptx_native *n, struct ptx_native_value offset)
{
    struct ptx_emitter *e = n->e;
    const struct ptx_native_value lanes = {
        ptx_native_numbers(n, 64, PTX_NATIVE_LANES, 1, n->flow->local_bytes, 0), 64, true};
    ptx_need(e, PTX_NEED_LOCAL);
    const char *base = ptx_native_of_block(n, offsetof(struct ptx_native_block, local), "i64");
    offset = ptx_native_resize(n, offset, 64, false);
    return add(n, add(n, offset, ptx_native_number(n, 64, base)), lanes);
}

uint8_t ptx_native_space_of(const struct ptx_operand *address, uint8_t space)
{
    return space == PTX_SPACE_GENERIC && address->variable ? address->variable->space : space;
}

/* Whether an address lies on a line; then it is that. */
static bool take_line(struct ptx_native *n, const struct ptx_operand *address, unsigned bits,
                      struct ptx_native_place *at)
{
    if (address->index < 0 || address->variable || !ptx_native_is_line(n, (uint32_t)address->index))
        return false;
    const struct ptx_operand name = {.kind = PTX_OPERAND_REGISTER, .index = address->index};
    const struct ptx_native_term term = ptx_native_term_of(n, &name, bits);
    if (term.line.kind <= PTX_LINE_NONE)
        return false;
    at->term = ptx_native_term_plus(n, term, address->bits, bits);
    at->is_line = true;
    at->offset = (struct ptx_native_value){NULL, (uint8_t)bits, true};
    return true;
}

struct ptx_native_place ptx_native_place_of(struct ptx_native *n, const struct ptx_operand *address,
                                            uint8_t space)
{
    struct ptx_native_place at = {.is_strided =
                                      address->index >= 0 && n->flow->is_spread[address->index]};
    space = ptx_native_space_of(address, space);
    if (space == PTX_SPACE_SHARED) {
        ptx_need(n->e, PTX_NEED_SHARED | PTX_NEED_SHARED_BYTES);
        at.base = ptx_native_of_block(n, offsetof(struct ptx_native_block, shared), "i64");
    }
    if (space != PTX_SPACE_LOCAL && take_line(n, address, space == PTX_SPACE_SHARED ? 32 : 64, &at))
        return at;
    if (space == PTX_SPACE_SHARED) {
        at.offset = offset_of(n, address, 32);
    } else if (space == PTX_SPACE_LOCAL) {
        const struct ptx_native_value offset = offset_of(n, address, 32);
        at.is_strided |= !offset.is_vector;
        at.offset = local_address(n, offset);
    } else {
        at.offset = offset_of(n, address, 64);
    }
    return at;
}

struct ptx_native_value ptx_native_full_address(struct ptx_native *n, struct ptx_native_place at)
{
    if (at.is_line)
        at.offset = ptx_native_of_term(n, at.term, at.offset.bits);
    if (!at.base)
        return at.offset;
    return add(n, ptx_native_resize(n, at.offset, 64, false), ptx_native_number(n, 64, at.base));
}

struct ptx_native_value ptx_native_address(struct ptx_native *n, const struct ptx_operand *address,
                                           uint8_t space)
{
    return ptx_native_full_address(n, ptx_native_place_of(n, address, space));
}

/* "<i32 16,...,i32 31>" */
const char *ptx_native_numbers_from(struct ptx_native *n, unsigned first)
{
    char words[512];
    size_t used = 0;
    for (unsigned i = 0; i < 16; i++)
        used += (size_t)snprintf(words + used, sizeof words - used, "%si32 %u", i ? "," : "<",
                                 first + i);
    return ptx_format(n->e, "%s>", words);
}

struct ptx_native_value ptx_native_element_address(struct ptx_native *n, struct ptx_native_value a,
                                                   const struct ptx_native_transfer *t, unsigned k)
{
    return k == 0 ? a : add(n, a, number(n, 64, (int64_t)k * t->bits / 8));
}
