/* What launches of translated kernels need beside their args entries.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "cl/base/steady.h"
#include "cl/binding/ptx_launches.h"
#include "cl/binding/ptx_runtime.h"
#include "cl/binding/ptx_table.h"
#include "cl/check/check_launch.h"
#include "cl/launch/kernel_binding.h"
#include "cl/launch/kernel_call.h"
#include "cl/memory/address.h"
#include "cl/native/native.h"
#include "cl/program/kernel_parts.h"
#include "cl/ptx/ptx_kernel.h"
#include "cl/trace.h"
#include "kernels/ptx/library/gather.h"
#include "kernels/ptx/library/turns.h"

/* Words that may be addresses are changed as they are where they are arguments of their own. */
static void fill_bank(const struct ocl_kernel *kernel, const struct ocl_launch *launch,
                      unsigned char *bank)
{
    const struct ocl_context *context = kernel->program->context;
    for (size_t i = 0; i < kernel->facts.parameter_count; i++) {
        const struct ocl_parameter *parameter = &kernel->parameters[i];
        uint64_t word;
        memcpy(bank + parameter->offset, launch->arguments[i], parameter->bytes);
        if (parameter->bytes != sizeof word || !context->capability.has_addresses)
            continue;
        memcpy(&word, launch->arguments[i], sizeof word);
        word = ocl_address_for_kernel(context, word);
        memcpy(bank + parameter->offset, &word, sizeof word);
    }
}

/* The driver keeps the buffer until the launch is over. */
static ocl_status make_bank(const struct ocl_kernel *kernel, const struct ocl_launch *launch,
                            cl_mem *buffer)
{
    cl_int error = CL_SUCCESS;
    const size_t bytes = kernel->facts.argument_bytes;
    unsigned char *bank = calloc(bytes + 1, 1);
    if (!bank)
        return OCL_E_OUT_OF_MEMORY;
    fill_bank(kernel, launch, bank);
    *buffer = clCreateBuffer(kernel->program->context->cl, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                             bytes, bank, &error);
    free(bank);
    return error;
}

/* For the thread blocks of one command; those of further commands come after them. */
static ocl_status make_memory(const struct ocl_call *call, size_t block_bytes, cl_mem *buffer)
{
    cl_int error = CL_SUCCESS;
    if (block_bytes > 0)
        *buffer = clCreateBuffer(call->kernel->program->context->cl, CL_MEM_READ_WRITE,
                                 call->plan->at_once * block_bytes, NULL, &error);
    return error;
}

/* Zeros, but for what the launch begins with. */
static ocl_status make_turns(const struct ocl_call *call, cl_mem *buffer)
{
    cl_int error = CL_SUCCESS;
    const struct ocl_plan *plan = call->plan;
    const size_t bytes = sizeof(struct clem_rota) + plan->at_once * sizeof(struct clem_rota_slot);
    struct clem_rota *rota = calloc(1, bytes);
    if (!rota)
        return OCL_E_OUT_OF_MEMORY;
    rota->slots = (uint)plan->at_once;
    rota->workers = (uint)plan->global[2];
    rota->is_cooperative = call->launch->is_cooperative;
    *buffer = clCreateBuffer(call->kernel->program->context->cl,
                             CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, rota, &error);
    free(rota);
    return error;
}

/* How often one looks until the rest is taken not to come: about a second of a GPU's, where a look takes half a microsecond or
 * more, and more of a CPU's, whose threads others may keep waiting; and until all who come are taken to have come. */
enum {
    PATIENCE = 1 << 20,
    PATIENCE_ON_CPU = 1 << 26,
    COUNTING = 1 << 11,
    COUNTING_ON_CPU = 1 << 19
};

static uint patience(const struct ocl_call *call)
{
    const struct ocl_gathered *gathered = call->launch->gathered;
    const bool counts = gathered && (gathered->counts || gathered->is_hasty);
    if (call->kernel->program->context->device->facts.device_class == OCL_CLASS_CPU)
        return counts ? COUNTING_ON_CPU : PATIENCE_ON_CPU;
    return counts ? COUNTING : PATIENCE;
}

static ocl_status make_gathering(const struct ocl_call *call, cl_mem *buffer)
{
    cl_int error = CL_SUCCESS;
    const struct ocl_launch *launch = call->launch;
    const size_t blocks = launch->groups[0] * launch->groups[1] * launch->groups[2];
    struct clem_gather gathering = {.patience = patience(call),
                                    .is_quiet = launch->gathered != NULL};
    if (blocks > UINT32_MAX)
        return OCL_E_LAUNCH_SIZE;
    if (!launch->gathered || !launch->gathered->counts)
        gathering.blocks = (uint)blocks;
    *buffer =
        clCreateBuffer(call->kernel->program->context->cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                       sizeof gathering, &gathering, &error);
    return error;
}

