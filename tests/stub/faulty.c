/* An OpenCL layer that makes one deliberate mistake, named by STUB_FAULT: a wait that is dropped, a call that returns too
 * early, a copy that is too short, from the time on that STUB_FAULT_ARMED is in the environment. tests/order/faults asks whether random programs find each. The first time the mistake is
 * made, the file that STUB_FAULT_SEEN names is created.
 * SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/stub/layer.h"

/* FAULT(name): what it does is where its name is used. */
#define FAULTS(FAULT)                                                                              \
    FAULT(marker_waits)       /* a marker waits for nothing */                                     \
    FAULT(barrier_waits)      /* a barrier waits for nothing */                                    \
    FAULT(barrier_first_wait) /* for all but the first of its list */                              \
    FAULT(barrier_last_wait)                                                                       \
    FAULT(barrier_tenth) /* each tenth barrier waits for nothing */                                \
    FAULT(barrier_hundredth)                                                                       \
    FAULT(kernel_waits) /* a kernel with a list waits for nothing */                               \
    FAULT(read_waits)                                                                              \
    FAULT(write_waits)                                                                             \
    FAULT(copy_waits)                                                                              \
    FAULT(rectangle_waits)                                                                         \
    FAULT(svm_copy_waits)                                                                          \
    FAULT(read_returns) /* a blocking read returns before its end */                               \
    FAULT(write_returns)                                                                           \
    FAULT(svm_copy_returns)                                                                        \
    FAULT(finish_returns)                                                                          \
    FAULT(finish_tenth) /* each tenth */                                                           \
    FAULT(wait_returns)                                                                            \
    FAULT(wait_tenth)                                                                              \
    FAULT(wait_for_first)  /* of several events, only the first is waited for */                   \
    FAULT(always_complete) /* events say so */                                                     \
    FAULT(complete_tenth)                                                                          \
    FAULT(gate_opens) /* a user's event is complete from the start */                              \
    FAULT(gate_tenth)                                                                              \
    FAULT(out_of_order) /* queues do not keep the order of their commands */                       \
    FAULT(short_read)   /* one byte less */                                                        \
    FAULT(short_write)                                                                             \
    FAULT(short_copy)                                                                              \
    FAULT(short_svm_copy)                                                                          \
    FAULT(read_elsewhere)  /* a byte further */                                                    \
    FAULT(short_rectangle) /* one row less */                                                      \
    FAULT(kernel_twice)    /* each tenth kernel runs twice */                                      \
    FAULT(kernel_lost)     /* each hundredth does not run */

enum fault {
    NO_FAULT,
#define FAULT(name) name,
    FAULTS(FAULT)
#undef FAULT
};

static const char *const names[] = {"",
#define FAULT(name) #name,
                                    FAULTS(FAULT)
#undef FAULT
};

static const struct _cl_icd_dispatch *target;
static enum fault fault;

/* is: this fault is wanted, and made now if it can be here. */
static bool is(enum fault which, bool can_be)
{
    static bool was_seen;
    if (fault != which || !can_be || (!was_seen && !getenv("STUB_FAULT_ARMED")))
        return false;
    if (!was_seen && getenv("STUB_FAULT_SEEN")) {
        const int file = open(getenv("STUB_FAULT_SEEN"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        if (file >= 0)
            close(file);
    }
    was_seen = true;
    return true;
}

/* is_each: this fault is wanted, and this is the n-th time that it could be made since it was made last. */
static bool is_each(enum fault which, unsigned n)
{
    static _Atomic unsigned times;
    return fault == which && getenv("STUB_FAULT_ARMED") && ++times % n == 0 && is(which, true);
}

struct list {
    cl_uint count;
    const cl_event *events;
};

static struct list less(enum fault all, cl_uint count, const cl_event *events)
{
    return is(all, count > 0) ? (struct list){0, NULL} : (struct list){count, events};
}

static cl_int CL_API_CALL ndrange(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                  const size_t *offset, const size_t *global, const size_t *local,
                                  cl_uint count, const cl_event *events, cl_event *event)
{
    const struct list list = less(kernel_waits, count, events);
    if (is_each(kernel_lost, 100))
        return target->clEnqueueMarkerWithWaitList(queue, count, events, event);
    if (is_each(kernel_twice, 10))
        target->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, count,
                                       events, NULL);
    return target->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local,
                                          list.count, list.events, event);
}

