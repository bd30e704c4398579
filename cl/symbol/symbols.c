/* The variables of a program that outlive its launches: finding them, making their memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "cl/managed.h"
#include "cl/program/kernel.h"
#include "cl/program/lazy.h"
#include "cl/program/translation.h"
#include "cl/symbol/ptx_symbols.h"
#include "cl/symbol/symbol_table.h"
#include "cl/symbol/symbols_private.h"
#include "cl/trace.h"
#include "cl/transfer.h"

/* Kernels get the block; the allocation begins before it. */
struct block {
    uint64_t allocation, address;
    size_t bytes; /* 0: there are no symbols of the kind */
};

struct ocl_symbols {
    struct block blocks[OCL_SYMBOL_KINDS];
    void *managed; /* the program's memory that is the managed block, or NULL */
    struct ocl_symbol *list;
    size_t count;
    char *names;
};

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
    const struct ocl_copy copy = ocl_copy_linear(block->address, (uintptr_t)values, bytes);
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

static ocl_status take_device_block(struct ocl_context *context, struct block *block)
{
    const size_t lead = lead_bytes(context);
    const ocl_status status =
        ocl_memory_allocate(context, lead + block->bytes, 0, &block->allocation);
    if (status == OCL_OK)
        block->address = block->allocation + lead;
    return status;
}

/* The host's own variables are the block. */
static ocl_status take_host_block(struct ocl_context *context, void *host, struct block *block)
{
    const ocl_status status = ocl_managed_adopt(context, host, block->bytes);
    if (status == OCL_OK)
        block->address = (uint64_t)(uintptr_t)host;
    return status;
}

/* Without managed memory the program's other symbols are of use. */
static ocl_status take_managed_block(struct ocl_context *context, struct block *block)
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
    return OCL_OK;
}

static ocl_status take_blocks(struct ocl_context *context, struct ocl_symbols *symbols,
                              const struct ocl_symbol_table *table)
{
    ocl_status status = OCL_OK;
    for (int i = 0; status == OCL_OK && i < OCL_SYMBOL_KINDS; i++) {
        struct block *block = &symbols->blocks[i];
        block->bytes = ocl_symbol_table_block_bytes(table, i);
        if (block->bytes == 0)
            continue;
        if (i == OCL_SYMBOL_MANAGED && symbols->managed)
            status = take_host_block(context, symbols->managed, block);
        else
            status = i == OCL_SYMBOL_MANAGED ? take_managed_block(context, block)
                                             : take_device_block(context, block);
    }
    return status;
}

/* The host writes managed blocks, which no kernel has seen yet and which are zero at first. The
 * others go by a queue of their own: the user's queues may be busy, and what is made here is older
 * than all of their work. */
static ocl_status write_blocks(struct ocl_context *context, const struct ocl_symbols *symbols,
                               const struct ocl_symbol_table *table)
{
    struct ocl_queue *queue = NULL;
    ocl_status status = ocl_queue_create(context, OCL_QUEUE_APART, 0, &queue);
    if (status != OCL_OK)
        return status;
    for (int i = 0; status == OCL_OK && i < OCL_SYMBOL_KINDS; i++) {
        const struct block *block = &symbols->blocks[i];
        if (block->address && i != OCL_SYMBOL_MANAGED)
            status = write_values(queue, block, table->values[i]);
        else if (block->allocation && block->address && table->values[i])
            memcpy((void *)(uintptr_t)block->address, table->values[i], block->bytes);
    }
    ocl_queue_destroy(queue);
    return status;
}

/* Values that are addresses of symbols are known once all have one. */
static ocl_status make_blocks(struct ocl_program *program, struct ocl_symbols *symbols,
                              const struct ocl_symbol_table *table)
{
    const ocl_status status = take_blocks(program->context, symbols, table);
    if (status != OCL_OK)
        return status;
    if (program->ptx) {
        const uint64_t addresses[] = {symbols->blocks[0].address, symbols->blocks[1].address,
                                      symbols->blocks[2].address};
        ocl_ptx_relocate(program, addresses, table);
        if (symbols->managed)
            ocl_ptx_complete_managed(program, table);
    }
    return write_blocks(program->context, symbols, table);
}

