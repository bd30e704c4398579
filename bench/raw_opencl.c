/* Raw OpenCL: the device, its memory and its kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/raw_opencl.h"

#include <clem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/runtime.h"

static struct raw the_raw = {.index = -1};

bool raw_ok(struct attempt *attempt, cl_int error, const char *call)
{
    if (error == CL_SUCCESS)
        return true;
    bool no_memory = error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_OUT_OF_RESOURCES ||
                     error == CL_OUT_OF_HOST_MEMORY || error == CL_INVALID_BUFFER_SIZE;
    return attempt_fail(attempt, no_memory ? STATUS_SKIPPED : STATUS_ERROR, "%s: OpenCL error %d",
                        call, error);
}

void runtime_close_raw(void)
{
    if (the_raw.program)
        clReleaseProgram(the_raw.program);
    if (the_raw.queue)
        clReleaseCommandQueue(the_raw.queue);
    the_raw = (struct raw){.index = -1};
}

bool raw_build(struct attempt *attempt, struct raw *raw, const char *const *texts, cl_uint count,
               const char *options, cl_program *program)
{
    cl_int error;
    *program = clCreateProgramWithSource(raw->context, count, (const char **)texts, NULL, &error);
    if (!raw_ok(attempt, error, "clCreateProgramWithSource"))
        return false;
    if (raw_ok(attempt, clBuildProgram(*program, 1, &raw->device, options, NULL, NULL),
               "clBuildProgram"))
        return true;
    clReleaseProgram(*program);
    *program = NULL;
    return false;
}

static bool has_version_2(cl_platform_id platform)
{
    char version[128] = "";
    clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version, version, NULL);
    return strncmp(version, "OpenCL ", 7) == 0 && version[7] >= '2';
}

static bool open_device(struct attempt *attempt, struct raw *raw)
{
    cl_platform_id platform;
    cl_int error;
    if (!cuda_ok(
            attempt,
            clemDeviceGetOpenCL(attempt->device->index, &platform, &raw->device, &raw->context),
            "clemDeviceGetOpenCL"))
        return false;
    raw->takes_addresses = has_version_2(platform);
    raw->queue = clCreateCommandQueue(raw->context, raw->device, 0, &error);
    return raw_ok(attempt, error, "clCreateCommandQueue");
}

static bool build_kernels(struct attempt *attempt, struct raw *raw)
{
    void *owned = NULL;
    const char *text = runtime_kernels(attempt->device, KERNELS_PEAK, &owned);
    bool built = text ? raw_build(attempt, raw, &text, 1, "", &raw->program)
                      : attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    free(owned);
    return built;
}

struct raw *raw_open(struct attempt *attempt)
{
    if (the_raw.index == attempt->device->index)
        return &the_raw;
    runtime_close_raw();
    if (!open_device(attempt, &the_raw) || !build_kernels(attempt, &the_raw)) {
        runtime_close_raw();
        return NULL;
    }
    the_raw.index = attempt->device->index;
    return &the_raw;
}

bool raw_finish(struct attempt *attempt, struct raw *raw)
{
    return raw_ok(attempt, clFinish(raw->queue), "clFinish");
}

static bool take_host(struct attempt *attempt, struct raw *raw, struct raw_memory *memory)
{
    cl_int error;
    if (memory->place == PAGEABLE) {
        if (posix_memalign(&memory->host, 4096, memory->bytes) == 0)
            return true;
        memory->host = NULL;
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    }
    memory->buffer =
        clCreateBuffer(raw->context, CL_MEM_ALLOC_HOST_PTR, memory->bytes, NULL, &error);
    if (!raw_ok(attempt, error, "clCreateBuffer"))
        return false;
    memory->host =
        clEnqueueMapBuffer(raw->queue, memory->buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                           memory->bytes, 0, NULL, NULL, &error);
    return raw_ok(attempt, error, "clEnqueueMapBuffer");
}

bool raw_take(struct attempt *attempt, struct raw *raw, struct raw_memory *memory, enum place place,
              size_t bytes)
{
    *memory = (struct raw_memory){.place = place, .bytes = bytes};
    cl_int error = CL_SUCCESS;
    if (place == NOWHERE)
        return true;
    if (place != DEVICE)
        return take_host(attempt, raw, memory);
    memory->buffer = clCreateBuffer(raw->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    return raw_ok(attempt, error, "clCreateBuffer");
}

void raw_give(struct raw *raw, struct raw_memory *memory)
{
    if (memory->place == PAGEABLE)
        free(memory->host);
    else if (memory->buffer && memory->host) {
        clEnqueueUnmapMemObject(raw->queue, memory->buffer, memory->host, 0, NULL, NULL);
        clFinish(raw->queue);
    }
    if (memory->buffer)
        clReleaseMemObject(memory->buffer);
    memset(memory, 0, sizeof *memory);
}

#define PIECE ((size_t)16 << 20)

static size_t piece_at(size_t bytes, size_t offset, size_t piece)
{
    return bytes - offset < piece ? bytes - offset : piece;
}

bool raw_fill(struct attempt *attempt, struct raw *raw, struct raw_memory *memory,
              enum pattern pattern)
{
    if (memory->place != DEVICE) {
        pattern_fill(memory->host, memory->bytes, pattern, 0);
        return true;
    }
    void *host = malloc(piece_at(memory->bytes, 0, PIECE));
    bool filled = host || attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    for (size_t at = 0; filled && at < memory->bytes; at += PIECE) {
        size_t bytes = piece_at(memory->bytes, at, PIECE);
        pattern_fill(host, bytes, pattern, at);
        filled = raw_ok(attempt,
                        clEnqueueWriteBuffer(raw->queue, memory->buffer, CL_TRUE, at, bytes, host,
                                             0, NULL, NULL),
                        "clEnqueueWriteBuffer");
    }
    free(host);
    return filled;
}

bool raw_poison(struct attempt *attempt, struct raw *raw, struct raw_memory *memory)
{
    static const unsigned char pattern[8] = {POISON, POISON, POISON, POISON,
                                             POISON, POISON, POISON, POISON};
    if (memory->place != DEVICE) {
        memset(memory->host, POISON, memory->bytes);
        return true;
    }
    return raw_ok(attempt,
                  clEnqueueFillBuffer(raw->queue, memory->buffer, pattern, sizeof pattern, 0,
                                      memory->bytes, 0, NULL, NULL),
                  "clEnqueueFillBuffer") &&
           raw_finish(attempt, raw);
}

/* Gives visit the memory's first bytes in pieces; visit returns false to end. */
static bool for_each_piece(struct attempt *attempt, struct raw *raw,
                           const struct raw_memory *memory, size_t all_bytes, size_t piece,
                           bool (*visit)(void *context, const void *memory, size_t bytes,
                                         size_t offset),
                           void *context)
{
    void *host = memory->place == DEVICE ? malloc(piece) : NULL;
    if (memory->place == DEVICE && !host)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    bool going = true, read = true;
    for (size_t at = 0; going && read && at < all_bytes; at += piece) {
        size_t bytes = piece_at(all_bytes, at, piece);
        if (host)
            read = raw_ok(attempt,
                          clEnqueueReadBuffer(raw->queue, memory->buffer, CL_TRUE, at, bytes, host,
                                              0, NULL, NULL),
                          "clEnqueueReadBuffer");
        going = read && visit(context, host ? host : (const char *)memory->host + at, bytes, at);
    }
    free(host);
    return read;
}

