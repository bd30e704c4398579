/* sm_32_intrinsics.h: functions of device code, for sources that include it by this name. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __SM_32_INTRINSICS_H__
#define __SM_32_INTRINSICS_H__

#include "crt/device_functions.h"

#endif
