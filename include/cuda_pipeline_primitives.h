/* cuda_pipeline_primitives.h: copies from global into shared memory that a kernel waits for later.
 */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _CUDA_PIPELINE_PRIMITIVES_H_
#define _CUDA_PIPELINE_PRIMITIVES_H_

#include "cuda_awbarrier_primitives.h"

/* Devices of compute capability 7.5 copy at once, so that nothing is left to wait for.
 *
 * Source: CUDA C++ Programming Guide 13.0, Pipeline Primitives Interface.
 */
#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

/* Needs: bytes 4, 8 or 16, both addresses aligned to it, zfill <= bytes: so many of the last ones
 * are zeros instead. */
static __inline__ __device__ void __pipeline_memcpy_async(void *dst_shared, const void *src_global,
                                                          __SIZE_TYPE__ size_and_align,
                                                          __SIZE_TYPE__ zfill = 0)
{
    unsigned int *const to = static_cast<unsigned int *>(dst_shared);
    const unsigned int *const from = static_cast<const unsigned int *>(src_global);
    if (zfill == 0) {
        for (__SIZE_TYPE__ i = 0; i < size_and_align / 4; i++)
            to[i] = from[i];
        return;
    }
    unsigned char *const bytes = static_cast<unsigned char *>(dst_shared);
    for (__SIZE_TYPE__ i = 0; i < size_and_align; i++)
        bytes[i] =
            i < size_and_align - zfill ? static_cast<const unsigned char *>(src_global)[i] : 0;
}
static __inline__ __device__ void __pipeline_commit()
{
}
static __inline__ __device__ void __pipeline_wait_prior(__SIZE_TYPE__)
{
}
/* One arrival more is expected until the copies are made, and then one has come. */
static __inline__ __device__ void __pipeline_arrive_on(__mbarrier_t *)
{
}

#endif

#endif
