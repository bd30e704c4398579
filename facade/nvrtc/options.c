/* The options of nvrtcCompileProgram, and what clang is told instead.
 * Source: NVRTC 13.0, supported compile options.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facade/nvrtc/program.h"

enum action {
    PASS,   /* clang gets `clang` and the value as one word */
    IGNORE, /* changes nothing here */
    SWITCH, /* clang gets `clang`, whatever else */
    TRUE,   /* sets a flag; a value "true" or "false" may follow */
    FALSE,  /* sets a flag where the value is "false" */
    ARCH,   /* compute_75 and the like */
    REFUSED
};

enum value { NONE, NEEDED, POSSIBLE };

struct option {
    const char *name, *alias; /* alias: the short form, or NULL */
    enum value value;
    enum action action;
    const char *clang; /* PASS and SWITCH */
    size_t flag;       /* TRUE and FALSE: offset of a bool in struct nvrtc_options */
};

#define FLAG(member) offsetof(struct nvrtc_options, member)

static const struct option options[] = {
    {"--gpu-architecture", "-arch", NEEDED, ARCH, NULL, 0},
    {"--include-path", "-I", NEEDED, PASS, "-I", 0},
    {"--define-macro", "-D", NEEDED, PASS, "-D", 0},
    {"--undefine-macro", "-U", NEEDED, PASS, "-U", 0},
    {"--std", "-std", NEEDED, PASS, "-std=", 0},
    {"--pre-include", "-include", NEEDED, PASS, "-include", 0},
    {"--use_fast_math", "-use_fast_math", POSSIBLE, TRUE, NULL, FLAG(device.fast_math)},
    {"--ftz", "-ftz", NEEDED, TRUE, NULL, FLAG(device.flush_denormals)},
    {"--fmad", "-fmad", NEEDED, FALSE, NULL, FLAG(device.no_fma)},
    {"--prec-div", "-prec-div", NEEDED, FALSE, NULL, FLAG(device.approximate_divide)},
    {"--prec-sqrt", "-prec-sqrt", NEEDED, FALSE, NULL, FLAG(device.approximate_sqrt)},
    {"--device-debug", "-G", NONE, TRUE, NULL, FLAG(device.debug)},
    {"--device-as-default-execution-space", "-default-device", NONE, TRUE, NULL,
     FLAG(is_all_device)},
    {"--relocatable-device-code", "-rdc", NEEDED, IGNORE, NULL, 0},
    {"--device-c", "-dc", NONE, SWITCH, "-fgpu-rdc", 0},
    {"--device-w", "-dw", NONE, IGNORE, NULL, 0},
    {"--disable-warnings", "-w", NONE, SWITCH, "-w", 0},
    {"--generate-line-info", "-lineinfo", NONE, SWITCH, "-gline-tables-only", 0},
    {"--maxrregcount", "-maxrregcount", NEEDED, IGNORE, NULL, 0},
    {"--restrict", "-restrict", NONE, IGNORE, NULL, 0},
    {"--ptxas-options", "-Xptxas", NEEDED, IGNORE, NULL, 0},
    {"--dopt", "-dopt", NEEDED, IGNORE, NULL, 0},
    {"--Ofast-compile", "-Ofc", NEEDED, IGNORE, NULL, 0},
    {"--extra-device-vectorization", "-extra-device-vectorization", NONE, IGNORE, NULL, 0},
    {"--device-int128", "-device-int128", NONE, IGNORE, NULL, 0},
    {"--device-float128", "-device-float128", NONE, IGNORE, NULL, 0},
    {"--builtin-move-forward", "-builtin-move-forward", NEEDED, IGNORE, NULL, 0},
    {"--builtin-initializer-list", "-builtin-initializer-list", NEEDED, IGNORE, NULL, 0},
    {"--no-source-include", "-no-source-include", NONE, IGNORE, NULL, 0},
    {"--no-cache", "-no-cache", NONE, IGNORE, NULL, 0},
    {"--pch", "-pch", NONE, IGNORE, NULL, 0},
    {"--create-pch", "-create-pch", NEEDED, IGNORE, NULL, 0},
    {"--use-pch", "-use-pch", NEEDED, IGNORE, NULL, 0},
    {"--pch-dir", "-pch-dir", NEEDED, IGNORE, NULL, 0},
    {"--pch-verbose", "-pch-verbose", NEEDED, IGNORE, NULL, 0},
    {"--pch-messages", "-pch-messages", NEEDED, IGNORE, NULL, 0},
    {"--split-compile", "-split-compile", NEEDED, IGNORE, NULL, 0},
    {"--fdevice-syntax-only", "-fdevice-syntax-only", NONE, IGNORE, NULL, 0},
    {"--fdevice-time-trace", "-fdevice-time-trace", NEEDED, IGNORE, NULL, 0},
    {"--minimal", "-minimal", NONE, IGNORE, NULL, 0},
    {"--device-stack-protector", "-device-stack-protector", NEEDED, IGNORE, NULL, 0},
    {"--display-error-number", "-err-no", NONE, IGNORE, NULL, 0},
    {"--no-display-error-number", "-no-err-no", NONE, IGNORE, NULL, 0},
    {"--diag-error", "-diag-error", NEEDED, IGNORE, NULL, 0},
    {"--diag-suppress", "-diag-suppress", NEEDED, IGNORE, NULL, 0},
    {"--diag-warn", "-diag-warn", NEEDED, IGNORE, NULL, 0},
    {"--brief-diagnostics", "-brief-diag", NEEDED, IGNORE, NULL, 0},
    {"--time", "-time", NEEDED, IGNORE, NULL, 0},
    {"--version-ident", "-dQ", NEEDED, IGNORE, NULL, 0},
    {"--modify-stack-limit", "-modify-stack-limit", NEEDED, IGNORE, NULL, 0},
    {"--random-seed", "-random-seed", NEEDED, IGNORE, NULL, 0},
    {"--frandom-seed", "-frandom-seed", NEEDED, IGNORE, NULL, 0},
    {"--jump-table-density", "-jtd", NEEDED, IGNORE, NULL, 0},
    {"--dlink-time-opt", "-dlto", NONE, REFUSED, NULL, 0},
    {"--gen-opt-lto", "-gen-opt-lto", NONE, REFUSED, NULL, 0},
    {"--optix-ir", "-optix-ir", NONE, REFUSED, NULL, 0},
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

static bool read_boolean(const char *value, bool *is)
{
    *is = strcmp(value, "true") == 0;
    return *is || strcmp(value, "false") == 0;
}

/* Every device is of compute capability 7.5, whatever the code is compiled for. */
static bool is_architecture(const char *value)
{
    const char *number = strncmp(value, "compute_", 8) == 0 ? value + 8
                         : strncmp(value, "sm_", 3) == 0    ? value + 3
                                                            : "";
    char *end = NULL;
    long capability = strtol(number, &end, 10);
    return capability >= 30 && capability < 1000 && strspn(end, "af") == strlen(end);
}

static bool apply(struct nvrtc_options *result, const struct option *option, const char *value)
{
    bool is = true;
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
    case SWITCH:
        clang_arguments_add(&result->arguments, option->clang);
        return true;
    case TRUE:
    case FALSE:
        if (value != NULL && !read_boolean(value, &is))
            return false;
        *(bool *)((char *)result + option->flag) = is == (option->action == TRUE);
        return true;
    case ARCH:
        return is_architecture(value);
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
        const bool is_wrong_form =
            option->value == NEEDED ? value == NULL : option->value == NONE && value != NULL;
        if (is_wrong_form || !apply(result, option, value))
            return NVRTC_ERROR_INVALID_OPTION;
    }
    return result->arguments.has_failed ? NVRTC_ERROR_OUT_OF_MEMORY : NVRTC_SUCCESS;
}
