/* clemcc's options: nvcc's, in one table, and what each does to the job.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facade/tools/clemcc.h"

/* ---- The table ---- */

enum action {
    TAKE_IGNORED,   /* means nothing here */
    TAKE_BOTH,      /* to every compilation, as `text` and the value in one word */
    TAKE_BOTH_PAIR, /* the same in two words */
    TAKE_HOST, /* to compilations for the host, as `text`; and where there is an `offset`, as of TAKE_FLAG */
    TAKE_HOST_LIST, /* -Xcompiler a,b */
    TAKE_LINK_LIST, /* -Xlinker a,b */
    TAKE_LINK,      /* to the linker, as `text` and the value in one word */
    TAKE_LIBRARY,
    TAKE_RUN_LIST, /* -run-args a,b */
    TAKE_NAME,     /* the string at `offset` of the job is the value */
    TAKE_OPTIMIZE,
    TAKE_FLAG,             /* the bool at `offset` is true */
    TAKE_BOOLEAN,          /* and here what the value says, or with the text "!" the contrary */
    TAKE_PRODUCT,          /* `offset` is what is made */
    TAKE_SEPARATE_OBJECTS, /* -dc */
    TAKE_WHOLE_OBJECTS,    /* -dw */
    TAKE_STREAM,
    TAKE_WARNINGS,
    TAKE_RULES, /* -MD, -MMD */
    TAKE_RULES_NAME,
    TAKE_ARCHITECTURE,
    TAKE_CODE,   /* -gencode */
    TAKE_REFUSED /* `text` says why */
};

enum value {
    VALUE_NONE,   /* -c */
    VALUE_NEXT,   /* -arch sm_75, -arch=sm_75 */
    VALUE_JOINED, /* -Ifolder, -I folder, -I=folder */
    VALUE_EQUALS  /* -Werror=reorder, or nothing */
};

struct option {
    const char *name, *long_name; /* long_name may be NULL; its value is always VALUE_NEXT's way */
    enum value value;
    enum action action;
    const char *text;
    size_t offset;
    const char *choices; /* values that there are, with | between them; "#": a number; NULL: any */
};

#define JOB(field)    offsetof(struct job, field)
#define DEVICE(field) offsetof(struct job, device.field)
#define BOOLEAN       "true|false|1|0"
#define NO_MACHINE_CODE                                                                            \
    "it is code for NVIDIA GPUs, which clem does not run; --ptx and --fatbin make what it loads"

/* Read over, without and with a value. */
#define FLAG_OVER(name, long_name)                                                                 \
    {                                                                                              \
        name, long_name, VALUE_NONE, TAKE_IGNORED, NULL, 0, NULL                                   \
    }
#define VALUE_OVER(name, long_name, choices)                                                       \
    {                                                                                              \
        name, long_name, VALUE_NEXT, TAKE_IGNORED, NULL, 0, choices                                \
    }
#define REFUSED(name, long_name, value, text)                                                      \
    {                                                                                              \
        name, long_name, value, TAKE_REFUSED, text, 0, NULL                                        \
    }

