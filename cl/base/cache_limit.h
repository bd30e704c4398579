/* How large folders of built programs may become. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_CACHE_LIMIT_H
#define OCL_CACHE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

/* CUDA_CACHE_MAXSIZE: bytes that a folder of built programs may hold, at most 4 GiB. False: it is unset, or no number, which
 * one line on stderr says. Source: CUDA C++ Programming Guide 13.0, CUDA Environment Variables. */
bool ocl_cache_limit(uint64_t *bytes);

#endif
