/* The variables of a program that outlive its launches: finding them, making their memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "cl/kernel.h"
#include "cl/managed.h"
#include "cl/symbols_private.h"
#include "cl/trace.h"
#include "cl/transfer.h"

/* Kernels get the block; the allocation begins before it. */
struct block {
    uint64_t allocation, address;
    size_t bytes; /* 0: there are no symbols of the kind */
};

struct ocl_symbols {
    struct block blocks[OCL_SYMBOL_KINDS];
    struct ocl_symbol *list;
    size_t count;
    char *names;
};

bool ocl_symbols_is_block_type(const char *type, enum ocl_symbol_kind *kind)
{
    static const char *const names[] = {
        [OCL_SYMBOL_CONSTANT] = "clem_constant_symbols",
        [OCL_SYMBOL_DEVICE] = "clem_device_symbols",
        [OCL_SYMBOL_MANAGED] = "clem_managed_symbols",
    };
    if (strncmp(type, "struct ", 7) == 0)
        type += 7;
    for (int i = 0; i < OCL_SYMBOL_KINDS; i++) {
        const size_t length = strlen(names[i]);
        if (strncmp(type, names[i], length) != 0 || (type[length] != '*' && type[length] != ' '))
            continue;
        *kind = (enum ocl_symbol_kind)i;
        return true;
    }
    return false;
}

/* --- asking the program's table kernel -------------------------------------------------------- */

/* The words of clem_symbol_table's answer; kernels/device/clem_symbols.h has the same. */
enum { HEAD_COUNT, HEAD_NAME_BYTES, HEAD_BLOCK_BYTES, HEAD_HAS_VALUES = 5, HEAD_WORDS };
enum { ROW_KIND, ROW_OFFSET, ROW_BYTES, ROW_NAME, ROW_WORDS };

/* What most programs need at most: they are asked once. */
enum { ROWS_AT_FIRST = 64, NAME_BYTES_AT_FIRST = 2048 };

struct table {
    size_t row_room, name_room;
    cl_ulong *words; /* the head, then the rows */
    char *names;
    unsigned char *values[OCL_SYMBOL_KINDS]; /* what the blocks hold at first; NULL: zeros */
};

static void free_answer(struct table *table)
{
    free(table->words);
    free(table->names);
    table->words = NULL;
    table->names = NULL;
}

static void free_table(struct table *table)
{
    free_answer(table);
    for (int i = 0; i < OCL_SYMBOL_KINDS; i++)
        free(table->values[i]);
}

static size_t table_bytes(const struct table *table)
{
    return (HEAD_WORDS + table->row_room * ROW_WORDS) * sizeof(cl_ulong);
}

static cl_ulong block_bytes(const struct table *table, int kind)
{
    return table->words[HEAD_BLOCK_BYTES + kind];
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
static cl_int make_buffers(struct run *run, const struct table *table)
{
    cl_int error = make_buffer(run, NULL, table_bytes(table), &run->words);
    if (error == CL_SUCCESS)
        error = make_buffer(run, NULL, table->name_room, &run->names);
    for (int i = 0; error == CL_SUCCESS && i < OCL_SYMBOL_KINDS; i++) {
        unsigned char *values = table->values[i];
        error = make_buffer(run, values, values ? (size_t)block_bytes(table, i) : sizeof(cl_ulong),
                            &run->blocks[i]);
    }
    return error;
}

static cl_int set_arguments(const struct run *run, const struct table *table, bool wants_values)
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
    return clEnqueueReadBuffer(run->context->service, buffer, CL_TRUE, 0, bytes, target, 0, NULL,
                               NULL);
}

static cl_int read_values(const struct run *run, const struct table *table)
{
    cl_int error = CL_SUCCESS;
    for (int i = 0; error == CL_SUCCESS && i < OCL_SYMBOL_KINDS; i++)
        if (table->values[i])
            error = read_back(run, run->blocks[i], (size_t)block_bytes(table, i), table->values[i]);
    return error;
}

static cl_int read_answer(const struct run *run, struct table *table)
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

static ocl_status run_once(struct run *run, struct table *table, bool wants_values)
{
    const size_t one = 1;
    cl_int error = make_buffers(run, table);
    if (error == CL_SUCCESS)
        error = set_arguments(run, table, wants_values);
    if (error == CL_SUCCESS)
        error = clEnqueueNDRangeKernel(run->context->service, run->kernel, 1, NULL, &one, &one, 0,
                                       NULL, NULL);
    if (error == CL_SUCCESS)
        error = wants_values ? read_values(run, table) : read_answer(run, table);
    release_buffers(run);
    return error;
}

