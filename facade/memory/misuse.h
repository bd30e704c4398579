/* What --check says of calls that use memory wrongly. Private to facade/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_MISUSE_H
#define FACADE_MISUSE_H

#include <stddef.h>
#include <stdint.h>

#include "facade/state/internal.h"

/* A call that frees has come to error. Says why, where checks are wanted and the pointer is the reason; a free that comes when
 * the process ends is one all the same. Returns error. what: what the call frees. */
cudaError_t facade_misuse_free(const void *pointer, const char *what, cudaError_t error);

/* A copy or fill of so many bytes does not fit where an end of it begins. */
void facade_misuse_range(uint64_t address, size_t bytes, const char *what);

/* Likewise of one in a kernel's variable. */
void facade_misuse_variable(size_t variable_bytes, size_t offset, size_t bytes);

/* The ends of a copy have bytes in common. */
void facade_misuse_overlap(uint64_t target, uint64_t source, size_t bytes);

#endif
