/* Pages that the host writes unseen. Private to cl/check/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_CHECK_PAGES_H
#define OCL_CHECK_PAGES_H

#include "cl/check/check_table.h"

/* Of memory with `has_pages`: bytes of pages that anybody has touched become written, where some of these bytes are not. written: the
 * memory's. Needs: the bytes are in the memory, > 0. */
void ocl_check_look_at_pages(struct ocl_checked_memory *memory, unsigned char *written,
                             uint64_t address, uint64_t bytes);

#endif
