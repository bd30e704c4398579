/* Integer instructions that C has no operator for. C of both kinds, so that the host can test it.
 * Division by zero and the quotients that do not fit answer as NVIDIA's hardware does, and never
 * trap.
 * SPDX-License-Identifier: Apache-2.0 */

uint clem_div_u32(uint a, uint b)
{
    return b == 0u ? ~0u : a / (b | (uint)(b == 0u));
}

uint clem_rem_u32(uint a, uint b)
{
    return b == 0u ? ~0u : a % (b | (uint)(b == 0u));
}

/* The divisor -1 is treated apart: INT_MIN / -1 traps on CPUs. */
int clem_div_s32(int a, int b)
{
    int divisor = b == 0 || b == -1 ? 1 : b;
    return b == 0 ? -1 : b == -1 ? (int)(0u - (uint)a) : a / divisor;
}

int clem_rem_s32(int a, int b)
{
    int divisor = b == 0 || b == -1 ? 1 : b;
    return b == 0 ? -1 : a % divisor;
}

ulong clem_div_u64(ulong a, ulong b)
{
    return b == 0ul ? ~0ul : a / (b | (ulong)(b == 0ul));
}

ulong clem_rem_u64(ulong a, ulong b)
{
    return b == 0ul ? ~0ul : a % (b | (ulong)(b == 0ul));
}

long clem_div_s64(long a, long b)
{
    long divisor = b == 0 || b == -1 ? 1 : b;
    return b == 0 ? -1l : b == -1 ? (long)(0ul - (ulong)a) : a / divisor;
}

long clem_rem_s64(long a, long b)
{
    long divisor = b == 0 || b == -1 ? 1 : b;
    return b == 0 ? -1l : a % divisor;
}

/* Shifts by 32 (64) and more leave nothing, or the sign. */
uint clem_shl_b32(uint a, uint n)
{
    return n > 31u ? 0u : a << (n & 31u);
}

uint clem_shr_u32(uint a, uint n)
{
    return n > 31u ? 0u : a >> (n & 31u);
}

int clem_shr_s32(int a, uint n)
{
    return a >> (n > 31u ? 31u : n);
}

ulong clem_shl_b64(ulong a, uint n)
{
    return n > 63u ? 0ul : a << (n & 63u);
}

ulong clem_shr_u64(ulong a, uint n)
{
    return n > 63u ? 0ul : a >> (n & 63u);
}

long clem_shr_s64(long a, uint n)
{
    return a >> (n > 63u ? 63u : n);
}

/* n <= 32: the upper word of high:low shifted left, the lower one shifted right. */
uint clem_shf_l(uint low, uint high, uint n)
{
    return (uint)((((ulong)high << 32 | low) << n) >> 32);
}

uint clem_shf_r(uint low, uint high, uint n)
{
    return (uint)(((ulong)high << 32 | low) >> n);
}

uint clem_low_ones_u32(uint count)
{
    return count > 31u ? ~0u : (1u << (count & 31u)) - 1u;
}

ulong clem_low_ones_u64(uint count)
{
    return count > 63u ? ~0ul : (1ul << (count & 63u)) - 1ul;
}

uint clem_bfe_u32(uint a, uint position, uint count)
{
    return clem_shr_u32(a, position & 255u) & clem_low_ones_u32(count & 255u);
}

ulong clem_bfe_u64(ulong a, uint position, uint count)
{
    return clem_shr_u64(a, position & 255u) & clem_low_ones_u64(count & 255u);
}

/* The highest bit taken fills the rest; beyond the word that is the word's sign. */
int clem_bfe_s32(int a, uint position, uint count)
{
    int field = clem_shr_s32(a, position & 255u);
    uint bits = count & 255u;
    uint spare = bits > 31u ? 0u : 32u - bits;
    return bits == 0u ? 0 : (int)((uint)field << (spare & 31u)) >> (spare & 31u);
}

long clem_bfe_s64(long a, uint position, uint count)
{
    long field = clem_shr_s64(a, position & 255u);
    uint bits = count & 255u;
    uint spare = bits > 63u ? 0u : 64u - bits;
    return bits == 0u ? 0l : (long)((ulong)field << (spare & 63u)) >> (spare & 63u);
}

uint clem_bfi_b32(uint field, uint into, uint position, uint count)
{
    uint mask = clem_shl_b32(clem_low_ones_u32(count & 255u), position & 255u);
    return (into & ~mask) | (clem_shl_b32(field, position & 255u) & mask);
}

