/* cells.c once more, for processors that have AVX2.
 * SPDX-License-Identifier: Apache-2.0 */
#ifdef __x86_64__
#define CELLS ptx_cells_avx2
#include "kernels/ptx/host/cells.c" /* NOLINT(bugprone-suspicious-include) */
#else
typedef int ptx_no_cells_avx2; /* no file of C is empty */
#endif
