/* Programs from PTX: opening modules, translating and building their kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/ptx/ptx_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/base/steady.h"
#include "cl/check.h"
#include "cl/image/image.h"
#include "cl/native/native.h"
#include "cl/program/program_compile.h"
#include "cl/program/program_include.h"
#include "cl/ptx/dump.h"
#include "cl/ptx/ptx_apart.h"
#include "cl/ptx/ptx_binary.h"
#include "cl/ptx/ptx_facts.h"
#include "cl/trace.h"

/* The most parameters of a texture or surface: memory, facts, reference. */
enum { OCL_PART_COUNT = 4 };

const struct ptx_entry *ocl_ptx_entry(const struct ocl_kernel *kernel)
{
    return ptx_module_entry(ocl_program_origin(kernel->program)->ptx->module, kernel->ptx->index);
}

/* ---- Modules ---- */

/* Each kernel gets a program of its own, empty until it is described. */
static ocl_status fill_kernel(struct ocl_kernel *kernel, struct ocl_program *program, size_t index)
{
    struct ocl_program *own = ocl_program_empty(program->context);
    kernel->program = own;
    kernel->ptx = calloc(1, sizeof *kernel->ptx);
    if (own)
        own->origin = program;
    if (!own || !kernel->ptx)
        return OCL_E_OUT_OF_MEMORY;
    own->options = strdup(OCL_TRANSLATION_OPTIONS);
    kernel->ptx->index = index;
    kernel->name = kernel->text_name = ptx_module_entry(program->ptx->module, index)->name;
    return own->options ? OCL_OK : OCL_E_OUT_OF_MEMORY;
}

static ocl_status make_kernels(struct ocl_program *program)
{
    const size_t count = ptx_module_entry_count(program->ptx->module);
    ocl_status status = OCL_OK;
    program->kernels = calloc(count + 1, sizeof *program->kernels);
    if (!program->kernels)
        return OCL_E_OUT_OF_MEMORY;
    for (size_t i = 0; status == OCL_OK && i < count; i++)
        status = fill_kernel(&program->kernels[program->kernel_count++], program, i);
    return status;
}

static ocl_status parse(const char *text, size_t bytes, struct ptx_module **module, char **log)
{
    struct ptx_log words = {0};
    const enum ptx_status status = ptx_module_parse(text, bytes, module, &words);
    if (status == PTX_OK) {
        if (words.text)
            ocl_trace("%s", words.text);
        free(words.text);
        return OCL_OK;
    }
    *log = words.text;
    return status == PTX_E_OUT_OF_MEMORY ? OCL_E_OUT_OF_MEMORY : OCL_E_PTX;
}

static bool has_variables(const struct ptx_module *module)
{
    bool has = false;
    for (int block = 0; block < PTX_BLOCKS; block++)
        has |= ptx_module_block_bytes(module, (enum ptx_block)block) > 0;
    return has;
}

/* CUDA's assembler refuses such a module for every device. */
static ocl_status check_constants(const struct ptx_module *module, char **log)
{
    const size_t bytes = ptx_module_block_bytes(module, PTX_BLOCK_CONSTANT);
    if (bytes <= PTX_CONSTANT_BYTES)
        return OCL_OK;
    if (asprintf(log, "its constant variables take %zu bytes, and %u are the most", bytes,
                 (unsigned)PTX_CONSTANT_BYTES) < 0)
        *log = NULL;
    return OCL_E_PTX;
}

static ocl_status open_module(struct ocl_context *context, struct ptx_module *module,
                              struct ocl_program **program, char **log)
{
    struct ocl_program *made = *program = ocl_program_empty(context);
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    made->ptx = calloc(1, sizeof *made->ptx);
    if (!made->ptx)
        return OCL_E_OUT_OF_MEMORY;
    made->ptx->module = ptx_module_hold(module);
    ocl_status status = check_constants(module, log);
    if (status == OCL_OK)
        status = make_kernels(made);
    if (status == OCL_OK)
        made->has_symbol_table = has_variables(module);
    return status;
}

ocl_status ocl_ptx_open_parsed(struct ocl_context *context, struct ptx_module *module,
                               struct ocl_program **program, char **log)
{
    ocl_dump_module(module, NULL, 0);
    return open_module(context, module, program, log);
}

ocl_status ocl_ptx_open(struct ocl_context *context, const char *text, size_t bytes,
                        struct ocl_program **program, char **log)
{
    struct ptx_module *module = NULL;
    ocl_status status = parse(text, bytes, &module, log);
    if (status == OCL_OK) {
        ocl_dump_module(module, text, strnlen(text, bytes));
        status = open_module(context, module, program, log);
    }
    ptx_module_free(module);
    return status;
}

void ocl_ptx_close(struct ocl_program *program)
{
    if (!program->ptx)
        return;
    if (program->ptx->binary)
        clReleaseProgram(program->ptx->binary);
    ptx_module_free(program->ptx->module);
    free(program->ptx);
}

