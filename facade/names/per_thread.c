/* The entry points whose stream 0 is the calling thread's own stream. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __CUDA_API_VERSION_INTERNAL
#define __CUDA_API_VERSION_INTERNAL
#endif
#include "facade/state/internal.h"
#include "include/crt/host_runtime_abi.h"
#include "include/cudaGL.h"

/* The mark is the thread's, so it reaches every lookup of a stream that the base function does. It is
 * put back to what it was, because a host function that a call runs may make such calls itself.
 */
#define PER_THREAD(type, name, base, parameters, arguments)                                        \
    type name parameters                                                                           \
    {                                                                                              \
        bool outer = facade_per_thread_enter();                                                    \
        type result = base arguments;                                                              \
        facade_per_thread_leave(outer);                                                            \
        return result;                                                                             \
    }
#include "facade/lists/per_thread.def"
