/* The check of what was never written. Private to cl/check/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_CHECK_INIT_H
#define OCL_CHECK_INIT_H

#include "cl/check/check_launch.h"

/* Follows an access, which may be made, or the flow of a value. */
void ocl_check_init(const struct ocl_access *access);

#endif
