/* surface_indirect_functions.h: functions of surface objects, for sources that include it by this name. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __SURFACE_INDIRECT_FUNCTIONS_H__
#define __SURFACE_INDIRECT_FUNCTIONS_H__

#include "crt/device_functions.h"

#endif
