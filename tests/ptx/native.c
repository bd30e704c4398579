/* Operations of the native form: every operation of the differential tests over 32 lanes and over one number, lane by lane
 * against the host's own computation.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/test.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/differential/differential.h"
#include "tests/ptx/native_forms.h"
#include "tests/ptx/native_lanes.h"

enum { LANES = 32, ROUNDS = 60, DISTANCES = 5 };

/* One operation, with its constants put in. */
struct trial {
    const struct operation *operation;
    uint64_t constants[SOURCES];
    size_t function, of_one;
};

static size_t bytes_of(char class)
{
    return strchr("ld", class) ? 8 : strchr("hqb", class) ? 2 : 4;
}

/* "$d" as %d, "$a" as %a, or the constant. */
static void write_text(const struct trial *trial, char *to, size_t room)
{
    size_t used = 0;
    for (const char *c = trial->operation->text; *c && used + 24 < room; c++) {
        if (*c != '$') {
            to[used++] = *c;
            continue;
        }
        c++;
        if (*c != 'd' && trial->operation->sources[*c - 'a'] == 's')
            used +=
                (size_t)snprintf(to + used, room - used, "%" PRIu64, trial->constants[*c - 'a']);
        else
            used += (size_t)snprintf(to + used, room - used, "%%%c", *c);
    }
    to[used] = '\0';
}

static void add(struct lanes_text *text, struct trial *trial)
{
    char words[1024], classes[SOURCES + 2] = {trial->operation->result};
    write_text(trial, words, sizeof words);
    for (size_t i = 0; i < SOURCES && trial->operation->sources[i]; i++)
        classes[1 + i] = trial->operation->sources[i] == 's' ? 'r' : trial->operation->sources[i];
    trial->function = lanes_add(text, "", words, classes, true);
    trial->of_one = lanes_add(text, "", words, classes, false);
}

/* What one lane must give. */
static uint64_t wanted(const struct trial *trial, const uint64_t values[SOURCES], uint64_t given)
{
    struct step step = {.operation = trial->operation};
    uint64_t all[SOURCES] = {0};
    for (size_t i = 0; i < SOURCES && trial->operation->sources[i]; i++) {
        step.sources[i] = trial->operation->sources[i] == 's' ? trial->constants[i] : i;
        all[i] = values[i];
    }
    return step_value(&step, all, given);
}

/* Places where registers lie: of each source, and the result. */
struct places {
    uint64_t values[SOURCES][LANES];
    _Alignas(64) unsigned char bytes[SOURCES + 1][LANES * 8];
};

static void fill(const struct operation *operation, struct generator *generator,
                 struct places *places)
{
    for (size_t i = 0; i < SOURCES && operation->sources[i]; i++)
        for (size_t lane = 0; lane < LANES; lane++) {
            const uint64_t word = generator_word(generator);
            const char class = operation->sources[i];
            places->values[i][lane] =
                class_bits(class, bytes_of(class) == 4 && word & 1 ? word >> 32 : word);
            memcpy(&places->bytes[i][lane * bytes_of(class)], &places->values[i][lane],
                   bytes_of(class));
        }
}

static void run(lanes_function *function, const struct operation *operation, struct places *places,
                size_t lane)
{
    uint64_t at[SOURCES + 1] = {0};
    for (size_t i = 0; i < SOURCES && operation->sources[i]; i++)
        at[i] = (uint64_t)(uintptr_t)&places->bytes[i][lane * bytes_of(operation->sources[i])];
    at[SOURCES] = (uint64_t)(uintptr_t)&places->bytes[SOURCES][lane * bytes_of(operation->result)];
    function(at[0], at[1], at[2], at[SOURCES]);
}

/* How many lanes differ; the first is told of. */
static size_t compare(const struct trial *trial, const struct places *places, const char *how)
{
    const struct operation *operation = trial->operation;
    size_t differing = 0;
    for (size_t lane = 0; lane < LANES; lane++) {
        uint64_t given = 0, values[SOURCES] = {0};
        memcpy(&given, &places->bytes[SOURCES][lane * bytes_of(operation->result)],
               bytes_of(operation->result));
        given = class_bits(operation->result, given);
        for (size_t i = 0; i < SOURCES && operation->sources[i]; i++)
            values[i] = places->values[i][lane];
        const uint64_t right = wanted(trial, values, given);
        if (given == right)
            continue;
        if (differing++ == 0)
            printf("%s %s: a=%" PRIx64 " b=%" PRIx64 " c=%" PRIx64 " gave %" PRIx64
                   ", wanted %" PRIx64 "\n",
                   how, operation->text, values[0], values[1], values[2], given, right);
    }
    return differing;
}

