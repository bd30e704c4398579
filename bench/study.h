/* Studies: questions about memory access, each asked over parameters and in several forms.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A study says, for one choice of its parameters (a cell) and one of its forms, what is launched
 * on which memory (a shot) and what the memory must hold afterwards. study.c does it through the
 * CUDA API, study_raw.c through OpenCL alone, study_host.c in plain C; the plan repeats it over the
 * parameters. Each study lives in a file of bench/studies/ and has a line in bench.def; its kernels
 * are in kernels/access/, one source for OpenCL and for nvcc (native/opencl_c.cuh). */
#ifndef CLEM_BENCH_STUDY_H
#define CLEM_BENCH_STUDY_H

#include "bench/bench.h"
#include "bench/pattern.h"

#define STUDY_BUFFERS   4
#define STUDY_ARGUMENTS 10
#define STUDY_DEFINES   4
#define STUDY_HOSTS     4
#define STUDY_FORMS     8

/* The values that a parameter takes, in the order of the report: POINTS(1, 2, 4). */
struct points {
    size_t count;
    const unsigned *values;
};
#define POINTS(...)                                                                                \
    {                                                                                              \
        sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned), (const unsigned[])             \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

/* quick must have points; normal and full, where empty, are the same as the mode before. */
struct parameter {
    const char *name;         /* one word: "offset"; NULL ends a study's list */
    const char *unit;         /* for people: "bytes", "words", "" */
    const char *const *names; /* names of the values 0, 1, ... or NULL for plain numbers */
    struct points quick, normal, full;
};

enum device_class { ON_CPU = 1, ON_GPU = 2, ON_ANY = 3 };

/* A way to write the same work. The first form of a study is CUDA's idiom: it is a cell of its own
 * on every device. Where a device class has other forms, there is a second cell, "best", in which
 * the fastest of all forms that suit the class takes part. Over clem the idiom is a third one, "translated":
 * the same source as CUDA C++, which a compiler makes PTX of and clem the device's code, as it does with
 * CUDA programs. */
struct form {
    const char *name; /* "idiom", "chunked", ...; NULL ends a study's list */
    enum device_class best_on;
};

/* One choice of parameters on one device. */
struct cell {
    const struct study *study;
    const struct device_facts *device;
    unsigned parameters[STUDY_PARAMETERS];
    size_t bytes; /* what the largest array should take, a power of two: study_bytes of plan.h */
};

enum role { BUFFER_IN, BUFFER_OUT };

struct shot_buffer {
    enum role role;
    enum place place; /* DEVICE, MAPPED (pinned and mapped) or MANAGED */
    size_t bytes;
    /* What it holds before each timed series. NULL: BUFFER_IN the random words of
     * PATTERN_WORDS, BUFFER_OUT the poison. `index` is the buffer's. */
    void (*fill)(const struct cell *cell, size_t index, void *memory, size_t bytes);
};

struct shot_argument {
    enum { ARGUMENT_BUFFER, ARGUMENT_U32, ARGUMENT_U64, ARGUMENT_F32, ARGUMENT_BLOCK } kind;
    size_t buffer; /* which one */
    union {
        uint32_t u32;
        uint64_t u64;
        float f32;
        struct {
            void *bytes;
            size_t count;
        } block; /* a structure, as it lies in memory */
    } value;
};

/* One launch and its memory. describe gets it zeroed. */
struct shot {
    const char *file;   /* of kernels/access, without ".cl" */
    const char *kernel; /* written VARIANT(kernel) there */
    /* What the file is compiled with: -D name=value in OpenCL; natively the kernel of that variant is
     * called kernel_value_value..., so values are identifiers or numbers. */
    struct {
        const char *name;
        char value[24];
    } defines[STUDY_DEFINES];
    size_t groups[2], local[2]; /* of x and y; 0 is 1 */
    struct shot_buffer buffers[STUDY_BUFFERS];
    size_t buffer_count;
    struct shot_argument arguments[STUDY_ARGUMENTS];
    size_t argument_count;
    double useful; /* in one launch: bytes (UNIT_GB_S), operations (UNIT_GOP_S), steps (UNIT_NS) */
    /* Facts printed beside the measurement, such as a model's prediction. */
    struct extra extras[STUDY_EXTRAS];
    size_t extra_count;
};