static void release_shaped(struct ocl_kernel *shaped);

static void release_native(struct ocl_ptx_kernel *ptx)
{
    for (int i = 0; i <= PTX_THREADS_HALVES; i++)
        for (int is_vast = 0; is_vast < 2; is_vast++)
            ocl_native_release(atomic_exchange(&ptx->natives[is_vast][i], NULL));
}

static void free_at_once(struct ocl_at_once *first)
{
    while (first) {
        struct ocl_at_once *next = first->next;
        free(first);
        first = next;
    }
}

/* The kernel's arguments were released before. */
void ocl_ptx_forget(struct ocl_kernel *kernel)
{
    const struct ocl_program *own = kernel->program;
    if (!kernel->ptx && (!own || !own->origin || kernel->name))
        return;
    if (kernel->ptx) {
        release_shaped(kernel->ptx->shaped);
        release_shaped(kernel->ptx->image);
        release_shaped(kernel->ptx->spilled);
        release_shaped(kernel->ptx->gathering);
        release_shaped(kernel->ptx->opencl);
        free_at_once(kernel->ptx->at_once);
        release_native(kernel->ptx);
    }
    free(kernel->ptx);
    ocl_program_release(kernel->program);
}

bool ocl_ptx_has_reference(const struct ocl_program *program, const char *name, bool is_surface)
{
    const struct ptx_module *module = program->ptx->module;
    for (size_t i = 0; i < ptx_module_reference_count(module); i++) {
        const struct ptx_reference *reference = ptx_module_reference(module, i);
        if (reference->is_surface == is_surface && strcmp(reference->name, name) == 0)
            return true;
    }
    return false;
}

/* ---- Variants for one shape of work-groups ---- */

/* Lock held. */
static struct ocl_kernel *find_shaped(const struct ocl_kernel *kernel, const size_t shape[3])
{
    struct ocl_kernel *shaped = kernel->ptx->shaped;
    while (shaped && memcmp(shaped->ptx->shape, shape, sizeof shaped->ptx->shape) != 0)
        shaped = shaped->ptx->shaped;
    return shaped;
}

static void release_shaped(struct ocl_kernel *shaped)
{
    while (shaped) {
        struct ocl_kernel *next = shaped->ptx ? shaped->ptx->shaped : NULL;
        if (shaped->ptx)
            shaped->ptx->shaped = NULL;
        ocl_kernel_release(shaped);
        free(shaped);
        shaped = next;
    }
}

static ocl_status make_shaped(const struct ocl_kernel *kernel, const size_t shape[3],
                              struct ocl_kernel **shaped)
{
    struct ocl_kernel *made = *shaped = calloc(1, sizeof *made);
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    const ocl_status status =
        fill_kernel(made, ocl_program_origin(kernel->program), kernel->ptx->index);
    if (status != OCL_OK)
        return status;
    memcpy(made->ptx->shape, shape, sizeof made->ptx->shape);
    made->ptx->spills = kernel->ptx->spills;
    made->ptx->gathers = kernel->ptx->gathers;
    made->ptx->is_opencl = kernel->ptx->is_opencl;
    return OCL_OK;
}

static ocl_status take_options(struct ocl_program *program, const char *options, const char *more)
{
    char *made = NULL;
    if (asprintf(&made, "%s %s", options, more) < 0)
        return OCL_E_OUT_OF_MEMORY;
    free(program->options);
    program->options = made;
    return OCL_OK;
}

/* The same kernel, built with one option more. */
static ocl_status make_variant(const struct ocl_kernel *kernel, const char *option,
                               struct ocl_kernel **made)
{
    ocl_status status = make_shaped(kernel, kernel->ptx->shape, made);
    if (status == OCL_OK)
        status = take_options((*made)->program, kernel->program->options, option);
    if (status != OCL_OK)
        return status;
    (*made)->ptx->by_image = kernel->ptx->by_image;
    return OCL_OK;
}

static ocl_status make_by_image(const struct ocl_kernel *kernel, struct ocl_kernel **image)
{
    const ocl_status status = make_variant(kernel, "-D CLEM_TEXTURES_BY_IMAGE=1", image);
    if (status == OCL_OK)
        (*image)->ptx->by_image = true;
    return status;
}

static ocl_status make_spilled(const struct ocl_kernel *kernel, struct ocl_kernel **spilled)
{
    const ocl_status status = make_variant(kernel, "-D CLEM_SCRATCH=__global", spilled);
    if (status == OCL_OK)
        (*spilled)->ptx->spills = true;
    return status;
}

static ocl_status make_gathering(const struct ocl_kernel *kernel, struct ocl_kernel **gathering)
{
    const ocl_status status = make_shaped(kernel, kernel->ptx->shape, gathering);
    if (status == OCL_OK)
        (*gathering)->ptx->gathers = true;
    return status;
}

static ocl_status make_opencl(const struct ocl_kernel *kernel, struct ocl_kernel **opencl)
{
    const ocl_status status = make_shaped(kernel, kernel->ptx->shape, opencl);
    if (status == OCL_OK)
        (*opencl)->ptx->is_opencl = true;
    return status;
}

