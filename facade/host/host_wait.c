/* The C library's waits for a child, defined over it. PoCL's compiler starts a linker, and takes it for failed, which
 * ends the process, where it cannot learn how it ended: the program ignores SIGCHLD, or has waited for all children.
 * Then it is told that the linker did its work; whether it did shows in the file that it should have written.
 * All other callers get the C library's answer.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>

#include "cl/process.h"
#include "facade/host/host_next.h"

#if FACADE_STANDS_IN

typedef pid_t wait4_function(pid_t child, int *status, int options, struct rusage *usage);
typedef pid_t waitpid_function(pid_t child, int *status, int options);

/* ECHILD for one child says that it has ended and that nobody can tell how. A forked child has no driver, and may not
 * wait for the loader's lock. */
static bool has_lost_child(pid_t result, pid_t child, const void *caller)
{
    if (result >= 0 || errno != ECHILD || child <= 0 || ocl_process_is_forked())
        return false;
    const bool is_driver = facade_is_driver(caller) || facade_is_compiler(caller);
    errno = ECHILD;
    return is_driver;
}

EXPORTED pid_t wait4(pid_t child, int *status, int options, struct rusage *usage)
{
    wait4_function *next = (wait4_function *)NEXT(wait4);
    if (next == NULL) {
        errno = ENOSYS;
        return -1;
    }
    const pid_t result = next(child, status, options, usage);
    if (!has_lost_child(result, child, __builtin_return_address(0)))
        return result;
    if (status != NULL)
        *status = 0;
    if (usage != NULL)
        memset(usage, 0, sizeof *usage);
    return child;
}

EXPORTED pid_t waitpid(pid_t child, int *status, int options)
{
    waitpid_function *next = (waitpid_function *)NEXT(waitpid);
    if (next == NULL) {
        errno = ENOSYS;
        return -1;
    }
    const pid_t result = next(child, status, options);
    if (!has_lost_child(result, child, __builtin_return_address(0)))
        return result;
    if (status != NULL)
        *status = 0;
    return child;
}

#endif
