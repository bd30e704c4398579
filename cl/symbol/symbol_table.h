/* What a program's own table kernel tells of its symbols. Private to cl/symbol/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_SYMBOL_TABLE_H
#define OCL_SYMBOL_TABLE_H

#include "cl/program/kernel.h"
#include "cl/symbols.h"

/* The words of clem_symbol_table's answer; kernels/device/clem_symbols.h has the same. */
enum {
    OCL_TABLE_HEAD_COUNT,
    OCL_TABLE_HEAD_NAME_BYTES,
    OCL_TABLE_HEAD_BLOCK_BYTES,
    OCL_TABLE_HEAD_HAS_VALUES = 5,
    OCL_TABLE_HEAD_WORDS
};
enum {
    OCL_TABLE_ROW_KIND,
    OCL_TABLE_ROW_OFFSET,
    OCL_TABLE_ROW_BYTES,
    OCL_TABLE_ROW_NAME,
    OCL_TABLE_ROW_WORDS
};

/* values: what the blocks hold at first; NULL: zeros. */
struct ocl_symbol_table {
    size_t row_room, name_room;
    cl_ulong *words; /* the head, then the rows */
    char *names;
    unsigned char *values[OCL_SYMBOL_KINDS];
};

/* How large the block of a kind is; 0: the program has none. */
static inline size_t ocl_symbol_table_block_bytes(const struct ocl_symbol_table *table, int kind)
{
    return (size_t)table->words[OCL_TABLE_HEAD_BLOCK_BYTES + kind];
}

/* Runs the kernel on the context's own queue and waits for it. Needs: *table is zero.
 * Owns:   the caller frees the parts, whatever was returned.
 * Errors: OCL_E_OUT_OF_MEMORY; the driver's. */
ocl_status ocl_symbol_table_read(const struct ocl_program *program, struct ocl_symbol_table *table);
void ocl_symbol_table_free(struct ocl_symbol_table *table);

#endif
