/* Stands between libclem and the OpenCL loader: this program defines the functions, so libclem's calls come here first.
 * SPDX-License-Identifier: Apache-2.0 */
#pragma GCC visibility push(default) /* libclem must find these */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#pragma GCC visibility pop
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fault/commands.h"
#include "tests/fault/opencl.h"
#include "tests/fault/points.h"

enum kind { CONTEXT, QUEUE, BUFFER, PROGRAM, KERNEL, EVENT, SAMPLER, SVM, USM, KINDS };

static _Atomic long live[KINDS];

long fault_live_objects(void)
{
    long sum = 0;
    for (int i = 0; i < KINDS; i++)
        sum += atomic_load(&live[i]);
    return sum;
}

void fault_print_live(void)
{
    static const char *const names[KINDS] = {
        "contexts", "queues", "buffers", "programs", "kernels", "events", "samplers", "SVM", "USM"};
    for (int i = 0; i < KINDS; i++) {
        if (atomic_load(&live[i]) != 0)
            printf("%ld %s are alive\n", atomic_load(&live[i]), names[i]);
    }
}

static void count(enum kind kind, long change)
{
    atomic_fetch_add(&live[kind], change);
}

/* The loader's own function, looked for once; any thread may be the first to ask. */
static uintptr_t next(_Atomic uintptr_t *found, const char *name)
{
    if (!*found)
        *found = (uintptr_t)dlsym(RTLD_NEXT, name);
    if (!*found) {
        fprintf(stderr, "no %s in the loader\n", name);
        exit(2);
    }
    return *found;
}

