/* cuda_bf16.hpp: bfloat16 numbers; a name that programs include. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda_bf16.h"
