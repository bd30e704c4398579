/* The arithmetic library as C of the host, for native kernels. host_library.inc is made of library/ by CMake: its functions,
 * static and named clem_native_.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/native/host_math.h"
#include "kernels/ptx/native/native_runtime.h"
#include "kernels/ptx/native/opencl_c.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wunused-function"
#include "host_library.inc"
#pragma GCC diagnostic pop

#define LIBM(FUNCTION)                                                                             \
    FUNCTION(fma)                                                                                  \
    FUNCTION(rint)                                                                                 \
    FUNCTION(floor)                                                                                \
    FUNCTION(ceil)                                                                                 \
    FUNCTION(trunc)

const struct ptx_native_symbol *ptx_native_symbols(size_t *count)
{
    static const struct ptx_native_symbol symbols[] = {
#define SYMBOL(name) {"clem_native_" #name, (void (*)(void))clem_native_##name},
        CLEM_NATIVE_MATH(SYMBOL) CLEM_NATIVE_RUNTIME(SYMBOL)
#undef SYMBOL
#define SYMBOL(name) {#name, (void (*)(void))(name)}, {#name "f", (void (*)(void))(name##f)},
            LIBM(SYMBOL)
#undef SYMBOL
    };
    *count = sizeof symbols / sizeof *symbols;
    return symbols;
}
