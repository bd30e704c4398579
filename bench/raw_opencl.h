/* The same work in OpenCL alone, written well: the bar that clem is held against.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_BENCH_RAW_OPENCL_H
#define CLEM_BENCH_RAW_OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include "bench/cuda_side.h"

/* The device under test: clem's context, a plain in-order queue of our own, the kernels of
 * kernels/peak.cl. */
struct raw {
    int index; /* -1: closed */
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    bool takes_addresses; /* clSetKernelArgSVMPointer exists */
};

/* DEVICE: buffer. PAGEABLE: host. PINNED and MAPPED: a buffer that the driver placed in host
 * memory, mapped for good. */
struct raw_memory {
    enum place place;
    size_t bytes;
    cl_mem buffer;
    void *host;
    void *address; /* what the device calls the buffer, where raw_learn was asked */
};

bool raw_ok(struct attempt *attempt, cl_int error, const char *call);

/* The device's raw side, opened at its first use, or NULL after attempt_fail. */
struct raw *raw_open(struct attempt *attempt);
bool raw_finish(struct attempt *attempt, struct raw *raw);

bool raw_take(struct attempt *attempt, struct raw *raw, struct raw_memory *memory, enum place place,
              size_t bytes);
/* Learns the address of a device buffer, because a driver may refuse a kernel that is given buffers
 * as well as addresses. Nothing changes where drivers take no addresses. */
bool raw_learn(struct attempt *attempt, struct raw *raw, struct raw_memory *memory);
void raw_give(struct raw *raw, struct raw_memory *memory);
bool raw_fill(struct attempt *attempt, struct raw *raw, struct raw_memory *memory,
              enum pattern pattern);
bool raw_poison(struct attempt *attempt, struct raw *raw, struct raw_memory *memory);
bool raw_check(struct attempt *attempt, struct raw *raw, const struct raw_memory *memory,
               enum content content);
bool raw_sum(struct attempt *attempt, struct raw *raw, const struct raw_memory *memory,
             size_t bytes, uint32_t *sum);

/* Sets a kernel's pointer argument. */
cl_int raw_set_memory(struct raw *raw, cl_kernel kernel, cl_uint index,
                      const struct raw_memory *memory);

/* Builds text for the raw device. Owns: the caller releases *program. */
bool raw_build(struct attempt *attempt, struct raw *raw, const char *const *texts, cl_uint count,
               const char *options, cl_program *program);

/* A kernel with its index space. */
struct raw_kernel {
    cl_kernel kernel;
    cl_uint dimensions;
    size_t global[2], local[2];
};
void raw_kernel_close(struct raw_kernel *kernel);
/* Enqueues count times and waits. */
bool raw_kernel_run(struct attempt *attempt, struct raw *raw, const struct raw_kernel *kernel,
                    size_t count);

/* One of peak.cl's kernels, made for a form and memory; remade when the form changes. */
struct raw_form {
    struct raw_kernel kernel;
    enum kernel_form form;
    bool made;
    struct geometry geometry;
};
bool raw_form_make(struct attempt *attempt, struct raw *raw, struct raw_form *made,
                   enum peak_detail what, enum kernel_form form, const struct raw_memory *target,
                   const struct raw_memory *first, const struct raw_memory *second);
bool raw_form_run(struct attempt *attempt, struct raw *raw, struct raw_form *made,
                  enum peak_detail what, enum kernel_form form, const struct raw_memory *target,
                  const struct raw_memory *first, const struct raw_memory *second, size_t count);

/* Gives work the host address of a whole mapped buffer count times. */
bool raw_map(struct attempt *attempt, struct raw *raw, const struct raw_memory *memory,
             cl_map_flags flags, size_t count,
             void (*work)(const struct attempt *attempt, void *mapped));

extern const struct way raw_transfer, raw_set, raw_rect, raw_peak, raw_alloc, raw_launch, raw_graph,
    raw_call, raw_texture;

#endif
