/* Object files in memory that can be called. Private to cl/native/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_NATIVE_CODE_H
#define OCL_NATIVE_CODE_H

#include <stdbool.h>
#include <stddef.h>

/* The pages of an object. None of them is ever writable and executable at once; once it is loaded, only its variables are
 * writable. */
struct ocl_code {
    unsigned char *base;
    size_t bytes;
    unsigned char *
        object; /* the file, whose sections say where they are: for debuggers. NULL without memory */
    size_t object_bytes;
};

/* Where a name is that an object does not define; NULL: nowhere. */
typedef void *ocl_code_resolver(const char *name);

/* Puts an ELF file for relocation, of this processor, into memory, and finds the functions of these names in it.
 * Shape:  data is aligned as malloc() aligns. Any bytes may be given: what is no such file, or has what compilers do not write
 *         for kernels, is refused.
 * Returns NULL, or what is wrong: words or the name of a symbol that nobody defines, constant or within data. Then there is
 *         nothing to unload.
 * Source: System V ABI, chapter 4; psABI of x86-64, 4.4; ELF for the Arm 64-bit Architecture, 5.7. */
const char *ocl_code_load(const unsigned char *data, size_t bytes, ocl_code_resolver *resolve,
                          const char *const names[], void *functions[], size_t count,
                          struct ocl_code *code);
void ocl_code_unload(const struct ocl_code *code);

#endif
