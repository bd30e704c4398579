/* PTX and the same in OpenCL C, written side by side by tests that compare the two.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FACADE_TEXT_PAIR_H
#define TESTS_FACADE_TEXT_PAIR_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/test.h"

enum { TEXT_BYTES = 1 << 16 };

struct texts {
    char ptx[TEXT_BYTES], c[TEXT_BYTES];
    size_t ptx_used, c_used;
};

__attribute__((format(printf, 3, 4))) static inline void add(char *text, size_t *used,
                                                             const char *format, ...)
{
    va_list list;
    va_start(list, format);
    *used += (size_t)vsnprintf(text + *used, TEXT_BYTES - *used, format, list);
    va_end(list);
    assert_true(*used < TEXT_BYTES);
}

static inline struct texts *begin_texts(void)
{
    struct texts *texts = calloc(1, sizeof *texts);
    assert_non_null(texts);
    add(texts->ptx, &texts->ptx_used, ".version 7.5\n.target sm_75\n.address_size 64\n");
    add(texts->c, &texts->c_used, "#pragma OPENCL FP_CONTRACT OFF\n#include \"clem_device.h\"\n");
    return texts;
}

#endif
