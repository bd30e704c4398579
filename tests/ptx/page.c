/* The page of kernels/ptx/: what it shows of a kernel is what the translator writes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/ptx/read.h"

static const char sums[] =
    PTX_HEAD ".visible .entry sums(.param .u64 sums_param_0, .param .u64 sums_param_1)\n"
             "{\n"
             ".reg .pred %p<2>;\n.reg .b32 %r<7>;\n.reg .f32 %f<5>;\n.reg .b64 %rd<12>;\n"
             ".shared .align 4 .b8 _ZZ4sumsE4part[256];\n"
             "ld.param.u64 %rd3, [sums_param_0];\n"
             "cvta.to.global.u64 %rd6, %rd3;\n"
             "mov.u32 %r1, %tid.x;\n"
             "mov.u32 %r2, %ctaid.x;\n"
             "shl.b32 %r3, %r2, 6;\n"
             "add.s32 %r4, %r3, %r1;\n"
             "mul.wide.u32 %rd7, %r4, 4;\n"
             "add.s64 %rd8, %rd6, %rd7;\n"
             "ld.global.f32 %f1, [%rd8];\n"
             "mul.wide.s32 %rd9, %r1, 4;\n"
             "mov.u64 %rd10, _ZZ4sumsE4part;\n"
             "add.s64 %rd1, %rd10, %rd9;\n"
             "st.shared.f32 [%rd1], %f1;\n"
             "bar.sync 0;\n"
             "setp.gt.s32 %p1, %r1, 31;\n"
             "@%p1 bra $L__BB0_2;\n"
             "ld.param.u64 %rd4, [sums_param_1];\n"
             "cvta.to.global.u64 %rd5, %rd4;\n"
             "shl.b32 %r5, %r2, 5;\n"
             "sub.s32 %r6, %r4, %r5;\n"
             "mul.wide.u32 %rd11, %r6, 4;\n"
             "add.s64 %rd2, %rd5, %rd11;\n"
             "ld.shared.f32 %f2, [%rd1];\n"
             "ld.shared.f32 %f3, [%rd1+128];\n"
             "add.f32 %f4, %f2, %f3;\n"
             "st.global.f32 [%rd2], %f4;\n"
             "$L__BB0_2:\n"
             "ret;\n"
             "}\n";

/* With `if (blockIdx.x * 64 + t >= n) return;` before all else. */
static const char sums_of_n[] =
    PTX_HEAD ".visible .entry sums(.param .u64 sums_param_0, .param .u64 sums_param_1, .param .u32 "
             "sums_param_2)\n"
             "{\n"
             ".reg .pred %p<3>;\n.reg .b32 %r<8>;\n.reg .f32 %f<5>;\n.reg .b64 %rd<12>;\n"
             ".shared .align 4 .b8 _ZZ4sumsE4part[256];\n"
             "ld.param.u32 %r4, [sums_param_2];\n"
             "mov.u32 %r1, %tid.x;\n"
             "mov.u32 %r2, %ctaid.x;\n"
             "shl.b32 %r5, %r2, 6;\n"
             "add.s32 %r3, %r5, %r1;\n"
             "setp.ge.u32 %p1, %r3, %r4;\n"
             "@%p1 bra $L__BB0_3;\n"
             "ld.param.u64 %rd5, [sums_param_0];\n"
             "cvta.to.global.u64 %rd2, %rd5;\n"
             "mul.wide.u32 %rd7, %r3, 4;\n"
             "add.s64 %rd8, %rd2, %rd7;\n"
             "ld.global.f32 %f1, [%rd8];\n"
             "mul.wide.s32 %rd9, %r1, 4;\n"
             "mov.u64 %rd10, _ZZ4sumsE4part;\n"
             "add.s64 %rd3, %rd10, %rd9;\n"
             "st.shared.f32 [%rd3], %f1;\n"
             "bar.sync 0;\n"
             "setp.gt.s32 %p2, %r1, 31;\n"
             "@%p2 bra $L__BB0_3;\n"
             "ld.param.u64 %rd6, [sums_param_1];\n"
             "cvta.to.global.u64 %rd1, %rd6;\n"
             "shl.b32 %r6, %r2, 5;\n"
             "sub.s32 %r7, %r3, %r6;\n"
             "mul.wide.u32 %rd11, %r7, 4;\n"
             "add.s64 %rd4, %rd1, %rd11;\n"
             "ld.shared.f32 %f2, [%rd3];\n"
             "ld.shared.f32 %f3, [%rd3+128];\n"
             "add.f32 %f4, %f2, %f3;\n"
             "st.global.f32 [%rd4], %f4;\n"
             "$L__BB0_3:\n"
             "ret;\n"
             "}\n";

