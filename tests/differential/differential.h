/* Random PTX kernels: what one is made of, its text, and its values as computed here. No CUDA
 * header, no OpenCL.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_DIFFERENTIAL_H
#define TESTS_DIFFERENTIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SOURCES = 3,
    WORDS = 4,
    VALUES_A_WORD = 11,
    INITIAL_VALUES = WORDS * VALUES_A_WORD,
    MOST_STEPS = 64
};

struct operation {
    const char *name, *text;
    char result;
    const char *sources;
    uint64_t (*value)(uint64_t a, uint64_t b, uint64_t c); /* NULL: an approximation */
    double (*exact)(uint64_t a, uint64_t b, uint64_t c, double *error);
};
extern const struct operation operations[];
extern const size_t operation_count;

/* sources[i]: a value's index, or a constant where the operation has one. Value INITIAL_VALUES +
 * k is that of step k. */
struct step {
    const struct operation *operation;
    uint64_t sources[SOURCES];
};

struct chain {
    struct step steps[MOST_STEPS];
    size_t count;
};

struct generator {
    uint64_t state;
    bool checked_only;   /* leave unchecked operations out */
    uint16_t deck[1024]; /* every operation once, in random order, dealt one by one */
    size_t dealt;
};

void generator_start(struct generator *g, uint64_t seed, bool checked_only);
uint64_t generator_next(struct generator *g);
/* An input word: plain random, or at the edge of some type. */
uint64_t generator_word(struct generator *g);
void generator_chain(struct generator *g, size_t least, size_t most, struct chain *chain);

char value_class(const struct chain *chain, size_t value);
/* Bits cut to a class, NaN in its one form. */
uint64_t class_bits(char class, uint64_t bits);

/* The module of some chains: entries k0, k1 ... (.u64 words, .u64 results, .u32 threads). NULL
 * without memory. */
char *module_text(const struct chain *chains, size_t count);

/* The values that a thread with these words starts from. */
void initial_values(const uint64_t words[WORDS], uint64_t values[INITIAL_VALUES]);
/* What a step gives from the values before it. An approximation that is near enough is right as
 * it is. */
uint64_t step_value(const struct step *step, const uint64_t *values, uint64_t given);

#endif
