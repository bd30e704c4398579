/* surface_functions.h: surface functions, for sources that include it by this name. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __SURFACE_FUNCTIONS_H__
#define __SURFACE_FUNCTIONS_H__

#include "crt/device_functions.h"

#endif
