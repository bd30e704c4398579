/* Tests of kernels/ptx/parse/merge.c: which of several statements of one name stays, and names that are
 * private to their texts.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/ptx.h"

#include <locale.h>
#include <string.h>

#include "tests/test.h"

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"

static char *merge(const char *a, const char *b, enum ptx_status expected)
{
    const char *texts[] = {a, b};
    const char *const names[] = {"a", "b"};
    struct ptx_log log = {NULL};
    char *merged = NULL;
    size_t bytes = 0;
    assert_int_equal(ptx_merge(texts, names, b != NULL ? 2 : 1, &merged, &bytes, &log), expected);
    if (expected == PTX_OK) {
        assert_null(log.text);
        assert_int_equal(strlen(merged), bytes);
        return merged;
    }
    assert_null(merged);
    assert_non_null(log.text);
    return log.text;
}

static size_t occurrences(const char *text, const char *word)
{
    size_t count = 0;
    for (const char *place = strstr(text, word); place != NULL; place = strstr(place + 1, word))
        count++;
    return count;
}

TEST_BODY(merge_takes_the_newest_version_and_the_first_target)
{
    char *merged =
        merge("// one\n.version 6.3\n.target sm_52, texmode_independent\n"
              ".address_size 64\n.global .u32 a;\n",
              ".version 8.4\n.target sm_90\n.address_size 64\n.global .u32 b;\n", PTX_OK);
    assert_non_null(strstr(merged, ".version 8.4\n.target sm_52, texmode_independent\n"));
    assert_int_equal(occurrences(merged, ".version"), 1);
    assert_int_equal(occurrences(merged, ".address_size"), 1);
    free(merged);
}

/* Its point is no decimal point: that may be a comma, and the numbers on both sides count. */
TEST_BODY(merge_reads_versions_in_any_locale)
{
    setlocale(LC_ALL, "de_DE.UTF-8"); /* where it exists */
    char *merged = merge(".version 8.10\n.target sm_75\n.address_size 64\n", HEAD, PTX_OK);
    assert_non_null(strstr(merged, ".version 8.10\n"));
    free(merged);
    merged = merge(".version 8.10\n.target sm_75\n.address_size 64\n",
                   ".version 8.7\n.target sm_75\n.address_size 64\n", PTX_OK);
    assert_non_null(strstr(merged, ".version 8.10\n"));
    free(merged);
}

TEST_BODY(merge_resolves_what_is_extern)
{
    char *merged =
        merge(HEAD ".extern .global .align 4 .b8 v[8];\n.extern .func f(.param .b32 x);\n"
                   ".visible .func g() { call f, (0); ret; }\n",
              HEAD ".visible .global .align 4 .b8 v[8] = {1, 2};\n"
                   ".visible .func f(.param .b32 x) { ret; }\n.extern .func g();\n",
              PTX_OK);
    assert_int_equal(occurrences(merged, ".extern"), 0);
    assert_int_equal(occurrences(merged, " v[8]"), 1);
    assert_non_null(strstr(merged, "v[8] = {1, 2};"));
    assert_non_null(strstr(merged, ".visible .func f(.param .b32 x);"));
    assert_true(strstr(merged, "call f") > strstr(merged, "v[8]"));
    free(merged);
}

TEST_BODY(merge_keeps_what_nobody_defines)
{
    static const char text[] = HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 a);\n"
                                    ".extern .shared .align 16 .b8 memory[];\n";
    char *merged = merge(text, text, PTX_OK);
    assert_int_equal(occurrences(merged, ".extern .func"), 1);
    assert_int_equal(occurrences(merged, ".extern .shared"), 1);
    free(merged);
}

TEST_BODY(merge_keeps_one_of_weak_definitions)
{
    char *merged = merge(HEAD ".weak .func f() { ret; }\n.weak .global .u32 v = 1;\n",
                         HEAD ".weak .func f() { trap; }\n.visible .global .u32 v = 2;\n", PTX_OK);
    assert_int_equal(occurrences(merged, "func f"), 1);
    assert_non_null(strstr(merged, "ret;"));
    assert_int_equal(occurrences(merged, " v = "), 1);
    assert_non_null(strstr(merged, "v = 2;"));
    free(merged);
}

TEST_BODY(merge_refuses_two_definitions)
{
    char *log =
        merge(HEAD ".visible .entry k() { ret; }\n", HEAD ".entry k() { ret; }\n", PTX_E_SYNTAX);
    assert_string_equal(log, "k is defined in a and in b");
    free(log);
    log = merge("no PTX", NULL, PTX_E_SYNTAX);
    free(log);
}

/* Only whole words are renamed, and not what strings and comments say. */
TEST_BODY(merge_keeps_private_names_apart)
{
    char *merged = merge(HEAD ".global .u32 s = 1;\n.func p();\n"
                              ".visible .entry a() { ld.global.u32 %r1, [s]; call p; ret; }\n"
                              ".func p() { ret; }\n",
                         HEAD ".global .u32 s = 2;\n.global .u32 s2 = 3;\n.func p() { trap; }\n"
                              ".visible .entry b() {\n // s p\n ld.global.u32 %r1, [s+4];\n"
                              " ld.global.u32 %s, [s2]; call p; ret; }\n",
                         PTX_OK);
    assert_non_null(strstr(merged, "s = 1;"));
    assert_non_null(strstr(merged, "s__1 = 2;"));
    assert_non_null(strstr(merged, "s2 = 3;"));
    assert_non_null(strstr(merged, "[s__1+4]"));
    assert_non_null(strstr(merged, "%s, [s2]; call p__1;"));
    assert_non_null(strstr(merged, "// s p\n"));
    assert_non_null(strstr(merged, "[s]; call p;"));
    assert_non_null(strstr(merged, ".func p();"));
    assert_non_null(strstr(merged, ".func p__1() { trap; }"));
    free(merged);
}

