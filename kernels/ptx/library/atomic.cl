/* Atomic operations that OpenCL C 1.2 lacks, by compare and swap: lock-free, in global and in shared memory.
 * SPDX-License-Identifier: Apache-2.0 */

/* A function NAME that replaces a T at p by NEW, an expression of `old` and `value`, and returns `old`. */
#define CLEM_ATOMIC_32(NAME, SPACE, T, FROM, TO, NEW)                                              \
    static inline T NAME(volatile SPACE uint *p, T value)                                          \
    {                                                                                              \
        uint seen = *p, was;                                                                       \
        do {                                                                                       \
            was = seen;                                                                            \
            const T old = FROM(was);                                                               \
            seen = atomic_cmpxchg(p, was, TO(NEW));                                                \
        } while (seen != was);                                                                     \
        return FROM(was);                                                                          \
    }

#define CLEM_ATOMIC_64(NAME, SPACE, T, FROM, TO, NEW)                                              \
    static inline T NAME(volatile SPACE ulong *p, T value)                                         \
    {                                                                                              \
        ulong seen = *p, was;                                                                      \
        do {                                                                                       \
            was = seen;                                                                            \
            const T old = FROM(was);                                                               \
            seen = atom_cmpxchg(p, was, TO(NEW));                                                  \
        } while (seen != was);                                                                     \
        return FROM(was);                                                                          \
    }

/* Of 16 bits: within the word that holds them. */
#define CLEM_ATOMIC_16(NAME, SPACE, NEW)                                                           \
    static inline ushort NAME(volatile SPACE ushort *p, ushort value)                              \
    {                                                                                              \
        volatile SPACE uint *const word = (volatile SPACE uint *)((size_t)p & ~(size_t)3);         \
        const uint shift = ((uint)(size_t)p & 2u) * 8u;                                            \
        uint seen = *word, was;                                                                    \
        do {                                                                                       \
            was = seen;                                                                            \
            const ushort old = (ushort)(was >> shift);                                             \
            const ushort made = NEW;                                                               \
            seen = atomic_cmpxchg(word, was, (was & ~(0xffffu << shift)) | (uint)made << shift);   \
        } while (seen != was);                                                                     \
        return (ushort)(was >> shift);                                                             \
    }

/* Defines clem_atomic_inc_global clem_atomic_inc_shared clem_atomic_dec_global clem_atomic_dec_shared */
CLEM_ATOMIC_32(clem_atomic_inc_global, __global, uint, , , (old >= value ? 0u : old + 1u))
CLEM_ATOMIC_32(clem_atomic_inc_shared, __local, uint, , , (old >= value ? 0u : old + 1u))
CLEM_ATOMIC_32(clem_atomic_dec_global, __global, uint, , , (old == 0u || old > value ? value : old - 1u))
CLEM_ATOMIC_32(clem_atomic_dec_shared, __local, uint, , , (old == 0u || old > value ? value : old - 1u))

/* The unit that adds to global memory flushes subnormal numbers. */
static inline float clem_atomic_flush(float a)
{
    const uint bits = as_uint(a);
    return (bits & 0x7f800000u) ? a : as_float(bits & 0x80000000u);
}

/* Defines clem_atomic_add_f32_global clem_atomic_add_f32_shared */
CLEM_ATOMIC_32(clem_atomic_add_f32_global, __global, float, as_float, as_uint,
               clem_atomic_flush(clem_atomic_flush(old) + clem_atomic_flush(value)))
CLEM_ATOMIC_32(clem_atomic_add_f32_shared, __local, float, as_float, as_uint, (old + value))

/* Defines clem_atomic_add_f64_global clem_atomic_add_f64_shared */
CLEM_ATOMIC_64(clem_atomic_add_f64_global, __global, double, as_double, as_ulong, (old + value))
CLEM_ATOMIC_64(clem_atomic_add_f64_shared, __local, double, as_double, as_ulong, (old + value))

