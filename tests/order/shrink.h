/* Makes a failing program smaller.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ORDER_SHRINK_H
#define ORDER_SHRINK_H

#include "program.h"

/* fails: whether a program still fails in so many runs. */
typedef bool fails(void *data, const struct program *program, int times);

/* shrink: drops commands, threads and bytes from the program while it fails. */
void shrink(struct program *program, fails *still_fails, void *data);

#endif
