/* PTX for drivers that take it as a program's binary: whether this one does, and kernels of modules
 * that go that way.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/ptx/ptx_binary.h"

#include <stdlib.h>
#include <string.h>

#include "cl/base/options.h"
#include "cl/base/steady.h"
#include "cl/device/driver_limits.h"
#include "cl/memory.h"
#include "cl/program/lazy.h"
#include "cl/ptx/ptx_facts.h"
#include "cl/ptx/ptx_kernel.h"
#include "cl/queue.h"
#include "cl/symbol/symbols_private.h"
#include "cl/trace.h"
#include "cl/transfer.h"

/* The way that modules go where both are open and CLEM_PTX names none. */
enum { BINARY_IS_PREFERRED = 1 };

/* --- programs --------------------------------------------------------------------------------- */

static void trace_log(const struct ocl_context *context, cl_program program)
{
    char log[2048] = "";
    if (!ocl_trace_on())
        return;
    (void)clGetProgramBuildInfo(program, context->device->id, CL_PROGRAM_BUILD_LOG, sizeof log - 1,
                                log, NULL);
    ocl_trace("%s does not take PTX as it is: %s", context->device->facts.name, log);
}

/* NULL where the driver does not take it. */
static cl_program build(const struct ocl_context *context, const char *text, size_t bytes)
{
    cl_int status = CL_SUCCESS, error = CL_SUCCESS;
    const unsigned char *data = (const unsigned char *)text;
    const cl_device_id device = context->device->id;
    cl_program made =
        clCreateProgramWithBinary(context->cl, 1, &device, &bytes, &data, &status, &error);
    if (!made) {
        ocl_trace("%s takes no PTX (%d)", context->device->facts.name, error);
        return NULL;
    }
    if (status == CL_SUCCESS && ocl_driver_build(context->device, made, "") == OCL_OK)
        return made;
    trace_log(context, made);
    clReleaseProgram(made);
    return NULL;
}

/* --- the self-test ---------------------------------------------------------------------------- */

enum { TRIAL_X = 8, TRIAL_Y = 2, TRIAL_Z = 4, TRIAL_THREADS = TRIAL_X * TRIAL_Y * TRIAL_Z };
enum { TRIAL_COLUMNS = 2, TRIAL_ROWS = 3, TRIAL_LAYERS = 2 };
enum { TRIAL_BLOCKS = TRIAL_COLUMNS * TRIAL_ROWS * TRIAL_LAYERS };
enum { TRIAL_WORDS = TRIAL_THREADS * TRIAL_BLOCKS, TRIAL_LOW = 31, TRIAL_HIGH = 70000 };

/* All that modules need: an address by value, a struct, dynamic beside static shared memory, a
 * barrier, a shuffle, and threads and blocks that are numbered as CUDA numbers them. */
