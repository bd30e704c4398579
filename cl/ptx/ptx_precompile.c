/* Kernels that are compiled ahead of time.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/pack.h"
#include "cl/ptx/ptx_kernel.h"

bool ocl_kernel_precompile(struct ocl_kernel *kernel)
{
    /* One of each kind that threads lie in warps by (enum ptx_threads). */
    static const size_t blocks[][3] = {{32, 1, 1}, {32, 2, 1}, {16, 2, 1}, {33, 1, 1}, {3, 3, 1}};
    (void)ocl_kernel_facts(kernel);
    if (!kernel->ptx || kernel->ptx->form != PTX_FORM_NATIVE)
        return false;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        struct ocl_native *made = NULL;
        for (int is_vast = 0; is_vast < 2; is_vast++) /* without it a launch has another form */
            (void)ocl_ptx_native(kernel, blocks[i], is_vast, &made);
    }
    return true;
}
