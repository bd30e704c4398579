/* What the device header computes by hand of textures and surfaces, as C of the host: host_sampling.inc is made of
 * kernels/device/ by CMake. Private to kernels/ptx/host/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_HOST_HOST_SAMPLING_H
#define KERNELS_PTX_HOST_HOST_SAMPLING_H

#include "kernels/device/clem_texture_facts.h"
#include "kernels/ptx/host/opencl_vectors.h"

#ifndef CLEM_INDEX /* the type that texels are counted in */
#define CLEM_INDEX size_t
#endif

#define __global   /* one memory */
#define __constant /* for all */

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wcast-align"
#pragma GCC diagnostic ignored "-Wdouble-promotion"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-const-variable"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wtautological-constant-compare"
#endif
#include "host_sampling.inc"
#include "kernels/ptx/library/texture.cl"
#pragma GCC diagnostic pop

#endif
