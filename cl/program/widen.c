/* Thread blocks that are narrower than a warp, side by side: as one that is wider.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/program/translation.h"

enum { LANES = 32 };

size_t ocl_row_divisor(size_t row)
{
    const size_t divisor = row & (~row + 1);
    return divisor < LANES ? divisor : LANES;
}

size_t ocl_widened(const struct ocl_ptx_kernel *ptx, size_t row, const size_t block[3])
{
    const size_t width = block[0];
    if (!ptx->widens || row == 0 || width == 0 || width >= LANES || LANES % width != 0)
        return 1;
    const size_t count = LANES / width;
    return row % count == 0 && count * width * block[1] * block[2] <= OCL_BLOCK_THREADS ? count : 1;
}
