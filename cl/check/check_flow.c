/* What becomes of bits that nobody wrote: what no rule is for makes a result of none that was.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check/check_flow.h"

#include "cl/check/check_launch.h"

static uint64_t low_bits(uint64_t count)
{
    return count < 64 ? (1ull << count) - 1 : ~0ull;
}

uint64_t ocl_flow_bytes(uint64_t bytes)
{
    return low_bits(8 * bytes);
}

static uint64_t up(uint64_t bits, uint64_t by)
{
    return by < 64 ? bits << by : 0;
}

static uint64_t down(uint64_t bits, uint64_t by)
{
    return by < 64 ? bits >> by : 0;
}

/* The lowest `width`, and above them what the topmost of those is. */
static uint64_t with_sign(uint64_t bits, uint64_t width)
{
    const uint64_t low = bits & low_bits(width);
    return width > 0 && width < 64 && low >> (width - 1) & 1 ? low | ~low_bits(width) : low;
}

static uint64_t extend(uint64_t bits, uint64_t value)
{
    const uint64_t width = 8 * (value & 0xff);
    return value & 256 ? with_sign(bits, width) : bits & low_bits(width);
}

static uint64_t extract(uint64_t bits, uint64_t value, uint64_t width)
{
    const uint64_t from = value & 0xff, asked = value >> 8 & 0xff;
    const uint64_t room = from < width ? width - from : 0;
    const uint64_t taken = down(bits, from) & low_bits(asked < room ? asked : room);
    return value >> 16 ? with_sign(taken, asked < room ? asked : room) : taken;
}

static uint64_t insert(uint64_t field, uint64_t into, uint64_t value)
{
    const uint64_t to = value & 0xff, count = value >> 8 & 0xff;
    return (into & ~up(low_bits(count), to)) | up(field & low_bits(count), to);
}

static uint64_t permute(uint64_t first, uint64_t second, uint64_t selector)
{
    const uint64_t both = (first & 0xffffffff) | second << 32;
    uint64_t bits = 0;
    for (unsigned i = 0; i < 4; i++) {
        const uint64_t which = selector >> (4 * i) & 0xf;
        const uint64_t byte = both >> (8 * (which & 7)) & 0xff;
        bits |= (which & 8 ? (byte >> 7) * 0xff : byte) << (8 * i);
    }
    return bits;
}

static uint64_t pack(const uint64_t sources[4], uint64_t each)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < 4; i++)
        bits |= up(sources[i] & ocl_flow_bytes(each), 8 * each * i);
    return bits;
}

static uint64_t any_of(const uint64_t sources[4])
{
    return sources[0] | sources[1] | sources[2] | sources[3];
}

uint64_t ocl_flow(unsigned how, uint64_t value, uint32_t bytes, const uint64_t sources[4])
{
    const uint64_t all = ocl_flow_bytes(bytes), any = any_of(sources), width = 8ull * bytes;
    switch (how) {
    case CLEM_CHECK_MOVE:
    case CLEM_CHECK_BITS:
        return any & all;
    case CLEM_CHECK_JOIN:
        return any & ~value & all;
    case CLEM_CHECK_MASK:
        return any & value & all;
    case CLEM_CHECK_LEFT:
        return up(any, value) & all;
    case CLEM_CHECK_RIGHT:
        return down(any, value) & all;
    case CLEM_CHECK_SIGNED:
        return down(with_sign(any, width), value < width ? value : width - 1) & all;
    case CLEM_CHECK_PACK:
        return pack(sources, value) & all;
    case CLEM_CHECK_EXTEND:
        return extend(any, value) & all;
    case CLEM_CHECK_EXTRACT:
        return extract(any, value, width) & all;
    case CLEM_CHECK_INSERT:
        return insert(sources[0], sources[1], value) & all;
    case CLEM_CHECK_PERMUTE:
        return permute(sources[0], sources[1], value) & all;
    case CLEM_CHECK_FUNNEL:
        return down((sources[0] & 0xffffffff) | sources[1] << 32, value) & all;
    case CLEM_CHECK_CHOOSE:
        return sources[1] ? all : sources[0] & all;
    case CLEM_CHECK_BOTH:
        return sources[0] & sources[1] & all;
    default:
        return any ? all : 0;
    }
}

bool ocl_flow_computes(unsigned how, uint64_t value, uint32_t bytes, const uint64_t sources[4])
{
    switch (how) {
    case CLEM_CHECK_MOVE:
    case CLEM_CHECK_PACK:
    case CLEM_CHECK_EXTEND:
    case CLEM_CHECK_PERMUTE:
        return false;
    case CLEM_CHECK_LEFT:
    case CLEM_CHECK_RIGHT:
    case CLEM_CHECK_FUNNEL:
    case CLEM_CHECK_EXTRACT:
        return value % 8 != 0;
    case CLEM_CHECK_MASK: /* as where a field is cleared before another value is put there */
        return __builtin_popcountll(value & ocl_flow_bytes(bytes)) <= (int)(4 * bytes);
    case CLEM_CHECK_JOIN:
        return (sources[0] & sources[1]) != 0;
    case CLEM_CHECK_INSERT:
        return sources[0] != 0;
    case CLEM_CHECK_CHOOSE:
        return sources[1] != 0;
    default:
        return true;
    }
}
