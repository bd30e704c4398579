/* Reading small pieces of PTX in tests of the translator.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_PTX_READ_H
#define TESTS_PTX_READ_H

#include <stdlib.h>
#include <string.h>

#include "kernels/ptx/host/checks.h"
#include "kernels/ptx/ir/ir.h"
#include "tests/test.h"

#define PTX_HEAD ".version 7.5\n.target sm_75\n.address_size 64\n"
/* A module of one kernel k with the parameters a (.u64) and n (.u32), and some registers. */
#define PTX_BODY(text)                                                                             \
    PTX_HEAD ".visible .entry k(.param .u64 a, .param .u32 n)\n{\n.reg .pred %p<8>;\n"             \
             ".reg .b16 %h<8>;\n.reg .b32 %r<16>;\n.reg .b64 %rd<16>;\n.reg .f32 %f<16>;\n"        \
             ".reg .f64 %fd<8>;\n" text "\n}\n"

static inline struct ptx_module *read_ptx(const char *text)
{
    struct ptx_log log = {0};
    struct ptx_module *module = NULL;
    const enum ptx_status status = ptx_module_parse(text, strlen(text), &module, &log);
    if (status != PTX_OK)
        printf("%s\n", log.text ? log.text : "(nothing said)");
    free(log.text);
    assert_int_equal(status, PTX_OK);
    return module;
}

/* The first kernel of a text for a target. The caller frees it. */
static inline struct ptx_kernel translate_for(const char *text, const struct ptx_target *target)
{
    struct ptx_module *module = read_ptx(text);
    struct ptx_kernel kernel = {0};
    struct ptx_log log = {0};
    const enum ptx_status status = ptx_translate(module, 0, target, &kernel, &log);
    if (status != PTX_OK)
        printf("%s\n", log.text ? log.text : "(nothing said)");
    free(log.text);
    ptx_module_free(module);
    assert_int_equal(status, PTX_OK);
    assert_int_equal(strlen(kernel.text), kernel.text_bytes);
    return kernel;
}

/* For a CPU that has LLVM, with all checks of kernels. */
static inline struct ptx_kernel translate_checked_for(const char *text, enum ptx_threads threads)
{
    const struct ptx_target target = {.is_cpu = true,
                                      .has_double = true,
                                      .has_int64_atomics = true,
                                      .max_parameter_bytes = 4096,
                                      .llvm_major = 14,
                                      .checks = PTX_CHECK_MEMORY | PTX_CHECK_INIT | PTX_CHECK_RACE |
                                                PTX_CHECK_SYNC,
                                      .threads = threads,
                                      .force_form = -1};
    return translate_for(text, &target);
}

static inline struct ptx_kernel translate_checked(const char *text)
{
    return translate_checked_for(text, PTX_THREADS_ANY);
}

/* How many accesses of a checked kernel, which is native, have one of PTX_NATIVE_LOOKS and the like. */
static inline size_t count_told(const char *text, uint64_t way)
{
    struct ptx_kernel kernel = translate_checked_for(text, PTX_THREADS_ROWS);
    size_t count = 0;
    assert_int_equal(kernel.form, PTX_FORM_NATIVE);
    for (const char *at = kernel.text; (at = strstr(at, " x i64] [")) != NULL; at++) {
        const char *word = at; /* of struct ptx_native_told: `ways` */
        for (unsigned i = 0; i < 6 && word; i++)
            word = strchr(word + 1, ',');
        count += word && strtoul(word + strlen(", i64 "), NULL, 10) & way ? 1 : 0;
    }
    ptx_kernel_free(&kernel);
    return count;
}

/* That the text is refused, and that the words that say why contain `part`. */
static inline void assert_refused(const char *text, const char *part)
{
    struct ptx_log log = {0};
    struct ptx_module *module = NULL;
    assert_int_equal(ptx_module_parse(text, strlen(text), &module, &log), PTX_E_SYNTAX);
    assert_null(module);
    assert_non_null(log.text);
    if (!strstr(log.text, part))
        fail_msg("'%s' does not say '%s'", log.text, part);
    free(log.text);
}

/* The instruction `index` of the first function that has a body. */
static inline const struct ptx_instruction *instruction_at(const struct ptx_module *module,
                                                           size_t index)
{
    for (size_t i = 0; i < module->function_count; ++i)
        if (module->functions[i]->has_body) {
            assert_true(index < module->functions[i]->instruction_count);
            return &module->functions[i]->instructions[index];
        }
    fail_msg("no function");
    return NULL;
}

/* What the module prints as; the caller frees it. */
static inline char *print_ptx(const struct ptx_module *module)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    ptx_print_module(out, module);
    fclose(out);
    return text;
}

#endif