struct host_form {
    const char *name;
    size_t form; /* it works on the memory that this form's shot has */
    /* Does the work once, with all of OpenMP's threads; must leave the outputs as check wants them. */
    void (*run)(const struct cell *cell, const struct shot *shot, void *const memory[]);
    /* NULL: always. */
    bool (*suits)(const struct cell *cell);
};

struct study {
    const char *counts; /* which bytes or operations count: "each word read once" */
    enum unit unit;
    struct parameter parameters[STUDY_PARAMETERS + 1];
    struct form forms[STUDY_FORMS + 1];
    struct host_form hosts[STUDY_HOSTS + 1];
    /* Thousands of cells: no raw OpenCL beside it, and only --full does more than its quick and
     * normal points. */
    bool is_sweep;
    /* The work is about caches: the same memory again and again. Otherwise two sets of buffers are
     * used in turn where one would stay in the cache. */
    bool is_cached;
    /* The same for some cells only; NULL: is_cached says it. */
    bool (*caches)(const struct cell *cell);
    /* Fills shot for forms[form]. False: this form has no answer here, with attempt_fail's status and
     * reason (UNSUPPORTED where the device lacks something); the attempt is NULL while planning. */
    bool (*describe)(struct attempt *attempt, const struct cell *cell, size_t form,
                     struct shot *shot);
    /* memory[i]: host copies of all buffers (inputs as filled, outputs as the kernel left them) after
     * `runs` launches since the fill. Returns the byte offset of something wrong in an output, or
     * PATTERN_FINE. */
    size_t (*check)(const struct cell *cell, const struct shot *shot, const void *const memory[],
                    size_t runs);
    /* NULL: all cells are wanted. */
    bool (*takes)(const struct cell *cell);
    /* How many bytes of the input buffers matter to the outputs, for the test that flips each byte
     * and sees the outputs change; 0: all of them; SIZE_MAX: cannot be said (floats, times). NULL: 0. */
    size_t (*bytes_that_matter)(const struct cell *cell, const struct shot *shot);
};

/* For describe. Each returns what it added. */
size_t shot_in(struct shot *shot, size_t bytes);
size_t shot_out(struct shot *shot, size_t bytes);
void shot_define(struct shot *shot, const char *name, const char *value);
void shot_define_number(struct shot *shot, const char *name, unsigned value);
void shot_pass(struct shot *shot, size_t buffer); /* the buffer's address as the next argument */
void shot_pass_u32(struct shot *shot, uint32_t value);
void shot_pass_u64(struct shot *shot, uint64_t value);
void shot_pass_f32(struct shot *shot, float value);
void shot_pass_block(struct shot *shot, void *bytes, size_t count); /* keeps the pointer */
void shot_extra(struct shot *shot, const char *name, double value);
/* items work-items in groups of `local`, or of the most that divides items and the device takes. */
void shot_items(struct shot *shot, const struct device_facts *device, size_t items, size_t local);
/* A few work-items that each take a run of memory: one per core of a CPU; of a GPU, 16 groups of 256
 * per compute unit. Returns how many. */
size_t shot_chunks(struct shot *shot, const struct device_facts *device);

/* The parameter of that name. Needs: the study has it. */
unsigned cell_parameter(const struct cell *cell, const char *name);

/* For check. expected gives the word that must be at a place; runs on all of OpenMP's threads. */
size_t check_words(const struct cell *cell, const struct shot *shot, const uint32_t *output,
                   size_t words, const void *const memory[],
                   uint32_t (*expected)(const struct cell *cell, const struct shot *shot,
                                        const void *const memory[], size_t place));
/* The sum of so many 32-bit words, modulo 2^32. */
uint32_t sum_words(const uint32_t *words, size_t count);
/* PATTERN_FINE if the words of output add up to sum, modulo 2^32; otherwise 0. */
size_t check_sum(const uint32_t *output, size_t words, uint32_t sum);

/* Whether the cell is about caches. */
bool cell_is_cached(const struct cell *cell);

/* What a task asks; its form's name: "idiom" and so on, "best", "translated", or "" where there is no study. */
struct cell task_cell(const struct task *task, const struct device_facts *device);
const char *task_form_name(const struct task *task);
/* Whether the study's form of that number takes part in the task, on a device that it suits. */
bool task_has_form(const struct task *task, size_t form);
/* The least number of such a form. */
size_t task_first_form(const struct task *task);
/* "offset=11 form=idiom"; cut off where it has no room. */
void task_parameters_text(const struct task *task, char *out, size_t room);

#endif
