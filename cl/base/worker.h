/* A thread that runs posted functions in order. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_WORKER_H
#define OCL_WORKER_H

#include <stdbool.h>

#include "cl/status.h"

struct ocl_worker;

/* Makes a worker without a thread: ocl_worker_start() or the first post starts it. Errors:
 * OCL_E_OUT_OF_MEMORY. */
ocl_status ocl_worker_create(struct ocl_worker **worker);

/* Runs what was posted, then ends the thread. Safe on NULL and from the worker's own thread (then
 * the rest runs, and the worker goes, after the task that called this).
 * Needs:  nobody posts any more, the worker's own tasks excepted. */
void ocl_worker_destroy(struct ocl_worker *worker);

/* Makes sure that the thread runs. Called before a callback is registered that will post: a
 * callback has nobody to report a missing thread to. Errors: OCL_E_OUT_OF_MEMORY when the system
 * gives no thread. */
ocl_status ocl_worker_start(struct ocl_worker *worker);

/* Whether the caller is one of its tasks. */
bool ocl_worker_is_this_thread(struct ocl_worker *worker);

/* Adds a task; never blocks. OpenCL callbacks may call this and nothing else of clem.
 * Needs: node is the caller's and lives until function has begun to run. */
struct ocl_worker_task {
    struct ocl_worker_task *next;
    void (*function)(struct ocl_worker_task *task);
};
void ocl_worker_post(struct ocl_worker *worker, struct ocl_worker_task *task);

#endif
