/* What native kernels call that is not in their text.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/native/symbol.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "kernels/ptx/host/abi.h"

/* ---- What LLVM calls where the processor has no instruction ---- */

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

static wide divide(wide a, wide b)
{
    return a / b;
}

static wide modulo(wide a, wide b)
{
    return a % b;
}

static unsigned_wide divide_unsigned(unsigned_wide a, unsigned_wide b)
{
    return a / b;
}

static unsigned_wide modulo_unsigned(unsigned_wide a, unsigned_wide b)
{
    return a % b;
}

#define ROW(name, function)                                                                        \
    {                                                                                              \
        name, (void (*)(void))(function)                                                           \
    }

static const struct ptx_native_symbol helpers[] = {
    ROW("memcpy", memcpy),
    ROW("memmove", memmove),
    ROW("memset", memset),
    ROW("fma", fma),
    ROW("fmaf", fmaf),
    ROW("sqrt", sqrt),
    ROW("sqrtf", sqrtf),
    ROW("floor", floor),
    ROW("floorf", floorf),
    ROW("ceil", ceil),
    ROW("ceilf", ceilf),
    ROW("trunc", trunc),
    ROW("truncf", truncf),
    ROW("rint", rint),
    ROW("rintf", rintf),
    ROW("nearbyint", nearbyint),
    ROW("nearbyintf", nearbyintf),
    ROW("roundeven", rint), /* nobody changes the direction of rounding */
    ROW("roundevenf", rintf),
    ROW("fmin", fmin),
    ROW("fminf", fminf),
    ROW("fmax", fmax),
    ROW("fmaxf", fmaxf),
    ROW("__divti3", divide),
    ROW("__modti3", modulo),
    ROW("__udivti3", divide_unsigned),
    ROW("__umodti3", modulo_unsigned),
};

static const struct ptx_native_symbol *find(const struct ptx_native_symbol *rows, size_t count,
                                            const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

void *ocl_native_symbol(const char *name)
{
    size_t count = 0;
    void *address = NULL;
    const struct ptx_native_symbol *own = ptx_native_symbols(&count);
    const struct ptx_native_symbol *found = find(own, count, name);
    if (!found)
        found = find(helpers, sizeof helpers / sizeof *helpers, name);
    if (found)
        memcpy(&address, &found->address, sizeof address); /* ISO C has no such conversion */
    return address;
}