static cl_int CL_API_CALL marker(cl_command_queue queue, cl_uint count, const cl_event *events,
                                 cl_event *event)
{
    const struct list list = less(marker_waits, count, events);
    return target->clEnqueueMarkerWithWaitList(queue, list.count, list.events, event);
}

static cl_int CL_API_CALL barrier(cl_command_queue queue, cl_uint count, const cl_event *events,
                                  cl_event *event)
{
    struct list list = less(barrier_waits, count, events);
    if (list.count && (is_each(barrier_tenth, 10) || is_each(barrier_hundredth, 100)))
        list.count = 0;
    if (is(barrier_last_wait, list.count > 1))
        list.count--;
    if (is(barrier_first_wait, list.count > 1)) {
        list.count--;
        list.events++;
    }
    return target->clEnqueueBarrierWithWaitList(queue, list.count, list.count ? list.events : NULL,
                                                event);
}

static cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem buffer, cl_bool is_blocking,
                                      size_t offset, size_t bytes, void *to, cl_uint count,
                                      const cl_event *events, cl_event *event)
{
    const struct list list = less(read_waits, count, events);
    if (is(read_returns, is_blocking))
        is_blocking = CL_FALSE;
    if (is(short_read, bytes > 1))
        bytes--;
    if (is(read_elsewhere, bytes > 1)) {
        offset++;
        bytes--;
    }
    return target->clEnqueueReadBuffer(queue, buffer, is_blocking, offset, bytes, to, list.count,
                                       list.events, event);
}

static cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem buffer, cl_bool is_blocking,
                                       size_t offset, size_t bytes, const void *from, cl_uint count,
                                       const cl_event *events, cl_event *event)
{
    const struct list list = less(write_waits, count, events);
    if (is(write_returns, is_blocking))
        is_blocking = CL_FALSE;
    if (is(short_write, bytes > 1))
        bytes--;
    return target->clEnqueueWriteBuffer(queue, buffer, is_blocking, offset, bytes, from, list.count,
                                        list.events, event);
}

static cl_int CL_API_CALL copy_buffer(cl_command_queue queue, cl_mem from, cl_mem to,
                                      size_t from_offset, size_t to_offset, size_t bytes,
                                      cl_uint count, const cl_event *events, cl_event *event)
{
    const struct list list = less(copy_waits, count, events);
    if (is(short_copy, bytes > 1))
        bytes--;
    return target->clEnqueueCopyBuffer(queue, from, to, from_offset, to_offset, bytes, list.count,
                                       list.events, event);
}

static cl_int CL_API_CALL copy_rectangle(cl_command_queue queue, cl_mem from, cl_mem to,
                                         const size_t *from_origin, const size_t *to_origin,
                                         const size_t *region, size_t from_row, size_t from_slice,
                                         size_t to_row, size_t to_slice, cl_uint count,
                                         const cl_event *events, cl_event *event)
{
    const struct list list = less(rectangle_waits, count, events);
    size_t rows[3] = {region[0], region[1], region[2]};
    if (is(short_rectangle, rows[1] > 1))
        rows[1]--;
    return target->clEnqueueCopyBufferRect(queue, from, to, from_origin, to_origin, rows, from_row,
                                           from_slice, to_row, to_slice, list.count, list.events,
                                           event);
}

static cl_int CL_API_CALL svm_copy(cl_command_queue queue, cl_bool is_blocking, void *to,
                                   const void *from, size_t bytes, cl_uint count,
                                   const cl_event *events, cl_event *event)
{
    const struct list list = less(svm_copy_waits, count, events);
    if (is(svm_copy_returns, is_blocking))
        is_blocking = CL_FALSE;
    if (is(short_svm_copy, bytes > 1))
        bytes--;
    return target->clEnqueueSVMMemcpy(queue, is_blocking, to, from, bytes, list.count, list.events,
                                      event);
}

