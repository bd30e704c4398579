/* An OpenCL layer in which every function that clem calls is a cancellation point, as any of a driver's may be. It tells
 * STUB_CANCELLED, a file, the names of those that were called where a thread may be cancelled.
 * SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/stub/layer.h"

static const struct _cl_icd_dispatch *target;

static void tell(const char *name)
{
    const char *path = getenv("STUB_CANCELLED");
    const int file = path ? open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (file < 0)
        return;
    (void)!write(file, name, strlen(name));
    (void)!write(file, "\n", 1);
    close(file);
}

static void may_end(const char *name)
{
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    if (before == PTHREAD_CANCEL_ENABLE)
        tell(name);
    pthread_setcancelstate(before, &(int){0});
    pthread_testcancel();
}

#define CALL(type, name, parameters, arguments)                                                    \
    static type CL_API_CALL own_##name parameters                                                  \
    {                                                                                              \
        may_end(#name);                                                                            \
        type value = target->name arguments;                                                       \
        may_end(#name);                                                                            \
        return value;                                                                              \
    }
#include "tests/stub/calls.def"
#undef CALL

static void CL_API_CALL own_clSVMFree(cl_context context, void *pointer)
{
    may_end("clSVMFree");
    target->clSVMFree(context, pointer);
    may_end("clSVMFree");
}

void clem_stub_install(struct _cl_icd_dispatch *layer, const struct _cl_icd_dispatch *below)
{
    target = below;
#define CALL(type, name, parameters, arguments) layer->name = own_##name;
#include "tests/stub/calls.def"
#undef CALL
    layer->clSVMFree = own_clSVMFree;
}