#define REAL(name)                                                                                 \
    static _Atomic uintptr_t found_##name;                                                         \
    const __typeof__(&name) real = (__typeof__(&name))next(&found_##name, #name)

/* ---- Kernels that run ---- */

static void retain_real_event(cl_event event)
{
    REAL(clRetainEvent);
    real(event);
}

/* A few of the last launches, each with a reference to the driver's own event. */
enum { LAUNCHES = 64, ARGUMENTS = 512, BIRTHS = 64 };
static pthread_mutex_t launch_lock = PTHREAD_MUTEX_INITIALIZER;
static cl_event launches[LAUNCHES];
static unsigned next_launch;
static const void *arguments[ARGUMENTS]; /* the last that may be buffers */
static unsigned next_argument;
static struct {
    const void *memory;
    unsigned launch; /* the first that may know it */
} births[BIRTHS];    /* the last memory that was made */
static unsigned next_birth;
static _Atomic bool was_freed_in_use;

bool fault_freed_in_use(void)
{
    return was_freed_in_use;
}

/* The context of the last user event that could not be set: what waits for it never begins. */
static _Atomic cl_context stuck;

static cl_context context_of_event(cl_event event)
{
    REAL(clGetEventInfo);
    cl_context context = NULL;
    (void)real(event, CL_EVENT_CONTEXT, sizeof context, &context, NULL);
    return context;
}

/* Kernels know memory of their own context: what is in two contexts is copied by way of the host, by commands of each. */
static bool is_running(cl_event event, cl_context context)
{
    REAL(clGetEventInfo);
    cl_int state = CL_QUEUED;
    return context_of_event(event) == context &&
           real(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL) ==
               CL_SUCCESS &&
           (stuck == context ? state == CL_RUNNING : state > CL_COMPLETE);
}

static void note_launch(cl_event event)
{
    REAL(clReleaseEvent);
    pthread_mutex_lock(&launch_lock);
    cl_event *slot = &launches[next_launch++ % LAUNCHES];
    if (*slot != NULL)
        real(*slot);
    *slot = event;
    pthread_mutex_unlock(&launch_lock);
}

static void note_argument(size_t size, const void *value)
{
    if (size != sizeof(void *) || value == NULL)
        return;
    pthread_mutex_lock(&launch_lock);
    memcpy(&arguments[next_argument++ % ARGUMENTS], value, size);
    pthread_mutex_unlock(&launch_lock);
}

static void note_birth(const void *memory)
{
    pthread_mutex_lock(&launch_lock);
    births[next_birth % BIRTHS].memory = memory;
    births[next_birth++ % BIRTHS].launch = next_launch;
    pthread_mutex_unlock(&launch_lock);
}

/* The first launch that may know the memory, of those that are remembered. Launch lock held. */
static unsigned first_launch(const void *memory)
{
    const unsigned remembered = next_launch < LAUNCHES ? 0 : next_launch - LAUNCHES;
    for (unsigned i = next_birth; i > 0 && i + BIRTHS > next_birth; i--)
        if (births[(i - 1) % BIRTHS].memory == memory)
            return births[(i - 1) % BIRTHS].launch > remembered ? births[(i - 1) % BIRTHS].launch
                                                                : remembered;
    return remembered;
}

static cl_context context_of(cl_mem object)
{
    REAL(clGetMemObjectInfo);
    cl_context context = NULL;
    (void)real(object, CL_MEM_CONTEXT, sizeof context, &context, NULL);
    return context;
}

/* A sub-buffer has no memory of its own, and an image over a buffer has none either. */
static bool is_part(cl_mem object)
{
    REAL(clGetMemObjectInfo);
    cl_mem whole = NULL;
    return real(object, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof whole, &whole, NULL) == CL_SUCCESS &&
           whole != NULL;
}

static void print_callers(void)
{
    void *callers[40];
    fprintf(stderr, "memory is given back while a kernel runs, by\n");
    backtrace_symbols_fd(callers, backtrace(callers, 40), STDERR_FILENO);
}

/* Memory goes back to the driver, which keeps for kernels what they were given as a buffer, and not what they know by its
 * address. */
static void check_no_launch(const void *memory, cl_context context)
{
    bool is_kept = false;
    pthread_mutex_lock(&launch_lock);
    for (int i = 0; i < ARGUMENTS; i++)
        is_kept = is_kept || arguments[i] == memory;
    bool is_used = false;
    for (unsigned i = first_launch(memory); i < next_launch && !is_kept; i++)
        is_used = is_used || is_running(launches[i % LAUNCHES], context);
    if (is_used && !atomic_exchange(&was_freed_in_use, true))
        print_callers();
    pthread_mutex_unlock(&launch_lock);
}

/* ---- Events that end with an error ---- */

/* The driver's own event ends well; what is asked about it here says otherwise. Commands that wait for it end so too. */
struct bad_event {
    cl_event event;
    cl_int code;
    long references;
    struct bad_event *next;
};

static pthread_mutex_t event_lock = PTHREAD_MUTEX_INITIALIZER;
static struct bad_event *bad_events;

static void spoil(cl_event event, cl_int code)
{
    struct bad_event *bad = malloc(sizeof *bad);
    if (bad == NULL)
        abort();
    pthread_mutex_lock(&event_lock);
    *bad = (struct bad_event){event, code, 1, bad_events};
    bad_events = bad;
    pthread_mutex_unlock(&event_lock);
}

/* Event lock held. */
static struct bad_event **find_bad(cl_event event)
{
    struct bad_event **link = &bad_events;
    while (*link != NULL && (*link)->event != event)
        link = &(*link)->next;
    return link;
}

static void count_bad(cl_event event, long change)
{
    pthread_mutex_lock(&event_lock);
    struct bad_event **link = find_bad(event), *bad = *link;
    if (bad != NULL && (bad->references += change) == 0) {
        *link = bad->next;
        free(bad);
    }
    pthread_mutex_unlock(&event_lock);
}

/* What one of the events ends with, or 0. */
static cl_int code_of_events(cl_uint n, const cl_event *list)
{
    cl_int code = 0;
    pthread_mutex_lock(&event_lock);
    for (cl_uint i = 0; bad_events != NULL && i < n && code == 0; i++) {
        const struct bad_event *bad = *find_bad(list[i]);
        code = bad != NULL ? bad->code : 0;
    }
    pthread_mutex_unlock(&event_lock);
    return code;
}

static void note_event(const char *name, cl_uint n, const cl_event *list, cl_event *event)
{
    if (event == NULL)
        return;
    count(EVENT, 1);
    const cl_int code = fault_of_event(name);
    if (code != 0)
        spoil(*event, code);
    else if (code_of_events(n, list) != 0)
        spoil(*event, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

/* ---- The functions ---- */

/* Functions that return a status and make nothing. */
#define STATUS(name, parameters, arguments)                                                        \
    cl_int name parameters                                                                         \
    {                                                                                              \
        REAL(name);                                                                                \
        const cl_int code = fault_of_call(#name);                                                  \
        return code != 0 ? code : real arguments;                                                  \
    }

/* Functions that make work end: a device that is lost does none any more, although it tells nobody. */
#define LOST_STATUS(name, parameters, arguments)                                                   \
    cl_int name parameters                                                                         \
    {                                                                                              \
        REAL(name);                                                                                \
        const cl_int code = fault_of_call(#name);                                                  \
        const cl_int ended = code == 0 || fault_is_lost() ? real arguments : code;                 \
        return code != 0 ? code : ended;                                                           \
    }

/* Functions that return an object. */
#define CREATE(type, kind, name, parameters, arguments)                                            \
    type name parameters                                                                           \
    {                                                                                              \
        REAL(name);                                                                                \
        const cl_int code = fault_of_call(#name);                                                  \
        if (code != 0) {                                                                           \
            if (error != NULL)                                                                     \
                *error = code;                                                                     \
            return NULL;                                                                           \
        }                                                                                          \
        type made = real arguments;                                                                \
        if (made != NULL)                                                                          \
            count(kind, 1);                                                                        \
        if (kind == BUFFER)                                                                        \
            note_birth(made);                                                                      \
        if (kind == QUEUE) /* it may be where one was that is gone */                              \
            fault_forget_queue(made);                                                              \
        return made;                                                                               \
    }

/* Commands: they return a status and may make an event. */
#define COMMAND(name, parameters, arguments)                                                       \
    cl_int name parameters                                                                         \
    {                                                                                              \
        REAL(name);                                                                                \
        fault_check_command(#name, queue, __builtin_return_address(0));                            \
        const cl_int code = fault_of_call(#name);                                                  \
        if (code != 0)                                                                             \
            return code;                                                                           \
        const cl_int status = real arguments;                                                      \
        if (status == CL_SUCCESS)                                                                  \
            note_event(#name, n, list, event);                                                     \
        return status;                                                                             \
    }

/* A release that fails has let the object go all the same: a program could do nothing about it. */
#define RELEASE(name, type, kind)                                                                  \
    cl_int name(type object)                                                                       \
    {                                                                                              \
        REAL(name);                                                                                \
        const cl_int code = fault_of_call(#name);                                                  \
        const cl_int status = real(object);                                                        \
        if (status == CL_SUCCESS)                                                                  \
            count(kind, -1);                                                                       \
        return code != 0 ? code : status;                                                          \
    }

#define RETAIN(name, type, kind)                                                                   \
    cl_int name(type object)                                                                       \
    {                                                                                              \
        REAL(name);                                                                                \
        const cl_int code = fault_of_call(#name);                                                  \
        const cl_int status = code != 0 ? code : real(object);                                     \
        if (status == CL_SUCCESS)                                                                  \
            count(kind, 1);                                                                        \
        return status;                                                                             \
    }

RELEASE(clReleaseContext, cl_context, CONTEXT)
RELEASE(clReleaseCommandQueue, cl_command_queue, QUEUE)
RELEASE(clReleaseProgram, cl_program, PROGRAM)
RELEASE(clReleaseKernel, cl_kernel, KERNEL)
RELEASE(clReleaseSampler, cl_sampler, SAMPLER)
RETAIN(clRetainContext, cl_context, CONTEXT)
RETAIN(clRetainCommandQueue, cl_command_queue, QUEUE)
RETAIN(clRetainMemObject, cl_mem, BUFFER)
RETAIN(clRetainProgram, cl_program, PROGRAM)
RETAIN(clRetainKernel, cl_kernel, KERNEL)

cl_int clSetUserEventStatus(cl_event event, cl_int status)
{
    REAL(clSetUserEventStatus);
    const cl_int code = fault_of_call("clSetUserEventStatus");
    const bool is_set = code == 0 || fault_is_lost();
    if (!is_set)
        stuck = context_of_event(event);
    const cl_int result = is_set ? real(event, status) : code;
    return code != 0 ? code : result;
}

cl_int clReleaseMemObject(cl_mem object)
{
    REAL(clReleaseMemObject);
    const cl_int code = fault_of_call("clReleaseMemObject");
    if (!is_part(object))
        check_no_launch(object, context_of(object));
    const cl_int status = real(object);
    if (status == CL_SUCCESS)
        count(BUFFER, -1);
    return code != 0 ? code : status;
}

cl_int clReleaseEvent(cl_event event)
{
    REAL(clReleaseEvent);
    const cl_int code = fault_of_call("clReleaseEvent");
    count_bad(event, -1); /* before its memory may be another event's */
    const cl_int status = real(event);
    if (status == CL_SUCCESS)
        count(EVENT, -1);
    return code != 0 ? code : status;
}

cl_int clRetainEvent(cl_event event)
{
    REAL(clRetainEvent);
    const cl_int code = fault_of_call("clRetainEvent");
    if (code != 0)
        return code;
    count_bad(event, 1);
    const cl_int status = real(event);
    if (status == CL_SUCCESS)
        count(EVENT, 1);
    return status;
}

CREATE(cl_context, CONTEXT, clCreateContext,
       (const cl_context_properties *properties, cl_uint n, const cl_device_id *devices,
        void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data,
        cl_int *error),
       (properties, n, devices, notify, data, error))
CREATE(cl_command_queue, QUEUE, clCreateCommandQueue,
       (cl_context context, cl_device_id device, cl_command_queue_properties properties,
        cl_int *error),
       (context, device, properties, error))
CREATE(cl_command_queue, QUEUE, clCreateCommandQueueWithProperties,
       (cl_context context, cl_device_id device, const cl_queue_properties *properties,
        cl_int *error),
       (context, device, properties, error))
CREATE(cl_mem, BUFFER, clCreateBuffer,
       (cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *error),
       (context, flags, size, host, error))
CREATE(cl_mem, BUFFER, clCreateBufferWithProperties,
       (cl_context context, const cl_mem_properties *properties, cl_mem_flags flags, size_t size,
        void *host, cl_int *error),
       (context, properties, flags, size, host, error))
CREATE(cl_mem, BUFFER, clCreateSubBuffer,
       (cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type, const void *info,
        cl_int *error),
       (buffer, flags, type, info, error))
CREATE(cl_mem, BUFFER, clCreateImage,
       (cl_context context, cl_mem_flags flags, const cl_image_format *format,
        const cl_image_desc *description, void *host, cl_int *error),
       (context, flags, format, description, host, error))
CREATE(cl_sampler, SAMPLER, clCreateSampler,
       (cl_context context, cl_bool is_normalized, cl_addressing_mode mode, cl_filter_mode filter,
        cl_int *error),
       (context, is_normalized, mode, filter, error))
CREATE(cl_program, PROGRAM, clCreateProgramWithSource,
       (cl_context context, cl_uint n, const char **texts, const size_t *lengths, cl_int *error),
       (context, n, texts, lengths, error))
CREATE(cl_program, PROGRAM, clCreateProgramWithIL,
       (cl_context context, const void *il, size_t length, cl_int *error),
       (context, il, length, error))
static fault_translator *translator;

void fault_take_ptx(fault_translator *function)
{
    translator = function;
}

/* A driver that takes PTX: what the translator knows is built from its OpenCL C. */
static cl_program create_from_ptx(cl_context context, const char *ptx, size_t length,
                                  cl_int *status, cl_int *error)
{
    REAL(clCreateProgramWithSource);
    char *copy = strndup(ptx, length);
    char *text = copy != NULL ? translator(copy) : NULL;
    const char *source = text;
    cl_program made = NULL;
    *status = *error = text != NULL ? CL_SUCCESS : CL_INVALID_BINARY;
    if (text != NULL)
        made = real(context, 1, &source, NULL, error);
    if (made != NULL)
        count(PROGRAM, 1);
    free(text);
    free(copy);
    return made;
}

cl_program clCreateProgramWithBinary(cl_context context, cl_uint n, const cl_device_id *devices,
                                     const size_t *lengths, const unsigned char **binaries,
                                     cl_int *statuses, cl_int *error)
{
    REAL(clCreateProgramWithBinary);
    const char *text = (const char *)binaries[0];
    const cl_int code = fault_of_call("clCreateProgramWithBinary");
    if (code != 0) {
        *error = code;
        return NULL;
    }
    if (translator != NULL && lengths[0] > 8 && memcmp(text, ".version", 8) == 0)
        return create_from_ptx(context, text, lengths[0], statuses, error);
    cl_program made = real(context, n, devices, lengths, binaries, statuses, error);
    if (made != NULL)
        count(PROGRAM, 1);
    return made;
}

CREATE(cl_kernel, KERNEL, clCreateKernel, (cl_program program, const char *name, cl_int *error),
       (program, name, error))
CREATE(cl_event, EVENT, clCreateUserEvent, (cl_context context, cl_int *error), (context, error))

void *clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
    REAL(clSVMAlloc);
    if (fault_of_call("clSVMAlloc") != 0)
        return NULL;
    void *memory = real(context, flags, size, alignment);
    if (memory != NULL)
        count(SVM, 1);
    note_birth(memory);
    return memory;
}

void clSVMFree(cl_context context, void *memory)
{
    REAL(clSVMFree);
    check_no_launch(memory, context);
    if (memory != NULL)
        count(SVM, -1);
    real(context, memory);
}

cl_int clCreateKernelsInProgram(cl_program program, cl_uint n, cl_kernel *kernels, cl_uint *made)
{
    REAL(clCreateKernelsInProgram);
    const cl_int code = fault_of_call("clCreateKernelsInProgram");
    if (code != 0)
        return code;
    cl_uint number = 0;
    cl_int status = real(program, n, kernels, &number);
    if (status == CL_SUCCESS && kernels != NULL)
        count(KERNEL, number);
    if (made != NULL)
        *made = number;
    return status;
}

void *clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool wait, cl_map_flags flags,
                         size_t offset, size_t size, cl_uint n, const cl_event *list,
                         cl_event *event, cl_int *error)
{
    REAL(clEnqueueMapBuffer);
    fault_check_command("clEnqueueMapBuffer", queue, __builtin_return_address(0));
    const cl_int code = fault_of_call("clEnqueueMapBuffer");
    if (code != 0) {
        if (error != NULL)
            *error = code;
        return NULL;
    }
    void *memory = real(queue, buffer, wait, flags, offset, size, n, list, event, error);
    if (memory != NULL)
        note_event("clEnqueueMapBuffer", n, list, event);
    return memory;
}

COMMAND(clEnqueueReadBuffer,
        (cl_command_queue queue, cl_mem buffer, cl_bool wait, size_t offset, size_t size, void *to,
         cl_uint n, const cl_event *list, cl_event *event),
        (queue, buffer, wait, offset, size, to, n, list, event))
COMMAND(clEnqueueWriteBuffer,
        (cl_command_queue queue, cl_mem buffer, cl_bool wait, size_t offset, size_t size,
         const void *from, cl_uint n, const cl_event *list, cl_event *event),
        (queue, buffer, wait, offset, size, from, n, list, event))
COMMAND(clEnqueueReadBufferRect,
        (cl_command_queue queue, cl_mem buffer, cl_bool wait, const size_t *b, const size_t *h,
         const size_t *region, size_t bp, size_t bs, size_t hp, size_t hs, void *to, cl_uint n,
         const cl_event *list, cl_event *event),
        (queue, buffer, wait, b, h, region, bp, bs, hp, hs, to, n, list, event))
COMMAND(clEnqueueWriteBufferRect,
        (cl_command_queue queue, cl_mem buffer, cl_bool wait, const size_t *b, const size_t *h,
         const size_t *region, size_t bp, size_t bs, size_t hp, size_t hs, const void *from,
         cl_uint n, const cl_event *list, cl_event *event),
        (queue, buffer, wait, b, h, region, bp, bs, hp, hs, from, n, list, event))
COMMAND(clEnqueueCopyBuffer,
        (cl_command_queue queue, cl_mem from, cl_mem to, size_t a, size_t b, size_t size, cl_uint n,
         const cl_event *list, cl_event *event),
        (queue, from, to, a, b, size, n, list, event))
COMMAND(clEnqueueCopyBufferRect,
        (cl_command_queue queue, cl_mem from, cl_mem to, const size_t *a, const size_t *b,
         const size_t *region, size_t ap, size_t as, size_t bp, size_t bs, cl_uint n,
         const cl_event *list, cl_event *event),
        (queue, from, to, a, b, region, ap, as, bp, bs, n, list, event))
COMMAND(clEnqueueCopyBufferToImage,
        (cl_command_queue queue, cl_mem from, cl_mem to, size_t offset, const size_t *origin,
         const size_t *region, cl_uint n, const cl_event *list, cl_event *event),
        (queue, from, to, offset, origin, region, n, list, event))
COMMAND(clEnqueueCopyImageToBuffer,
        (cl_command_queue queue, cl_mem from, cl_mem to, const size_t *origin, const size_t *region,
         size_t offset, cl_uint n, const cl_event *list, cl_event *event),
        (queue, from, to, origin, region, offset, n, list, event))
COMMAND(clEnqueueSVMMemcpy,
        (cl_command_queue queue, cl_bool wait, void *to, const void *from, size_t size, cl_uint n,
         const cl_event *list, cl_event *event),
        (queue, wait, to, from, size, n, list, event))
COMMAND(clEnqueueSVMMemFill,
        (cl_command_queue queue, void *to, const void *pattern, size_t pattern_size, size_t size,
         cl_uint n, const cl_event *list, cl_event *event),
        (queue, to, pattern, pattern_size, size, n, list, event))
COMMAND(clEnqueueSVMMap,
        (cl_command_queue queue, cl_bool wait, cl_map_flags flags, void *memory, size_t size,
         cl_uint n, const cl_event *list, cl_event *event),
        (queue, wait, flags, memory, size, n, list, event))
COMMAND(clEnqueueSVMUnmap,
        (cl_command_queue queue, void *memory, cl_uint n, const cl_event *list, cl_event *event),
        (queue, memory, n, list, event))
COMMAND(clEnqueueUnmapMemObject,
        (cl_command_queue queue, cl_mem object, void *memory, cl_uint n, const cl_event *list,
         cl_event *event),
        (queue, object, memory, n, list, event))
cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t *offset, const size_t *global, const size_t *local,
                              cl_uint n, const cl_event *list, cl_event *event)
{
    REAL(clEnqueueNDRangeKernel);
    fault_check_command("clEnqueueNDRangeKernel", queue, __builtin_return_address(0));
    const cl_int code = fault_of_call("clEnqueueNDRangeKernel");
    cl_event own = NULL;
    if (code != 0)
        return code;
    const cl_int status = real(queue, kernel, dimensions, offset, global, local, n, list, &own);
    if (status != CL_SUCCESS)
        return status;
    if (event != NULL) {
        retain_real_event(own);
        *event = own;
    }
    note_launch(own);
    note_event("clEnqueueNDRangeKernel", n, list, event);
    return CL_SUCCESS;
}

COMMAND(clEnqueueMarkerWithWaitList,
        (cl_command_queue queue, cl_uint n, const cl_event *list, cl_event *event),
        (queue, n, list, event))
COMMAND(clEnqueueBarrierWithWaitList,
        (cl_command_queue queue, cl_uint n, const cl_event *list, cl_event *event),
        (queue, n, list, event))

cl_int clSetKernelArg(cl_kernel kernel, cl_uint i, size_t size, const void *value)
{
    REAL(clSetKernelArg);
    const cl_int code = fault_of_call("clSetKernelArg");
    note_argument(size, value);
    return code != 0 ? code : real(kernel, i, size, value);
}

STATUS(clSetKernelArgSVMPointer, (cl_kernel kernel, cl_uint i, const void *value),
       (kernel, i, value))
STATUS(clSetKernelExecInfo,
       (cl_kernel kernel, cl_kernel_exec_info name, size_t size, const void *value),
       (kernel, name, size, value))
/* What a callback is told about an event that ended badly. */
struct callback {
    void(CL_CALLBACK *function)(cl_event, cl_int, void *);
    void *data;
};

static void CL_CALLBACK call_back(cl_event event, cl_int status, void *data)
{
    struct callback callback = *(struct callback *)data;
    const cl_int code = code_of_events(1, &event);
    free(data);
    callback.function(event, code != 0 ? code : status, callback.data);
}

cl_int clSetEventCallback(cl_event event, cl_int type,
                          void(CL_CALLBACK *function)(cl_event, cl_int, void *), void *data)
{
    REAL(clSetEventCallback);
    const cl_int code = fault_of_call("clSetEventCallback");
    if (code != 0)
        return code;
    struct callback *callback = malloc(sizeof *callback);
    if (callback == NULL)
        return CL_OUT_OF_HOST_MEMORY;
    *callback = (struct callback){function, data};
    const cl_int status = real(event, type, call_back, callback);
    if (status != CL_SUCCESS)
        free(callback);
    return status;
}

cl_int clGetEventInfo(cl_event event, cl_event_info name, size_t size, void *value, size_t *needed)
{
    REAL(clGetEventInfo);
    const cl_int code = fault_of_call("clGetEventInfo");
    const cl_int status = code != 0 ? code : real(event, name, size, value, needed);
    const cl_int bad = code_of_events(1, &event);
    if (status == CL_SUCCESS && name == CL_EVENT_COMMAND_EXECUTION_STATUS && value != NULL &&
        bad != 0 && *(cl_int *)value <= CL_COMPLETE)
        *(cl_int *)value = bad;
    return status;
}

cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info name, size_t size, void *value,
                               size_t *needed)
{
    REAL(clGetEventProfilingInfo);
    const cl_int code = fault_of_call("clGetEventProfilingInfo");
    if (code != 0)
        return code;
    return code_of_events(1, &event) != 0 ? CL_PROFILING_INFO_NOT_AVAILABLE
                                          : real(event, name, size, value, needed);
}

cl_int clWaitForEvents(cl_uint n, const cl_event *list)
{
    REAL(clWaitForEvents);
    const cl_int code = fault_of_call("clWaitForEvents");
    if (code != 0 && !fault_is_lost())
        return code;
    const cl_int status = real(n, list);
    if (code != 0)
        return code;
    return status == CL_SUCCESS && code_of_events(n, list) != 0
               ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
               : status;
}

STATUS(clGetSupportedImageFormats,
       (cl_context context, cl_mem_flags flags, cl_mem_object_type type, cl_uint n,
        cl_image_format *formats, cl_uint *found),
       (context, flags, type, n, formats, found))
STATUS(clFlush, (cl_command_queue queue), (queue))
STATUS(clBuildProgram,
       (cl_program program, cl_uint n, const cl_device_id *devices, const char *options,
        void(CL_CALLBACK *notify)(cl_program, void *), void *data),
       (program, n, devices, options, notify, data))
STATUS(clGetKernelInfo,
       (cl_kernel kernel, cl_kernel_info name, size_t size, void *value, size_t *needed),
       (kernel, name, size, value, needed))
STATUS(clGetKernelArgInfo,
       (cl_kernel kernel, cl_uint i, cl_kernel_arg_info name, size_t size, void *value,
        size_t *needed),
       (kernel, i, name, size, value, needed))
STATUS(clGetKernelWorkGroupInfo,
       (cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info name, size_t size,
        void *value, size_t *needed),
       (kernel, device, name, size, value, needed))
STATUS(clGetProgramInfo,
       (cl_program program, cl_program_info name, size_t size, void *value, size_t *needed),
       (program, name, size, value, needed))
STATUS(clGetMemObjectInfo,
       (cl_mem object, cl_mem_info name, size_t size, void *value, size_t *needed),
       (object, name, size, value, needed))
STATUS(clGetProgramBuildInfo,
       (cl_program program, cl_device_id device, cl_program_build_info name, size_t size,
        void *value, size_t *needed),
       (program, device, name, size, value, needed))
LOST_STATUS(clFinish, (cl_command_queue queue), (queue))
STATUS(clGetPlatformIDs, (cl_uint n, cl_platform_id *platforms, cl_uint *found),
       (n, platforms, found))
STATUS(clGetPlatformInfo,
       (cl_platform_id platform, cl_platform_info name, size_t size, void *value, size_t *needed),
       (platform, name, size, value, needed))
STATUS(clGetDeviceIDs,
       (cl_platform_id platform, cl_device_type type, cl_uint n, cl_device_id *devices,
        cl_uint *found),
       (platform, type, n, devices, found))
STATUS(clGetDeviceInfo,
       (cl_device_id device, cl_device_info name, size_t size, void *value, size_t *needed),
       (device, name, size, value, needed))

/* ---- extension functions -------------------------------------------------------------------------- */

enum extension {
    DEVICE_ALLOC,
    HOST_ALLOC,
    SHARED_ALLOC,
    MEM_FREE,
    BLOCKING_FREE,
    SET_ARG,
    USM_COPY,
    USM_FILL,
    SET_ADDRESS,
    PROGRAM_WITH_IL,
    CREATE_LOCATED,
    EXTENSIONS
};

static void *real_extensions[EXTENSIONS]; /* filled when the devices are enumerated */
static const char *_Atomic unknown_extension;

const char *fault_unknown_extension(void)
{
    return unknown_extension;
}

/* REAL() for them: the pointer that the platform gave. */
#define REAL_EXTENSION(which, type, parameters)                                                    \
    type(CL_API_CALL *real) parameters;                                                            \
    memcpy(&real, &real_extensions[which], sizeof real)

/* STATUS() and so on for them. */
#define EXTENSION_ALLOC(function, which, name, parameters, types, arguments)                       \
    static void *CL_API_CALL function parameters                                                   \
    {                                                                                              \
        REAL_EXTENSION(which, void *, types);                                                      \
        const cl_int code = fault_of_call(name);                                                   \
        if (code != 0) {                                                                           \
            if (error != NULL)                                                                     \
                *error = code;                                                                     \
            return NULL;                                                                           \
        }                                                                                          \
        void *memory = real arguments;                                                             \
        if (memory != NULL)                                                                        \
            count(USM, 1);                                                                         \
        return memory;                                                                             \
    }

EXTENSION_ALLOC(device_alloc, DEVICE_ALLOC, "clDeviceMemAllocINTEL",
                (cl_context context, cl_device_id device, const cl_ulong *properties, size_t size,
                 cl_uint alignment, cl_int *error),
                (cl_context, cl_device_id, const cl_ulong *, size_t, cl_uint, cl_int *),
                (context, device, properties, size, alignment, error))
EXTENSION_ALLOC(shared_alloc, SHARED_ALLOC, "clSharedMemAllocINTEL",
                (cl_context context, cl_device_id device, const cl_ulong *properties, size_t size,
                 cl_uint alignment, cl_int *error),
                (cl_context, cl_device_id, const cl_ulong *, size_t, cl_uint, cl_int *),
                (context, device, properties, size, alignment, error))
EXTENSION_ALLOC(host_alloc, HOST_ALLOC, "clHostMemAllocINTEL",
                (cl_context context, const cl_ulong *properties, size_t size, cl_uint alignment,
                 cl_int *error),
                (cl_context, const cl_ulong *, size_t, cl_uint, cl_int *),
                (context, properties, size, alignment, error))

static cl_int free_usm(enum extension which, const char *name, cl_context context, void *memory)
{
    REAL_EXTENSION(which, cl_int, (cl_context, void *));
    const cl_int code = fault_of_call(name);
    const cl_int status = real(context, memory);
    if (status == CL_SUCCESS && memory != NULL)
        count(USM, -1);
    return code != 0 ? code : status;
}

static cl_int CL_API_CALL mem_free(cl_context context, void *memory)
{
    return free_usm(MEM_FREE, "clMemFreeINTEL", context, memory);
}

static cl_int CL_API_CALL blocking_free(cl_context context, void *memory)
{
    return free_usm(BLOCKING_FREE, "clMemBlockingFreeINTEL", context, memory);
}

static cl_int CL_API_CALL set_arg(cl_kernel kernel, cl_uint i, const void *value)
{
    REAL_EXTENSION(SET_ARG, cl_int, (cl_kernel, cl_uint, const void *));
    const cl_int code = fault_of_call("clSetKernelArgMemPointerINTEL");
    return code != 0 ? code : real(kernel, i, value);
}

static cl_int CL_API_CALL set_address(cl_kernel kernel, cl_uint i, cl_ulong value)
{
    REAL_EXTENSION(SET_ADDRESS, cl_int, (cl_kernel, cl_uint, cl_ulong));
    const cl_int code = fault_of_call("clSetKernelArgDevicePointerEXT");
    return code != 0 ? code : real(kernel, i, value);
}

static cl_int CL_API_CALL usm_copy(cl_command_queue queue, cl_bool wait, void *to, const void *from,
                                   size_t size, cl_uint n, const cl_event *list, cl_event *event)
{
    REAL_EXTENSION(USM_COPY, cl_int,
                   (cl_command_queue, cl_bool, void *, const void *, size_t, cl_uint,
                    const cl_event *, cl_event *));
    fault_check_command("clEnqueueMemcpyINTEL", queue, __builtin_return_address(0));
    const cl_int code = fault_of_call("clEnqueueMemcpyINTEL");
    const cl_int status = code != 0 ? code : real(queue, wait, to, from, size, n, list, event);
    if (status == CL_SUCCESS)
        note_event("clEnqueueMemcpyINTEL", n, list, event);
    return status;
}

static cl_int CL_API_CALL usm_fill(cl_command_queue queue, void *to, const void *pattern,
                                   size_t pattern_size, size_t size, cl_uint n,
                                   const cl_event *list, cl_event *event)
{
    REAL_EXTENSION(USM_FILL, cl_int,
                   (cl_command_queue, void *, const void *, size_t, size_t, cl_uint,
                    const cl_event *, cl_event *));
    fault_check_command("clEnqueueMemFillINTEL", queue, __builtin_return_address(0));
    const cl_int code = fault_of_call("clEnqueueMemFillINTEL");
    const cl_int status =
        code != 0 ? code : real(queue, to, pattern, pattern_size, size, n, list, event);
    if (status == CL_SUCCESS)
        note_event("clEnqueueMemFillINTEL", n, list, event);
    return status;
}

static cl_program CL_API_CALL program_with_il(cl_context context, const void *il, size_t length,
                                              cl_int *error)
{
    REAL_EXTENSION(PROGRAM_WITH_IL, cl_program, (cl_context, const void *, size_t, cl_int *));
    *error = fault_of_call("clCreateProgramWithILKHR");
    cl_program made = *error != 0 ? NULL : real(context, il, length, error);
    if (made != NULL)
        count(PROGRAM, 1);
    return made;
}

static cl_mem CL_API_CALL create_located(cl_context context, cl_mem_flags flags, cl_bitfield where,
                                         size_t size, void *host, cl_int *error)
{
    REAL_EXTENSION(CREATE_LOCATED, cl_mem,
                   (cl_context, cl_mem_flags, cl_bitfield, size_t, void *, cl_int *));
    *error = fault_of_call("clCreateBufferNV");
    cl_mem made = *error != 0 ? NULL : real(context, flags, where, size, host, error);
    if (made != NULL)
        count(BUFFER, 1);
    note_birth(made);
    return made;
}

/* Ours for a function of this name, so that strategies that allocate through an extension fail on demand as well. */
#define STAND_IN(name, which, function)                                                            \
    {                                                                                              \
        name, which, (void (*)(void))function                                                      \
    }

static const struct {
    const char *name;
    enum extension which;
    void (*function)(void);
} stand_ins[] = {
    STAND_IN("clDeviceMemAllocINTEL", DEVICE_ALLOC, device_alloc),
    STAND_IN("clHostMemAllocINTEL", HOST_ALLOC, host_alloc),
    STAND_IN("clSharedMemAllocINTEL", SHARED_ALLOC, shared_alloc),
    STAND_IN("clMemFreeINTEL", MEM_FREE, mem_free),
    STAND_IN("clMemBlockingFreeINTEL", BLOCKING_FREE, blocking_free),
    STAND_IN("clSetKernelArgMemPointerINTEL", SET_ARG, set_arg),
    STAND_IN("clSetKernelArgDevicePointerEXT", SET_ADDRESS, set_address),
    STAND_IN("clEnqueueMemcpyINTEL", USM_COPY, usm_copy),
    STAND_IN("clEnqueueMemFillINTEL", USM_FILL, usm_fill),
    STAND_IN("clCreateProgramWithILKHR", PROGRAM_WITH_IL, program_with_il),
    STAND_IN("clCreateBufferNV", CREATE_LOCATED, create_located),
};

/* One pointer is kept per function: a second platform's, when it is another one, is called directly. */
static void *stand_in(size_t i, void *address)
{
    void **kept = &real_extensions[stand_ins[i].which];
    if (address == NULL || (*kept != NULL && *kept != address))
        return address;
    *kept = address;
    memcpy(&address, &stand_ins[i].function, sizeof address);
    return address;
}

void *clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name)
{
    REAL(clGetExtensionFunctionAddressForPlatform);
    if (fault_of_call("clGetExtensionFunctionAddressForPlatform") != 0)
        return NULL;
    void *address = real(platform, name);
    for (size_t i = 0; i < sizeof stand_ins / sizeof stand_ins[0]; i++) {
        if (strcmp(stand_ins[i].name, name) == 0)
            return stand_in(i, address);
    }
    unknown_extension = name;
    return address;
}