static cl_int CL_API_CALL finish(cl_command_queue queue)
{
    return is(finish_returns, true) || is_each(finish_tenth, 10) ? target->clFlush(queue)
                                                                 : target->clFinish(queue);
}

static cl_int CL_API_CALL wait_for_events(cl_uint count, const cl_event *events)
{
    if (is(wait_returns, true) || is_each(wait_tenth, 10))
        return CL_SUCCESS;
    return target->clWaitForEvents(is(wait_for_first, count > 1) ? 1 : count, events);
}

static cl_int CL_API_CALL event_info(cl_event event, cl_event_info name, size_t bytes, void *value,
                                     size_t *bytes_ret)
{
    const cl_int status = target->clGetEventInfo(event, name, bytes, value, bytes_ret);
    const cl_int complete = CL_COMPLETE;
    if (!status && name == CL_EVENT_COMMAND_EXECUTION_STATUS && value &&
        (is(always_complete, true) || is_each(complete_tenth, 10)))
        memcpy(value, &complete, sizeof complete);
    return status;
}

static cl_event CL_API_CALL user_event(cl_context context, cl_int *status)
{
    const cl_event event = target->clCreateUserEvent(context, status);
    if (event && (is(gate_opens, true) || is_each(gate_tenth, 10)))
        target->clSetUserEventStatus(event, CL_COMPLETE);
    return event;
}

static cl_int CL_API_CALL set_user_event(cl_event event, cl_int status)
{
    const cl_int result = target->clSetUserEventStatus(event, status);
    return fault == gate_opens || fault == gate_tenth ? CL_SUCCESS : result;
}

static cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id device,
                                                 cl_command_queue_properties properties,
                                                 cl_int *status)
{
    if (is(out_of_order, true))
        properties |= CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    return target->clCreateCommandQueue(context, device, properties, status);
}

static cl_command_queue CL_API_CALL create_queue_with(cl_context context, cl_device_id device,
                                                      const cl_queue_properties *properties,
                                                      cl_int *status)
{
    static const cl_queue_properties none = 0;
    cl_queue_properties changed[16] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE};
    size_t used = 2;

    if (!is(out_of_order, true))
        return target->clCreateCommandQueueWithProperties(context, device, properties, status);
    for (const cl_queue_properties *p = properties ? properties : &none; *p && used < 12; p += 2) {
        if (*p == CL_QUEUE_PROPERTIES) {
            changed[1] |= p[1];
            continue;
        }
        changed[used++] = p[0];
        changed[used++] = p[1];
    }
    return target->clCreateCommandQueueWithProperties(context, device, changed, status);
}

void clem_stub_install(struct _cl_icd_dispatch *layer, const struct _cl_icd_dispatch *below)
{
    const char *wanted = getenv("STUB_FAULT");

    target = below;
    for (unsigned i = 1; wanted && i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(names[i], wanted))
            fault = (enum fault)i;
    layer->clEnqueueNDRangeKernel = ndrange;
    layer->clEnqueueMarkerWithWaitList = marker;
    layer->clEnqueueBarrierWithWaitList = barrier;
    layer->clEnqueueReadBuffer = read_buffer;
    layer->clEnqueueWriteBuffer = write_buffer;
    layer->clEnqueueCopyBuffer = copy_buffer;
    layer->clEnqueueCopyBufferRect = copy_rectangle;
    layer->clEnqueueSVMMemcpy = svm_copy;
    layer->clFinish = finish;
    layer->clWaitForEvents = wait_for_events;
    layer->clGetEventInfo = event_info;
    layer->clCreateUserEvent = user_event;
    layer->clSetUserEventStatus = set_user_event;
    layer->clCreateCommandQueue = create_queue;
    layer->clCreateCommandQueueWithProperties = create_queue_with;
}
