/* Stands between libclem and the OpenCL loader: this program defines the functions, so libclem's calls come here first.
 * SPDX-License-Identifier: Apache-2.0 */
#pragma GCC visibility push(default) /* libclem must find these */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#pragma GCC visibility pop
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fault/opencl.h"

enum kind { CONTEXT, QUEUE, BUFFER, PROGRAM, KERNEL, EVENT, SAMPLER, SVM, USM, KINDS };

static _Atomic long countdown; /* calls until the one that fails; 0 or less: none */
static _Atomic int is_met;
static const char *_Atomic failed_name = "none";
static _Atomic long live[KINDS];

void fault_at(long n)
{
    atomic_store(&is_met, 0);
    atomic_store(&countdown, n);
}

int fault_was_met(void)
{
    return atomic_load(&is_met);
}

const char *fault_name(void)
{
    return failed_name;
}

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

static int must_fail(const char *name)
{
    if (atomic_load(&countdown) <= 0 || atomic_fetch_sub(&countdown, 1) != 1)
        return 0;
    failed_name = name;
    atomic_store(&is_met, 1);
    return 1;
}

static void count(enum kind kind, long change)
{
    atomic_fetch_add(&live[kind], change);
}

static void *next(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (function == NULL) {
        fprintf(stderr, "no %s in the loader\n", name);
        exit(2);
    }
    return function;
}

