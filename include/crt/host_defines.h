/* crt/host_defines.h: host_defines.h by the name that it has since CUDA 10. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_CRT_HOST_DEFINES_H
#define CLEM_CRT_HOST_DEFINES_H

#include "../host_defines.h"

#endif
