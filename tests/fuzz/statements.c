/* Mutations for libFuzzer's inputs that are PTX: by statements, words and operands, so that what comes out is PTX more often
 * than what changes of bytes alone leave. Every third mutation is one of libFuzzer's own, over the whole input.
 * SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "kernels/ptx/ir/ir.h"

enum { MOST_SPAN = 4096 };

/* A part of an input. */
struct span {
    size_t at, bytes;
};

static uint32_t state; /* of the choices, from libFuzzer's seed */

/* Marsaglia's xorshift, 32 bits. Source: Xorshift RNGs, 2003. */
static size_t choose(size_t count)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return count > 0 ? state % count : 0;
}

static size_t replace(uint8_t *data, size_t size, size_t most, struct span old, const void *with,
                      size_t bytes)
{
    uint8_t copy[MOST_SPAN];
    if (bytes > sizeof copy || size - old.bytes + bytes > most)
        return size;
    memcpy(copy, with, bytes); /* which may be of the same input */
    memmove(data + old.at + bytes, data + old.at + old.bytes, size - old.at - old.bytes);
    memcpy(data + old.at, copy, bytes);
    return size - old.bytes + bytes;
}

/* ---- Parts of inputs ---- */

static bool is_end(uint8_t byte)
{
    return byte == ';' || byte == '\n';
}

/* The statement at a place, with what ends it. */
static struct span statement_at(const uint8_t *data, size_t size, size_t at)
{
    struct span found = {at, 0};
    while (found.at > 0 && !is_end(data[found.at - 1]))
        found.at--;
    while (found.at + found.bytes < size && !is_end(data[found.at + found.bytes]))
        found.bytes++;
    found.bytes += found.at + found.bytes < size;
    return found;
}

static bool is_of_word(uint8_t byte)
{
    return isalnum(byte) || byte == '_' || byte == ':';
}

/* The next word behind the sign, with it; no bytes: there is none. */
static struct span word_behind(const uint8_t *data, size_t size, uint8_t sign)
{
    const size_t start = choose(size);
    const uint8_t *found = memchr(data + start, sign, size - start);
    if (!found)
        return (struct span){0, 0};
    struct span word = {(size_t)(found - data), 1};
    while (word.at + word.bytes < size && is_of_word(data[word.at + word.bytes]))
        word.bytes++;
    return word;
}

/* The word that a statement begins with. */
static struct span opcode_at(const uint8_t *data, size_t size, size_t at)
{
    struct span found = {statement_at(data, size, at).at, 0};
    while (found.at < size && isspace(data[found.at]))
        found.at++;
    while (found.at + found.bytes < size && isalnum(data[found.at + found.bytes]))
        found.bytes++;
    return found;
}

/* ---- Mutations: each returns the size afterwards ---- */

static size_t replace_word(uint8_t *data, size_t size, size_t most)
{
    static const char *const words[] = {
        ".1d",      ".2d",       ".3d",      ".a1d",     ".a2d",        ".cube",   ".acube",
        ".acq_rel", ".acquire",  ".release", ".relaxed", ".volatile",   ".sc",     ".weak",
        ".add",     ".and",      ".or",      ".xor",     ".min",        ".max",    ".inc",
        ".dec",     ".cas",      ".exch",    ".popc",    ".red",        ".arrive", ".sync",
        ".all",     ".any",      ".ballot",  ".uni",     ".bfly",       ".up",     ".down",
        ".idx",     ".approx",   ".full",    ".ftz",     ".sat",        ".rn",     ".rz",
        ".rm",      ".rp",       ".rni",     ".rzi",     ".rmi",        ".rpi",    ".eq",
        ".ne",      ".lt",       ".le",      ".gt",      ".ge",         ".ltu",    ".equ",
        ".num",     ".nan",      ".lo",      ".hi",      ".wide",       ".cc",     ".v2",
        ".v4",      ".global",   ".shared",  ".local",   ".const",      ".param",  ".cta",
        ".gpu",     ".sys",      ".clamp",   ".wrap",    ".trap",       ".zero",   ".b",
        ".p",       ".r",        ".g",       ".a",       ".l",          ".level",  ".grad",
        ".base",    ".width",    ".height",  ".depth",   ".array_size", ".to",     ".finite",
        ".normal",  ".shiftamt", ".po",      ".shr7",    ".shr15",      ".rc8",    ".nc",
        ".ca",      ".cg",       ".cv",      ".aligned", ".b0",         ".b3210",  ".h1",
        ".relu",    ".abs",      ".noftz",   ".xorsign", ".satfinite",  ".warp",   ".wait_group"};
    const struct span old = word_behind(data, size, '.'), other = word_behind(data, size, '.');
    char type[16] = ".";
    const char *word = words[choose(sizeof words / sizeof *words)];
    switch (choose(3)) {
    case 0:
        return replace(data, size, most, old, data + other.at, other.bytes);
    case 1:
        strncat(type, ptx_type_name((enum ptx_type)choose(PTX_TYPES)), sizeof type - 2);
        word = type;
        break;
    default:
        break;
    }
    const struct span behind = {old.at + old.bytes, 0};
    return replace(data, size, most, choose(4) == 0 ? behind : old, word, strlen(word));
}

