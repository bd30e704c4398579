/* Tests of kernels/device/clem_symbols.h as a text: what its macros make of every choice of kinds.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/test.h"

/* What clang makes of a text that declares variables and includes the header; output goes to
 * answer. Returns clang's exit status. */
static int compile(const char *text, const char *mode, char *answer, size_t bytes)
{
    char path[] = "/tmp/clem-symbols-XXXXXX";
    const int file = mkstemp(path);
    int ends[2], status;
    size_t length = 0;
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        execlp("clang", "clang", "-x", "cl", "-cl-std=CL1.2", "-Xclang", "-finclude-default-header",
               mode, "-Wall", "-Wextra", "-Werror", "-I", DEVICE_HEADERS, path, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    for (ssize_t got = 1; got > 0; length += got > 0 ? (size_t)got : 0)
        got = length + 1 < bytes ? read(ends[0], answer + length, bytes - 1 - length) : 0;
    answer[length] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    unlink(path);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 127)
        TEST_SKIP("clang is not installed");
    return WEXITSTATUS(status);
}

static const char *const rows[] = {"CONSTANT(float4, table, [16]) CONSTANT(char, odd, [3])",
                                   "DEVICE(int, counter, ) DEVICE(long, sums, [2][3])",
                                   "MANAGED(int, progress, )"};
static const char *const uses[] = {"CLEM_CONSTANT(table)[15].w + (float)CLEM_CONSTANT(odd)[2]",
                                   "(float)(CLEM_DEVICE(counter)++ + CLEM_DEVICE(sums)[1][2])",
                                   "(float)(CLEM_MANAGED(progress) += 2)"};

/* A program with the kinds whose bits are set. */
static void write_program(char *text, size_t bytes, unsigned kinds)
{
    int length = snprintf(text, bytes, "#define CLEM_SYMBOLS(CONSTANT, DEVICE, MANAGED)");
    for (unsigned i = 0; i < 3; i++)
        if (kinds & 1u << i)
            length += snprintf(text + length, bytes - (size_t)length, " %s", rows[i]);
    length += snprintf(text + length, bytes - (size_t)length,
                       "\n#include \"clem_symbols.h\"\n"
                       "float use(CLEM_SYMBOLS_PARAMETERS);\n"
                       "float use(CLEM_SYMBOLS_PARAMETERS) { return 0.0f");
    for (unsigned i = 0; i < 3; i++)
        if (kinds & 1u << i)
            length += snprintf(text + length, bytes - (size_t)length, " + %s", uses[i]);
    snprintf(text + length, bytes - (size_t)length,
             "; }\n__kernel void run(__global float *out, CLEM_SYMBOLS_PARAMETERS)\n"
             "{ out[0] = use(CLEM_SYMBOLS_ARGUMENTS); }\n");
}

/* A constants' list alone, a variables' list alone, and all mixtures. */
TEST_BODY(symbol_header_compiles_for_every_choice_of_kinds)
{
    for (unsigned kinds = 1; kinds < 8; kinds++) {
        char text[2048], answer[4096];
        write_program(text, sizeof text, kinds);
        if (compile(text, "-fsyntax-only", answer, sizeof answer) != 0)
            fail_msg("kinds %u: %s", kinds, answer);
        assert_string_equal(answer, "");
    }
}

/* Other programs may include it too. */
TEST_BODY(symbol_header_is_empty_without_a_list)
{
    char answer[4096];
    const int status = compile("#include \"clem_symbols.h\"\n"
                               "#include \"clem_symbols.h\"\n"
                               "#ifdef CLEM_DEVICE\n#error defined\n#endif\n"
                               "__kernel void run(__global int *p) { p[0] = 1; }\n",
                               "-fsyntax-only", answer, sizeof answer);
    assert_string_equal(answer, "");
    assert_int_equal(status, 0);
}

TEST_BODY(symbol_header_takes_values_of_every_kind)
{
    char answer[4096];
    const int status =
        compile("typedef struct { int a; float b; } pair;\n"
                "__constant pair first_pair = {3, 4.5f};\n"
                "__constant int first_table[2][2] = {{1, 2}, {3, 4}};\n"
                "__constant int first_progress = 5;\n"
                "#define CLEM_SYMBOLS(CONSTANT, DEVICE, MANAGED) \\\n"
                "    CONSTANT(pair, one, ) DEVICE(int, table, [2][2]) MANAGED(int, progress, )\n"
                "#define CLEM_SYMBOL_VALUES(CONSTANT, DEVICE, MANAGED) \\\n"
                "    CONSTANT(one, first_pair) DEVICE(table, first_table) \\\n"
                "    MANAGED(progress, first_progress)\n"
                "#include \"clem_symbols.h\"\n",
                "-fsyntax-only", answer, sizeof answer);
    assert_string_equal(answer, "");
    assert_int_equal(status, 0);
}

TEST_BODY(symbol_header_says_what_is_too_large)
{
    char answer[4096];
    const int status = compile("#define CLEM_SYMBOLS(CONSTANT, DEVICE, MANAGED) \\\n"
                               "    CONSTANT(int, table, [16384]) CONSTANT(char, one_more, )\n"
                               "#include \"clem_symbols.h\"\n",
                               "-fsyntax-only", answer, sizeof answer);
    assert_int_not_equal(status, 0);
    assert_non_null(strstr(answer, "clem_constants_are_more_than_64_KiB"));
}

TEST_BODY(symbol_header_refuses_unknown_names)
{
    char answer[4096];
    const int status =
        compile("#define CLEM_SYMBOLS(CONSTANT, DEVICE, MANAGED) DEVICE(int, counter, )\n"
                "#include \"clem_symbols.h\"\n"
                "__kernel void run(CLEM_SYMBOLS_PARAMETERS) { CLEM_DEVICE(count) = 1; }\n",
                "-fsyntax-only", answer, sizeof answer);
    assert_int_not_equal(status, 0);
    assert_non_null(strstr(answer, "count"));
}
