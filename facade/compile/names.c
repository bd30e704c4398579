/* Name expressions: clang is given a variable for each, whose first value in the PTX is the name
 * that the expression was lowered to. Asking so also makes clang instantiate templates.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facade/compile/program.h"

#define PREFIX "clem_lowered_name_"

bool nvrtc_write_expressions(const struct _nvrtcProgram *program, FILE *out)
{
    for (size_t i = 0; i < program->expression_count; i++) {
        fprintf(out,
                "\n#line 1 \"name expression\"\n"
                "extern \"C\" __attribute__((device, used)) auto " PREFIX "%zu = %s;\n",
                i, program->expressions[i].text);
    }
    return ferror(out) == 0;
}

/* "= name;" or "= generic(name);" */
static char *name_in(const char *line, size_t length)
{
    static const char generic[] = "generic(";
    const char *equals = memchr(line, '=', length);
    if (equals == NULL)
        return NULL;
    const char *name = equals + 1 + strspn(equals + 1, " ");
    if (strncmp(name, generic, sizeof generic - 1) == 0)
        name += sizeof generic - 1;
    return strndup(name, strcspn(name, ");+\n"));
}

/* Which expression a line of PTX answers; count: none. */
static size_t answered(const struct _nvrtcProgram *program, const char *line, size_t length)
{
    const char *place = memmem(line, length, PREFIX, sizeof PREFIX - 1);
    const bool is_variable = memmem(line, length, ".global", 7) != NULL;
    char *end = NULL;
    if (place == NULL || !is_variable)
        return program->expression_count;
    unsigned long index = strtoul(place + sizeof PREFIX - 1, &end, 10);
    return index < program->expression_count ? index : program->expression_count;
}

nvrtcResult nvrtc_read_names(struct _nvrtcProgram *program)
{
    char *to = program->ptx;
    for (const char *line = program->ptx; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        length += line[length] == '\n';
        size_t index = answered(program, line, length);
        if (index == program->expression_count) {
            memmove(to, line, length);
            to += length;
        } else {
            free(program->expressions[index].lowered);
            program->expressions[index].lowered = name_in(line, length);
            if (program->expressions[index].lowered == NULL)
                return NVRTC_ERROR_OUT_OF_MEMORY;
        }
        line += length;
    }
    *to = '\0';
    return NVRTC_SUCCESS;
}