static const struct option options[] = {
    {"-o", "--output-file", VALUE_NEXT, TAKE_NAME, NULL, JOB(output_name), NULL},
    {"-odir", "--output-directory", VALUE_NEXT, TAKE_NAME, NULL, JOB(output_dir), NULL},
    {"-x", "--x", VALUE_JOINED, TAKE_NAME, NULL, JOB(language), NULL},
    {"-std", "--std", VALUE_NEXT, TAKE_NAME, NULL, JOB(standard), NULL},
    {"-keep-dir", "--keep-dir", VALUE_NEXT, TAKE_NAME, NULL, JOB(keep_dir), NULL},
    {"-arbin", "--archiver-binary", VALUE_NEXT, TAKE_NAME, NULL, JOB(archiver), NULL},
    /* What is made. */
    {"-c", "--compile", VALUE_NONE, TAKE_PRODUCT, NULL, OUTPUT_OBJECTS, NULL},
    {"-ptx", "--ptx", VALUE_NONE, TAKE_PRODUCT, NULL, OUTPUT_PTX, NULL},
    {"-fatbin", "--fatbin", VALUE_NONE, TAKE_PRODUCT, NULL, OUTPUT_FATBIN, NULL},
    {"-cubin", "--cubin", VALUE_NONE, TAKE_PRODUCT, NULL, OUTPUT_CUBIN, NULL},
    {"-opencl", "--opencl", VALUE_NONE, TAKE_PRODUCT, NULL, OUTPUT_OPENCL, NULL},
    {"-E", "--preprocess", VALUE_NONE, TAKE_PRODUCT, NULL, OUTPUT_PREPROCESSED, NULL},
    {"-M", "--generate-dependencies", VALUE_NONE, TAKE_PRODUCT, "-M", OUTPUT_RULES, NULL},
    {"-MM", "--generate-nonsystem-dependencies", VALUE_NONE, TAKE_PRODUCT, "-MM", OUTPUT_RULES,
     NULL},
    {"-lib", "--lib", VALUE_NONE, TAKE_PRODUCT, NULL, OUTPUT_ARCHIVE, NULL},
    {"-link", "--link", VALUE_NONE, TAKE_PRODUCT, NULL, OUTPUT_PROGRAM, NULL},
    {"-dlink", "--device-link", VALUE_NONE, TAKE_PRODUCT, NULL, OUTPUT_LINKED_CODE, NULL},
    {"-dc", "--device-c", VALUE_NONE, TAKE_SEPARATE_OBJECTS, NULL, 0, NULL},
    {"-dw", "--device-w", VALUE_NONE, TAKE_WHOLE_OBJECTS, NULL, 0, NULL},
    {"-rdc", "--relocatable-device-code", VALUE_NEXT, TAKE_BOOLEAN, NULL, JOB(is_separable),
     BOOLEAN},
    {"-precompile", "--precompile", VALUE_NONE, TAKE_FLAG, NULL, JOB(is_precompiled), NULL},
    {"-shared", "--shared", VALUE_NONE, TAKE_FLAG, NULL, JOB(is_shared), NULL},
    {"-run", "--run", VALUE_NONE, TAKE_FLAG, NULL, JOB(is_run), NULL},
    {"-run-args", "--run-args", VALUE_NEXT, TAKE_RUN_LIST, NULL, 0, NULL},
    {"-keep", "--keep", VALUE_NONE, TAKE_FLAG, NULL, JOB(is_kept), NULL},
    {"-save-temps", "--save-temps", VALUE_NONE, TAKE_FLAG, NULL, JOB(is_kept), NULL},
    {"-v", "--verbose", VALUE_NONE, TAKE_FLAG, NULL, JOB(is_verbose), NULL},
    {"-dryrun", "--dryrun", VALUE_NONE, TAKE_FLAG, NULL, JOB(is_dry), NULL},
    /* Rules of dependence. */
    {"-MD", "--generate-dependencies-with-compile", VALUE_NONE, TAKE_RULES, "-MD", 0, NULL},
    {"-MMD", "--generate-nonsystem-dependencies-with-compile", VALUE_NONE, TAKE_RULES, "-MMD", 0,
     NULL},
    {"-MF", "--dependency-output", VALUE_NEXT, TAKE_RULES_NAME, "-MF", 0, NULL},
    {"-MT", "--dependency-target-name", VALUE_NEXT, TAKE_RULES_NAME, "-MT", 0, NULL},
    {"-MQ", NULL, VALUE_NEXT, TAKE_RULES_NAME, "-MQ", 0, NULL},
    {"-MP", "--generate-dependency-targets", VALUE_NONE, TAKE_RULES_NAME, "-MP", 0, NULL},
    /* The preprocessor and the language. */
    {"-isystem", "--system-include", VALUE_NEXT, TAKE_BOTH_PAIR, "-isystem", 0, NULL},
    {"-include", "--pre-include", VALUE_NEXT, TAKE_BOTH_PAIR, "-include", 0, NULL},
    {"-I", "--include-path", VALUE_JOINED, TAKE_BOTH, "-I", 0, NULL},
    {"-D", "--define-macro", VALUE_JOINED, TAKE_BOTH, "-D", 0, NULL},
    {"-U", "--undefine-macro", VALUE_JOINED, TAKE_BOTH, "-U", 0, NULL},
    {"-noeh", "--no-exceptions", VALUE_NONE, TAKE_BOTH, "-fno-exceptions", 0, NULL},
    {"-ftemplate-depth", "--ftemplate-depth", VALUE_NEXT, TAKE_BOTH, "-ftemplate-depth=", 0, "#"},
    {"-ftemplate-backtrace-limit", "--ftemplate-backtrace-limit", VALUE_NEXT, TAKE_BOTH,
     "-ftemplate-backtrace-limit=", 0, "#"},
    /* The host's compiler and the linker. */
    {"-L", "--library-path", VALUE_JOINED, TAKE_LINK, "-L", 0, NULL},
    {"-l", "--library", VALUE_JOINED, TAKE_LIBRARY, NULL, 0, NULL},
    {"-g", "--debug", VALUE_NONE, TAKE_HOST, "-g", DEVICE(line_info), NULL},
    {"-pg", "--profile", VALUE_NONE, TAKE_HOST, "-pg", 0, NULL},
    {"-O", "--optimize", VALUE_JOINED, TAKE_OPTIMIZE, NULL, 0, "#|s|z|g|fast"},
    {"-Xcompiler", "--compiler-options", VALUE_NEXT, TAKE_HOST_LIST, NULL, 0, NULL},
    {"-Xlinker", "--linker-options", VALUE_NEXT, TAKE_LINK_LIST, NULL, 0, NULL},
    {"-Werror", "--Werror", VALUE_EQUALS, TAKE_WARNINGS, NULL, 0, NULL},
    {"-w", "--disable-warnings", VALUE_NONE, TAKE_BOTH, "-w", 0, NULL},
    {"-Wreorder", "--Wreorder", VALUE_NONE, TAKE_HOST, "-Wreorder", 0, NULL},
    {"-Wno-deprecated-declarations", "--Wno-deprecated-declarations", VALUE_NONE, TAKE_HOST,
     "-Wno-deprecated-declarations", 0, NULL},
    /* Code of kernels. */
    {"-G", "--device-debug", VALUE_NONE, TAKE_FLAG, NULL, DEVICE(debug), NULL},
    {"-lineinfo", "--generate-line-info", VALUE_NONE, TAKE_FLAG, NULL, DEVICE(line_info), NULL},
    {"-use_fast_math", "--use_fast_math", VALUE_NONE, TAKE_FLAG, NULL, DEVICE(fast_math), NULL},
    {"-ftz", "--ftz", VALUE_NEXT, TAKE_BOOLEAN, NULL, DEVICE(flush_denormals), BOOLEAN},
    {"-prec-div", "--prec-div", VALUE_NEXT, TAKE_BOOLEAN, "!", DEVICE(approximate_divide), BOOLEAN},
    {"-prec-sqrt", "--prec-sqrt", VALUE_NEXT, TAKE_BOOLEAN, "!", DEVICE(approximate_sqrt), BOOLEAN},
    {"-fmad", "--fmad", VALUE_NEXT, TAKE_BOOLEAN, "!", DEVICE(no_fma), BOOLEAN},
    {"-default-stream", "--default-stream", VALUE_NEXT, TAKE_STREAM, NULL, 0,
     "legacy|null|per-thread"},
    /* One PTX text, for the architecture of those named whose code a device would take. */
    {"-arch", "--gpu-architecture", VALUE_NEXT, TAKE_ARCHITECTURE, NULL, 0, NULL},
    {"-code", "--gpu-code", VALUE_NEXT, TAKE_ARCHITECTURE, NULL, 0, NULL},
    {"-gencode", "--generate-code", VALUE_NEXT, TAKE_CODE, NULL, 0, NULL},
    /* The runtime is libclem; the host's compiler is clang. */
    VALUE_OVER("-cudart", "--cudart", "none|shared|static|hybrid"),
    VALUE_OVER("-cudadevrt", "--cudadevrt", "none|static"),
    VALUE_OVER("-ccbin", "--compiler-bindir", NULL),
    FLAG_OVER("-allow-unsupported-compiler", "--allow-unsupported-compiler"),
    VALUE_OVER("-m", "--machine", "64"),
    FLAG_OVER("-m64", "--m64"),
    /* clang does so without being asked, and takes what the host's compiler takes. */
    FLAG_OVER("-expt-relaxed-constexpr", "--expt-relaxed-constexpr"),
    FLAG_OVER("-expt-extended-lambda", "--expt-extended-lambda"),
    FLAG_OVER("-extended-lambda", "--extended-lambda"),
    FLAG_OVER("-forward-unknown-to-host-compiler", "--forward-unknown-to-host-compiler"),
    FLAG_OVER("-forward-unknown-to-host-linker", "--forward-unknown-to-host-linker"),
    FLAG_OVER("-forward-unknown-opts", "--forward-unknown-opts"),
    FLAG_OVER("-nohdinitlist", "--no-host-device-initializer-list"),
    FLAG_OVER("-no-host-device-initializer-list", NULL),
    FLAG_OVER("-nohdmoveforward", "--no-host-device-move-forward"),
    FLAG_OVER("-restrict", "--restrict"),
    FLAG_OVER("-no-align-double", "--no-align-double"),
    /* Warnings and numbers of warnings that clang has not. */
    VALUE_OVER("-diag-suppress", "--diag-suppress", NULL),
    VALUE_OVER("-diag-error", "--diag-error", NULL),
    VALUE_OVER("-diag-warn", "--diag-warn", NULL),
    VALUE_OVER("-Xcudafe", "--Xcudafe", NULL),
    FLAG_OVER("-Wno-deprecated-gpu-targets", "--Wno-deprecated-gpu-targets"),
    FLAG_OVER("-Wdefault-stream-launch", "--Wdefault-stream-launch"),
    FLAG_OVER("-Wmissing-launch-bounds", "--Wmissing-launch-bounds"),
    FLAG_OVER("-Wext-lambda-captures-this", "--Wext-lambda-captures-this"),
    FLAG_OVER("-err-no", "--display-error-number"),
    FLAG_OVER("-no-err-no", "--no-display-error-number"),
    VALUE_OVER("-brief-diag", "--brief-diagnostics", BOOLEAN),
    VALUE_OVER("-opt-info", "--optimization-info", NULL),
    /* Steps that clemcc does not have, or whose cost it does not share out. */
    VALUE_OVER("-t", "--threads", "#"),
    VALUE_OVER("-split-compile", "--split-compile", "#"),
    VALUE_OVER("-split-compile-extended", "--split-compile-extended", "#"),
    FLAG_OVER("-jobserver", "--jobserver"),
    VALUE_OVER("-time", "--time", NULL),
    VALUE_OVER("-fdevice-time-trace", "--fdevice-time-trace", NULL),
    FLAG_OVER("-objtemp", "--objdir-as-tempdir"),
    VALUE_OVER("-Xarchive", "--archive-options", NULL),
    FLAG_OVER("-nodlink", "--no-device-link"),
    FLAG_OVER("-noprof", "--dont-use-profile"),
    VALUE_OVER("-target-dir", "--target-directory", NULL),
    VALUE_OVER("-ldir", "--libdevice-directory", NULL),
    FLAG_OVER("-use-local-env", "--use-local-env"),
    FLAG_OVER("-force-cl-env-setup", "--force-cl-env-setup"),
    VALUE_OVER("-idp", "--input-drive-prefix", NULL),
    VALUE_OVER("-ddp", "--dependency-drive-prefix", NULL),
    VALUE_OVER("-dp", "--drive-prefix", NULL),
    /* How machine code is made of PTX, or text beside it. */
    VALUE_OVER("-Xptxas", "--ptxas-options", NULL),
    VALUE_OVER("-Xnvlink", "--nvlink-options", NULL),
    VALUE_OVER("-maxrregcount", "--maxrregcount", "#"),
    VALUE_OVER("-dopt", "--dopt", NULL),
    VALUE_OVER("-Ofc", "--Ofast-compile", NULL),
    VALUE_OVER("-e", "--entries", NULL),
    VALUE_OVER("-jtd", "--jump-table-density", "#"),
    VALUE_OVER("-compress-mode", "--compress-mode", NULL),
    VALUE_OVER("-frandom-seed", "--frandom-seed", NULL),
    VALUE_OVER("-static-global-template-stub", "--static-global-template-stub", BOOLEAN),
    VALUE_OVER("-device-entity-has-hidden-visibility", "--device-entity-has-hidden-visibility",
               BOOLEAN),
    VALUE_OVER("-device-stack-protector", "--device-stack-protector", BOOLEAN),
    FLAG_OVER("-src-in-ptx", "--source-in-ptx"),
    FLAG_OVER("-keep-device-functions", "--keep-device-functions"),
    FLAG_OVER("-extra-device-vectorization", "--extra-device-vectorization"),
    FLAG_OVER("-res-usage", "--resource-usage"),
    FLAG_OVER("-ewp", "--extensible-whole-program"),
    FLAG_OVER("-no-compress", "--no-compress"),
    FLAG_OVER("-reloc-ptx", "--relocatable-ptx"),
    FLAG_OVER("-dlto", "--dlink-time-opt"),
    FLAG_OVER("-lto", "--lto"),
    FLAG_OVER("-gen-opt-lto", "--gen-opt-lto"),
    /* What cannot be had. */
    REFUSED("-optix-ir", "--optix-ir", VALUE_NONE, NO_MACHINE_CODE),
    REFUSED("-ltoir", "--ltoir", VALUE_NONE, NO_MACHINE_CODE),
    REFUSED("-cuda", "--cuda", VALUE_NONE, "clang makes no such text between source and object"),
    REFUSED("-sanitize", "--sanitize", VALUE_NEXT, "it instruments machine code"),
    REFUSED("-astoolspatch", "--compile-as-tools-patch", VALUE_NONE, "it patches machine code"),
    REFUSED("-r", "--relocatable-link", VALUE_NONE,
            "device code is linked when the program runs; ld -r joins objects"),
};

