/* texels.c once more, for processors that have AVX2.
 * SPDX-License-Identifier: Apache-2.0 */
#ifdef __x86_64__
#define TEXELS ptx_texels_avx2
#include "kernels/ptx/host/texels.c" /* NOLINT(bugprone-suspicious-include) */
#else
typedef int ptx_no_texels; /* no file of C is empty */
#endif
