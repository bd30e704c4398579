/* The compiler inside a driver. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_DRIVER_LLVM_H
#define OCL_DRIVER_LLVM_H

#include <stdbool.h>

/* The first number of the LLVM that a platform's version names, as PoCL's do; 0: none. */
unsigned ocl_driver_llvm_major(const char *platform_version);

/* The path of a library of that LLVM that is in the process; NULL where there is none, as where a driver has its LLVM within.
 * Owns: the caller frees it. */
char *ocl_driver_llvm_path(unsigned major);

/* Gives all libraries of that LLVM in the process one of LLVM's own options, "-name=value". An option that it does not
 * have changes nothing. False: there is no such library, or it has no such function; a driver may have its LLVM within. */
bool ocl_driver_llvm_set(unsigned major, const char *option);

/* For PoCL 6, once, before the first build: see there. */
void ocl_driver_llvm_tame(int pocl_major, const char *platform_version);

#endif
