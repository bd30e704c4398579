/* libFuzzer's way into the merging of PTX texts: two, with a zero byte between them.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "kernels/ptx/ptx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"a", "b"};
    char *copy = calloc(size + 2, 1), *merged = NULL;
    struct ptx_log log = {NULL};
    size_t bytes = 0;
    if (copy == NULL)
        return 0;
    if (size > 0)
        memcpy(copy, data, size);
    const char *texts[] = {copy, copy + strlen(copy) + 1};
    ptx_merge(texts, names, 2, &merged, &bytes, &log);
    free(merged);
    free(log.text);
    free(copy);
    return 0;
}
