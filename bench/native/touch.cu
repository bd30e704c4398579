/* The kernel of kernels/touch.cl in CUDA C++. The load is written out, because a volatile uint4 is read in
 * four pieces, and OpenCL's in one.
 * SPDX-License-Identifier: Apache-2.0 */
__device__ static uint4 load_again(const uint4 *place)
{
    uint4 word;
    asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
                 : "l"(place)
                 : "memory");
    return word;
}

extern "C" __global__ void touch_read(unsigned *sums, const uint4 *source, unsigned touches)
{
    unsigned sum = 0;
    for (unsigned k = 0; k < touches; k++)
        sum += sum_of(load_again(source + get_global_id(0)));
    sums[get_global_id(0)] = sum;
}
