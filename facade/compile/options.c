/* The options of nvrtcCompileProgram, and what clang is told instead.
 * Source: NVRTC 13.0, supported compile options.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facade/compile/program.h"

enum action {
    PASS, /* clang gets `clang` and the value as one word */
    STANDARD,
    IGNORE, /* changes nothing here */
    SWITCH, /* clang gets `clang`, whatever else */
    TRUE,   /* sets a flag; a value "true" or "false" may follow */
    FALSE,  /* sets a flag where the value is "false" */
    ARCH,   /* compute_75 and the like: the last that is given */
    REFUSED
};

enum value { NONE, NEEDED };

struct option {
    const char *name, *alias; /* alias: the short form, or NULL */
    enum value value;
    enum action action;
    const char *clang;   /* PASS and SWITCH */
    size_t flag;         /* TRUE and FALSE: offset of a bool in struct nvrtc_options */
    const char *choices; /* values that there are, as clang_is_choice() has them */
};

#define FLAG(member) offsetof(struct nvrtc_options, member)
#define BOOLEAN      "true|false"

static const struct option options[] = {
    {"--gpu-architecture", "-arch", NEEDED, ARCH, NULL, 0, NULL},
    {"--include-path", "-I", NEEDED, PASS, "-I", 0, NULL},
    {"--define-macro", "-D", NEEDED, PASS, "-D", 0, NULL},
    {"--undefine-macro", "-U", NEEDED, PASS, "-U", 0, NULL},
    {"--std", "-std", NEEDED, STANDARD, NULL, 0, "c++03|c++11|c++14|c++17|c++20"},
    {"--pre-include", "-include", NEEDED, PASS, "-include", 0, NULL},
    {"--use_fast_math", "-use_fast_math", NONE, TRUE, NULL, FLAG(device.fast_math), NULL},
    {"--ftz", "-ftz", NEEDED, TRUE, NULL, FLAG(device.flush_denormals), BOOLEAN},
    {"--fmad", "-fmad", NEEDED, FALSE, NULL, FLAG(device.no_fma), BOOLEAN},
    {"--prec-div", "-prec-div", NEEDED, FALSE, NULL, FLAG(device.approximate_divide), BOOLEAN},
    {"--prec-sqrt", "-prec-sqrt", NEEDED, FALSE, NULL, FLAG(device.approximate_sqrt), BOOLEAN},
    {"--device-debug", "-G", NONE, TRUE, NULL, FLAG(device.debug), NULL},
    {"--device-as-default-execution-space", "-default-device", NONE, TRUE, NULL,
     FLAG(is_all_device), NULL},
    {"--relocatable-device-code", "-rdc", NEEDED, IGNORE, NULL, 0, BOOLEAN},
    {"--device-c", "-dc", NONE, SWITCH, "-fgpu-rdc", 0, NULL},
    {"--device-w", "-dw", NONE, IGNORE, NULL, 0, NULL},
    {"--disable-warnings", "-w", NONE, SWITCH, "-w", 0, NULL},
    {"--generate-line-info", "-lineinfo", NONE, SWITCH, "-gline-tables-only", 0, NULL},
    {"--maxrregcount", "-maxrregcount", NEEDED, IGNORE, NULL, 0, "#|-1"},
    {"--restrict", "-restrict", NONE, IGNORE, NULL, 0, NULL},
    {"--ptxas-options", "-Xptxas", NEEDED, IGNORE, NULL, 0, NULL},
    {"--dopt", "-dopt", NEEDED, IGNORE, NULL, 0, "on"},
    {"--Ofast-compile", "-Ofc", NEEDED, IGNORE, NULL, 0, "0|min|mid|max"},
    {"--extra-device-vectorization", "-extra-device-vectorization", NONE, IGNORE, NULL, 0, NULL},
    {"--device-int128", "-device-int128", NONE, IGNORE, NULL, 0, NULL},
    {"--device-float128", "-device-float128", NONE, REFUSED, NULL, 0, NULL},
    {"--builtin-move-forward", "-builtin-move-forward", NEEDED, IGNORE, NULL, 0, BOOLEAN},
    {"--builtin-initializer-list", "-builtin-initializer-list", NEEDED, IGNORE, NULL, 0, BOOLEAN},
    {"--no-source-include", "-no-source-include", NONE, IGNORE, NULL, 0, NULL},
    {"--no-cache", "-no-cache", NONE, IGNORE, NULL, 0, NULL},
    {"--pch", "-pch", NONE, IGNORE, NULL, 0, NULL},
    {"--create-pch", "-create-pch", NEEDED, IGNORE, NULL, 0, NULL},
    {"--use-pch", "-use-pch", NEEDED, IGNORE, NULL, 0, NULL},
    {"--pch-dir", "-pch-dir", NEEDED, IGNORE, NULL, 0, NULL},
    {"--pch-verbose", "-pch-verbose", NEEDED, IGNORE, NULL, 0, BOOLEAN},
    {"--pch-messages", "-pch-messages", NEEDED, IGNORE, NULL, 0, BOOLEAN},
    {"--split-compile", "-split-compile", NEEDED, IGNORE, NULL, 0, "#"},
    {"--fdevice-syntax-only", "-fdevice-syntax-only", NONE, IGNORE, NULL, 0, NULL},
    {"--fdevice-time-trace", "-fdevice-time-trace", NEEDED, IGNORE, NULL, 0, NULL},
    {"--minimal", "-minimal", NONE, IGNORE, NULL, 0, NULL},
    {"--device-stack-protector", "-device-stack-protector", NEEDED, IGNORE, NULL, 0, BOOLEAN},
    {"--display-error-number", "-err-no", NONE, IGNORE, NULL, 0, NULL},
    {"--no-display-error-number", "-no-err-no", NONE, IGNORE, NULL, 0, NULL},
    {"--diag-error", "-diag-error", NEEDED, IGNORE, NULL, 0, NULL},
    {"--diag-suppress", "-diag-suppress", NEEDED, IGNORE, NULL, 0, NULL},
    {"--diag-warn", "-diag-warn", NEEDED, IGNORE, NULL, 0, NULL},
    {"--brief-diagnostics", "-brief-diag", NEEDED, IGNORE, NULL, 0, BOOLEAN},
    {"--time", "-time", NEEDED, IGNORE, NULL, 0, NULL},
    {"--version-ident", "-dQ", NEEDED, IGNORE, NULL, 0, BOOLEAN},
    {"--modify-stack-limit", "-modify-stack-limit", NEEDED, IGNORE, NULL, 0, BOOLEAN},
    {"--random-seed", "-random-seed", NEEDED, IGNORE, NULL, 0, "#"},
    {"--frandom-seed", "-frandom-seed", NEEDED, IGNORE, NULL, 0, NULL},
    {"--jump-table-density", "-jtd", NEEDED, IGNORE, NULL, 0, "#"},
    {"--extensible-whole-program", "-ewp", NONE, IGNORE, NULL, 0, NULL},
    {"--optimization-info", "-opt-info", NEEDED, IGNORE, NULL, 0, NULL},
    {"--dlink-time-opt", "-dlto", NONE, REFUSED, NULL, 0, NULL},
    {"--gen-opt-lto", "-gen-opt-lto", NONE, REFUSED, NULL, 0, NULL},
    {"--optix-ir", "-optix-ir", NONE, REFUSED, NULL, 0, NULL},
};

