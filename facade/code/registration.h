/* What compilers insert into host programs: fat binaries, host functions and variables registered
 * before main. Private to facade/code/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_REGISTRATION_H
#define FACADE_REGISTRATION_H

#include "facade/code/library.h"

/* The function that a registered host function stands for. Errors: cudaErrorInvalidDeviceFunction
 * when nothing is registered at that address, cudaErrorNoKernelImageForDevice when its code is no
 * OpenCL device's. */
cudaError_t facade_registered_function(const void *host_function,
                                       struct facade_function **function);

/* The variable, in the current context, that a registered host variable stands for; a managed
 * variable is known by its address, once the host's pointer has it.
 * Errors: cudaErrorInvalidSymbol when nothing is registered at that address or its code has no such
 *         variable; those of facade_library_symbol(). */
cudaError_t facade_registered_symbol(const void *host_variable, struct ocl_symbol *symbol);

/* The library of a binary, by the handle that __cudaRegisterFatBinary gave; loaded at the first
 * request. Errors: those of facade_library_load() and facade_library_module(). */
cudaError_t facade_registered_library(void **handle, struct facade_library **library);

/* The first variable of that name in any registered code. Errors: cudaErrorInvalidSymbol. */
cudaError_t facade_registered_name(const char *name, struct ocl_symbol *symbol);

#endif
