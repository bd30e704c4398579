/* Waits, and other calls with cancellation points, that no pthread_cancel() ends: a thread that went away within one would
 * leave clem's locks, or the driver's, locked for good. The thread ends at its next cancellation point, which is the
 * program's. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_STEADY_H
#define OCL_STEADY_H

#include <pthread.h>

#include "cl/base/opencl.h"

/* pthread_cond_wait() */
static inline void ocl_steady_wait(pthread_cond_t *condition, pthread_mutex_t *lock)
{
    const int before = ocl_steady_begin();
    pthread_cond_wait(condition, lock);
    ocl_steady_end(before);
}

/* clFinish() */
static inline cl_int ocl_steady_finish(cl_command_queue queue)
{
    const int before = ocl_steady_begin();
    const cl_int error = clFinish(queue);
    ocl_steady_end(before);
    return error;
}

/* clEnqueueNDRangeKernel(), in which drivers compile */
static inline cl_int ocl_steady_range(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                      const size_t *offset, const size_t *global,
                                      const size_t *local, cl_uint count, const cl_event *events,
                                      cl_event *event)
{
    const int before = ocl_steady_begin();
    const cl_int error = clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local,
                                                count, events, event);
    ocl_steady_end(before);
    return error;
}

/* clEnqueueReadBuffer() from the buffer's begin, which waits */
static inline cl_int ocl_steady_read(cl_command_queue queue, cl_mem buffer, size_t bytes,
                                     void *target)
{
    const int before = ocl_steady_begin();
    const cl_int error =
        clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, target, 0, NULL, NULL);
    ocl_steady_end(before);
    return error;
}

/* clWaitForEvents() for one */
static inline cl_int ocl_steady_event(cl_event event)
{
    const int before = ocl_steady_begin();
    const cl_int error = clWaitForEvents(1, &event);
    ocl_steady_end(before);
    return error;
}

#endif
