/* sm_20_atomic_functions.h: functions of device code, for sources that include it by this name. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __SM_20_ATOMIC_FUNCTIONS_H__
#define __SM_20_ATOMIC_FUNCTIONS_H__

#include "crt/device_functions.h"

#endif
