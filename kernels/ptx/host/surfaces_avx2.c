/* surfaces.c once more, for processors that have AVX2.
 * SPDX-License-Identifier: Apache-2.0 */
#ifdef __x86_64__
#define LOAD_SURFACE  ptx_load_surface_avx2
#define STORE_SURFACE ptx_store_surface_avx2
#include "kernels/ptx/host/surfaces.c" /* NOLINT(bugprone-suspicious-include) */
#else
typedef int ptx_no_surfaces; /* no file of C is empty */
#endif
