/* Texts for cooperative launches whose blocks are work-groups.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/ptx/read.h"

static const struct ptx_target gathers = {
    .has_double = true, .gathers = true, .max_parameter_bytes = 4096, .force_form = -1};

static enum ptx_status translate(const char *text, const struct ptx_target *target,
                                 struct ptx_kernel *kernel, struct ptx_log *log)
{
    struct ptx_module *m = read_ptx(text);
    *kernel = (struct ptx_kernel){0};
    const enum ptx_status status = ptx_translate(m, 0, target, kernel, log);
    ptx_module_free(m);
    return status;
}

static struct ptx_kernel translate_good(const char *text, const struct ptx_target *target)
{
    struct ptx_kernel kernel;
    struct ptx_log log = {0};
    if (translate(text, target, &kernel, &log) != PTX_OK)
        fail_msg("%s", log.text);
    free(log.text);
    return kernel;
}

static bool has_argument(const struct ptx_kernel *kernel, enum ptx_argument_kind kind)
{
    for (size_t i = 0; i < kernel->argument_count; i++)
        if (kernel->arguments[i].kind == kind)
            return true;
    return false;
}

/* Also those that have no barrier of CUDA's. */
TEST_BODY(ptx_gather_begins_kernels)
{
    struct ptx_kernel kernel = translate_good(
        PTX_BODY("ld.param.u64 %rd1, [a];\nst.global.u32 [%rd1], %r1;\nret;"), &gathers);
    assert_int_equal(kernel.form, PTX_FORM_ITEM);
    assert_true(has_argument(&kernel, PTX_ARGUMENT_GATHERING));
    assert_true(has_argument(&kernel, PTX_ARGUMENT_RUNTIME));
    const char *begin = strstr(kernel.text, "clem_gather_begin(clem_gathering, clem_runtime);");
    assert_non_null(begin);
    const char *barrier = strstr(begin, "barrier("),
               *check = strstr(begin, "if (!clem_has_gathered(");
    assert_true(barrier && check && barrier < check);
    assert_non_null(strstr(check, "*(__global"));
    ptx_kernel_free(&kernel);
}

TEST_BODY(ptx_gather_gives_functions_the_workspace)
{
    struct ptx_kernel kernel = translate_good(
        PTX_HEAD ".func f() { .reg .u32 %r<4>; .reg .u64 %d; mov.u32 %r1, %envreg2;\n"
                 "mov.u32 %r2, %envreg1;\nmov.b64 %d, {%r1, %r2};\nst.global.u32 [%d+4], %r1; }\n"
                 ".visible .entry k() { call f; ret; }\n",
        &gathers);
    assert_non_null(strstr(kernel.text, "(uint)clem_gather_workspace(clem_gathering)"));
    assert_non_null(strstr(kernel.text, "(uint)(clem_gather_workspace(clem_gathering) >> 32)"));
    assert_non_null(strstr(kernel.text, "__global struct clem_gather *clem_gathering)\n{"));
    ptx_kernel_free(&kernel);
}

static void assert_no_text(const char *text, const struct ptx_target *target,
                           enum ptx_status wanted, const char *words)
{
    struct ptx_kernel kernel;
    struct ptx_log log = {0};
    assert_int_equal(translate(text, target, &kernel, &log), wanted);
    assert_non_null(log.text);
    assert_non_null(strstr(log.text, words));
    ptx_kernel_free(&kernel);
    free(log.text);
}

TEST_BODY(ptx_gather_is_of_items_with_addresses)
{
    struct ptx_target other = gathers;
    assert_no_text(
        PTX_BODY("shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;\nst.global.u32 [%rd1], %r1;\nret;"),
        &other, PTX_E_UNSUPPORTED, "cannot wait for each other");
    other.force_form = PTX_FORM_BLOCK;
    assert_no_text(PTX_BODY("ret;"), &other, PTX_E_UNSUPPORTED, "cannot wait for each other");
    other.force_form = -1;
    other.pointers = PTX_POINTERS_BUFFERS;
    assert_no_text(PTX_BODY("ret;"), &other, PTX_E_NEEDS_ADDRESS, "wait for each other");
}

/* Other launches have no workspace, on which grids' barriers trap. */
TEST_BODY(ptx_gather_is_of_no_other_launch)
{
    struct ptx_target plain = gathers;
    plain.gathers = false;
    struct ptx_kernel kernel = translate_good(
        PTX_BODY(
            "mov.u32 %r1, %envreg1;\nld.param.u64 %rd1, [a];\nst.global.u32 [%rd1], %r1;\nret;"),
        &plain);
    assert_null(strstr(kernel.text, "gather"));
    assert_non_null(strstr(kernel.text, "r1 = 0u;"));
    ptx_kernel_free(&kernel);
}
