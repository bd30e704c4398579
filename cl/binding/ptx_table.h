/* The table of a context's textures and surfaces in device memory, for kernels from PTX that learn only
 * when they run which object they read. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_PTX_TABLE_H
#define OCL_PTX_TABLE_H

#include "cl/state/state.h"
#include "kernels/device/clem_texture_facts.h"

/* Around a launch: brings the table up to date with all objects that are there, and keeps it where it
 * is until the launch is enqueued.
 * Locks:  as many threads as like may begin; they wait for the one that writes. None is held.
 * Errors: OCL_E_OUT_OF_MEMORY; the driver's. The caller ends after errors too. */
ocl_status ocl_table_begin(struct ocl_context *context);
void ocl_table_end(struct ocl_context *context);

/* The device address of row 0: object id & 0xfffff is its row.
 * Needs:  ocl_table_begin(). */
uint64_t ocl_table_address(const struct ocl_context *context);

/* An object as the table has it. */
struct ocl_texture;
struct clem_texture ocl_table_row(const struct ocl_texture *texture);

/* After a launch that may have written any surface was enqueued: as ocl_array_written() for all. */
ocl_status ocl_table_written(struct ocl_queue *queue);

/* When the context closes.
 * Needs:  all its work is complete. */
void ocl_table_destroy(struct ocl_context *context);

#endif
