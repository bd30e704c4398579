/* An OpenCL layer that tells what a program's kernels cost to build: it writes lines of fields with tabs between to the file
 * that METER_LOG names.
 *
 *   source PROGRAM BYTES       clCreateProgramWithSource; binary PROGRAM BYTES: clCreateProgramWithBinary
 *   build PROGRAM SECONDS      clBuildProgram
 *   kernel PROGRAM NAME        clCreateKernel
 *   launch PROGRAM NAME X,Y,Z SECONDS
 *                              the first clEnqueueNDRangeKernel of a kernel with this local size, until it has run: PoCL
 *                              compiles for the local size when the command's turn comes
 *
 * PROGRAM is the process and where the object lies in it, since children are metered too. Seconds are CPU time: of a build
 * that of the thread that called, of a launch the process's, each with children that ended meanwhile, such as a linker. The
 * queue is waited for before and after a first launch, so a program whose commands wait for what the host does later hangs.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "tests/stub/layer.h"

static const struct _cl_icd_dispatch *target;

#define TELL(...)                                                                                  \
    do {                                                                                           \
        FILE *told = open_log();                                                                   \
        if (told) {                                                                                \
            fprintf(told, __VA_ARGS__);                                                            \
            fclose(told);                                                                          \
        }                                                                                          \
    } while (0)

/* Opened for each line: a process that its limit ends has told all until then. */
static FILE *open_log(void)
{
    const char *path = getenv("METER_LOG");
    return path ? fopen(path, "ae") : NULL;
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

/* By the thread or the whole process, and by children that ended. */
static double used_by(clockid_t clock)
{
    struct timespec own;
    struct rusage children;
    clock_gettime(clock, &own);
    getrusage(RUSAGE_CHILDREN, &children);
    return (double)own.tv_sec + 1e-9 * (double)own.tv_nsec + seconds_of(children.ru_utime) +
           seconds_of(children.ru_stime);
}

/* Kernels and local sizes that were launched before, as launch() below writes them. */
struct launched {
    struct launched *next;
    cl_program program;
    char what[];
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct launched *all;

static bool is_first(cl_program program, const char *what)
{
    pthread_mutex_lock(&lock);
    const struct launched *found = all;
    while (found && (found->program != program || strcmp(found->what, what) != 0))
        found = found->next;
    struct launched *row = found ? NULL : malloc(sizeof *row + strlen(what) + 1);
    if (row) {
        *row = (struct launched){.next = all, .program = program};
        strcpy(row->what, what);
        all = row;
    }
    pthread_mutex_unlock(&lock);
    return !found;
}

/* A new program may lie where one lay that was released. */
static void forget(cl_program program)
{
    pthread_mutex_lock(&lock);
    for (struct launched *row = all; row; row = row->next)
        if (row->program == program)
            row->program = NULL;
    pthread_mutex_unlock(&lock);
}

static cl_program CL_API_CALL with_source(cl_context context, cl_uint count, const char **strings,
                                          const size_t *lengths, cl_int *error)
{
    cl_program program = target->clCreateProgramWithSource(context, count, strings, lengths, error);
    size_t bytes = 0;
    if (!program)
        return NULL;
    forget(program);
    target->clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &bytes);
    TELL("source\t%d/%p\t%zu\n", (int)getpid(), (void *)program, bytes ? bytes - 1 : 0);
    return program;
}

static cl_program CL_API_CALL with_binary(cl_context context, cl_uint count,
                                          const cl_device_id *devices, const size_t *lengths,
                                          const unsigned char **binaries, cl_int *status,
                                          cl_int *error)
{
    cl_program program = target->clCreateProgramWithBinary(context, count, devices, lengths,
                                                           binaries, status, error);
    if (!program)
        return NULL;
    forget(program);
    TELL("binary\t%d/%p\t%zu\n", (int)getpid(), (void *)program, lengths[0]);
    return program;
}

static cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id *devices,
                                const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                                void *data)
{
    const double start = used_by(CLOCK_THREAD_CPUTIME_ID);
    const cl_int error = target->clBuildProgram(program, count, devices, options, notify, data);
    TELL("build\t%d/%p\t%.4f\n", (int)getpid(), (void *)program,
         used_by(CLOCK_THREAD_CPUTIME_ID) - start);
    return error;
}

static cl_kernel CL_API_CALL create_kernel(cl_program program, const char *name, cl_int *error)
{
    TELL("kernel\t%d/%p\t%s\n", (int)getpid(), (void *)program, name);
    return target->clCreateKernel(program, name, error);
}

static cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                 const size_t *offset, const size_t *global, const size_t *local,
                                 cl_uint count, const cl_event *events, cl_event *event)
{
    char name[256] = "?", what[384];
    size_t size[3] = {1, 1, 1};
    cl_program program = NULL;
    for (cl_uint i = 0; local && i < dimensions; i++)
        size[i] = local[i];
    target->clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
    target->clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, &program, NULL);
    snprintf(what, sizeof what, "%s\t%zu,%zu,%zu", name, size[0], size[1], size[2]);
    const bool is_told = is_first(program, what);
    if (is_told)
        target->clFinish(queue);
    const double start = used_by(CLOCK_PROCESS_CPUTIME_ID);
    const cl_int error = target->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global,
                                                        local, count, events, event);
    if (is_told) {
        target->clFinish(queue);
        TELL("launch\t%d/%p\t%s\t%.4f\n", (int)getpid(), (void *)program, what,
             used_by(CLOCK_PROCESS_CPUTIME_ID) - start);
    }
    return error;
}

void clem_stub_install(struct _cl_icd_dispatch *layer, const struct _cl_icd_dispatch *below)
{
    target = below;
    layer->clCreateProgramWithSource = with_source;
    layer->clCreateProgramWithBinary = with_binary;
    layer->clBuildProgram = build;
    layer->clCreateKernel = create_kernel;
    layer->clEnqueueNDRangeKernel = launch;
}
