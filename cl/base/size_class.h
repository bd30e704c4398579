/* Size classes of memory. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_SIZE_CLASS_H
#define OCL_SIZE_CLASS_H

#include <stddef.h>

#include "cl/memory.h"

/* Sizes are counted in units of OCL_MEMORY_ALIGNMENT. Up to 8 units every size is a class of its
 * own; above, each power of two is divided into 8 classes. */
enum { OCL_SIZE_STEP_BITS = 3, OCL_SIZE_STEPS = 1 << OCL_SIZE_STEP_BITS };

static inline unsigned ocl_size_log2(size_t number)
{
    return 63u - (unsigned)__builtin_clzll((unsigned long long)number);
}

/* The highest class whose size is at most bytes. Needs: bytes >= OCL_MEMORY_ALIGNMENT. */
static inline unsigned ocl_size_class(size_t bytes)
{
    const size_t units = bytes / OCL_MEMORY_ALIGNMENT;
    if (units < OCL_SIZE_STEPS)
        return (unsigned)units;
    const unsigned exponent = ocl_size_log2(units);
    const unsigned step =
        (unsigned)(units >> (exponent - OCL_SIZE_STEP_BITS)) & (OCL_SIZE_STEPS - 1);
    return (exponent - OCL_SIZE_STEP_BITS + 1) * OCL_SIZE_STEPS + step;
}

/* The smallest size of a class that is at least bytes. Needs: bytes is far from SIZE_MAX. */
static inline size_t ocl_size_class_bytes(size_t bytes)
{
    const size_t units = (bytes + OCL_MEMORY_ALIGNMENT - 1) / OCL_MEMORY_ALIGNMENT;
    if (units < OCL_SIZE_STEPS)
        return units * OCL_MEMORY_ALIGNMENT;
    const size_t step = (size_t)1 << (ocl_size_log2(units) - OCL_SIZE_STEP_BITS);
    return (units + step - 1) / step * step * OCL_MEMORY_ALIGNMENT;
}

#endif
