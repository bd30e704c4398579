/* Functions of the host that native kernels call: those of the arithmetic library that have loops or are long. Each is
 * clem_native_NAME, of the type that clem_NAME has in library/.
 * Private to kernels/ptx/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_HOST_HOST_MATH_H
#define KERNELS_PTX_HOST_HOST_MATH_H

#include "kernels/ptx/host/abi.h"

/* Those, and of C's library what LLVM calls where a processor has no instruction. */

#define CLEM_NATIVE_MATH(FUNCTION)                                                                 \
    FUNCTION(add_f64)                                                                              \
    FUNCTION(mul_f64)                                                                              \
    FUNCTION(fma_f64)                                                                              \
    FUNCTION(div_f64)                                                                              \
    FUNCTION(sqrt_f64)                                                                             \
    FUNCTION(pack_u64)                                                                             \
    FUNCTION(pack_s64)                                                                             \
    FUNCTION(narrow_f64)                                                                           \
    FUNCTION(f16_from_f32_mode)                                                                    \
    FUNCTION(bf16_from_f32_mode)                                                                   \
    FUNCTION(tf32_from_f32)                                                                        \
    FUNCTION(fns)                                                                                  \
    FUNCTION(vmad)                                                                                 \
    FUNCTION(far_sinf)                                                                             \
    FUNCTION(far_cosf)                                                                             \
    FUNCTION(far_powf)

#endif
