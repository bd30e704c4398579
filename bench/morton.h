/* Morton order: places on a curve through a plane or a volume.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Bit k of x is bit 2k of the code, bit k of y bit 2k + 1; in three dimensions bits 3k, 3k + 1 and
 * 3k + 2. Codes have no gaps where the sides are powers of two and each is as long as the next one or
 * twice as long, x being the longest. */
#ifndef CLEM_BENCH_MORTON_H
#define CLEM_BENCH_MORTON_H

#include <stdint.h>

/* The low 16 bits of a number, one bit free behind each. */
static inline uint32_t morton_spread2(uint32_t bits)
{
    bits &= 0xffffu;
    bits = (bits | bits << 8) & 0x00ff00ffu;
    bits = (bits | bits << 4) & 0x0f0f0f0fu;
    bits = (bits | bits << 2) & 0x33333333u;
    return (bits | bits << 1) & 0x55555555u;
}

/* The low 10 bits of a number, two bits free behind each. */
static inline uint32_t morton_spread3(uint32_t bits)
{
    bits &= 0x3ffu;
    bits = (bits | bits << 16) & 0x030000ffu;
    bits = (bits | bits << 8) & 0x0300f00fu;
    bits = (bits | bits << 4) & 0x030c30c3u;
    return (bits | bits << 2) & 0x09249249u;
}

static inline uint32_t morton_gather2(uint32_t code)
{
    code &= 0x55555555u;
    code = (code | code >> 1) & 0x33333333u;
    code = (code | code >> 2) & 0x0f0f0f0fu;
    code = (code | code >> 4) & 0x00ff00ffu;
    return (code | code >> 8) & 0xffffu;
}

static inline uint32_t morton_gather3(uint32_t code)
{
    code &= 0x09249249u;
    code = (code | code >> 2) & 0x030c30c3u;
    code = (code | code >> 4) & 0x0300f00fu;
    code = (code | code >> 8) & 0x030000ffu;
    return (code | code >> 16) & 0x3ffu;
}

static inline uint32_t morton_encode2(uint32_t x, uint32_t y)
{
    return morton_spread2(x) | morton_spread2(y) << 1;
}

static inline uint32_t morton_encode3(uint32_t x, uint32_t y, uint32_t z)
{
    return morton_spread3(x) | morton_spread3(y) << 1 | morton_spread3(z) << 2;
}

static inline void morton_decode2(uint32_t code, uint32_t at[2])
{
    at[0] = morton_gather2(code);
    at[1] = morton_gather2(code >> 1);
}

static inline void morton_decode3(uint32_t code, uint32_t at[3])
{
    at[0] = morton_gather3(code);
    at[1] = morton_gather3(code >> 1);
    at[2] = morton_gather3(code >> 2);
}

#endif
