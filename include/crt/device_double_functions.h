/* crt/device_double_functions.h: device_double_functions.h by the name that it has since CUDA 10. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_CRT_DEVICE_DOUBLE_FUNCTIONS_H
#define CLEM_CRT_DEVICE_DOUBLE_FUNCTIONS_H

#include "../device_double_functions.h"

#endif
