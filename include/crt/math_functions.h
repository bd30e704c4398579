/* crt/math_functions.h: math_functions.h by the name that it has since CUDA 10. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_CRT_MATH_FUNCTIONS_H
#define CLEM_CRT_MATH_FUNCTIONS_H

#include "../math_functions.h"

#endif
