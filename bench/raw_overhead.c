/* What small calls cost in raw OpenCL: allocation, launches, 4-byte copies, queries, markers.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "bench/raw_opencl.h"

#define SMALL 256

struct overhead {
    struct raw *raw;
    struct raw_memory host, device;
    struct raw_kernel kernel;
    cl_event event; /* of finished work, for the query; of the last marker, for the record */
};

static bool mark(struct attempt *attempt, struct overhead *overhead)
{
    return raw_ok(attempt,
                  clEnqueueMarkerWithWaitList(overhead->raw->queue, 0, NULL, &overhead->event),
                  "clEnqueueMarkerWithWaitList") &&
           raw_finish(attempt, overhead->raw);
}

static bool make_kernel(struct attempt *attempt, struct overhead *overhead)
{
    cl_int error;
    overhead->kernel = (struct raw_kernel){.dimensions = 1, .global = {1}, .local = {1}};
    const bool is_empty = attempt->task->row->detail != LAUNCH_ARGUMENTS;
    overhead->kernel.kernel = clCreateKernel(overhead->raw->program,
                                             is_empty ? "bench_empty" : "bench_arguments", &error);
    return raw_ok(attempt, error, "clCreateKernel") &&
           (is_empty || (raw_take(attempt, overhead->raw, &overhead->host, DEVICE, SMALL) &&
                         raw_take(attempt, overhead->raw, &overhead->device, DEVICE, SMALL)));
}

static bool open_overhead(struct attempt *attempt)
{
    const struct row *row = attempt->task->row;
    struct overhead *overhead = attempt->state = calloc(1, sizeof *overhead);
    if (!overhead)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    overhead->raw = raw_open(attempt);
    if (!overhead->raw)
        return false;
    if (row->work == WORK_LAUNCH)
        return make_kernel(attempt, overhead);
    return raw_take(attempt, overhead->raw, &overhead->host,
                    row->source == PINNED ? PINNED : PAGEABLE, SMALL) &&
           raw_take(attempt, overhead->raw, &overhead->device, DEVICE, SMALL) &&
           mark(attempt, overhead);
}

static void close_overhead(struct attempt *attempt)
{
    struct overhead *overhead = attempt->state;
    if (!overhead)
        return;
    if (overhead->event)
        clReleaseEvent(overhead->event);
    raw_kernel_close(&overhead->kernel);
    raw_give(overhead->raw, &overhead->host);
    raw_give(overhead->raw, &overhead->device);
    free(overhead);
}

static bool is_copy(const struct attempt *attempt)
{
    return attempt->task->row->work == WORK_CALL && attempt->task->row->detail <= CALL_COPY_ASYNC;
}

static bool poison_overhead(struct attempt *attempt)
{
    struct overhead *overhead = attempt->state;
    if (!is_copy(attempt))
        return true;
    bool out = attempt->task->row->detail == CALL_COPY_OUT;
    return raw_fill(attempt, overhead->raw, out ? &overhead->device : &overhead->host,
                    PATTERN_WORDS) &&
           raw_poison(attempt, overhead->raw, out ? &overhead->host : &overhead->device);
}

static bool verify_overhead(struct attempt *attempt)
{
    struct overhead *overhead = attempt->state;
    uint32_t expected[2], arrived = 0;
    if (!is_copy(attempt))
        return true;
    pattern_fill(expected, sizeof expected, PATTERN_WORDS, 0);
    if (attempt->task->row->detail == CALL_COPY_OUT)
        memcpy(&arrived, overhead->host.host, 4);
    else if (!raw_ok(attempt,
                     clEnqueueReadBuffer(overhead->raw->queue, overhead->device.buffer, CL_TRUE, 0,
                                         4, &arrived, 0, NULL, NULL),
                     "clEnqueueReadBuffer"))
        return false;
    return arrived == expected[0] || attempt_wrong(attempt, 0);
}

static bool is_plain_launch(const struct attempt *attempt)
{
    return attempt->task->row->detail == LAUNCH_ONLY;
}

static bool has_arguments(const struct attempt *attempt)
{
    return attempt->task->row->detail == LAUNCH_ARGUMENTS;
}

static bool is_synchronous_launch(const struct attempt *attempt)
{
    return attempt->task->row->detail == LAUNCH_SYNC;
}

static bool run_launches(struct attempt *attempt, size_t count)
{
    struct overhead *overhead = attempt->state;
    return raw_kernel_run(attempt, overhead->raw, &overhead->kernel, count);
}

/* Other arguments each time, set one by one as OpenCL has it. */
static bool run_launch_arguments(struct attempt *attempt, size_t count)
{
    struct overhead *overhead = attempt->state;
    const struct raw_kernel *kernel = &overhead->kernel;
    cl_mem memory[2] = {overhead->host.buffer, overhead->device.buffer};
    cl_int error = CL_SUCCESS;
    for (cl_ulong number = 0; error == CL_SUCCESS && number < count; number++) {
        error = clSetKernelArg(kernel->kernel, 0, sizeof memory[0], &memory[0]);
        error |= clSetKernelArg(kernel->kernel, 1, sizeof memory[0], &memory[number % 2]);
        error |= clSetKernelArg(kernel->kernel, 2, sizeof number, &number);
        if (error == CL_SUCCESS)
            error = clEnqueueNDRangeKernel(overhead->raw->queue, kernel->kernel, 1, NULL,
                                           kernel->global, kernel->local, 0, NULL, NULL);
    }
    return raw_ok(attempt, error, "clEnqueueNDRangeKernel") && raw_finish(attempt, overhead->raw);
}

