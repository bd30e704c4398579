/* clang as a compiler for CUDA sources: finding it, and its arguments.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/compile/clang_flags.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cl/whole.h"

extern char **environ;

/* ---- Lists of arguments ---- */

static bool has_room(struct clang_arguments *list)
{
    if (list->has_failed)
        return false;
    if (list->count + 2 <= list->capacity)
        return true;
    const size_t capacity = list->capacity ? 2 * list->capacity : 64;
    char **values = realloc(list->values, capacity * sizeof *values);
    if (!values) {
        list->has_failed = true;
        return false;
    }
    list->values = values;
    list->capacity = capacity;
    return true;
}

/* Takes value over. */
static void add_owned(struct clang_arguments *list, char *value)
{
    if (!value || !has_room(list)) {
        list->has_failed = true;
        free(value);
        return;
    }
    list->values[list->count++] = value;
    list->values[list->count] = NULL;
}

void clang_arguments_add(struct clang_arguments *list, const char *value)
{
    add_owned(list, strdup(value));
}

void clang_arguments_format(struct clang_arguments *list, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    char *text = NULL;
    if (vasprintf(&text, format, values) < 0)
        text = NULL;
    va_end(values);
    add_owned(list, text);
}

void clang_arguments_append(struct clang_arguments *list, const struct clang_arguments *more)
{
    for (size_t i = 0; i < more->count; i++)
        clang_arguments_add(list, more->values[i]);
    list->has_failed = list->has_failed || more->has_failed;
}

void clang_arguments_free(struct clang_arguments *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->values[i]);
    free(list->values);
    *list = (struct clang_arguments){0};
}

/* ---- Values of options ---- */

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

static bool is_number(const char *value)
{
    return *value && value[strspn(value, "0123456789")] == 0;
}

bool clang_is_choice(const char *choices, const char *value)
{
    const size_t length = strlen(value);
    for (const char *at = choices; at; at = strchr(at, '|')) {
        at += *at == '|';
        const size_t bytes = strcspn(at, "|");
        if (bytes == length && strncmp(at, value, length) == 0)
            return true;
        if (bytes == 1 && *at == '#' && is_number(value))
            return true;
    }
    return choices == NULL;
}

/* Source: nvcc's --list-gpu-code, of 13.0 and its predecessors. */
bool clang_is_architecture(const char *kind, const char *name)
{
    static const char all[] = "10|11|12|13|20|21|30|32|35|37|50|52|53|60|61|62|70|72|75|80|86|87|"
                              "88|89|90|100|101|103|110|120|121|"
                              "90a|100a|101a|103a|110a|120a|121a|100f|101f|103f|110f|120f|121f";
    return strncmp(name, kind, strlen(kind)) == 0 && clang_is_choice(all, name + strlen(kind));
}

enum { LOWEST = 75 };

/* As in cl/device.h, for programs without the library. */
static unsigned reported(void)
{
    const char *wanted = secure_getenv("CLEM_COMPUTE_CAPABILITY");
    if (!wanted || !*wanted || !clang_is_choice("7.5|8.0|8.6|9.0", wanted))
        return LOWEST;
    return (unsigned)(wanted[0] - '0') * 10 + (unsigned)(wanted[2] - '0');
}

unsigned clang_capability(const char *name)
{
    const char *number = strchr(name, '_');
    if (!number || !is_digit(number[1]))
        return reported();
    const unsigned capability = (unsigned)strtoul(number + 1, NULL, 10);
    return capability > LOWEST ? capability : LOWEST;
}

unsigned clang_nearer(unsigned first, unsigned second)
{
    const unsigned wanted = reported();
    if (first == 0 || (first > wanted && second < first))
        return second;
    return second > first && second <= wanted ? second : first;
}

/* ---- Finding the compiler ---- */