ulong clem_bfi_b64(ulong field, ulong into, uint position, uint count)
{
    ulong mask = clem_shl_b64(clem_low_ones_u64(count & 255u), position & 255u);
    return (into & ~mask) | (clem_shl_b64(field, position & 255u) & mask);
}

uint clem_brev_b32(uint a)
{
    a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
    a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
    a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
    a = (a >> 8 & 0x00ff00ffu) | (a & 0x00ff00ffu) << 8;
    return a >> 16 | a << 16;
}

ulong clem_brev_b64(ulong a)
{
    return (ulong)clem_brev_b32((uint)a) << 32 | clem_brev_b32((uint)(a >> 32));
}

uint clem_clz_b32(uint a)
{
    return a == 0u ? 32u : (uint)clz(a);
}

uint clem_clz_b64(ulong a)
{
    return a == 0ul ? 64u : (uint)clz(a);
}

/* Position of the highest one, all ones if there is none. Signed numbers: of the highest bit
 * unlike the sign. */
uint clem_bfind_u32(uint a)
{
    return 31u - clem_clz_b32(a);
}

uint clem_bfind_u64(ulong a)
{
    return 63u - clem_clz_b64(a);
}

/* The n-th one from a position on, upwards or downwards; `base` below 32. */
uint clem_fns(uint mask, uint base, int n)
{
    const uint from = base & 31u;
    if (n == 0)
        return mask >> from & 1u ? base : ~0u;
    /* Those that count, and how many of them lie below the wanted one. */
    uint bits = mask & (n > 0 ? ~0u << from : ~0u >> (31u - from));
    const uint count = popcount(bits);
    uint rank = n > 0 ? (uint)n - 1u : count - (0u - (uint)n);
    if (rank >= count)
        return ~0u;
    /* Half by half: bits and rank are of the half that holds it. */
    uint place = 0u;
    for (uint width = 16u; width > 0u; width /= 2u) {
        const uint below = popcount(bits & ((1u << width) - 1u));
        const bool is_above = rank >= below;
        place += is_above ? width : 0u;
        rank -= is_above ? below : 0u;
        bits >>= is_above ? width : 0u;
    }
    return place;
}

uint clem_bmsk_clamp(uint position, uint count)
{
    return clem_shl_b32(clem_low_ones_u32(count), position);
}

uint clem_bmsk_wrap(uint position, uint count)
{
    return clem_low_ones_u32(count & 31u) << (position & 31u);
}

/* Bits of a word kept, the rest zeros or copies of the highest of them; count <= 32. */
uint clem_szext_u32(uint a, uint count)
{
    return a & clem_low_ones_u32(count);
}

uint clem_szext_s32(uint a, uint count)
{
    return (uint)clem_bfe_s32((int)a, 0u, count);
}

/* One byte of prmt in default mode: three bits choose it, the fourth spreads its sign. */
uint clem_prmt_byte(ulong bytes, uint choice)
{
    uint byte = (uint)(bytes >> ((choice & 7u) * 8u)) & 255u;
    return choice & 8u ? (byte >> 7) * 255u : byte;
}

uint clem_prmt(uint a, uint b, uint choices)
{
    ulong bytes = (ulong)b << 32 | a;
    return clem_prmt_byte(bytes, choices) | clem_prmt_byte(bytes, choices >> 4) << 8 |
           clem_prmt_byte(bytes, choices >> 8) << 16 | clem_prmt_byte(bytes, choices >> 12) << 24;
}

uint clem_prmt_f4e(uint a, uint b, uint n)
{
    return (uint)(((ulong)b << 32 | a) >> ((n & 3u) * 8u));
}

uint clem_prmt_b4e(uint a, uint b, uint n)
{
    n &= 3u;
    return clem_prmt(a, b, n | (n + 7u & 7u) << 4 | (n + 6u & 7u) << 8 | (n + 5u & 7u) << 12);
}

uint clem_prmt_rc8(uint a, uint n)
{
    return (a >> ((n & 3u) * 8u) & 255u) * 0x01010101u;
}

uint clem_prmt_ecl(uint a, uint b, uint n)
{
    n &= 3u;
    return clem_prmt(a, b, n | max(n, 1u) << 4 | max(n, 2u) << 8 | 3u << 12);
}

uint clem_prmt_ecr(uint a, uint b, uint n)
{
    n &= 3u;
    return clem_prmt(a, b, min(n, 1u) << 4 | min(n, 2u) << 8 | n << 12);
}

