/* The kernel of kernels/touch.cl in CUDA C++.
 * SPDX-License-Identifier: Apache-2.0 */
extern "C" __global__ void touch_read(unsigned *sums, const uint4 *source,
                                      unsigned touches)
{
    unsigned sum = 0;
    for (unsigned k = 0; k < touches; k++) {
        const uint4 word = __ldcv(source + item()); /* volatile loads of a struct are split */
        sum += word.x + word.y + word.z + word.w;
    }
    sums[item()] = sum;
}