ocl_status ocl_ptx_gathered(const struct ocl_call *call, struct ocl_queue *queue)
{
    struct clem_gather gathering;
    struct ocl_context *context = call->kernel->program->context;
    ocl_status status = ocl_queue_finish(queue);
    if (status == OCL_OK)
        status =
            ocl_steady_read(context->service, call->memory.gathering, sizeof gathering, &gathering);
    if (status != OCL_OK)
        return status;
    call->launch->gathered->groups = gathering.arrived;
    call->launch->gathered->is_all = gathering.state == CLEM_GATHER_ALL;
    return OCL_OK;
}

/* ---- The native form ---- */

static uint64_t block_for_kernel(const struct ocl_kernel *kernel, enum ptx_block block)
{
    const struct ocl_context *context = kernel->program->context;
    if (!(kernel->symbol_kinds & 1u << block))
        return 0;
    return ocl_address_for_kernel(context, context->kernel_parts->symbols_block(
                                               kernel->program, (enum ocl_symbol_kind)block));
}

static void fill_facts(const struct ocl_call *call, struct ptx_native_launch *facts)
{
    const struct ocl_kernel *kernel = call->kernel;
    const struct ocl_context *context = kernel->program->context;
    const struct ocl_launch *launch = call->launch;
    enum { SHARED_STEP = 16 }; /* dynamic shared memory begins there */
    const size_t fixed = (ocl_ptx_entry(kernel)->shared_bytes + SHARED_STEP - 1) & ~(size_t)15;
    for (int d = 0; d < 3; d++) {
        const size_t joined = d == 0 ? call->plan->joined : 1;
        facts->grid[d] = (uint32_t)(launch->groups[d] / joined);
        facts->block[d] = (uint32_t)(launch->items[d] * joined);
    }
    facts->is_cooperative = launch->is_cooperative;
    facts->dynamic_bytes = (uint32_t)launch->local_bytes;
    facts->shared_bytes = (uint32_t)(fixed + launch->local_bytes);
    for (int block = 0; block < PTX_BLOCKS; block++)
        facts->blocks[block] = block_for_kernel(kernel, (enum ptx_block)block);
    if (kernel->ptx->has_runtime)
        facts->runtime = ocl_runtime_address(context);
    if (kernel->ptx->has_conditions)
        facts->conditions = ocl_address_for_kernel(context, launch->conditions);
    if (kernel->ptx->has_table)
        facts->table = ocl_table_address(context);
}

/* Behind the parameters. */
static size_t pictures_at(const struct ocl_kernel *kernel)
{
    const size_t alignment = _Alignof(struct clem_texture);
    return (kernel->facts.argument_bytes + alignment - 1) / alignment * alignment;
}

static void fill_pictures(const struct ocl_call *call, struct ptx_native_launch *facts)
{
    struct clem_texture *rows =
        (struct clem_texture *)(uintptr_t)(facts->parameters + pictures_at(call->kernel));
    facts->pictures = (uint64_t)(uintptr_t)rows;
    for (size_t i = 0; i < call->kernel->bundle_count; i++)
        rows[i] = ocl_table_row(call->bound[i].texture);
}

static ocl_status make_native(struct ocl_call *call)
{
    const struct ocl_kernel *kernel = call->kernel;
    const struct ocl_launch *launch = call->launch;
    const size_t row = launch->groups[0] / call->plan->joined;
    const struct ocl_native_shape shape = {
        .blocks = (uint64_t)row * launch->groups[1] * launch->groups[2],
        .row = row,
        .joined = (uint32_t)call->plan->joined,
        .is_vast = call->plan->is_vast,
        .takes_turns = kernel->ptx->waits_for_blocks,
        .items = call->plan->global[2],
        .parameter_bytes = pictures_at(kernel) + kernel->bundle_count * sizeof(struct clem_texture),
        .failure = ocl_runtime_failure(kernel->program->context),
    };
    const ocl_status status = ocl_native_begin(kernel->program->context, call->plan->native, &shape,
                                               &call->memory.native);
    if (status != OCL_OK)
        return status;
    struct ptx_native_launch *facts = ocl_native_facts(call->memory.native);
    fill_facts(call, facts);
    fill_bank(kernel, launch, (unsigned char *)(uintptr_t)facts->parameters);
    fill_pictures(call, facts);
    return ocl_native_reserve(call->memory.native);
}

