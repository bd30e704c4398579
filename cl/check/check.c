/* Which checks are wanted.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cl/check/stack.h"
#include "cl/check/suppress.h"
#include "cl/check/wishes.h"

static struct ocl_check_wishes wishes;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic bool is_ready, is_exiting;
static int exit_status;
static pid_t process;
static bool can_stop_threads;
static void (*begin)(void);

static void note_exit(int status, void *unused)
{
    (void)unused;
    exit_status = status;
    atomic_store(&is_exiting, true);
}

void ocl_check_begin_by(void (*by)(void))
{
    begin = by;
}

static void start(void)
{
    ocl_check_read_wishes(&wishes);
    if (wishes.kinds != 0) {
        struct ocl_stack first; /* loads the unwinder: not in the middle of something, later */
        ocl_check_stack(&first);
        process = getpid();
        can_stop_threads = (wishes.kinds & OCL_CHECK_RACE) &&
                           syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0,
                                   0) == 0; /* slow where there are threads already */
        on_exit(note_exit, NULL);
        if (begin)
            begin();
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

bool ocl_check_can_stop_threads(void)
{
    return can_stop_threads;
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