/* The variant at a place of the kernel, made at the first request. */
static struct ocl_kernel *find_variant(struct ocl_kernel *kernel, struct ocl_kernel **place,
                                       ocl_status (*make)(const struct ocl_kernel *kernel,
                                                          struct ocl_kernel **made))
{
    struct ocl_kernel *made = NULL;
    pthread_mutex_lock(&kernel->program->lock);
    struct ocl_kernel *found = *place;
    pthread_mutex_unlock(&kernel->program->lock);
    if (found)
        return found;
    if (make(kernel, &made) == OCL_OK) {
        pthread_mutex_lock(&kernel->program->lock);
        found = *place; /* another thread may have been first */
        if (!found) {
            found = *place = made;
            made = NULL;
        }
        pthread_mutex_unlock(&kernel->program->lock);
    }
    release_shaped(made);
    return found;
}

struct ocl_kernel *ocl_ptx_spilled(struct ocl_kernel *kernel)
{
    return find_variant(kernel, &kernel->ptx->spilled, make_spilled);
}

struct ocl_kernel *ocl_ptx_gathering(struct ocl_kernel *kernel)
{
    return find_variant(kernel, &kernel->ptx->gathering, make_gathering);
}

struct ocl_kernel *ocl_ptx_opencl(struct ocl_kernel *kernel)
{
    return find_variant(kernel, &kernel->ptx->opencl, make_opencl);
}

struct ocl_kernel *ocl_ptx_by_image(struct ocl_kernel *kernel)
{
    return find_variant(kernel, &kernel->ptx->image, make_by_image);
}

ocl_status ocl_ptx_shaped(struct ocl_kernel *kernel, const size_t shape[3],
                          struct ocl_kernel **shaped)
{
    struct ocl_kernel *made = NULL;
    pthread_mutex_lock(&kernel->program->lock);
    *shaped = find_shaped(kernel, shape);
    pthread_mutex_unlock(&kernel->program->lock);
    if (*shaped)
        return OCL_OK;
    const ocl_status status = make_shaped(kernel, shape, &made);
    if (status != OCL_OK) {
        release_shaped(made);
        return status;
    }
    pthread_mutex_lock(&kernel->program->lock);
    *shaped = find_shaped(kernel, shape); /* another thread may have been first */
    if (!*shaped) {
        made->ptx->shaped = kernel->ptx->shaped;
        *shaped = kernel->ptx->shaped = made;
        made = NULL;
    }
    pthread_mutex_unlock(&kernel->program->lock);
    release_shaped(made);
    return OCL_OK;
}

/* ---- Arguments ---- */

bool ocl_ptx_moves_pinned(const struct ocl_context *context)
{
    const struct ocl_capability *capability = &context->capability;
    return capability->has_addresses &&
           !(capability->reaches_pinned_host && capability->reaches_registered_host);
}

static void take_value(const struct ocl_kernel *kernel, const struct ptx_argument *from,
                       struct ocl_argument *to)
{
    to->kind = OCL_PARAMETER_VALUE;
    if (from->bytes == sizeof(uint64_t) && ocl_ptx_moves_pinned(kernel->program->context))
        to->made = OCL_MADE_NUMBER;
}

static void take_block(struct ocl_kernel *kernel, const struct ptx_argument *from,
                       struct ocl_argument *to)
{
    to->kind = OCL_PARAMETER_HIDDEN;
    to->block = (enum ocl_symbol_kind)from->index;
    to->entry = OCL_ENTRY_SYMBOLS + (uint32_t)from->index;
    kernel->symbol_kinds |= 1u << from->index;
}

static void take_hidden(struct ocl_argument *to, uint32_t entry, bool *has)
{
    to->kind = OCL_PARAMETER_HIDDEN;
    to->entry = entry;
    *has = true;
}

static void take_made(struct ocl_argument *to, enum ocl_parameter_kind kind, enum ocl_made made)
{
    to->kind = kind;
    to->made = made;
}

