/* What the files of clemcc share: a job is one run of it. Private to facade/tools/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_TOOLS_CLEMCC_H
#define FACADE_TOOLS_CLEMCC_H

#include <stdbool.h>
#include <stddef.h>

#include "facade/compile/clang_flags.h"

enum output {
    OUTPUT_PROGRAM,
    OUTPUT_ARCHIVE, /* -lib */
    OUTPUT_OBJECTS,
    OUTPUT_PTX,
    OUTPUT_FATBIN,
    OUTPUT_CUBIN,  /* PTX as well, under the name that is asked for */
    OUTPUT_OPENCL, /* -opencl */
    OUTPUT_PREPROCESSED,
    OUTPUT_RULES,
    OUTPUT_LINKED_CODE /* -dlink */
};

/* A source, or something for the linker in its place among them. */
struct input {
    const char *name;
    const char *language; /* of -x; NULL: by its name */
    bool is_source, is_cuda, is_c;
};

struct job {
    enum output output;
    const char *output_name, *output_dir;
    const char *language; /* of the last -x */
    const char *standard; /* -std */
    const char *keep_dir; /* -keep-dir */
    const char *archiver; /* -arbin */
    /* Of the latest device pass: clang_brings_missing(). */
    const char *const *missing;
    bool is_verbose, is_dry, is_shared, is_separable;
    bool is_precompiled;   /* -precompile */
    bool is_kept, is_run;  /* -keep, -run */
    bool has_rules_name;   /* -MF */
    bool has_rules_target; /* -MT, -MQ */
    bool writes_rules;     /* -MD, -MMD */
    struct clang_device_options device;
    struct clang_arguments both;      /* to every compilation */
    struct clang_arguments host;      /* to compilations for the host and to the linker */
    struct clang_arguments linker;    /* to the linker alone, after the inputs */
    struct clang_arguments run_words; /* to the program, with -run */
    struct clang_arguments rewritten; /* sources, each with its copy behind it: clemcc_rewrite.c */
    struct input *inputs;
    size_t input_count;
    struct clang_compiler compiler;
    char self[4096];
    char include_dir[4096], library_dir[4096], refused_dir[4096 + 16];
    char scratch[4096]; /* folder for what is thrown away; empty before the first use */
};

/* Says why not, and returns the exit status for that. */
int clemcc_refuse(const char *what, const char *why);
int clemcc_refuse_memory(void);

/* ---- clemcc_options.c ---- */

/* Reads the words of a command line into a job whose inputs have room for all. Returns 0, or what
 * clemcc_refuse() does. The job keeps pointers to the words. */
int clemcc_take_words(struct job *job, size_t count, char **words);
/* Where the suffix of a file's name begins; "" without one. */
const char *clemcc_suffix(const char *name);

/* ---- clemcc_words.c ---- */

/* The parts of a list with commas. A comma stays what it is behind a backslash, in quotes and in
 * parentheses; quotes stay where they are. */
void clemcc_split_list(const char *list, struct clang_arguments *parts);
/* The words of a text, as a shell would take them apart. */
void clemcc_split_words(const char *text, struct clang_arguments *words);
/* The words of a command line, with those of option files (-optf FILE, --options-file FILE, @FILE) in
 * the place of their names. Returns 0, or what clemcc_refuse() does. */
int clemcc_expand(int count, char **words, struct clang_arguments *expanded);
/* A word for the linker, as it is: no comma in it ends it. */
void clemcc_tell_linker(struct clang_arguments *words, const char *word);
/* All of a file up to its first NUL, which the caller frees. NULL: errno says why. */
char *clemcc_read_text(const char *name);

/* ---- clemcc_run.c ---- */

