/* All kernels of clem-bench-native.
 * SPDX-License-Identifier: Apache-2.0 */
#include "peak.cu"

#include "symbol.cu"
#include "touch.cu"
