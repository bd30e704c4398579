/* LZ4, Snappy and Deflate, each within one piece of memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/memory/packed_format.h"

#include <lz4.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

size_t facade_unpack_lz4(const unsigned char *from, size_t bytes, unsigned char *to, size_t room)
{
    const int count = LZ4_decompress_safe((const char *)from, (char *)to, (int)bytes, (int)room);
    return count > 0 ? (size_t)count : 0;
}

/* --- what both others do ---------------------------------------------------------------------- */

struct output {
    unsigned char *to;
    size_t done, room;
};

static bool put_bytes(struct output *output, const unsigned char *from, size_t bytes)
{
    if (bytes > output->room - output->done)
        return false;
    memcpy(output->to + output->done, from, bytes);
    output->done += bytes;
    return true;
}

/* Bytes that came distance ago, which may be fewer than there are to be: then they repeat. */
static bool put_again(struct output *output, size_t distance, size_t bytes)
{
    if (distance == 0 || distance > output->done || bytes > output->room - output->done)
        return false;
    for (size_t i = 0; i < bytes; i++)
        output->to[output->done + i] = output->to[output->done + i - distance];
    output->done += bytes;
    return true;
}

/* --- Snappy ----------------------------------------------------------------------------------- */

struct input {
    const unsigned char *at, *end;
};

/* So many bytes, the lowest first. */
static bool take_number(struct input *input, unsigned bytes, uint32_t *number)
{
    if ((size_t)(input->end - input->at) < bytes)
        return false;
    *number = 0;
    for (unsigned i = 0; i < bytes; i++)
        *number |= (uint32_t)*input->at++ << (8 * i);
    return true;
}

/* Seven bits in each byte, and whether another follows. */
static bool take_length(struct input *input, uint32_t *length)
{
    *length = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
        uint32_t byte = 0;
        if (!take_number(input, 1, &byte) || (shift == 28 && byte > 15))
            return false;
        *length |= (byte & 127) << shift;
        if (byte < 128)
            return true;
    }
    return false;
}

static bool put_literal(struct input *input, uint32_t tag, struct output *output)
{
    enum { LONGEST_IN_TAG = 60 };
    uint32_t less_one = tag >> 2;
    if (less_one >= LONGEST_IN_TAG && !take_number(input, less_one - LONGEST_IN_TAG + 1, &less_one))
        return false;
    const size_t bytes = (size_t)less_one + 1;
    if ((size_t)(input->end - input->at) < bytes || !put_bytes(output, input->at, bytes))
        return false;
    input->at += bytes;
    return true;
}

static bool put_element(struct input *input, struct output *output)
{
    uint32_t tag = 0, distance = 0;
    if (!take_number(input, 1, &tag))
        return false;
    const unsigned kind = tag & 3;
    if (kind == 0)
        return put_literal(input, tag, output);
    if (!take_number(input, kind == 3 ? 4 : kind, &distance))
        return false;
    if (kind == 1)
        return put_again(output, distance | tag >> 5 << 8, (tag >> 2 & 7) + 4);
    return put_again(output, distance, (tag >> 2) + 1);
}

size_t facade_unpack_snappy(const unsigned char *from, size_t bytes, unsigned char *to, size_t room)
{
    struct input input = {from, from + bytes};
    struct output output = {.to = to};
    uint32_t length = 0;
    if (!take_length(&input, &length) || length > room)
        return 0;
    output.room = length;
    while (input.at < input.end)
        if (!put_element(&input, &output))
            return 0;
    return output.done == length ? length : 0;
}

/* --- Deflate: bits and codes ------------------------------------------------------------------ */

enum {
    MOST_BITS = 15,
    LITERALS = 288,
    DISTANCES = 32,
    END_OF_BLOCK = 256,
    MOST_LENGTH_CODE = 285,
    MOST_DISTANCE_CODE = 29,
    LENGTH_CODES = 19
};

/* Bits behind the end are 0, and noted. */
struct bits {
    struct input input;
    uint32_t word;
    unsigned count;
    bool is_short;
};

