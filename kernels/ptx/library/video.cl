/* SIMD video instructions: parts of words, taken, computed in 64 bits, clamped and put back.
 * SPDX-License-Identifier: Apache-2.0 */

/* `bits` of a word from a position on, extended as its type says. */
long clem_part(uint a, uint position, uint bits, uint is_signed)
{
    ulong field = ((ulong)a >> position) << (64u - bits);
    return is_signed ? (long)field >> (64u - bits) : (long)(field >> (64u - bits));
}

/* Element `index` of two words put side by side, as the selector's digit says. */
long clem_element(uint a, uint b, uint choice, uint bits, uint is_signed)
{
    uint places = 32u / bits;
    return clem_part(choice < places ? a : b, (choice & (places - 1u)) * bits, bits, is_signed);
}

long clem_clamp_bits(long a, uint bits, uint is_signed)
{
    long most = is_signed ? (1l << (bits - 1u)) - 1l : (1l << bits) - 1l;
    long least = is_signed ? -most - 1l : 0l;
    return a < least ? least : a > most ? most : a;
}

uint clem_merge(uint part, uint into, uint position, uint bits)
{
    uint mask = (bits > 31u ? ~0u : (1u << bits) - 1u) << position;
    return (into & ~mask) | (part << position & mask);
}

long clem_abs_difference(long a, long b)
{
    return a < b ? b - a : a - b;
}

/* Half of a sum; halves go up where the sum is not negative. */
long clem_average(long a, long b)
{
    long sum = a + b;
    return (sum + (long)(sum >= 0l)) >> 1;
}

/* Shifted left by at most 32. What leaves the 33 bits that a has is only told apart from zero, for
 * clamping. */
long clem_vshl(long a, long n)
{
    long far = a == 0l ? 0l : a < 0l ? -(1l << 40) : 1l << 40;
    return n > 31l ? far : a * (1l << n);
}

/* (a * b) + c + one over 2^shift; clamped to 32 bits where asked. Sums need 66 bits: high and low
 * words. */
uint clem_vmad(long a, long b, uint c, uint negate_product, uint negate_c, uint one, uint is_signed,
               uint shift, uint saturate)
{
    ulong low = (ulong)a * (ulong)b;
    long high = (a < 0) != (b < 0) && low != 0ul ? -1l : 0l;
    uint word = negate_c ? ~c : c;
    ulong addend = is_signed ? (ulong)(long)(int)word : (ulong)word;
    if (negate_product) {
        low = ~low;
        high = ~high;
    }
    ulong sum = low + addend;
    high += (is_signed && (int)word < 0 ? -1l : 0l) + (long)(sum < low);
    low = sum + (ulong)(one | negate_product | negate_c);
    high += (long)(low < sum);
    ulong result = shift == 0u ? low : low >> shift | (ulong)high << (64u - shift);
    if (!saturate)
        return (uint)result;
    long rest = shift == 0u ? high : high >> shift;
    if (is_signed) {
        if (rest < 0 ? rest != -1l || result < 0xffffffff80000000ul
                     : rest != 0l || result > 0x7ffffffful)
            return rest < 0 ? 0x80000000u : 0x7fffffffu;
    } else if (rest != 0l || result > 0xfffffffful) {
        return 0xffffffffu;
    }
    return (uint)result;
}