/* ---- Finding an option ---- */

/* How a word can be an option, the surest last. */
enum fit { FIT_NONE, FIT_JOINED, FIT_EQUALS, FIT_WHOLE };

/* *value: where the value in the word begins; NULL: it has none. */
static enum fit fit_of(const struct option *option, const char *name, const char *word,
                       const char **value)
{
    const size_t length = name ? strlen(name) : 0;
    *value = NULL;
    if (length == 0 || strncmp(word, name, length) != 0)
        return FIT_NONE;
    if (word[length] == 0)
        return FIT_WHOLE;
    *value = word + length + (word[length] == '=');
    if (option->value == VALUE_NONE)
        return FIT_NONE;
    if (word[length] == '=')
        return FIT_EQUALS;
    /* -t4, -m64: a digit tells them from clang's options of these letters. */
    const bool joins = length == 2 && (option->value == VALUE_JOINED || option->choices);
    return joins && clang_is_choice(option->choices, *value) ? FIT_JOINED : FIT_NONE;
}

static const struct option *find_option(const char *word, const char **value)
{
    const struct option *found = NULL;
    enum fit best = FIT_NONE;
    for (size_t i = 0; i < 2 * sizeof options / sizeof *options; i++) {
        const struct option *option = &options[i / 2];
        const char *rest;
        const enum fit fit = fit_of(option, i % 2 ? option->long_name : option->name, word, &rest);
        if (fit > best)
            found = option, best = fit, *value = rest;
    }
    return found;
}

