/* The log of messages for users (compiler logs, refusals), as runtime and driver API share it.
 * Private to facade/state/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_LOG_H
#define FACADE_LOG_H

#include "facade/state/internal.h"

/* Adds a message to the log and calls the registered callbacks; what cl/ reports comes here too. */
void facade_log(bool is_error, const char *message);

#endif
