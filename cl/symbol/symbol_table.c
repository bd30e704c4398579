/* What a program's own table kernel tells of its symbols.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/symbol/symbol_table.h"
#include "cl/base/steady.h"

#include <stdlib.h>

#include "cl/symbol/symbols_private.h"

/* What most programs need at most: they are asked once. */
enum { ROWS_AT_FIRST = 64, NAME_BYTES_AT_FIRST = 2048 };

static void free_answer(struct ocl_symbol_table *table)
{
    free(table->words);
    free(table->names);
    table->words = NULL;
    table->names = NULL;
}

void ocl_symbol_table_free(struct ocl_symbol_table *table)
{
    free_answer(table);
    for (int i = 0; i < OCL_SYMBOL_KINDS; i++)
        free(table->values[i]);
}

static size_t table_bytes(const struct ocl_symbol_table *table)
{
    return (OCL_TABLE_HEAD_WORDS + table->row_room * OCL_TABLE_ROW_WORDS) * sizeof(cl_ulong);
}

/* The memory that one run of the table kernel works on. */
struct run {
    struct ocl_context *context;
    cl_kernel kernel;
    cl_mem words, names, blocks[OCL_SYMBOL_KINDS];
};

static void release_buffers(struct run *run)
{
    cl_mem *const all[] = {&run->words, &run->names, &run->blocks[0], &run->blocks[1],
                           &run->blocks[2]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (*all[i])
            clReleaseMemObject(*all[i]);
        *all[i] = NULL;
    }
}

static cl_int make_buffer(const struct run *run, void *first, size_t bytes, cl_mem *buffer)
{
    cl_int error = CL_SUCCESS;
    const cl_mem_flags flags = CL_MEM_READ_WRITE | (first ? CL_MEM_COPY_HOST_PTR : 0);
    *buffer = clCreateBuffer(run->context->cl, flags, bytes, first, &error);
    return error;
}

/* A block that is not written is small: the kernel then only asks where its members are. */
static cl_int make_buffers(struct run *run, const struct ocl_symbol_table *table)
{
    cl_int error = make_buffer(run, NULL, table_bytes(table), &run->words);
    if (error == CL_SUCCESS)
        error = make_buffer(run, NULL, table->name_room, &run->names);
    for (int i = 0; error == CL_SUCCESS && i < OCL_SYMBOL_KINDS; i++) {
        unsigned char *values = table->values[i];
        error = make_buffer(run, values,
                            values ? ocl_symbol_table_block_bytes(table, i) : sizeof(cl_ulong),
                            &run->blocks[i]);
    }
    return error;
}

static cl_int set_arguments(const struct run *run, const struct ocl_symbol_table *table,
                            bool wants_values)
{
    const cl_uint row_room = (cl_uint)table->row_room, name_room = (cl_uint)table->name_room,
                  wants = wants_values;
    const struct {
        const void *value;
        size_t bytes;
    } arguments[] = {
        {&run->words, sizeof(cl_mem)},
        {&run->names, sizeof(cl_mem)},
        {&row_room, sizeof row_room},
        {&name_room, sizeof name_room},
        {&wants, sizeof wants},
        {&run->blocks[0], sizeof(cl_mem)},
        {&run->blocks[1], sizeof(cl_mem)},
        {&run->blocks[2], sizeof(cl_mem)},
    };
    cl_int error = CL_SUCCESS;
    for (cl_uint i = 0; error == CL_SUCCESS && i < sizeof arguments / sizeof *arguments; i++)
        error = clSetKernelArg(run->kernel, i, arguments[i].bytes, arguments[i].value);
    return error;
}

static cl_int read_back(const struct run *run, cl_mem buffer, size_t bytes, void *target)
{
    return ocl_steady_read(run->context->service, buffer, bytes, target);
}

static cl_int read_values(const struct run *run, const struct ocl_symbol_table *table)
{
    cl_int error = CL_SUCCESS;
    for (int i = 0; error == CL_SUCCESS && i < OCL_SYMBOL_KINDS; i++)
        if (table->values[i])
            error = read_back(run, run->blocks[i], ocl_symbol_table_block_bytes(table, i),
                              table->values[i]);
    return error;
}

static cl_int read_answer(const struct run *run, struct ocl_symbol_table *table)
{
    free_answer(table);
    table->words = calloc(1, table_bytes(table));
    table->names = calloc(1, table->name_room + 1);
    if (!table->words || !table->names)
        return OCL_E_OUT_OF_MEMORY;
    cl_int error = read_back(run, run->words, table_bytes(table), table->words);
    if (error == CL_SUCCESS)
        error = read_back(run, run->names, table->name_room, table->names);
    return error;
}

static ocl_status run_once(struct run *run, struct ocl_symbol_table *table, bool wants_values)
{
    const size_t one = 1;
    cl_int error = make_buffers(run, table);
    if (error == CL_SUCCESS)
        error = set_arguments(run, table, wants_values);
    if (error == CL_SUCCESS)
        error = ocl_steady_range(run->context->service, run->kernel, 1, NULL, &one, &one, 0, NULL,
                                 NULL);
    if (error == CL_SUCCESS)
        error = wants_values ? read_values(run, table) : read_answer(run, table);
    release_buffers(run);
    return error;
}

static ocl_status ask_table(struct run *run, struct ocl_symbol_table *table)
{
    table->row_room = ROWS_AT_FIRST;
    table->name_room = NAME_BYTES_AT_FIRST;
    const ocl_status status = run_once(run, table, false);
    if (status != OCL_OK || (table->words[OCL_TABLE_HEAD_COUNT] <= table->row_room &&
                             table->words[OCL_TABLE_HEAD_NAME_BYTES] <= table->name_room))
        return status;
    table->row_room = (size_t)table->words[OCL_TABLE_HEAD_COUNT];
    table->name_room = (size_t)table->words[OCL_TABLE_HEAD_NAME_BYTES];
    return run_once(run, table, false);
}

static ocl_status ask_values(struct run *run, struct ocl_symbol_table *table)
{
    for (int i = 0; i < OCL_SYMBOL_KINDS; i++) {
        if (ocl_symbol_table_block_bytes(table, i) == 0)
            continue;
        table->values[i] = calloc(1, ocl_symbol_table_block_bytes(table, i));
        if (!table->values[i])
            return OCL_E_OUT_OF_MEMORY;
    }
    return run_once(run, table, true);
}

ocl_status ocl_symbol_table_read(const struct ocl_program *program, struct ocl_symbol_table *table)
{
    cl_int error = CL_SUCCESS;
    struct run run = {.context = program->context};
    run.kernel = clCreateKernel(program->cl, OCL_SYMBOL_TABLE, &error);
    if (error != CL_SUCCESS)
        return error;
    ocl_status status = ask_table(&run, table);
    if (status == OCL_OK && table->words[OCL_TABLE_HEAD_HAS_VALUES])
        status = ask_values(&run, table);
    clReleaseKernel(run.kernel);
    return status;
}