static ocl_status ask_table(struct run *run, struct table *table)
{
    table->row_room = ROWS_AT_FIRST;
    table->name_room = NAME_BYTES_AT_FIRST;
    const ocl_status status = run_once(run, table, false);
    if (status != OCL_OK || (table->words[HEAD_COUNT] <= table->row_room &&
                             table->words[HEAD_NAME_BYTES] <= table->name_room))
        return status;
    table->row_room = (size_t)table->words[HEAD_COUNT];
    table->name_room = (size_t)table->words[HEAD_NAME_BYTES];
    return run_once(run, table, false);
}

static ocl_status ask_values(struct run *run, struct table *table)
{
    for (int i = 0; i < OCL_SYMBOL_KINDS; i++) {
        if (block_bytes(table, i) == 0)
            continue;
        table->values[i] = calloc(1, (size_t)block_bytes(table, i));
        if (!table->values[i])
            return OCL_E_OUT_OF_MEMORY;
    }
    return run_once(run, table, true);
}

static ocl_status read_table(const struct ocl_program *program, struct table *table)
{
    cl_int error = CL_SUCCESS;
    struct run run = {.context = program->context};
    run.kernel = clCreateKernel(program->cl, OCL_SYMBOL_TABLE, &error);
    if (!run.kernel)
        return error;
    ocl_status status = ask_table(&run, table);
    if (status == OCL_OK && table->words[HEAD_HAS_VALUES])
        status = ask_values(&run, table);
    clReleaseKernel(run.kernel);
    return status;
}

/* --- memory ----------------------------------------------------------------------------------- */

/* Keeps the address of the first symbol apart from that of the allocation, which could be freed by
 * it. The block starts where a sub-buffer can. */
static size_t lead_bytes(const struct ocl_context *context)
{
    const size_t alignment = context->device->facts.base_align_bytes;
    return alignment > OCL_MEMORY_ALIGNMENT ? alignment : OCL_MEMORY_ALIGNMENT;
}

static ocl_status write_values(struct ocl_queue *queue, const struct block *block,
                               const unsigned char *values)
{
    const size_t bytes = block->bytes;
    const struct ocl_copy copy = {.source = {(uintptr_t)values, bytes, bytes},
                                  .target = {block->address, bytes, bytes},
                                  .width = bytes,
                                  .height = 1,
                                  .depth = 1};
    const struct ocl_fill fill = {.address = block->address,
                                  .pitch = bytes,
                                  .slice_bytes = bytes,
                                  .count = bytes,
                                  .height = 1,
                                  .depth = 1,
                                  .element_bytes = 1};
    return values ? ocl_transfer_copy(queue, &copy, OCL_WAIT_ALL)
                  : ocl_transfer_fill(queue, &fill, OCL_WAIT_ALL);
}

static ocl_status make_device_block(struct ocl_queue *queue, struct block *block,
                                    const unsigned char *values)
{
    struct ocl_context *context = ocl_queue_context(queue);
    const size_t lead = lead_bytes(context);
    const ocl_status status =
        ocl_memory_allocate(context, lead + block->bytes, 0, &block->allocation);
    if (status != OCL_OK)
        return status;
    block->address = block->allocation + lead;
    return write_values(queue, block, values);
}

/* The host writes the values: no kernel has seen the memory yet. Without managed memory the
 * program's other symbols are of use. */
static ocl_status make_managed_block(struct ocl_context *context, struct block *block,
                                     const unsigned char *values)
{
    void *start = NULL;
    const size_t lead = lead_bytes(context);
    const ocl_status status =
        ocl_managed_allocate(context, lead + block->bytes, 0, OCL_MANAGED_GLOBAL, &start);
    if (status == OCL_E_NOT_SUPPORTED) {
        ocl_log(true, "%s has no managed memory, which a program's managed variables need",
                context->device->facts.name);
        return OCL_OK;
    }
    if (status != OCL_OK)
        return status;
    block->allocation = (uint64_t)(uintptr_t)start;
    block->address = block->allocation + lead;
    if (values)
        memcpy((char *)start + lead, values, block->bytes);
    return OCL_OK;
}

static ocl_status make_block(struct ocl_queue *queue, struct block *block,
                             enum ocl_symbol_kind kind, const unsigned char *values)
{
    return kind == OCL_SYMBOL_MANAGED ? make_managed_block(ocl_queue_context(queue), block, values)
                                      : make_device_block(queue, block, values);
}

/* By a queue of their own: the user's queues may be busy, and what is made here is older than all
 * of their work. */
static ocl_status make_blocks(struct ocl_context *context, struct ocl_symbols *symbols,
                              const struct table *table)
{
    struct ocl_queue *queue = NULL;
    ocl_status status = ocl_queue_create(context, OCL_QUEUE_NON_BLOCKING, 0, &queue);
    if (status != OCL_OK)
        return status;
    for (int i = 0; status == OCL_OK && i < OCL_SYMBOL_KINDS; i++) {
        struct block *block = &symbols->blocks[i];
        block->bytes = (size_t)block_bytes(table, i);
        if (block->bytes > 0)
            status = make_block(queue, block, (enum ocl_symbol_kind)i, table->values[i]);
    }
    ocl_queue_destroy(queue);
    return status;
}

