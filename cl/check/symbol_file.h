/* Names of functions that a program does not export. Private to check/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_SYMBOL_FILE_H
#define OCL_SYMBOL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The function of an ELF file of this machine's that holds a byte, by its own table of symbols, which linkers leave in what is
 * not stripped. at: from where the file is loaded. name gets as much as there is room for; *offset: from the function's begin.
 * false: none is known. Allocates nothing; one mapping of the file at a time. */
bool ocl_symbol_find(const char *path, uintptr_t at, char *name, size_t room, uintptr_t *offset);

#endif