static void take_argument(struct ocl_kernel *kernel, const struct ptx_argument *from,
                          struct ocl_argument *to)
{
    struct ocl_ptx_kernel *ptx = kernel->ptx;
    to->bytes = from->bytes;
    to->alignment = from->alignment;
    to->entry = (uint32_t)from->index;
    switch (from->kind) {
    case PTX_ARGUMENT_VALUE:
        take_value(kernel, from, to);
        break;
    case PTX_ARGUMENT_POINTER:
        to->kind = OCL_PARAMETER_POINTER;
        to->within = (uint32_t)from->offset;
        break;
    case PTX_ARGUMENT_BANK:
        take_made(to, OCL_PARAMETER_VALUE, OCL_MADE_BANK);
        ptx->has_bank = true;
        break;
    case PTX_ARGUMENT_BLOCK:
        take_block(kernel, from, to);
        break;
    case PTX_ARGUMENT_SHARED:
        take_made(to, ptx->spills ? OCL_PARAMETER_VALUE : OCL_PARAMETER_LOCAL,
                  ptx->spills ? OCL_MADE_SHARED : OCL_MADE_NOT);
        ptx->has_shared = true;
        ptx->static_bytes = from->bytes;
        break;
    case PTX_ARGUMENT_SCRATCH:
        take_made(to, ptx->spills ? OCL_PARAMETER_VALUE : OCL_PARAMETER_LOCAL, OCL_MADE_SCRATCH);
        ptx->scratch_bytes = from->bytes;
        break;
    case PTX_ARGUMENT_RUNTIME:
        take_hidden(to, OCL_ENTRY_RUNTIME, &ptx->has_runtime);
        break;
    case PTX_ARGUMENT_CONDITIONS:
        to->kind = OCL_PARAMETER_HIDDEN;
        to->entry = OCL_ENTRY_CONDITIONS;
        break;
    case PTX_ARGUMENT_LAUNCHES:
        take_hidden(to, OCL_ENTRY_LAUNCHES, &ptx->has_launches);
        break;
    case PTX_ARGUMENT_GRID:
        take_made(to, OCL_PARAMETER_VALUE, OCL_MADE_GRID);
        break;
    case PTX_ARGUMENT_DYNAMIC:
        take_made(to, OCL_PARAMETER_VALUE, OCL_MADE_DYNAMIC);
        break;
    case PTX_ARGUMENT_TURNS:
        take_made(to, OCL_PARAMETER_VALUE, OCL_MADE_TURNS);
        break;
    case PTX_ARGUMENT_GATHERING:
        take_made(to, OCL_PARAMETER_VALUE, OCL_MADE_GATHERING);
        break;
    case PTX_ARGUMENT_CHECK:
        take_made(to, OCL_PARAMETER_VALUE, OCL_MADE_CHECK);
        ptx->has_check = true;
        break;
    case PTX_ARGUMENT_ZERO:
        take_made(to, OCL_PARAMETER_VALUE, OCL_MADE_ZERO);
        break;
    case PTX_ARGUMENT_TABLE:
        take_hidden(to, OCL_ENTRY_TABLE, &ptx->has_table);
        ptx->writes_table = from->is_surface;
        break;
    case PTX_ARGUMENT_TEXTURE: /* take_bundle() */
        break;
    }
}

/* The parameters that a texture or a surface is declared as. */
static ocl_status take_bundle(struct ocl_kernel *kernel, const struct ptx_argument *from)
{
    static const enum ocl_part by_memory[] = {OCL_PART_MEMORY, OCL_PART_FACTS, OCL_PART_REFERENCE};
    static const enum ocl_part by_image[] = {OCL_PART_IMAGE, OCL_PART_SAMPLER, OCL_PART_FACTS,
                                             OCL_PART_REFERENCE};
    const bool is_image = kernel->ptx->by_image && from->type[0];
    const enum ocl_part *parts = is_image ? by_image : by_memory;
    const uint32_t index = (uint32_t)kernel->bundle_count++;
    struct ocl_bundle *bundle = &kernel->bundles[index];
    *bundle = (struct ocl_bundle){.first = (uint32_t)kernel->argument_count,
                                  .count = (uint32_t)from->bytes + is_image,
                                  .entry = (uint32_t)from->index,
                                  .reference = from->name,
                                  .is_surface = from->is_surface,
                                  .image_type = is_image ? ocl_image_type(from->type) : 0};
    for (uint32_t i = 0; i < bundle->count; i++)
        kernel->arguments[kernel->argument_count++] =
            (struct ocl_argument){.kind = OCL_PARAMETER_TEXTURE,
                                  .entry = OCL_ENTRY_BUNDLES + index,
                                  .bundle = index,
                                  .part = parts[i]};
    if (!is_image)
        return OCL_OK;
    kernel->arguments[bundle->first].type = strdup(from->type);
    return kernel->arguments[bundle->first].type ? OCL_OK : OCL_E_OUT_OF_MEMORY;
}

/* What a kernel behind the text must call the parameter. */
static const char *type_of(const struct ptx_argument *argument)
{
    switch (argument->kind) {
    case PTX_ARGUMENT_GRID:
        return "uint8";
    case PTX_ARGUMENT_DYNAMIC:
    case PTX_ARGUMENT_ZERO:
        return "uint";
    default:
        return argument->type;
    }
}

