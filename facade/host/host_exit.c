/* The C library's exit(), defined over it: what ends a process that hangs in its exit handlers (cl/context/interrupted.c)
 * has to know how it wanted to end.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <unistd.h>

#include "cl/process.h"
#include "facade/host/host_next.h"

#if FACADE_STANDS_IN

typedef void exit_function(int status);

EXPORTED __attribute__((noreturn)) void exit(int status)
{
    exit_function *const next = (exit_function *)NEXT(exit);
    ocl_process_note_status(status);
    if (next != NULL)
        next(status);
    _exit(status);
}

#else

typedef int facade_no_exit;

#endif