static size_t replace_operand(uint8_t *data, size_t size, size_t most)
{
    const struct span old = word_behind(data, size, '%'), other = word_behind(data, size, '%');
    return replace(data, size, most, old, data + other.at, other.bytes);
}

static size_t replace_opcode(uint8_t *data, size_t size, size_t most)
{
    const char *name = ptx_opcode_name((enum ptx_opcode)choose(PTX_OPCODES));
    return replace(data, size, most, opcode_at(data, size, choose(size)), name, strlen(name));
}

static size_t copy_statement(uint8_t *data, size_t size, size_t most)
{
    const struct span to = statement_at(data, size, choose(size));
    const struct span from = statement_at(data, size, choose(size));
    const struct span none = {to.at, 0};
    return replace(data, size, most, choose(3) == 0 ? to : none, data + from.at, from.bytes);
}

static size_t remove_statement(uint8_t *data, size_t size, size_t most)
{
    return replace(data, size, most, statement_at(data, size, choose(size)), "", 0);
}

/* The two bytes that ptx.c takes for facts about the device. */
static size_t change_facts(uint8_t *data, size_t size, size_t most)
{
    uint8_t line[5] = {'/', '/', (uint8_t)(1 + choose(255)), (uint8_t)(1 + choose(255)), '\n'};
    struct span old = {0, 0};
    if (size >= sizeof line && data[0] == '/' && data[1] == '/' && data[4] == '\n') {
        old.bytes = sizeof line;
        for (unsigned i = 2; i < 4; i++)
            line[i] = data[i] ^ (uint8_t)(1u << choose(8));
    }
    return replace(data, size, most, old, line, sizeof line);
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

/* What libFuzzer does with inputs, done with one statement. */
static size_t change_statement(uint8_t *data, size_t size, size_t most)
{
    uint8_t copy[MOST_SPAN];
    const struct span old = statement_at(data, size, choose(size));
    if (old.bytes == 0 || old.bytes > sizeof copy)
        return size;
    memcpy(copy, data + old.at, old.bytes);
    return replace(data, size, most, old, copy, LLVMFuzzerMutate(copy, old.bytes, sizeof copy));
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    static size_t (*const ways[])(uint8_t *, size_t, size_t) = {
        replace_word, replace_word,   replace_operand,  replace_operand, replace_opcode,
        change_facts, copy_statement, remove_statement, change_statement};
    state = seed | 1;
    if (size == 0 || choose(3) == 0)
        return LLVMFuzzerMutate(data, size, most);
    for (size_t left = 1 + choose(3); left > 0 && size > 0; left--)
        size = ways[choose(sizeof ways / sizeof *ways)](data, size, most);
    return size;
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t first_size, const uint8_t *second,
                                 size_t second_size, uint8_t *out, size_t most, unsigned seed);

/* One to eight statements of the second in the first. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t first_size, const uint8_t *second,
                                 size_t second_size, uint8_t *out, size_t most, unsigned seed)
{
    state = seed | 1;
    size_t size = first_size < most ? first_size : most;
    memcpy(out, first, size);
    if (size == 0 || second_size == 0)
        return size;
    const struct span to = {statement_at(out, size, choose(size)).at, 0};
    struct span from = statement_at(second, second_size, choose(second_size));
    for (size_t more = choose(8); more > 0 && from.at + from.bytes < second_size; more--)
        from.bytes += statement_at(second, second_size, from.at + from.bytes).bytes;
    return replace(out, size, most, to, second + from.at, from.bytes);
}