static const char trial_text[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry clem_trial(.param .u64 out, .param .align 8 .b8 pair[16],\n"
    "    .param .u64 .ptr .shared .align 16 dynamic)\n{\n"
    ".reg .b32 %r<12>; .reg .b64 %d<8>;\n.shared .align 4 .b8 own[256];\n"
    "ld.param.u64 %d1, [out];\nld.param.u64 %d2, [dynamic];\n"
    "ld.param.u32 %r1, [pair];\nld.param.u32 %r2, [pair+8];\n"
    "mov.u32 %r3, %tid.z;\nmov.u32 %r4, %ntid.y;\nmov.u32 %r5, %tid.y;\n"
    "mad.lo.u32 %r3, %r3, %r4, %r5;\nmov.u32 %r4, %ntid.x;\nmov.u32 %r5, %tid.x;\n"
    "mad.lo.u32 %r3, %r3, %r4, %r5;\n"
    "mov.u32 %r6, %ctaid.z;\nmov.u32 %r4, %nctaid.y;\nmov.u32 %r5, %ctaid.y;\n"
    "mad.lo.u32 %r6, %r6, %r4, %r5;\nmov.u32 %r4, %nctaid.x;\nmov.u32 %r5, %ctaid.x;\n"
    "mad.lo.u32 %r6, %r6, %r4, %r5;\n"
    "mul.wide.u32 %d3, %r3, 4;\nadd.u64 %d4, %d2, %d3;\nmad.lo.u32 %r7, %r3, 7, %r1;\n"
    "st.shared.u32 [%d4], %r7;\n"
    "mov.u64 %d5, own;\nadd.u64 %d5, %d5, %d3;\nmad.lo.u32 %r8, %r6, 1000, %r3;\n"
    "st.shared.u32 [%d5], %r8;\nbar.sync 0;\n"
    "xor.b32 %r9, %r3, 63;\nmul.wide.u32 %d3, %r9, 4;\n"
    "add.u64 %d4, %d2, %d3;\nld.shared.u32 %r7, [%d4];\n"
    "mov.u64 %d5, own;\nadd.u64 %d5, %d5, %d3;\nld.shared.u32 %r8, [%d5];\n"
    "add.u32 %r7, %r7, %r8;\nadd.u32 %r7, %r7, %r2;\n"
    "shfl.sync.bfly.b32 %r7, %r7, 1, 31, 0xffffffff;\n"
    "mad.lo.u32 %r6, %r6, 64, %r3;\nmul.wide.u32 %d3, %r6, 4;\nadd.u64 %d1, %d1, %d3;\n"
    "cvta.to.global.u64 %d1, %d1;\nst.global.u32 [%d1], %r7;\nret;\n}\n";

static bool is_right(const cl_uint *words)
{
    for (cl_uint block = 0; block < TRIAL_BLOCKS; block++)
        for (cl_uint thread = 0; thread < TRIAL_THREADS; thread++) {
            const cl_uint from = thread ^ 1 ^ (TRIAL_THREADS - 1);
            if (words[block * TRIAL_THREADS + thread] !=
                from * 7 + TRIAL_LOW + block * 1000 + from + TRIAL_HIGH)
                return false;
        }
    return true;
}

static cl_int enqueue_trial(const struct ocl_context *context, cl_kernel kernel, uint64_t address)
{
    static const size_t local[3] = {TRIAL_X, TRIAL_Y, TRIAL_Z};
    static const size_t global[3] = {(size_t)TRIAL_X * TRIAL_COLUMNS, (size_t)TRIAL_Y * TRIAL_ROWS,
                                     (size_t)TRIAL_Z * TRIAL_LAYERS};
    const cl_uint pair[4] = {TRIAL_LOW, 0, TRIAL_HIGH, 0};
    cl_int error = clSetKernelArg(kernel, 0, sizeof address, &address);
    if (error == CL_SUCCESS)
        error = clSetKernelArg(kernel, 1, sizeof pair, pair);
    if (error == CL_SUCCESS)
        error = clSetKernelArg(kernel, 2, TRIAL_THREADS * sizeof(cl_uint), NULL);
    if (error == CL_SUCCESS)
        error = ocl_steady_range(context->service, kernel, 3, NULL, global, local, 0, NULL, NULL);
    if (error != CL_SUCCESS)
        return error;
    error = ocl_steady_finish(context->service);
    if (error != CL_SUCCESS) /* refused: the kernel writes to addresses that go now */
        (void)ocl_steady_finish(context->service);
    return error;
}

static bool read_words(struct ocl_context *context, uint64_t address, cl_uint *words, size_t bytes)
{
    struct ocl_queue *queue = NULL;
    const struct ocl_copy copy = ocl_copy_linear((uintptr_t)words, address, bytes);
    if (ocl_queue_create(context, OCL_QUEUE_APART, 0, &queue) != OCL_OK)
        return false;
    const ocl_status status = ocl_transfer_copy(queue, &copy, OCL_WAIT_ALL);
    ocl_queue_destroy(queue);
    return status == OCL_OK;
}

static bool run_trial(struct ocl_context *context, cl_program program)
{
    cl_uint words[TRIAL_WORDS] = {0};
    uint64_t address = 0;
    cl_int error = CL_SUCCESS;
    cl_kernel kernel = clCreateKernel(program, "clem_trial", &error);
    if (!kernel)
        return false;
    bool works = ocl_memory_allocate(context, sizeof words, 0, &address) == OCL_OK;
    if (works) {
        works = enqueue_trial(context, kernel, address) == CL_SUCCESS &&
                read_words(context, address, words, sizeof words) && is_right(words);
        ocl_memory_discard(address);
    }
    clReleaseKernel(kernel);
    return works;
}

/* Unasked, only a driver that has an extension of NVIDIA's is shown any PTX: those for other
 * machines may do worse than refuse it. */
static bool is_wanted(const struct ocl_context *context)
{
    const char *forced = ocl_options_get()->ptx;
    if (!context->capability.has_addresses)
        return false;
    if (forced)
        return strcmp(forced, "binary") == 0;
    return BINARY_IS_PREFERRED &&
           ocl_device_has_extension(&context->device->facts, "cl_nv_device_attribute_query");
}

bool ocl_ptx_binary_works(struct ocl_context *context)
{
    if (!is_wanted(context))
        return false;
    cl_program program = build(context, trial_text, sizeof trial_text - 1);
    const bool works = program && run_trial(context, program);
    if (program)
        clReleaseProgram(program);
    ocl_trace("%s: PTX as it is %s", context->device->facts.name, works ? "works" : "is out");
    return works;
}

/* --- modules ---------------------------------------------------------------------------------- */

static ocl_status find_addresses(struct ocl_program *program, uint64_t addresses[PTX_BLOCKS])
{
    unsigned kinds = 0;
    for (int block = 0; block < PTX_BLOCKS; block++)
        if (ptx_module_block_bytes(program->ptx->module, (enum ptx_block)block) > 0)
            kinds |= 1u << block;
    const ocl_status status = kinds ? ocl_symbols_ready(program, kinds) : OCL_OK;
    for (int block = 0; status == OCL_OK && block < PTX_BLOCKS; block++)
        if (kinds & 1u << block)
            addresses[block] = ocl_symbols_block(program, (enum ocl_symbol_kind)block);
    return status;
}

static cl_program build_module(struct ocl_program *program)
{
    const char *why = NULL;
    uint64_t addresses[PTX_BLOCKS] = {0};
    size_t bytes = 0;
    if (!ptx_module_suits_binary(program->ptx->module, &why)) {
        ocl_trace("a module is translated: %s", why);
        return NULL;
    }
    if (find_addresses(program, addresses) != OCL_OK)
        return NULL;
    char *text = ptx_module_place(program->ptx->module, addresses, &bytes);
    cl_program made = text ? build(program->context, text, bytes) : NULL;
    free(text);
    return made;
}

/* NULL is an answer, too. */
static ocl_status find_binary(void *translated)
{
    struct ocl_program *program = translated;
    program->ptx->binary = build_module(program);
    return OCL_OK;
}

static cl_program find_module(struct ocl_program *program)
{
    (void)ocl_lazy_find(program, &program->ptx->binary_state, find_binary, program);
    return program->ptx->binary;
}

/* --- kernels ---------------------------------------------------------------------------------- */

/* What the driver has under the entry's name must have its parameters, and at most the one for
 * dynamic shared memory behind them. */
static bool find_kernel(const struct ocl_kernel *kernel, cl_program program, bool *has_dynamic)
{
    cl_uint count = 0;
    size_t threads = 0;
    cl_int error = CL_SUCCESS;
    const size_t wanted = kernel->facts.parameter_count;
    cl_kernel made = clCreateKernel(program, kernel->name, &error);
    if (!made)
        return false;
    error = clGetKernelInfo(made, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL);
    if (error == CL_SUCCESS)
        error = clGetKernelWorkGroupInfo(made, kernel->program->context->device->id,
                                         CL_KERNEL_WORK_GROUP_SIZE, sizeof threads, &threads, NULL);
    clReleaseKernel(made);
    *has_dynamic = count == wanted + 1;
    return error == CL_SUCCESS && (count == wanted || *has_dynamic);
}

static ocl_status take_arguments(struct ocl_kernel *kernel, bool has_dynamic)
{
    const struct ptx_entry *entry = ocl_ptx_entry(kernel);
    const bool moves = ocl_ptx_moves_pinned(kernel->program->context);
    kernel->arguments = calloc(entry->parameter_count + 1, sizeof *kernel->arguments);
    if (!kernel->arguments)
        return OCL_E_OUT_OF_MEMORY;
    for (size_t i = 0; i < entry->parameter_count; i++) {
        const struct ptx_parameter *from = &entry->parameters[i];
        const bool is_number = moves && from->bytes == sizeof(uint64_t);
        kernel->arguments[i] =
            (struct ocl_argument){.kind = OCL_PARAMETER_VALUE,
                                  .made = is_number ? OCL_MADE_NUMBER : OCL_MADE_NOT,
                                  .entry = (uint32_t)i,
                                  .bytes = from->bytes,
                                  .alignment = from->alignment};
    }
    kernel->argument_count = entry->parameter_count;
    if (has_dynamic)
        kernel->arguments[kernel->argument_count++].kind = OCL_PARAMETER_LOCAL;
    return OCL_OK;
}

static bool fits_limit(const struct ocl_kernel *kernel, const struct ptx_target *target)
{
    return ocl_ptx_entry(kernel)->parameter_bytes + sizeof(uint64_t) <= target->max_parameter_bytes;
}

bool ocl_ptx_binary_describe(struct ocl_kernel *kernel, const struct ocl_ptx_facts *facts)
{
    struct ocl_program *origin = ocl_program_origin(kernel->program);
    bool has_dynamic = false;
    if (!facts->runs_ptx || kernel->ptx->shape[0] > 0 || kernel->ptx->spills ||
        kernel->ptx->gathers || !fits_limit(kernel, &facts->target))
        return false;
    cl_program program = find_module(origin);
    if (!program)
        return false;
    if (!find_kernel(kernel, program, &has_dynamic)) {
        ocl_trace("kernel %s is translated: the driver has none with its parameters", kernel->name);
        return false;
    }
    if (take_arguments(kernel, has_dynamic) != OCL_OK || clRetainProgram(program) != CL_SUCCESS)
        return false;
    kernel->program->cl = program;
    kernel->text_name = kernel->name;
    kernel->ptx->form = PTX_FORM_ITEM;
    kernel->ptx->has_shared = has_dynamic || ocl_ptx_entry(kernel)->shared_bytes > 0;
    ocl_trace("kernel %s runs as PTX", kernel->name);
    return true;
}
