/* Lines of lanes in the shared memory of blocks that are checked.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/host/phase.h"

uint64_t clem_native_check_shared(const struct ptx_native_launch *launch,
                                  const struct ptx_native_block *block,
                                  const struct ptx_native_told *told, uint32_t lanes,
                                  uint64_t first, uint64_t second, struct ptx_native_list *list)
{
    return ptx_phase_takes_line(launch, block, told, lanes, first, second)
               ? 0
               : clem_native_check_line(launch, block, told, lanes, first, second, list);
}
