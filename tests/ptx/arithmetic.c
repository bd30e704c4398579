/* Arithmetic instructions as text: every operation of the differential tests has a translation for every kind of device,
 * and what has none is refused by name.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/test.h"

#include <string.h>

#include "kernels/ptx/ptx.h"
#include "tests/differential/differential.h"

static const struct ptx_target plain = {.has_double = true,
                                        .has_int64_atomics = true,
                                        .max_parameter_bytes = 1024,
                                        .max_private_bytes = 65536,
                                        .force_form = -1};

static void translate_all(const char *text, const struct ptx_target *target)
{
    struct ptx_module *module = NULL;
    struct ptx_log log = {0};
    assert_int_equal(ptx_module_parse(text, strlen(text), &module, &log), PTX_OK);
    for (size_t i = 0; i < ptx_module_entry_count(module); i++) {
        struct ptx_kernel kernel = {0};
        const enum ptx_status status = ptx_translate(module, i, target, &kernel, &log);
        if (status != PTX_OK)
            fail_msg("%s", log.text);
        ptx_kernel_free(&kernel);
    }
    ptx_module_free(module);
    free(log.text);
}

TEST_BODY(arithmetic_all_operations_translate)
{
    enum { CHAINS = 32 };
    static struct chain chains[CHAINS];
    struct generator generator;
    generator_start(&generator, 7, false);
    size_t steps = 0;
    for (size_t i = 0; i < CHAINS; i++) {
        generator_chain(&generator, 50, MOST_STEPS, &chains[i]);
        steps += chains[i].count;
    }
    assert_true(steps > 2 * operation_count); /* each is dealt once before any is dealt again */
    char *text = module_text(chains, CHAINS);
    struct ptx_target target = plain;
    translate_all(text, &target);
    target.has_exact_divide = true;
    translate_all(text, &target);
    target.has_nvidia_asm = true;
    translate_all(text, &target);
    free(text);
}

/* The log of an entry with one instruction, which must be refused. */
static char *refusal(const char *registers, const char *instruction,
                     const struct ptx_target *target)
{
    char text[1024];
    struct ptx_module *module = NULL;
    struct ptx_kernel kernel = {0};
    struct ptx_log log = {0};
    snprintf(text, sizeof text,
             ".version 8.6\n.target sm_100\n.address_size 64\n.visible .entry strange()\n{\n  %s\n "
             " %s\n  ret;\n}\n",
             registers, instruction);
    assert_int_equal(ptx_module_parse(text, strlen(text), &module, &log), PTX_OK);
    assert_int_equal(ptx_translate(module, 0, target, &kernel, &log), PTX_E_UNSUPPORTED);
    ptx_kernel_free(&kernel);
    ptx_module_free(module);
    assert_non_null(log.text);
    assert_non_null(strstr(log.text, "strange"));
    return log.text;
}

TEST_BODY(arithmetic_refuses_by_name)
{
    char *log = refusal(".reg .b64 %l<3>;", "add.rn.f32x2 %l0, %l1, %l2;", &plain);
    assert_non_null(strstr(log, "add.rn.f32x2"));
    free(log);
    log = refusal(".reg .b16 %h<2>; .reg .f32 %f<2>;", "cvt.rn.e4m3x2.f32 %h0, %f0, %f1;", &plain);
    assert_non_null(strstr(log, "e4m3x2"));
    free(log);
}
