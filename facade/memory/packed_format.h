/* What packed bytes become, in the formats that devices of CUDA unpack.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_PACKED_FORMAT_H
#define FACADE_PACKED_FORMAT_H

#include <stddef.h>

/* Each unpacks bytes of from into to, which has room bytes, and returns how many those became; 0 where from is not in the
 * format, or room does not suffice. Reads and writes nothing else, whatever from holds. Needs: bytes and room are at most
 * INT_MAX. */

/* One raw block. Source: LZ4 Block Format Description. */
size_t facade_unpack_lz4(const unsigned char *from, size_t bytes, unsigned char *to, size_t room);

/* The raw format, without frames. Source: Snappy compressed format description. */
size_t facade_unpack_snappy(const unsigned char *from, size_t bytes, unsigned char *to,
                            size_t room);

/* A raw stream, without the headers of zlib and gzip. What follows its last block is not read. Source: RFC 1951. */
size_t facade_unpack_deflate(const unsigned char *from, size_t bytes, unsigned char *to,
                             size_t room);

#endif