/* From here on a signal that would end clemcc ends what it runs, and clemcc has still to clean up. */
void clemcc_watch_signals(void);
/* Ends clemcc as such a signal does; returns where there was none. */
void clemcc_heed_signals(void);
/* Runs a command and frees it. Returns its exit status, or 1. */
int clemcc_run(const struct job *job, struct clang_arguments *command);
/* The same, with what it says on stderr in a file. */
int clemcc_run_logged(const struct job *job, struct clang_arguments *command, const char *log);
/* Becomes the command, after cleaning up. Returns only where that cannot be, with an exit status. */
int clemcc_become(struct job *job, struct clang_arguments *command);
/* A command that begins with the compiler. */
struct clang_arguments clemcc_clang(const struct job *job);
/* The folder job->scratch, and its end with all that is in it. */
int clemcc_make_scratch(struct job *job);
void clemcc_remove_scratch(struct job *job);
/* folder/stem.suffix of a source; folder NULL: the current one. The caller frees it. */
char *clemcc_named_after(const char *source, const char *folder, const char *suffix);

/* ---- clemcc_compile.c ---- */

/* One source into an object. */
int clemcc_compile_object(struct job *job, const struct input *input, const char *output);
/* One source into what was asked for; not for programs and archives. */
int clemcc_compile_one(struct job *job, const struct input *input);

/* ---- clemcc_source.c ---- */

/* Behind the string or character that begins here. */
const char *source_behind_quote(const char *at);
/* Behind blanks and comments from here on, and before those in front of a place. */
const char *source_behind_blanks(const char *at);
const char *source_before_blanks(const char *start, const char *at);
/* The first of `ends` from here on that stands in no brackets, quotes, comments and template arguments; NULL: none. A text of
 * several characters ends where it stands as a whole. */
const char *source_find_end(const char *at, const char *ends, const char *whole);
/* Where the name of a kernel begins that ends here, with namespaces and template arguments. */
const char *source_name_start(const char *start, const char *at);

/* ---- clemcc_rewrite.c ---- */

/* Mends copies of the sources where clang complains, in `log`, of what nvcc takes. Whether anything was mended, so that clang
 * should try again. */
bool clemcc_rewrite(struct job *job, const char *log);
/* Has a command of clang read the copies. */
void clemcc_add_overlay(const struct job *job, struct clang_arguments *command);

/* ---- clemcc_launch.c ---- */

/* What follows --launch, into clemcc's own words; or becomes the other compiler, where the source is not
 * CUDA's. Returns 0, or what clemcc_refuse() does. */
int clemcc_launch(struct clang_arguments *expanded);

/* ---- clemcc_precompile.c ---- */

/* What clemcc runs itself with: --precompile-into and three words more. Returns an exit status. */
int clemcc_precompile_words(const struct clang_arguments *words);
/* As clemcc_wrap_ptx(), with machine code for this processor beside the text where that can be made. */
int clemcc_wrap_precompiled(const struct job *job, const char *ptx, const char *output);

/* ---- clemcc_archive.c ---- */

/* Asks the linker for every unit with device code in the archives that it is given. */
void clemcc_ask_archives(struct job *job);

/* ---- clemcc_product.c ---- */

/* PTX text into the container that nvcc's -fatbin writes, with what lies in the file pack; NULL: without. */
int clemcc_wrap_ptx(const struct job *job, const char *ptx, const char *pack, const char *output);

/* ---- clemcc_opencl.c ---- */

/* What the kernels of PTX text become for a CPU, into a file; output NULL: stdout. */
int clemcc_write_opencl(const struct job *job, const char *ptx, const char *output);
/* Changes the assembly of a separately compiled unit so that the library links its code. */
int clemcc_rename_registration(const struct job *job, const char *assembly);
/* Gives variables of a separately compiled unit's own, in its PTX, the names that its host code uses. */
int clemcc_settle_statics(const struct job *job, const char *ptx);
/* What -dlink leaves. */
int clemcc_make_empty_object(const struct job *job);
/* Says so where OpenMP is asked for and is not there. Returns 0, or an exit status. */
int clemcc_check_openmp(struct job *job);
/* All sources compiled, and linked or collected; the program then run, with -run. */
int clemcc_build(struct job *job);

#endif
