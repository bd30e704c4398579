/* Runs random PTX kernels through the CUDA driver API, clem's or NVIDIA's, and compares every step
 * with the host's own computation, or with what another implementation left in a file. A case is
 * one thread of one kernel.
 *
 *   -s SEED   -m MODULES   -e ENTRIES in each   -n THREADS of each   -l LEAST -u MOST steps
 *   -x        leave out approximations          -q   compare with nothing
 *   -o FILE   keep all results
 *   -c FILE   compare with results kept, instead of the host's
 *   -p        print the PTX and stop
 * Exit status: 0 all equal, 1 differences, 2 it could not run.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/differential/device.h"
#include "tests/differential/differential.h"

enum { SHOWN = 4 /* differences of one operation that are printed */ };

struct options {
    uint64_t seed;
    size_t modules, entries, threads, least, most;
    bool checked_only, is_quiet, prints;
    const char *keep, *compare;
};

struct run {
    struct options options;
    FILE *kept, *compared;
    CUdeviceptr words, results;
    uint64_t *host_words, *host_results, *other_results;
    bool is_nvidias; /* the device */
    size_t cases, differing_cases, hash;
    size_t differences[1024]; /* per operation */
};

static size_t result_words(const struct run *run)
{
    return run->options.threads * MOST_STEPS;
}

static void *take(size_t count)
{
    void *memory = calloc(count, sizeof(uint64_t));
    if (!memory) {
        fprintf(stderr, "no memory\n");
        exit(2);
    }
    return memory;
}

/* What NVIDIA's own compiler and devices do otherwise than the PTX ISA says: fields beyond a register's bits, a part that
 * saturates before it is merged, a sum that saturates before it is shifted or is shifted otherwise, and in some long kernels a
 * tanh of negative numbers that is NaN. Seen on an H200, in PTX that its driver compiled alone. */
static const char *const nvidias_own[] = {"bfir_u64", "bfer_s64", "vmin_merge",
                                          "vmad_sat", "vmad_po",  "tanh_f16"};

static bool is_nvidias_own(const struct operation *operation)
{
    for (size_t i = 0; i < sizeof nvidias_own / sizeof *nvidias_own; ++i)
        if (!strcmp(nvidias_own[i], operation->name))
            return true;
    return false;
}

static void start(struct run *run)
{
    run->is_nvidias = begin_device();
    const size_t words = run->options.threads * WORDS;
    run->host_words = take(words);
    run->host_results = take(result_words(run));
    run->other_results = take(result_words(run));
    check(cuMemAlloc(&run->words, words * 8), "cuMemAlloc");
    check(cuMemAlloc(&run->results, result_words(run) * 8), "cuMemAlloc");
}

static void launch(struct run *run, CUmodule module, size_t entry)
{
    char name[32];
    CUfunction function;
    unsigned threads = (unsigned)run->options.threads;
    void *arguments[] = {&run->words, &run->results, &threads};
    snprintf(name, sizeof name, "k%zu", entry);
    check(cuModuleGetFunction(&function, module, name), "cuModuleGetFunction");
    check(cuMemsetD8(run->results, 0, result_words(run) * 8), "cuMemsetD8");
    check(cuLaunchKernel(function, (threads + 63) / 64, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL),
          "cuLaunchKernel");
    check(cuMemcpyDtoH(run->host_results, run->results, result_words(run) * 8), "cuMemcpyDtoH");
}

static void show(struct run *run, const struct chain *chain, const uint64_t *values, size_t step,
                 uint64_t wanted, const char *where)
{
    const struct step *s = &chain->steps[step];
    if (run->differences[s->operation - operations] >= SHOWN)
        return;
    printf("%s step %zu: %s\n   ", where, step, s->operation->text);
    for (size_t i = 0; i < SOURCES && s->operation->sources[i]; ++i)
        printf(" %c=%" PRIx64, (int)('a' + i),
               s->operation->sources[i] == 's' ? s->sources[i] : values[s->sources[i]]);
    printf(" gave %" PRIx64 ", wanted %" PRIx64 "\n", values[INITIAL_VALUES + step], wanted);
}

/* Each step is judged by itself: from the values that the device had before it. */
static bool thread_agrees(struct run *run, const struct chain *chain, size_t thread,
                          const char *where)
{
    uint64_t values[INITIAL_VALUES + MOST_STEPS];
    bool agrees = true;
    initial_values(run->host_words + thread * WORDS, values);
    for (size_t i = 0; i < chain->count; ++i) {
        const struct operation *operation = chain->steps[i].operation;
        const size_t place = thread * MOST_STEPS + i;
        const uint64_t given = class_bits(operation->result, run->host_results[place]);
        values[INITIAL_VALUES + i] = given;
        const uint64_t wanted = run->compared
                                    ? class_bits(operation->result, run->other_results[place])
                                    : step_value(&chain->steps[i], values, given);
        if (given == wanted || (run->is_nvidias && is_nvidias_own(operation)))
            continue;
        show(run, chain, values, i, wanted, where);
        ++run->differences[operation - operations];
        agrees = false;
        if (run->compared)
            break; /* what follows has other sources */
    }
    return agrees;
}

