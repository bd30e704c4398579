/* Loads of memory that may be still, of which the text has not seen that all was read before.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/host/checks.h"
#include "kernels/ptx/host/still.h"

uint64_t clem_native_check_still(const struct ptx_native_launch *launch,
                                 const struct ptx_native_block *block,
                                 const struct ptx_native_told *told, uint32_t lanes, uint64_t first,
                                 uint64_t second, struct ptx_native_list *list)
{
    const bool is_right =
        lanes == 0 || (ptx_may_be_still(launch, told) &&
                       ptx_still_reads_line(launch, block, told, lanes, first, second));
    return is_right ? 0 : clem_native_check_line(launch, block, told, lanes, first, second, list);
}