uint clem_prmt_rc16(uint a, uint n)
{
    return (a >> ((n & 1u) * 16u) & 0xffffu) * 0x00010001u;
}

/* The products of bytes (dp4a), or of halves with two of the bytes (dp2a), added up. Signs: 1
 * where signed. */
int clem_byte(uint a, uint index, uint is_signed)
{
    uint byte = a >> (index * 8u) & 255u;
    return is_signed ? (int)(byte << 24) >> 24 : (int)byte;
}

int clem_half(uint a, uint index, uint is_signed)
{
    uint word = a >> (index * 16u) & 0xffffu;
    return is_signed ? (int)(word << 16) >> 16 : (int)word;
}

uint clem_dp4a(uint a, uint b, uint c, uint a_signed, uint b_signed)
{
    uint sum = c;
    sum += (uint)(clem_byte(a, 0u, a_signed) * clem_byte(b, 0u, b_signed));
    sum += (uint)(clem_byte(a, 1u, a_signed) * clem_byte(b, 1u, b_signed));
    sum += (uint)(clem_byte(a, 2u, a_signed) * clem_byte(b, 2u, b_signed));
    sum += (uint)(clem_byte(a, 3u, a_signed) * clem_byte(b, 3u, b_signed));
    return sum;
}

uint clem_dp2a(uint a, uint b, uint c, uint a_signed, uint b_signed, uint upper)
{
    uint sum = c;
    sum += (uint)(clem_half(a, 0u, a_signed) * clem_byte(b, 2u * upper, b_signed));
    sum += (uint)(clem_half(a, 1u, a_signed) * clem_byte(b, 2u * upper + 1u, b_signed));
    return sum;
}

/* 24 low bits of each, multiplied: 48 bits. */
long clem_mul24_s32(uint a, uint b)
{
    return (long)((int)(a << 8) >> 8) * ((int)(b << 8) >> 8);
}

ulong clem_mul24_u32(uint a, uint b)
{
    return (ulong)(a & 0xffffffu) * (b & 0xffffffu);
}

/* How far to shift left for the highest one to become the highest bit. */
uint clem_bfind_shift_u32(uint a)
{
    return a == 0u ? ~0u : clem_clz_b32(a);
}

uint clem_bfind_shift_u64(ulong a)
{
    return a == 0ul ? ~0u : clem_clz_b64(a);
}

uint clem_bfind_s32(int a)
{
    return clem_bfind_u32((uint)(a ^ a >> 31));
}

uint clem_bfind_s64(long a)
{
    return clem_bfind_u64((ulong)(a ^ a >> 63));
}

uint clem_bfind_shift_s32(int a)
{
    return clem_bfind_shift_u32((uint)(a ^ a >> 31));
}

uint clem_bfind_shift_s64(long a)
{
    return clem_bfind_shift_u64((ulong)(a ^ a >> 63));
}

/* OpenCL C's abs() and abs_diff() of PoCL let the compiler think that the least number has no absolute
 * value. */
ushort clem_abs_s16(short a)
{
    return (ushort)(a < 0 ? (ushort)0 - (ushort)a : (ushort)a);
}

ushort clem_abs_diff_u16(ushort a, ushort b)
{
    return (ushort)(a > b ? (ushort)a - (ushort)b : (ushort)b - (ushort)a);
}

ushort clem_abs_diff_s16(short a, short b)
{
    return (ushort)(a > b ? (ushort)a - (ushort)b : (ushort)b - (ushort)a);
}

uint clem_abs_s32(int a)
{
    return (uint)(a < 0 ? (uint)0 - (uint)a : (uint)a);
}

uint clem_abs_diff_u32(uint a, uint b)
{
    return (uint)(a > b ? (uint)a - (uint)b : (uint)b - (uint)a);
}

uint clem_abs_diff_s32(int a, int b)
{
    return (uint)(a > b ? (uint)a - (uint)b : (uint)b - (uint)a);
}

ulong clem_abs_s64(long a)
{
    return (ulong)(a < 0 ? (ulong)0 - (ulong)a : (ulong)a);
}

ulong clem_abs_diff_u64(ulong a, ulong b)
{
    return (ulong)(a > b ? (ulong)a - (ulong)b : (ulong)b - (ulong)a);
}

ulong clem_abs_diff_s64(long a, long b)
{
    return (ulong)(a > b ? (ulong)a - (ulong)b : (ulong)b - (ulong)a);
}
