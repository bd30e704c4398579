/* In-order queues: ordering between them, waiting, host functions, sticky failures.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_QUEUE_H
#define OCL_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "cl/context.h"
#include "cl/status.h"

struct ocl_queue;
struct ocl_event;

enum ocl_queue_kind {
    OCL_QUEUE_LEGACY,   /* waits for, and is waited for by, every blocking queue; one per context */
    OCL_QUEUE_BLOCKING, /* synchronises with the legacy queue both ways */
    OCL_QUEUE_NON_BLOCKING, /* with none */
    OCL_QUEUE_APART /* with none, and it does not wait for what the whole context waits for */
};

/* Makes a queue. priority: 0 normal, negative higher; ignored where the driver has no priorities.
 * Owns: the caller destroys it; ocl_context_close() destroys what is left. */
ocl_status ocl_queue_create(struct ocl_context *context, enum ocl_queue_kind kind, int priority,
                            struct ocl_queue **queue);

/* Returns at once; the queue's work still completes and its resources go when it has. */
void ocl_queue_destroy(struct ocl_queue *queue);

struct ocl_context *ocl_queue_context(const struct ocl_queue *queue);

/* The context's legacy queue, made with the context. */
struct ocl_queue *ocl_queue_legacy(struct ocl_context *context);

/* Waits for all work submitted before. Errors: the context's sticky failure. */
ocl_status ocl_queue_finish(struct ocl_queue *queue);

/* OCL_OK when all work submitted before is complete, OCL_E_NOT_READY when not, otherwise the sticky
 * failure. */
ocl_status ocl_queue_query(struct ocl_queue *queue);

/* Runs function(data) on the context's worker thread after all earlier work of the queue and before
 * later work. run_after_failure: run it even when earlier work failed, with the failure as status.
 * Copies nothing. */
typedef void ocl_host_function(void *data, ocl_status status);
ocl_status ocl_queue_host_function(struct ocl_queue *queue, ocl_host_function *function, void *data,
                                   bool run_after_failure);

/* For the checks of what is in order: the calling thread gives the queue `count` nodes of a graph, which only edges order. For each
 * in turn: it is next; it comes after the one of that number, from 0 on. end: no more of them. */
void ocl_queue_graph_begin(struct ocl_queue *queue, size_t count);
void ocl_queue_graph_node(struct ocl_queue *queue);
void ocl_queue_graph_after(size_t earlier);
void ocl_queue_graph_end(struct ocl_queue *queue);

/* Runs function(data, failure) on a thread of the queue's own after all earlier work of the queue, also when that failed, and
 * before later work. It may submit to other queues and wait for them; what it returns is the context's failure from then on,
 * unless that is OCL_OK. Copies nothing. */
typedef ocl_status ocl_turn_function(void *data, ocl_status failure);
ocl_status ocl_queue_take_turn(struct ocl_queue *queue, ocl_turn_function *function, void *data);

#endif
