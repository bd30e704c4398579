/* Tests of the device header in users' texts.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cl/program/program_include.h"
#include "kernels/kernels.h"
#include "tests/test.h"

/* What a text becomes, with "@" in place of the header. */
static char *expand(const char *text, bool *has_header)
{
    size_t bytes = strlen(text);
    char *made = ocl_program_include(text, &bytes, has_header);

    assert_non_null(made);
    assert_int_equal(strlen(made), bytes);
    for (char *at; (at = strstr(made, kernel_device_header.text)) != NULL;) {
        *at = '@';
        memmove(at + 1, at + kernel_device_header.bytes,
                strlen(at + kernel_device_header.bytes) + 1);
    }
    return made;
}

static void expect(const char *text, const char *expected)
{
    bool has_header;
    char *made = expand(text, &has_header);

    assert_string_equal(made, expected);
    assert_int_equal(has_header, strchr(expected, '@') != NULL);
    free(made);
}

TEST_BODY(program_include_puts_the_header_in_place)
{
    expect("#include \"clem_device.h\"\nint x;\n", "@\n#line 2 \"program.cl\"\nint x;\n");
    expect("a\n\t# include  <clem_texture.h> // why\nb", "a\n@\n#line 3 \"program.cl\"\nb");
    expect("#include \"clem_surface.h\"", "@\n#line 2 \"program.cl\"\n");
    expect("/* a */ // /* b\n#include \"clem_device.h\"\r\n",
           "/* a */ // /* b\n@\n#line 3 \"program.cl\"\n");
    expect("char c[] = \"/*\";\n#include <clem_symbols.h>\n",
           "char c[] = \"/*\";\n@\n#line 3 \"program.cl\"\n");
    expect("#include \"clem_device.h\"\n#include \"clem_texture.h\"\n",
           "@\n#line 2 \"program.cl\"\n@\n#line 3 \"program.cl\"\n");
}

TEST_BODY(program_include_leaves_other_texts_alone)
{
    static const char *const texts[] = {"",
                                        "\n\n",
                                        "int clem_x;",
                                        "#include \"clem_other.h\"\n",
                                        "#include \"clem_device.h\n",
                                        "#include \"clem_device.h>\n",
                                        "#include clem_device.h\n",
                                        "#includes \"clem_device.h\"\n",
                                        "#include \"my/clem_device.h\"\n",
                                        "// #include \"clem_device.h\"\n",
                                        "x #include \"clem_device.h\"\n",
                                        "/*\n#include \"clem_device.h\"\n*/ clem_\n",
                                        "/* '\n#include <clem_device.h>\n' */\n"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect(texts[i], texts[i]);
}
