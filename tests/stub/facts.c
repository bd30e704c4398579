/* An OpenCL layer that makes a device answer as other machines' devices do, so that a test cannot
 * pass or fail by the size of the machine it happens to run on. STUB_FACTS names the answers:
 * "large", a server with more of everything than CUDA's limits, or "small", close to the least that
 * OpenCL allows a full device, with a name that would clear a terminal; "late", whose markers end late; or "pageable", whose
 * kernels may use any memory of the process. For that, the device below has to be the host's processor.
 *
 * Source: OpenCL 3.0, table of device queries (the least values).
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/stub/layer.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct _cl_icd_dispatch *target;

/* What a number becomes. The small machine never promises more than the device below has, and the
 * large one never less, but for memory: what is promised there must be there (0: the device's word). */
struct fact {
    cl_device_info name;
    uint64_t small, large;
};

static const struct fact facts[] = {
    {CL_DEVICE_MAX_COMPUTE_UNITS, 1, 512},
    {CL_DEVICE_MAX_CLOCK_FREQUENCY, 0, 6000},
    {CL_DEVICE_GLOBAL_MEM_SIZE, (uint64_t)1 << 30, (uint64_t)1 << 40},
    {CL_DEVICE_MAX_MEM_ALLOC_SIZE, (uint64_t)1 << 28, (uint64_t)1 << 38},
    {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, 0, (uint64_t)3 << 30},
    {CL_DEVICE_LOCAL_MEM_SIZE, 32768, 0},
    {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 65536, (uint64_t)1 << 34},
    {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, 2048, (uint64_t)1 << 32},
    {CL_DEVICE_IMAGE2D_MAX_WIDTH, 16384, (uint64_t)1 << 32},
    {CL_DEVICE_IMAGE2D_MAX_HEIGHT, 16384, (uint64_t)1 << 32},
    {CL_DEVICE_IMAGE3D_MAX_WIDTH, 2048, (uint64_t)1 << 32},
    {CL_DEVICE_IMAGE3D_MAX_HEIGHT, 2048, (uint64_t)1 << 32},
    {CL_DEVICE_IMAGE3D_MAX_DEPTH, 2048, (uint64_t)1 << 32},
};

static const struct fact *find(cl_device_info name)
{
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        if (facts[i].name == name)
            return &facts[i];
    return NULL;
}

static bool is_machine(const char *name)
{
    const char *wanted = getenv("STUB_FACTS");
    return wanted && strcmp(wanted, name) == 0;
}

/* Sizes are cl_uint, size_t or cl_ulong; the device below says which by its answer. */
static void change(const struct fact *fact, size_t bytes, void *value)
{
    uint64_t number = 0;

    if (!fact || bytes > sizeof number)
        return;
    memcpy(&number, value, bytes);
    if (is_machine("small") && number > fact->small)
        number = fact->small;
    if (is_machine("large") && number < fact->large)
        number = fact->large;
    memcpy(value, &number, bytes);
}

static cl_int CL_API_CALL get_device_info(cl_device_id device, cl_device_info name, size_t bytes,
                                          void *value, size_t *bytes_ret)
{
    size_t own = 0;
    const cl_int error = target->clGetDeviceInfo(device, name, bytes, value, &own);

    if (error == CL_SUCCESS && value)
        change(find(name), own, value);
    if (error == CL_SUCCESS && value && name == CL_DEVICE_NAME && own > 4 && is_machine("small"))
        memcpy(value, "\033[2J", 4);
    if (error == CL_SUCCESS && value && name == CL_DEVICE_SVM_CAPABILITIES &&
        is_machine("pageable"))
        *(cl_device_svm_capabilities *)value |= CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
    if (error == CL_SUCCESS && bytes_ret)
        *bytes_ret = own;
    return error;
}

/* "late": a marker is over some time after it was enqueued, however little was before it. Of one thread's. */
enum { LATE_NS = 10000 };

static cl_event late_marker;
static uint64_t late_until;

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void make_late(cl_event marker)
{
    if (!is_machine("late"))
        return;
    late_marker = marker;
    late_until = now() + LATE_NS;
}

static cl_int CL_API_CALL enqueue_marker(cl_command_queue queue, cl_uint count,
                                         const cl_event *events, cl_event *event)
{
    const cl_int error = target->clEnqueueMarkerWithWaitList(queue, count, events, event);
    if (error == CL_SUCCESS && event)
        make_late(*event);
    return error;
}

/* Barriers whose events somebody asks for stand for markers. */
static cl_int CL_API_CALL enqueue_barrier(cl_command_queue queue, cl_uint count,
                                          const cl_event *events, cl_event *event)
{
    const cl_int error = target->clEnqueueBarrierWithWaitList(queue, count, events, event);
    if (error == CL_SUCCESS && event)
        make_late(*event);
    return error;
}

static cl_int CL_API_CALL get_event_info(cl_event event, cl_event_info name, size_t bytes,
                                         void *value, size_t *bytes_ret)
{
    const cl_int running = CL_RUNNING;
    const cl_int error = target->clGetEventInfo(event, name, bytes, value, bytes_ret);
    if (error == CL_SUCCESS && value && name == CL_EVENT_COMMAND_EXECUTION_STATUS &&
        event == late_marker && now() < late_until)
        memcpy(value, &running, sizeof running);
    return error;
}

void clem_stub_install(struct _cl_icd_dispatch *layer, const struct _cl_icd_dispatch *below)
{
    target = below;
    layer->clGetDeviceInfo = get_device_info;
    layer->clEnqueueMarkerWithWaitList = enqueue_marker;
    layer->clEnqueueBarrierWithWaitList = enqueue_barrier;
    layer->clGetEventInfo = get_event_info;
}