/* What follows a name in a word: "" , "=value", or, for -I, -D and -U, the value at once. NULL: the
 * word is another one. */
static const char *behind(const char *word, const char *name)
{
    size_t length = strlen(name);
    if (strncmp(word, name, length) != 0)
        return NULL;
    const char *rest = word + length;
    const bool is_letter = length == 2 && name[0] == '-' && strchr("IDU", name[1]) != NULL;
    return rest[0] == '\0' || rest[0] == '=' || is_letter ? rest : NULL;
}

static const struct option *find_option(const char *word, const char **rest)
{
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        *rest = behind(word, options[i].name);
        if (*rest == NULL && options[i].alias != NULL)
            *rest = behind(word, options[i].alias);
        if (*rest != NULL)
            return &options[i];
    }
    return NULL;
}

static bool is_architecture(const char *value)
{
    return clang_is_architecture("compute_", value) || clang_is_architecture("sm_", value);
}

static bool apply(struct nvrtc_options *result, const struct option *option, const char *value)
{
    const bool is = value == NULL || strcmp(value, "true") == 0;
    if (value != NULL && !clang_is_choice(option->choices, value))
        return false;
    switch (option->action) {
    case PASS:
        /* -include wants its file as a word of its own. */
        if (strcmp(option->clang, "-include") == 0) {
            clang_arguments_add(&result->arguments, option->clang);
            clang_arguments_add(&result->arguments, value);
        } else {
            clang_arguments_format(&result->arguments, "%s%s", option->clang, value);
        }
        return true;
    case STANDARD:
        clang_arguments_format(&result->arguments, "-std=%s", clang_cuda_standard(value));
        return true;
    case SWITCH:
        clang_arguments_add(&result->arguments, option->clang);
        return true;
    case TRUE:
    case FALSE:
        *(bool *)((char *)result + option->flag) = is == (option->action == TRUE);
        return true;
    case ARCH:
        if (value == NULL || !is_architecture(value))
            return false;
        result->device.capability = clang_capability(value);
        return true;
    case IGNORE:
        return true;
    case REFUSED:
        break;
    }
    return false;
}

/* Values stand behind "=", or are the next word. */
nvrtcResult nvrtc_read_options(struct nvrtc_options *result, int count, const char *const *values,
                               const char **bad)
{
    for (int i = 0; i < count; i++) {
        const char *rest = NULL, *value = NULL;
        *bad = values[i];
        const struct option *option = values[i] != NULL ? find_option(values[i], &rest) : NULL;
        if (option == NULL)
            return NVRTC_ERROR_INVALID_OPTION;
        if (rest[0] != '\0')
            value = rest[0] == '=' ? rest + 1 : rest;
        else if (option->value == NEEDED && i + 1 < count)
            value = values[++i];
        if ((option->value == NEEDED) != (value != NULL) || !apply(result, option, value))
            return NVRTC_ERROR_INVALID_OPTION;
    }
    return result->arguments.has_failed ? NVRTC_ERROR_OUT_OF_MEMORY : NVRTC_SUCCESS;
}
