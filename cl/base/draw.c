/* Numbers for the names of files that do not have their own names yet.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/base/draw.h"

#include <sys/random.h>
#include <time.h>
#include <unistd.h>

uint64_t ocl_draw_number(void)
{
    uint64_t number = 0;
    struct timespec now;

    if (getrandom(&number, sizeof number, GRND_NONBLOCK) == (ssize_t)sizeof number)
        return number;
    clock_gettime(CLOCK_REALTIME, &now);
    return ((uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec) * 0x9e3779b97f4a7c15u ^
           (uint64_t)getpid();
}