struct check {
    const struct task *task;
    enum content content;
    size_t wrong;
};

static bool check_piece(void *context, const void *memory, size_t bytes, size_t offset)
{
    struct check *check = context;
    check->wrong = pattern_check(check->task, check->content, memory, bytes, offset);
    return check->wrong == PATTERN_FINE;
}

bool raw_check(struct attempt *attempt, struct raw *raw, const struct raw_memory *memory,
               enum content content)
{
    struct check check = {attempt->task, content, PATTERN_FINE};
    if (!for_each_piece(attempt, raw, memory, memory->bytes, pattern_piece(attempt->task),
                        check_piece, &check))
        return false;
    return check.wrong == PATTERN_FINE || attempt_wrong(attempt, check.wrong);
}

static bool sum_piece(void *context, const void *memory, size_t bytes, size_t offset)
{
    (void)offset;
    const uint32_t *words = memory;
    for (size_t i = 0; i < bytes / 4; i++)
        *(uint32_t *)context += words[i];
    return true;
}

bool raw_sum(struct attempt *attempt, struct raw *raw, const struct raw_memory *memory,
             size_t bytes, uint32_t *sum)
{
    *sum = 0;
    return for_each_piece(attempt, raw, memory, bytes, PIECE, sum_piece, sum);
}

void raw_kernel_close(struct raw_kernel *kernel)
{
    if (kernel->kernel)
        clReleaseKernel(kernel->kernel);
    kernel->kernel = NULL;
}

bool raw_kernel_run(struct attempt *attempt, struct raw *raw, const struct raw_kernel *kernel,
                    size_t count)
{
    cl_int error = CL_SUCCESS;
    for (size_t i = 0; error == CL_SUCCESS && i < count; i++)
        error = clEnqueueNDRangeKernel(raw->queue, kernel->kernel, kernel->dimensions, NULL,
                                       kernel->global, kernel->local, 0, NULL, NULL);
    return raw_ok(attempt, error, "clEnqueueNDRangeKernel") && raw_finish(attempt, raw);
}

