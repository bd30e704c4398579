/* Nodes of graphs that call host functions, record events and wait for them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_STREAM_WORK_H
#define FACADE_STREAM_WORK_H

#include "facade/graph/work.h"

/* Each makes a work with one reference for the caller. Errors: cudaErrorInvalidValue without function or parameters;
 * those of facade_event_find(); cudaErrorMemoryAllocation. */
cudaError_t facade_work_of_host(const struct cudaHostNodeParams *params, struct facade_work **work);
cudaError_t facade_work_of_record(cudaEvent_t event, struct facade_work **work);
cudaError_t facade_work_of_wait(cudaEvent_t event, struct facade_work **work);

/* What they were made from. Needs: a work of that kind. */
struct cudaHostNodeParams facade_work_host(const struct facade_work *work);
cudaEvent_t facade_work_event(const struct facade_work *work);

#endif
