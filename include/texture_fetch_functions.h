/* texture_fetch_functions.h: texture functions, for sources that include it by this name. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __TEXTURE_FETCH_FUNCTIONS_H__
#define __TEXTURE_FETCH_FUNCTIONS_H__

#include "crt/device_functions.h"

#endif
