/* libFuzzer's way into the reader of fat binaries.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "facade/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct facade_fatbin_contents contents;
    size_t bytes = 0;
    if (facade_fatbin_read(data, size, &contents) && contents.ptx_count > 0)
        free(facade_fatbin_text(&contents.best, &bytes));
    return 0;
}
