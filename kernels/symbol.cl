/* A constant variable that fills the memory for constants.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       bench_constant: 65536 bytes. target[item] = bench_constant[item % 16384].
 * Index space: any number of items.
 * Moves:       4 bytes in and out per item.
 */
#define CLEM_SYMBOLS(CONSTANT, DEVICE, MANAGED) CONSTANT(uint, bench_constant, [16384])
#include <clem_device.h>

__kernel void symbol_read(__global uint *target, CLEM_SYMBOLS_PARAMETERS) {
    size_t i = get_global_id(0);
    target[i] = CLEM_CONSTANT(bench_constant)[i % 16384];
}
