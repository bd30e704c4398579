/* What random modules are written with: chance, and a stream of text.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_DIFFERENTIAL_WRITING_H
#define TESTS_DIFFERENTIAL_WRITING_H

#include <stdarg.h>
#include <stdio.h>

#include "tests/differential/differential.h"

struct writing {
    struct generator generator;
    FILE *out;
};

/* A number below count. */
static inline uint32_t pick(struct writing *w, size_t count)
{
    return (uint32_t)(generator_next(&w->generator) % count);
}

__attribute__((format(printf, 2, 3))) static inline void say(struct writing *w, const char *format,
                                                             ...)
{
    va_list list;
    va_start(list, format);
    vfprintf(w->out, format, list);
    va_end(list);
}

#endif
