/* The environment variables of CUDA's that are the facade's affair; cl/base/options.def has the others.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_ENVIRONMENT_H
#define FACADE_ENVIRONMENT_H

#include <stdbool.h>

/* Read at the first question, and constant afterwards. A program with more rights than who started it has none.
 * Source: CUDA C++ Programming Guide 13.0, CUDA Environment Variables. */
struct facade_environment {
    bool
        launches_wait; /* CUDA_LAUNCH_BLOCKING: a number other than 0: launches return when their kernels have ended */
    const char *
        log_file; /* CUDA_LOG_FILE: "stdout", "stderr" or a file that messages go to as well; NULL when unset */
    bool loads_eagerly; /* CUDA_MODULE_LOADING: EAGER */
};
const struct facade_environment *facade_environment(void);

#endif
