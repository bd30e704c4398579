/* crt/host_config.h: host_config.h by the name that it has since CUDA 10. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_CRT_HOST_CONFIG_H
#define CLEM_CRT_HOST_CONFIG_H

#include "../host_config.h"

#endif