#define REAL(name)                                                                                 \
    static __typeof__(&name) real;                                                                 \
    if (real == NULL)                                                                              \
    *(void **)&real = next(#name)

/* Functions that return a status and make nothing. */
#define STATUS(name, parameters, arguments)                                                        \
    cl_int name parameters                                                                         \
    {                                                                                              \
        REAL(name);                                                                                \
        if (must_fail(#name))                                                                      \
            return CL_OUT_OF_HOST_MEMORY;                                                          \
        return real arguments;                                                                     \
    }

/* Functions that return an object. */
#define CREATE(type, kind, name, parameters, arguments)                                            \
    type name parameters                                                                           \
    {                                                                                              \
        REAL(name);                                                                                \
        if (must_fail(#name)) {                                                                    \
            if (error != NULL)                                                                     \
                *error = CL_OUT_OF_HOST_MEMORY;                                                    \
            return NULL;                                                                           \
        }                                                                                          \
        type made = real arguments;                                                                \
        if (made != NULL)                                                                          \
            count(kind, 1);                                                                        \
        return made;                                                                               \
    }

/* Commands: they return a status and may make an event. */
#define COMMAND(name, parameters, arguments)                                                       \
    cl_int name parameters                                                                         \
    {                                                                                              \
        REAL(name);                                                                                \
        if (must_fail(#name))                                                                      \
            return CL_OUT_OF_HOST_MEMORY;                                                          \
        cl_int status = real arguments;                                                            \
        if (status == CL_SUCCESS && event != NULL)                                                 \
            count(EVENT, 1);                                                                       \
        return status;                                                                             \
    }

/* Releasing and retaining never fail here: a program could do nothing about it. */
#define REFERENCE(name, type, kind, change)                                                        \
    cl_int name(type object)                                                                       \
    {                                                                                              \
        REAL(name);                                                                                \
        cl_int status = real(object);                                                              \
        if (status == CL_SUCCESS)                                                                  \
            count(kind, change);                                                                   \
        return status;                                                                             \
    }

REFERENCE(clReleaseContext, cl_context, CONTEXT, -1)
REFERENCE(clReleaseCommandQueue, cl_command_queue, QUEUE, -1)
REFERENCE(clReleaseMemObject, cl_mem, BUFFER, -1)
REFERENCE(clReleaseProgram, cl_program, PROGRAM, -1)
REFERENCE(clReleaseKernel, cl_kernel, KERNEL, -1)
REFERENCE(clReleaseEvent, cl_event, EVENT, -1)
REFERENCE(clReleaseSampler, cl_sampler, SAMPLER, -1)
REFERENCE(clRetainContext, cl_context, CONTEXT, 1)
REFERENCE(clRetainCommandQueue, cl_command_queue, QUEUE, 1)
REFERENCE(clRetainMemObject, cl_mem, BUFFER, 1)
REFERENCE(clRetainProgram, cl_program, PROGRAM, 1)
REFERENCE(clRetainKernel, cl_kernel, KERNEL, 1)
REFERENCE(clRetainEvent, cl_event, EVENT, 1)

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
    if (must_fail("clCreateProgramWithBinary")) {
        *error = CL_OUT_OF_HOST_MEMORY;
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
    if (must_fail("clSVMAlloc"))
        return NULL;
    void *memory = real(context, flags, size, alignment);
    if (memory != NULL)
        count(SVM, 1);
    return memory;
}

void clSVMFree(cl_context context, void *memory)
{
    REAL(clSVMFree);
    if (memory != NULL)
        count(SVM, -1);
    real(context, memory);
}

cl_int clCreateKernelsInProgram(cl_program program, cl_uint n, cl_kernel *kernels, cl_uint *made)
{
    REAL(clCreateKernelsInProgram);
    if (must_fail("clCreateKernelsInProgram"))
        return CL_OUT_OF_HOST_MEMORY;
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
    if (must_fail("clEnqueueMapBuffer")) {
        if (error != NULL)
            *error = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    void *memory = real(queue, buffer, wait, flags, offset, size, n, list, event, error);
    if (memory != NULL && event != NULL)
        count(EVENT, 1);
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
COMMAND(clEnqueueNDRangeKernel,
        (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
         const size_t *global, const size_t *local, cl_uint n, const cl_event *list,
         cl_event *event),
        (queue, kernel, dimensions, offset, global, local, n, list, event))
COMMAND(clEnqueueMarkerWithWaitList,
        (cl_command_queue queue, cl_uint n, const cl_event *list, cl_event *event),
        (queue, n, list, event))
COMMAND(clEnqueueBarrierWithWaitList,
        (cl_command_queue queue, cl_uint n, const cl_event *list, cl_event *event),
        (queue, n, list, event))

STATUS(clSetKernelArg, (cl_kernel kernel, cl_uint i, size_t size, const void *value),
       (kernel, i, size, value))
STATUS(clSetKernelArgSVMPointer, (cl_kernel kernel, cl_uint i, const void *value),
       (kernel, i, value))
STATUS(clSetKernelExecInfo,
       (cl_kernel kernel, cl_kernel_exec_info name, size_t size, const void *value),
       (kernel, name, size, value))
STATUS(clSetEventCallback,
       (cl_event event, cl_int type, void(CL_CALLBACK *function)(cl_event, cl_int, void *),
        void *data),
       (event, type, function, data))
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
STATUS(clGetEventProfilingInfo,
       (cl_event event, cl_profiling_info name, size_t size, void *value, size_t *needed),
       (event, name, size, value, needed))

/* ---- extension functions -------------------------------------------------------------------------- */

enum extension {
    DEVICE_ALLOC,
    HOST_ALLOC,
    MEM_FREE,
    BLOCKING_FREE,
    SET_ARG,
    USM_COPY,
    USM_FILL,
    SET_ADDRESS,
    EXTENSIONS
};

static void
    *real_extensions[EXTENSIONS]; /* filled while the devices are enumerated, by one thread */

/* REAL() for them: the pointer that the platform gave. */
#define REAL_EXTENSION(which, type, parameters)                                                    \
    type(CL_API_CALL *real) parameters;                                                            \
    memcpy(&real, &real_extensions[which], sizeof real)

static void *CL_API_CALL device_alloc(cl_context context, cl_device_id device,
                                      const cl_ulong *properties, size_t size, cl_uint alignment,
                                      cl_int *error)
{
    REAL_EXTENSION(DEVICE_ALLOC, void *,
                   (cl_context, cl_device_id, const cl_ulong *, size_t, cl_uint, cl_int *));
    if (must_fail("clDeviceMemAllocINTEL")) {
        if (error != NULL)
            *error = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    void *memory = real(context, device, properties, size, alignment, error);
    if (memory != NULL)
        count(USM, 1);
    return memory;
}

static void *CL_API_CALL host_alloc(cl_context context, const cl_ulong *properties, size_t size,
                                    cl_uint alignment, cl_int *error)
{
    REAL_EXTENSION(HOST_ALLOC, void *, (cl_context, const cl_ulong *, size_t, cl_uint, cl_int *));
    if (must_fail("clHostMemAllocINTEL")) {
        if (error != NULL)
            *error = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    void *memory = real(context, properties, size, alignment, error);
    if (memory != NULL)
        count(USM, 1);
    return memory;
}

static cl_int free_usm(enum extension which, cl_context context, void *memory)
{
    REAL_EXTENSION(which, cl_int, (cl_context, void *));
    cl_int status = real(context, memory);
    if (status == CL_SUCCESS && memory != NULL)
        count(USM, -1);
    return status;
}

static cl_int CL_API_CALL mem_free(cl_context context, void *memory)
{
    return free_usm(MEM_FREE, context, memory);
}

static cl_int CL_API_CALL blocking_free(cl_context context, void *memory)
{
    return free_usm(BLOCKING_FREE, context, memory);
}

static cl_int CL_API_CALL set_arg(cl_kernel kernel, cl_uint i, const void *value)
{
    REAL_EXTENSION(SET_ARG, cl_int, (cl_kernel, cl_uint, const void *));
    return must_fail("clSetKernelArgMemPointerINTEL") ? CL_OUT_OF_HOST_MEMORY
                                                      : real(kernel, i, value);
}

static cl_int CL_API_CALL set_address(cl_kernel kernel, cl_uint i, cl_ulong value)
{
    REAL_EXTENSION(SET_ADDRESS, cl_int, (cl_kernel, cl_uint, cl_ulong));
    return must_fail("clSetKernelArgDevicePointerEXT") ? CL_OUT_OF_HOST_MEMORY
                                                       : real(kernel, i, value);
}

static cl_int CL_API_CALL usm_copy(cl_command_queue queue, cl_bool wait, void *to, const void *from,
                                   size_t size, cl_uint n, const cl_event *list, cl_event *event)
{
    REAL_EXTENSION(USM_COPY, cl_int,
                   (cl_command_queue, cl_bool, void *, const void *, size_t, cl_uint,
                    const cl_event *, cl_event *));
    if (must_fail("clEnqueueMemcpyINTEL"))
        return CL_OUT_OF_HOST_MEMORY;
    cl_int status = real(queue, wait, to, from, size, n, list, event);
    if (status == CL_SUCCESS && event != NULL)
        count(EVENT, 1);
    return status;
}

static cl_int CL_API_CALL usm_fill(cl_command_queue queue, void *to, const void *pattern,
                                   size_t pattern_size, size_t size, cl_uint n,
                                   const cl_event *list, cl_event *event)
{
    REAL_EXTENSION(USM_FILL, cl_int,
                   (cl_command_queue, void *, const void *, size_t, size_t, cl_uint,
                    const cl_event *, cl_event *));
    if (must_fail("clEnqueueMemFillINTEL"))
        return CL_OUT_OF_HOST_MEMORY;
    cl_int status = real(queue, to, pattern, pattern_size, size, n, list, event);
    if (status == CL_SUCCESS && event != NULL)
        count(EVENT, 1);
    return status;
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
    STAND_IN("clMemFreeINTEL", MEM_FREE, mem_free),
    STAND_IN("clMemBlockingFreeINTEL", BLOCKING_FREE, blocking_free),
    STAND_IN("clSetKernelArgMemPointerINTEL", SET_ARG, set_arg),
    STAND_IN("clSetKernelArgDevicePointerEXT", SET_ADDRESS, set_address),
    STAND_IN("clEnqueueMemcpyINTEL", USM_COPY, usm_copy),
    STAND_IN("clEnqueueMemFillINTEL", USM_FILL, usm_fill),
};

/* One pointer is kept per function: a second platform's, when it is another one, is called directly. */
void *clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name)
{
    REAL(clGetExtensionFunctionAddressForPlatform);
    void *address = real(platform, name);
    for (size_t i = 0; address != NULL && i < sizeof stand_ins / sizeof stand_ins[0]; i++) {
        void **kept = &real_extensions[stand_ins[i].which];
        if (strcmp(stand_ins[i].name, name) != 0 || (*kept != NULL && *kept != address))
            continue;
        *kept = address;
        memcpy(&address, &stand_ins[i].function, sizeof address);
        break;
    }
    return address;
}
