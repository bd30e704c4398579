/* Copies that are made at any time until their thread has waited for them. Private to cl/check/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_CHECK_LATER_H
#define OCL_CHECK_LATER_H

#include "cl/check/check_launch.h"

/* Keeps an access of such a copy until it is complete. false: without memory; it is told of at once. */
bool ocl_check_put_off(const struct ocl_access *access);

/* Reports an access of the thread's own to what it still copies. */
void ocl_check_early(const struct ocl_access *access);

/* CLEM_CHECK_GROUP: calls maker with each access of the thread that is complete then; at the end of a block, all threads'. */
typedef void (*ocl_check_maker)(const struct ocl_access *access);
void ocl_check_group(const struct ocl_access *access, ocl_check_maker maker);
void ocl_check_end_groups(const struct ocl_access *access, ocl_check_maker maker);

#endif
