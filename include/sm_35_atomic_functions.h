/* sm_35_atomic_functions.h: functions of device code, for sources that include it by this name. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __SM_35_ATOMIC_FUNCTIONS_H__
#define __SM_35_ATOMIC_FUNCTIONS_H__

#include "crt/device_functions.h"

#endif