enum { LONGEST_LINE = 512 };

static char *read_page(void)
{
    FILE *file = fopen(PTX_PAGE, "r");
    char *text = calloc(1, 1 << 20);
    assert_non_null(file);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

/* The next line, with single blanks; false behind the last one. */
static bool take_line(const char **at, char line[LONGEST_LINE])
{
    size_t used = 0;
    if (!**at)
        return false;
    for (; **at && **at != '\n'; ++*at) {
        const bool is_blank = **at == ' ' || **at == '\t';
        if ((is_blank && (used == 0 || line[used - 1] == ' ')) || used + 1 == LONGEST_LINE)
            continue;
        line[used++] = is_blank ? ' ' : **at;
    }
    *at += **at == '\n';
    while (used > 0 && line[used - 1] == ' ')
        used--;
    line[used] = '\0';
    return true;
}

/* Whether a line is what the page shows, where "..." within it stands for anything. */
static bool is_shown(const char *line, const char *shown)
{
    const char *gap = strstr(shown, "...");
    return gap ? strncmp(line, shown, (size_t)(gap - shown)) == 0 : strcmp(line, shown) == 0;
}

/* That `text` has what the page shows under a heading: its indented lines, one after the other but for what a line of "..."
 * leaves out. */
static void assert_section(const char *heading, const char *text)
{
    char *page = read_page(), shown[LONGEST_LINE], line[LONGEST_LINE];
    const char *at = strstr(page, heading), *in_text = text;
    bool has_gap = true;
    size_t count = 0;
    if (!at)
        fail_msg("the page has no heading %s", heading);
    at += strlen(heading);
    while (strncmp(at, "##", 2) != 0) {
        const bool is_code = strncmp(at, "    ", 4) == 0;
        if (!take_line(&at, shown))
            break;
        if (!is_code || !shown[0])
            continue;
        if (strcmp(shown, "...") == 0) {
            has_gap = true;
            continue;
        }
        bool is_found = false;
        while (!is_found && take_line(&in_text, line)) {
            is_found = is_shown(line, shown);
            if (!is_found && !has_gap && line[0])
                fail_msg("%s: the page shows '%s' where '%s' is written", heading, shown, line);
        }
        if (!is_found)
            fail_msg("%s: nowhere is written '%s'", heading, shown);
        has_gap = false;
        count++;
    }
    assert_true(count > 5);
    free(page);
}

static void assert_translation(const char *heading, const char *text, bool is_cpu)
{
    const struct ptx_target target = {.is_cpu = is_cpu,
                                      .has_double = true,
                                      .has_int64_atomics = true,
                                      .has_exact_divide = true,
                                      .max_parameter_bytes = 1024,
                                      .max_private_bytes = 65536,
                                      .force_form = -1};
    struct ptx_module *module = read_ptx(text);
    struct ptx_kernel kernel = {0};
    struct ptx_log log = {0};
    assert_int_equal(ptx_translate(module, 0, &target, &kernel, &log), PTX_OK);
    assert_section(heading, kernel.text);
    ptx_kernel_free(&kernel);
    ptx_module_free(module);
    free(log.text);
}

TEST_BODY(page_shows_what_is_read)
{
    struct ptx_module *module = read_ptx(sums);
    char *printed = print_ptx(module);
    assert_section("### As PTX\n", sums);
    assert_section("### As it was understood\n", printed);
    free(printed);
    ptx_module_free(module);
}

TEST_BODY(page_shows_what_is_written)
{
    assert_translation("### Item form\n", sums, false);
    assert_translation("### Item form where threads may part before a barrier\n", sums_of_n, false);
    assert_translation("### Block form\n", sums, true);
    assert_translation("### Block form where threads may part\n", sums_of_n, true);
}
