/* What ptx.h tells of a module, computed once it is parsed. Private to kernels/ptx/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_LAYOUT_H
#define KERNELS_PTX_LAYOUT_H

#include "kernels/ptx/ir/ir.h"

/* Entries, blocks of variables, relocations, references. Returns NULL, or what is wrong with the
 * module, in the module's memory. May leave by the arena's jump. */
const char *ptx_lay_out(struct ptx_module *module);

/* Makes PTX_OPCODES of instructions whose operands are not those of their opcode (check.c). */
void ptx_check_instructions(struct ptx_module *module);

/* parse/cluster.c: makes of an instruction of clusters, which has its operands, one of a block; whether it was one. */
bool ptx_read_cluster(struct ptx_module *module, struct ptx_instruction *in);

/* Parameters of functions whose address is taken become .local variables, which the ISA says that they
 * are then (parameters.c). */
void ptx_place_parameters(struct ptx_module *module);

#endif
