/* What the text of all matrix instructions is written with.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/parse/matrix.h"

#include <stdarg.h>
#include <string.h>

bool ptx_matrix_has(const struct matrix *m, const char *word)
{
    for (int i = 0; i < m->word_count; i++)
        if (strcmp(m->words[i], word) == 0)
            return true;
    return false;
}

void ptx_matrix_put(FILE *out, const char *format, ...)
{
    char whole[1024];
    size_t length = 0;
    for (const char *at = format; *at; at++) {
        const char *piece = *at == '$' ? "clem_mma_" : (const char[]){*at, '\0'};
        const size_t bytes = strlen(piece);
        if (length + bytes >= sizeof whole)
            break;
        memcpy(whole + length, piece, bytes);
        length += bytes;
    }
    whole[length] = '\0';
    va_list list;
    va_start(list, format);
    vfprintf(out, whole, list);
    va_end(list);
}

void ptx_matrix_put_registers(FILE *out)
{
    ptx_matrix_put(
        out,
        "{ .reg .pred $p; .reg .b32 $l, $h, $g, $t, $n, $s, $k, $w<8>, $i<8>, $q<4>; "
        ".reg .b16 $u, $v; .reg .f32 $x<24>, $f<8>; .reg .f64 $y<6>, $d<8>; .reg .b64 $a, $b, $o; "
        "mov.u32 $l, %%laneid; shr.u32 $g, $l, 2; and.b32 $t, $l, 3; ");
}

int ptx_matrix_elements_of(const struct matrix_type *type)
{
    return type->bits > 32 ? 1 : 32 / type->bits;
}

int ptx_matrix_step_of(const struct matrix_type *type)
{
    return 4 * ptx_matrix_elements_of(type);
}