/* How the output of a program begins, "" where it cannot be started or fails, or has more to say. */
static void output_of(const char *program, const char *argument, char *text, size_t bytes)
{
    text[0] = 0;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return;
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions)) {
        close(ends[0]);
        close(ends[1]);
        return;
    }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    char *arguments[] = {strdup(program), strdup(argument), NULL};
    pid_t child;
    const bool is_started = arguments[0] && arguments[1] &&
                            !posix_spawnp(&child, program, &actions, NULL, arguments, environ);
    close(ends[1]);
    const ssize_t got = is_started ? whole_read(ends[0], text, bytes - 1) : 0;
    close(ends[0]);
    int status = 0;
    if (is_started)
        whole_wait(child, &status);
    text[got > 0 && status == 0 ? got : 0] = 0;
    posix_spawn_file_actions_destroy(&actions);
    free(arguments[0]);
    free(arguments[1]);
}

/* The major version that `program --version` tells; 0 for what is no clang. */
static unsigned version_of(const char *program)
{
    char text[4096];
    output_of(program, "--version", text, sizeof text);
    const char *version = strstr(text, "clang version ");
    return version ? (unsigned)strtoul(version + strlen("clang version "), NULL, 10) : 0;
}

static bool is_in_path(const char *name)
{
    const char *path = secure_getenv("PATH");
    while (path && *path) {
        const size_t length = strcspn(path, ":");
        char file[4096];
        const int written = snprintf(file, sizeof file, "%.*s/%s", (int)length, path, name);
        if (written > 0 && (size_t)written < sizeof file && !access(file, X_OK))
            return true;
        path += length + (path[length] == ':');
    }
    return false;
}

static bool take(struct clang_compiler *compiler, const char *name)
{
    if (strlen(name) >= sizeof compiler->path)
        return false;
    strcpy(compiler->path, name);
    compiler->version = version_of(name);
    return compiler->version >= CLANG_OLDEST;
}

bool clang_find(struct clang_compiler *compiler)
{
    *compiler = (struct clang_compiler){0};
    const char *chosen = secure_getenv("CLEM_CLANG");
    if (chosen && *chosen)
        return take(compiler, chosen);
    /* Names of versions to come, too; beyond these, clang itself is asked. */
    for (unsigned version = 40; version >= CLANG_OLDEST; version--) {
        char name[32];
        snprintf(name, sizeof name, "clang-%u", version);
        if (is_in_path(name) && take(compiler, name))
            return true;
    }
    if (is_in_path("clang") && take(compiler, "clang"))
        return true;
    compiler->path[0] = 0;
    return false;
}

/* ---- The passes ---- */

void clang_add_all(struct clang_arguments *list, const char *const *values)
{
    for (; *values; values++)
        clang_arguments_add(list, *values);
}

const char *clang_cuda_standard(const char *name)
{
    return clang_is_choice("c++98|c++03|gnu++98|gnu++03", name) ? "c++11" : name;
}

/* No installation of CUDA is looked for. The SDK version chooses how clang writes launches: with
 * __cudaPushCallConfiguration, as all of CUDA since 9.2. */
void clang_add_common(struct clang_arguments *list, const char *include_dir)
{
    static const char *const fixed[] = {
        "-nocudainc",
        "-nocudalib",
        "--cuda-path=/nonexistent",
        "-Xclang",
        "-target-sdk-version=11.5",
        "-Xclang",
        "-fcuda-allow-variadic-functions", /* f(...), as traits have */
        "-Wno-unknown-cuda-version",
        "-Wno-register",          /* nvcc takes the word in C++17, too */
        "-Wno-invalid-constexpr", /* to nvcc, math is constant */
        NULL};
    clang_add_all(list, fixed);
    clang_arguments_add(list, "-isystem");
    clang_arguments_add(list, include_dir);
    clang_arguments_add(list, "-include");
    clang_arguments_add(list, "crt/clem_first.h");
}

/* Instructions as of 8.6, the newest that clang 14 has in PTX 7.5; beyond it, what a source asks for is what it names. */
static void add_architecture(struct clang_arguments *list, unsigned capability)
{
    const unsigned wanted = capability ? capability : reported();
    const unsigned known = wanted >= 86 ? 86 : wanted >= 80 ? 80 : LOWEST;
    clang_arguments_format(list, "--cuda-gpu-arch=sm_%u", known);
    if (known == wanted)
        return;
    clang_arguments_add(list, "-U__CUDA_ARCH__");
    clang_arguments_format(list, "-D__CUDA_ARCH__=%u0", wanted);
}

