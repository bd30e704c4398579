/* What code and launches of native kernels share. Private to cl/native/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_NATIVE_PRIVATE_H
#define OCL_NATIVE_PRIVATE_H

#include <stdatomic.h>

#include "cl/native/code.h"
#include "kernels/ptx/native/abi.h"

struct ocl_native {
    _Atomic size_t references;
    struct ocl_code code;
    ptx_native_scratch_bytes *scratch;
    ptx_native_run *run;
};

#endif