static ocl_status take_arguments(struct ocl_kernel *kernel, const struct ptx_kernel *from)
{
    kernel->arguments =
        calloc(OCL_PART_COUNT * from->argument_count + 1, sizeof *kernel->arguments);
    kernel->bundles = calloc(from->argument_count + 1, sizeof *kernel->bundles);
    if (!kernel->arguments || !kernel->bundles)
        return OCL_E_OUT_OF_MEMORY;
    for (size_t i = 0; i < from->argument_count; i++) {
        struct ocl_argument *argument = &kernel->arguments[kernel->argument_count];
        if (from->arguments[i].kind == PTX_ARGUMENT_TEXTURE) {
            if (take_bundle(kernel, &from->arguments[i]) != OCL_OK)
                return OCL_E_OUT_OF_MEMORY;
            continue;
        }
        take_argument(kernel, &from->arguments[i], argument);
        argument->type = strdup(type_of(&from->arguments[i]));
        kernel->argument_count++;
        if (!argument->type)
            return OCL_E_OUT_OF_MEMORY;
    }
    return OCL_OK;
}

/* ---- Facts ---- */

/* The parameters of the entry: what void **args carries. */
static ocl_status list_parameters(struct ocl_kernel *kernel)
{
    const struct ptx_entry *entry = ocl_ptx_entry(kernel);
    struct ocl_kernel_facts *facts = &kernel->facts;
    kernel->parameters = calloc(entry->parameter_count + 1, sizeof *kernel->parameters);
    if (!kernel->parameters)
        return OCL_E_OUT_OF_MEMORY;
    for (size_t i = 0; i < entry->parameter_count; i++)
        kernel->parameters[i] = (struct ocl_parameter){.kind = OCL_PARAMETER_VALUE,
                                                       .bytes = entry->parameters[i].bytes,
                                                       .offset = entry->parameters[i].offset};
    facts->parameter_count = facts->entry_count = entry->parameter_count;
    facts->argument_bytes = entry->parameter_bytes;
    return OCL_OK;
}

/* 0 where the entry says nothing. */
static size_t most_threads(const struct ptx_entry *entry)
{
    const unsigned *limits =
        entry->required_threads[0] > 0 ? entry->required_threads : entry->max_threads;
    size_t threads = 1;
    for (int d = 0; d < 3; d++)
        if (__builtin_mul_overflow(threads, limits[d] > 0 || d == 0 ? limits[d] : 1, &threads))
            return 0;
    return threads;
}

void ocl_ptx_limit(struct ocl_kernel *kernel)
{
    const struct ptx_entry *entry = ocl_ptx_entry(kernel);
    struct ocl_kernel_facts *facts = &kernel->facts;
    const bool does_blocks = kernel->ptx->form != PTX_FORM_ITEM;
    facts->local_bytes = entry->shared_bytes;
    facts->most_local = PTX_SHARED_BYTES;
    facts->private_bytes = entry->local_bytes;
    facts->most_threads = most_threads(entry);
    if (does_blocks || facts->max_work_group == 0)
        facts->max_work_group = does_blocks
                                    ? OCL_BLOCK_THREADS
                                    : kernel->program->context->device->facts.max_work_group;
    for (int d = 0; d < 3; d++) {
        if (kernel->ptx->shape[0] > 0) {
            facts->required_work_group[d] = kernel->ptx->shape[d];
            continue;
        }
        const unsigned required = entry->required_threads[d];
        facts->required_work_group[d] =
            required == 0 && entry->required_threads[0] > 0 ? 1 : required;
    }
}

/* ---- Translating and building ---- */

/* From nothing, also after an earlier attempt that failed half-way. */
static void start_anew(struct ocl_kernel *kernel)
{
    struct ocl_program *program = kernel->program;
    for (size_t i = 0; i < kernel->argument_count; i++)
        free(kernel->arguments[i].type);
    free(kernel->arguments);
    free(kernel->bundles);
    kernel->arguments = NULL;
    kernel->bundles = NULL;
    kernel->argument_count = kernel->bundle_count = 0;
    kernel->symbol_kinds = 0;
    free(program->names);
    free(program->text);
    program->names = program->text = NULL;
    if (program->cl)
        clReleaseProgram(program->cl);
    program->cl = NULL;
    release_native(kernel->ptx);
}

static ocl_status explain(struct ocl_kernel *kernel, enum ptx_status status, const char *log)
{
    if (status == PTX_E_OUT_OF_MEMORY)
        return OCL_E_OUT_OF_MEMORY;
    ocl_kernel_refuse(kernel,
                      status == PTX_E_NEEDS_ADDRESS ? OCL_E_NEEDS_ADDRESS
                      : status == PTX_E_TOO_LARGE   ? OCL_E_PTX
                                                    : OCL_E_NOT_SUPPORTED,
                      "%s", log ? log : "it cannot be translated");
    ocl_trace("kernel %s cannot be translated: %s", kernel->name, log ? log : "");
    return OCL_OK;
}

/* The attribute stands before the word that begins the kernel. */
static ocl_status require_shape(struct ocl_program *program, const size_t shape[3])
{
    char *text = NULL;
    const int bytes = asprintf(
        &text, "#define __kernel __attribute__((reqd_work_group_size(%zu, %zu, %zu))) kernel\n%s",
        shape[0], shape[1], shape[2], program->text);
    if (bytes < 0)
        return OCL_E_OUT_OF_MEMORY;
    free(program->text);
    program->text = text;
    program->text_bytes = (size_t)bytes;
    return OCL_OK;
}