/* A private name gives way to a public one, whichever comes first. */
TEST_BODY(merge_gives_public_names_their_way)
{
    char *merged = merge(HEAD ".global .u32 x = 1;\n.visible .entry a() { mov.u64 %rd1, x; }\n",
                         HEAD ".visible .global .u32 x = 2;\n", PTX_OK);
    assert_non_null(strstr(merged, "x__0 = 1;"));
    assert_non_null(strstr(merged, "%rd1, x__0;"));
    assert_non_null(strstr(merged, ".visible .global .u32 x = 2;"));
    free(merged);
}

/* Numbers of files and labels of names are each text's own. */
TEST_BODY(merge_keeps_where_instructions_come_from)
{
    char *merged =
        merge(HEAD ".file 1 \"a.cu\", 12, 34\n.file 2 \"b.h\"\n.global .u32 v;\n"
                   ".section .debug_abbrev { .b8 1 }\n"
                   ".section .debug_str { info: .b8 1, 2 }\n.pragma \"x\";\n",
              HEAD ".visible .entry k() { .loc 1 2 3\n .loc 2 4 5, function_name info + 1, "
                   "inlined_at 1 2 3\n ret; }\n.file 1 \"/d\" \"c.cu\"\n.file 2 \"b.h\", 7, 8\n"
                   ".section .debug_str\n{\ninfo:\n.b8 3\n}\n",
              PTX_OK);
    assert_non_null(strstr(merged, ".loc 3 2 3\n .loc 4 4 5, function_name info__1 + 1, "
                                   "inlined_at 3 2 3\n ret;"));
    assert_non_null(strstr(merged, ".file 1 \"a.cu\", 12, 34\n.file 2 \"b.h\"\n"
                                   ".section .debug_str { info: .b8 1, 2 }\n"
                                   ".file 3 \"/d\" \"c.cu\"\n.file 4 \"b.h\", 7, 8\n"
                                   ".section .debug_str\n{\ninfo__1:\n.b8 3\n}\n"));
    assert_null(strstr(merged, "abbrev"));
    assert_non_null(strstr(merged, ".global .u32 v;"));
    char *again = merge(merged, NULL, PTX_OK);
    assert_string_equal(merged, again);
    free(merged);
    free(again);
}

/* A symbol may be named as what stands in debug information; what is no .file is dropped, alone. */
TEST_BODY(merge_takes_only_what_is_debug_information_for_it)
{
    char *merged =
        merge(HEAD ".file 2 \"a.cu\"\n.global .u32 function_name;\n.file x \"no\", 2\n",
              HEAD ".global .u32 function_name;\n.visible .entry k() {\n"
                   ".loc 1 2 3\nmov.u64 %rd1, function_name;\nadd.u64 %rd1, inlined_at, 1;\n}\n",
              PTX_OK);
    assert_non_null(strstr(merged, ".loc 3 2 3\nmov.u64 %rd1, function_name__1;\n"
                                   "add.u64 %rd1, inlined_at, 1;\n"));
    assert_int_equal(occurrences(merged, ".file"), 1);
    free(merged);
}

/* A cut text may lose meaning, but never more. */
TEST_BODY(merge_survives_every_cut)
{
    static const char text[] =
        "// c\n" HEAD ".file 1 \"a\", 1, 2\n.section .debug_str { a: .b8 1 }\n"
        ".extern .func (.param .b32 r) f(.param .b64 a);\n"
        ".global .b8 s[2] = {1, 2};\n/* c */ .visible .entry "
        "k(.param .u64 p) { { .loc 1 2 3, function_name a+4, inlined_at 1 2 3\n"
        "ld.u32 %r, [s]; } ret; }\n";
    const char *const names[] = {"a", "b"};
    for (size_t length = 0; length < sizeof text; length++) {
        char *cut = strndup(text, length), *merged = NULL;
        const char *texts[] = {cut, text};
        struct ptx_log log = {NULL};
        size_t bytes = 0;
        enum ptx_status status = ptx_merge(texts, names, 2, &merged, &bytes, &log);
        assert_true((status == PTX_OK) == (merged != NULL));
        free(merged);
        free(log.text);
        free(cut);
    }
}

/* The texts behind it would become part of it. */
TEST_BODY(merge_refuses_what_has_no_end)
{
    char *log = merge(HEAD ".global .u32 a;\n", HEAD ".global .u32 b;\n/* and so on", PTX_E_SYNTAX);
    assert_string_equal(log, "b, line 5: a comment without an end");
    free(log);
    log = merge(HEAD ".entry k() {\nret;\n", HEAD "}\n", PTX_E_SYNTAX);
    assert_string_equal(log, "a, line 4: a statement without an end");
    free(log);
}

/* What was merged is as it was, merged again: no blanks come in. */
TEST_BODY(merge_of_what_was_merged_changes_nothing)
{
    char *first = merge(".version 8.0\n.target sm_75\n\n\n.address_size 64\n.global .u32 v;\n",
                        HEAD ".global .u32 v;\n.visible .entry k() { ret; }", PTX_OK);
    char *second = merge(first, NULL, PTX_OK);
    assert_string_equal(first, second);
    assert_non_null(strstr(first, ".target sm_75\n.address_size"));
    free(first);
    free(second);
}

/* A name that a text has with and without .extern is one thing there. */
TEST_BODY(merge_keeps_names_that_one_text_links_in_two_ways)
{
    char *merged = merge(HEAD ".extern .func f();\n.func f();\n", HEAD ".global .u32 v;\n", PTX_OK);
    assert_non_null(strstr(merged, ".extern .func f();\n.func f();\n"));
    free(merged);
}
