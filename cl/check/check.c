/* Which checks are wanted.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "cl/check/check_launch.h"
#include "cl/check/stack.h"
#include "cl/check/suppress.h"
#include "cl/check/wishes.h"

static struct ocl_check_wishes wishes;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic bool is_ready, is_exiting;
static int exit_status;
static pid_t process;

static void note_exit(int status, void *unused)
{
    (void)unused;
    exit_status = status;
    atomic_store(&is_exiting, true);
}

static void start(void)
{
    ocl_check_read_wishes(&wishes);
    if (wishes.kinds != 0) {
        struct ocl_stack first; /* loads the unwinder: not in the middle of something, later */
        ocl_check_stack(&first);
        process = getpid();
        if (wishes.kinds & OCL_CHECK_RACE)
            ocl_check_prepare_races();
        on_exit(note_exit, NULL);
        if (wishes.refused)
            ocl_suppress_read(wishes.refused);
    }
    atomic_store_explicit(&is_ready, true, memory_order_release);
}

const struct ocl_check_wishes *ocl_check_wishes(void)
{
    return &wishes;
}

unsigned ocl_check_wanted(void)
{
    if (!atomic_load_explicit(&is_ready, memory_order_acquire))
        pthread_once(&once, start);
    return wishes.kinds;
}

bool ocl_check_wants(unsigned checks)
{
    return (ocl_check_wanted() & checks) != 0;
}

bool ocl_check_has_ended(int *status)
{
    *status = exit_status;
    return atomic_load(&is_ready) && wishes.kinds != 0 && atomic_load(&is_exiting) &&
           getpid() == process;
}
