/* device_functions.h: all functions that device code has beside the C++ library's. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_CRT_DEVICE_FUNCTIONS_H
#define CLEM_CRT_DEVICE_FUNCTIONS_H

#include "device_atomic.h"
#include "device_dpx.h"
#include "device_integer.h"
#include "device_intrinsics.h"
#include "device_memory.h"
#include "device_new.h"
#include "device_ordered.h"
#include "device_runtime.h"
#include "device_simd.h"
#include "device_surface.h"
#include "device_texture.h"
#include "device_warp.h"

#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__) && !defined(__CUDACC_RTC__)
/* Products and quotients of complex numbers become calls of these, which use the functions above. */
#include <__clang_cuda_complex_builtins.h>
/* <<<>>> becomes calls of these. */
#include "host_runtime_abi.h"
#include "managed_section.h"
#endif

#endif
