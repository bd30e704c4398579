/* cuda_fp16.hpp: half precision numbers; a name that programs include. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda_fp16.h"
