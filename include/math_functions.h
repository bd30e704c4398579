/* math_functions.h: the math library of device code, for sources that include it by this name. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __MATH_FUNCTIONS_H__
#define __MATH_FUNCTIONS_H__

#include "crt/device_functions.h"

#endif
