/* A command that has the device for itself. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_QUEUE_ALONE_H
#define OCL_QUEUE_ALONE_H

#include "cl/queue.h"
#include "cl/state/state.h"

/* Makes what queue gets next wait for all that the queues of the device have got, of whatever context of the process, and keeps
 * others from enqueuing until the end. The caller gives queue one command of OCL_COMMAND_ALONE in between, and calls end also
 * after errors, and where the driver refused that command. Afterwards all that the device gets waits for the queue.
 * Needs:  a context that gathers. Order: one thread at a time, others wait for it: nobody waits for work in between.
 * Errors: the driver's; the sticky failure. */
ocl_status ocl_alone_begin(struct ocl_queue *queue);
ocl_status ocl_alone_end(struct ocl_queue *queue);

/* The kind of a queue for trials whose commands are best alone. OCL_QUEUE_APART, of one that waits for no other, where the host holds
 * up work of the device's for longer than a second, for which this waits: whoever waits for the trial may be the one who is to let
 * it go on. Such a trial may miss groups, in whose place others' are. */
enum ocl_queue_kind ocl_alone_kind(const struct ocl_context *context);

#endif
