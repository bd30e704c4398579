/* Compiles kernels for PoCL into its cache, and LLVM IR to object files, job after job, until libclem's end of the socket closes
 * or for ten seconds there is nothing to do.
 * SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cl/apart/apart_wire.h"
#include "cl/base/opencl.h"
#include "cl/device/driver_llvm.h"
#include "cl/llvm/compile.h"
#include "cl/trace.h"

/* ---- Its end ---- */

static atomic_bool has_job;

static void say(enum ocl_apart_word word)
{
    const char byte = (char)word;
    (void)!send(OCL_APART_FILE, &byte, 1, MSG_NOSIGNAL);
}

static void say_crash(int signal)
{
    const char bytes[] = {OCL_APART_CRASHED, (char)signal};
    if (atomic_exchange(&has_job, false))
        (void)!send(OCL_APART_FILE, bytes, sizeof bytes, MSG_NOSIGNAL);
}

static void end_by_signal(int signal)
{
    say_crash(signal);
    _exit(1);
}

/* Compilers call exit() where they see no way on. */
static void end_by_exit(void)
{
    say_crash(0);
}

static void watch_crashes(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    static char memory[64 << 10];
    struct sigaction action = {.sa_handler = end_by_signal, .sa_flags = SA_ONSTACK};
    sigaltstack(&(stack_t){.ss_sp = memory, .ss_size = sizeof memory}, NULL);
    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
    atexit(end_by_exit);
}

/* The main thread is in a compiler, which nothing stops. */
static void *watch_parent(void *unused)
{
    struct pollfd end = {.fd = OCL_APART_FILE, .events = POLLRDHUP};
    (void)unused;
    for (;;)
        if (poll(&end, 1, -1) > 0)
            _exit(0);
}

/* ---- A job ---- */

struct job {
    struct ocl_apart_head head;
    char *name, *options, *text;
};

static bool receive(void *target, size_t bytes)
{
    char *at = target;
    while (bytes > 0) {
        const ssize_t got = recv(OCL_APART_FILE, at, bytes, 0);
        if (got <= 0)
            return false;
        at += got;
        bytes -= (size_t)got;
    }
    return true;
}

static char *receive_text(size_t bytes)
{
    char *text = malloc(bytes);
    if (text && receive(text, bytes) && bytes > 0 && text[bytes - 1] == '\0')
        return text;
    _exit(1);
}

static void receive_job(struct job *job)
{
    enum { IDLE_MS = 10000 };
    struct pollfd end = {.fd = OCL_APART_FILE, .events = POLLIN};
    if (poll(&end, 1, IDLE_MS) != 1 || !receive(&job->head, sizeof job->head))
        _exit(0);
    job->name = receive_text(job->head.name_bytes);
    job->options = receive_text(job->head.options_bytes);
    job->text = receive_text(job->head.text_bytes);
}

/* ---- OpenCL ---- */

struct device {
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
};

/* driver_llvm.c's. stderr goes nowhere unless CLEM_TRACE is set. */
void ocl_trace(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fputs("clem-compile: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
}

/* As libclem does it before its first build. */
static void tame_compiler(cl_platform_id platform)
{
    char version[256] = "";
    int major = 0;
    clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version, version, NULL);
    const char *number = strcasestr(version, "pocl ");
    if (number && sscanf(number + strlen("pocl "), "%d", &major) == 1)
        ocl_driver_llvm_tame(major, version);
}

static cl_platform_id find_pocl(void)
{
    enum { MOST = 64 };
    cl_platform_id all[MOST];
    cl_uint count = 0;
    char name[64] = "";
    if (clGetPlatformIDs(MOST, all, &count) != CL_SUCCESS)
        return NULL;
    for (cl_uint i = 0; i < count && i < MOST; i++)
        if (clGetPlatformInfo(all[i], CL_PLATFORM_NAME, sizeof name, name, NULL) == CL_SUCCESS &&
            strcmp(name, "Portable Computing Language") == 0)
            return all[i];
    return NULL;
}

/* Opened with the first job for it. */
static struct device *find_device(cl_uint place)
{
    enum { MOST = 64 };
    static struct device opened[MOST];
    cl_device_id ids[MOST];
    cl_uint count = 0;
    cl_int error = CL_SUCCESS;
    const cl_platform_id platform = find_pocl();
    if (place >= MOST || opened[place].queue)
        return place < MOST ? &opened[place] : NULL;
    struct device *device = &opened[place];
    if (!platform ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MOST, ids, &count) != CL_SUCCESS ||
        place >= count)
        return NULL;
    tame_compiler(platform);
    device->id = ids[place];
    device->context = clCreateContext(NULL, 1, &device->id, NULL, NULL, &error);
    if (device->context)
        device->queue = clCreateCommandQueue(device->context, device->id, 0, &error);
    return device->queue ? device : NULL;
}

static void show_log(const struct device *device, cl_program program)
{
    static char log[64 << 10];
    if (clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL) ==
        CL_SUCCESS)
        ocl_trace("%s", log);
}

