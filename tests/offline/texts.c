/* Writes every OpenCL C text that a GPU's compiler is given, for compilers that run without the GPU:
 *     clem_offline_texts FOLDER [PTX...]
 * clem's own kernels and the benchmark's, each with all defines that any launch has, and the kernels of PTX texts as a GPU
 * gets them that is not NVIDIA's: for devices with double ("double"), for those without ("single"), and for those without 64-bit
 * atomics either ("plain"). FOLDER/list.tsv has a line for each: file (in the folder), options, for which devices (also "any"), a
 * hash of text and options, a digit by the name.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/plan.h"
#include "bench/runtime.h"
#include "bench/study_run.h"
#include "cl/program/program_compile.h"
#include "cl/program/program_include.h"
#include "cl/ptx/ptx_facts.h"
#include "kernels/kernels.h"
#include "kernels/ptx/ptx.h"

static const char *folder;
static FILE *list;

static void die(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(1);
}

/* ---- Files ---- */

/* Texts that were written already: the same one may come of several choices. */
static uint64_t *seen;
static size_t seen_count;

static uint64_t hash(uint64_t value, const char *text)
{
    for (; *text; text++)
        value = (value ^ (unsigned char)*text) * 1099511628211u; /* FNV-1a */
    return value;
}

static bool is_new(uint64_t value)
{
    for (size_t i = 0; i < seen_count; i++)
        if (seen[i] == value)
            return false;
    seen = realloc(seen, (seen_count + 1) * sizeof *seen);
    if (!seen)
        die("texts");
    seen[seen_count++] = value;
    return true;
}

static void write_text(const char *name, const char *text, const char *options, const char *devices)
{
    static const uint64_t start = 14695981039346656037u;
    char path[4096];
    size_t bytes = strlen(text);
    bool has_header = false;
    char *whole = ocl_program_include(text, &bytes, &has_header);
    if (!whole)
        die(name);
    const uint64_t value = hash(hash(start, whole), options);
    if (!is_new(hash(value, devices))) {
        free(whole);
        return;
    }
    snprintf(path, sizeof path, "%s/%s.cl", folder, name);
    FILE *file = fopen(path, "we");
    if (!file || fputs(whole, file) == EOF || fclose(file) != 0)
        die(path);
    free(whole);
    fprintf(list, "%s.cl\t%s\t%s\t%016llx\t%d\n", name, options, devices, (unsigned long long)value,
            (int)(hash(start, name) % 10));
}

/* ---- clem's own ---- */

static void write_own(void)
{
    static const char *const variants[][2] = {
        {"", "-cl-std=CL1.2"}, {".numbers", "-cl-std=CL1.2 -D CLEM_ADDRESSES_ARE_NUMBERS"}};
    char name[256];
    for (const struct kernel_source *source = kernel_sources; source->name; source++)
        for (size_t i = 0; i < 2 && strcmp(source->name, "native") != 0; i++) {
            snprintf(name, sizeof name, "own.%s%s", source->name, variants[i][0]);
            write_text(name, source->text, variants[i][1], "any");
        }
}

/* ---- The benchmark's ---- */

static const struct device_facts gpu = {.name = "a GPU",
                                        .opencl = "another vendor's",
                                        .compute_units = 64,
                                        .max_threads = 256,
                                        .has_sub_groups = true,
                                        .has_doubles = true,
                                        .max_allocation = (size_t)1 << 32,
                                        .cache_bytes = 4 << 20};

static void write_cell(const struct row *row, const struct cell *cell)
{
    for (size_t form = 0; row->study->forms[form].name; form++) {
        struct shot shot = {0};
        char kernel[KERNEL_NAME_BYTES], name[256];
        void *owned = NULL;
        if (!row->study->describe(NULL, cell, form, &shot))
            continue;
        const char *text = runtime_shot_kernels(&gpu, &shot, kernel, &owned);
        int used = snprintf(name, sizeof name, "bench.%s", shot.file);
        for (size_t i = 0; i < STUDY_DEFINES && shot.defines[i].name; i++)
            used += snprintf(name + used, sizeof name - (size_t)used, ".%s", shot.defines[i].value);
        for (char *c = name; *c; c++)
            *c = *c == ' ' || *c == '/' ? '_' : *c;
        if (text && text[0] == '#')
            write_text(name, text, OCL_OPTION_ARGUMENT_INFO,
                       strstr(text, "REAL double") ? "double" : "any");
        free(owned);
    }
}

static const struct points *points_of(const struct parameter *parameter, int mode)
{
    const struct points *all[] = {&parameter->quick, &parameter->normal, &parameter->full};
    return all[mode];
}