/* A code by the lengths of its words: how many have each, and what they stand for, in order. */
struct code {
    uint16_t counts[MOST_BITS + 1];
    uint16_t symbols[LITERALS];
};

static uint32_t take_bits(struct bits *bits, unsigned count)
{
    while (bits->count < count) {
        uint32_t byte = 0;
        if (!take_number(&bits->input, 1, &byte))
            bits->is_short = true;
        bits->word |= byte << bits->count;
        bits->count += 8;
    }
    const uint32_t taken = bits->word & ((1u << count) - 1);
    bits->word >>= count;
    bits->count -= count;
    return taken;
}

/* Whether the lengths are those of a code: with a word for each sequence of bits, or with one word of one bit at most. */
static bool is_code(const struct code *code, unsigned words)
{
    int left = 1;
    for (unsigned length = 1; length <= MOST_BITS; length++) {
        left = 2 * left - code->counts[length];
        if (left < 0)
            return false;
    }
    return left == 0 || words == code->counts[1];
}

static bool make_code(struct code *code, const unsigned char *lengths, unsigned count)
{
    uint16_t next[MOST_BITS + 2] = {0};
    *code = (struct code){.counts = {0}};
    for (unsigned i = 0; i < count; i++)
        code->counts[lengths[i]]++;
    const unsigned words = count - code->counts[0];
    code->counts[0] = 0;
    for (unsigned length = 1; length <= MOST_BITS; length++)
        next[length + 1] = (uint16_t)(next[length] + code->counts[length]);
    for (unsigned i = 0; i < count; i++)
        if (lengths[i] != 0)
            code->symbols[next[lengths[i]]++] = (uint16_t)i;
    return is_code(code, words);
}

/* Words of one length are consecutive numbers, behind those that begin with shorter words. Errors: LITERALS for no word. */
static unsigned take_symbol(struct bits *bits, const struct code *code)
{
    unsigned word = 0, first = 0, index = 0;
    for (unsigned length = 1; length <= MOST_BITS; length++) {
        const unsigned count = code->counts[length];
        word |= take_bits(bits, 1);
        if (word - first < count)
            return code->symbols[index + word - first];
        index += count;
        first = (first + count) << 1;
        word <<= 1;
    }
    return LITERALS;
}

/* --- Deflate: blocks -------------------------------------------------------------------------- */

static const uint16_t length_starts[] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                         15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                         67, 83, 99, 115, 131, 163, 195, 227, 258};
static const unsigned char length_bits[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                            2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};

/* Two codes for each number of further bits, but for the first. */
static bool take_distance(struct bits *bits, const struct code *code, size_t *distance)
{
    const unsigned symbol = take_symbol(bits, code);
    if (symbol > MOST_DISTANCE_CODE)
        return false;
    const unsigned more = symbol < 2 ? 0 : symbol / 2 - 1;
    const size_t start = symbol < 2 ? symbol : (size_t)(2 + symbol % 2) << more;
    *distance = start + take_bits(bits, more) + 1;
    return true;
}

static bool put_match(struct bits *bits, unsigned symbol, const struct code *distances,
                      struct output *output)
{
    size_t distance = 0;
    if (symbol > MOST_LENGTH_CODE)
        return false;
    const unsigned row = symbol - END_OF_BLOCK - 1;
    const size_t length = length_starts[row] + take_bits(bits, length_bits[row]);
    return take_distance(bits, distances, &distance) && put_again(output, distance, length);
}

static bool put_symbols(struct bits *bits, const struct code *literals,
                        const struct code *distances, struct output *output)
{
    while (!bits->is_short) {
        const unsigned symbol = take_symbol(bits, literals);
        const unsigned char byte = (unsigned char)symbol;
        if (symbol == END_OF_BLOCK)
            return !bits->is_short;
        if (!(symbol < END_OF_BLOCK ? put_bytes(output, &byte, 1)
                                    : put_match(bits, symbol, distances, output)))
            return false;
    }
    return false;
}

