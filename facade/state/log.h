/* The log of messages for users (compiler logs, refusals), as runtime and driver API share it.
 * Private to facade/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_LOG_H
#define FACADE_LOG_H

#include "facade/state/internal.h"

/* Adds a message to the log and calls the registered callbacks; what cl/ reports comes here too. */
void facade_log(bool is_error, const char *message);

/* What the functions of both APIs do. Positions count messages from the process's first on.
 * Errors: cudaErrorInvalidValue; cudaErrorInitializationError in a forked child; cudaErrorMemoryAllocation. */
cudaError_t facade_log_add_callback(cudaLogsCallback_t function, void *data, void **handle);
cudaError_t facade_log_remove_callback(void *handle);
cudaError_t facade_log_position(unsigned *position);
cudaError_t facade_log_to_file(unsigned *position, const char *path, unsigned flags);
cudaError_t facade_log_to_memory(unsigned *position, char *buffer, size_t *bytes, unsigned flags);

#endif
