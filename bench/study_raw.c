/* Studies in raw OpenCL.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "bench/raw_opencl.h"
#include "bench/study_run.h"

struct raw_run {
    struct study_run run;
    struct raw *raw;
    struct raw_memory memory[STUDY_SETS][STUDY_BUFFERS];
    cl_program program;
    cl_kernel kernels[STUDY_SETS]; /* one for each set, its arguments set once */
};

static bool take(struct attempt *attempt, struct study_run *run, size_t set, size_t index)
{
    struct raw_run *own = (struct raw_run *)run;
    const struct shot_buffer *buffer = &run->shot.buffers[index];
    if (buffer->place != DEVICE && buffer->place != MAPPED)
        return attempt_fail(attempt, STATUS_UNSUPPORTED, "OpenCL has no such memory");
    return raw_take(attempt, own->raw, &own->memory[set][index], buffer->place, buffer->bytes);
}

static void give(struct study_run *run, size_t set, size_t index)
{
    struct raw_run *own = (struct raw_run *)run;
    raw_give(own->raw, &own->memory[set][index]);
}

static bool write(struct attempt *attempt, struct study_run *run, size_t set, size_t index,
                  size_t offset, const void *from, size_t bytes)
{
    struct raw_run *own = (struct raw_run *)run;
    const struct raw_memory *memory = &own->memory[set][index];
    if (memory->place == DEVICE)
        return raw_ok(attempt,
                      clEnqueueWriteBuffer(own->raw->queue, memory->buffer, CL_TRUE, offset, bytes,
                                           from, 0, NULL, NULL),
                      "clEnqueueWriteBuffer");
    memcpy((char *)memory->host + offset, from, bytes);
    return true;
}

static bool read(struct attempt *attempt, struct study_run *run, size_t set, size_t index, void *to)
{
    struct raw_run *own = (struct raw_run *)run;
    const struct raw_memory *memory = &own->memory[set][index];
    if (memory->place == DEVICE)
        return raw_ok(attempt,
                      clEnqueueReadBuffer(own->raw->queue, memory->buffer, CL_TRUE, 0,
                                          memory->bytes, to, 0, NULL, NULL),
                      "clEnqueueReadBuffer");
    memcpy(to, memory->host, memory->bytes);
    return true;
}

static cl_int set_argument(const struct raw_run *own, size_t set, cl_uint index)
{
    const struct shot_argument *argument = &own->run.shot.arguments[index];
    cl_kernel kernel = own->kernels[set];
    switch (argument->kind) {
    case ARGUMENT_BUFFER:
        return raw_set_memory(own->raw, kernel, index, &own->memory[set][argument->buffer]);
    case ARGUMENT_U64:
        return clSetKernelArg(kernel, index, sizeof(cl_ulong), &argument->value.u64);
    case ARGUMENT_BLOCK:
        return clSetKernelArg(kernel, index, argument->value.block.count,
                              argument->value.block.bytes);
    default:
        return clSetKernelArg(kernel, index, sizeof(cl_uint), &argument->value);
    }
}

static bool make_kernel(struct attempt *attempt, struct raw_run *own, size_t set, const char *name)
{
    cl_int error;
    own->kernels[set] = clCreateKernel(own->program, name, &error);
    for (size_t i = 0; error == CL_SUCCESS && i < own->run.shot.argument_count; i++)
        error = set_argument(own, set, (cl_uint)i);
    return raw_ok(attempt, error, name);
}

static bool prepare(struct attempt *attempt, struct study_run *run)
{
    struct raw_run *own = (struct raw_run *)run;
    char name[KERNEL_NAME_BYTES];
    void *owned = NULL;
    const char *text = runtime_shot_kernels(attempt->device, &run->shot, name, &owned);
    bool made = text ? raw_build(attempt, own->raw, &text, 1, "", &own->program)
                     : attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    free(owned);
    for (size_t set = 0; made && set < run->sets; set++)
        made = make_kernel(attempt, own, set, name);
    return made;
}

static void drop(struct study_run *run)
{
    struct raw_run *own = (struct raw_run *)run;
    for (size_t set = 0; set < STUDY_SETS; set++) {
        if (own->kernels[set])
            clReleaseKernel(own->kernels[set]);
        own->kernels[set] = NULL;
    }
    if (own->program)
        clReleaseProgram(own->program);
    own->program = NULL;
}

static size_t at_least_one(size_t count)
{
    return count ? count : 1;
}

static bool launch(struct attempt *attempt, struct study_run *run, size_t set)
{
    struct raw_run *own = (struct raw_run *)run;
    const struct shot *shot = &run->shot;
    const size_t local[2] = {at_least_one(shot->local[0]), at_least_one(shot->local[1])};
    const size_t global[2] = {at_least_one(shot->groups[0]) * local[0],
                              at_least_one(shot->groups[1]) * local[1]};
    return raw_ok(attempt,
                  clEnqueueNDRangeKernel(own->raw->queue, own->kernels[set], global[1] > 1 ? 2 : 1,
                                         NULL, global, local, 0, NULL, NULL),
                  "clEnqueueNDRangeKernel");
}

static bool finish(struct attempt *attempt, struct study_run *run)
{
    return raw_finish(attempt, ((struct raw_run *)run)->raw);
}

static const struct study_side side = {take, give, write, read, prepare, drop, launch, finish};

static bool open_study(struct attempt *attempt)
{
    struct raw_run *own = attempt->state = calloc(1, sizeof *own);
    if (!study_open(attempt, &side))
        return false;
    own->raw = raw_open(attempt);
    return own->raw != NULL;
}

static void close_study(struct attempt *attempt)
{
    study_close(attempt->state);
    free(attempt->state);
}

const struct way raw_study = {open_study, study_poison, study_verify, close_study, study_methods};
