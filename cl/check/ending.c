/* The begin and the end of a process that is checked.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cl/check.h"
#include "cl/check/guard.h"
#include "cl/check/report.h"
#include "cl/check/wishes.h"
#include "cl/check_made.h"

static pid_t process;

/* What the program leaves so is nothing that it has forgotten, and the status is its own. */
static void end_quickly(void)
{
    if (getpid() != process)
        return;
    ocl_guard_check_all();
    (void)ocl_report_end(0);
}

static void begin(void)
{
    process = getpid();
    (void)at_quick_exit(end_quickly);
    ocl_report_begin();
}

__attribute__((constructor)) static void load(void)
{
    ocl_check_begin_by(begin);
}

/* After all exit handlers and the destructors of what uses this library: what the program frees there is freed. */
__attribute__((destructor)) static void end(void)
{
    int before;
    if (!ocl_check_has_ended(&before))
        return;
    ocl_guard_check_all();
    ocl_check_heap_leave(NULL);
    ocl_made_tell_left();
    const int status = ocl_report_end(before);
    if (status != before) {
        (void)fflush(NULL);
        _exit(status);
    }
}
