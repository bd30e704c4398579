/* Kernels that launch kernels: what their threads wrote down, launched when the grid has ended. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_PTX_LAUNCHES_H
#define OCL_PTX_LAUNCHES_H

#include "cl/check/check_transfer.h"
#include "cl/launch/kernel_call.h"

/* Memory for what the threads of one grid at a time launch; a program keeps what it does not use for the next launch. */
struct ocl_launches;

/* Before a launch of a kernel that launches others: fills in call->memory.launches, for a launch of the host's with memory
 * that nobody else uses meanwhile.
 * Errors: OCL_E_OUT_OF_MEMORY; the driver's. */
ocl_status ocl_launches_begin(struct ocl_call *call);

/* For the checks: the host's launch, of which all is a part that its threads launch. */
struct ocl_check_origin *ocl_launches_origin(struct ocl_launches *launches);

/* The device address of its struct clem_launches; 0 for NULL. */
uint64_t ocl_launches_address(const struct ocl_launches *launches);

/* Behind the command of a launch of the host's: before anything else of the queue's, what its threads launched is launched,
 * and what those launch, and all of it completes. The caller waits for that only where the queue cannot be held without.
 * Order:  after the command was given to the queue.
 * Errors: the context's failure. */
ocl_status ocl_launches_follow(struct ocl_call *call, struct ocl_queue *queue);

/* Gives the memory back, unless what follows has it. */
void ocl_launches_end(const struct ocl_call *call);

/* Part of ocl_program_release(): waits for what the program's kernels have launched. */
void ocl_launches_release(struct ocl_program *program);

#endif