/* Defines clem_atomic_add_soft_global clem_atomic_add_soft_shared */
CLEM_ATOMIC_64(clem_atomic_add_soft_global, __global, ulong, , , clem_soft_add(old, value))
CLEM_ATOMIC_64(clem_atomic_add_soft_shared, __local, ulong, , , clem_soft_add(old, value))

/* Two numbers of 16 bits added each for itself. */
static inline uint clem_atomic_sum_f16x2(uint a, uint b)
{
    return clem_pair(clem_add_f16((ushort)a, (ushort)b), clem_add_f16((ushort)(a >> 16), (ushort)(b >> 16)));
}

static inline uint clem_atomic_sum_bf16x2(uint a, uint b)
{
    return clem_pair(clem_add_bf16((ushort)a, (ushort)b), clem_add_bf16((ushort)(a >> 16), (ushort)(b >> 16)));
}

/* Defines clem_atomic_add_f16x2_global clem_atomic_add_f16x2_shared */
CLEM_ATOMIC_32(clem_atomic_add_f16x2_global, __global, uint, , , clem_atomic_sum_f16x2(old, value))
CLEM_ATOMIC_32(clem_atomic_add_f16x2_shared, __local, uint, , , clem_atomic_sum_f16x2(old, value))

/* Defines clem_atomic_add_bf16x2_global clem_atomic_add_bf16x2_shared */
CLEM_ATOMIC_32(clem_atomic_add_bf16x2_global, __global, uint, , , clem_atomic_sum_bf16x2(old, value))
CLEM_ATOMIC_32(clem_atomic_add_bf16x2_shared, __local, uint, , , clem_atomic_sum_bf16x2(old, value))

/* Defines clem_atomic_add_f16_global clem_atomic_add_f16_shared */
CLEM_ATOMIC_16(clem_atomic_add_f16_global, __global, clem_add_f16(old, value))
CLEM_ATOMIC_16(clem_atomic_add_f16_shared, __local, clem_add_f16(old, value))

/* Defines clem_atomic_add_bf16_global clem_atomic_add_bf16_shared */
CLEM_ATOMIC_16(clem_atomic_add_bf16_global, __global, clem_add_bf16(old, value))
CLEM_ATOMIC_16(clem_atomic_add_bf16_shared, __local, clem_add_bf16(old, value))

/* Defines clem_atomic_xchg_16_global clem_atomic_xchg_16_shared */
CLEM_ATOMIC_16(clem_atomic_xchg_16_global, __global, value)
CLEM_ATOMIC_16(clem_atomic_xchg_16_shared, __local, value)

#define CLEM_ATOMIC_CAS_16(NAME, SPACE)                                                            \
    static inline ushort NAME(volatile SPACE ushort *p, ushort expected, ushort value)             \
    {                                                                                              \
        volatile SPACE uint *const word = (volatile SPACE uint *)((size_t)p & ~(size_t)3);         \
        const uint shift = ((uint)(size_t)p & 2u) * 8u;                                            \
        uint seen = *word, was;                                                                    \
        do {                                                                                       \
            was = seen;                                                                            \
            if ((ushort)(was >> shift) != expected)                                                \
                break;                                                                             \
            seen = atomic_cmpxchg(word, was, (was & ~(0xffffu << shift)) | (uint)value << shift);  \
        } while (seen != was);                                                                     \
        return (ushort)(was >> shift);                                                             \
    }

/* Defines clem_atomic_cas_16_global clem_atomic_cas_16_shared */
CLEM_ATOMIC_CAS_16(clem_atomic_cas_16_global, __global)
CLEM_ATOMIC_CAS_16(clem_atomic_cas_16_shared, __local)

/* Sums of 64 bits whose old value nobody asks for, where no instruction of 64 bits exists: the lower half's carry goes to
 * the upper half. Right when all have added. */
