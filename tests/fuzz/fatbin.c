/* libFuzzer's way into the reader of fat binaries. The text of an entry is the same from an entry that is not packed.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "facade/code/fatbin.h"

static void compare_with_plain(const char *text, size_t bytes)
{
    struct facade_fatbin_entry plain = {
        .kind = FACADE_FATBIN_PTX, .payload = (const unsigned char *)text, .payload_bytes = bytes};
    size_t again_bytes = 0;
    char *again = facade_fatbin_text(&plain, &again_bytes);
    if (again == NULL || again_bytes != bytes || strcmp(again, text) != 0)
        abort();
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct facade_fatbin_contents contents;
    size_t bytes = 0;
    if (!facade_fatbin_read(data, size, FACADE_FATBIN_REPORTED, &contents) ||
        contents.ptx_count == 0 ||
        contents.best.plain_bytes > 1 << 20) /* more takes time and shows no more */
        return 0;
    char *text = facade_fatbin_text(&contents.best, &bytes);
    if (text != NULL)
        compare_with_plain(text, bytes);
    free(text);
    return 0;
}
