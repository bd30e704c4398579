/* The log of messages for users (compiler logs, refusals), as runtime and driver API share it.
 * Private to facade/state/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_LOG_H
#define FACADE_LOG_H

#include "facade/state/internal.h"

/* Adds a message to the log and calls the registered callbacks; what cl/ reports comes here too. */
void facade_log(bool is_error, const char *message);

cudaError_t facade_log_register(cudaLogsCallback_t function, void *data, void **handle);
cudaError_t facade_log_unregister(void *handle);

/* Number of messages logged so far: a position in the log. */
unsigned facade_log_position(void);

/* Writes the messages from *position on (from the oldest kept when position is NULL), one per line,
 * and moves *position behind them. Errors: cudaErrorInvalidValue, also when the file cannot be
 * written or the buffer holds no message. */
cudaError_t facade_log_to_file(unsigned *position, const char *path, unsigned flags);
cudaError_t facade_log_to_memory(unsigned *position, char *buffer, size_t *bytes, unsigned flags);

#endif
