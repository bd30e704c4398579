/* Reads every word of memory several times, past what a compiler could remember.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       sums[item] = sum, modulo 2^32, of the components of source[item], taken `touches` times.
 * Index space: one item per word of 16 bytes, exactly as many as there are words.
 * Alignment:   16 bytes.
 * Moves:       16 * touches bytes in, 4 bytes out per item.
 */
__kernel void touch_read(__global uint *sums, __global const volatile uint4 *source, uint touches) {
    size_t i = get_global_id(0);
    uint sum = 0;
    for (uint k = 0; k < touches; ++k) {
        uint4 word = source[i];
        sum += word.x + word.y + word.z + word.w;
    }
    sums[i] = sum;
}
