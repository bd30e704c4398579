/* What launches have read of memory that was still, and no row of cells of races has yet: logs (kernels/ptx/library/check.h).
 * All but ocl_check_still_free() need: who calls may look for races. Private to check/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_CHECK_STILL_H
#define OCL_CHECK_STILL_H

#include <stdint.h>

struct clem_check_still;
struct ocl_race_order;

/* Logs are noted where other accesses are, but for those of which all is ordered before what has that order; NULL: all. */
void ocl_check_still_settle(const struct ocl_race_order *order);
/* They concern nobody any more; likewise those of some memory. */
void ocl_check_still_discard(void);
void ocl_check_still_forget(uint64_t address, uint64_t bytes);

/* Leaves out reads in a log of which later ones have each word, once it has become twice as long as it was then. */
void ocl_check_pack_log(struct clem_check_still *log, uint64_t memory_base, uint64_t memory_bytes);

/* A struct clem_check_still, or 0, whose memory is nobody's. */
void ocl_check_still_free(uint64_t still);

#endif
