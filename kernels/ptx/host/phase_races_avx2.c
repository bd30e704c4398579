/* phase_races.c once more, for processors that have AVX2.
 * SPDX-License-Identifier: Apache-2.0 */
#ifdef __x86_64__
#define PASS ptx_phase_pass_avx2
#include "kernels/ptx/host/phase_races.c" /* NOLINT(bugprone-suspicious-include) */
#else
typedef int ptx_no_phases_avx2; /* no file of C is empty */
#endif