static ocl_status keep_text(struct ocl_kernel *kernel, const struct ptx_kernel *translated)
{
    struct ocl_program *program = kernel->program;
    ocl_status status = OCL_OK;
    bool has_header = false;
    program->text_bytes = translated->text_bytes;
    program->text = ocl_program_include(translated->text, &program->text_bytes, &has_header);
    program->has_device_header = has_header;
    if (program->text && kernel->ptx->shape[0] > 0)
        status = require_shape(program, kernel->ptx->shape);
    program->names = strdup(translated->name);
    kernel->text_name = program->names;
    return program->text && program->names ? status : OCL_E_OUT_OF_MEMORY;
}

/* A translation that does not build is this translator's fault, or the driver's: both are worth a
 * line of their own. */
static ocl_status build(struct ocl_kernel *kernel)
{
    struct ocl_program *program = kernel->program;
    char *log = NULL;
    ocl_status status = ocl_program_compile_kept(
        program->context, program->text, program->text_bytes, program->options, &program->cl, &log);
    if (status == OCL_E_BUILD) {
        ocl_log(true, "the translation of kernel %s does not build on %s:\n%s", kernel->name,
                program->context->device->facts.name, log ? log : "");
        ocl_trace("its text:\n%s", program->text);
        ocl_kernel_refuse(kernel, OCL_E_NOT_SUPPORTED,
                          "its translation does not build; CLEM_TRACE=1 says why");
        status = OCL_OK;
    }
    free(log);
    return status;
}

static ocl_status take_translation(struct ocl_kernel *kernel, const struct ptx_kernel *translated,
                                   const struct ocl_ptx_told *told)
{
    kernel->ptx->form = translated->form;
    kernel->ptx->joins_blocks = translated->joins_blocks;
    kernel->ptx->takes_turns = translated->takes_turns;
    kernel->ptx->waits_for_blocks = translated->waits_for_blocks;
    kernel->ptx->local_bytes = translated->local_bytes;
    kernel->ptx->ends_when_empty = translated->ends_when_empty;
    kernel->ptx->spills |= translated->takes_turns;
    ocl_status status = take_arguments(kernel, translated);
    if (status == OCL_OK && kernel->ptx->has_table &&
        !kernel->program->context->capability.has_addresses) {
        ocl_kernel_refuse(
            kernel, OCL_E_NEEDS_ADDRESS,
            "it fetches from a texture or surface whose object is no parameter of its own: the "
            "table of all objects would hold addresses, which this device has none of");
        return OCL_OK;
    }
    if (status == OCL_OK)
        status = keep_text(kernel, translated);
    if (status == OCL_OK)
        ocl_dump_translation(kernel->name, kernel->program->text, kernel->program->text_bytes,
                             "cl");
    return status == OCL_OK && ocl_ptx_compile_apart(kernel, told) ? build(kernel) : status;
}

/* ---- The native form ---- */

/* What the launch has to tell it. */
static ocl_status take_native_needs(struct ocl_kernel *kernel, const struct ptx_kernel *translated)
{
    struct ocl_ptx_kernel *ptx = kernel->ptx;
    kernel->bundles = calloc(translated->argument_count + 1, sizeof *kernel->bundles);
    if (!kernel->bundles)
        return OCL_E_OUT_OF_MEMORY;
    for (size_t i = 0; i < translated->argument_count; i++) {
        const struct ptx_argument *argument = &translated->arguments[i];
        if (argument->kind == PTX_ARGUMENT_TEXTURE)
            kernel->bundles[kernel->bundle_count++] =
                (struct ocl_bundle){.entry = (uint32_t)argument->index,
                                    .reference = argument->name,
                                    .is_surface = argument->is_surface};
        if (argument->kind == PTX_ARGUMENT_BLOCK)
            kernel->symbol_kinds |= 1u << argument->index;
        ptx->has_runtime |= argument->kind == PTX_ARGUMENT_RUNTIME;
        ptx->has_conditions |= argument->kind == PTX_ARGUMENT_CONDITIONS;
        ptx->has_table |= argument->kind == PTX_ARGUMENT_TABLE;
        ptx->has_check |= argument->kind == PTX_ARGUMENT_CHECK;
        if (argument->kind == PTX_ARGUMENT_SHARED)
            ptx->static_bytes = argument->bytes;
        ptx->writes_table |= argument->kind == PTX_ARGUMENT_TABLE && argument->is_surface;
    }
    return OCL_OK;
}

/* Of PoCL's kernel that calls the code. */
static ocl_status take_native_argument(struct ocl_kernel *kernel)
{
    kernel->arguments = calloc(1, sizeof *kernel->arguments);
    if (!kernel->arguments)
        return OCL_E_OUT_OF_MEMORY;
    take_made(&kernel->arguments[0], OCL_PARAMETER_VALUE, OCL_MADE_NATIVE);
    kernel->arguments[0].bytes = sizeof(uint64_t);
    kernel->arguments[0].type = strdup("ulong");
    kernel->argument_count = 1;
    return kernel->arguments[0].type ? OCL_OK : OCL_E_OUT_OF_MEMORY;
}

