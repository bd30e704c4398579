/* What the kernels of clem-bench's studies share. OpenCL C 1.2; nvcc reads the same files through
 * bench/native/opencl_c.cuh.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ACCESS_H
#define ACCESS_H

/* A helper function, and the name of a kernel or function that depends on a variant's defines. */
#ifndef FUNCTION
#define FUNCTION __attribute__((unused)) static
#endif
#ifndef VARIANT
#define VARIANT(name) name
#endif

/* Two names made one, after macros in them are replaced. */
#define JOIN_NOW(a, b) a##b
#define JOIN(a, b)     JOIN_NOW(a, b)

FUNCTION uint sum_of4(uint4 v)
{
    return v.x + v.y + v.z + v.w;
}

FUNCTION uint sum_of2(uint2 v)
{
    return v.x + v.y;
}

FUNCTION uint4 words4(uint x, uint y, uint z, uint w)
{
    uint4 v;
    v.x = x;
    v.y = y;
    v.z = z;
    v.w = w;
    return v;
}

/* The item's place in the grid and how many there are, of one dimension. */
FUNCTION size_t item_of(void)
{
    return get_global_id(0);
}

FUNCTION size_t item_count(void)
{
    return get_global_size(0);
}

#endif
