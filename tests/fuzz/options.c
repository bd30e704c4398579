/* libFuzzer's way into the options of NVRTC: words with zero bytes between them.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facade/compile/program.h"

enum { MOST_WORDS = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *words[MOST_WORDS], *bad = NULL;
    struct nvrtc_options options;
    char *copy = calloc(size + 1, 1);
    int count = 0;
    if (copy == NULL)
        return 0;
    if (size > 0)
        memcpy(copy, data, size);
    for (size_t at = 0; at < size && count < MOST_WORDS; at += strlen(copy + at) + 1)
        words[count++] = copy + at;
    memset(&options, 0, sizeof options);
    if (nvrtc_read_options(&options, count, words, &bad) == NVRTC_ERROR_INVALID_OPTION &&
        bad == NULL)
        abort(); /* refused without saying which */
    clang_arguments_free(&options.arguments);
    free(copy);
    return 0;
}
