/* Reads the environment variables of CUDA's.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/state/environment.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct facade_environment environment;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool is_word(const char *variable, const char *word)
{
    const char *value = secure_getenv(variable);
    return value != NULL && strcmp(value, word) == 0;
}

static void read_environment(void)
{
    const char *blocking = secure_getenv("CUDA_LAUNCH_BLOCKING");
    const char *file = secure_getenv("CUDA_LOG_FILE");
    environment.launches_wait = blocking != NULL && strtol(blocking, NULL, 10) != 0;
    environment.log_file = file != NULL && file[0] != '\0' ? strdup(file) : NULL;
    environment.loads_eagerly = is_word("CUDA_MODULE_LOADING", "EAGER");
}

const struct facade_environment *facade_environment(void)
{
    pthread_once(&once, read_environment);
    return &environment;
}
