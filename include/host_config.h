/* host_config.h: what a host compiler has to know, for sources that include it by this name. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __HOST_CONFIG_H__
#define __HOST_CONFIG_H__

#include "host_defines.h"

#endif
