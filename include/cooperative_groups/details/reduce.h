/* details/reduce.h: reduce.h, by the name that it has inside of CUDA. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_COOPERATIVE_GROUPS_DETAILS_REDUCE_H
#define CLEM_COOPERATIVE_GROUPS_DETAILS_REDUCE_H

#include "../reduce.h"

#endif
