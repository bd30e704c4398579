/* crt/common_functions.h: common_functions.h by the name that it has since CUDA 10. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_CRT_COMMON_FUNCTIONS_H
#define CLEM_CRT_COMMON_FUNCTIONS_H

#include "../common_functions.h"

#endif