static size_t try_values(struct lanes_text *text, const struct trial *trial,
                         struct generator *generator)
{
    static struct places places;
    size_t differing = 0;
    for (size_t round = 0; round < ROUNDS && differing == 0; round++) {
        fill(trial->operation, generator, &places);
        memset(places.bytes[SOURCES], 0, sizeof places.bytes[SOURCES]);
        run(lanes_find(text, trial->function), trial->operation, &places, 0);
        differing += compare(trial, &places, "lanes");
        memset(places.bytes[SOURCES], 0, sizeof places.bytes[SOURCES]);
        for (size_t lane = 0; lane < LANES; lane++)
            run(lanes_find(text, trial->of_one), trial->operation, &places, lane);
        differing += compare(trial, &places, "one");
    }
    return differing;
}

TEST_BODY(native_operations_compute_what_the_host_does)
{
    static struct trial trials[1024];
    struct generator generator;
    size_t count = 0, differing = 0;
    if (!lanes_llvm())
        TEST_SKIP("no LLVM is a library here");
    struct lanes_text *text = lanes_begin();
    generator_start(&generator, 5, false);
    for (size_t i = 0; i < operation_count; i++) {
        const bool has_constant = strchr(operations[i].sources, 's');
        for (size_t j = 0; j < (has_constant ? DISTANCES : 1); j++) {
            struct trial *trial = &trials[count++];
            trial->operation = &operations[i];
            for (size_t k = 0; k < SOURCES; k++)
                trial->constants[k] = generator_next(&generator) % 41;
            add(text, trial);
        }
    }
    lanes_compile(text);
    for (size_t i = 0; i < count; i++)
        differing += try_values(text, &trials[i], &generator) > 0;
    lanes_end(text);
    assert_int_equal(differing, 0);
}

/* ---- In every form ---- */

/* So many functions are compiled at once. */
enum { AT_ONCE = 400 };

struct forms {
    struct lanes_text *text;
    struct generator generator;
    const char *classes;
    struct operation operations[AT_ONCE];
    struct trial trials[AT_ONCE];
    char words[AT_ONCE][NATIVE_FORM_BYTES];
    size_t count, all, differing;
};

/* Lanes of a vector give what each gives alone. */
static void try_form(struct forms *forms, const struct trial *trial)
{
    static struct places places, of_one;
    const size_t bytes = LANES * bytes_of(trial->operation->result);
    for (size_t round = 0; round < ROUNDS; round++) {
        fill(trial->operation, &forms->generator, &places);
        of_one = places;
        run(lanes_find(forms->text, trial->function), trial->operation, &places, 0);
        for (size_t lane = 0; lane < LANES; lane++)
            run(lanes_find(forms->text, trial->of_one), trial->operation, &of_one, lane);
        if (memcmp(places.bytes[SOURCES], of_one.bytes[SOURCES], bytes) == 0)
            continue;
        printf("lanes differ from one: %s\n", trial->operation->text);
        forms->differing++;
        return;
    }
}

static void try_all(struct forms *forms)
{
    if (forms->count == 0)
        return;
    lanes_compile(forms->text);
    for (size_t i = 0; i < forms->count; i++)
        try_form(forms, &forms->trials[i]);
    lanes_end(forms->text);
    forms->count = 0;
}

static void add_form(const char *text, void *with)
{
    struct forms *forms = with;
    if (forms->count == AT_ONCE)
        try_all(forms);
    if (forms->count == 0)
        forms->text = lanes_begin();
    const size_t i = forms->count++;
    snprintf(forms->words[i], sizeof forms->words[i], "%s", text);
    forms->operations[i] = (struct operation){
        .text = forms->words[i], .result = forms->classes[0], .sources = forms->classes + 1};
    forms->trials[i].operation = &forms->operations[i];
    forms->trials[i].function =
        lanes_add(forms->text, NATIVE_FORM_REGISTERS, text, forms->classes, true);
    forms->trials[i].of_one =
        lanes_add(forms->text, NATIVE_FORM_REGISTERS, text, forms->classes, false);
    forms->all++;
}

