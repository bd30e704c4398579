/* libFuzzer's way into what unpacks: the first byte says the format, and the second how much room there is. What one room takes
 * a larger one takes as well, and both become the same.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "facade/memory/packed_format.h"

typedef size_t unpack_function(const unsigned char *from, size_t bytes, unsigned char *to,
                               size_t room);

static unsigned char *make_room(size_t room)
{
    unsigned char *to = malloc(room);
    if (to == NULL)
        abort();
    return to;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unpack_function *const functions[] = {facade_unpack_lz4, facade_unpack_snappy,
                                                 facade_unpack_deflate};
    if (size < 3)
        return 0;
    unpack_function *unpack = functions[data[0] % 3];
    const size_t room = (size_t)1 + 37 * data[1], more = 2 * room;
    unsigned char *small = make_room(room), *large = make_room(more);
    const size_t bytes = unpack(data + 2, size - 2, small, room);
    const size_t again = unpack(data + 2, size - 2, large, more);
    if (bytes > room || again > more || (bytes > 0 && again != bytes) ||
        (again > 0 && again <= room && bytes != again) ||
        (bytes > 0 && memcmp(small, large, bytes) != 0))
        abort();
    free(small);
    free(large);
    return 0;
}
