/* The arithmetic library as the host runs it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_PTX_OPENCL_C_H
#define TESTS_PTX_OPENCL_C_H

#include <fenv.h>

#include "kernels/ptx/host/opencl_c.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wextra"
#include "kernels/ptx/library/integer.cl"

#include "kernels/ptx/library/float.cl"

#include "kernels/ptx/library/half.cl"

#include "kernels/ptx/library/convert.cl"

#include "kernels/ptx/library/soft.cl"

#define __constant static const
#include "kernels/ptx/library/soft_math.cl"
#undef __constant

#include "kernels/ptx/library/video.cl"

#pragma GCC diagnostic pop

#endif
