/* sm_80_rt.h: functions of device code, for sources that include it by this name. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __SM_80_RT_H__
#define __SM_80_RT_H__

#include "crt/device_functions.h"

#endif
