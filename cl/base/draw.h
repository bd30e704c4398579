/* Numbers for the names of files that do not have their own names yet.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CL_DRAW_H
#define CL_DRAW_H

#include <stdint.h>

/* Another one each time, in other processes too: those in different containers may have the same number and share a folder.
 * Where the system has no random numbers yet the clock is good enough: O_EXCL makes sure. */
uint64_t ocl_draw_number(void);

#endif