static enum ptx_threads threads_of(const size_t block[3])
{
    if (block[0] * block[1] * block[2] % 32 != 0)
        return block[1] * block[2] == 1 ? PTX_THREADS_ROW : PTX_THREADS_ANY;
    if (block[0] % 32 == 0)
        return block[1] * block[2] == 1 ? PTX_THREADS_ROWS : PTX_THREADS_STACKED;
    return block[0] == 16 && (block[1] % 2 == 0 || block[2] == 1) ? PTX_THREADS_HALVES
                                                                  : PTX_THREADS_ANY;
}

/* What launches of a kernel have one code for. */
struct kind {
    enum ptx_threads threads;
    bool is_vast;
};

/* Of the first launch, where that is known before the kernel is described: the code for it is the first to be made, and the only one
 * mostly. */
static struct kind expected_kind(const struct ocl_kernel *kernel)
{
    const uint64_t packed = atomic_load(&kernel->ptx->expected_shape);
    struct ocl_packed_shape shape = ocl_shape_unpack(packed);
    shape.block[0] *= ocl_widened(kernel->ptx, shape.row, shape.block);
    return packed ? (struct kind){threads_of(shape.block), shape.is_vast}
                  : (struct kind){PTX_THREADS_ROWS, false};
}

/* Whether textures are to go by image, of which only OpenCL C reads. */
static bool wants_images(const struct ocl_kernel *kernel, const struct ptx_kernel *translated)
{
    bool has_textures = false;
    for (size_t i = 0; i < translated->argument_count; i++)
        has_textures |= translated->arguments[i].kind == PTX_ARGUMENT_TEXTURE &&
                        !translated->arguments[i].is_surface;
    return has_textures && ocl_image_is_preferred(kernel->program->context);
}

/* Without code, or the kernel that calls it, another form has to do: *has says which. */
static ocl_status take_native(struct ocl_kernel *kernel, const struct ptx_kernel *translated,
                              struct kind kind, bool *has)
{
    struct ocl_program *program = kernel->program;
    *has = false;
    if (wants_images(kernel, translated))
        return OCL_OK;
    ocl_dump_translation(kernel->name, translated->text, translated->text_bytes, "ll");
    struct ocl_native *native = ocl_native_make(program->context->device, kernel->name,
                                                translated->text, translated->text_bytes);
    kernel->ptx->vast = translated->vast;
    kind.is_vast &= translated->vast != PTX_VAST_NONE;
    atomic_store(&kernel->ptx->natives[kind.is_vast][kind.threads], native);
    *has = native != NULL;
    if (!*has)
        return OCL_OK;
    ocl_status status = ocl_native_program(program->context, &program->cl);
    *has = status != OCL_E_BUILD;
    if (status != OCL_OK)
        return *has ? status : OCL_OK;
    kernel->text_name = OCL_NATIVE_KERNEL;
    kernel->ptx->form = PTX_FORM_NATIVE;
    kernel->ptx->waits_for_blocks = translated->waits_for_blocks;
    status = take_native_needs(kernel, translated);
    return status == OCL_OK ? take_native_argument(kernel) : status;
}

static struct ocl_native *make_for(const struct ocl_kernel *kernel, struct kind kind)
{
    const struct ocl_program *program = kernel->program;
    struct ocl_ptx_facts *facts = ocl_ptx_facts(program->context);
    struct ptx_target target;
    struct ptx_kernel translated = {0};
    struct ptx_log log = {0};
    struct ocl_native *made = NULL;
    if (!facts)
        return NULL;
    ocl_ptx_target(facts, &target);
    target.threads = kind.threads;
    target.is_vast = kind.is_vast;
    if (ptx_translate(ocl_program_origin(kernel->program)->ptx->module, kernel->ptx->index, &target,
                      &translated, &log) == PTX_OK &&
        translated.form == PTX_FORM_NATIVE) {
        ocl_dump_translation(kernel->name, translated.text, translated.text_bytes, "ll");
        made = ocl_native_make(program->context->device, kernel->name, translated.text,
                               translated.text_bytes);
    }
    ptx_kernel_free(&translated);
    free(log.text);
    return made;
}

static bool find_native(const struct ocl_kernel *kernel, struct kind kind,
                        struct ocl_native **native)
{
    struct ocl_native *_Atomic *const place = &kernel->ptx->natives[kind.is_vast][kind.threads];
    _Atomic bool *const lacks = &kernel->ptx->lacks[kind.is_vast][kind.threads];
    *native = atomic_load(place);
    if (*native)
        return true;
    const int before = ocl_steady_begin();
    struct ocl_native *made = atomic_load(lacks) ? NULL : make_for(kernel, kind);
    ocl_steady_end(before);
    if (!made)
        atomic_store(lacks, true);
    else if (atomic_compare_exchange_strong(place, native, made))
        *native = made;
    else
        ocl_native_release(made);
    return made != NULL;
}

