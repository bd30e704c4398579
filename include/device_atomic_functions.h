/* device_atomic_functions.h: atomic functions, for sources that include it by this name. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __DEVICE_ATOMIC_FUNCTIONS_H__
#define __DEVICE_ATOMIC_FUNCTIONS_H__

#include "crt/device_functions.h"

#endif
