/* Chains of random operations, and their PTX.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/differential/differential.h"

/* ---- Random numbers ---- */

uint64_t generator_next(struct generator *g)
{
    uint64_t z = g->state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static uint64_t below(struct generator *g, uint64_t count)
{
    return generator_next(g) % count;
}

static void shuffle(struct generator *g)
{
    for (size_t i = 0; i < operation_count; ++i)
        g->deck[i] = (uint16_t)i;
    for (size_t i = operation_count; i > 1; --i) {
        const size_t other = below(g, i);
        const uint16_t kept = g->deck[other];
        g->deck[other] = g->deck[i - 1];
        g->deck[i - 1] = kept;
    }
    g->dealt = 0;
}

void generator_start(struct generator *g, uint64_t seed, bool checked_only)
{
    *g = (struct generator){.state = seed * 0x2545f4914f6cdd1d + 1, .checked_only = checked_only};
    shuffle(g);
}

static uint64_t edge_32(struct generator *g)
{
    static const uint32_t edges[] = {
        0,          1,          2,          0x7f,       0x80,       0xff,       0x7fff,
        0x8000,     0xffff,     0x10000,    0x7fffffff, 0x80000000, 0x80000001, 0xffffffff,
        0xfffffffe, 0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001, 0x3f000000, 0x3effffff,
        0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x00800000, 0x007fffff, 0x80800000,
        0x4effffff, 0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0xdf000000, 0x5f800000,
        0x4b000000, 0x3c003c00, 0x7bff7c00, 0x04000400, 0x03ff0001, 0x80018000, 0x477fe000,
        0x477ff000, 0x33800000, 0x40200000, 0x41200000, 0x42fe8000, 0x437f8000, 0xc3000000,
        0x3fc00000};
    return edges[below(g, sizeof edges / sizeof *edges)] + (below(g, 4) == 0 ? below(g, 5) - 2 : 0);
}

static uint64_t edge_64(struct generator *g)
{
    static const uint64_t edges[] = {
        0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0x3ff0000000000000,
        0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000000000, 0x41f0000000000000,
        0x43e0000000000000, 0xc3e0000000000000, 0x43f0000000000000, 0x7fefffffffffffff,
        0x7ff0000000000000, 0x0010000000000000, 0x000fffffffffffff, 0x47efffffe0000000,
        0x47efffffefffffff, 0x3810000000000000, 0x380fffffe0000000, 0x36a0000000000000,
        0x40effc0000000000, 0x3e60000000000000, 0x3fe0000000000000, 0x4340000000000001,
        0x7ff8000000000000};
    return edges[below(g, sizeof edges / sizeof *edges)] + (below(g, 3) == 0 ? below(g, 5) - 2 : 0);
}

/* A float, or a double, of a size that others have too. */
static uint64_t moderate(struct generator *g)
{
    const uint64_t bits = generator_next(g);
    if (bits & 1)
        return (bits & 0x800fffffffffffff) | (1013 + (bits >> 1 & 15)) << 52;
    const uint64_t exponents = (120 + (bits >> 1 & 15)) << 23 | (120 + (bits >> 5 & 15)) << 55;
    return (bits & 0x807fffff807fffff) | exponents;
}

uint64_t generator_word(struct generator *g)
{
    const uint64_t bits = generator_next(g);
    switch (below(g, 8)) {
    case 0:
        return bits;
    case 1:
        return bits >> (bits & 63);
    case 2:
        return (uint64_t)((int64_t)bits >> (bits & 63));
    case 3:
        return edge_32(g) << 32 | (edge_32(g) & 0xffffffff);
    case 4:
        return edge_64(g);
    case 5:
        return edge_32(g) << 32 | (bits & 0xffffffff);
    default:
        return moderate(g);
    }
}

/* ---- Chains ---- */

/* What a thread starts with, for each input word. */
static const char initial_classes[VALUES_A_WORD + 1] = "lrrhqbffdQB";

char value_class(const struct chain *chain, size_t value)
{
    return value < INITIAL_VALUES ? initial_classes[value % VALUES_A_WORD]
                                  : chain->steps[value - INITIAL_VALUES].operation->result;
}

/* A value of a class: rather one of the last. */
static uint64_t choose(struct generator *g, const struct chain *chain, char class)
{
    const uint64_t count = INITIAL_VALUES + chain->count;
    const bool is_late = below(g, 3) != 0;
    for (;;) {
        const uint64_t value =
            is_late ? count - 1 - below(g, below(g, count) + 1) : below(g, count);
        if (value_class(chain, value) == class)
            return value;
    }
}

static const struct operation *deal(struct generator *g)
{
    for (;;) {
        if (g->dealt == operation_count)
            shuffle(g);
        const struct operation *operation = &operations[g->deck[g->dealt++]];
        if (operation->value || !g->checked_only)
            return operation;
    }
}

void generator_chain(struct generator *g, size_t least, size_t most, struct chain *chain)
{
    const size_t count = least + below(g, most - least + 1);
    chain->count = 0;
    while (chain->count < count) {
        struct step *step = &chain->steps[chain->count];
        step->operation = deal(g);
        for (size_t i = 0; i < SOURCES && step->operation->sources[i]; ++i) {
            const char class = step->operation->sources[i];
            step->sources[i] = class == 's' ? below(g, 41) : choose(g, chain, class);
        }
        ++chain->count;
    }
}

/* ---- Values ---- */

uint64_t class_bits(char class, uint64_t bits)
{
    switch (class) {
    case 'l':
        return bits;
    case 'd':
        return (bits & 0x7fffffffffffffff) > 0x7ff0000000000000 ? 0x7ff8000000000000 : bits;
    case 'h':
        return bits & 0xffff;
    case 'q':
        return (bits & 0x7fff) > 0x7c00 ? 0x7fff : bits & 0xffff;
    case 'b':
        return (bits & 0x7fff) > 0x7f80 ? 0x7fff : bits & 0xffff;
    case 'f':
        return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : bits & 0xffffffff;
    case 'Q':
        return class_bits('q', bits) | class_bits('q', bits >> 16) << 16;
    case 'B':
        return class_bits('b', bits) | class_bits('b', bits >> 16) << 16;
    default:
        return bits & 0xffffffff;
    }
}

void initial_values(const uint64_t words[WORDS], uint64_t values[INITIAL_VALUES])
{
    static const unsigned shifts[VALUES_A_WORD] = {0, 0, 32, 0, 0, 32, 0, 32, 0, 32, 0};
    for (size_t i = 0; i < INITIAL_VALUES; ++i) {
        const size_t kind = i % VALUES_A_WORD;
        values[i] = class_bits(initial_classes[kind], words[i / VALUES_A_WORD] >> shifts[kind]);
    }
}

/* ---- Text ---- */

struct text {
    char *data;
    size_t used, capacity;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *format, ...)
{
    char piece[1024];
    va_list list;
    va_start(list, format);
    const size_t bytes = (size_t)vsnprintf(piece, sizeof piece, format, list);
    va_end(list);
    if (t->used + bytes + 1 > t->capacity) {
        t->capacity = 2 * t->capacity + bytes + 4096;
        char *grown = realloc(t->data, t->capacity);
        if (!grown) {
            fprintf(stderr, "no memory\n");
            exit(2);
        }
        t->data = grown;
    }
    memcpy(t->data + t->used, piece, bytes + 1);
    t->used += bytes;
}

/* NaN has many forms, and the ISA leaves open which; the results of a class get one. */
static void add_nan(struct text *t, char class, size_t value)
{
    if (class == 'f')
        add(t, "  setp.nan.f32 %%p0, %%f%zu, %%f%zu;\n  @%%p0 mov.f32 %%f%zu, 0f7FFFFFFF;\n", value,
            value, value);
    if (class == 'd')
        add(t,
            "  setp.nan.f64 %%p0, %%d%zu, %%d%zu;\n  @%%p0 mov.f64 %%d%zu, 0d7FF8000000000000;\n",
            value, value, value);
    if (class == 'q' || class == 'b')
        add(t,
            "  and.b16 %%half, %%%c%zu, 32767;\n  setp.gt.u16 %%p0, %%half, %d;\n  @%%p0 mov.b16 "
            "%%%c%zu, 32767;\n",
            class, value, class == 'q' ? 0x7c00 : 0x7f80, class, value);
}

/* The text of an operation with its registers put in. */
static void add_step(struct text *t, const struct chain *chain, size_t index)
{
    const struct step *step = &chain->steps[index];
    add(t, "  ");
    for (const char *c = step->operation->text; *c; ++c) {
        if (*c != '$') {
            add(t, "%c", *c);
            continue;
        }
        ++c;
        if (*c == 'd') {
            add(t, "%%%c%zu", step->operation->result, INITIAL_VALUES + index);
            continue;
        }
        const uint64_t source = step->sources[*c - 'a'];
        if (step->operation->sources[*c - 'a'] == 's')
            add(t, "%" PRIu64, source);
        else
            add(t, "%%%c%" PRIu64, value_class(chain, source), source);
    }
    add(t, "\n");
    add_nan(t, step->operation->result, INITIAL_VALUES + index);
}

static void add_store(struct text *t, char class, size_t value, size_t place)
{
    if (class == 'l' || class == 'd')
        add(t, "  mov.b64 %%stored, %%%c%zu;\n", class, value);
    else if (class == 'h' || class == 'q' || class == 'b')
        add(t, "  cvt.u64.u16 %%stored, %%%c%zu;\n", class, value);
    else
        add(t, "  mov.b32 %%word, %%%c%zu;\n  cvt.u64.u32 %%stored, %%word;\n", class, value);
    add(t, "  st.global.u64 [%%out+%zu], %%stored;\n", 8 * place);
}

static void add_initial(struct text *t)
{
    for (size_t w = 0; w < WORDS; ++w) {
        const size_t v = w * VALUES_A_WORD;
        add(t, "  ld.global.u64 %%l%zu, [%%in+%zu];\n  mov.b64 {%%r%zu, %%r%zu}, %%l%zu;\n", v,
            8 * w, v + 1, v + 2, v);
        add(t, "  cvt.u16.u32 %%h%zu, %%r%zu;\n  mov.b16 %%q%zu, %%h%zu;\n", v + 3, v + 1, v + 4,
            v + 3);
        add(t, "  cvt.u16.u32 %%b%zu, %%r%zu;\n", v + 5, v + 2);
        add(t, "  mov.b32 %%f%zu, %%r%zu;\n  mov.b32 %%f%zu, %%r%zu;\n", v + 6, v + 1, v + 7,
            v + 2);
        add(t, "  mov.b64 %%d%zu, %%l%zu;\n", v + 8, v);
        add(t, "  mov.b32 %%Q%zu, %%r%zu;\n  mov.b32 %%B%zu, %%r%zu;\n", v + 9, v + 2, v + 10,
            v + 1);
        for (size_t i = 0; i < VALUES_A_WORD; ++i)
            add_nan(t, initial_classes[i], v + i);
    }
}

static void add_registers(struct text *t, const struct chain *chain)
{
    static const char *const types[][2] = {{"h", "b16"}, {"q", "b16"}, {"b", "b16"},
                                           {"r", "b32"}, {"Q", "b32"}, {"B", "b32"},
                                           {"l", "b64"}, {"f", "f32"}, {"d", "f64"}};
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
        add(t, "  .reg .%s %%%s<%zu>;\n", types[i][1], types[i][0], INITIAL_VALUES + chain->count);
    add(t, "  .reg .pred %%p<2>;\n  .reg .b16 %%half;\n  .reg .b32 %%i, %%x, %%n, %%word;\n  .reg "
           ".b64 %%in, %%out, %%o, %%stored;\n");
}

static void add_entry(struct text *t, const struct chain *chain, size_t index)
{
    add(t, ".visible .entry k%zu(.param .u64 words, .param .u64 results, .param .u32 threads)\n{\n",
        index);
    add_registers(t, chain);
    add(t, "  mov.u32 %%i, %%ctaid.x;\n  mov.u32 %%x, %%ntid.x;\n  mov.u32 %%n, %%tid.x;\n");
    add(t, "  mad.lo.u32 %%i, %%i, %%x, %%n;\n  ld.param.u32 %%n, [threads];\n");
    add(t, "  setp.ge.u32 %%p0, %%i, %%n;\n  @%%p0 bra END;\n");
    add(t, "  ld.param.u64 %%in, [words];\n  cvta.to.global.u64 %%in, %%in;\n");
    add(t, "  mul.wide.u32 %%o, %%i, %d;\n  add.s64 %%in, %%in, %%o;\n", 8 * WORDS);
    add(t, "  ld.param.u64 %%out, [results];\n  cvta.to.global.u64 %%out, %%out;\n");
    add(t, "  mul.wide.u32 %%o, %%i, %d;\n  add.s64 %%out, %%out, %%o;\n", 8 * MOST_STEPS);
    add_initial(t);
    for (size_t i = 0; i < chain->count; ++i) {
        add_step(t, chain, i);
        add_store(t, chain->steps[i].operation->result, INITIAL_VALUES + i, i);
    }
    add(t, "END:\n  ret;\n}\n");
}

char *module_text(const struct chain *chains, size_t count)
{
    struct text t = {0};
    add(&t, ".version 8.0\n.target sm_90\n.address_size 64\n");
    for (size_t i = 0; i < count; ++i)
        add_entry(&t, &chains[i], i);
    return t.data;
}
