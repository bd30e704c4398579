/* Little work of the host's that comes behind short launches, within their command.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/queue/chain.h"
#include "cl/queue/command.h"

ocl_status ocl_chain_try(struct ocl_queue *queue, struct ocl_piece_of_chain *piece, bool *is_taken)
{
    struct ocl_command command;
    *is_taken = false;
    const ocl_status status = ocl_command_begin(&command, queue, OCL_COMMAND_CHAINED);
    if (status != OCL_OK)
        return status;
    *is_taken = ocl_chain_add(queue, piece);
    command.count += *is_taken;
    ocl_command_end(&command);
    return OCL_OK;
}
