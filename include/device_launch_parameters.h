/* device_launch_parameters.h: threadIdx and its kin, for sources that include it by this name. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__

#include "crt/device_functions.h"

#endif