static bool run_launch_finish(struct attempt *attempt, size_t count)
{
    struct overhead *overhead = attempt->state;
    bool done = true;
    for (size_t i = 0; done && i < count; i++)
        done = raw_kernel_run(attempt, overhead->raw, &overhead->kernel, 1);
    return done;
}

static bool run_launch_wait(struct attempt *attempt, size_t count)
{
    struct overhead *overhead = attempt->state;
    const struct raw_kernel *kernel = &overhead->kernel;
    cl_int error = CL_SUCCESS;
    for (size_t i = 0; error == CL_SUCCESS && i < count; i++) {
        cl_event event;
        error = clEnqueueNDRangeKernel(overhead->raw->queue, kernel->kernel, 1, NULL,
                                       kernel->global, kernel->local, 0, NULL, &event);
        if (error != CL_SUCCESS)
            break;
        error = clWaitForEvents(1, &event);
        clReleaseEvent(event);
    }
    return raw_ok(attempt, error, "clWaitForEvents");
}

static cl_int copy_in(struct overhead *overhead)
{
    return clEnqueueWriteBuffer(overhead->raw->queue, overhead->device.buffer, CL_TRUE, 0, 4,
                                overhead->host.host, 0, NULL, NULL);
}

static cl_int copy_out(struct overhead *overhead)
{
    return clEnqueueReadBuffer(overhead->raw->queue, overhead->device.buffer, CL_TRUE, 0, 4,
                               overhead->host.host, 0, NULL, NULL);
}

static cl_int copy_async(struct overhead *overhead)
{
    return clEnqueueWriteBuffer(overhead->raw->queue, overhead->device.buffer, CL_FALSE, 0, 4,
                                overhead->host.host, 0, NULL, NULL);
}

static cl_int query(struct overhead *overhead)
{
    cl_int status;
    return clGetEventInfo(overhead->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                          &status, NULL);
}

static cl_int record(struct overhead *overhead)
{
    clReleaseEvent(overhead->event);
    overhead->event = NULL;
    return clEnqueueMarkerWithWaitList(overhead->raw->queue, 0, NULL, &overhead->event);
}

static bool run_calls(struct attempt *attempt, size_t count)
{
    static cl_int (*const calls[])(struct overhead *) = {[CALL_COPY_IN] = copy_in,
                                                         [CALL_COPY_OUT] = copy_out,
                                                         [CALL_COPY_ASYNC] = copy_async,
                                                         [CALL_QUERY] = query,
                                                         [CALL_RECORD] = record};
    struct overhead *overhead = attempt->state;
    cl_int (*call)(struct overhead *) = calls[attempt->task->row->detail];
    cl_int error = CL_SUCCESS;
    for (size_t i = 0; error == CL_SUCCESS && i < count; i++)
        error = call(overhead);
    return raw_ok(attempt, error, attempt->task->row->name) && raw_finish(attempt, overhead->raw);
}

static bool open_alloc(struct attempt *attempt)
{
    attempt->state = raw_open(attempt);
    return attempt->state != NULL;
}

static void close_alloc(struct attempt *attempt)
{
    (void)attempt;
}

/* A buffer alone may be a promise: writing one byte makes the driver place it. */
static cl_int create_and_release(struct raw *raw, size_t bytes)
{
    cl_int error;
    unsigned char byte = 1;
    cl_mem buffer = clCreateBuffer(raw->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    if (error != CL_SUCCESS)
        return error;
    error = clEnqueueWriteBuffer(raw->queue, buffer, CL_TRUE, bytes - 1, 1, &byte, 0, NULL, NULL);
    clReleaseMemObject(buffer);
    return error;
}

static bool run_alloc(struct attempt *attempt, size_t count)
{
    cl_int error = CL_SUCCESS;
    for (size_t i = 0; error == CL_SUCCESS && i < count; i++)
        error = create_and_release(attempt->state, attempt->task->bytes);
    return raw_ok(attempt, error, "clCreateBuffer and use");
}

static const struct method alloc_methods[] = {
    {"clCreateBuffer, write 1 byte, release", NULL, run_alloc}, {NULL, NULL, NULL}};
static const struct method launch_methods[] = {
    {"clEnqueueNDRangeKernel", is_plain_launch, run_launches},
    {"clSetKernelArg, clEnqueueNDRangeKernel", has_arguments, run_launch_arguments},
    {"clFinish", is_synchronous_launch, run_launch_finish},
    {"clWaitForEvents", is_synchronous_launch, run_launch_wait},
    {NULL, NULL, NULL}};
static const struct method call_methods[] = {{"the command", NULL, run_calls}, {NULL, NULL, NULL}};

const struct way raw_alloc = {open_alloc, NULL, NULL, close_alloc, alloc_methods};
const struct way raw_launch = {open_overhead, NULL, NULL, close_overhead, launch_methods};
const struct way raw_call = {open_overhead, poison_overhead, verify_overhead, close_overhead,
                             call_methods};