static bool ask_address(struct attempt *attempt, struct raw *raw, struct raw_memory *memory,
                        cl_kernel kernel, cl_mem answer)
{
    static const size_t one = 1;
    cl_ulong address = 0;
    cl_int error = clSetKernelArg(kernel, 0, sizeof memory->buffer, &memory->buffer);
    error |= clSetKernelArg(kernel, 1, sizeof answer, &answer);
    if (error == CL_SUCCESS)
        error = clEnqueueNDRangeKernel(raw->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
    if (error == CL_SUCCESS)
        error = clEnqueueReadBuffer(raw->queue, answer, CL_TRUE, 0, sizeof address, &address, 0,
                                    NULL, NULL);
    memory->address = (void *)(uintptr_t)address;
    return raw_ok(attempt, error, "learning an address");
}

bool raw_learn(struct attempt *attempt, struct raw *raw, struct raw_memory *memory)
{
    cl_int error;
    if (memory->place != DEVICE || !raw->takes_addresses)
        return true;
    cl_kernel kernel = clCreateKernel(raw->program, "bench_address", &error);
    if (!raw_ok(attempt, error, "bench_address"))
        return false;
    cl_mem answer = clCreateBuffer(raw->context, CL_MEM_READ_WRITE, sizeof(cl_ulong), NULL, &error);
    bool learnt = raw_ok(attempt, error, "clCreateBuffer") &&
                  ask_address(attempt, raw, memory, kernel, answer);
    if (answer)
        clReleaseMemObject(answer);
    clReleaseKernel(kernel);
    return learnt;
}

/* Host memory is given by its address: a driver may hand kernels a copy of such a buffer. */
cl_int raw_set_memory(struct raw *raw, cl_kernel kernel, cl_uint index,
                      const struct raw_memory *memory)
{
    if (memory->place == DEVICE && !memory->address)
        return clSetKernelArg(kernel, index, sizeof memory->buffer, &memory->buffer);
    void *address = memory->place == DEVICE ? memory->address : memory->host;
    return raw->takes_addresses ? clSetKernelArgSVMPointer(kernel, index, address)
                                : CL_INVALID_OPERATION;
}

/* The parameters' order is that of kernels/peak.cl. */
static cl_int set_arguments(struct raw *raw, struct raw_form *made, enum peak_detail what,
                            const struct task *task, const struct raw_memory *target,
                            const struct raw_memory *first, const struct raw_memory *second)
{
    cl_kernel kernel = made->kernel.kernel;
    cl_float factor = TRIAD_FACTOR;
    cl_uint value = set_value(task), n = 0;
    cl_ulong words = task->bytes / 16, chunk = made->geometry.chunk;
    cl_int error = CL_SUCCESS;
    if (what != PEAK_READ)
        error |= raw_set_memory(raw, kernel, n++, target);
    if (what != PEAK_WRITE)
        error |= raw_set_memory(raw, kernel, n++, first);
    if (what == PEAK_TRIAD) {
        error |= raw_set_memory(raw, kernel, n++, second);
        error |= clSetKernelArg(kernel, n++, sizeof factor, &factor);
    }
    if (what == PEAK_WRITE)
        error |= clSetKernelArg(kernel, n++, sizeof value, &value);
    if (what == PEAK_READ)
        error |= raw_set_memory(raw, kernel, n++, target);
    if (made->form != FORM_ITEM)
        error |= clSetKernelArg(kernel, n++, sizeof words, &words);
    if (made->form == FORM_CHUNKED || made->form == FORM_STREAMING)
        error |= clSetKernelArg(kernel, n, sizeof chunk, &chunk);
    return error;
}

bool raw_form_make(struct attempt *attempt, struct raw *raw, struct raw_form *made,
                   enum peak_detail what, enum kernel_form form, const struct raw_memory *target,
                   const struct raw_memory *first, const struct raw_memory *second)
{
    char name[64];
    cl_int error;
    if (made->made && made->form == form)
        return true;
    raw_kernel_close(&made->kernel);
    form_kernel_name(name, what, form);
    made->form = form;
    made->geometry = form_geometry(attempt->device, what, form, attempt->task->bytes / 16);
    made->kernel.dimensions = 1;
    made->kernel.global[0] = made->geometry.groups * made->geometry.local;
    made->kernel.local[0] = made->geometry.local;
    made->kernel.kernel = clCreateKernel(raw->program, name, &error);
    if (!raw_ok(attempt, error, name))
        return false;
    made->made =
        raw_ok(attempt, set_arguments(raw, made, what, attempt->task, target, first, second),
               "clSetKernelArg");
    return made->made;
}

bool raw_form_run(struct attempt *attempt, struct raw *raw, struct raw_form *made,
                  enum peak_detail what, enum kernel_form form, const struct raw_memory *target,
                  const struct raw_memory *first, const struct raw_memory *second, size_t count)
{
    return raw_form_make(attempt, raw, made, what, form, target, first, second) &&
           raw_kernel_run(attempt, raw, &made->kernel, count);
}

bool raw_map(struct attempt *attempt, struct raw *raw, const struct raw_memory *memory,
             cl_map_flags flags, size_t count,
             void (*work)(const struct attempt *attempt, void *mapped))
{
    cl_int error = CL_SUCCESS;
    for (size_t i = 0; i < count && error == CL_SUCCESS; i++) {
        void *mapped = clEnqueueMapBuffer(raw->queue, memory->buffer, CL_TRUE, flags, 0,
                                          memory->bytes, 0, NULL, NULL, &error);
        if (error != CL_SUCCESS)
            break;
        work(attempt, mapped);
        error = clEnqueueUnmapMemObject(raw->queue, memory->buffer, mapped, 0, NULL, NULL);
    }
    return raw_ok(attempt, error, "mapping") && raw_finish(attempt, raw);
}
