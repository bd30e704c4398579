/* The stream kernels: copy, mul, add, triad, dot and fill, over floats and doubles.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#ifdef _OPENMP
#include <omp.h>
#endif
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "bench/fast.h"
#include "bench/study.h"

enum operation { COPY, MUL, ADD, TRIAD, FILL, DOT };
enum { IDIOM, WIDE, CHUNKED, STREAMING };
enum { FLOATS, DOUBLES };
/* The fastest of all forms, or of those whose stores go through the caches. */
enum { ANY_STORES, PLAIN_STORES };

/* Buffers: the target (dot: the sums), then the sources. */
enum { TARGET, FIRST, SECOND };

#define FACTOR TRIAD_FACTOR
/* Sizes that kernels/access/stream.cl is written for. */
#define DOT_GROUP     ((size_t)256)
#define DOT_WIDE_TILE ((size_t)8 * 256 * 16)

static const char *const types[] = {"float", "double"};
static const char *const stores[] = {"any", "plain"};

static size_t sources_of(enum operation operation)
{
    static const size_t sources[] = {
        [COPY] = 1, [MUL] = 1, [ADD] = 2, [TRIAD] = 2, [FILL] = 0, [DOT] = 2};
    return sources[operation];
}

static bool has_doubles(const struct cell *cell)
{
    return cell_parameter(cell, "type") == DOUBLES;
}

static size_t units_of(const struct device_facts *device)
{
    return device->compute_units > 0 ? (size_t)device->compute_units : 1;
}

/* Random numbers from 1 to 2, each array its own. */
static void fill_numbers(const struct cell *cell, size_t index, void *memory, size_t bytes)
{
    if (!has_doubles(cell)) {
        pattern_fill(memory, bytes, index == FIRST ? PATTERN_FIRST : PATTERN_SECOND, 0);
        return;
    }
    uint64_t *words = memory;
    pattern_fill(memory, bytes, PATTERN_WORDS, index * 4096);
#pragma omp parallel for
    for (size_t i = 0; i < bytes / 8; i++)
        words[i] = (words[i] & 0x000FFFFFFFFFFFFFu) | 0x3FF0000000000000u;
}

/* Several chunks per core, so that a core that others use does not keep all waiting. */
static void shape_chunks(const struct cell *cell, struct shot *shot)
{
    shot->local[0] = 1;
    shot->groups[0] = units_of(cell->device) * 4;
}

static void shape_dot(const struct cell *cell, struct shot *shot, size_t form)
{
    shot->local[0] = DOT_GROUP;
    shot->groups[0] = form == WIDE ? cell->bytes / DOT_WIDE_TILE : units_of(cell->device) * 4;
    if (form == CHUNKED)
        shape_chunks(cell, shot);
}

static void shape_groups(const struct cell *cell, struct shot *shot, enum operation operation,
                         size_t form)
{
    const size_t number = has_doubles(cell) ? sizeof(double) : sizeof(float);
    if (operation == DOT)
        shape_dot(cell, shot, form);
    else if (form == IDIOM || form == WIDE)
        shot_items(shot, cell->device, cell->bytes / (form == WIDE ? 16 : number), 256);
    else
        shape_chunks(cell, shot);
}

/* A dot has a sum for each group; chunks are groups of one item. */
static void add_arrays(const struct cell *cell, struct shot *shot, enum operation operation)
{
    const size_t number = has_doubles(cell) ? sizeof(double) : sizeof(float);
    const size_t sums = shot->groups[0] * number;
    shot_pass(shot, shot_out(shot, operation == DOT ? sums : cell->bytes));
    for (size_t i = 0; i < sources_of(operation); i++) {
        size_t index = shot_in(shot, cell->bytes);
        shot->buffers[index].fill = fill_numbers;
        shot_pass(shot, index);
    }
    if (operation == MUL || operation == TRIAD || operation == FILL)
        shot_pass_f32(shot, FACTOR);
}

static void add_extent(const struct cell *cell, struct shot *shot, enum operation operation,
                       size_t form)
{
    const size_t words = cell->bytes / 64, items = shot->groups[0];
    if (form == CHUNKED || form == STREAMING) {
        shot_pass_u64(shot, words);
        shot_pass_u64(shot, (words + items - 1) / items);
    } else if (operation == DOT && form == IDIOM) {
        shot_pass_u64(shot, cell->bytes / (has_doubles(cell) ? sizeof(double) : sizeof(float)));
    }
}

