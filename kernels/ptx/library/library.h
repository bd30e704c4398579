/* The OpenCL C library that translated kernels draw on. Private to kernels/ptx/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_LIBRARY_H
#define KERNELS_PTX_LIBRARY_H

#include "kernels/kernels.h"
#include "kernels/ptx/analyse/plan.h"

/* Every file of kernels/ptx/library/; the entry after the last has no name. */
extern const struct kernel_source ptx_library_sources[];

/* kernels/ptx/library/ is OpenCL C whose names begin with "clem_" (types, macros and functions
 * alike). Every definition begins in column 0 and ends before the next blank line that is followed
 * by something in column 0. Emitters just write clem_something(...) into the text; in the end
 * ptx_link() puts those definitions in front that the text uses, and those that they use. */
void ptx_link(struct ptx_emitter *e, struct ptx_text *whole, const char *text);

/* Where the library's text defines a name, or NULL. */
const char *ptx_library_find(struct ptx_emitter *e, const char *name);

#endif