static void free_blocks(struct ocl_symbols *symbols)
{
    for (int i = 0; i < OCL_SYMBOL_KINDS; i++) {
        const void *start = (const void *)(uintptr_t)symbols->blocks[i].allocation;
        if (start)
            (void)ocl_memory_free(i == OCL_SYMBOL_MANAGED ? OCL_MEMORY_MANAGED : OCL_MEMORY_DEVICE,
                                  start);
    }
}

/* --- symbols of a program --------------------------------------------------------------------- */

static void destroy(struct ocl_symbols *symbols)
{
    free_blocks(symbols);
    free(symbols->list);
    free(symbols->names);
    free(symbols);
}

/* Takes the table's names. */
static ocl_status make_list(struct ocl_symbols *symbols, struct table *table)
{
    symbols->count = (size_t)table->words[HEAD_COUNT];
    symbols->names = table->names;
    table->names = NULL;
    symbols->list = calloc(symbols->count + 1, sizeof *symbols->list);
    if (!symbols->list)
        return OCL_E_OUT_OF_MEMORY;
    for (size_t i = 0; i < symbols->count; i++) {
        const cl_ulong *row = table->words + HEAD_WORDS + i * ROW_WORDS;
        const uint64_t block = symbols->blocks[row[ROW_KIND]].address;
        symbols->list[i] = (struct ocl_symbol){
            .name = symbols->names + row[ROW_NAME],
            .kind = (enum ocl_symbol_kind)row[ROW_KIND],
            .address = block ? block + row[ROW_OFFSET] : 0,
            .bytes = (size_t)row[ROW_BYTES],
        };
    }
    return OCL_OK;
}

static ocl_status make_symbols(struct ocl_program *program)
{
    struct table table = {0};
    struct ocl_symbols *symbols = calloc(1, sizeof *symbols);
    if (!symbols)
        return OCL_E_OUT_OF_MEMORY;
    ocl_status status = read_table(program, &table);
    if (status == OCL_OK)
        status = make_blocks(program->context, symbols, &table);
    if (status == OCL_OK)
        status = make_list(symbols, &table);
    free_table(&table);
    if (status == OCL_OK)
        program->symbols = symbols;
    else
        destroy(symbols);
    return status;
}

static bool has_kinds(const struct ocl_symbols *symbols, unsigned kinds)
{
    for (int i = 0; i < OCL_SYMBOL_KINDS; i++)
        if ((kinds & 1u << i) && symbols->blocks[i].address == 0)
            return false;
    return true;
}

ocl_status ocl_symbols_ready(struct ocl_program *program, unsigned kinds)
{
    ocl_status status = OCL_OK;
    if (!program->has_symbol_table)
        return OCL_OK;
    if (!ocl_lazy_is_done(&program->symbols_state) &&
        ocl_lazy_begin(program, &program->symbols_state)) {
        status = make_symbols(program);
        ocl_lazy_end(program, &program->symbols_state, status == OCL_OK);
    }
    if (status != OCL_OK || has_kinds(program->symbols, kinds))
        return status;
    return OCL_E_NOT_SUPPORTED;
}

uint64_t ocl_symbols_block(const struct ocl_program *program, enum ocl_symbol_kind kind)
{
    return program->symbols->blocks[kind].address;
}

void ocl_symbols_release(struct ocl_program *program)
{
    if (program->symbols)
        destroy(program->symbols);
    program->symbols = NULL;
}

ocl_status ocl_program_symbol_count(struct ocl_program *program, size_t *count)
{
    const ocl_status status = ocl_symbols_ready(program, 0);
    *count = status == OCL_OK && program->symbols ? program->symbols->count : 0;
    return status;
}

ocl_status ocl_program_symbol(struct ocl_program *program, size_t index, struct ocl_symbol *symbol)
{
    const ocl_status status = ocl_symbols_ready(program, 0);
    if (status != OCL_OK)
        return status;
    if (!program->symbols || index >= program->symbols->count)
        return OCL_E_NOT_FOUND;
    *symbol = program->symbols->list[index];
    return OCL_OK;
}

ocl_status ocl_program_find_symbol(struct ocl_program *program, const char *name,
                                   struct ocl_symbol *symbol)
{
    size_t count = 0;
    const ocl_status status = ocl_program_symbol_count(program, &count);
    if (status != OCL_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(program->symbols->list[i].name, name) != 0)
            continue;
        *symbol = program->symbols->list[i];
        return symbol->address ? OCL_OK : OCL_E_NOT_SUPPORTED;
    }
    return OCL_E_NOT_FOUND;
}
