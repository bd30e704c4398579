/* What compilers insert into host programs: fat binaries, host functions and variables registered
 * before main.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_REGISTRATION_H
#define FACADE_REGISTRATION_H

#include "facade/library.h"

/* The function that a registered host function stands for. Errors: cudaErrorInvalidDeviceFunction
 * when nothing is registered at that address, cudaErrorNoKernelImageForDevice when its code is no
 * OpenCL device's. */
cudaError_t facade_registered_function(const void *host_function,
                                       struct facade_function **function);

#endif