static void add_defines(struct clang_arguments *list, const struct clang_device_options *options)
{
    const bool fast = options->fast_math;
    if (fast)
        clang_arguments_add(list, "-D__USE_FAST_MATH__=1");
    if (fast || options->flush_denormals)
        clang_arguments_add(list, "-D__CUDA_FTZ=1");
    if (fast || options->approximate_divide)
        clang_arguments_add(list, "-D__CUDA_PREC_DIV=0");
    if (fast || options->approximate_sqrt)
        clang_arguments_add(list, "-D__CUDA_PREC_SQRT=0");
}

/* PTX 7.5 is the newest that clang 14 writes, and has all that the headers ask for. */
void clang_add_device(struct clang_arguments *list, const struct clang_compiler *compiler,
                      const struct clang_device_options *options)
{
    static const char *const fixed[] = {"--cuda-device-only",
                                        "-S",
                                        "-Xclang",
                                        "-target-feature",
                                        "-Xclang",
                                        "+ptx75",
                                        "-fno-math-errno",
                                        "-fno-builtin-malloc", /* it may return NULL */
                                        "-fcheck-new",
                                        "-fno-strict-aliasing", /* as NVIDIA's compiler has it */
                                        "-fno-crash-diagnostics",
                                        NULL};
    const bool fast = options->fast_math;
    clang_add_all(list, fixed);
    add_architecture(list, options->capability);
    /* Lanes may hand a variable that only their leader has set to a shuffle: clang would take it for proven that every
     * lane has set it, and so is the leader. */
    clang_arguments_add(list, "-Xclang");
    clang_arguments_add(list, compiler->version >= 15 ? "-no-enable-noundef-analysis"
                                                      : "-disable-noundef-analysis");
    clang_arguments_add(list, options->debug ? "-O1" : "-O3");
    clang_arguments_add(list, options->no_fma ? "-ffp-contract=off" : "-ffp-contract=fast");
    if (fast || options->flush_denormals)
        clang_arguments_add(list, compiler->version >= 19 ? "-fgpu-flush-denormals-to-zero"
                                                          : "-fcuda-flush-denormals-to-zero");
    if (fast || options->approximate_divide) {
        clang_arguments_add(list, "-mllvm");
        clang_arguments_add(list, fast ? "-nvptx-prec-divf32=0" : "-nvptx-prec-divf32=1");
    }
    add_defines(list, options);
    if (options->line_info || options->debug)
        clang_arguments_add(list, "-gline-tables-only");
    if (options->run_time_compiler)
        clang_arguments_add(list, "-D__CUDACC_RTC__=1");
}

void clang_add_host(struct clang_arguments *list, const struct clang_device_options *options,
                    const char *image)
{
    clang_arguments_add(list, "--cuda-host-only");
    clang_arguments_add(list, "--cuda-gpu-arch=sm_75"); /* the host's code is the same for all */
    if (image) {
        static const char *const include[] = {"-Xclang", "-fcuda-include-gpubinary", "-Xclang",
                                              NULL};
        clang_add_all(list, include);
        clang_arguments_add(list, image);
    }
    add_defines(list, options);
}

/* "__udivti3", "__fixdfti": ti is what libgcc calls an integer of 128 bits. */
static bool is_int128(const char *name)
{
    const char *type = strstr(name, "ti");
    return type && type < name + strcspn(name, "\"");
}

static const char *const *brings_int128(const char *log)
{
    static const char words[] = "Undefined external symbol \"";
    static const char *const header[] = {"-include", "crt/device_int128.h", NULL};
    /* clang 19 and later: divides, but does not convert, and has no name for what it lacks. */
    static const char *const expansion[] = {"-mllvm", "-expand-div-rem-bits=64", "-mllvm",
                                            "-expand-fp-convert-bits=64", NULL};
    const char *name = log ? strstr(log, words) : NULL;
    if (!name)
        return NULL;
    name += strlen(words);
    if (*name == '"')
        return expansion;
    return is_int128(name) ? header : NULL;
}

const char *const *clang_brings_missing(const char *log)
{
    static const char *const alignment[] = {"-include", "crt/any_alignas.h", NULL};
    if (log && strstr(log, "an attribute list cannot appear here"))
        return alignment;
    return brings_int128(log);
}
