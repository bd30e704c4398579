/* What the files about memory share. Private to kernels/ptx/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_EMIT_EMIT_MEMORY_H
#define KERNELS_PTX_EMIT_EMIT_MEMORY_H

#include "kernels/ptx/emit/emit.h"

/* address.c: "clem_u32_a", "clem_f32x4_a": a type of library/memory.cl that may alias any other. */
const char *ptx_memory_type(struct ptx_emitter *e, enum ptx_type type, unsigned width);

/* emit_parameter.c: ld and st of what is not in memory of the kernel's but among its own parameters, or those of a call. */
void ptx_emit_load_parameter(struct ptx_emitter *e, const struct ptx_instruction *in);
void ptx_emit_store_parameter(struct ptx_emitter *e, const struct ptx_instruction *in);

/* emit_mbarrier.c: cp.async.mbarrier.arrive. Copies are made at once; without .noinc they arrive beside the threads that the
 * barrier counts, for which nothing is written. */
void ptx_emit_copies_arrive(struct ptx_emitter *e, const struct ptx_instruction *in);
/* And that so many bytes have come, which a barrier at an address expects. */
void ptx_emit_bytes_arrive(struct ptx_emitter *e, const struct ptx_operand *barrier,
                           const char *bytes);

#endif
