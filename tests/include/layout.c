/* Compares what the headers declare with the layouts and values of the interface, row by row. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cuda.h"
#include "cuda_runtime.h"
#include "library_types.h"

#if defined(__cplusplus)
#define ALIGNMENT(type) alignof(type)
#else
#define ALIGNMENT(type) _Alignof(type)
#endif

struct row {
    const char *what;
    long long expected;
    long long found;
};

static const struct row rows[] = {
#define TYPE(type, size, alignment)                                                                \
    {"sizeof(" #type ")", size, (long long)sizeof(type)},                                          \
        {"alignment of " #type, alignment, (long long)ALIGNMENT(type)},
#define MEMBER(type, member, offset, size)                                                         \
    {"offset of " #type " ." #member, offset, (long long)offsetof(type, member)},                  \
        {"size of " #type " ." #member, size, (long long)sizeof(((type *)0)->member)},
#include "layout.def"
#define VALUE(name, value)  {#name, value, (long long)(name)},
#define HANDLE(name, value) {#name, value, (long long)(intptr_t)(name)},
#define ALIAS(name, target) {#name, (long long)(target), (long long)(name)},
#include "values.def"
};

int main(void)
{
    const size_t count = sizeof rows / sizeof rows[0];
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].found != rows[i].expected) {
            printf("%s is %lld, not %lld\n", rows[i].what, rows[i].found, rows[i].expected);
            wrong++;
        }
    }
    printf("%zu of %zu facts differ\n", wrong, count);
    return wrong == 0 ? 0 : 1;
}
