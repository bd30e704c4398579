/* The variables of a program that outlive its launches: constants, device and managed variables.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_SYMBOLS_H
#define OCL_SYMBOLS_H

#include "cl/program.h"

enum ocl_symbol_kind {
    OCL_SYMBOL_CONSTANT, /* kernels only read it */
    OCL_SYMBOL_DEVICE,
    OCL_SYMBOL_MANAGED, /* in managed memory: one pointer for host and kernels */
    OCL_SYMBOL_KINDS
};

/* The address is that of the first byte, in the middle of an allocation and never where one starts;
 * 0 for a managed symbol where the context has no managed memory. */
struct ocl_symbol {
    const char *name; /* the program's */
    enum ocl_symbol_kind kind;
    uint64_t address;
    size_t bytes;
};

/* The symbol of that name. The first question, and the first launch of a kernel that uses symbols,
 * makes the memory of all symbols of the program and gives them their first values.
 * Shape:  symbols are those of kernels/device/clem_symbols.h; a program without it has none. The
 *         memory is ordinary for copies, fills and kernels, and goes with the program.
 * Locks:  as many threads as like may ask; they wait for the one that makes them.
 * Errors: OCL_E_NOT_FOUND; OCL_E_OUT_OF_MEMORY; OCL_E_NOT_SUPPORTED for a managed one where the
 *         context has no managed memory (logged); the driver's. */
ocl_status ocl_program_find_symbol(struct ocl_program *program, const char *name,
                                   struct ocl_symbol *symbol);

/* Memory of the host's that is the managed variables of PTX programs: each program's variables lie in
 * it at offsets that the host knows. Names that a program does not have are passed over. */
struct ptx_managed_place;
struct ocl_managed_variables {
    void *start; /* adopted: ocl_managed_adopt() */
    size_t bytes;
    const struct ptx_managed_place *places; /* kernels/ptx/ptx.h; read during the call only */
    size_t count;
};

/* Makes variables of a PTX program those of the host. They keep the values that the host's have.
 * Needs:  nobody asked for the program's symbols or kernels' facts yet.
 * Errors: OCL_E_NOT_SUPPORTED (logged) when the program has managed variables that are not named, or
 *         the memory cannot be adopted; OCL_E_OUT_OF_MEMORY. */
ocl_status ocl_program_share_variables(struct ocl_program *program,
                                       const struct ocl_managed_variables *variables);

/* How many there are. Errors: as above, never OCL_E_NOT_SUPPORTED. */
ocl_status ocl_program_symbol_count(struct ocl_program *program, size_t *count);

#endif
