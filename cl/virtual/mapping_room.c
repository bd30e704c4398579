/* How many ranges of pages the process may still have. The system counts them, and where it has no more, drivers and their
 * compilers get no memory and end the process: so some are left for those.
 * SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "cl/base/options.h"
#include "cl/base/steady.h"
#include "cl/virtual/virtual_private.h"
#include "cl/whole.h"

/* A mapping cuts its range out of the addresses around it, and again when its access is another one. What is left to others is
 * one in so many of all. */
enum { RANGES_OF_ONE = 4, RESERVE_SHARE = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf, held while files are read */
static uint64_t credit; /* what may be taken before the system is asked again (lock) */

/* 0: nobody knows. */
static uint64_t most_ranges(void)
{
    const char *root = ocl_options_get()->host_root;
    char path[PATH_MAX];
    uint64_t most = 0;
    if (snprintf(path, sizeof path, "%s/proc/sys/vm/max_map_count", root ? root : "") >= PATH_MAX)
        return 0;
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    if (fscanf(file, "%" SCNu64, &most) != 1)
        most = 0;
    fclose(file);
    return most;
}

/* A line of the list for each. */
static uint64_t count_ranges(void)
{
    char text[4096];
    uint64_t count = 0;
    ssize_t got;
    const int file = whole_open("/proc/self/maps", O_RDONLY, 0);
    if (file < 0)
        return 0;
    while ((got = whole_read(file, text, sizeof text)) > 0)
        for (ssize_t i = 0; i < got; i++)
            count += text[i] == '\n';
    close(file);
    return count;
}

/* Lock held. Counting costs a microsecond for each range, so it is done only when all that was left at the last time may have been
 * taken since. */
static void ask(void)
{
    const uint64_t most = most_ranges();
    const uint64_t taken = most > 0 ? count_ranges() : 0;
    const uint64_t usable = most - most / RESERVE_SHARE;
    if (taken == 0)
        credit = UINT64_MAX;
    else
        credit = taken < usable ? usable - taken : 0;
}

bool ocl_virtual_has_room(void)
{
    const int before = ocl_steady_begin();
    pthread_mutex_lock(&lock);
    if (credit < RANGES_OF_ONE)
        ask();
    const bool has = credit >= RANGES_OF_ONE;
    if (has)
        credit -= RANGES_OF_ONE;
    pthread_mutex_unlock(&lock);
    ocl_steady_end(before);
    return has;
}
