/* cuda_fp8.hpp: floats of 8 bits; a name that programs include. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda_fp8.h"
