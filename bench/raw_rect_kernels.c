/* Rectangle kernels of the raw OpenCL side.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/raw_rect_kernels.h"

#include <stdio.h>
#include <string.h>

static const char rect_text[] =
    "#define TO(row) (to + ((row) / ROWS * SLICE_ROWS + (row) % ROWS) * TO_PITCH)\n"
    "#define PLAIN(value, place) (*(place) = (value))\n"
    "__kernel void rect_copy_items(__global WORD *restrict to, __global const WORD *restrict from) "
    "{\n"
    "    size_t x = get_global_id(0), y = get_global_id(1);\n"
    "    if (x < ROW_WORDS && y < ALL_ROWS) TO(y)[x] = from[y * FROM_PITCH + x];\n"
    "}\n"
    "__kernel void rect_set_items(__global WORD *to) {\n"
    "    size_t x = get_global_id(0), y = get_global_id(1);\n"
    "    if (x < ROW_WORDS && y < ALL_ROWS) TO(y)[x] = (WORD)(VALUE);\n"
    "}\n"
    "#define CHUNKS(suffix, STORE)\\\n"
    "__kernel void rect_copy_##suffix(__global WORD *restrict to, __global const WORD *restrict "
    "from) {\\\n"
    "    size_t begin = get_global_id(0) * CHUNK, end = min(begin + CHUNK, (size_t)ALL_ROWS);\\\n"
    "    for (size_t y = begin; y < end; ++y)\\\n"
    "        for (size_t x = 0; x < ROW_WORDS; ++x) STORE(from[y * FROM_PITCH + x], TO(y) + x);\\\n"
    "}\\\n"
    "__kernel void rect_set_##suffix(__global WORD *to) {\\\n"
    "    size_t begin = get_global_id(0) * CHUNK, end = min(begin + CHUNK, (size_t)ALL_ROWS);\\\n"
    "    for (size_t y = begin; y < end; ++y)\\\n"
    "        for (size_t x = 0; x < ROW_WORDS; ++x) STORE((WORD)(VALUE), TO(y) + x);\\\n"
    "}\n"
    "CHUNKS(chunk, PLAIN)\n"
    "#ifdef CLEM_DEVICE_IS_CPU\n"
    "CHUNKS(streaming, __builtin_nontemporal_store)\n"
    "#endif\n";

static size_t chunk_items(const struct attempt *attempt)
{
    return (size_t)(attempt->device->compute_units > 0 ? attempt->device->compute_units : 1) * 4;
}

static size_t all_rows(const struct task *task)
{
    return task->rows * task->slices;
}

static bool build(struct attempt *attempt, struct raw *raw, struct raw_rect_kernel *made,
                  size_t to_pitch, size_t from_pitch)
{
    char options[400];
    const struct task *task = attempt->task;
    bool wide = (task->row_bytes | to_pitch | from_pitch) % 16 == 0;
    size_t word = wide ? 16 : 8, items = chunk_items(attempt);
    const char *text = rect_text;
    unsigned value = set_value(task);
    snprintf(options, sizeof options,
             "-DWORD=%s -DROW_WORDS=%zuul -DTO_PITCH=%zuul -DFROM_PITCH=%zuul -DROWS=%zuul "
             "-DSLICE_ROWS=%zuul "
             "-DALL_ROWS=%zuul -DCHUNK=%zuul -DVALUE=0x%08x%08xul%s",
             wide ? "uint4" : "ulong", task->row_bytes / word, to_pitch / word, from_pitch / word,
             task->rows, task->slice_rows, all_rows(task), (all_rows(task) + items - 1) / items,
             wide ? 0 : value, value, attempt->device->is_cpu ? " -DCLEM_DEVICE_IS_CPU" : "");
    return raw_build(attempt, raw, &text, 1, options, &made->program);
}

/* 256 items to a group: as wide as a row needs, at most 64. */
static void shape_items(const struct task *task, struct raw_kernel *kernel, size_t word)
{
    size_t words = task->row_bytes / word, width = 1;
    while (width < 64 && width < words)
        width *= 2;
    size_t height = 256 / width;
    kernel->dimensions = 2;
    kernel->local[0] = width;
    kernel->local[1] = height;
    kernel->global[0] = (words + width - 1) / width * width;
    kernel->global[1] = (all_rows(task) + height - 1) / height * height;
}

static void shape_chunks(struct attempt *attempt, struct raw_kernel *kernel)
{
    kernel->dimensions = 1;
    kernel->local[0] = 1;
    kernel->global[0] = chunk_items(attempt);
}

bool raw_rect_make(struct attempt *attempt, struct raw *raw, struct raw_rect_kernel *made,
                   const char *name, cl_mem to, size_t to_pitch, cl_mem from, size_t from_pitch)
{
    cl_int error;
    if (made->kernel.kernel)
        return true;
    if (!made->program && !build(attempt, raw, made, to_pitch, from_pitch))
        return false;
    made->kernel.kernel = clCreateKernel(made->program, name, &error);
    if (!raw_ok(attempt, error, name))
        return false;
    if (strstr(name, "items"))
        shape_items(attempt->task, &made->kernel,
                    (attempt->task->row_bytes | to_pitch | from_pitch) % 16 == 0 ? 16 : 8);
    else
        shape_chunks(attempt, &made->kernel);
    error = clSetKernelArg(made->kernel.kernel, 0, sizeof to, &to);
    if (from)
        error |= clSetKernelArg(made->kernel.kernel, 1, sizeof from, &from);
    return raw_ok(attempt, error, "clSetKernelArg");
}

void raw_rect_close(struct raw_rect_kernel *made)
{
    raw_kernel_close(&made->kernel);
    if (made->program)
        clReleaseProgram(made->program);
    made->program = NULL;
}