static void judge(struct run *run, const struct chain *chain, size_t module, size_t entry)
{
    char where[96];
    for (size_t i = 0; i < result_words(run); ++i)
        run->hash = (run->hash ^ run->host_results[i]) * 0x100000001b3;
    if (run->kept &&
        fwrite(run->host_results, 8, result_words(run), run->kept) != result_words(run))
        check(CUDA_ERROR_FILE_NOT_FOUND, "the file of results");
    if (run->compared &&
        fread(run->other_results, 8, result_words(run), run->compared) != result_words(run))
        check(CUDA_ERROR_FILE_NOT_FOUND, "the file to compare with");
    run->cases += run->options.threads;
    for (size_t i = 0; i < run->options.threads && !run->options.is_quiet; ++i) {
        snprintf(where, sizeof where, "module %zu k%zu thread %zu", module, entry, i);
        run->differing_cases += !thread_agrees(run, chain, i, where);
    }
}

static void run_module(struct run *run, struct generator *g, size_t index)
{
    const size_t entries = run->options.entries;
    struct chain *chains = calloc(entries, sizeof *chains);
    CUmodule module;
    if (!chains)
        check(CUDA_ERROR_OUT_OF_MEMORY, "chains");
    for (size_t i = 0; i < entries; ++i)
        generator_chain(g, run->options.least, run->options.most, &chains[i]);
    for (size_t i = 0; i < run->options.threads * WORDS; ++i)
        run->host_words[i] = generator_word(g);
    char *text = module_text(chains, entries);
    if (run->options.prints) {
        fputs(text, stdout);
    } else {
        check(cuMemcpyHtoD(run->words, run->host_words, run->options.threads * WORDS * 8),
              "cuMemcpyHtoD");
        check(cuModuleLoadData(&module, text), "cuModuleLoadData");
        for (size_t i = 0; i < entries; ++i) {
            launch(run, module, i);
            judge(run, &chains[i], index, i);
        }
        check(cuModuleUnload(module), "cuModuleUnload");
    }
    free(text);
    free(chains);
}

static FILE *opened(const char *path, const char *mode)
{
    FILE *file = path ? fopen(path, mode) : NULL;
    if (path && !file) {
        perror(path);
        exit(2);
    }
    return file;
}

static struct options read_options(int argc, char **argv)
{
    struct options o = {
        .seed = 1, .modules = 1, .entries = 20, .threads = 64, .least = 5, .most = 20};
    for (int c; (c = getopt(argc, argv, "s:m:e:n:l:u:o:c:xqp")) != -1;) {
        const size_t number = optarg ? strtoull(optarg, NULL, 0) : 0;
        switch (c) {
        case 's':
            o.seed = number;
            break;
        case 'm':
            o.modules = number;
            break;
        case 'e':
            o.entries = number;
            break;
        case 'n':
            o.threads = number;
            break;
        case 'l':
            o.least = number;
            break;
        case 'u':
            o.most = number;
            break;
        case 'o':
            o.keep = optarg;
            break;
        case 'c':
            o.compare = optarg;
            break;
        case 'x':
            o.checked_only = true;
            break;
        case 'q':
            o.is_quiet = true;
            break;
        case 'p':
            o.prints = true;
            break;
        default:
            exit(2);
        }
    }
    if (o.most > MOST_STEPS || o.least > o.most || o.least == 0 || o.threads == 0 ||
        o.entries == 0) {
        fprintf(stderr, "1 <= least <= most <= %d steps, threads and entries\n", MOST_STEPS);
        exit(2);
    }
    return o;
}

static int report(const struct run *run)
{
    for (size_t i = 0; i < operation_count; ++i)
        if (run->differences[i])
            printf("%8zu %s\n", run->differences[i], operations[i].name);
    printf("%zu cases, %zu differ, hash %016zx\n", run->cases, run->differing_cases, run->hash);
    return run->differing_cases != 0;
}

int main(int argc, char **argv)
{
    static struct run run;
    struct generator g;
    run.options = read_options(argc, argv);
    run.hash = 0xcbf29ce484222325;
    run.kept = opened(run.options.keep, "wb");
    run.compared = opened(run.options.compare, "rb");
    generator_start(&g, run.options.seed, run.options.checked_only);
    if (run.options.prints)
        run.host_words = take(run.options.threads * WORDS);
    else
        start(&run);
    for (size_t i = 0; i < run.options.modules; ++i)
        run_module(&run, &g, i);
    if (run.kept && fclose(run.kept) != 0)
        check(CUDA_ERROR_FILE_NOT_FOUND, "the file of results");
    return run.options.prints ? 0 : report(&run);
}