#define KERNELS(operation)                                                                         \
    {                                                                                              \
        "stream_" operation "_item", "stream_" operation "_wide", "stream_" operation "_chunked",  \
            "stream_" operation "_streaming"                                                       \
    }

static bool describe(struct attempt *attempt, const struct cell *cell, size_t form,
                     struct shot *shot, enum operation operation)
{
    static const char *const kernels[][4] = {KERNELS("copy"),  KERNELS("mul"),  KERNELS("add"),
                                             KERNELS("triad"), KERNELS("fill"), KERNELS("dot")};
    const int most = cell->device->max_threads;
    if (operation == DOT && form != CHUNKED && most > 0 && (size_t)most < DOT_GROUP)
        return attempt_fail(attempt, STATUS_UNSUPPORTED, "groups have at most %d work-items", most);
    if (has_doubles(cell) && !cell->device->has_doubles)
        return attempt_fail(attempt, STATUS_UNSUPPORTED, "the device has no doubles");
    if (operation != DOT && form == STREAMING && cell_parameter(cell, "stores") == PLAIN_STORES)
        return attempt_fail(attempt, STATUS_UNSUPPORTED, "these stores are not plain");
    shot->file = "stream";
    shot->kernel = kernels[operation][form];
    shot_define(shot, "REAL", types[cell_parameter(cell, "type")]);
    shape_groups(cell, shot, operation, form);
    add_arrays(cell, shot, operation);
    add_extent(cell, shot, operation, form);
    shot->useful = (double)((sources_of(operation) + (operation != DOT)) * cell->bytes);
    return true;
}

static double number_at(const void *memory, size_t i, bool doubles)
{
    return doubles ? ((const double *)memory)[i] : (double)((const float *)memory)[i];
}

/* What must be at a place. In doubles the product and the sum of two of these floats are exact, so
 * that they are rounded once, as in the kernel. */
static double expected(enum operation operation, const void *const memory[], size_t i, bool doubles)
{
    const double factor = (double)FACTOR;
    if (operation == FILL)
        return factor;
    const double first = number_at(memory[FIRST], i, doubles);
    const double second = sources_of(operation) == 2 ? number_at(memory[SECOND], i, doubles) : 0;
    const double results[] = {[COPY] = first,
                              [MUL] = first * factor,
                              [ADD] = first + second,
                              [TRIAD] = first + second * factor};
    return doubles ? results[operation] : (double)(float)results[operation];
}

/* A triad may be rounded once or twice. */
static size_t check_numbers(const struct cell *cell, const struct shot *shot,
                            const void *const memory[], enum operation operation)
{
    const bool doubles = has_doubles(cell);
    const size_t number = doubles ? sizeof(double) : sizeof(float);
    const size_t count = shot->buffers[TARGET].bytes / number;
    const double allowed = operation != TRIAD ? 0 : doubles ? 0x1p-51 : 0x1p-22;
    size_t wrong = SIZE_MAX;
#pragma omp parallel for reduction(min : wrong)
    for (size_t i = 0; i < count; i++) {
        double must = expected(operation, memory, i, doubles);
        double is = number_at(memory[TARGET], i, doubles);
        if (!(fabs(is - must) <= allowed * must) && i < wrong)
            wrong = i;
    }
    return wrong == SIZE_MAX ? PATTERN_FINE : wrong * number;
}

/* A sum of so many positive numbers is off by about the square root of their count, in units of the
 * last place. */
static size_t check_dot(const struct cell *cell, const struct shot *shot,
                        const void *const memory[], size_t runs)
{
    (void)runs;
    const bool doubles = has_doubles(cell);
    const size_t number = doubles ? sizeof(double) : sizeof(float);
    const size_t count = shot->buffers[FIRST].bytes / number;
    const double last_place = doubles ? 0x1p-53 : 0x1p-24;
    double must = 0, is = 0;
#pragma omp parallel for reduction(+ : must)
    for (size_t i = 0; i < count; i++)
        must += number_at(memory[FIRST], i, doubles) * number_at(memory[SECOND], i, doubles);
    for (size_t i = 0; i < shot->buffers[TARGET].bytes / number; i++)
        is += number_at(memory[TARGET], i, doubles);
    return fabs(is - must) <= 4 * last_place * sqrt((double)count) * must ? PATTERN_FINE : 0;
}

