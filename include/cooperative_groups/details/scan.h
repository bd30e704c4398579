/* details/scan.h: scan.h, by the name that it has inside of CUDA. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_COOPERATIVE_GROUPS_DETAILS_SCAN_H
#define CLEM_COOPERATIVE_GROUPS_DETAILS_SCAN_H

#include "../scan.h"

#endif
