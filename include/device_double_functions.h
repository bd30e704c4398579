/* device_double_functions.h: double precision intrinsics, for sources that include it by this name. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __DEVICE_DOUBLE_FUNCTIONS_H__
#define __DEVICE_DOUBLE_FUNCTIONS_H__

#include "crt/device_functions.h"

#endif
