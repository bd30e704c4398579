/* Values that nobody wrote, in registers: a value is there for each that has bytes of them. Private to cl/check/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_CHECK_VALUES_H
#define OCL_CHECK_VALUES_H

#include "cl/check/check_launch.h"

/* Where a value was read that nobody had written. */
struct ocl_unwritten {
    unsigned space; /* CLEM_CHECK_... */
    uint64_t address, offset;
    uint32_t line, location;
    uint32_t bytes; /* of what was read, where the value is that, maybe with zeros above; else 8 */
    bool is_computed; /* the value is made of it, and no copy */
};

/* The bits of a register (0: none, and a name of 0) that nobody wrote; *from is set where there are any. */
uint64_t ocl_check_value(const struct ocl_access *access, uint32_t name,
                         struct ocl_unwritten *from);

/* From now on the thread's register has these. */
void ocl_check_set_value(const struct ocl_access *access, uint32_t name, uint64_t bits,
                         const struct ocl_unwritten *from);

/* The block of an access has ended. */
void ocl_check_forget_values(const struct ocl_access *access);

#endif
