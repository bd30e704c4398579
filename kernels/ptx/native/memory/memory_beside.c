/* Rows of global memory that lie a word or two beside a row that the warp has just loaded, as those of a stencil's neighbours: a processor
 * takes twice as long for what lies across lines of its cache, which each vector of such a row does. So they are taken from what was
 * loaded, and the words that are missing at one end are loaded alone.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/native/memory/memory.h"

#include <string.h>

enum { HALF = PTX_NATIVE_LANES / 2, WORD = 4, MOST_BESIDE = 2 };

/* Whether an instruction loads a word of global memory, for all lanes of a warp, from an address that a register has. */
static bool loads_word(const struct ptx_native *n, const struct ptx_instruction *in)
{
    const struct ptx_operand *address = &in->operands[1];
    return in->opcode == PTX_OPCODE_ld && in->space == PTX_SPACE_GLOBAL && in->width <= 1 &&
           in->guard < 0 && !ptx_is_volatile(in) && !ptx_is_wide_access(in) &&
           ptx_native_bits((enum ptx_type)in->types[0]) == 8 * WORD &&
           address->kind == PTX_OPERAND_ADDRESS && !address->variable && address->index >= 0 &&
           n->e->target->has_wide_vectors && !ptx_native_is_checked(n);
}

/* Whether memory and a register have behind an instruction what they had before another one, which comes first. */
static bool are_as_before(const struct ptx_native_flow *f, const struct ptx_instruction *first,
                          const struct ptx_instruction *in, uint32_t index)
{
    for (const struct ptx_instruction *i = first; i < in; i++) {
        const bool is_load = i->opcode == PTX_OPCODE_ld && !ptx_is_volatile(i);
        if ((!is_load && !ptx_flow_is_pure(f->function, i)) || ptx_flow_writes_register(i, index))
            return false;
    }
    return true;
}

static bool is_row(const struct ptx_native_transfer *t)
{
    return t->at.is_line && t->at.term.line.is_whole && t->width == 1 && !t->may_be_none &&
           ptx_native_step_of(t->at.term.line) == WORD && strcmp(t->lanes, "-1") == 0;
}

void ptx_native_note_row(struct ptx_native *n, const struct ptx_instruction *in,
                         const struct ptx_native_transfer *t)
{
    struct ptx_native_flow *f = n->flow;
    if (!loads_word(n, in) || !is_row(t) || !t->values[0].is_vector)
        return;
    f->rows_loaded[f->row_noted++ % PTX_NATIVE_ROWS_LOADED] =
        (struct ptx_native_row_loaded){f->stamp, in, t->values[0].text};
}

/* How many words the row of an instruction lies behind, or before, one that is known. */
static int64_t words_beside(const struct ptx_native_flow *f,
                            const struct ptx_native_row_loaded *row,
                            const struct ptx_instruction *in)
{
    const struct ptx_operand *to = &in->operands[1];
    if (!row->in || row->in_node != f->stamp || row->in->operands[1].index != to->index ||
        !are_as_before(f, row->in, in, (uint32_t)to->index))
        return 0;
    const int64_t away = to->bits - row->in->operands[1].bits;
    const int64_t words = away / WORD;
    return away % WORD == 0 && words <= MOST_BESIDE && words >= -MOST_BESIDE ? words : 0;
}

/* The nearest. */
static const char *find_row(const struct ptx_native_flow *f, const struct ptx_instruction *in,
                            int64_t *words)
{
    const char *found = NULL;
    for (size_t i = 0; i < PTX_NATIVE_ROWS_LOADED; i++) {
        const int64_t beside = words_beside(f, &f->rows_loaded[i], in);
        if (beside == 0 || (found && beside * beside >= *words * *words))
            continue;
        found = f->rows_loaded[i].value;
        *words = beside;
    }
    return found;
}

/* So many words of memory, over and over. */
static const char *load_ends(struct ptx_native *n, const char *at, unsigned words)
{
    const unsigned count = HALF / words, bits = 8 * WORD * words;
    const char *number = ptx_native_emit(n, "load i%u, %s %s, align %d", bits,
                                         ptx_native_pointer_type(n, ptx_native_integer(bits)),
                                         ptx_native_pointer(n, ptx_native_integer(bits), at), WORD);
    const char *one = ptx_native_emit(n, "insertelement <%u x i%u> undef, i%u %s, i32 0", count,
                                      bits, bits, number);
    const char *all = ptx_native_emit(
        n, "shufflevector <%u x i%u> %s, <%u x i%u> undef, <%u x i32> zeroinitializer", count, bits,
        one, count, bits, count);
    return words == 1 ? all
                      : ptx_native_emit(n, "bitcast <%u x i%u> %s to <16 x i32>", count, bits, all);
}

static const char *half_of(struct ptx_native *n, const char *row, unsigned first)
{
    return ptx_native_emit(n, "shufflevector <32 x i32> %s, <32 x i32> undef, <16 x i32> %s", row,
                           first ? ptx_native_numbers_from(n, first)
                                 : ptx_native_numbers(n, 32, HALF, 1, 1, 0));
}

/* Half a warp's words, from one of two halves on. */
static const char *taken(struct ptx_native *n, const char *low, const char *high, unsigned from)
{
    return ptx_native_emit(n, "shufflevector <16 x i32> %s, <16 x i32> %s, <16 x i32> %s", low,
                           high, ptx_native_numbers_from(n, from));
}

const char *ptx_native_row_beside(struct ptx_native *n, const struct ptx_native_transfer *t,
                                  const char *start)
{
    const struct ptx_instruction *in = n->e->instruction;
    int64_t words = 0;
    const char *row = loads_word(n, in) && is_row(t) ? find_row(n->flow, in, &words) : NULL;
    if (!row)
        return NULL;
    const unsigned missing = (unsigned)(words < 0 ? -words : words);
    const char *at = words < 0 ? start
                               : ptx_native_emit(n, "add i64 %s, %u", start,
                                                 WORD * (PTX_NATIVE_LANES - missing));
    const char *ends = load_ends(n, at, missing), *low = half_of(n, row, 0),
               *high = half_of(n, row, HALF);
    const char *parts[2];
    if (words < 0) {
        parts[0] = taken(n, ends, low, HALF - missing);
        parts[1] = taken(n, low, high, HALF - missing);
    } else {
        parts[0] = taken(n, low, high, missing);
        parts[1] = taken(n, high, ends, missing);
    }
    return ptx_native_joined(n, 8 * WORD, HALF, parts[0], parts[1]);
}
