/* libFuzzer's way into clem-run's reader of executables.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

#include "facade/tools/program_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct program_facts facts;
    program_file_read(data, size, &facts);
    return 0;
}
