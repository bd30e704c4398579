/* cuda_pipeline.h: copies from global into shared memory that a kernel waits for later. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _CUDA_PIPELINE_H_
#define _CUDA_PIPELINE_H_

#include "cuda_pipeline_primitives.h"

#endif
