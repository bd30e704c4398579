/* Reads the size that folders of built programs may have.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/base/cache_limit.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "cl/base/options.h"

static const uint64_t most_bytes = (uint64_t)4 << 30;
static uint64_t limit;
static bool is_known;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void read_limit(void)
{
    const char *text = ocl_options_get()->cache_limit;
    char *end = NULL;
    if (!text)
        return;
    errno = 0;
    const unsigned long long bytes = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end != '\0') {
        ocl_options_refuse("CUDA_CACHE_MAXSIZE", text, "it takes a number of bytes");
        return;
    }
    limit = errno == ERANGE || bytes > most_bytes ? most_bytes : bytes;
    is_known = true;
}

bool ocl_cache_limit(uint64_t *bytes)
{
    pthread_once(&once, read_limit);
    if (is_known)
        *bytes = limit;
    return is_known;
}