/* The host's loops are over floats. */
FAST static void copy_stream_part(float *restrict to, const float *restrict a, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = a[i];
}

FAST static void mul_part(float *restrict to, const float *restrict a, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = FACTOR * a[i];
}

FAST static void add_part(float *restrict to, const float *restrict a, const float *restrict b,
                          size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = a[i] + b[i];
}

FAST static void triad_stream_part(float *restrict to, const float *restrict a,
                                   const float *restrict b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = a[i] + FACTOR * b[i];
}

FAST static void fill_part(float *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = FACTOR;
}

FAST static float dot_part(const float *restrict a, const float *restrict b, size_t count)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static void plain_part(enum operation operation, float *to, const float *a, const float *b,
                       size_t count)
{
    switch (operation) {
    case COPY:
        copy_stream_part(to, a, count);
        break;
    case MUL:
        mul_part(to, a, count);
        break;
    case ADD:
        add_part(to, a, b, count);
        break;
    case TRIAD:
        triad_stream_part(to, a, b, count);
        break;
    case FILL:
    case DOT:
        fill_part(to, count);
        break;
    }
}

#ifdef __SSE2__
/* Stores that go past the caches; counts are multiples of 4. */
#define STREAM(expression)                                                                         \
    for (size_t i = 0; i < count; i += 4)                                                          \
    _mm_stream_ps(to + i, expression)
#define A _mm_load_ps(a + i)
#define B _mm_load_ps(b + i)

static void streaming_part(enum operation operation, float *to, const float *a, const float *b,
                           size_t count)
{
    const __m128 factor = _mm_set1_ps(FACTOR);
    switch (operation) {
    case COPY:
        STREAM(A);
        break;
    case MUL:
        STREAM(_mm_mul_ps(factor, A));
        break;
    case ADD:
        STREAM(_mm_add_ps(A, B));
        break;
    case TRIAD:
        STREAM(_mm_add_ps(A, _mm_mul_ps(factor, B)));
        break;
    case FILL:
    case DOT:
        STREAM(factor);
        break;
    }
    _mm_sfence();
}
#endif

#ifdef _OPENMP
#define THREAD  ((size_t)omp_get_thread_num())
#define THREADS ((size_t)omp_get_num_threads())
#else
#define THREAD  ((size_t)0)
#define THREADS ((size_t)1)
#endif

/* Where a thread's share of the numbers begins: whole pages. */
static size_t begin_of(size_t count, size_t thread, size_t threads)
{
    const size_t page = 1024, share = (count / page + threads - 1) / threads * page;
    return thread < threads && thread * share < count ? thread * share : count;
}

static void run_parts(const struct shot *shot, void *const memory[], enum operation operation,
                      void (*part)(enum operation operation, float *to, const float *a,
                                   const float *b, size_t count))
{
    const size_t count = shot->buffers[TARGET].bytes / sizeof(float);
    float *const to = memory[TARGET];
    const float *const a = sources_of(operation) > 0 ? memory[FIRST] : memory[TARGET];
    const float *const b = sources_of(operation) > 1 ? memory[SECOND] : a;
#pragma omp parallel
    {
        const size_t begin = begin_of(count, THREAD, THREADS);
        part(operation, to + begin, a + begin, b + begin,
             begin_of(count, THREAD + 1, THREADS) - begin);
    }
}

/* One sum; the other places of the kernel's sums add nothing. */
static void run_dot(const struct cell *cell, const struct shot *shot, void *const memory[])
{
    (void)cell;
    const size_t count = shot->buffers[FIRST].bytes / sizeof(float);
    const float *const a = memory[FIRST], *const b = memory[SECOND];
    float *const sums = memory[TARGET], sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
        const size_t begin = begin_of(count, THREAD, THREADS);
        sum += dot_part(a + begin, b + begin, begin_of(count, THREAD + 1, THREADS) - begin);
    }
    for (size_t i = 0; i < shot->buffers[TARGET].bytes / sizeof(float); i++)
        sums[i] = 0;
    sums[0] = sum;
}

static bool has_floats(const struct cell *cell)
{
    return !has_doubles(cell);
}

static bool has_any_stores(const struct cell *cell)
{
    return has_floats(cell) && cell_parameter(cell, "stores") == ANY_STORES;
}

