/* driver_functions.h: makers of cudaPitchedPtr, cudaPos and cudaExtent. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __DRIVER_FUNCTIONS_H__
#define __DRIVER_FUNCTIONS_H__

#include "driver_types.h"

/* make_cudaPitchedPtr: a pitched allocation as one value.
 *
 * Units:   p in bytes; xsz and ysz are the logical width and height, in elements.
 * Source:  CUDA Runtime API 13.0, Memory Management.
 */
static __inline__ __host__ struct cudaPitchedPtr make_cudaPitchedPtr(void *d, size_t p, size_t xsz,
                                                                     size_t ysz)
{
    struct cudaPitchedPtr s = {d, p, xsz, ysz};
    return s;
}

/* make_cudaPos: an offset of a copy; x is elements for an array, bytes otherwise. */
static __inline__ __host__ struct cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
    struct cudaPos p = {x, y, z};
    return p;
}

/* make_cudaExtent: sizes of a copy; w is elements for an array, bytes otherwise. */
static __inline__ __host__ struct cudaExtent make_cudaExtent(size_t w, size_t h, size_t d)
{
    struct cudaExtent e = {w, h, d};
    return e;
}

#endif