/* ---- Checks ---- */

static ocl_status make_check(struct ocl_call *call)
{
    const struct ocl_kernel *kernel = call->kernel;
    const struct ocl_launch *launch = call->launch;
    const struct ptx_entry *entry = ocl_ptx_entry(kernel);
    struct ocl_check_launch facts = {.module = ocl_program_origin(kernel->program)->ptx->module,
                                     .kernel = entry->name,
                                     .shared_bytes =
                                         kernel->ptx->static_bytes + launch->local_bytes,
                                     .local_bytes = kernel->ptx->local_bytes,
                                     .context = call->queue->context,
                                     .told = launch->nesting.told,
                                     .is_tail = launch->nesting.is_tail,
                                     .stream = ocl_queue_stream(call->queue),
                                     .is_cooperative = launch->is_cooperative,
                                     .takes_turns = kernel->ptx->takes_turns,
                                     .parameter_bytes = entry->parameter_bytes};
    for (int d = 0; d < 3; d++) {
        facts.grid[d] = (uint32_t)launch->groups[d];
        facts.threads[d] = (uint32_t)launch->items[d];
    }
    struct ocl_launches *const launches = call->memory.launches;
    const bool is_nested = launch->nesting.launches != NULL;
    call->memory.check =
        ocl_check_begin(&facts, is_nested ? ocl_launches_origin(launch->nesting.launches) : NULL);
    if (call->memory.check && launches && !is_nested)
        *ocl_launches_origin(launches) =
            (struct ocl_check_origin){call->memory.check->time, call->memory.check->stack};
    if (call->memory.check && call->memory.native)
        ocl_native_facts(call->memory.native)->checked = (uint64_t)(uintptr_t)call->memory.check;
    return call->memory.check ? OCL_OK : OCL_E_OUT_OF_MEMORY;
}

/* ---- All ---- */

ocl_status ocl_ptx_begin(struct ocl_call *call)
{
    const struct ocl_kernel *kernel = call->kernel;
    struct ocl_ptx_memory *memory = &call->memory;
    ocl_status status = OCL_OK;
    if (kernel->ptx->has_table)
        status = ocl_table_begin(kernel->program->context);
    if (kernel->ptx->has_runtime && ocl_ptx_entry(kernel)->uses_printf)
        ocl_runtime_before_launch(kernel->program->context);
    if (status == OCL_OK && kernel->ptx->has_runtime) {
        status = ocl_runtime_begin(kernel->program->context, ocl_ptx_entry(kernel)->uses_malloc);
        memory->is_noted = status == OCL_OK;
    }
    if (status == OCL_OK && kernel->ptx->has_launches)
        status = ocl_launches_begin(call);
    if (status == OCL_OK && kernel->ptx->has_bank)
        status = make_bank(kernel, call->launch, &memory->bank);
    if (status == OCL_OK && kernel->ptx->spills)
        status = make_memory(call, call->plan->scratch_bytes, &memory->scratch);
    if (status == OCL_OK && kernel->ptx->spills)
        status = make_memory(call, call->plan->shared_bytes, &memory->shared);
    if (status == OCL_OK && kernel->ptx->takes_turns)
        status = make_turns(call, &memory->turns);
    if (status == OCL_OK && kernel->ptx->gathers)
        status = make_gathering(call, &memory->gathering);
    if (status == OCL_OK && call->plan->native)
        status = make_native(call);
    if (status == OCL_OK && kernel->ptx->has_check)
        status = make_check(call);
    return status;
}

uint64_t ocl_ptx_memory(const struct ocl_kernel *kernel, uint32_t entry)
{
    const struct ocl_context *context = kernel->program->context;
    return entry == OCL_ENTRY_RUNTIME ? ocl_runtime_address(context) : ocl_table_address(context);
}

void ocl_ptx_end(const struct ocl_call *call)
{
    const struct ocl_kernel *kernel = call->kernel;
    const struct ocl_ptx_memory *memory = &call->memory;
    const cl_mem buffers[] = {memory->bank, memory->scratch, memory->shared, memory->turns,
                              memory->gathering};
    ocl_launches_end(call);
    ocl_native_cancel(memory->native);
    ocl_check_cancel(memory->check);
    if (kernel->ptx->has_table)
        ocl_table_end(kernel->program->context);
    if (memory->is_noted)
        ocl_runtime_end(kernel->program->context);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
}
