/* texture_indirect_functions.h: functions of texture objects, for sources that include it by this name. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __TEXTURE_INDIRECT_FUNCTIONS_H__
#define __TEXTURE_INDIRECT_FUNCTIONS_H__

#include "crt/device_functions.h"

#endif