/* From the next whole byte on. No more than seven bits are held, all of them of a byte that was begun. */
static bool put_stored(struct bits *bits, struct output *output)
{
    uint32_t length = 0, complement = 0;
    bits->word = 0;
    bits->count = 0;
    if (!take_number(&bits->input, 2, &length) || !take_number(&bits->input, 2, &complement) ||
        (length ^ complement) != 0xffff || (size_t)(bits->input.end - bits->input.at) < length ||
        !put_bytes(output, bits->input.at, length))
        return false;
    bits->input.at += length;
    return true;
}

static bool put_fixed(struct bits *bits, struct output *output)
{
    unsigned char lengths[LITERALS];
    struct code literals, distances;
    memset(lengths, 8, 144);
    memset(lengths + 144, 9, 112);
    memset(lengths + 256, 7, 24);
    memset(lengths + 280, 8, 8);
    (void)make_code(&literals, lengths, LITERALS);
    memset(lengths, 5, DISTANCES);
    (void)make_code(&distances, lengths, DISTANCES);
    return put_symbols(bits, &literals, &distances, output);
}

/* One length, or several that are alike. */
static bool take_lengths(struct bits *bits, const struct code *code, unsigned char *lengths,
                         unsigned *at, unsigned count)
{
    const unsigned symbol = take_symbol(bits, code);
    if (symbol < 16) {
        lengths[(*at)++] = (unsigned char)symbol;
        return true;
    }
    if (symbol >= LENGTH_CODES || (symbol == 16 && *at == 0))
        return false;
    const unsigned char length = symbol == 16 ? lengths[*at - 1] : 0;
    const unsigned repeats = symbol == 16   ? 3 + take_bits(bits, 2)
                             : symbol == 17 ? 3 + take_bits(bits, 3)
                                            : 11 + take_bits(bits, 7);
    if (repeats > count - *at)
        return false;
    memset(lengths + *at, length, repeats);
    *at += repeats;
    return true;
}

static bool take_code_of_lengths(struct bits *bits, struct code *code)
{
    static const unsigned char order[LENGTH_CODES] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                      11, 4,  12, 3, 13, 2, 14, 1, 15};
    unsigned char lengths[LENGTH_CODES] = {0};
    const unsigned count = take_bits(bits, 4) + 4;
    for (unsigned i = 0; i < count; i++)
        lengths[order[i]] = (unsigned char)take_bits(bits, 3);
    return make_code(code, lengths, LENGTH_CODES);
}

static bool put_dynamic(struct bits *bits, struct output *output)
{
    unsigned char lengths[LITERALS + DISTANCES] = {0};
    struct code code, distances;
    const unsigned literals = take_bits(bits, 5) + 257, others = take_bits(bits, 5) + 1;
    unsigned at = 0;
    if (literals > MOST_LENGTH_CODE + 1 || others > MOST_DISTANCE_CODE + 1 ||
        !take_code_of_lengths(bits, &code))
        return false;
    while (at < literals + others)
        if (bits->is_short || !take_lengths(bits, &code, lengths, &at, literals + others))
            return false;
    return lengths[END_OF_BLOCK] != 0 && make_code(&code, lengths, literals) &&
           make_code(&distances, lengths + literals, others) &&
           put_symbols(bits, &code, &distances, output);
}

static bool put_block(struct bits *bits, unsigned kind, struct output *output)
{
    if (kind == 0)
        return put_stored(bits, output);
    if (kind == 1)
        return put_fixed(bits, output);
    return kind == 2 && put_dynamic(bits, output);
}

size_t facade_unpack_deflate(const unsigned char *from, size_t bytes, unsigned char *to,
                             size_t room)
{
    struct bits bits = {.input = {from, from + bytes}};
    struct output output = {.to = to, .room = room};
    for (bool is_last = false; !is_last;) {
        is_last = take_bits(&bits, 1) != 0;
        if (!put_block(&bits, take_bits(&bits, 2), &output))
            return 0;
    }
    return output.done;
}
