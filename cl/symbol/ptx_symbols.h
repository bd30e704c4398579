/* The variables of PTX modules, as tables of symbols. Private to cl/symbol/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_PTX_SYMBOLS_H
#define OCL_PTX_SYMBOLS_H

#include "cl/symbol/symbol_table.h"

/* As ocl_symbol_table_read(), for the program of a PTX module.
 * Errors: OCL_E_OUT_OF_MEMORY. */
ocl_status ocl_ptx_read_symbols(const struct ocl_program *program, struct ocl_symbol_table *table);

/* Puts into the table's values what depends on where the blocks are: addresses of variables, and
 * numbers of functions. */
void ocl_ptx_relocate(const struct ocl_program *program, const uint64_t addresses[OCL_SYMBOL_KINDS],
                      const struct ocl_symbol_table *table);

/* Then, where the managed block is the host's memory: writes addresses there that were not known
 * when the host's variables got their first values. */
void ocl_ptx_complete_managed(const struct ocl_program *program,
                              const struct ocl_symbol_table *table);

#endif