/* No kernel of the program runs any more, or none has been launched yet. Functions of the host may touch what is managed. */
static void free_blocks(struct ocl_symbols *symbols)
{
    const void *managed = (const void *)(uintptr_t)symbols->blocks[OCL_SYMBOL_MANAGED].allocation;
    for (int i = 0; i < OCL_SYMBOL_KINDS; i++)
        if (i != OCL_SYMBOL_MANAGED)
            ocl_memory_discard(symbols->blocks[i].allocation);
    if (managed)
        (void)ocl_memory_free(OCL_MEMORY_MANAGED, managed);
}

/* --- symbols of a program --------------------------------------------------------------------- */

static void destroy(struct ocl_symbols *symbols)
{
    free_blocks(symbols);
    free(symbols->list);
    free(symbols->names);
    free(symbols);
}

static bool has_too_many_constants(const struct ocl_symbol_table *table)
{
    const size_t bytes = ocl_symbol_table_block_bytes(table, OCL_SYMBOL_CONSTANT);
    if (bytes > PTX_CONSTANT_BYTES)
        ocl_complain("a program cannot be used: its constant variables take %zu bytes, and %u are "
                     "the most",
                     bytes, (unsigned)PTX_CONSTANT_BYTES);
    return bytes > PTX_CONSTANT_BYTES;
}

/* Takes the table's names. */
static ocl_status make_list(struct ocl_symbols *symbols, struct ocl_symbol_table *table)
{
    symbols->count = (size_t)table->words[OCL_TABLE_HEAD_COUNT];
    symbols->names = table->names;
    table->names = NULL;
    symbols->list = calloc(symbols->count + 1, sizeof *symbols->list);
    if (!symbols->list)
        return OCL_E_OUT_OF_MEMORY;
    for (size_t i = 0; i < symbols->count; i++) {
        const cl_ulong *row = table->words + OCL_TABLE_HEAD_WORDS + i * OCL_TABLE_ROW_WORDS;
        const uint64_t block = symbols->blocks[row[OCL_TABLE_ROW_KIND]].address;
        symbols->list[i] = (struct ocl_symbol){
            .name = symbols->names + row[OCL_TABLE_ROW_NAME],
            .kind = (enum ocl_symbol_kind)row[OCL_TABLE_ROW_KIND],
            .address = block ? block + row[OCL_TABLE_ROW_OFFSET] : 0,
            .bytes = (size_t)row[OCL_TABLE_ROW_BYTES],
        };
    }
    return OCL_OK;
}

static ocl_status make_symbols(void *named)
{
    struct ocl_program *program = named;
    struct ocl_symbol_table table = {0};
    struct ocl_symbols *symbols = calloc(1, sizeof *symbols);
    if (!symbols)
        return OCL_E_OUT_OF_MEMORY;
    symbols->managed = program->ptx ? program->ptx->managed : NULL;
    ocl_status status = program->ptx ? ocl_ptx_read_symbols(program, &table)
                                     : ocl_symbol_table_read(program, &table);
    if (status == OCL_OK && has_too_many_constants(&table))
        status = OCL_E_NOT_SUPPORTED;
    if (status == OCL_OK)
        status = make_blocks(program, symbols, &table);
    if (status == OCL_OK)
        status = make_list(symbols, &table);
    ocl_symbol_table_free(&table);
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
    if (!program->has_symbol_table)
        return OCL_OK;
    const ocl_status status =
        ocl_lazy_find(program, &program->symbols_state, make_symbols, program);
    if (status != OCL_OK || has_kinds(program->symbols, kinds))
        return status;
    return OCL_E_NOT_SUPPORTED;
}

uint64_t ocl_symbols_block(const struct ocl_program *program, enum ocl_symbol_kind kind)
{
    const struct ocl_program *origin = program->origin ? program->origin : program;
    return origin->symbols->blocks[kind].address;
}

size_t ocl_kernel_constant_bytes(struct ocl_kernel *kernel)
{
    struct ocl_program *origin = ocl_program_origin(kernel->program);
    if (origin->ptx)
        return ptx_module_block_bytes(origin->ptx->module, PTX_BLOCK_CONSTANT);
    return ocl_symbols_ready(origin, 0) == OCL_OK && origin->symbols
               ? origin->symbols->blocks[OCL_SYMBOL_CONSTANT].bytes
               : 0;
}

unsigned ocl_kernel_target(struct ocl_kernel *kernel)
{
    const struct ocl_program *origin = ocl_program_origin(kernel->program);
    return origin->ptx ? ptx_module_target(origin->ptx->module) : 0;
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