#define CLEM_ATOMIC_CARRY(NAME, SPACE)                                                             \
    static inline void NAME(volatile SPACE uint *p, ulong value)                                   \
    {                                                                                              \
        const uint low = (uint)value;                                                              \
        const uint old = atomic_add(p, low);                                                       \
        const uint high = (uint)(value >> 32) + (old + low < low);                                 \
        if (high != 0u)                                                                            \
            atomic_add(p + 1, high);                                                               \
    }

/* Defines clem_atomic_sum_64_global clem_atomic_sum_64_shared */
CLEM_ATOMIC_CARRY(clem_atomic_sum_64_global, __global)
CLEM_ATOMIC_CARRY(clem_atomic_sum_64_shared, __local)

/* Bits of 64 whose old value nobody asks for: each half for itself. */
#define CLEM_ATOMIC_HALVES(NAME, SPACE, CALL)                                                      \
    static inline void NAME(volatile SPACE uint *p, ulong value)                                   \
    {                                                                                              \
        CALL(p, (uint)value);                                                                      \
        CALL(p + 1, (uint)(value >> 32));                                                          \
    }

/* Defines clem_atomic_and_64_global clem_atomic_and_64_shared */
CLEM_ATOMIC_HALVES(clem_atomic_and_64_global, __global, atomic_and)
CLEM_ATOMIC_HALVES(clem_atomic_and_64_shared, __local, atomic_and)

/* Defines clem_atomic_or_64_global clem_atomic_or_64_shared */
CLEM_ATOMIC_HALVES(clem_atomic_or_64_global, __global, atomic_or)
CLEM_ATOMIC_HALVES(clem_atomic_or_64_shared, __local, atomic_or)

/* Defines clem_atomic_xor_64_global clem_atomic_xor_64_shared */
CLEM_ATOMIC_HALVES(clem_atomic_xor_64_global, __global, atomic_xor)
CLEM_ATOMIC_HALVES(clem_atomic_xor_64_shared, __local, atomic_xor)

/* The same by NVIDIA's own instructions, where inline asm is PTX. */
static inline float clem_native_add_f32_global(volatile __global uint *p, float value)
{
    float old;
    __asm__ volatile("atom.global.add.f32 %0, [%1], %2;" : "=f"(old) : "l"(p), "f"(value) : "memory");
    return old;
}

static inline double clem_native_add_f64_global(volatile __global ulong *p, double value)
{
    double old;
    __asm__ volatile("atom.global.add.f64 %0, [%1], %2;" : "=d"(old) : "l"(p), "d"(value) : "memory");
    return old;
}

static inline uint clem_native_inc_global(volatile __global uint *p, uint value)
{
    uint old;
    __asm__ volatile("atom.global.inc.u32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(value) : "memory");
    return old;
}

static inline uint clem_native_dec_global(volatile __global uint *p, uint value)
{
    uint old;
    __asm__ volatile("atom.global.dec.u32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(value) : "memory");
    return old;
}

static inline float clem_native_add_f32_shared(volatile __local uint *p, float value)
{
    float old;
    __asm__ volatile("atom.shared.add.f32 %0, [%1], %2;" : "=f"(old) : "l"(p), "f"(value) : "memory");
    return old;
}

static inline double clem_native_add_f64_shared(volatile __local ulong *p, double value)
{
    double old;
    __asm__ volatile("atom.shared.add.f64 %0, [%1], %2;" : "=d"(old) : "l"(p), "d"(value) : "memory");
    return old;
}

static inline uint clem_native_inc_shared(volatile __local uint *p, uint value)
{
    uint old;
    __asm__ volatile("atom.shared.inc.u32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(value) : "memory");
    return old;
}

static inline uint clem_native_dec_shared(volatile __local uint *p, uint value)
{
    uint old;
    __asm__ volatile("atom.shared.dec.u32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(value) : "memory");
    return old;
}
