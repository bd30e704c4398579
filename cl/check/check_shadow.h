/* Which bytes of memory were written: one byte for each of device memory and of shared memory. Private to cl/check/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_CHECK_SHADOW_H
#define OCL_CHECK_SHADOW_H

#include "cl/check/check_launch.h"
#include "cl/check/check_table.h"

/* What is known of a byte; other numbers are of bytes of which some bits were written. */
enum ocl_written {
    OCL_UNWRITTEN,
    OCL_WRITTEN,
    OCL_COMPUTED /* what was written was made of bytes that were not */
};

/* Which bits of a byte were not written, and what is known of such a byte then. */
unsigned ocl_unwritten_bits(unsigned char written);
unsigned char ocl_written_but(unsigned bits, bool is_computed);

/* Of an access's bytes, the first first: enum ocl_written. NULL: all of them were written. */
unsigned char *ocl_check_written(const struct ocl_access *access);

/* Likewise of device memory from an address on; *bytes is how many of those it answers for. */
unsigned char *ocl_check_written_at(uint64_t address, uint64_t *bytes);

/* A block begins: nothing is in its shared memory, at an address of the host's. */
void ocl_check_shared_begins(const struct ocl_access *access, uint64_t shared);

/* How many of its bytes are followed, and where they are for shared memory at an address of the host's: 0 without memory. */
uint64_t ocl_check_shared_bytes(const struct ocl_check_launch *launch);
uint64_t ocl_check_shared_shadow(uint64_t shared);

/* From now on the launch's accesses are looked at before they call, or all call: where values are followed. */
void ocl_check_look(struct ocl_check_launch *launch, bool may_look);

#endif