TEST_BODY(native_operations_of_every_form_are_alike_for_lanes_and_one)
{
    static struct forms forms;
    if (!lanes_llvm())
        TEST_SKIP("no LLVM is a library here");
    generator_start(&forms.generator, 6, false);
    for (size_t i = 0; i < sizeof native_forms / sizeof *native_forms; i++) {
        forms.classes = native_forms[i].classes;
        native_expand(native_forms[i].pattern, add_form, &forms);
    }
    try_all(&forms);
    assert_true(forms.all > 1500);
    assert_int_equal(forms.differing, 0);
}

/* ---- The math library ---- */

static double inverse_root(double x)
{
    return 1 / sqrt(x);
}

static double power_of_ten(double x)
{
    return pow(10, x);
}

static double root_of_sum(double x, double y)
{
    return hypot(x, y);
}

/* Functions of one and of two floats, and how many units of the last place they may miss.
 * Source: CUDA C++ Programming Guide 13.0, Mathematical Functions. */
static const struct math {
    const char *name;
    double (*of_one)(double);
    double (*of_two)(double, double);
    double error;
} all_math[] = {
    {"sinf", sin, NULL, 2},
    {"cosf", cos, NULL, 2},
    {"expf", exp, NULL, 1},
    {"exp2f", exp2, NULL, 2},
    {"logf", log, NULL, 1},
    {"log2f", log2, NULL, 1},
    {"log10f", log10, NULL, 2},
    {"tanf", tan, NULL, 4},
    {"exp10f", power_of_ten, NULL, 2},
    {"rsqrtf", inverse_root, NULL, 2},
    {"tanhf", tanh, NULL, 2},
    {"powf", NULL, pow, 4},
    {"atan2f", NULL, atan2, 3},
    {"hypotf", NULL, root_of_sum, 3},
};

static float float_of(uint64_t bits)
{
    const uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

/* Whether a float is as near to a number as it must be; zeros have its sign. */
static bool is_near(float given, double exact, double error)
{
    const float nearest = (float)exact;
    if (isnan(exact) || isnan(given))
        return isnan(exact) && isnan(given);
    if (isinf(nearest) || nearest == 0)
        return given == nearest ? signbit(given) == signbit(nearest)
                                : fabs((double)given) >= 3.4e38 || fabs(exact) < 1e-44;
    int exponent;
    frexp(exact, &exponent);
    const double unit = ldexp(1, (exponent < -125 ? -125 : exponent) - 24);
    return fabs((double)given - exact) <= error * unit;
}

TEST_BODY(native_math_is_as_exact_as_cuda)
{
    static struct places places;
    struct generator generator;
    size_t numbers[sizeof all_math / sizeof *all_math];
    if (!lanes_llvm())
        TEST_SKIP("no LLVM is a library here");
    struct lanes_text *text = lanes_begin();
    for (size_t i = 0; i < sizeof all_math / sizeof *all_math; i++)
        numbers[i] =
            lanes_add_math(text, all_math[i].name, all_math[i].of_one ? "ff" : "fff", true);
    lanes_compile(text);
    generator_start(&generator, 7, false);
    for (size_t i = 0; i < sizeof all_math / sizeof *all_math; i++) {
        const struct math *math = &all_math[i];
        const struct operation shape = {.result = 'f', .sources = math->of_one ? "f" : "ff"};
        for (size_t round = 0; round < (size_t)20 * ROUNDS; round++) {
            fill(&shape, &generator, &places);
            run(lanes_find(text, numbers[i]), &shape, &places, 0);
            for (size_t lane = 0; lane < LANES; lane++) {
                const float a = float_of(places.values[0][lane]);
                const float b = float_of(places.values[1][lane]);
                float given;
                memcpy(&given, &places.bytes[SOURCES][4 * lane], sizeof given);
                const double exact =
                    math->of_one ? math->of_one((double)a) : math->of_two((double)a, (double)b);
                if (!is_near(given, exact, math->error))
                    fail_msg("%s(%a, %a) gave %a, not %a", math->name, (double)a, (double)b,
                             (double)given, exact);
            }
        }
    }
    lanes_end(text);
}