static cl_program build(const struct device *device, const struct job *job)
{
    cl_int error = CL_SUCCESS;
    const char *text = job->text;
    const size_t bytes = strlen(text);
    cl_program program = clCreateProgramWithSource(device->context, 1, &text, &bytes, &error);
    if (program &&
        clBuildProgram(program, 1, &device->id, job->options, NULL, NULL) != CL_SUCCESS) {
        show_log(device, program);
        clReleaseProgram(program);
        return NULL;
    }
    return program;
}

/* Without their descriptions, which a text is not built with, the driver's answers tell what arguments are: __local memory,
 * pointers, or values of so many bytes at most. */
static bool set_argument(cl_kernel kernel, cl_uint index)
{
    enum { LOCAL_BYTES = 128, MOST_BYTES = 4096 };
    static const char zeros[MOST_BYTES];
    if (clSetKernelArg(kernel, index, LOCAL_BYTES, NULL) == CL_SUCCESS ||
        clSetKernelArg(kernel, index, sizeof(cl_mem), NULL) == CL_SUCCESS)
        return true;
    for (size_t bytes = MOST_BYTES; bytes > 0; bytes--)
        if (clSetKernelArg(kernel, index, bytes, zeros) == CL_SUCCESS)
            return true;
    return false;
}

/* PoCL compiles a kernel in its first launch. */
static bool launch(const struct device *device, cl_program program, const char *name)
{
    static const size_t one[] = {1, 1, 1};
    cl_uint count = 0;
    cl_int error = CL_SUCCESS;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    bool is_set = kernel && clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count,
                                            NULL) == CL_SUCCESS;
    for (cl_uint i = 0; is_set && i < count; i++)
        is_set = set_argument(kernel, i);
    const bool is_done = is_set &&
                         clEnqueueNDRangeKernel(device->queue, kernel, 3, NULL, one, one, 0, NULL,
                                                NULL) == CL_SUCCESS &&
                         clFinish(device->queue) == CL_SUCCESS;
    if (kernel)
        clReleaseKernel(kernel);
    return is_done;
}

static bool compile(const struct job *job)
{
    const struct device *device = find_device(job->head.device);
    cl_program program = device ? build(device, job) : NULL;
    const bool is_done = program && launch(device, program, job->name);
    if (program)
        clReleaseProgram(program);
    return is_done;
}

/* ---- LLVM ---- */

static void send_data(const void *data, size_t bytes)
{
    const char *at = data;
    while (bytes > 0) {
        const ssize_t sent = send(OCL_APART_FILE, at, bytes, MSG_NOSIGNAL);
        if (sent <= 0)
            _exit(0);
        at += sent;
        bytes -= (size_t)sent;
    }
}

static void answer(enum ocl_apart_word word, const void *data, size_t bytes)
{
    const uint64_t count = bytes;
    atomic_store(&has_job, false);
    say(word);
    send_data(&count, sizeof count);
    send_data(data, bytes);
}

/* OpenCL is not asked: PoCL is in this process only once there is a program for it. */
static void compile_code(const struct job *job)
{
    static const struct ocl_aim here;
    struct ocl_object object = {0};
    char *why = NULL;
    const struct ocl_llvm *llvm =
        ocl_llvm_load(job->options, job->head.kind == OCL_APART_LONG_CODE);
    if (llvm && ocl_llvm_compile(llvm, &here, job->text, job->head.text_bytes - 1, &object, &why))
        answer(OCL_APART_DONE, object.data, object.bytes);
    else
        answer(OCL_APART_FAILED, why, why ? strlen(why) : 0);
    free(object.data);
    free(why);
}

static void compile_program(const struct job *job)
{
    const bool is_done = compile(job);
    atomic_store(&has_job, false);
    say(is_done ? OCL_APART_DONE : OCL_APART_FAILED);
}

/* ---- */

/* Nothing of the program that started it stays open or blocked. */
static void leave_program(void)
{
    sigset_t none;
    const int nowhere = open("/dev/null", O_RDWR);
    for (int i = 0; i < (getenv("CLEM_TRACE") ? 2 : 3); i++)
        dup2(nowhere, i);
    if (close_range(OCL_APART_FILE + 1, ~0u, 0) != 0)
        for (int i = OCL_APART_FILE + 1; i < 1024; i++)
            close(i);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGCHLD, SIG_DFL); /* PoCL waits for its linker */
}

int main(void)
{
    pthread_t watcher;
    struct job job;
    leave_program();
    watch_crashes();
    if (pthread_create(&watcher, NULL, watch_parent, NULL) != 0)
        return 1;
    for (;;) {
        receive_job(&job);
        if (job.head.is_nice)
            (void)setpriority(PRIO_PROCESS, 0, 19);
        atomic_store(&has_job, true);
        say(OCL_APART_BEGUN);
        if (job.head.kind == OCL_APART_PROGRAM)
            compile_program(&job);
        else
            compile_code(&job);
        free(job.name);
        free(job.options);
        free(job.text);
    }
}
