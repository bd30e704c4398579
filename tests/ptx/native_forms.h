/* Operations in every form, from native_forms.def.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_PTX_NATIVE_FORMS_H
#define TESTS_PTX_NATIVE_FORMS_H

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct native_form {
    const char *pattern, *classes;
} native_forms[] = {
#define FORMS(pattern, classes) {pattern, classes},
#include "tests/ptx/native_forms.def"
#undef FORMS
};

/* Registers that forms use beside the classes' own. */
#define NATIVE_FORM_REGISTERS                                                                      \
    ".reg .b32 %n<2>; .reg .b16 %m<4>; .reg .b8 %o<4>; .reg .b64 %l<1>; .reg .b128 %w<1>;"

enum { NATIVE_FORM_BYTES = 512 };

/* The first brace that holds alternatives: those of vectors are followed by registers, or by _. */
static inline const char *native_alternatives(const char *text)
{
    for (const char *at = strchr(text, '{'); at; at = strchr(at + 1, '{')) {
        const char *end = strchr(at, '}');
        const size_t blank = strcspn(at, " ");
        if (end && blank > (size_t)(end - at))
            return at;
    }
    return NULL;
}

/* Shows each text that a pattern stands for. */
static inline void native_expand(const char *pattern, void (*show)(const char *text, void *with),
                                 void *with)
{
    const char *open = native_alternatives(pattern);
    if (!open) {
        show(pattern, with);
        return;
    }
    const char *close = strchr(open, '}');
    for (const char *at = open; at < close;) {
        char text[NATIVE_FORM_BYTES];
        const size_t length = strcspn(at + 1, ",}");
        snprintf(text, sizeof text, "%.*s%.*s%s", (int)(open - pattern), pattern, (int)length,
                 at + 1, close + 1);
        native_expand(text, show, with);
        at += length + 1;
    }
}

#endif