/* Only CPUs have forms with other stores. */
static bool takes(const struct cell *cell)
{
    return cell_parameter(cell, "stores") == ANY_STORES ||
           (cell->device->is_cpu && has_floats(cell));
}

#ifdef __SSE2__
#define STREAMING_RUN(verb, operation)                                                             \
    static void stream_##verb(const struct cell *cell, const struct shot *shot,                    \
                              void *const memory[])                                                \
    {                                                                                              \
        (void)cell;                                                                                \
        run_parts(shot, memory, operation, streaming_part);                                        \
    }
#define STREAMING_HOST(verb) {"streaming" ALL, IDIOM, stream_##verb, has_any_stores},
#else
#define STREAMING_RUN(verb, operation)
#define STREAMING_HOST(verb)
#endif

static size_t float_bytes_that_matter(const struct cell *cell, const struct shot *shot)
{
    (void)cell;
    (void)shot;
    return SIZE_MAX;
}

#define TYPE                                                                                       \
    .name = "type", .unit = "", .names = types, .quick = POINTS(FLOATS),                           \
    .normal = POINTS(FLOATS, DOUBLES)
#define STORES .name = "stores", .unit = "", .names = stores, .quick = POINTS(ANY_STORES)

#define STREAM_STUDY(verb, operation, counted, normal_stores)                                      \
    static bool describe_##verb(struct attempt *attempt, const struct cell *cell, size_t form,     \
                                struct shot *shot)                                                 \
    {                                                                                              \
        return describe(attempt, cell, form, shot, operation);                                     \
    }                                                                                              \
    static size_t check_##verb(const struct cell *cell, const struct shot *shot,                   \
                               const void *const memory[], size_t runs)                            \
    {                                                                                              \
        (void)runs;                                                                                \
        return check_numbers(cell, shot, memory, operation);                                       \
    }                                                                                              \
    static void run_##verb(const struct cell *cell, const struct shot *shot, void *const memory[]) \
    {                                                                                              \
        (void)cell;                                                                                \
        run_parts(shot, memory, operation, plain_part);                                            \
    }                                                                                              \
    STREAMING_RUN(verb, operation)                                                                 \
    const struct study study_stream_##verb = {                                                     \
        .counts = counted,                                                                         \
        .unit = UNIT_GB_S,                                                                         \
        .parameters = {{TYPE}, {STORES, .normal = normal_stores}, {.name = NULL}},                 \
        .takes = takes,                                                                            \
        .forms = {{"idiom", ON_ANY},                                                               \
                  {"wide", ON_GPU},                                                                \
                  {"chunked", ON_CPU},                                                             \
                  {"streaming", ON_CPU}},                                                          \
        .hosts = {{"loop" ALL, IDIOM, run_##verb, has_floats},                                     \
                  STREAMING_HOST(verb){.name = NULL}},                                             \
        .describe = describe_##verb,                                                               \
        .check = check_##verb,                                                                     \
        .bytes_that_matter = float_bytes_that_matter,                                              \
    };

STREAM_STUDY(copy, COPY, "each number read and written", POINTS(ANY_STORES, PLAIN_STORES))
STREAM_STUDY(mul, MUL, "each number read and written", POINTS(ANY_STORES))
STREAM_STUDY(add, ADD, "each number of two arrays read, and their sum written", POINTS(ANY_STORES))
STREAM_STUDY(triad, TRIAD, "each number of two arrays read, and the result written",
             POINTS(ANY_STORES, PLAIN_STORES))
STREAM_STUDY(fill, FILL, "each number written", POINTS(ANY_STORES, PLAIN_STORES))

static bool describe_dot(struct attempt *attempt, const struct cell *cell, size_t form,
                         struct shot *shot)
{
    return describe(attempt, cell, form, shot, DOT);
}

const struct study study_stream_dot = {
    .counts = "each number of two arrays read",
    .unit = UNIT_GB_S,
    .parameters = {{TYPE}, {.name = NULL}},
    .forms = {{"idiom", ON_ANY}, {"wide", ON_GPU}, {"chunked", ON_CPU}},
    .hosts = {{"loop" ALL, IDIOM, run_dot, has_floats}},
    .describe = describe_dot,
    .check = check_dot,
    .bytes_that_matter = float_bytes_that_matter,
};
