/* What native kernels call that is not in their text. Private to cl/native/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_NATIVE_SYMBOL_H
#define OCL_NATIVE_SYMBOL_H

/* The function of the name: of the translator's runtime, or one that LLVM calls by itself. NULL: there is none. */
void *ocl_native_symbol(const char *name);

#endif
