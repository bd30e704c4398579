/* The device header in users' OpenCL C. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_PROGRAM_INCLUDE_H
#define OCL_PROGRAM_INCLUDE_H

#include <stdbool.h>
#include <stddef.h>

/* A NUL-terminated copy of text in which directives that include a file of kernels/device/ are
 * replaced by the embedded header, with #line directives around it so that compilers count the
 * user's lines as before. *bytes is the length before and after; *has_header says whether there was
 * such a directive.
 * Owns:   the caller frees it. NULL only without memory. */
char *ocl_program_include(const char *text, size_t *bytes, bool *has_header);

#endif