static void write_parameters(const struct row *row, struct cell *cell, size_t at)
{
    if (at == STUDY_PARAMETERS || !row->study->parameters[at].name) {
        if (!row->study->takes || row->study->takes(cell))
            write_cell(row, cell);
        return;
    }
    for (int mode = 0; mode < 3; mode++) {
        const struct points *points = points_of(&row->study->parameters[at], mode);
        for (size_t i = 0; i < points->count; i++) {
            cell->parameters[at] = points->values[i];
            write_parameters(row, cell, at + 1);
        }
    }
}

static void write_bench(void)
{
    void *owned = NULL;
    for (enum kernel_set set = KERNELS_PEAK; set <= KERNELS_SYMBOL; set++) {
        const char *text = runtime_kernels(&gpu, set, &owned);
        write_text(set == KERNELS_PEAK ? "bench.peak" : "bench.symbol", text,
                   OCL_OPTION_ARGUMENT_INFO, "any");
        free(owned);
    }
    for (size_t i = 0; i < bench_row_count; i++) {
        struct cell cell = {
            .study = bench_rows[i].study, .device = &gpu, .bytes = (size_t)64 << 20};
        if (cell.study)
            write_parameters(&bench_rows[i], &cell, 0);
    }
}

/* ---- Translations ---- */

static const struct ptx_target target = {
    .pointers = PTX_POINTERS_NUMBERS,
    .has_double = true,
    .has_int64_atomics = true,
    .has_exact_divide = true,
    .has_images = true,
    .max_parameter_bytes = 1024,
    .max_private_bytes = 512 * 1024,
    .force_form = -1,
};

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t bytes = 0;
    if (!file)
        die(path);
    if (getdelim(&text, &bytes, '\0', file) < 0)
        die(path);
    fclose(file);
    return text;
}

/* What devices have: those without double are Intel's for consumers, those without 64-bit atomics either, Mesa's. */
static const struct flavour {
    const char *devices, *ending;
    bool has_double, has_int64_atomics;
} flavours[] = {{"double", "", true, true},
                {"single", ".single", false, true},
                {"plain", ".plain", false, false}};

/* Refusals are named: what is refused is no text. */
static void write_kernel(const struct ptx_module *module, size_t index, const char *program,
                         const struct flavour *flavour)
{
    const char *kernel = ptx_module_entry(module, index)->name;
    struct ptx_target wanted = target;
    struct ptx_kernel made = {0};
    struct ptx_log log = {0};
    char name[256];
    wanted.has_double = flavour->has_double;
    wanted.has_int64_atomics = flavour->has_int64_atomics;
    const enum ptx_status status = ptx_translate(module, index, &wanted, &made, &log);
    snprintf(name, sizeof name, "ptx.%s.%zu%s", program, index, flavour->ending);
    if (status == PTX_OK) {
        write_text(name, made.text, OCL_TRANSLATION_OPTIONS, flavour->devices);
    } else {
        fprintf(stderr, "%s, for %s: %s\n", program, flavour->devices,
                log.text ? log.text : kernel);
    }
    ptx_kernel_free(&made);
    free(log.text);
}

static void write_module(const char *path)
{
    char program[200];
    struct ptx_module *module = NULL;
    struct ptx_log log = {0};
    char *text = read_file(path);
    const char *base = strrchr(path, '/');
    snprintf(program, sizeof program, "%s", base ? base + 1 : path);
    char *end = strstr(program, ".ptx");
    if (end)
        *end = '\0';
    if (ptx_module_parse(text, strlen(text), &module, &log) != PTX_OK) {
        fprintf(stderr, "%s: %s\n", path, log.text ? log.text : "it cannot be read");
        exit(1);
    }
    for (size_t i = 0; i < ptx_module_entry_count(module); i++)
        for (size_t j = 0; j < sizeof flavours / sizeof *flavours; j++)
            write_kernel(module, i, program, &flavours[j]);
    ptx_module_free(module);
    free(log.text);
    free(text);
}

int main(int argc, char **argv)
{
    char path[4096];
    if (argc < 2) {
        fprintf(stderr, "usage: clem_offline_texts FOLDER [PTX...]\n");
        return 2;
    }
    folder = argv[1];
    snprintf(path, sizeof path, "%s/list.tsv", folder);
    list = fopen(path, "we");
    if (!list)
        die(path);
    write_own();
    write_bench();
    for (int i = 2; i < argc; i++)
        write_module(argv[i]);
    free(seen);
    return fclose(list) == 0 ? 0 : 1;
}