ocl_status ocl_ptx_native(const struct ocl_kernel *kernel, const size_t block[3], bool is_vast,
                          struct ocl_native **native)
{
    const enum ptx_threads threads = threads_of(block);
    const bool is_found = is_vast && kernel->ptx->vast != PTX_VAST_NONE &&
                          find_native(kernel, (struct kind){threads, true}, native);
    return is_found || find_native(kernel, (struct kind){threads, false}, native) ? OCL_OK
                                                                                  : OCL_E_BUILD;
}

/* ---- Either ---- */

/* Once, and again where the translation depends on facts that turn out to be otherwise than it was told. */
static enum ptx_status translate_for(struct ocl_kernel *kernel, struct ocl_ptx_facts *facts,
                                     bool may_be_native, struct kind kind,
                                     struct ptx_kernel *translated, struct ptx_log *log)
{
    const struct ptx_module *module = ocl_program_origin(kernel->program)->ptx->module;
    for (;;) {
        struct ptx_target target;
        const unsigned known = ocl_ptx_target(facts, &target);
        if (!may_be_native) {
            target.llvm_major = 0;
            target.force_form = target.force_form == PTX_FORM_NATIVE ? -1 : target.force_form;
        }
        target.threads = kind.threads;
        target.is_vast = kind.is_vast;
        target.shared_is_global = kernel->ptx->spills;
        target.gathers = kernel->ptx->gathers;
        const enum ptx_status outcome =
            ptx_translate(module, kernel->ptx->index, &target, translated, log);
        if (ocl_ptx_divides(translated))
            translated->facts |= PTX_FACT_EXACT_DIVIDE;
        const unsigned missing = translated->facts & ~known;
        if (!missing || ocl_ptx_find_out(kernel->program->context, facts, missing))
            return outcome;
        ptx_kernel_free(translated);
        free(log->text);
        *log = (struct ptx_log){0};
    }
}

/* *is_done is false where another form has to do. */
static ocl_status translate(struct ocl_kernel *kernel, struct ocl_ptx_facts *facts,
                            bool may_be_native, bool *is_done)
{
    struct ocl_ptx_told told;
    struct ptx_kernel translated = {0};
    struct ptx_log log = {0};
    ocl_status status = OCL_OK;
    const struct ptx_module *module = ocl_program_origin(kernel->program)->ptx->module;
    kernel->ptx->widens = may_be_native && !ocl_check_wants(OCL_CHECK_KERNELS) &&
                          ptx_module_entry_widens(module, kernel->ptx->index);
    const struct kind kind = expected_kind(kernel);
    const enum ptx_status outcome =
        translate_for(kernel, facts, may_be_native, kind, &translated, &log);
    const bool is_native = outcome == PTX_OK && translated.form == PTX_FORM_NATIVE;
    told.known = ocl_ptx_target(facts, &told.target);
    struct ocl_program *program = kernel->program;
    *is_done = true;
    if (!is_native && (translated.facts & PTX_FACT_EXACT_DIVIDE) && told.target.has_exact_divide &&
        !strstr(program->options, OCL_EXACT_DIVISION))
        status = take_options(program, program->options, OCL_EXACT_DIVISION);
    if (status == OCL_OK && is_native)
        status = take_native(kernel, &translated, kind, is_done);
    else if (status == OCL_OK)
        status = outcome == PTX_OK ? take_translation(kernel, &translated, &told)
                                   : explain(kernel, outcome, log.text);
    ptx_kernel_free(&translated);
    free(log.text);
    return status;
}

/* CUDA's assembler refuses such code for every device. */
static bool has_too_much_shared(struct ocl_kernel *kernel)
{
    const size_t bytes = ocl_ptx_entry(kernel)->shared_bytes;
    if (bytes <= PTX_STATIC_SHARED_BYTES)
        return false;
    ocl_kernel_refuse(kernel, OCL_E_PTX,
                      "its static shared memory takes %zu bytes, and a block can have %u", bytes,
                      (unsigned)PTX_STATIC_SHARED_BYTES);
    return true;
}

ocl_status ocl_ptx_describe(struct ocl_kernel *kernel)
{
    struct ocl_ptx_facts *facts = ocl_ptx_facts(kernel->program->context);
    start_anew(kernel);
    ocl_status status = facts ? list_parameters(kernel) : OCL_E_OUT_OF_MEMORY;
    if (status == OCL_OK && has_too_much_shared(kernel))
        return OCL_OK;
    if (status != OCL_OK || ocl_ptx_binary_describe(kernel, facts))
        return status;
    bool is_done = false;
    start_anew(kernel);
    status = translate(kernel, facts, !kernel->ptx->is_opencl, &is_done);
    if (is_done)
        return status;
    start_anew(kernel);
    return translate(kernel, facts, false, &is_done);
}
