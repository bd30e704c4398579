/* Rows of shared memory that lie across each other, as those of a stencil's neighbours: the processor waits with a row that lies across
 * what it has just stored, and takes twice as long for one that lies across lines of its cache. So what such rows lie in is loaded
 * once, in chunks of half a warp's words as they were stored, and each row is taken from those.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/native/memory/memory.h"

#include <string.h>

enum { HALF = PTX_NATIVE_LANES / 2, WORD = 4, CHUNK = HALF * WORD };

/* Whether an instruction loads a row of words from the same register on. */
static bool loads_beside(const struct ptx_instruction *in, const struct ptx_operand *address)
{
    const struct ptx_operand *o = &in->operands[1];
    return in->opcode == PTX_OPCODE_ld && in->space == PTX_SPACE_SHARED && in->width <= 1 &&
           in->guard < 0 && !ptx_is_volatile(in) &&
           ptx_native_bits((enum ptx_type)in->types[0]) == 8 * WORD &&
           o->kind == PTX_OPERAND_ADDRESS && !o->variable && o->index == address->index;
}

/* How many rows that the node loads near an instruction lie across that one's. */
static unsigned count_beside(const struct ptx_native_flow *f, const struct ptx_instruction *in)
{
    enum { FAR = 128 };
    const struct ptx_node *node = &f->graph->nodes[f->node];
    const struct ptx_operand *address = &in->operands[1];
    const uint32_t here = (uint32_t)(in - f->function->instructions);
    const uint32_t first = here - node->first > FAR ? here - FAR : node->first,
                   end = node->end - here > FAR ? here + FAR : node->end;
    unsigned count = 0;
    for (uint32_t i = first; i < end; i++) {
        const struct ptx_instruction *other = &f->function->instructions[i];
        if (!loads_beside(other, address))
            continue;
        const int64_t away = other->operands[1].bits - address->bits;
        count += away != 0 && away < CHUNK && away > -CHUNK;
    }
    return count;
}

bool ptx_native_is_of_chunks(struct ptx_native *n, const struct ptx_instruction *in,
                             const struct ptx_operand *address)
{
    enum { FEWEST_BESIDE = 2 };
    const struct ptx_native_flow *f = n->flow;
    return n->e->target->has_wide_vectors && !ptx_native_is_checked(n) &&
           strcmp(f->mask, "-1") == 0 && loads_beside(in, address) && address->index >= 0 &&
           f->definitions[address->index] == 1 && address->bits % WORD == 0 &&
           count_beside(f, in) >= FEWEST_BESIDE;
}

static const char *load_chunk(struct ptx_native *n, const char *start, int64_t behind)
{
    const char *at = ptx_native_emit(n, "add i64 %s, %lld", start, (long long)behind);
    return ptx_native_emit(n, "load <16 x i32>, %s %s, align %d",
                           ptx_native_pointer_type(n, "<16 x i32>"),
                           ptx_native_pointer(n, "<16 x i32>", at), CHUNK);
}

/* Half a warp's words out of two chunks. */
static const char *taken(struct ptx_native *n, const char *low, const char *high, unsigned from)
{
    return from == 0
               ? low
               : ptx_native_emit(n, "shufflevector <16 x i32> %s, <16 x i32> %s, <16 x i32> %s",
                                 low, high, ptx_native_numbers_from(n, from));
}

bool ptx_native_load_of_chunks(struct ptx_native *n, const struct ptx_operand *address,
                               const struct ptx_native_transfer *t, struct ptx_native_value *to)
{
    enum { ZEROS_OF_CHUNK = 6 };
    const struct ptx_operand name = {.kind = PTX_OPERAND_REGISTER, .index = address->index};
    struct ptx_native_place at = t->at;
    if (!t->at.is_line || !t->at.term.line.is_whole || ptx_native_stride_of(&t->at) != WORD)
        return false;
    at.term = ptx_native_term_of(n, &name, 32);
    if (at.term.line.kind != PTX_LINE_PLAIN || at.term.line.zeros < ZEROS_OF_CHUNK)
        return false;
    const int64_t from = (address->bits % CHUNK + CHUNK) % CHUNK, behind = address->bits - from;
    const char *start = ptx_native_line_start(n, &at, 0), *chunks[3] = {NULL, NULL, NULL};
    for (unsigned i = 0; i < (from == 0 ? 2 : 3); i++)
        chunks[i] = load_chunk(n, start, behind + (int64_t)i * CHUNK);
    const char *low = taken(n, chunks[0], chunks[1], (unsigned)from / WORD),
               *high = taken(n, chunks[1], chunks[2], (unsigned)from / WORD);
    to[0] =
        (struct ptx_native_value){ptx_native_joined(n, 8 * WORD, HALF, low, high), 8 * WORD, true};
    return true;
}