/* ---- What options do ---- */

/* Libraries of CUDA's that libclem is, and the run-time compiler, which lies in a folder of its own.
 */
static void take_library(struct job *job, const char *name)
{
    static const char *const ours[] = {"cudart", "cudart_static", "cuda", "cudadevrt", "clem"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strcmp(name, ours[i]) == 0)
            return;
    if (strcmp(name, "nvrtc") == 0) {
        clang_arguments_format(&job->linker, "%s/clem/libnvrtc.so.13", job->library_dir);
        clemcc_tell_linker(&job->linker, "-rpath");
        clang_arguments_add(&job->linker, "-Xlinker");
        clang_arguments_format(&job->linker, "%s/clem", job->library_dir);
    } else {
        clang_arguments_format(&job->linker, "-l%s", name);
    }
}

static void take_stream(struct job *job, const char *value)
{
    if (strcmp(value, "per-thread") == 0)
        clang_arguments_add(&job->both, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
}

static bool begins_with_one_of(const char *word, const char *const *beginnings)
{
    for (; *beginnings; beginnings++)
        if (strncmp(word, *beginnings, strlen(*beginnings)) == 0)
            return true;
    return false;
}

/* A word for the host's compiler, which may have been meant for the linker or, since nvcc has the
 * host's preprocessor read sources for the device as well, for every compilation. */
static void take_host_word(struct job *job, const char *word)
{
    static const char *const language[] = {"-D",        "-U",      "-I",          "-fno-exceptions",
                                           "-fno-rtti", "-stdlib", "-ftemplate-", "-fconstexpr-",
                                           "-Wno-",     NULL};
    static const char *const linker[] = {"-Wl,", "-rdynamic", NULL};
    clang_arguments_add(begins_with_one_of(word, linker)     ? &job->linker
                        : begins_with_one_of(word, language) ? &job->both
                                                             : &job->host,
                        word);
}

/* The words of -Xcompiler: parts of its list, which a shell would read again. Some go by twos. */
static void take_host_list(struct job *job, const char *list)
{
    static const char *const pairs[] = {"-D",       "-U",      "-I",        "-isystem",
                                        "-include", "-iquote", "-idirafter"};
    struct clang_arguments parts = {0}, words = {0};
    clemcc_split_list(list, &parts);
    for (size_t i = 0; i < parts.count; i++)
        clemcc_split_words(parts.values[i], &words);
    for (size_t i = 0; i < words.count; i++) {
        bool is_pair = false;
        for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
            is_pair = is_pair || strcmp(words.values[i], pairs[k]) == 0;
        if (is_pair && i + 1 < words.count) {
            clang_arguments_add(&job->both, words.values[i]);
            clang_arguments_add(&job->both, words.values[++i]);
        } else {
            take_host_word(job, words.values[i]);
        }
    }
    job->host.has_failed = job->host.has_failed || parts.has_failed || words.has_failed;
    clang_arguments_free(&parts);
    clang_arguments_free(&words);
}

static void take_warnings(struct job *job, const char *kind)
{
    if (!kind || strcmp(kind, "all-warnings") == 0)
        clang_arguments_add(&job->host, "-Werror");
    else if (strcmp(kind, "reorder") == 0 || strcmp(kind, "deprecated-declarations") == 0)
        clang_arguments_format(&job->host, "-Werror=%s", kind);
}

static void take_rules_name(struct job *job, const struct option *option, const char *value)
{
    job->has_rules_name = job->has_rules_name || strcmp(option->text, "-MF") == 0;
    job->has_rules_target = job->has_rules_target || strcmp(option->text, "-MT") == 0 ||
                            strcmp(option->text, "-MQ") == 0;
    clang_arguments_add(&job->host, option->text);
    if (value)
        clang_arguments_add(&job->host, value);
}

static bool is_architecture(const char *name)
{
    return clang_is_choice("native|all|all-major", name) || clang_is_architecture("sm_", name) ||
           clang_is_architecture("compute_", name) || clang_is_architecture("lto_", name);
}

/* What follows a word of -gencode's: names with commas between, in brackets or quotes or not. capability: the nearest of
 * them and of what it was; NULL: not asked. */
static bool are_architectures(const char *list, unsigned *capability)
{
    char name[16];
    for (;;) {
        list += strspn(list, "[]\"'");
        const size_t length = strcspn(list, ",[]\"'");
        if (length == 0 || length >= sizeof name)
            return false;
        memcpy(name, list, length);
        name[length] = '\0';
        list += length;
        list += strspn(list, "]\"'");
        if (!is_architecture(name))
            return false;
        if (capability)
            *capability = clang_nearer(*capability, clang_capability(name));
        const char *next = list + strspn(list, ",\"'");
        if (*list != ',' || strncmp(next, "code=", 5) == 0 || strncmp(next, "arch=", 5) == 0)
            return true;
        list = next;
    }
}

static int take_code(struct job *job, const char *value)
{
    const char *arch = strstr(value, "arch="), *code = strstr(value, "code=");
    if (arch == NULL || code == NULL)
        return clemcc_refuse(value, "-gencode wants arch=compute_N,code=...");
    return are_architectures(arch + strlen("arch="), &job->device.capability) &&
                   are_architectures(code + strlen("code="), NULL)
               ? 0
               : clemcc_refuse(value, "no GPU architecture");
}

/* -code goes with an -arch, whose source it is made of. */
static int take_architecture(struct job *job, const struct option *option, const char *value)
{
    if (!is_architecture(value))
        return clemcc_refuse(value, "no GPU architecture");
    if (strcmp(option->name, "-arch") == 0)
        job->device.capability = clang_capability(value);
    return 0;
}

/* Options that add words to what compilers and linkers are given. */
static void add_words(struct job *job, const struct option *option, const char *value)
{
    switch (option->action) {
    case TAKE_BOTH:
        clang_arguments_format(&job->both, "%s%s", option->text, value ? value : "");
        break;
    case TAKE_BOTH_PAIR:
        clang_arguments_add(&job->both, option->text);
        clang_arguments_add(&job->both, value);
        break;
    case TAKE_HOST:
        clang_arguments_add(&job->host, option->text);
        if (option->offset)
            *(bool *)((char *)job + option->offset) = true;
        break;
    case TAKE_HOST_LIST:
        take_host_list(job, value);
        break;
    case TAKE_LINK_LIST:
        clemcc_tell_linker(&job->linker, value);
        break;
    case TAKE_LINK:
        clang_arguments_format(&job->linker, "%s%s", option->text, value);
        break;
    case TAKE_LIBRARY:
        take_library(job, value);
        break;
    case TAKE_RUN_LIST:
        clang_arguments_add(&job->run_words, value);
        break;
    case TAKE_OPTIMIZE:
        clang_arguments_format(&job->host, "-O%s", value);
        break;
    case TAKE_STREAM:
        take_stream(job, value);
        break;
    case TAKE_WARNINGS:
        take_warnings(job, value);
        break;
    case TAKE_RULES_NAME:
        take_rules_name(job, option, value);
        break;
    default: /* read over */
        break;
    }
}

/* What options with one value do; those with lists do it for each part. */
static int apply(struct job *job, const struct option *option, const char *value)
{
    void *field = (char *)job + option->offset;
    switch (option->action) {
    case TAKE_NAME:
        *(const char **)field = value;
        break;
    case TAKE_FLAG:
        *(bool *)field = true;
        break;
    case TAKE_BOOLEAN:
        *(bool *)field = clang_is_choice("true|1", value) != (option->text != NULL);
        break;
    case TAKE_PRODUCT:
        job->output = (enum output)option->offset;
        if (option->text)
            clang_arguments_add(&job->host, option->text);
        break;
    case TAKE_SEPARATE_OBJECTS:
    case TAKE_WHOLE_OBJECTS:
        job->output = OUTPUT_OBJECTS;
        job->is_separable = option->action == TAKE_SEPARATE_OBJECTS;
        break;
    case TAKE_RULES:
        job->writes_rules = true;
        clang_arguments_add(&job->host, option->text);
        break;
    case TAKE_ARCHITECTURE:
        return take_architecture(job, option, value);
    case TAKE_CODE:
        return take_code(job, value);
    case TAKE_REFUSED:
        return clemcc_refuse(option->name, option->text);
    default:
        add_words(job, option, value);
        break;
    }
    return 0;
}

static bool takes_list(const struct option *option)
{
    static const enum action lists[] = {TAKE_BOTH,    TAKE_BOTH_PAIR, TAKE_LINK_LIST, TAKE_LINK,
                                        TAKE_LIBRARY, TAKE_RUN_LIST,  TAKE_WARNINGS};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (option->action == lists[i])
            return true;
    return strcmp(option->name, "-code") == 0;
}

static int apply_to_parts(struct job *job, const struct option *option, const char *value)
{
    struct clang_arguments parts = {0};
    clemcc_split_list(value, &parts);
    int status = parts.has_failed ? clemcc_refuse_memory() : 0;
    for (size_t i = 0; i < parts.count && status == 0; i++)
        status = apply(job, option, parts.values[i]);
    clang_arguments_free(&parts);
    return status;
}

static int check_choice(const struct option *option, const char *value)
{
    char why[128];
    if (!value || clang_is_choice(option->choices, value))
        return 0;
    snprintf(why, sizeof why, "takes %s, and not '%.40s'",
             strcmp(option->choices, "#") == 0 ? "a number" : option->choices, value);
    return clemcc_refuse(option->name, why);
}

/* ---- Files ---- */

const char *clemcc_suffix(const char *name)
{
    const char *last = strrchr(name, '/');
    const char *dot = strrchr(last ? last : name, '.');
    return dot ? dot : "";
}

static bool has_suffix(const char *name, const char *suffixes)
{
    const char *suffix = clemcc_suffix(name);
    return *suffix && clang_is_choice(suffixes, suffix + 1);
}

static int take_input(struct job *job, const char *name)
{
    if (has_suffix(name, "ptx|cubin|fatbin|gpu"))
        return clemcc_refuse(name, "device code is not linked into programs: cuModuleLoad() and "
                                   "cudaLibraryLoadFromFile() load it");
    job->inputs[job->input_count++] = (struct input){.name = name, .language = job->language};
    return 0;
}

/* The last -x stands for what came before the first as well, as with nvcc; objects stay objects. */
static void settle_input(const struct job *job, struct input *input)
{
    if (!input->language)
        input->language = job->language;
    if (input->language && strcmp(input->language, "none") == 0)
        input->language = NULL;
    const char *language = input->language;
    const bool is_linked = has_suffix(input->name, "o|a|so") || strstr(input->name, ".so.");
    input->is_source =
        !is_linked && (language || has_suffix(input->name, "cu|c|cc|cpp|cxx|C|c++|CPP|s|S|i|ii"));
    input->is_cuda = input->is_source && (language ? clang_is_choice("cu|cuda", language)
                                                   : has_suffix(input->name, "cu"));
    input->is_c = language ? clang_is_choice("c|cpp-output|assembler|assembler-with-cpp", language)
                           : has_suffix(input->name, "c|i|s|S");
}

/* ---- The command line ---- */

/* -Werror and -O take a value from the next word only if it looks like one. */
static bool is_optional_value(const struct option *option, const char *next)
{
    static const char *const kinds[] = {"all-warnings",
                                        "cross-execution-space-call",
                                        "deprecated-declarations",
                                        "default-stream-launch",
                                        "ext-lambda-captures-this",
                                        "missing-launch-bounds",
                                        "reorder",
                                        NULL};
    return next && (option->action == TAKE_WARNINGS ? begins_with_one_of(next, kinds)
                                                    : clang_is_choice(option->choices, next));
}

/* Reads words[*at], and the word behind it if that is its value. Options that neither nvcc nor the
 * table knows are clang's. */
static int take_option(struct job *job, size_t count, char **words, size_t *at)
{
    const char *word = words[*at], *next = *at + 1 < count ? words[*at + 1] : NULL, *value = NULL;
    const struct option *option = find_option(word, &value);
    if (!option) {
        take_host_word(job, word);
        return 0;
    }
    const bool is_optional = option->action == TAKE_WARNINGS || option->action == TAKE_OPTIMIZE;
    if (!value && option->value != VALUE_NONE) {
        if (is_optional ? is_optional_value(option, next) : next != NULL)
            value = words[++*at];
        else if (!is_optional)
            return clemcc_refuse(word, "needs a value");
        else if (option->action == TAKE_OPTIMIZE)
            value = "1";
    }
    const int status = check_choice(option, value);
    if (status)
        return status;
    return value && takes_list(option) ? apply_to_parts(job, option, value)
                                       : apply(job, option, value);
}

int clemcc_take_words(struct job *job, size_t count, char **words)
{
    int status = 0;
    for (size_t i = 0; i < count && status == 0; i++)
        status = words[i][0] != '-' || words[i][1] == 0 ? take_input(job, words[i])
                                                        : take_option(job, count, words, &i);
    for (size_t i = 0; i < job->input_count; i++)
        settle_input(job, &job->inputs[i]);
    return status;
}
