/* Whether bytes were written, by what stands for them. Private to kernels/ptx/host/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_HOST_WRITTEN_H
#define KERNELS_PTX_HOST_WRITTEN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "kernels/ptx/library/check.h"

/* What stands for the byte that lies so far behind the memory's start; NULL: all was written. Who checks may change that at any
 * time. */
static inline unsigned char *ptx_written_at(const struct clem_check_memory *memory, uint64_t at)
{
    const ulong written = __atomic_load_n(&memory->written, __ATOMIC_RELAXED);
    return written != 0 ? (unsigned char *)(uintptr_t)written + at : NULL;
}

static inline bool ptx_are_written(const unsigned char *written, uint64_t bytes)
{
    uint64_t i = 0, others = 0, word;
#ifdef __SSE2__
    const __m128i one = _mm_set1_epi8(1);
    __m128i differs = _mm_setzero_si128();
    for (; i + 4 * sizeof one <= bytes; i += 4 * sizeof one) {
        const __m128i *const four = (const __m128i *)(const void *)(written + i);
        const __m128i a = _mm_loadu_si128(four), b = _mm_loadu_si128(four + 1),
                      c = _mm_loadu_si128(four + 2), d = _mm_loadu_si128(four + 3);
        const __m128i every = _mm_and_si128(_mm_and_si128(a, b), _mm_and_si128(c, d)),
                      any = _mm_or_si128(_mm_or_si128(a, b), _mm_or_si128(c, d));
        differs =
            _mm_or_si128(differs, _mm_or_si128(_mm_xor_si128(every, one), _mm_xor_si128(any, one)));
    }
    for (; i + sizeof one <= bytes; i += sizeof one)
        differs = _mm_or_si128(
            differs,
            _mm_xor_si128(one, _mm_loadu_si128((const __m128i *)(const void *)(written + i))));
    others = _mm_movemask_epi8(_mm_cmpeq_epi8(differs, _mm_setzero_si128())) != 0xffff;
#endif
    for (; i + sizeof word <= bytes; i += sizeof word) {
        memcpy(&word, written + i, sizeof word);
        others |= word ^ CLEM_CHECK_WRITTEN;
    }
    for (; i < bytes; i++)
        others |= written[i] ^ 1u;
    return others == 0;
}

#endif
