/* How programs get their symbols, and launches the blocks that hold them. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_SYMBOLS_PRIVATE_H
#define OCL_SYMBOLS_PRIVATE_H

#include "cl/symbols.h"

/* Makes the memory of a program's symbols, once. kinds: 1 << kind for each block that the caller
 * needs. Errors: those of ocl_program_find_symbol(). */
ocl_status ocl_symbols_ready(struct ocl_program *program, unsigned kinds);

/* The device address of the block that holds the symbols of a kind. Needs: ocl_symbols_ready()
 * returned OCL_OK for it. */
uint64_t ocl_symbols_block(const struct ocl_program *program, enum ocl_symbol_kind kind);

/* Frees the memory. Order: waits for the work of the context that was submitted before. */
void ocl_symbols_release(struct ocl_program *program);

#endif
