/* The test program that has variables, and the ways in which it is handed over.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ORACLE_SYMBOLS_H
#define ORACLE_SYMBOLS_H

#include <cuda_runtime_api.h>
#include <stddef.h>

/* symbol_source: PTX for a native run, OpenCL C for clem. Both declare
 *     device int counter = 7; constant int table[64]; constant int squares[8] = {0, 1, 4, ...};
 *     device long zeroed[32]; managed int progress = 5;
 * and the kernel read_symbols (int *out). */
const char *symbol_source(void);

/* symbol_fat_binary: what __cudaRegisterFatBinary takes for that program. */
void *symbol_fat_binary(void);

#ifdef ORACLE_NATIVE
/* What compilers call; published only for their use. */
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
char __cudaInitModule(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int limit, void *thread, void *block, void *block_size, void *grid_size,
                            int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
                       size_t size, int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
                              int external, size_t size, int constant, int global);
#else
#include <crt/host_runtime_abi.h>
#endif

#endif
