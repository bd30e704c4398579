/* Memory that is filled: all of its bytes were written, so that kernels need not look at what stands for them. Private to cl/check/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_CHECK_FILLED_H
#define OCL_CHECK_FILLED_H

#include "cl/check/check_table.h"

/* Memory is somebody's from now on, with its `written`. */
void ocl_check_filled_begin(struct ocl_checked_memory *memory);

/* Whether so many bytes are all OCL_WRITTEN. */
bool ocl_check_are_written(const unsigned char *written, uint64_t bytes);

/* Looks whether it is filled by now: goes on where it came to an end before. */
void ocl_check_see_filled(struct ocl_checked_memory *memory);

/* Whoever makes bytes from an address on others than OCL_WRITTEN does so between these: kernels look at them from then on. Needs: no
 * lock is taken meanwhile. memory: that they are in; NULL: they are none of device memory. */
void ocl_check_unfill_begin(struct ocl_checked_memory *memory, uint64_t address, uint64_t bytes);
void ocl_check_unfill_end(void);

#endif
